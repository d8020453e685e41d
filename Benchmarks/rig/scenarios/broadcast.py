"""One event to 1,000 subscribers, again and again: what does delivering one cost?"""

from medians import chosen, middle, middle_ratio
from report.section import Plot, Section, at_most
from rig import FREE, ONE_CORE
from scenarios.shared import MICROSECONDS, deliveries, delivery_table
from servers import ALL, BY_NAME

NAME = "broadcast"
SUBSCRIBERS = 1_000
#: Where the server and the client share two cores freely, three servers are enough to see what it changes.
FREELY = ("floor", "runcast", "nchan")


def measure(rig):
    effort = rig.effort
    pinnings = (ONE_CORE, FREE) if effort.name == "full" else (ONE_CORE,)
    for round in range(1, effort.rounds + 1):
        for pinning in pinnings:
            for rate in effort.rates:
                for kind in rig.present(ALL):
                    if pinning == FREE and kind.name not in FREELY:
                        continue
                    rig.measure(
                        kind, {"rate": rate, "pinning": pinning}, round, pinning,
                        subscribers=SUBSCRIBERS, rate=rate, warmup=effort.warmup, duration=effort.seconds,
                    )  # fmt: skip


def section(results):
    runs = results["runs"]
    cells = deliveries(runs, ("pinning", "rate"))
    targets = []
    for cell in cells:
        runcast = chosen(runs, "runcast", **cell)
        where = f"Broadcast, {cell['rate']} events/s, {cell['pinning']}: CPU per event"
        for other, bound in (("floor", 1.10), ("nchan", 0.75)):
            ratio = middle_ratio(runcast, chosen(runs, other, **cell), MICROSECONDS)
            targets.append(at_most(f"{where} / {other}'s", ratio, bound))
    tables = [
        delivery_table(runs, cell, f"{cell['rate']} events/s, {cell['pinning']}") for cell in cells
    ]
    series = {
        f"{cell['rate']}/s, {cell['pinning']}": [
            (name, cost)
            for name in BY_NAME
            if (cost := middle(chosen(runs, name, **cell), MICROSECONDS)) is not None
        ]
        for cell in cells
    }
    plot = Plot("broadcast", "1,000 subscribers", "server", "CPU µs per delivered event", series)
    return Section(
        "Broadcast to 1,000 subscribers",
        "Each event goes to 1,000 subscribers. CPU is the server's, from the first measured event to the last "
        "delivery, publishing included.",
        tables, [plot], targets,
    )  # fmt: skip
