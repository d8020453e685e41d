"""The real curl, run as a user runs it, and what it prints."""

import io
import json
import queue
import signal
import subprocess
import threading
from dataclasses import dataclass, field

TIMEOUT = 20  # seconds that anything here may take at most


@dataclass
class Reply:
    """One answer: its status, its header fields by lower-case name, and its body."""

    status: int = 0
    version: str = ""
    headers: dict = field(default_factory=dict)
    body: str = ""

    @property
    def json(self):
        return json.loads(self.body)

    def problem(self, status, field=None):
        """Checks that this is problem+json (RFC 9457) with this status and offending field; returns it."""
        assert self.status == status, (self.status, self.body)
        assert self.headers["content-type"] == "application/problem+json"
        problem = self.json
        assert problem["status"] == status
        assert problem["type"].startswith("/problems/")
        assert problem["title"] and problem["detail"]
        assert problem.get("field") == field, problem
        return problem


@dataclass
class Event:
    """An event as the rules of text/event-stream dispatch it; `id` is None where the event has none of its own."""

    type: str
    data: str
    id: str | None

    @property
    def json(self):
        return json.loads(self.data)


def read_head(lines):
    """Takes the lines of a head off an iterator of lines and returns the reply without a body."""
    reply = Reply()
    for line in lines:
        text = line.rstrip("\r\n")
        if not text:
            return reply
        if text.startswith("HTTP/"):
            reply.version, status = text.split(" ")[:2]
            reply.status = int(status)
        else:
            name, _, value = text.partition(":")
            reply.headers[name.lower()] = value.strip()
    return reply


def curl(url, *arguments, timeout=TIMEOUT, input=None):
    """Runs `curl -si`, with `input` as its standard input, and returns the answer."""
    command = ["curl", "-si", "--max-time", str(timeout), *arguments, url]
    done = subprocess.run(command, input=input, capture_output=True, timeout=timeout + 5)
    assert done.returncode == 0, (command, done.returncode, done.stderr)
    # Not splitlines(): a body may have separators that Python takes for ends of lines.
    lines = iter(done.stdout.decode().split("\n"))
    reply = read_head(lines)
    while reply.status == 100:
        reply = read_head(lines)
    reply.body = "\n".join(lines)
    return reply


def post(url, body=None, *arguments, method="POST"):
    """Sends a JSON body, or none. `body` may be text that isn't JSON."""
    if body is None:
        return curl(url, "-X", method, *arguments)
    text = body if isinstance(body, str) else json.dumps(body)
    body_from_input = ("-H", "Content-Type: application/json", "--data-binary", "@-")
    return curl(url, "-X", method, *body_from_input, *arguments, input=text.encode())


class Stream:
    """`curl -sN` on a stream. Reading waits, within bounds, for what must come."""

    def __init__(self, url, *arguments):
        self.url = url
        self.process = subprocess.Popen(
            ["curl", "-siN", *arguments, url], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.text = ""
        self.retry = None
        self.comments = 0
        self._heads = queue.Queue()
        self._events = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.head = self._heads.get(timeout=TIMEOUT)

    def _read(self):
        lines = io.TextIOWrapper(self.process.stdout, "utf-8", newline="\n")
        self._heads.put(read_head(lines))
        event_id, name, data = None, "message", []
        for line in lines:
            self.text += line
            key, _, value = line.rstrip("\n").partition(": ")
            match key:
                case "":
                    if data:
                        self._events.put(Event(name, "\n".join(data), event_id))
                    event_id, name, data = None, "message", []
                case "id":
                    event_id = value
                case "event":
                    name = value
                case "data":
                    data.append(value)
                case "retry":
                    self.retry = int(value)
                case ":":
                    self.comments += 1
        self._events.put(None)

    def next(self):
        """The next event."""
        event = self._events.get(timeout=TIMEOUT)
        assert event is not None, f"the stream has ended:\n{self.text}"
        return event

    def next_of(self, type):
        """The next event of this type; those before it are passed over."""
        while (event := self.next()).type != type:
            pass
        return event

    def rest(self):
        """Every event until the end of the stream."""
        return list(iter(lambda: self._events.get(timeout=TIMEOUT), None))

    def taken(self):
        """The events that have come by now and were not read yet."""
        events = []
        while not self._events.empty():
            events.append(self.next())
        return events

    @property
    def is_running(self):
        return self.process.poll() is None

    def exit_status(self):
        """Waits for curl to end; 0 means that the body was complete."""
        return self.process.wait(TIMEOUT)

    def kill(self, signal=signal.SIGKILL):
        self.process.send_signal(signal)
        self.process.wait(TIMEOUT)


class Streams:
    """Opens streams and ends what is left of them."""

    def __init__(self):
        self._opened = []

    def __call__(self, url, *arguments):
        self._opened.append(Stream(url, *arguments))
        return self._opened[-1]

    def close(self):
        for stream in self._opened:
            if stream.is_running:
                stream.kill()
