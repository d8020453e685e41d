"""Clients that read little or nothing among others that keep up, while events of 2 kB are published fast.

No test waits for time to pass: who keeps up is waited for, and who is slow reads so many bytes per event.
"""

import http.client
import json
import re
import threading

import pytest
from conftest import eventually
from curl import curl, post
from raw import connect, resident_bytes

FILLER = "x" * 2_000
WATCHERS = 20
EVENTS = 6_000
STEP = 100  # events until all who keep up must have had them; less than what a topic keeps
MOST_GROWTH = 8 << 20  # bytes; a queue for one who does not read would grow by 12 MB
STORE_CACHES = 6 << 20  # bytes that the store's connections keep of its file, 2 MB each
NUMBER = re.compile(rb'data: \{"n": (\d+), ')
# The store commits what one publisher sends one by one; here it need not be safe from a loss of power.
STORES = {"memory": (), "sqlite": ("--durability", "normal")}


class Watcher:
    """Reads all it can, on a thread of its own."""

    def __init__(self, port, policy):
        self.connection = subscribe(port, policy)
        self.numbers = []
        self.newest = -1
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        rest = b""
        while piece := self.connection.recv(1 << 18):
            *lines, rest = (rest + piece).split(b"\n")
            self.numbers += [int(match[1]) for line in lines if (match := NUMBER.match(line))]
            self.newest = self.numbers[-1] if self.numbers else -1


class Publisher:
    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)

    def publish(self, numbers):
        for number in numbers:
            body = json.dumps({"data": {"n": number, "filler": FILLER}})
            self.connection.request("POST", "/v1/streams/fast", body, {"Content-Type": "application/json"})
            answer = self.connection.getresponse()
            answer.read()
            assert answer.status == 200


def subscribe(port, policy, receive_buffer=None):
    connection = connect(port, receive_buffer)
    request = f"GET /v1/streams/fast?policy={policy} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    connection.sendall(request.encode())
    return connection


def started(start_server, *arguments):
    """A server with the topic."""
    server = start_server(*arguments)
    post(f"{server.url}/v1/streams/fast", {"data": "first"})
    return server


def await_subscriptions(server, count):
    assert eventually(lambda: curl(f"{server.url}/v1/subscriptions?limit=1").json["total"] == count)


def counter(server, name):
    return int(re.search(rf"^{name} (\d+)$", curl(f"{server.url}/metrics").body, re.MULTILINE)[1])


def numbers_up_to(connection, last):
    """The numbers of the events that are read until the given one has come, and the text."""
    received = bytearray()
    end = f'data: {{"n": {last}, '.encode()
    newest = 0
    while received.find(end, max(0, newest - len(end))) < 0:
        newest = len(received)
        piece = connection.recv(65_536)
        assert piece, "the stream ended"
        received += piece
    return [int(number) for number in NUMBER.findall(received)], bytes(received)


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_stuck_clients_do_not_disturb_others_nor_fill_the_memory(start_server, store):
    server = started(start_server, "--stall-timeout", "1h", "--store", store, *STORES[store])
    stuck = {policy: subscribe(server.port, policy, receive_buffer=4_096) for policy in ("latest", "all")}
    watchers = [Watcher(server.port, "all") for _ in range(WATCHERS)]
    await_subscriptions(server, WATCHERS + len(stuck))
    publisher = Publisher(server)
    resident = None
    for first in range(0, EVENTS, STEP):
        last = first + STEP - 1
        publisher.publish(range(first, last + 1))
        assert eventually(lambda last=last: all(watcher.newest == last for watcher in watchers))
        if resident is None and last > EVENTS // 4:
            resident = resident_bytes(server.process)  # by now the topic's log is full
    assert resident_bytes(server.process) - resident < MOST_GROWTH + (STORE_CACHES if store == "sqlite" else 0)
    for watcher in watchers:
        assert watcher.numbers == list(range(EVENTS))
    assert counter(server, "runcast_gaps_total") == 0

    numbers, text = numbers_up_to(stuck["latest"], EVENTS - 1)
    assert numbers == sorted(set(numbers)) and b"event: gap" not in text
    assert counter(server, "runcast_events_conflated_total") == EVENTS - len(numbers) > EVENTS // 2

    numbers, text = numbers_up_to(stuck["all"], EVENTS - 1)
    if store == "sqlite":
        # What memory no longer has is read from the store.
        assert numbers == list(range(EVENTS)) and b"event: gap" not in text
        return
    assert numbers == sorted(set(numbers)) and len(numbers) < EVENTS
    jumps = sum(number - previous > 1 for previous, number in zip([-1, *numbers], numbers))
    assert counter(server, "runcast_gaps_total") == text.count(b"event: gap\n") == jumps == 1


def test_a_slow_reader_of_latest_ends_with_the_newest_and_is_never_far_behind(start_server):
    server = started(start_server)
    slow = subscribe(server.port, "latest", receive_buffer=4_096)
    await_subscriptions(server, 1)
    publisher = Publisher(server)
    early = b""
    for number in range(1_000):
        publisher.publish([number])
        early += slow.recv(200)  # of more than 2,000 bytes
    late, _ = numbers_up_to(slow, 999)
    numbers = [int(number) for number in NUMBER.findall(early)] + late
    assert numbers == sorted(set(numbers)) and len(numbers) < 500
    # What lay in buffers when the newest was published: 16 KiB unsent, one event, and the receiver's own.
    assert len(late) <= 20


def test_a_client_that_never_reads_is_cut_off_and_counted(start_server):
    server = started(start_server, "--stall-timeout", "1s")
    stuck = subscribe(server.port, "all", receive_buffer=4_096)
    watcher = Watcher(server.port, "all")
    await_subscriptions(server, 2)
    Publisher(server).publish(range(300))
    assert eventually(lambda: counter(server, "runcast_stream_stalled_total") == 1)
    await_subscriptions(server, 1)
    assert eventually(lambda: watcher.newest == 299)
    assert watcher.numbers == list(range(300))
    stuck.close()
