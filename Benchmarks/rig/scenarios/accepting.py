"""How many runs a second are accepted, each recorded before its answer, and carried through?"""

import time

from children import cpu_seconds, wait_until
from medians import chosen, middle, middle_ratio, total
from posting import post
from report.section import Section, Table, at_least, number
from rig import ONE_CORE
from scenarios.shared import milliseconds, range_text, ratio_text
from servers import Runcast
from servers.runcast import FULL, MEMORY, NORMAL

NAME = "accepting"
CONNECTIONS = 64
START = {"kind": "square-root-sum", "input": {"terms": 1}}
STORES = (FULL, NORMAL, MEMORY)
#: So that none is refused, and none is forgotten meanwhile.
BOUNDS = ("--max-queued", 1_000_000, "--max-jobs", 1_000_000)
WANTED = 2_000  # accepted runs a second with FULL
ENDING = 60  # seconds that the last run's end may take


def measure(rig):
    if Runcast.name in rig.unavailable:
        return
    for round in range(1, rig.effort.store_rounds + 1):
        for store in STORES:
            rig.record({"store": store}, Runcast.name, round, accepting, store)


def accepting(rig, store):
    """What is accepted in a few seconds; `ended` is until all of these runs are over."""
    with rig.server(Runcast, ONE_CORE, options=BOUNDS, store=store) as server:
        post(rig, server, ONE_CORE, "/v1/jobs", START, CONNECTIONS, seconds=0.3)
        all_ended(server)
        before, commits, earlier = cpu_seconds(server.pids()), commit_count(server), server.metrics()
        began = time.monotonic()
        posted = post(rig, server, ONE_CORE, "/v1/jobs", START, CONNECTIONS, rig.effort.store_seconds)
        pending = pending_runs(server)
        after = all_ended(server)
        elapsed, used = time.monotonic() - began, cpu_seconds(server.pids()) - before
        succeeded = after[SUCCEEDED] - earlier[SUCCEEDED]
        return {
            **posted, "refused": posted["sent"] - posted["accepted"], "pendingRuns": pending,
            "succeeded": succeeded, "succeededPerSecond": succeeded / elapsed,
            "unaccounted": posted["accepted"] - succeeded,
            "cpuMicroseconds": used / posted["accepted"] * 1e6,
            "runsPerCommit": posted["accepted"] / max(1, commit_count(server) - commits),
        }  # fmt: skip


SUCCEEDED = 'runcast_runs_ended_total{state="succeeded"}'


def pending_runs(server):
    metrics = server.metrics()
    return metrics["runcast_runs_queued"] + metrics['runcast_jobs{state="running"}']


def all_ended(server):
    """The metrics, once every run is over."""
    wait_until(lambda: pending_runs(server) == 0, "all runs are over", ENDING, interval=0.02)
    return server.metrics()


def commit_count(server):
    return server.metrics().get("runcast_store_commits_total", 0)


def section(results):
    runs = results["runs"]
    memory, full = chosen(runs, store=MEMORY), chosen(runs, store=FULL)
    rows = [
        (
            store, range_text(mine, "acceptedPerSecond"), ratio_text(mine, memory, "acceptedPerSecond"),
            milliseconds(middle(mine, "answerMicroseconds.p50")), milliseconds(middle(mine, "answerMicroseconds.p99")),
            range_text(mine, "succeededPerSecond"), range_text(mine, "cpuMicroseconds"),
            number(middle(mine, "runsPerCommit")) if store != MEMORY else "–",
            number(middle(mine, "pendingRuns")), fault_text(mine),
        )
        for store in STORES
        if (mine := chosen(runs, store=store))
    ]  # fmt: skip
    header = (
        "", "accepted runs/s", "× memory", "p50 ms", "p99 ms", "succeeded/s", "CPU µs/run", "runs per commit",
        "not over at the end", "faults",
    )  # fmt: skip
    normal = middle_ratio(chosen(runs, store=NORMAL), memory, "acceptedPerSecond")
    return Section(
        "Accepted runs",
        f"{CONNECTIONS} connections start computations of one term, each asking again as soon as it has its answer, "
        "server on one core. Accepted is what was answered with 202. The CPU time is all that the server used until "
        "the last of these runs had succeeded, and was recorded so; succeeded/s is over the same time. "
        "Not over at the end: when the last answer had come.",
        [Table(header, rows)], [],
        [
            at_least("Accepted runs a second, full durability", middle(full, "acceptedPerSecond"), WANTED),
            at_least("Accepted runs a second, normal / memory", normal, 0.5),
        ],
    )  # fmt: skip


def fault_text(runs):
    found = [f"{sum('failure' in run for run in runs)} runs failed"] if any("failure" in run for run in runs) else []
    for path, words in (("refused", "refused"), ("unaccounted", "accepted but not succeeded")):
        if count := total(runs, path):
            found.append(f"{count:,.0f} {words}")
    return ", ".join(found) or "none"
