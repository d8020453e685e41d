"""A blocking reader of one event stream, for scenarios that need one event at a time rather than thousands."""

import json
import socket


class Stream:
    """One subscription on a connection of its own. Chunked or close-delimited. Leaving `with` closes it."""

    def __init__(self, port, path, method="GET", body=None, headers=(), timeout=30):
        """Connects and sends the request; `body` is sent as JSON. The head is read with the first event."""
        text = "" if body is None else json.dumps(body)
        lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Accept: text/event-stream", *headers]
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(text)}"]
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(("\r\n".join([*lines, "", ""]) + text).encode())
        self.file = self.socket.makefile("rb", buffering=0)
        self.head = None
        self._received = b""
        self._text = b""

    def read_head(self):
        """The status line and the fields, as one text. ConnectionError unless it is complete."""
        while self.head is None:
            head, end, rest = self._received.partition(b"\r\n\r\n")
            if end:
                self.head, self._received = head.decode("latin-1"), rest
            else:
                self._receive()
        return self.head

    def next_event(self):
        """(type, data) of the next event; data is text. ConnectionError when the stream ends before."""
        self.read_head()
        while True:
            block, end, rest = self._text.partition(b"\n\n")
            if not end:
                self._text += self._next_piece()
                continue
            self._text = rest
            fields = [line.partition(b":") for line in block.split(b"\n")]
            named = {name.decode(): value.strip().decode() for name, _, value in fields if name}
            if "data" in named:
                return named.get("event", "message"), named["data"]

    def next_of(self, kind):
        """The data of the next event of this type; others are passed over."""
        while True:
            name, data = self.next_event()
            if name == kind:
                return data

    def _next_piece(self):
        """The next piece of the body, without its chunk framing."""
        if "transfer-encoding: chunked" not in self.head.lower():
            self._receive()
            piece, self._received = self._received, b""
            return piece
        while True:
            size_line, end, rest = self._received.partition(b"\r\n")
            if end:
                size = int(size_line, 16)
                if size == 0:
                    raise ConnectionError("the stream has ended")
                if len(rest) >= size + 2:
                    self._received = rest[size + 2 :]
                    return rest[:size]
            self._receive()

    def _receive(self):
        piece = self.file.read(65_536)
        if not piece:
            raise ConnectionError("the server has closed the connection")
        self._received += piece

    def close(self):
        self.file.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
