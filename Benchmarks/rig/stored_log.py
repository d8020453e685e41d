"""A data directory with a long log in it, beside finished jobs, and servers started on it."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from children import Child, resident_kib, wait_until
from posting import post
from rig import FREE
from servers import Runcast
from servers.runcast import FULL, NORMAL

TOPIC = "bench"
DATA = {"text": "x" * 280}  # about 300 bytes of JSON
START = {"kind": "square-root-sum", "input": {"terms": 1}}
CONNECTIONS = 64
#: So that nothing is dropped; and jobs are over sooner when many may end with one commit.
BOUNDS = (
    "--keep-events", 100_000_000, "--keep-bytes", "32G", "--max-store-size", "64G", "--max-jobs", 1_000_000,
    "--max-queued", 1_000_000, "--max-running", CONNECTIONS,
)  # fmt: skip
READY_TIMEOUT = 60  # seconds from the start until /readyz answers 200
JOBS_TIMEOUT = 120  # seconds until all jobs are over


@dataclass(frozen=True)
class StoredLog:
    folder: Path
    epoch: str
    first: int  # number of the first event
    events: int  # behind it, with consecutive numbers
    seconds: float  # that it took to make

    def id_behind(self, skipped):
        """The id to resume with: `skipped` events later than the first one."""
        return f"{self.epoch}-{self.first + skipped}"

    def bytes_on_disk(self):
        return sum(file.stat().st_size for file in self.folder.iterdir())


def make(rig, folder, events, jobs):
    """Replaces `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    began = time.monotonic()
    with server_on(rig, folder, FREE, NORMAL) as server:
        post(rig, server, FREE, "/v1/jobs", START, CONNECTIONS, requests=jobs)
        wait_until(lambda: ended(server) >= jobs, "all jobs are over", JOBS_TIMEOUT, interval=0.1)
        status, answer = server.json("POST", server.publish_path(TOPIC), {"data": DATA})
        if status != 201:
            raise RuntimeError(f"publishing was answered with {status}")
        epoch, _, first = answer["id"].rpartition("-")
        posted = post(rig, server, FREE, server.publish_path(TOPIC), {"data": DATA}, CONNECTIONS, requests=events)
        if posted["accepted"] != events:
            raise RuntimeError(f"{posted['accepted']:,} of {events:,} events were accepted")
    return StoredLog(folder, epoch, int(first), events, time.monotonic() - began)


def ended(server):
    return server.metrics()['runcast_runs_ended_total{state="succeeded"}']


def server_on(rig, folder, pinning, store=FULL):
    return rig.server(Runcast, pinning, options=BOUNDS, store=store, data=folder)


def started(server):
    """Starts it: {readySeconds} from exec to the first 200 of /readyz, {rssKiB} then. To be stopped, or killed."""
    server.folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    server.child = Child(server.command(), server.folder / "output.log", server.cores)
    try:
        wait_until(lambda: is_ready(server), "the server is ready", READY_TIMEOUT, interval=0.001)
    except BaseException:
        server.child.kill()
        raise
    return {"readySeconds": time.monotonic() - began, "rssKiB": resident_kib(server.pids())}


def is_ready(server):
    if not server.child.is_running:
        raise RuntimeError(f"the server did not start: {server.child.last_words()}")
    connection = server.connection()
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except ConnectionError:
        return False
    finally:
        connection.close()
