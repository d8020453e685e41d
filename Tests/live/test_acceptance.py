"""A storm of clients on a handful of jobs, and a judge who has seen everything: nobody gets what has become stale.

The storm is random but seeded: RUNCAST_SEED chooses another one. How the threads interleave is not repeatable, so
a failure keeps its histories in the assertion's message.
"""

import os
import random
import threading
import time
import uuid
from math import fsum, sqrt

import pytest
from acceptance_clients import Client, last_id, read_stream
from acceptance_model import TERMINAL, Cancel, Connection, Replacement, judge
from jobs import ENDLESS

JOBS = 4
CLIENTS = 5
STORM = 8  # seconds
PATIENCE = 30  # seconds that anything may still take after the storm
SMALL = (0, 1, 4, 1_000)
MEDIUM = (3_000_000, 20_000_000)
FINAL = "the storm is over"  # said when the last run of a job is cancelled


def request(terms, **members):
    return {"kind": "square-root-sum", "input": {"terms": terms}, **members}


class Storm:
    def __init__(self, server, seed):
        self.port = server.port
        self.random = random.Random(seed)
        self.jobs = [str(uuid.UUID(int=self.random.getrandbits(128), version=4)) for _ in range(JOBS)]
        self.runs = {}  # runID: (job, terms)
        self.connections, self.cancels, self.replacements, self.complaints = [], [], [], []
        self.is_over = threading.Event()
        self.threads = []
        client = Client(self.port)
        for job in self.jobs:
            status, receipt = client("PUT", f"/v1/jobs/{job}", request(1))
            assert status == 201, receipt
            self.started(receipt, 1)

    def spawn(self, body, *arguments):
        def guarded():
            try:
                body(*arguments)
            except Exception as error:
                self.complaints.append(f"{body.__name__}: {error!r}")

        thread = threading.Thread(target=guarded, daemon=True)
        self.threads.append(thread)
        thread.start()
        return thread

    def started(self, receipt, terms):
        """Keeps what an answer says, as soon as it was read."""
        self.runs[receipt["runID"]] = (receipt["jobID"], terms)
        if "replaces" in receipt:
            replacement = Replacement(receipt["jobID"], receipt["ordinal"], receipt["replaces"], time.time())
            self.replacements.append(replacement)

    # Clients

    def client(self, seed):
        choose, send = random.Random(seed), Client(self.port)
        while not self.is_over.is_set():
            job = choose.choice(self.jobs)
            verb = choose.choices([self.start, self.cancel, self.repeat, self.look], [8, 4, 1, 2])[0]
            verb(choose, send, job)

    def start(self, choose, send, job, **headers):
        terms = choose.choice(choose.choice([SMALL, SMALL, MEDIUM, (ENDLESS,)]))
        policy = choose.choice(["reject", "join", "replace", "replace", "queue"])
        body = {"input": {"terms": terms}, "onConflict": policy}
        if choose.random() < 0.1:
            body["timeoutSeconds"] = 0.05
        status, receipt = send("POST", f"/v1/jobs/{job}/runs", body, **headers)
        if status == 503 or (status == 409 and policy == "reject"):
            return body, status, receipt
        assert status == (202 if receipt["started"] else 200), (status, receipt)
        if receipt["started"]:
            self.started(receipt, terms)
            if "replaces" in receipt:
                old = receipt["replaces"]
                status, problem = send("GET", f"/v1/jobs/{job}/runs/{old}/result")
                assert status in (409, 410), f"the result of the replaced run {old}: {status} {problem}"
            if choose.random() < 0.5:
                self.spawn(self.watch_run, choose.random(), job, receipt["runID"])
        return body, status, receipt

    def repeat(self, choose, send, job):
        """The same start twice, at the same time, with one key: one run. Another body with the key: refused."""
        key, answers = uuid.UUID(int=choose.getrandbits(128)).hex, []
        body = {"input": {"terms": 4}, "onConflict": "replace"}

        def start():
            answers.append(Client(self.port)("POST", f"/v1/jobs/{job}/runs", body, Idempotency_Key=key))

        threads = [threading.Thread(target=start) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers[0] == answers[1], f"one key, two answers: {answers}"
        status, receipt = answers[0]
        if status == 202:
            self.started(receipt, 4)
            assert send("POST", f"/v1/jobs/{job}/runs", {}, Idempotency_Key=key)[0] == 422

    def cancel(self, choose, send, job):
        run = choose.choice([run for run, (of, _) in list(self.runs.items()) if of == job][-4:])
        body = {**({"runID": run} if choose.random() < 0.5 else {}), "force": choose.random() < 0.3}
        status, receipt = send("POST", f"/v1/jobs/{job}/cancel", body)
        answered = time.time()
        if status in (409, 410):
            return
        assert status == (202 if receipt["state"] == "cancelling" else 200), (status, receipt)
        assert "runID" not in body or body["runID"] == receipt["runID"]
        if receipt["applied"]:
            assert receipt["state"] in ("cancelling", "cancelled", "timedOut"), receipt
            self.cancels.append(Cancel(job, receipt["runID"], receipt["state"], answered))
            status, problem = send("GET", f"/v1/jobs/{job}/runs/{receipt['runID']}/result")
            assert status in (409, 410), f"the result of a cancelled run: {status} {problem}"

    def look(self, choose, send, job):
        status, found = send("GET", f"/v1/jobs/{job}")
        assert status == 200 and found["state"] == found["currentRun"]["state"]
        for run in found["runs"]:
            assert ("result" in run) == (run["state"] == "succeeded"), run
        newer = [run for run in found["runs"] if run["ordinal"] > found["currentRun"]["ordinal"]]
        assert {run["state"] for run in newer} <= {"queued", "cancelled"}, found

    # Watchers

    def watch_run(self, seed, job, run):
        choose, cursor = random.Random(seed), None
        while True:
            leave_after = choose.choice([None, 2, 3, 5])
            seen = read_stream(self.port, job, run, cursor, leave_after=leave_after)
            if seen is None:
                return
            self.connections.append(seen)
            cursor = last_id(seen)
            if not seen.was_left or leave_after is None:
                return

    def is_last(self, event):
        name, _, data = event
        return name == "cancelled" and data.get("note") == FINAL

    def watch_job(self, job, pause):
        self.connections.append(read_stream(self.port, job, pause=pause, until=self.is_last))

    def watch_job_restlessly(self, seed, job):
        choose, cursor, is_done = random.Random(seed), None, False
        while not is_done:
            seen = read_stream(
                self.port, job, None, cursor, leave_after=choose.randint(3, 40), until=self.is_last
            )
            self.connections.append(seen)
            cursor = last_id(seen)
            is_done = any(map(self.is_last, seen.events))
            # Not after the storm: who begins with all that is stored and leaves so often hardly gets to its end.
            if choose.random() < 0.1 and not self.is_over.is_set():
                cursor = None

    def nap(self):
        """Slow while the storm lasts; what has piled up by then is read at full speed."""
        if not self.is_over.is_set():
            time.sleep(0.02)

    def run(self):
        for job in self.jobs:
            self.spawn(self.watch_job, job, None)
            self.spawn(self.watch_job, job, self.nap)
            self.spawn(self.watch_job_restlessly, self.random.random(), job)
        clients = [self.spawn(self.client, self.random.random()) for _ in range(CLIENTS)]
        self.is_over.wait(STORM)
        self.is_over.set()
        send = Client(self.port)
        for thread in clients:
            thread.join(PATIENCE)
        for job in self.jobs:
            body = {"input": {"terms": ENDLESS}, "onConflict": "replace"}
            status, receipt = send("POST", f"/v1/jobs/{job}/runs", body)
            assert status == 202, receipt
            self.started(receipt, ENDLESS)
            assert send("POST", f"/v1/jobs/{job}/cancel", {"reason": FINAL})[0] in (200, 202)
        for thread in self.threads:
            thread.join(PATIENCE)
            if thread.is_alive():
                self.complaints.append("a client or watcher still waits for something")


@pytest.fixture(scope="module")
def storm(request):
    from conftest import Server

    server = Server("--workers", "2", "--max-running", "3", "--log-events", "256")
    storm = Storm(server, int(os.environ.get("RUNCAST_SEED", "1")))
    storm.run()
    storm.server = server
    yield storm
    assert server.stop() == 0


def test_nobody_saw_anything_stale(storm):
    assert storm.complaints == []
    assert judge(storm.connections, storm.cancels, storm.replacements) == []


def test_the_storm_was_one(storm):
    events = [event for connection in storm.connections for event in connection.events]
    names = {name for name, _, _ in events}
    # What takes luck, such as a time limit that is met or a reader that lags at the right moment, is not asked for.
    assert {"progress", "succeeded", "cancelled", "cancelRequested", "snapshot"} <= names
    assert len(storm.runs) > 200 and len(storm.cancels) > 20 and len(storm.replacements) > 20


def test_what_is_kept_agrees_with_what_was_seen(storm):
    send = Client(storm.port)
    seen = {}
    for connection in storm.connections:
        for name, _, data in connection.events:
            if name in TERMINAL:
                seen[data["runID"]] = (name, data.get("result"))
    for run, (job, terms) in storm.runs.items():
        status, kept = send("GET", f"/v1/jobs/{job}/runs/{run}")
        if status == 410:
            continue
        assert status == 200 and kept["state"] in TERMINAL, kept
        assert seen.get(run, (kept["state"], kept.get("result"))) == (kept["state"], kept.get("result"))
        status, result = send("GET", f"/v1/jobs/{job}/runs/{run}/result")
        assert status == (200 if kept["state"] == "succeeded" else 409)
        if status == 200:
            assert result["result"] == kept["result"]
            if terms <= 1_000:
                assert result["result"] == pytest.approx(fsum(map(sqrt, range(1, terms + 1))), rel=1e-14)


def test_the_counters_agree(storm):
    """Every run that was started has ended, and no worker, queue or subscription is left."""
    import urllib.request

    def value(line):
        return int(line.rsplit(" ", 1)[1])

    text = urllib.request.urlopen(storm.server.url + "/metrics").read().decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert sum(value(line) for line in lines if line.startswith("runcast_runs_ended_total")) == len(storm.runs)
    for name in ("runcast_runs_queued", "runcast_workers_busy"):
        assert [value(line) for line in lines if line.startswith(name + " ")] == [0]


class TestTheJudge:
    """It would be worth nothing if it found nothing."""

    def judge(self, *events, cancels=(), replacements=(), run="r", **members):
        whole = [
            (name, id, {"runID": "r", "ordinal": int(id[0]), "seq": int(id[2:]), "at": 0, **data})
            for name, id, data in events
        ]
        return judge([Connection("j", run, 0, None, whole, **members)], cancels, replacements)

    def test_a_good_run(self):
        assert self.judge(("queued", "1-1", {}), ("succeeded", "1-2", {"result": 1}), ("end", "1-3", {})) == []

    def test_a_hole(self):
        assert self.judge(("queued", "1-1", {}), ("succeeded", "1-3", {"result": 1}), ("end", "1-4", {}))

    def test_two_ends(self):
        assert self.judge(("queued", "1-1", {}), ("cancelled", "1-2", {}), ("lost", "1-3", {}), ("end", "1-4", {}))

    def test_a_success_after_a_cancel(self):
        events = [("queued", "1-1", {}), ("succeeded", "1-2", {"result": 1}), ("end", "1-3", {})]
        assert self.judge(*events, cancels=[Cancel("j", "r", "cancelling", 1)])

    def test_progress_after_a_cancel(self):
        events = [("progress", "1-1", {"at": 2}), ("cancelled", "1-2", {}), ("end", "1-3", {})]
        assert self.judge(*events, cancels=[Cancel("j", "r", "cancelling", 1)])

    def test_a_value_of_an_older_run(self):
        events = [("started", "2-1", {"runID": "s"}), ("progress", "1-9", {})]
        assert self.judge(*events, run=None, was_left=True)

    def test_a_value_of_a_replaced_run(self):
        events = [("succeeded", "1-9", {})]
        assert self.judge(*events, run=None, was_left=True, replacements=[Replacement("j", 2, "r", 1)])
