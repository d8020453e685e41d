"""Signals: an orderly stop with streams open and runs under way, and one at once."""

import re
import signal
import socket
import subprocess

import pytest
from conftest import Server, eventually
from curl import curl, post
from jobs import ENDLESS, Jobs


@pytest.fixture
def run():
    """Starts servers that the test stops."""
    servers = []

    def start(*arguments):
        servers.append(Server("--tick-interval", "20ms", *arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.process.kill()
        server.process.wait()


def exit_status(server, *signals):
    """Sends the signals and waits for the exit, for longer than any bound that these tests set."""
    for number in signals:
        server.process.send_signal(number)
    return server.process.wait(30)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_server_in_order(run, open_stream, number):
    server = run()
    jobs = Jobs(server.url)
    running, queued = jobs.start_endless(), jobs.start(ENDLESS).json
    ticks = [open_stream(f"{server.url}/v1/streams/ticks") for _ in range(5)]
    run_stream = open_stream(server.url + running["links"]["runEvents"])
    job_stream = open_stream(server.url + queued["links"]["events"])
    for stream in ticks:
        stream.next_of("tick")
    run_stream.next_of("started")
    job_stream.next_of("queued")
    assert exit_status(server, number) == 0, server.log
    waits = set()
    for stream in ticks:
        # No `end`: the stream is not over, and the client is to come back to the next life of the server.
        assert "end" not in [event.type for event in stream.rest()]
        assert stream.exit_status() == 0
        waits.add(int(re.search(r"\nretry: (\d+)\n\n$", stream.text)[1]))
    assert all(1_000 <= wait <= 5_000 for wait in waits) and len(waits) > 1
    events = run_stream.rest()
    assert [event.type for event in events][-2:] == ["cancelled", "end"]
    assert events[-2].json["reason"] == "shutdown"
    assert [event.type for event in job_stream.rest()][-2:] == ["cancelled", "end"]


def test_nothing_listens_after_a_stop_and_the_port_is_free_for_the_next(run, open_stream):
    first = run()
    stream = open_stream(f"{first.url}/v1/streams/ticks")
    last = stream.next_of("tick")
    assert exit_status(first, signal.SIGTERM) == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", first.port))
    second = run("--port", str(first.port))
    # Whoever comes back learns that its place is lost, and goes on.
    again = open_stream(f"{second.url}/v1/streams/ticks?policy=all", "-H", f"Last-Event-ID: {last.id}")
    assert again.next_of("gap").json["reason"] == "restarted"
    again.next_of("tick")


def test_an_idle_server_stops_at_once(run):
    # Were it to use up its time, it would not be gone within the bound of exit_status.
    assert exit_status(run("--drain-timeout", "120s"), signal.SIGTERM) == 0


def test_a_waiting_request_is_answered(run):
    server = run()
    receipt = Jobs(server.url).start_endless()
    url = server.url + receipt["links"]["self"]
    waiting = subprocess.Popen(["curl", "-si", "-H", "Prefer: wait=30", url], stdout=subprocess.PIPE)
    assert eventually(lambda: established(server) >= 1)
    assert exit_status(server, signal.SIGTERM) == 0
    head = waiting.communicate(timeout=10)[0].split(b"\r\n")[0]
    # The job was over in time, or the server was.
    assert head in (b"HTTP/1.1 200 OK", b"HTTP/1.1 503 Service Unavailable")


def established(server):
    """How many connections the server has, seen from outside."""
    suffix = f":{server.port:04X}"
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table][1:]
    return sum(row[1].endswith(suffix) and row[3] == "01" for row in rows)


class TestClientsThatDoNotRead:
    @pytest.fixture
    def stuck(self, run):
        """A server with a client that asked for a stream and reads nothing until its buffers are full."""
        server = run("--drain-timeout", "2s")
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.connect(("127.0.0.1", server.port))
        post(f"{server.url}/v1/streams/large", {"data": "first"})
        connection.sendall(b"GET /v1/streams/large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        eventually(lambda: curl(f"{server.url}/v1/subscriptions").json["total"] == 1)
        text = "x" * 100_000
        for _ in range(8):
            assert post(f"{server.url}/v1/streams/large", f'{{"data":"{text}"}}').status == 200
        yield server
        connection.close()

    def test_it_is_cut_off_when_the_time_for_the_stop_is_up(self, stuck):
        assert exit_status(stuck, signal.SIGTERM) == 0

    def test_a_second_signal_ends_the_server_at_once(self, stuck):
        stuck.process.send_signal(signal.SIGTERM)
        assert eventually(lambda: any("terminated" in line for line in stuck.log))
        assert exit_status(stuck, signal.SIGTERM) == 128 + signal.SIGTERM
