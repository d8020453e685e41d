"""Clients for the acceptance storm: requests on kept connections, and readers of streams, slow and restless ones too."""

import http.client
import json
import socket
import time
from datetime import datetime

from acceptance_model import Connection

TIMEOUT = 20  # seconds that any read may take
SMALL_BUFFER = 4096  # bytes that the kernel keeps for a slow reader


class Client:
    """One HTTP connection that is kept."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)

    def __call__(self, method, path, body=None, **headers):
        """Returns (status, decoded body)."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        data = None if body is None else json.dumps(body)
        if data is not None:
            fields["Content-Type"] = "application/json"
        self.connection.request(method, path, data, fields)
        reply = self.connection.getresponse()
        text = reply.read()
        return reply.status, json.loads(text) if text else None


def parsed(lines):
    """The events of a stream's lines: (type, id, data), with the time of the data in seconds since 1970 as `at`."""
    id, name, data = None, "message", []
    for line in lines:
        key, _, value = line.decode().rstrip("\n").partition(": ")
        if key == "id":
            id = value
        elif key == "event":
            name = value
        elif key == "data":
            data.append(value)
        elif key == "" and data:
            members = json.loads("\n".join(data))
            if "time" in members:
                members["at"] = datetime.fromisoformat(members["time"]).timestamp()
            yield name, id, members
            id, name, data = None, "message", []


def read_stream(port, job, run=None, last_event_id=None, pause=None, leave_after=None, until=None):
    """Opens a stream, reads it and returns what it brought; None when the server says that it is over (204).

    pause        called after each event: what makes a reader slow
    leave_after  events until the reader breaks the connection
    until        called with each event; the reader leaves when it returns true
    """
    path = f"/v1/jobs/{job}" + (f"/runs/{run}" if run else "") + "/events"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    connection.sock = socket.socket()
    if pause:
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
    connection.sock.settimeout(TIMEOUT)
    connection.sock.connect(("127.0.0.1", port))
    opened = time.time()
    connection.request("GET", path, headers={"Last-Event-ID": last_event_id} if last_event_id else {})
    reply = connection.getresponse()
    if reply.status == 204:
        return None
    assert reply.status == 200, (path, reply.status, reply.read())
    seen = Connection(job, run, opened, last_event_id)
    for event in parsed(iter(reply.readline, b"")):
        seen.events.append(event)
        if len(seen.events) == leave_after or (until and until(event)):
            seen.was_left = True
            break
        if pause:
            pause()
    connection.close()
    return seen


def last_id(seen):
    """The id that a reader comes back with."""
    return next((id for _, id, _ in reversed(seen.events) if id), seen.last_event_id)
