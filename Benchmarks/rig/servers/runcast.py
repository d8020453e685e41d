"""The service itself, with the options of a fresh installation but for its bounds and, mostly, its store."""

import json
import re
import shutil

from servers.server import Server, Unavailable

#: `store`: nothing is kept, as with the servers that it is compared with; or a data directory, by its durability.
MEMORY, NORMAL, FULL = "memory", "normal", "full"


class Runcast(Server):
    name = "runcast"
    has_latest = True
    publish_prefix, publish_suffix = '{"data":', "}"

    def __init__(self, rig, cores=None, options=(), store=MEMORY, data=None):
        """`options`: further ones of `runcast serve`.

        `data`: the folder of the store, which stays; None: one of its own, on the disk of the build, which goes.
        """
        super().__init__(rig, cores)
        self.options, self.store = options, store
        self.data, self.keeps_data = data or self.folder / "data", data is not None

    @classmethod
    def check(cls, rig):
        if not rig.runcast.exists():
            raise Unavailable(f"there is no {rig.runcast}: make bench builds it")

    def command(self):
        # The server itself stays below what the descriptors allow.
        return [
            self.rig.runcast, "serve", "--port", self.port, "--public", self.rig.root / "Public",
            "--max-subscriptions", 16_000, *self.store_options(), *self.options,
        ]  # fmt: skip

    def store_options(self):
        if self.store == MEMORY:
            return ["--store", "memory"]
        return ["--data-dir", self.data, "--durability", self.store]

    def __exit__(self, *exception):
        super().__exit__(*exception)
        if not self.keeps_data:
            shutil.rmtree(self.data, ignore_errors=True)

    def subscribe_path(self, policy="all", topic="bench"):
        return f"/v1/streams/{topic}?policy={policy}"

    def publish_path(self, topic="bench"):
        return f"/v1/streams/{topic}"

    def make_topics(self, names):
        """The first event of a topic makes it; this one has no `seq`, so that a client does not count it."""
        connection = self.connection()
        for name in names:
            connection.request(
                "POST", self.publish_path(name), '{"data":{}}', {"Content-Type": "application/json"}
            )
            answer = connection.getresponse()
            answer.read()
            if answer.status not in (200, 201):
                raise RuntimeError(f"publishing to {name} was answered with {answer.status}")
        connection.close()

    def json(self, method, path, body=None):
        """(status, decoded body) of one request on a connection of its own."""
        connection = self.connection()
        headers = {} if body is None else {"Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text) if text else None

    def metrics(self):
        """/metrics as {sample: value}; a sample's labels are part of its name."""
        connection = self.connection()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return parsed_metrics(text)


def parsed_metrics(text):
    """The samples of Prometheus' text format; comments are left out."""
    samples = re.findall(r"^([a-z_]+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in samples}
