"""A long log after a restart: how soon is the server there, how fast is the log read, what does a slow reader cost?"""

import shutil
import subprocess
import time

import stored_log
from children import cpu_seconds, wait_until_quiet
from medians import chosen, middle, total
from memory import PeakMemory
from posting import post
from readers import Readers
from report.section import Section, Table, at_least, at_most, holds, number
from rig import FREE, ONE_CORE
from scenarios.overload import megabytes
from scenarios.shared import range_text
from servers import Runcast

NAME = "replay"
MANY = 10
#: name: (readers, share of the log that each reads, whether each begins elsewhere)
WAYS = {
    "1 reader": (1, 1, False),
    f"{MANY} at the same place": (MANY, 1 / 5, False),
    f"{MANY} at different places": (MANY, 1 / MANY, True),
}
SLOW = "a slow reader"
SLOW_RATE, SLOW_BUFFER = 5_000_000, 32 * 1024  # bytes/s; SO_RCVBUF, in bytes
BYTES_PER_EVENT = 340  # on the wire, about
AFTER_STOP, AFTER_KILL = "after a stop", "after kill -9"
LAST_WORDS = 5_000  # events published before a kill
PATIENCE = 120  # seconds for one replay
WANTED_RATE = 300_000  # events a second of CPU time
WANTED_START = 1  # s
WANTED_GROWTH = 16  # MiB


def measure(rig):
    if Runcast.name in rig.unavailable:
        return
    effort, folder = rig.effort, rig.folder / "stored"
    made = []

    def make(_):
        made.append(stored_log.make(rig, folder, effort.stored_events, effort.stored_jobs))
        return {
            "events": effort.stored_events, "jobs": effort.stored_jobs, "seconds": made[0].seconds,
            "bytes": made[0].bytes_on_disk(),
        }  # fmt: skip

    try:
        rig.record({"part": "making"}, Runcast.name, 1, make)
        if made:
            measure_on(rig, made[0])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure_on(rig, log):
    for round in range(1, rig.effort.store_rounds + 1):
        rig.record({"part": AFTER_STOP}, Runcast.name, round, starting, log, False)
        for way, (readers, share, is_apart) in WAYS.items():
            each = int(log.events * share)
            places = [i * each if is_apart else 0 for i in range(readers)]
            rig.record({"part": way}, Runcast.name, round, replaying, log, places, each)
        rig.record({"part": AFTER_KILL}, Runcast.name, round, starting, log, True)
    events = min(log.events, rig.effort.slow_bytes // BYTES_PER_EVENT)
    rig.record({"part": SLOW}, Runcast.name, 1, replaying, log, [0], events, (SLOW_RATE, SLOW_BUFFER))
    if "runcast doctor" in subprocess.run([rig.runcast, "--help"], capture_output=True, text=True, timeout=10).stdout:
        rig.record({"part": "doctor"}, Runcast.name, 1, examining, log)


def starting(rig, log, after_kill):
    """From exec to readiness; before a kill some more is published."""
    server = stored_log.server_on(rig, log.folder, FREE)
    if after_kill:
        with stored_log.server_on(rig, log.folder, FREE) as earlier:
            path = earlier.publish_path(stored_log.TOPIC)
            body = {"data": stored_log.DATA}
            post(rig, earlier, FREE, path, body, stored_log.CONNECTIONS, requests=LAST_WORDS)
            earlier.child.kill()
    try:
        return stored_log.started(server)
    finally:
        if server.child:
            server.child.stop()


def replaying(rig, log, places, events, slow=()):
    """`places`: how far behind the first event each reader begins; each wants `events`."""
    with stored_log.server_on(rig, log.folder, ONE_CORE) as server:
        pids = server.pids()
        wait_until_quiet(pids)
        path = server.subscribe_path(topic=stored_log.TOPIC)
        before = cpu_seconds(pids)
        with PeakMemory(pids) as memory:
            with Readers(
                rig, server, ONE_CORE, path, len(places), events, PATIENCE,
                ids=[log.id_behind(place) for place in places], slow=slow,
            ) as readers:  # fmt: skip
                read = readers.report()
            used = cpu_seconds(pids) - before
    return {
        **read, "cpuMicroseconds": used / max(1, read["events"]) * 1e6, "eventsPerCPUSecond": read["events"] / used,
        "growthKiB": memory.growth_kib, "rssKiB": memory.first_kib,
    }  # fmt: skip


def examining(rig, log):
    began = time.monotonic()
    command = [rig.runcast, "doctor", "--data-dir", log.folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 0:
        raise RuntimeError(f"doctor ended with {done.returncode}: {done.stdout[-200:]}{done.stderr[-200:]}")
    return {"seconds": time.monotonic() - began}


def section(results):
    runs = results["runs"]
    making, slow = chosen(runs, part="making"), chosen(runs, part=SLOW)
    parts = {way: chosen(runs, part=way) for way in (*WAYS, SLOW)}
    replayed = [run for mine in parts.values() for run in mine]
    exact, there = total(replayed, "exact"), total(replayed, "readers")
    growth, one = middle(slow, "growthKiB"), parts["1 reader"]
    targets = [
        at_least("Replay, 1 reader: events per second of CPU time", middle(one, "eventsPerCPUSecond"), WANTED_RATE),
        holds(
            "Replay: readers that got every event once and in order", "all", f"{exact:,} of {there:,}",
            exact == there if there else None,
        ),
        *(
            at_most(f"Start with the whole log, {when}", seconds, WANTED_START, " s")
            for when in (AFTER_STOP, AFTER_KILL)
            for seconds in [middle(chosen(runs, part=when), "readySeconds")]
        ),
        at_most(
            "Growth of RSS while a slow reader replays", None if growth is None else growth / 1024, WANTED_GROWTH,
            " MiB",
        ),
    ]  # fmt: skip
    return Section(
        "Replay and start",
        f"A store holds {number(middle(making, 'events'))} events of about 300 bytes in one topic and "
        f"{number(middle(making, 'jobs'))} finished jobs, {number(millions(middle(making, 'bytes')))} MB. After a "
        "restart readers resume far back, server on one core; all is in the system's page cache. The slow reader takes "
        f"{SLOW_RATE / 1e6:g} MB/s and has a small receive buffer. A start is from exec to the first 200 of /readyz, "
        f"not pinned; before a kill -9 {LAST_WORDS:,} more events are published.",
        [replay_table(parts), start_table(runs)], [], targets,
    )  # fmt: skip


def replay_table(parts):
    rows = [
        (
            way, number(middle(mine, "events")), range_text(mine, "eventsPerSecond", 1 / 1000),
            range_text(mine, "bytesPerSecond", 1e-6), range_text(mine, "cpuMicroseconds"),
            number(milliseconds(middle(mine, "firstEventSeconds"))),
            megabytes(middle(mine, "rssKiB")), megabytes(middle(mine, "growthKiB")), fault_text(mine),
        )
        for way, mine in parts.items()
        if mine
    ]  # fmt: skip
    header = (
        "", "events", "thousand events/s", "MB/s", "CPU µs/event", "first event ms", "RSS before MiB", "growth MiB",
        "faults",
    )  # fmt: skip
    return Table(header, rows, "Replay")


def start_table(runs):
    rows = [
        (when, range_text(mine, "readySeconds"), megabytes(middle(mine, "rssKiB")))
        for when in (AFTER_STOP, AFTER_KILL)
        if (mine := chosen(runs, part=when))
    ]
    if doctor := chosen(runs, part="doctor"):
        rows.append(("runcast doctor", range_text(doctor, "seconds"), "–"))
    return Table(("", "seconds", "RSS MiB"), rows, "Start")


def fault_text(runs):
    found = [f"{run['failure']}" for run in runs if "failure" in run]
    if lacking := total(runs, "readers") - total(runs, "exact"):
        found.append(f"{lacking:,} readers without exactly what is stored")
    return ", ".join(found) or "none"


def millions(value):
    return None if value is None else value / 1e6


def milliseconds(seconds):
    return None if seconds is None else seconds * 1000
