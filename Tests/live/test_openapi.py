"""openapi.json against the running server: every documented answer is given as documented, and no route is left out."""

import re
import subprocess

import pytest
from conftest import PUBLIC, ROOT, eventually
from curl import curl
from description import Description
from documented_answers import UNKNOWN, Answers
from test_command_line import BINARY

# The server's last moments are looked at by the tests of stopping.
ONLY_WHILE_STOPPING = {("cancelJob", "503"), ("readyz", "503")}
# And these by those of full disks.
ONLY_WHEN_FULL = {("publish", "503")} | {
    (id, "507") for id in ("publish", "startJob", "putJob", "startRun", "cancelJob")
}


@pytest.fixture(scope="module")
def description():
    return Description()


@pytest.fixture(scope="module")
def bounded(start_server_for_module):
    """A server at its bounds: one stream, one run, no queue, no topics, one job kept."""
    return start_server_for_module(
        "--max-subscriptions", "1", "--max-running", "1", "--max-queued", "0", "--max-topics", "0"
    ).url


def test_the_document_is_served(server, description):
    reply = curl(f"{server.url}/openapi.json")
    assert reply.body == (PUBLIC / "openapi.json").read_text()
    description.check("description", reply)
    version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout
    assert description.document["info"]["version"] == version.removeprefix("runcast ").strip()


def test_every_route_is_documented_and_every_documented_route_exists(description):
    calls = [
        match
        for file in (ROOT / "Sources/Service").rglob("*.swift")
        for match in re.findall(r'router\.on\(\s*\.(\w+), "([^"]+)"', file.read_text())
    ]
    served = {(path.replace("...}", "}"), method) for method, path in calls}
    documented = {(path, method) for path, method, _ in description.operations()}
    assert documented - served == {("/openapi.json", "get")}
    assert served - documented == set()


def test_every_path_allows_the_methods_that_are_documented(server, description):
    for path, item in description.document["paths"].items():
        reply = curl(server.url + re.sub(r"\{\w+\}", UNKNOWN, path), "-X", "BREW")
        reply.problem(405)
        methods = {method.upper() for method in item if method != "parameters"}
        assert set(reply.headers["allow"].split(", ")) == methods | ({"HEAD"} if "GET" in methods else set())


def test_every_documented_answer_is_given_as_documented(server, bounded, start_server, open_stream, description):
    full = open_stream(f"{bounded}/v1/streams/ticks")
    full.next_of("subscribed")
    own = open_stream(f"{server.url}/v1/streams/ticks")
    answers = Answers(description, server.url, bounded, own.next_of("subscribed").json["subscription"])
    try:
        answers.give_the_general_ones()
        answers.give_those_of_streams()
        answers.give_those_of_jobs()
        answers.give_those_of_a_full_server()
        answers.give_those_of_what_is_gone(start_server("--max-jobs", "1").url)
        answers.give_those_of_operations()
    finally:
        answers.jobs.close()
    documented = {
        (operation["operationId"], status)
        for _, _, operation in description.operations() for status in operation["responses"]
    }
    assert documented - description.observed == ONLY_WHILE_STOPPING | ONLY_WHEN_FULL


def test_the_events_are_as_documented(server, description, jobs, open_stream):
    small = jobs.start(30_000_000).json
    jobs.wait_until_over(small)
    watched = [
        open_stream(f"{server.url}/v1/streams/ticks?limit=2").rest(),
        open_stream(jobs.url + small["links"]["runEvents"]).rest(),
    ]
    cancelled = jobs.start_endless()
    stream = open_stream(jobs.url + cancelled["links"]["runEvents"])
    stream.next_of("progress")
    jobs.cancel(cancelled, reason="enough")
    watched.append(stream.rest())
    topic = f"jobs/{small['jobID']}/runs/{small['runID']}"
    several = open_stream(f"{server.url}/v1/events?topic={topic}&topic=ticks&limit=12")
    seen = set()
    for event in [event for events in watched for event in events]:
        seen.add(event.type)
        if event.type == "end" and "runID" not in event.json:
            description.validate(event.json, {"$ref": "#/components/schemas/EndEvent"})
        else:
            description.validate_event(event)
    for event in several.rest():
        if event.type not in ("subscribed", "end", "topicEnded") or "data" in event.json:
            description.validate(event.json, {"$ref": "#/components/schemas/Envelope"})
    assert {"subscribed", "tick", "snapshot", "queued", "started", "progress", "cancelled", "succeeded", "end"} <= seen


def test_the_examples_are_valid(server, description):
    for path, method, operation in description.operations():
        for parameter in description.parameters(path, operation):
            if "example" in parameter:
                description.validate(parameter["example"], parameter["schema"])
    start = description.document["components"]["schemas"]["StartJob"]
    for example in start["examples"]:
        description.validate(example, {"$ref": "#/components/schemas/StartJob"})
        assert description.call(server.url, "startJob", body=example).status == 202
    assert eventually(lambda: description.call(server.url, "listJobs", query="?state=succeeded").json["jobs"])
