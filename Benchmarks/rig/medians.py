"""Medians over rounds, and ratios taken pair by pair within a round. Pure functions on lists of runs.

A run is a dictionary: `cell` (what was varied, a dictionary), `server`, `round`, and either `measured` or
`failure`. What disturbs the machine for a while then disturbs both sides of a pair.
"""

from statistics import median


def field(run, path):
    """The number at a dotted path in what a run measured; None if it is not there, or the run failed."""
    value = run.get("measured")
    for name in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def chosen(runs, server=None, **cell):
    """The runs of one server (or of all) whose cell has these values."""
    return [
        run
        for run in runs
        if (server is None or run["server"] == server)
        and all(run["cell"].get(name) == value for name, value in cell.items())
    ]


def values(runs, path):
    """What the runs measured, without those that did not."""
    return [value for run in runs if (value := field(run, path)) is not None]


def middle(runs, path):
    """The median over rounds; None without a value."""
    found = values(runs, path)
    return median(found) if found else None


def paired_ratios(runs, others, path):
    """run/other for each round that both have, in the order of rounds. Others of zero are left out."""
    theirs = {run["round"]: field(run, path) for run in others}
    return [
        mine / theirs[run["round"]]
        for run in sorted(runs, key=lambda run: run["round"])
        if (mine := field(run, path)) is not None and theirs.get(run["round"])
    ]


def middle_ratio(runs, others, path):
    """The median of the paired ratios; None without a pair."""
    ratios = paired_ratios(runs, others, path)
    return median(ratios) if ratios else None


def total(runs, path):
    """The sum over all rounds: for counts of errors, of which a median would hide some."""
    return sum(values(runs, path))


def pooled(runs, path):
    """The samples of all rounds together, where each run kept a list of them."""
    return [sample for samples in values(runs, path) for sample in samples]


def percentile(samples, percent):
    """The smallest sample that at least so many percent do not exceed (nearest rank); None without samples."""
    if not samples:
        return None
    ordered = sorted(samples)
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(0, int(rank) - 1)]


def spread(samples):
    """p50, p99 and the largest of raw samples, as the load client reports its own."""
    return {"p50": percentile(samples, 50), "p99": percentile(samples, 99), "max": max(samples, default=None)}
