"""Clients that outlive the server: requests whose answer may be lost, streams that are followed from life to life."""

import http.client
import json
import socket
import threading
import time
from dataclasses import replace

from acceptance_clients import parsed
from durability_records import Answer, Connection, Life
from raw_streams import StreamBody, request_bytes

TIMEOUT = 30  # seconds that any read, and any wait for a server, may take
PIECE = 65_536  # bytes of one read
LOSSES = (OSError, http.client.HTTPException)


class Lives:
    """A server that is ended and started again while clients use it."""

    def __init__(self, server, lives):
        self.server = server
        self.lives = lives
        self.lives.append(Life(time.time()))
        self._changed = threading.Condition()
        self._is_up = True

    @property
    def port(self):
        return self.server.port

    def end(self, killing):
        """Ends the server and starts it again; clients that lose it wait in between."""
        with self._changed:
            self._is_up = False
        if killing:
            self.server.kill()
        else:
            assert self.server.stop() == 0, "".join(self.server.log)
        self.lives[-1].ended = time.time()
        self.lives[-1].was_killed = killing
        self.lives.append(Life(time.time()))
        self.server.start()
        with self._changed:
            self._is_up = True
            self._changed.notify_all()

    def wait(self, after=-1):
        """Waits until there is a server, in a life after the given one, and returns the life's number."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._is_up and len(self.lives) - 1 > after, TIMEOUT)
            return len(self.lives) - 1


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), TIMEOUT)
    if connection.getsockname() == connection.getpeername():
        # Nobody listened, and the kernel happened to choose the very port (RFC 9293, section 3.5: simultaneous open).
        connection.close()
        raise ConnectionRefusedError
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class Caller:
    """Sends requests on one connection, and on a new one after a loss."""

    def __init__(self, lives):
        self.lives = lives
        self.connection = None

    def __call__(self, method, path, body=None, **headers):
        self.lives.wait()
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        data = None if body is None else json.dumps(body)
        if data is not None:
            fields["Content-Type"] = "application/json"
        answer = Answer(time.time())
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.lives.port, timeout=TIMEOUT)
                self.connection.sock = connect(self.lives.port)
            self.connection.request(method, path, data, fields)
            reply = self.connection.getresponse()
            text = reply.read()
        except LOSSES:
            self.connection = None
            return answer
        answer.answered = time.time()
        answer.status, answer.tag = reply.status, reply.headers["ETag"]
        answer.body = json.loads(text) if text else None
        return answer

    def until_answered(self, method, path, body=None, **headers):
        """Repeats a request that may be repeated until there is an answer, and a server that is not stopping."""
        sent = time.time()
        while True:
            answer = self(method, path, body, **headers)
            if not answer.is_lost and not is_stopping(answer):
                # What it asked for may have been done when it was sent first.
                answer.sent = sent
                return answer


def is_stopping(answer):
    return answer.status == 503 and "stopping" in answer.body["title"] + answer.body["detail"]


def follow(lives, path, follower, keep, until, leave_after=lambda: None, stay_away=lambda: 0, may_forget=lambda: False):
    """Reads a stream, and comes back with the last id whenever the connection is lost, until the stream says that it is
    over or `until` is true of an event. A run may be gone before that.

    follower     what is followed; a copy of it gets the connections
    keep         called with each copy: one more is made whenever a connection is made without an id
    leave_after  events until the reader breaks a connection; called for each
    stay_away    seconds until it is back then
    may_forget   whether it comes back without an id; called when it has left
    """
    cursor = None
    while True:
        seen = Connection(lives.wait(), time.time(), cursor)
        body = StreamBody()
        try:
            connection = connect(lives.port)
            connection.sendall(request_bytes(path, cursor))
            text = read_head(connection, body)
        except OSError:
            continue
        if body.status == 503:
            connection.close()
            lives.wait(after=seen.life)
            continue
        if body.status == 410 and follower.run:
            return
        assert body.status in (200, 204), (path, cursor, body.head, text)
        if cursor is None:
            follower = replace(follower, connections=[])
            keep(follower)
        follower.connections.append(seen)
        if body.status == 204:
            seen.outcome = "over"
        is_done = body.status == 204 or read(lines(connection, body, text), seen, leave_after(), until)
        connection.close()
        if is_done:
            return
        if seen.outcome == "broken" and body.is_whole:
            seen.outcome = "closed"
        cursor = next((id for _, id, _ in reversed(seen.events) if id), cursor)
        if seen.outcome == "left":
            time.sleep(stay_away())
            if may_forget():
                cursor = None


def read_head(connection, body):
    """Reads until the head is there; returns the text that came with it."""
    text = b""
    while body.head is None:
        piece = connection.recv(PIECE)
        if not piece:
            raise ConnectionResetError
        text += body.feed(piece)
    return text


def lines(connection, body, text):
    """The lines of a stream, until its body ends in whatever way."""
    while True:
        *whole, text = text.split(b"\n")
        yield from whole
        try:
            piece = b"" if body.is_whole else connection.recv(PIECE)
        except OSError:
            piece = b""
        if not piece:
            return
        text += body.feed(piece)


def read(lines, seen, leave_after, until):
    """Reads what a connection brings. True when nothing is left to come back for."""
    for event in parsed(lines):
        seen.events.append(event)
        seen.read_at.append(time.time())
        if event[0] == "end":
            seen.outcome = "gone" if event[2].get("reason") == "removed" else "over"
        elif until(event):
            seen.outcome = "left"
            return True
        elif len(seen.events) == leave_after:
            seen.outcome = "left"
            return False
    return seen.outcome in ("over", "gone")
