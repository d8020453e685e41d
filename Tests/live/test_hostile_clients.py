"""Clients that open streams and vanish, each in a way of its own, while others watch."""

import re
import socket

import pytest
from conftest import eventually
from curl import curl, post
from raw import connect, descriptors, read_to_end, reset, resident_bytes, statuses

CLIENTS = 500
WATCH = b"GET /v1/streams/ticks?policy=all HTTP/1.1\r\nHost: localhost\r\n\r\n"
WATCH_LARGE = b"GET /v1/streams/large HTTP/1.1\r\nHost: localhost\r\n\r\n"


def request_and_close(port):
    with connect(port) as connection:
        connection.sendall(WATCH)


def request_and_reset(port):
    connection = connect(port)
    connection.sendall(WATCH)
    reset(connection)


def read_and_close(port):
    with connect(port) as connection:
        connection.sendall(WATCH)
        read_until(connection, b"event: subscribed")


def read_and_reset(port):
    connection = connect(port)
    connection.sendall(WATCH)
    read_until(connection, b"event: tick")
    reset(connection)


def half_close_and_stay(port):
    connection = connect(port)
    connection.sendall(WATCH)
    read_until(connection, b"event: subscribed")
    connection.shutdown(socket.SHUT_WR)
    return connection


def half_close_at_once_and_stay(port):
    connection = connect(port)
    connection.sendall(WATCH)
    connection.shutdown(socket.SHUT_WR)
    return connection


def stop_listening_and_close(port):
    connection = connect(port)
    connection.sendall(WATCH)
    connection.shutdown(socket.SHUT_RD)
    connection.close()


def never_read(port):
    connection = connect(port, receive_buffer=4_096)
    connection.sendall(WATCH_LARGE)
    return connection


def send_half_a_head_and_close(port):
    with connect(port) as connection:
        connection.sendall(WATCH[:-10])


def connect_and_close(port):
    connect(port).close()


def talk_into_the_stream_and_reset(port):
    connection = connect(port)
    connection.sendall(WATCH * 20)
    read_until(connection, b"event: subscribed")
    reset(connection)


WAYS = [
    request_and_close, request_and_reset, read_and_close, read_and_reset, half_close_and_stay,
    half_close_at_once_and_stay, stop_listening_and_close, never_read, send_half_a_head_and_close, connect_and_close,
    talk_into_the_stream_and_reset,
]


def read_until(connection, text):
    received = b""
    while text not in received:
        piece = connection.recv(65_536)
        assert piece, f"the stream ended before {text}"
        received += piece


def subscriptions(server):
    return curl(f"{server.url}/v1/subscriptions?limit=1").json["total"]


def test_clients_that_vanish_leave_nothing_behind_and_disturb_nobody(start_server, open_stream):
    server = start_server("--tick-interval", "20ms", "--stall-timeout", "1s")
    post(f"{server.url}/v1/streams/large", {"data": "first"})
    watchers = [open_stream(f"{server.url}/v1/streams/ticks?policy=all") for _ in range(2)]
    for watcher in watchers:
        watcher.next_of("tick")
    open_before, resident_before = descriptors(server.process), resident_bytes(server.process)
    staying = []
    for number in range(CLIENTS):
        if (connection := WAYS[number % len(WAYS)](server.port)) is not None:
            staying.append(connection)
    # More than the buffers of those that never read can take.
    large = {"data": "x" * 200_000}
    for _ in range(5):
        assert post(f"{server.url}/v1/streams/large", large).status == 200
    assert eventually(lambda: subscriptions(server) == len(watchers))
    stalled = curl(f"{server.url}/metrics").body
    assert f"runcast_stream_stalled_total {CLIENTS // len(WAYS)}" in stalled
    # Those that half-closed still hold their ends; the server holds nothing.
    assert eventually(lambda: descriptors(server.process) <= open_before)
    for connection in staying:
        connection.close()
    assert resident_bytes(server.process) - resident_before < 64 << 20
    for watcher in watchers:
        numbers = [event.json["n"] for event in watcher.taken()]
        assert len(numbers) > 20
        assert all((number - previous) % 1_000 == 1 for previous, number in zip(numbers, numbers[1:]))


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_a_reader_that_is_too_slow_gets_every_event_or_a_gap_and_nothing_twice(start_server, store):
    server = start_server("--log-events", "20", "--store", store)
    topic = f"{server.url}/v1/streams/slow"
    post(topic, {"data": -1})
    with connect(server.port, receive_buffer=4_096) as connection:
        connection.sendall(b"GET /v1/streams/slow?limit=20 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert eventually(lambda: subscriptions(server) == 1)
        filler = "x" * 20_000
        for number in range(100):
            assert post(topic, {"data": {"n": number, "filler": filler}}).status == 200
        received = read_to_end(connection).decode()
    assert statuses(received.encode()) == [200]
    numbers = [int(number) for number in re.findall(r'"n": (\d+)', received)]
    assert numbers == sorted(set(numbers)) and len(numbers) == 20
    jumps = sum(number - previous > 1 for previous, number in zip([-1, *numbers], numbers))
    assert jumps == received.count("event: gap\n")
    # What memory no longer has is read from the store.
    assert jumps >= 1 if store == "memory" else numbers == list(range(20))
    assert received.endswith('event: end\ndata: {"reason":"limit"}\n\n\r\n0\r\n\r\n')


def test_idle_connections_and_half_requests_do_not_keep_others_out(start_server, open_stream):
    server = start_server("--tick-interval", "20ms")
    idle = [connect(server.port) for _ in range(300)]
    for connection in idle[::2]:
        connection.sendall(b"GET /v1/streams/ticks HTTP/1.1\r\nHost: loc")
    stream = open_stream(f"{server.url}/v1/streams/ticks")
    stream.next_of("tick")
    assert curl(f"{server.url}/v1/jobs").status == 200
    # A head that was begun can still be finished.
    idle[0].sendall(b"alhost\r\n\r\n")
    read_until(idle[0], b"event: tick")
    for connection in idle:
        connection.close()
    stream.next_of("tick")
