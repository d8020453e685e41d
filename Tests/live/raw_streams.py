"""The body of a stream as it comes over a bare socket: what a client of HTTP hides is whether it was whole."""


class StreamBody:
    """Takes the bytes of a connection apart: a head, then chunks (RFC 9112, section 7.1)."""

    def __init__(self):
        self.head = None
        self.is_whole = False  # the last chunk has come
        self._pending = b""

    @property
    def status(self):
        return self.head and int(self.head.split(b" ")[1])

    def feed(self, piece):
        """Returns the text that is complete with this piece."""
        self._pending += piece
        if self.head is None and b"\r\n\r\n" in self._pending:
            self.head, self._pending = self._pending.split(b"\r\n\r\n", 1)
        text = []
        while self.head and b"chunked" in self.head and not self.is_whole:
            line, found, rest = self._pending.partition(b"\r\n")
            size = int(line, 16) if found else 0
            if not found or len(rest) < size + 2:
                break
            text.append(rest[:size])
            self._pending = rest[size + 2 :]
            self.is_whole = size == 0
        return b"".join(text)


def request_bytes(path, last_event_id=None):
    resume = f"Last-Event-ID: {last_event_id}\r\n" if last_event_id else ""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{resume}\r\n".encode()
