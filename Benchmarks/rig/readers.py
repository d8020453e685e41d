"""Readers of a topic that check that every event comes once, in order."""

import contextlib
import json
import subprocess

from children import Child

PATIENCE = 20  # seconds beyond the readers' own bound


class Readers:
    """log-readers at work, from the time when all streams have begun. Leaving `with` stops it."""

    def __init__(self, rig, server, pinning, path, readers=1, events=0, seconds=60, ids=(), slow=(), log="readers.log"):
        """
        events    that each wants, behind its id; 0: `report` tells
        seconds   after which they give up
        ids       reader i begins behind the (i modulo their count)th; none: with the next event
        slow      (bytes per second of each, SO_RCVBUF)
        """
        command = [
            rig.program("log-readers"), "--port", server.port, "--path", path, "--readers", readers,
            "--events", events, "--seconds", seconds,
        ]  # fmt: skip
        for event_id in ids:
            command += ["--from", event_id]
        if slow:
            command += ["--bytes-per-second", slow[0], "--receive-buffer", slow[1]]
        self.seconds = seconds
        # Unbuffered, since what comes behind the line "ready" is read from the descriptor itself.
        self.child = Child(
            command, server.folder / log, rig.cores(pinning)[1],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        )  # fmt: skip

    def wait_until_ready(self):
        """RuntimeError if a stream did not begin."""
        if self.child.process.stdout.readline() != b"ready\n":
            raise RuntimeError(f"the readers did not start: {self.child.last_words()}")

    def report(self, last=None):
        """The JSON object, when all have what they want. `last`: unless it was said before, the number in the id of
        the last event, and how many events there are up to it since they began.
        """
        told = None if last is None else f"{last[0]} {last[1]}\n".encode()
        output, _ = self.child.process.communicate(told, timeout=self.seconds + PATIENCE)
        if self.child.process.returncode != 0:
            raise RuntimeError(f"the readers failed: {self.child.last_words()}")
        return json.loads(output)

    def __enter__(self):
        try:
            self.wait_until_ready()
        except BaseException:
            self.child.kill()
            raise
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.child.process.stdin.close()
        self.child.kill()
