"""Many streams at a time over bare sockets, read by one thread."""

import re
import selectors
import socket
import threading

from acceptance_clients import parsed

PIECE = 65_536  # bytes of one read


class Member:
    """One stream. What the reader's thread has read can be looked at from any thread."""

    def __init__(self, port, path, last_event_id=None):
        self.path, self.last_event_id = path, last_event_id
        self.socket = socket.create_connection(("127.0.0.1", port))
        resume = f"Last-Event-ID: {last_event_id}\r\n" if last_event_id else ""
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{resume}\r\n".encode())
        self.socket.setblocking(False)
        self.head = None
        self.text = b""  # of the body, without its framing
        self.is_whole = False  # the body's last chunk has come
        self.is_closed = False
        self._pending = b""

    @property
    def status(self):
        return self.head and int(self.head.split(b" ")[1])

    def read(self):
        """Takes what has come. Called by the reader's thread."""
        try:
            piece = self.socket.recv(PIECE)
        except ConnectionError:
            piece = b""
        self.is_closed = not piece
        self._pending += piece
        if self.head is None and b"\r\n\r\n" in self._pending:
            self.head, self._pending = self._pending.split(b"\r\n\r\n", 1)
        while self.head and not self.is_whole and self._take_chunk():
            pass

    def _take_chunk(self):
        """Takes a chunk off what is pending (RFC 9112, section 7.1), if it is whole."""
        line, found, rest = self._pending.partition(b"\r\n")
        size = int(line, 16) if found else 0
        if not found or len(rest) < size + 2:
            return False
        self.text += rest[:size]
        self._pending = rest[size + 2 :]
        self.is_whole = size == 0
        return True

    @property
    def events(self):
        """Those that are whole, as (type, id, data)."""
        return list(parsed(self.text[: self.text.rfind(b"\n\n") + 2].splitlines(keepends=True)))

    @property
    def last_id(self):
        ids = re.findall(rb"^id: (.*)$", self.text[: self.text.rfind(b"\n\n") + 2], re.MULTILINE)
        return ids[-1].decode() if ids else self.last_event_id


class Crowd:
    def __init__(self, port):
        self.port = port
        self.members = []
        self._selector = selectors.DefaultSelector()
        self._is_over = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def add(self, path, last_event_id=None):
        member = Member(self.port, path, last_event_id)
        self.members.append(member)
        self._selector.register(member.socket, selectors.EVENT_READ, member)
        return member

    def _read(self):
        while not self._is_over:
            for key, _ in self._selector.select(0.1):
                key.data.read()
                if key.data.is_closed:
                    self._selector.unregister(key.fileobj)

    def close(self):
        self._is_over = True
        self._reader.join()
        for member in self.members:
            member.socket.close()
