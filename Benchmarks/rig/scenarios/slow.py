"""One client among 1,000 that does not read, or hardly: do the others notice, and what becomes of it?"""

from medians import chosen, middle, middle_ratio, total
from report.section import Section, Table, at_most, holds, number
from rig import ONE_CORE
from scenarios.overload import megabytes
from scenarios.shared import fault_text, milliseconds
from servers import Runcast

NAME = "slow"
SUBSCRIBERS = 1_000
SIZE = 2_000  # bytes of an event
RATE = 40  # events/s
STALL_BOUND = 2  # seconds without a byte accepted until a client is cut off, in one of the variants
NOTICED = 1.25  # the others' p99 may grow by this factor and still count as unchanged
#: name: (policy, stuck clients, options of the server)
VARIANTS = {
    "none stuck": ("all", 0, ()),
    "one stuck, all": ("all", 1, ()),
    "one stuck, latest": ("latest", 1, ()),
    f"one stuck, all, stall bound {STALL_BOUND} s": ("all", 1, ("--stall-timeout", f"{STALL_BOUND}s")),
}
TRICKLE = "one slow reader, latest"


def measure(rig):
    effort = rig.effort
    if Runcast.name in rig.unavailable:
        return
    for round in range(1, effort.rounds + 1):
        for name, (policy, stuck, options) in VARIANTS.items():
            rig.measure(
                Runcast, {"variant": name}, round, ONE_CORE, options=options, after=note_metrics,
                subscribers=SUBSCRIBERS, rate=RATE, size=SIZE, policy=policy, stuck=stuck,
                warmup=effort.warmup, duration=max(4, 2 * effort.seconds), settle=0.5,
            )  # fmt: skip
    # What the kernel holds for it at that moment, about 100 KB, has to go through first.
    rig.measure(
        Runcast, {"variant": TRICKLE}, 1, ONE_CORE, after=note_metrics,
        subscribers=20, rate=RATE, size=SIZE, policy="latest", slow=1, slow_bytes_per_second=effort.trickle,
        warmup=0, duration=2 * effort.seconds, drain=130_000 / effort.trickle,
    )  # fmt: skip


def note_metrics(server, measured):
    measured["metrics"] = server.metrics()
    measured["growthKiB"] = measured["rssPeakKiB"] - measured["rssConnectedKiB"]


def section(results):
    runs = results["runs"]
    rows = []
    for name in (*VARIANTS, TRICKLE):
        mine = chosen(runs, variant=name)
        rows.append(
            (
                name, *(milliseconds(middle(mine, f"latencyMicroseconds.{p}")) for p in ("p50", "p99")),
                megabytes(middle(mine, "rssConnectedKiB")), megabytes(middle(mine, "rssPeakKiB")),
                *(of_the_one(mine, count) for count in ("conflated", "gaps", "announcedGaps", "closed")),
                *(counted(mine, word) for word in ("conflated", "gap", "stalled")), fault_text(mine),
            )
        )  # fmt: skip
    none, *stuck = (chosen(runs, variant=name) for name in VARIANTS)
    targets = [
        at_most(
            f"{name}: the others' p99 / without", middle_ratio(mine, none, "latencyMicroseconds.p99"), NOTICED
        )
        for name, mine in zip(list(VARIANTS)[1:], stuck, strict=True)
    ]
    cut = sum("runcast_stream_stalled_total" in run.get("measured", {}).get("metrics", {}) for run in stuck[-1])
    disconnected = sum(
        run.get("measured", {}).get("metrics", {}).get("runcast_stream_stalled_total", 0) for run in stuck[-1]
    )
    targets.append(
        holds(
            "A stuck client is cut off after the stall bound, and counted", "every time",
            f"{disconnected:.0f} of {len(stuck[-1])}", disconnected == len(stuck[-1]) if cut else None,
        )
    )  # fmt: skip
    trickle = chosen(runs, variant=TRICKLE)
    newest, there = total(trickle, "slow.upToDate"), total(trickle, "slow.count")
    targets.append(
        holds(
            f"A reader of {bytes_per_second(results)} on `latest` ends with the newest value", "yes",
            f"{newest} of {there}", newest == there if there else None,
        )
    )  # fmt: skip
    header = (
        "", "others' p50 ms", "p99 ms", "RSS idle MiB", "peak", "the one: conflated", "skipped", "gap events",
        "closed", "metrics: conflated", "gaps", "cut off", "faults of the others",
    )  # fmt: skip
    return Section(
        "Slow and stuck clients",
        f"{RATE} events a second of {SIZE:,} bytes to {SUBSCRIBERS:,} subscribers, server on one core. What became "
        "of the one that is slow or stuck is the client's count, once it reads again at the end; metrics are "
        "runcast's own counters.",
        [Table(header, rows)], [], targets,
    )  # fmt: skip


def of_the_one(runs, count):
    """The median of a count of the stuck or slow client; a dash if there was none."""
    stuck = middle(runs, f"stuck.{count}")
    return number(middle(runs, f"slow.{count}") if stuck is None else stuck)


def counted(runs, word):
    """The median of the metric whose name has this word; a dash without one."""
    found = []
    for run in runs:
        metrics = run.get("measured", {}).get("metrics", {})
        matching = [value for name, value in metrics.items() if word in name and "_total" in name]
        found += [sum(matching)] if matching else []
    return number(sorted(found)[len(found) // 2]) if found else "–"


def bytes_per_second(results):
    return f"{results['effort']['trickle']:,} bytes/s"
