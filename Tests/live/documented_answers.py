"""Provokes every answer that the server's description documents."""

import uuid

from jobs import ENDLESS, Jobs, request

EVIL = ("-H", "Origin: https://evil.example")
UNKNOWN = "00000000-0000-4000-8000-000000000000"


def after(reply):
    """The header field with which a client resumes after what this stream has given."""
    return ("-H", f"Last-Event-ID: {reply.body.split(chr(10) + 'id: ')[-1].split(chr(10))[0]}")


class Answers:
    """Each answer is checked by the description. `subscription` is one that may be ended."""

    def __init__(self, description, url, bounded, subscription):
        self.description = description
        self.url = url
        self.bounded = bounded
        self.subscription = subscription
        self.jobs = Jobs(url)

    def __call__(self, operation_id, status, /, *arguments, base=None, **values):
        values = {"topic": "ticks", "id": UNKNOWN, "jobID": UNKNOWN, "runID": UNKNOWN, **values}
        reply = self.description.call(base or self.url, operation_id, *arguments, **values)
        assert reply.status == status, (operation_id, reply.status, reply.body)
        return reply

    def give_the_general_ones(self):
        """Those that do not depend on what the operation does."""
        too_large = '{"data":"' + "x" * (1 << 20) + '"}'
        for path, _, operation in self.description.operations():
            id, statuses = operation["operationId"], operation["responses"]
            query = "?topic=ticks" if id == "watchStreams" else ""
            self(id, 403, *EVIL, query=query)
            if "415" in statuses:
                self(id, 415, "-H", "Content-Type: text/plain", "--data", "x")
            if "413" in statuses:
                self(id, 413, body=too_large)
            if "406" in statuses and path.startswith("/v1/streams"):
                self(id, 406, accept="application/json")
            if "requestBody" in operation:
                self(id, 400, body="{")
                self(id, 422, body=[])
            elif "400" in statuses and path.count("{") == 0 or path == "/v1/streams/{topic}":
                self(id, 400, query=f"{query}&limit=0" if query else "?limit=0")

    def give_those_of_streams(self):
        for id in ("listStreams", "listSubscriptions", "listKinds"):
            self(id, 200)
        self("watchStreams", 406, query="?topic=ticks", accept="text/html")
        self("watchStream", 200, query="?limit=1")
        self("watchStreams", 200, query="?topic=ticks&topic=ticks&limit=1")
        for id in ("watchStream", "startSource", "stopSource"):
            self(id, 404, topic="nowhere")
            self(id, 422, topic="a%20b")
        self("watchStreams", 404, query="?topic=nowhere")
        self("watchStreams", 422, query="?topic=a%20b")
        topic = f"documented/{uuid.uuid4()}"
        self("publish", 201, topic=topic, body={"data": 1})
        self("publish", 200, topic=topic, body={"data": "text", "event": "e", "id": "1"})
        self("publish", 409, body={"data": 1})
        self("publish", 429, base=self.bounded, topic="news", body={"data": 1})
        for id in ("startSource", "stopSource"):
            self(id, 409, topic=topic)
        self("endSubscription", 404)
        self("endSubscription", 204, id=self.subscription)
        self("stopSource", 200)
        self("startSource", 200)

    def give_those_of_jobs(self):
        receipt = self("startJob", 202, body=request(4)).json
        ids = {"jobID": receipt["jobID"], "runID": receipt["runID"]}
        self.jobs.wait_until_over(receipt)
        tag = self("job", 200, **ids).headers["etag"]
        self("job", 200, "-H", "Prefer: wait=1", **ids)
        self("job", 304, "-H", f"If-None-Match: {tag}", **ids)
        for id in ("run", "result", "watchRun"):
            self(id, 200, **ids)
        self("watchJob", 200, query="?limit=1", **ids)
        list = "?state=succeeded,failed&kind=square-root-sum&limit=1"
        tag = self("listJobs", 200, query=list).headers["etag"]
        self("listJobs", 304, "-H", f"If-None-Match: {tag}", query=list)
        for id in ("job", "run", "result", "watchRun", "watchJob", "cancelJob", "startRun"):
            self(id, 404)
        self("putJob", 404, jobID="my-job", body=request(4))
        for id in ("watchRun", "watchJob"):
            self(id, 400, query="?limit=0", **ids)
            self(id, 406, accept="text/html", **ids)
        self("cancelJob", 200, **ids)
        self.give_those_after_the_end(ids)
        self.give_those_of_starts_as_streams()
        self.give_those_of_further_runs(ids)

    def give_those_after_the_end(self, ids):
        topic = f"jobs/{ids['jobID']}/runs/{ids['runID']}"
        at_end = after(self("watchRun", 200, **ids))
        self("watchRun", 204, *at_end, **ids)
        self("watchStream", 204, *at_end, topic=topic)
        self("watchStreams", 204, *at_end, query=f"?topic={topic}")

    def give_those_of_starts_as_streams(self):
        """Each is made twice with one key: the second time with a cursor at the end of what the first has given."""
        other = {"jobID": uuid.uuid4()}
        self("putJob", 201, **other, body=request(0))
        self("putJob", 200, **other, body=request(0))
        for id, values in (
            ("startJob", {"body": request(0)}), ("startRun", other), ("putJob", {**other, "body": request(0)}),
        ):
            key = ("-H", f"Idempotency-Key: {uuid.uuid4()}")
            values = {**values, "accept": "text/event-stream"}
            self(id, 204, *key, *after(self(id, 200, *key, **values)), **values)

    def give_those_of_further_runs(self, ids):
        first = ids["runID"]
        running = self("startRun", 202, body={"input": {"terms": ENDLESS}}, **ids).json
        self.jobs.adopt(running["jobID"])
        self("startRun", 409, body={}, **ids)
        self("startRun", 200, body={"onConflict": "join"}, **ids)
        self("putJob", 409, body=request(5), **ids)
        self.jobs.wait_for_state(running, "running")
        self("result", 409, jobID=ids["jobID"], runID=running["runID"])
        self("cancelJob", 409, body={"runID": first}, **ids)
        self("cancelJob", 202, **ids)

    def give_those_of_a_full_server(self):
        busy = self("startJob", 202, base=self.bounded, body=request(ENDLESS)).json
        ids = {"jobID": busy["jobID"], "runID": busy["runID"]}
        self("startJob", 503, base=self.bounded, body=request(1))
        self("putJob", 503, base=self.bounded, jobID=uuid.uuid4(), body=request(1))
        self("startRun", 503, base=self.bounded, body={"onConflict": "queue"}, **ids)
        for id in ("watchStream", "watchStreams", "watchJob", "watchRun"):
            self(id, 503, base=self.bounded, query="?topic=ticks" if id == "watchStreams" else "", **ids)
        self("cancelJob", 200, base=self.bounded, body={"force": True}, **ids)

    def give_those_of_what_is_gone(self, forgetful):
        jobs = Jobs(forgetful)
        first = jobs.start(1).json
        jobs.wait_until_over(first)
        jobs.start(1)
        ids = {"jobID": first["jobID"], "runID": first["runID"]}
        for id in ("job", "run", "result", "watchJob", "watchRun", "cancelJob", "startRun"):
            self(id, 410, base=forgetful, **ids)
        self("putJob", 410, base=forgetful, body=request(1), **ids)

    def give_those_of_operations(self):
        for id in ("livez", "readyz", "metrics"):
            self(id, 200)
        tag = self("description", 200).headers["etag"]
        self("description", 304, "-H", f"If-None-Match: {tag}")
