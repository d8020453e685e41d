"""Tables that several scenarios have."""

from statistics import median

from medians import chosen, middle, paired_ratios, total, values
from report.section import Table, number
from search import FAULTS
from servers import BY_NAME

MICROSECONDS = "cpuMicrosecondsPerEvent"
#: Of runcast, where what comments cost is not what is asked, and topics are many.
UNDISTURBED = ("--heartbeat", "10m", "--max-topics", 20_000)


def deliveries(runs, names):
    """The distinct cells, as dictionaries of these names, in the order in which they were first measured."""
    seen = {}
    for run in runs:
        cell = {name: run["cell"][name] for name in names if name in run["cell"]}
        seen.setdefault(tuple(cell.items()), cell)
    return list(seen.values())


def servers_of(runs):
    """The servers that took part, in the usual order."""
    there = {run["server"] for run in runs}
    return [name for name in BY_NAME if name in there]


def delivery_table(runs, cell, caption):
    """Cost, latency and faults of each server in one cell, with the ratios to the floor and to nchan."""
    rows = []
    for name in servers_of(chosen(runs, **cell)):
        mine = chosen(runs, name, **cell)
        rows.append(
            (
                name,
                number(middle(mine, MICROSECONDS)),
                ratio_text(mine, chosen(runs, "floor", **cell), MICROSECONDS),
                ratio_text(mine, chosen(runs, "nchan", **cell), MICROSECONDS),
                milliseconds(middle(mine, "latencyMicroseconds.p50")),
                milliseconds(middle(mine, "latencyMicroseconds.p99")),
                fault_text(mine),
            )
        )
    header = ("", "CPU µs/event", "× floor", "× nchan", "p50 ms", "p99 ms", "faults")
    return Table(header, rows, caption)


def ratio_text(runs, others, path):
    """The median of the paired ratios with its range: 1.05 (1.02–1.09)."""
    ratios = paired_ratios(runs, others, path)
    if not ratios:
        return "–"
    text = f"{median(ratios):.2f}"
    return text if len(ratios) == 1 else f"{text} ({min(ratios):.2f}–{max(ratios):.2f})"


def milliseconds(microseconds):
    return number(None if microseconds is None else microseconds / 1_000)


def fault_text(runs):
    """What went wrong over all rounds, or "none". Failed runs are named first."""
    found = []
    if failed := sum("failure" in run for run in runs):
        found.append(f"{failed} of {len(runs)} runs failed")
    found += [f"{count:,} {words}" for fault, words in FAULTS.items() if (count := total(runs, fault))]
    return ", ".join(found) or "none"


def range_text(runs, path, scale=1.0):
    """The median with the range over rounds."""
    found = [value * scale for value in values(runs, path)]
    if not found:
        return "–"
    if len(found) == 1:
        return number(found[0])
    return f"{number(median(found))} ({number(min(found))}–{number(max(found))})"
