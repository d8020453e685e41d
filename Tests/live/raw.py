"""HTTP over bare sockets, for requests that no real client would send."""

import contextlib
import os
import re
import socket
import struct

TIMEOUT = 10  # seconds for any one answer


def connect(port, receive_buffer=None):
    """A connection; with a small receive buffer, in bytes, a client that doesn't read is soon full."""
    connection = socket.socket()
    connection.settimeout(TIMEOUT)
    if receive_buffer is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.connect(("127.0.0.1", port))
    return connection


def read_to_end(connection):
    """What the server sends until it closes; a reset is an end too."""
    received = bytearray()
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65_536):
            received += piece
    return bytes(received)


def exchange(port, request, patience=TIMEOUT):
    """Sends bytes, says that no more follow, and returns what comes until the server closes.

    None if neither an answer nor the end comes within the patience, in seconds.
    """
    with connect(port) as connection:
        # The server may have refused and closed before it had it all.
        with contextlib.suppress(OSError):
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        connection.settimeout(patience)
        try:
            return read_to_end(connection)
        except TimeoutError:
            return None


def answer_to(port, request):
    """Sends bytes on a connection that stays open in both directions, and returns all until the server closes."""
    with connect(port) as connection:
        # The server may have refused and closed before it had it all.
        with contextlib.suppress(OSError):
            connection.sendall(request)
        return read_to_end(connection)


def statuses(received):
    """The statuses of the answers in what was received, in order."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


def reset(connection):
    """Closes with RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def descriptors(process):
    """How many files and sockets a process of ours has open, but for the store's: it opens some when first needed."""
    folder = f"/proc/{process.pid}/fd"
    names = []
    for number in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            names.append(os.readlink(f"{folder}/{number}"))
    return sum("/runcast.db" not in name for name in names)


def resident_bytes(process):
    with open(f"/proc/{process.pid}/statm") as sizes:
        return int(sizes.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
