"""What a scenario has to say, before it becomes text."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Target:
    """One promise and what became of it. `met`: None where it could not be measured."""

    name: str
    wanted: str
    measured: str
    met: bool | None


@dataclass(frozen=True)
class Table:
    header: tuple
    rows: list  # of tuples of text, as long as the header
    caption: str = ""


@dataclass(frozen=True)
class Plot:
    """Lines over a logarithmic x axis, or bars when the x values are text."""

    name: str  # of the file: performance-<name>.svg
    title: str
    x: str
    y: str
    series: dict  # label: [(x, y), ...]


@dataclass(frozen=True)
class Section:
    title: str
    text: str
    tables: list = field(default_factory=list)
    plots: list = field(default_factory=list)
    targets: list = field(default_factory=list)


def at_most(name, measured, bound, unit=""):
    """A target that a figure must not exceed. `measured` None: it was not measured."""
    return _target(name, measured, bound, unit, "<=", lambda: measured <= bound)


def at_least(name, measured, bound, unit=""):
    """A target that a figure must reach."""
    return _target(name, measured, bound, unit, ">=", lambda: measured >= bound)


def holds(name, wanted, measured, met):
    """A target that is not a figure."""
    return Target(name, wanted, measured, met)


def _target(name, measured, bound, unit, relation, is_met):
    wanted = f"{relation} {bound:g}{unit}"
    if measured is None:
        return Target(name, wanted, "not measured", None)
    return Target(name, wanted, f"{number(measured)}{unit}", is_met())


def number(value):
    """Three significant digits, thousands apart; a dash for what is not there."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    if abs(value) >= 0.1:
        return f"{value:.2f}"
    return f"{value:.3g}"
