"""Tables, plots and targets of what was measured at several sizes, against the floor. A run's cell has `size`."""

from medians import chosen, middle, middle_ratio, values
from report.section import Plot, Table, at_most, number
from scenarios.shared import fault_text, ratio_text

#: What a cost may grow by from the smallest size to the largest, beyond the floor's growth, and still count as flat.
FLAT = 1.25
#: Below it, what a server does once is divided by so few that it hides what each costs.
LEAST = 1_000


def sizes(runs):
    return sorted({run["cell"]["size"] for run in runs})


def size_table(runs, what, path, caption):
    """One row per size; without the floor's columns where the floor has no such figure."""
    rows = []
    for size in sizes(runs):
        floor, runcast = (chosen(runs, name, size=size) for name in ("floor", "runcast"))
        rows.append(
            (
                f"{size:,}", number(middle(floor, path)), number(middle(runcast, path)),
                ratio_text(runcast, floor, path), fault_text(floor + runcast),
            )
        )  # fmt: skip
    if not values(chosen(runs, "floor"), path):
        return Table((what, "runcast", "faults"), [(size, cost, faults) for size, _, cost, _, faults in rows], caption)
    return Table((what, "floor", "runcast", "ratio", "faults"), rows, caption)


def size_plot(name, title, x, runs, paths):
    """Lines of the floor and of runcast over the size, for each of the paths; empty ones are left out."""
    series = {}
    for label, path in paths.items():
        for server in ("floor", "runcast"):
            points = [(size, middle(chosen(runs, server, size=size), path)) for size in sizes(runs)]
            if points := [point for point in points if point[1] is not None]:
                series[f"{server} {label}".strip()] = points
    return Plot(name, title, x, "CPU µs", series)


def flat(what, runs, by, path):
    """The growth from the least size (of at least 1,000 subscribers) to the largest, over the floor's growth."""
    there = sizes(runs)
    if not there:
        return at_most(f"{what}: growth by {by}, beyond the floor's", None, FLAT)
    least = next((size for size in there if size >= LEAST), there[0]) if by == "subscribers" else there[0]
    runcast, floor = (
        middle_ratio(chosen(runs, name, size=there[-1]), chosen(runs, name, size=least), path)
        for name in ("runcast", "floor")
    )
    beyond = None if runcast is None else runcast / max(1.0, floor or 1.0)
    return at_most(f"{what}: growth from {least:,} to {there[-1]:,} {by}, beyond the floor's", beyond, FLAT)
