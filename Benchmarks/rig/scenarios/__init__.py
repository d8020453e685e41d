"""What is measured, one module each: `NAME`, `measure(rig)`, and `section(results)` of the report."""

from importlib import import_module

#: In the order of the report.
NAMES = (
    "broadcast", "crowd", "saturation", "threads", "targeted", "growth", "connections", "overload", "slow",
    "compression", "leave", "rest", "cancel", "square_roots", "accepting", "publishing", "replay",
)  # fmt: skip


def named(name):
    """The module of a scenario; square-roots may be written as square_roots too."""
    return import_module(f"scenarios.{name.replace('-', '_')}")
