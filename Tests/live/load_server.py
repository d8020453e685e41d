"""A server of event streams that makes the mistakes a test asks for, and the load client run against it."""

import contextlib
import json
import os
import re
import socket
import struct
import subprocess
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / ".build/bench-sanitized"
RUN_TIMEOUT = 60  # seconds, of one run of the load client

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
OPEN_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"
CLOSE, RESET = object(), object()  # pieces of a script that end the connection
LATER = object()  # one behind which the rest is sent some time after the publisher has its answer
DELAY = 0.1  # seconds of LATER


def chunk(content):
    return b"%x\r\n%b\r\n" % (len(content), content)


def event(data, line_end=b"\n"):
    return b"id: 1" + line_end + b"data: " + data + line_end * 2


def faithful(number, data):
    """The script of a server that makes no mistake."""
    return [chunk(event(data))]


class LoadServer:
    """`script(number, data)` gives the pieces that every subscriber of a topic gets for its event, counted from 1.

    Each piece is sent by a call of its own. `answer(number)` gives the whole answer to the publisher.
    """

    def __init__(self, script=faithful, head=HEAD, answer=None):
        self._script = script
        self._head = head
        self._answer = answer or (lambda number: b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        self._lock = threading.Lock()
        self._subscribers = {}
        self._numbers = {}
        self.requests = []  # the heads of those that subscribe
        self.addresses = set()  # and where they come from
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        """May be called again."""
        with contextlib.suppress(OSError):
            # Wakes the thread that accepts.
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in sum(self._subscribers.values(), []):
                connection.close()

    def published(self, topic):
        """How many events have come."""
        with self._lock:
            return self._numbers.get(topic, 0)

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        """Answers a publisher until it leaves. A subscriber's connection is only written to, by others."""
        # A program under test may end with requests of its own still open.
        with contextlib.suppress(ConnectionError), connection.makefile("rb") as requests:
            while line := requests.readline():
                method, target, _ = line.decode().split()
                head = line + b"".join(iter(requests.readline, b"\r\n"))
                topic = target.partition("?")[0]
                if method == "GET":
                    self._subscribe(topic, connection, head)
                    return
                length = int(re.search(rb"Content-Length: (\d+)", head)[1])
                answer = self._publish(topic, requests.read(length))
                connection.sendall(answer)
                if b"Connection: close" in answer:
                    break
        connection.close()

    def _subscribe(self, topic, connection, head):
        with self._lock:
            self.requests.append(head)
            self.addresses.add(connection.getpeername()[0])
            self._subscribers.setdefault(topic, []).append(connection)
            connection.sendall(self._head)

    def _publish(self, topic, data):
        with self._lock:
            if b'"seq"' not in data:
                return b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
            number = self._numbers[topic] = self._numbers.get(topic, 0) + 1
            subscribers = self._subscribers.get(topic, [])
            pieces = self._script(number, data)
            self._subscribers[topic] = [each for each in subscribers if self._send(each, pieces)]
            return self._answer(number)

    def _send(self, connection, pieces):
        """Returns whether the connection is still open."""
        for index, piece in enumerate(pieces):
            if piece is LATER:
                threading.Timer(DELAY, self._send, (connection, pieces[index + 1 :])).start()
                return True
            if isinstance(piece, bytes):
                try:
                    connection.sendall(piece)
                except OSError:
                    connection.close()
                    return False
                continue
            if piece is RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
            return False
        return True


def run_program(name, *arguments):
    """The finished process; its output as text."""
    command = [PROGRAMS / name, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=RUN_TIMEOUT)


def run_load(port, *arguments):
    """Publishes 20 events, quickly, to 3 subscribers, unless the arguments say otherwise; returns the report."""
    result = run_program(
        "sse-load", "--port", port, "--path", "/topic?policy=all", "--publish-path", "/topic",
        "--subscribers", 3, "--rate", 500, "--events", 20,
        "--warmup", 0, "--duration", 30, "--settle", 0, "--drain", 0.3, *arguments,
    )  # fmt: skip
    # A sanitizer that has found something says so there.
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    return json.loads(result.stdout)


def build_programs():
    # Leaves the make that may run the tests out of it.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    subprocess.run(
        ["make", "--no-print-directory", "-C", ROOT / "Benchmarks/load", "SANITIZE=1", "all", "check"],
        env=environment, check=True,
    )
