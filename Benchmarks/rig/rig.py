"""The context of a scenario: where things are, how much to measure, and where each run is recorded."""

import os
import sys
import time

from children import allow_many_descriptors
from load import LoadFailed, load

ONE_CORE, FREE = "one core", "free"
#: How a run may fail without ending the scenario; the report counts these.
FAILURES = (LoadFailed, OSError, RuntimeError, TimeoutError)


class Rig:
    def __init__(self, root, folder, results, runcast, effort):
        """`root`: the checkout; `folder`: for programs and logs; `results`: for JSON; `runcast`: what is measured."""
        self.root, self.folder, self.results = root, folder, results
        self.runcast, self.effort = runcast, effort
        self.descriptors = allow_many_descriptors()
        self.usable = sorted(os.sched_getaffinity(0))
        self.runs = []
        self.unavailable = {}

    def program(self, name):
        """The path of one of the C programs."""
        return self.folder / name

    def cores(self, pinning):
        """(the server's, the client's) as sets; None: wherever the system puts them."""
        if pinning == FREE:
            return None, None
        return {self.usable[0]}, {self.usable[-1]}

    def server(self, kind, pinning, **options):
        """A server to be started by `with`."""
        return kind(self, self.cores(pinning)[0], **options)

    def present(self, kinds):
        """Those of the servers that can be started here."""
        return [kind for kind in kinds if kind.name not in self.unavailable]

    def record(self, cell, server, round, measure, *arguments):
        """Calls `measure(rig, *arguments)`, keeps what it returns (or how it failed) as a run, and returns it.

        None after a failure: the other runs go on.
        """
        run = {"cell": cell, "server": server, "round": round}
        began = time.monotonic()
        try:
            run["measured"] = measure(self, *arguments)
            outcome = "ok"
        except FAILURES as failure:
            run["failure"] = f"{type(failure).__name__}: {failure}"
            outcome = run["failure"]
        self.runs.append(run)
        where = ", ".join(f"{name} {value}" for name, value in cell.items())
        print(f"  {server:14} {where}, round {round}: {outcome} ({time.monotonic() - began:.1f} s)", file=sys.stderr)
        return run.get("measured")

    def measure(self, kind, cell, round, pinning, *, options=(), after=None, **wanted):
        """One run: a fresh server under load. Recorded under the server's name.

        options   of `runcast serve`; other servers have none
        after     called with (server, measured) before the server is stopped, to add to what was measured
        """

        def run(_):
            special = {"options": options} if kind.name == "runcast" else {}
            with self.server(kind, pinning, **special) as server:
                measured = load(self, server, pinning, **wanted)
                if after is not None:
                    after(server, measured)
                return measured

        return self.record(cell, kind.name, round, run)
