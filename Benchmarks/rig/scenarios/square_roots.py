"""The built-in computation against the machine's own limit."""

import json
import os
import subprocess
from datetime import datetime

from children import Child, wait_until
from medians import chosen, middle, middle_ratio
from report.section import Section, Table, at_most, number
from rig import FREE
from scenarios.shared import range_text, ratio_text
from servers import Runcast

NAME = "square_roots"
LIMIT_BOUND = 60  # seconds that the measuring of the limit may take
USUAL, SELDOM = 4_096, 1 << 40  # checkEvery: the default, and practically never
#: threads: the option of the server
THREADS = {"one": ("--workers", 1), "all": ()}


def measure(rig):
    effort = rig.effort
    if Runcast.name in rig.unavailable:
        return
    for round in range(1, effort.rounds + 1):
        rig.record({"threads": "one and all", "checkEvery": 0}, "limit", round, limit)
        for threads, options in THREADS.items():
            for every in (USUAL, SELDOM):
                terms = effort.terms * (1 if threads == "one" else cores())
                rig.record(
                    {"threads": threads, "checkEvery": every}, Runcast.name, round, computing, options, every, terms
                )


def cores():
    return len(os.sched_getaffinity(0))


def limit(rig):
    """What the machine's widest vector square root and add can do, on one core and on all."""
    log = rig.folder / "logs" / "square-root-limit.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [rig.program("square-root-limit"), "--rounds", rig.effort.limit_rounds]
    with Child(command, log, stdout=subprocess.PIPE) as child:
        output, _ = child.process.communicate(timeout=LIMIT_BOUND)
        if child.process.returncode != 0:
            raise RuntimeError(f"square-root-limit ended with {child.process.returncode}: {child.last_words()}")
    return json.loads(output)


def computing(rig, options, every, terms):
    """Nanoseconds per term, from the run's own times."""
    with rig.server(Runcast, FREE, options=options) as server:
        body = {"kind": "square-root-sum", "input": {"terms": terms, "checkEvery": every}}
        status, job = server.json("POST", "/v1/jobs", body)
        if status != 202:
            raise RuntimeError(f"starting was answered with {status}: {job}")
        path = f"/v1/jobs/{job['jobID']}/runs/{job['runID']}"
        run = wait_until(lambda: ended(server.json("GET", path)[1]), "the sum is there", 120, interval=0.1)
    if run["state"] != "succeeded":
        raise RuntimeError(f"the run is {run['state']}")
    seconds = (moment(run["finishedAt"]) - moment(run["startedAt"])).total_seconds()
    return {"nanosecondsPerTerm": seconds / terms * 1e9, "seconds": seconds, "terms": terms}


def ended(run):
    return run if run["state"] in ("succeeded", "failed", "cancelled", "timedOut", "lost") else None


def moment(text):
    return datetime.fromisoformat(text)


def section(results):
    runs = results["runs"]
    rows, targets = [], []
    for threads in THREADS:
        usual, seldom = (chosen(runs, "runcast", threads=threads, checkEvery=every) for every in (USUAL, SELDOM))
        bound = [limit_as_run(run, threads) for run in chosen(runs, "limit") if "measured" in run]
        rows.append(
            (
                threads, range_text(bound, PER_TERM), range_text(usual, PER_TERM),
                ratio_text(usual, bound, PER_TERM), ratio_text(usual, seldom, PER_TERM),
                number(middle(usual, "seconds")),
            )
        )  # fmt: skip
        for what, others, most in (("the limit", bound, 1.15), ("without cancellation checks", seldom, 1.01)):
            ratio = middle_ratio(usual, others, PER_TERM)
            label = f"square-root-sum, {threads} core{'s' * (threads == 'all')}: ns per term / {what}"
            targets.append(at_most(label, ratio, most))
    header = ("cores", "limit ns/term", "runcast ns/term", "× limit", "× without cancellation checks", "seconds")
    return Section(
        "The computation",
        "`square-root-sum` from its run's own start to its end, against the machine's widest vector square root and "
        f"add. Cancellation is looked at every {USUAL:,} terms, or every 2^40.",
        [Table(header, rows)], [], targets,
    )  # fmt: skip


def limit_as_run(run, threads):
    """A run of the limit under the name that runcast's runs have for the same figure."""
    return {**run, "measured": {PER_TERM: run["measured"][LIMIT_OF[threads]]}}


PER_TERM = "nanosecondsPerTerm"
#: The limit program's own names.
LIMIT_OF = {"one": "oneCoreNanosecondsPerTerm", "all": "allCoresNanosecondsPerTerm"}
