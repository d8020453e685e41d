"""10,000 subscribers: what do they cost while they come, while they wait, and when an event goes to all?"""

from medians import chosen, middle, middle_ratio
from report.section import Section, Table, at_least, at_most, number
from rig import ONE_CORE
from scenarios.shared import MICROSECONDS, delivery_table, milliseconds, range_text, ratio_text, servers_of
from servers import ALL

NAME = "crowd"
#: Connecting 10,000 takes it longer than all others together: one round of it is enough.
ONCE = ("sse-starlette",)


def measure(rig):
    effort = rig.effort
    cell = {"subscribers": effort.crowd}
    for round in range(1, effort.rounds + 1):
        for kind in rig.present(ALL):
            if kind.name in ONCE and (round > 1 or effort.name != "full"):
                continue
            rig.measure(
                kind, cell, round, ONE_CORE, after=note_idle,
                subscribers=effort.crowd, rate=1, warmup=1, duration=2 * effort.seconds, drain=5,
                settle=0.5,
            )  # fmt: skip


def note_idle(_, measured):
    """Memory per idle subscription, in bytes: what connecting added, over the number of subscribers."""
    added = measured["rssConnectedKiB"] - measured["rssBeforeKiB"]
    measured["idleBytes"] = added * 1024 / measured["ready"]


def section(results):
    runs = results["runs"]
    crowd = results["runs"][0]["cell"]["subscribers"]
    rows = []
    for name in servers_of(runs):
        mine = chosen(runs, name)
        rows.append(
            (
                name,
                range_text(mine, "idleBytes", 1 / 1024),
                range_text(mine, "connectsPerSecond"),
                ratio_text(mine, chosen(runs, "nchan"), "connectsPerSecond"),
                number(middle(mine, "connectCPUMicroseconds")),
                milliseconds(middle(mine, "firstByteMicroseconds.p50")),
                milliseconds(middle(mine, "firstByteMicroseconds.p99")),
            )
        )
    header = (
        "", "KiB per idle subscription", "connects/s", "× nchan", "CPU µs/connect", "first byte p50 ms",
        "first byte p99 ms",
    )  # fmt: skip
    runcast, floor, nchan = (chosen(runs, name) for name in ("runcast", "floor", "nchan"))
    idle = middle(runcast, "idleBytes")
    p99 = "latencyMicroseconds.p99"
    targets = [
        at_most(f"{crowd:,} subscribers: CPU per event / floor's", middle_ratio(runcast, floor, MICROSECONDS), 1.10),
        at_most(f"{crowd:,} subscribers: p99 of delivery / nchan's", middle_ratio(runcast, nchan, p99), 1.0),
        at_most(f"{crowd:,} subscribers: RSS per idle one", None if idle is None else idle / 1024, 1.5, " KiB"),
        at_least(
            f"{crowd:,} subscribers: connects/s / nchan's", middle_ratio(runcast, nchan, "connectsPerSecond"), 1.0
        ),
    ]
    return Section(
        f"{crowd:,} subscribers",
        "One event a second to all, server on one core. The client connects with 128 in flight. RSS of runcast "
        "includes all that the hub keeps. sse-starlette takes part in one round only, since connecting takes it "
        "so long.",
        [delivery_table(runs, {}, "1 event/s to all"), Table(header, rows, "Connecting and waiting")],
        [], targets,
    )  # fmt: skip
