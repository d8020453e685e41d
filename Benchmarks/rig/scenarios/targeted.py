"""One event for one subscriber: does it cost more among 10,000 others than among 100?"""

from medians import chosen, middle, middle_ratio
from report.section import Section, Table, at_most, number
from rig import ONE_CORE
from scenarios.shared import MICROSECONDS, UNDISTURBED, fault_text, milliseconds, ratio_text
from servers import Nchan, Runcast

NAME = "targeted"
FEW = 100
RATE = 500  # events/s in total, each to one subscriber


def measure(rig):
    effort = rig.effort
    for round in range(1, effort.rounds + 1):
        for subscribers in (FEW, effort.crowd):
            for kind in rig.present((Runcast, Nchan)):
                rig.measure(
                    kind, {"subscribers": subscribers}, round, ONE_CORE, options=UNDISTURBED,
                    subscribers=subscribers, topic="bench/%d", topics=subscribers, rate=RATE,
                    warmup=effort.warmup, duration=effort.seconds,
                )  # fmt: skip


def section(results):
    runs = results["runs"]
    crowd = max(run["cell"]["subscribers"] for run in runs)
    rows, ratios = [], {}
    for name in ("runcast", "nchan"):
        few, many = chosen(runs, name, subscribers=FEW), chosen(runs, name, subscribers=crowd)
        ratios[name] = middle_ratio(many, few, MICROSECONDS)
        rows.append(
            (
                name, number(middle(few, MICROSECONDS)), number(middle(many, MICROSECONDS)),
                ratio_text(many, few, MICROSECONDS), milliseconds(middle(many, "latencyMicroseconds.p50")),
                milliseconds(middle(many, "latencyMicroseconds.p99")), fault_text(few + many),
            )  # fmt: skip
        )
    header = (
        "", f"CPU µs/event among {FEW}", f"among {crowd:,}", "ratio", "p50 ms", "p99 ms", "faults",
    )  # fmt: skip
    target = at_most(f"One targeted event: CPU among {crowd:,} subscribers / among {FEW}", ratios["runcast"], 1.25)
    return Section(
        "One event for one subscriber",
        f"Each subscriber has a topic of its own; {RATE} events a second go to one topic after the other. The cost "
        "includes the publishing request. Larger tables miss the processor's caches more often, so a ratio up to "
        "1.25 counts as independent of the number.",
        [Table(header, rows)], [], [target],
    )  # fmt: skip
