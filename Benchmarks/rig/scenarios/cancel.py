"""POST cancel is sent: how long until the watcher has `cancelled`?"""

import http.client
import json
import time

from medians import chosen, percentile, pooled
from report.section import Section, Table, at_most
from rig import FREE
from scenarios.shared import milliseconds
from servers import Runcast
from streams import Stream

NAME = "cancel"
TERMS = 4_000_000_000_000_000  # days of work: nothing ends by itself
START = {"kind": "square-root-sum", "input": {"terms": TERMS}}
#: name: (options of the server, runs that compute beside the one that is cancelled)
WAYS = {"idle": (("--workers", 1), 0), "all workers compute": (("--max-running", 16), 4)}
BEYOND = 5  # ms of p99 beyond an idle server's


def measure(rig):
    effort = rig.effort
    if Runcast.name in rig.unavailable:
        return
    for round in range(1, effort.rounds + 1):
        for way, (options, beside) in WAYS.items():
            rig.record(
                {"way": way}, Runcast.name, round,
                cancelling, options, beside, max(10, effort.samples // effort.rounds),
            )  # fmt: skip


def cancelling(rig, options, beside, samples):
    """{samples}: from the sending of POST cancel to the arrival of `cancelled`, in microseconds, one per run."""
    found = []
    with rig.server(Runcast, FREE, options=options) as server:
        for _ in range(beside):
            server.json("POST", "/v1/jobs", START)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        for _ in range(samples):
            with Stream(server.port, "/v1/jobs", "POST", START) as stream:
                job = json.loads(stream.next_of("started"))["jobID"]
                began = time.monotonic()
                connection.request("POST", f"/v1/jobs/{job}/cancel")
                stream.next_of("cancelled")
                found.append((time.monotonic() - began) * 1e6)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 202:
                    raise RuntimeError(f"a cancel was answered with {answer.status}")
        connection.close()
    return {"samples": found}


def section(results):
    runs = results["runs"]
    samples = {way: pooled(chosen(runs, way=way), "samples") for way in WAYS}
    rows = [
        (way, f"{len(each):,}", *(milliseconds(percentile(each, percent)) for percent in (50, 99, 100)))
        for way, each in samples.items()
    ]
    idle, busy = (percentile(samples[way], 99) for way in WAYS)
    beyond = None if idle is None or busy is None else (busy - idle) / 1000
    return Section(
        "Cancelling",
        "From sending POST cancel to the arrival of `cancelled` at a watcher. Idle: one worker thread computes the run "
        "that is cancelled, and nothing else runs. All workers compute: four more runs share one worker per core.",
        [Table(("", "cancels", "p50 ms", "p99 ms", "max ms"), rows)], [],
        [at_most("Cancel, all workers computing: p99 beyond an idle server's", beyond, BEYOND, " ms")],
    )  # fmt: skip
