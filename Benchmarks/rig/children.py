"""Programs that the rig starts: each ends with the rig, however that ends, and may be pinned to cores.

Linux only: affinity, parent-death signals and the CPU clocks of other processes are its own. `setpriv` and `taskset`
are part of util-linux; they become the program that they start, so its process ID is the child's.
"""

import os
import resource
import signal
import subprocess
import time

STOP_TIMEOUT = 10  # seconds from SIGTERM until a program is killed
CPUCLOCK_SCHED = 2  # the clock of clock_getcpuclockid(3): (~pid << 3) | CPUCLOCK_SCHED


def allow_many_descriptors():
    """Raises the limit of open files, which children inherit, to what the system allows."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class Child:
    """A started program. A context manager: leaving it stops the program, if need be by force."""

    def __init__(self, command, log, cores=None, **options):
        """`log`: the file that takes standard error, and standard output unless `stdout` is given.

        Standard input is empty unless `stdin` is given.
        """
        self.log = log
        # In case the rig itself is killed: nothing may be left behind that burns a core. SIGTERM, since nginx takes
        # its worker along then.
        words = ["setpriv", "--pdeathsig", "TERM"]
        if cores is not None:
            words += ["taskset", "--cpu-list", ",".join(map(str, sorted(cores)))]
        words += [str(word) for word in command]
        with open(log, "wb") as errors:
            # A session of its own, so that Ctrl-C reaches the rig alone, which then stops all in order.
            self.process = subprocess.Popen(
                words, start_new_session=True, stderr=errors,
                **{"stdin": subprocess.DEVNULL, "stdout": errors, **options},
            )  # fmt: skip

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process.poll() is None

    def pids(self):
        """The program and its children, as of now."""
        try:
            with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as children:
                return [self.pid, *map(int, children.read().split())]
        except OSError:
            return [self.pid]

    def stop(self):
        """SIGTERM, then SIGKILL to its whole session. Returns the exit status. May be called again."""
        if self.is_running:
            self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()
        return self.process.returncode

    def kill(self):
        """SIGKILL to the program and its children."""
        if self.is_running:
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()

    def last_words(self, limit=400):
        """The end of its log, for an error message."""
        with open(self.log, encoding="utf-8", errors="replace") as lines:
            return lines.read()[-limit:].strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def cpu_seconds(pids):
    """The CPU time that these processes have used, all threads, to the nanosecond."""
    return sum(time.clock_gettime(~pid << 3 | CPUCLOCK_SCHED) for pid in pids)


def resident_kib(pids):
    """The memory that these processes have in RAM, in KiB."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            total += sum(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))
    return total


def descriptor_count(pids):
    """How many files these processes have open together."""
    return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids)


def wait_until(condition, what, timeout=20, interval=0.01):
    """Polls until `condition()` is true and returns its value; TimeoutError naming `what` after `timeout` s."""
    deadline = time.monotonic() + timeout
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {timeout} s: {what}")
        time.sleep(interval)


def wait_until_quiet(pids, timeout=10, interval=0.1):
    """Returns when these processes used less than 1 % of a core over one interval."""

    def is_quiet():
        before = cpu_seconds(pids)
        time.sleep(interval)
        return cpu_seconds(pids) - before < interval / 100

    wait_until(is_quiet, "the server is idle", timeout, interval=0)
