"""Asks a server for something again and again, at a fixed rate, and notes how long each answer took."""

import contextlib
import os
import socket
import threading
import time

PATIENCE = 10  # seconds for one answer; counted as failed beyond


class Probe:
    """Asks on a thread of its own while in `with`. Each request has a fresh connection.

    The schedule does not wait for slow answers: what was due meanwhile is asked at once, and its time counts
    from when it was due, so that a server that stalls is not asked less often for it.
    """

    def __init__(self, port, path, headers=(), rate=20, cores=None):
        """`rate` per second; `cores`: where the thread may run."""
        lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]
        self.request = "\r\n".join(lines).encode()
        self.port, self.interval, self.cores = port, 1 / rate, cores
        self.microseconds, self.failures = [], 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        if self.cores is not None:
            os.sched_setaffinity(0, self.cores)
        # A probe that waits for a core behind the load client would measure the client.
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -10)
        due = time.monotonic()
        while not self._stop.wait(max(0, due - time.monotonic())):
            try:
                first_byte(self.port, self.request)
                self.microseconds.append((time.monotonic() - due) * 1e6)
            except (OSError, ValueError):
                self.failures += 1
            due += self.interval

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(PATIENCE + 1)


def first_byte(port, request):
    """Connects, asks, waits for the answer's first piece, and leaves. ValueError unless it begins with a 200."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(request)
        if not connection.recv(4_096).startswith(b"HTTP/1.1 200"):
            raise ValueError("not answered with 200")
