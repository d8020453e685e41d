"""Measures Runcast beside its peers. `python Benchmarks/rig --help` says how to choose what."""

import argparse
import contextlib
import datetime
import os
import signal
import sys
import time
from pathlib import Path

import machine
import results
import scenarios
import servers
from effort import FULL, QUICK
from report import document, terminal
from rig import Rig
from servers.nchan import Nginx
from servers.server import Unavailable

ROOT = Path(__file__).resolve().parents[2]


def main():
    arguments = parsed_arguments()
    effort = QUICK if arguments.quick else FULL
    folder = ROOT / ".build" / "bench"
    results_folder = arguments.results or folder / ("results-quick" if arguments.quick else "results")
    names = [name.replace("-", "_") for name in arguments.only] or scenarios.NAMES
    if not arguments.report_only:
        runcast = Path(os.environ.get("RUNCAST_BINARY", ROOT / ".build" / "release" / "runcast")).resolve()
        rig = Rig(ROOT, folder, results_folder, runcast, effort)
        with stopped_in_order(effort.time_limit * 60):
            measure(rig, names)
    show(results_folder, names)
    if arguments.write:
        document.write(ROOT, results_folder)
    return 0


def parsed_arguments():
    names = [name.replace("_", "-") for name in scenarios.NAMES]
    parser = argparse.ArgumentParser(prog="Benchmarks/rig", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one round of short runs, and less of everything")
    parser.add_argument("--only", nargs="+", default=[], choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--report-only", action="store_true", help="measure nothing; show the results that are there")
    parser.add_argument("--write", action="store_true", help="rewrite docs/performance.md and its plots")
    parser.add_argument("--results", type=Path, metavar="FOLDER", help="other than .build/bench/results[-quick]")
    arguments = parser.parse_args()
    if arguments.quick and arguments.write:
        parser.error("--quick measures too little for docs/performance.md: leave out --quick, or --write")
    return arguments


def measure(rig, names):
    look_for_servers(rig)
    description = machine.description(ROOT, rig.runcast)
    for name in names:
        print(f"{name.replace('_', '-')}:", file=sys.stderr)
        rig.runs = []
        began, started = datetime.datetime.now(datetime.UTC), time.monotonic()
        scenarios.named(name).measure(rig)
        results.save(
            rig.results, name, description, vars(rig.effort), began.isoformat(timespec="seconds"),
            time.monotonic() - started, rig.runs,
        )  # fmt: skip


def look_for_servers(rig):
    """Notes which servers can't be started here; without the two that all else is compared with, it is an error."""
    for kind in (*servers.ALL, Nginx, servers.Redis):
        try:
            kind.check(rig)
        except Unavailable as reason:
            if kind in (servers.Floor, servers.Runcast):
                raise SystemExit(f"benchmark: {reason}") from None
            print(f"benchmark: without {kind.name}: {reason}", file=sys.stderr)
            rig.unavailable[kind.name] = str(reason)


@contextlib.contextmanager
def stopped_in_order(time_limit):
    """Turns SIGINT, SIGTERM and the end of the time limit, in seconds, into an exception: every server is stopped."""

    def stop(number, _):
        raise SystemExit(f"benchmark: stopped by {signal.Signals(number).name}")

    def give_up(*_):
        raise SystemExit(f"benchmark: not done within {time_limit / 60:.0f} minutes")

    # SIGINT too: where it was ignored at the start, as in a shell's background, Python leaves it so.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(int(time_limit))
    try:
        yield
    finally:
        signal.alarm(0)


def show(folder, names):
    measured = document.sections(folder, names)
    for _, section in measured:
        print(terminal.section(section), end="\n\n")
    print(terminal.targets([target for _, section in measured for target in section.targets]))


if __name__ == "__main__":
    sys.exit(main())
