"""What the rig needs to know of a server: how it is started, and where one subscribes and publishes."""

import http.client
import itertools
import shutil
import socket

from children import Child, wait_until

START_TIMEOUT = 15  # seconds until it must accept connections
runs = itertools.count(1)


class Unavailable(Exception):
    """A peer that is not installed. The message says what is missing."""


class Server:
    """One server under load, started by `with`. Subclasses say `name` and `command`."""

    name = ""
    #: Whether its subscribers may be given the newest value only.
    has_latest = False
    publish_prefix, publish_suffix = "", ""

    def __init__(self, rig, cores=None):
        self.rig, self.cores = rig, cores
        self.port = free_port()
        self.folder = rig.folder / "logs" / f"{next(runs)}-{self.name}"
        self.child = None

    @classmethod
    def check(cls, rig):
        """Raises Unavailable if it can't be started on this machine."""

    def command(self):
        raise NotImplementedError

    def subscribe_path(self, policy="all", topic="bench"):
        """`topic` may hold a %d for the topic's number; `policy` counts only where `has_latest`."""
        return f"/subscribe/{topic}"

    def publish_path(self, topic="bench"):
        return f"/publish/{topic}"

    def make_topics(self, names):
        """For servers in which a topic must be there before one subscribes; the load client does this itself."""

    def pids(self):
        return self.child.pids()

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.child = Child(self.command(), self.folder / "output.log", self.cores)
        try:
            wait_until(self._accepts_or_ended, f"{self.name} listens", START_TIMEOUT)
            if not self.child.is_running:
                raise RuntimeError(f"{self.name} did not start: {self.child.last_words()}")
        except BaseException:
            self.child.stop()
            raise
        return self

    def __exit__(self, *_):
        self.child.stop()

    def _accepts_or_ended(self):
        if not self.child.is_running:
            return True
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def connection(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)


def free_port():
    """A port that nothing listens on at the moment, chosen by the kernel."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def program(name, package):
    """The path of a program, also where Debian hides it from users; Unavailable names the package."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if path is None:
        raise Unavailable(f"{name} is not installed (Debian: {package})")
    return path
