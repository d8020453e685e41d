"""The server's OpenAPI description as a test reads it: what may be answered, and whether an answer is that."""

import copy
import json
import re

import jsonschema
from conftest import PUBLIC
from curl import curl

METHODS = ("get", "post", "put", "delete")


class Description:
    """`Public/openapi.json`. `observed` gathers the (operationId, status) of each answer that was checked."""

    def __init__(self):
        self.document = json.loads((PUBLIC / "openapi.json").read_text())
        self._components = closed(self.document["components"])
        self.observed = set()

    def operations(self):
        """Each (path, method, operation)."""
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    yield path, method, item[method]

    def operation(self, id):
        """The (path, method, operation) of this operationId."""
        return next(found for found in self.operations() if found[2]["operationId"] == id)

    def resolved(self, value):
        while "$ref" in value:
            section, name = value["$ref"].removeprefix("#/components/").split("/")
            value = self.document["components"][section][name]
        return value

    def parameters(self, path, operation):
        declared = self.document["paths"][path].get("parameters", []) + operation.get("parameters", [])
        return [self.resolved(parameter) for parameter in declared]

    def validate(self, value, schema):
        """Fails if the value is not of the schema, or an object in it has members that the schema does not name."""
        rooted = {**closed(schema), "components": self._components}
        checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
        jsonschema.Draft202012Validator(rooted, format_checker=checker).validate(value)

    def validate_event(self, event):
        self.validate(event.json, {"$ref": f"#/components/schemas/{EVENT_SCHEMAS.get(event.type, 'RunEvent')}"})

    def check(self, id, reply):
        """Fails unless the answer is one that the operation documents."""
        documented = self.operation(id)[2]["responses"]
        assert str(reply.status) in documented, (id, reply.status, reply.body)
        answer = self.resolved(documented[str(reply.status)])
        for name, header in answer.get("headers", {}).items():
            self._check_header(reply.headers.get(name.lower()), self.resolved(header))
        content = answer.get("content", {})
        type = reply.headers.get("content-type", "").split(";")[0]
        if content:
            assert type in content, (id, reply.status, type)
        else:
            assert reply.body == ""
        if type.endswith("json"):
            self.validate(reply.json, content[type]["schema"])
        self.observed.add((id, str(reply.status)))

    def _check_header(self, text, header):
        if text is None:
            assert not header.get("required")
        else:
            schema = header["schema"]
            self.validate(int(text) if schema.get("type") == "integer" else text, schema)

    def call(self, base, operation_id, /, *arguments, query="", body=None, accept=None, input=None, **path_values):
        """Calls an operation with curl, checks the answer and returns it."""
        path, method, _ = self.operation(operation_id)
        url = base + re.sub(r"\{(\w+)\}", lambda hole: str(path_values[hole[1]]), path) + query
        if body is not None:
            text = body if isinstance(body, str) else json.dumps(body)
            arguments += ("-H", "Content-Type: application/json", "--data-binary", "@-")
            input = text.encode()
        if accept:
            arguments += ("-H", f"Accept: {accept}")
        reply = curl(url, "-X", method.upper(), *arguments, input=input)
        self.check(operation_id, reply)
        return reply


EVENT_SCHEMAS = {
    "subscribed": "SubscribedEvent", "gap": "GapEvent", "topicEnded": "TopicEndedEvent", "snapshot": "SnapshotEvent",
    "tick": "TickEvent",
}


def closed(schema):
    """A copy in which objects with named members have no others, as the server means it today."""
    schema = copy.deepcopy(schema)

    def close(node):
        if isinstance(node, dict):
            if "properties" in node and node.get("type") == "object":
                node.setdefault("additionalProperties", False)
            for member in node.values():
                close(member)
        elif isinstance(node, list):
            for element in node:
                close(element)

    close(schema)
    return schema
