"""How many events a second does one topic record, each before its answer, and what does the disk allow?"""

import time

from children import cpu_seconds
from medians import chosen, middle, middle_ratio, total
from posting import output_of, post
from readers import Readers
from report.section import Section, Table, at_least, holds, number
from rig import ONE_CORE
from scenarios.shared import milliseconds, range_text, ratio_text
from servers import Redis, Runcast
from servers.runcast import FULL, MEMORY, NORMAL

NAME = "publishing"
SUBSCRIBERS = 1_000
PUBLISHERS = (1, 64)
STORES = (FULL, NORMAL, MEMORY)
FLOOR = "fdatasync"
DATA = {"text": "x" * 280}  # about 300 bytes of JSON
DATA_BYTES = len('{"text":""}') + 280
BODY = {"data": DATA}
#: So that nothing is dropped while it is counted.
BOUNDS = ("--keep-events", 10_000_000, "--keep-bytes", "16G", "--max-store-size", "32G")
COMMITS = "runcast_store_commits_total"
DRAIN = 30  # seconds until the last subscriber must have the last event
WANTED = 10_000  # events a second with FULL and 64 publishers


def measure(rig):
    if Runcast.name in rig.unavailable:
        return
    for round in range(1, rig.effort.store_rounds + 1):
        for publishers in PUBLISHERS:
            rig.record({"publishers": publishers, "subscribers": 0}, FLOOR, round, floor, publishers)
            if Redis.name not in rig.unavailable:
                rig.record({"publishers": publishers, "subscribers": 0}, Redis.name, round, adding, publishers)
            for subscribers in (0, SUBSCRIBERS):
                for store in STORES:
                    cell = {"publishers": publishers, "subscribers": subscribers}
                    rig.record(cell, store, round, publishing, store, publishers, subscribers)


def floor(rig, group):
    """Events a second that a loop of write and fdatasync records, so many events at a time."""
    folder = rig.folder / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        rig.program("commit-floor"), "--folder", folder, "--bytes", DATA_BYTES, "--group", group,
        "--milliseconds", round(rig.effort.store_seconds * 1000),
    ]  # fmt: skip
    found = output_of(command, folder / "commit-floor.log", rig.cores(ONE_CORE)[0])
    return {"acceptedPerSecond": found["eventsPerSecond"], "answerMicroseconds": found["commitMicroseconds"]}


def adding(rig, publishers):
    with rig.server(Redis, ONE_CORE) as server:
        return server.add(DATA_BYTES, publishers, rig.effort.store_seconds)


def publishing(rig, store, publishers, subscribers):
    """What is accepted in a few seconds, and whether every subscriber has got exactly that."""
    with rig.server(Runcast, ONE_CORE, options=BOUNDS, store=store) as server:
        server.make_topics(["bench"])
        post(rig, server, ONE_CORE, server.publish_path(), BODY, publishers, seconds=0.3)
        if not subscribers:
            return posting(rig, server, publishers)
        seconds = round(rig.effort.store_seconds + DRAIN)
        with Readers(rig, server, ONE_CORE, server.subscribe_path(), subscribers, seconds=seconds) as readers:
            measured = posting(rig, server, publishers)
            began = time.monotonic()
            _, last = server.json("POST", server.publish_path(), BODY)
            number_of_last = int(last["id"].rpartition("-")[2])
            received = readers.report((number_of_last, measured["accepted"] + 1))
            return {
                **measured, "delivered": received["events"], "announcedGaps": received["gaps"],
                "readers": received["readers"], "exact": received["exact"], "drainSeconds": time.monotonic() - began,
            }  # fmt: skip


def posting(rig, server, publishers):
    before, earlier = cpu_seconds(server.pids()), server.metrics()
    posted = post(rig, server, ONE_CORE, server.publish_path(), BODY, publishers, rig.effort.store_seconds)
    used, later = cpu_seconds(server.pids()) - before, server.metrics()
    commits = later.get(COMMITS, 0) - earlier.get(COMMITS, 0)
    return {
        **posted, "refused": posted["sent"] - posted["accepted"], "cpuMicroseconds": used / posted["accepted"] * 1e6,
        "eventsPerCommit": posted["accepted"] / max(1, commits),
    }  # fmt: skip


def section(results):
    runs = results["runs"]
    tables = [
        table(runs, publishers, subscribers) for subscribers in (0, SUBSCRIBERS) for publishers in PUBLISHERS
    ]
    most = {"publishers": max(PUBLISHERS), "subscribers": 0}
    full, normal, memory, disk = (chosen(runs, name, **most) for name in (FULL, NORMAL, MEMORY, FLOOR))
    followed = [run for run in chosen(runs, subscribers=SUBSCRIBERS) if run["server"] in (FULL, NORMAL)]
    exact, there = total(followed, "exact"), total(followed, "readers")
    rate, what, where = "acceptedPerSecond", "Events published a second", f"{most['publishers']} publishers"
    return Section(
        "Publishing to a recorded topic",
        f"Publishers post events of {DATA_BYTES} bytes, each again as soon as it has its answer, server on one core. "
        "full, normal and memory are runcast's durability. fdatasync is what the disk allows: a loop that writes the "
        "same bytes and waits until they are on the disk, one or 64 events at a time; its p50 and p99 are of one "
        "such commit. Redis, if it is installed, adds to a stream, with appendfsync always. With subscribers, each has "
        "to get every event, once and in order, which is counted; with memory alone there may be gaps, since who is more "
        "than 1,024 events behind finds nothing to read on from.",
        tables, [],
        [
            at_least(f"{what}, full, {where}", middle(full, rate), WANTED),
            at_least(f"{what}, full, {where} / fdatasync of 64", middle_ratio(full, disk, rate), 0.5),
            at_least(f"{what}, normal, {where} / memory", middle_ratio(normal, memory, rate), 0.5),
            holds(
                "Subscribers that got every recorded event once and in order", "all", f"{exact:,} of {there:,}",
                exact == there if there else None,
            ),
        ],
    )  # fmt: skip


def table(runs, publishers, subscribers):
    cell = {"publishers": publishers, "subscribers": subscribers}
    memory, disk = chosen(runs, MEMORY, **cell), chosen(runs, FLOOR, publishers=publishers, subscribers=0)
    rows = [
        (
            name, range_text(mine, "acceptedPerSecond"), ratio_text(mine, disk, "acceptedPerSecond"),
            ratio_text(mine, memory, "acceptedPerSecond"),
            milliseconds(middle(mine, "answerMicroseconds.p50")), milliseconds(middle(mine, "answerMicroseconds.p99")),
            range_text(mine, "cpuMicroseconds"),
            number(middle(mine, "eventsPerCommit")) if name in (FULL, NORMAL) else "–",
            number(middle(mine, "drainSeconds")), fault_text(mine),
        )
        for name in (*STORES, FLOOR, Redis.name)
        if (mine := chosen(runs, name, **cell))
    ]  # fmt: skip
    header = (
        "", "events/s", "× fdatasync", "× memory", "p50 ms", "p99 ms", "CPU µs/event", "events per commit",
        "s to the last delivery", "faults",
    )  # fmt: skip
    of = "publisher" if publishers == 1 else "publishers"
    to = f"{subscribers:,} subscribers" if subscribers else "nobody follows"
    return Table(header, rows, f"{publishers} {of}, {to}")


def fault_text(runs):
    failed = sum("failure" in run for run in runs)
    found = [f"{failed} of {len(runs)} runs failed"] if failed else []
    if refused := total(runs, "refused"):
        found.append(f"{refused:,} refused")
    if lacking := total(runs, "readers") - total(runs, "exact"):
        found.append(f"{lacking:,} subscribers without exactly what was published")
    return ", ".join(found) or "none"
