"""Writes docs/performance.md and its plots from the results of all scenarios."""

import scenarios
from report import markdown, plots
from results import read

INTRODUCTION = """# Performance

Measured by `make bench`, which writes this page; [Benchmarks](../Benchmarks/README.md) says how, and how to repeat it.
Every server runs on one machine, under the same load client, in interleaved rounds: one of each server, then the next.
Figures are medians over rounds. Ratios are taken within each round and then their median, with the range in
parentheses, so what disturbs the machine for a while disturbs both sides. The absolute figures are this machine's,
where a receiver's share of the kernel's work is charged to the sender; the ratios travel better.

*floor*: a bare loop of `send` in one thread that does nothing else a server must do.
*runcast*: with `--store memory`, since the others keep nothing either, but where the store is the question.
*one core*: the server is pinned to one core and the client to another. *free*: neither is pinned.
"""


def sections(folder, names=scenarios.NAMES):
    """(results, section) of those of the scenarios that have been measured in this folder, in the report's order."""
    found = []
    for name in names:
        results = read(folder, name)
        if results is not None and results["runs"]:
            found.append((results, scenarios.named(name).section(results)))
    return found


def text(measured):
    """The whole page."""
    machines = []
    for results, _ in measured:
        machine = {name: value for name, value in results["machine"].items() if name != "commit"}
        if machine not in machines:
            machines.append(machine)
    parts = [INTRODUCTION.strip(), "## Targets"]
    targets = [target for _, section in measured for target in section.targets]
    met = sum(target.met is True for target in targets)
    parts.append(f"{met} of {len(targets)} met.")
    parts.append(markdown.target_table(targets))
    parts += [markdown.section(section, "images") for _, section in measured]
    parts.append("## The machine")
    parts += [markdown.machine(machine) for machine in machines]
    parts.append(markdown.table(("scenario", "measured", "commit", "rounds", "minutes"), [
        (
            results["scenario"].replace("_", "-"), results["began"][:10], results["machine"]["commit"],
            max(run["round"] for run in results["runs"]), f"{results['seconds'] / 60:.1f}",
        )
        for results, _ in measured
    ]))  # fmt: skip
    return "\n\n".join(parts) + "\n"


def write(root, folder):
    """Replaces docs/performance.md and docs/images/performance-*.svg."""
    measured = sections(folder)
    images = root / "docs" / "images"
    images.mkdir(parents=True, exist_ok=True)
    for old in images.glob("performance-*.svg"):
        old.unlink()
    for _, section in measured:
        for plot in section.plots:
            plots.draw(plot, images / f"performance-{plot.name}.svg")
    (root / "docs" / "performance.md").write_text(text(measured))
