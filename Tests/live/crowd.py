"""Many streams at a time over bare sockets, read by one thread."""

import re
import selectors
import socket
import threading

from acceptance_clients import parsed
from raw_streams import StreamBody, request_bytes

PIECE = 65_536  # bytes of one read


class Member:
    """One stream. What the reader's thread has read can be looked at from any thread."""

    def __init__(self, port, path, last_event_id=None):
        self.path, self.last_event_id = path, last_event_id
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(request_bytes(path, last_event_id))
        self.socket.setblocking(False)
        self.text = b""
        self.is_closed = False
        self._body = StreamBody()

    @property
    def status(self):
        return self._body.status

    @property
    def is_whole(self):
        return self._body.is_whole

    def read(self):
        """Takes what has come. Called by the reader's thread."""
        try:
            piece = self.socket.recv(PIECE)
        except ConnectionError:
            piece = b""
        self.text += self._body.feed(piece)
        self.is_closed = not piece

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
