"""What operators and their tools ask, and what happens at the bounds."""

import re
import socket

import pytest
from conftest import PUBLIC, eventually
from curl import curl, post

SSE = ("-H", "Accept: text/event-stream")


def metrics(url):
    """The values of the samples, by name and labels."""
    lines = curl(f"{url}/metrics").body.splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}


def test_liveness_and_readiness(server):
    for path, text in {"/livez": "ok\n", "/readyz": "ready\n"}.items():
        reply = curl(server.url + path)
        assert (reply.status, reply.body, reply.headers["cache-control"]) == (200, text, "no-store")
        assert curl(server.url + path, "--head").status == 200


def test_the_metrics_are_in_the_format_that_prometheus_reads(server):
    reply = curl(f"{server.url}/metrics")
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    sample = re.compile(r'(runcast_[a-z_]+)(\{[a-z]+="[A-Za-z_]+"\})? \d+(\.\d+)?')
    described = set()
    for line in reply.body.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split(" ")[2:]
            assert kind in ("gauge", "counter") and (kind == "counter") == name.endswith("_total")
            described.add(name)
        elif not line.startswith("# HELP "):
            assert sample.fullmatch(line), line
            assert sample.fullmatch(line)[1] in described
    assert reply.body.endswith("\n")


def test_the_metrics_count_subscriptions_and_events(open_stream, start_server):
    url = start_server("--tick-interval", "20ms").url
    before = metrics(url)
    stream = open_stream(f"{url}/v1/streams/ticks")
    for _ in range(5):
        stream.next_of("tick")
    during = metrics(url)
    assert during["runcast_subscriptions"] == during["runcast_stream_connections"] == 1
    assert during["runcast_stream_events_total"] >= before["runcast_stream_events_total"] + 5
    stream.kill()
    assert eventually(lambda: metrics(url)["runcast_subscriptions"] == 0)
    assert eventually(lambda: metrics(url)["runcast_stream_connections"] == 0)


def test_at_the_bound_event_sources_are_told_to_come_back_and_others_get_503(open_stream, start_server):
    url = start_server("--max-subscriptions", "2", "--tick-interval", "20ms").url
    ticks = f"{url}/v1/streams/ticks"
    watchers = [open_stream(ticks), open_stream(ticks)]
    for watcher in watchers:
        watcher.next_of("tick")
    refused = curl(ticks)
    refused.problem(503)
    assert int(refused.headers["retry-after"]) >= 1
    # A browser's EventSource gives up for good at any status but 200; this makes it try again later.
    waits = set()
    for _ in range(5):
        survivable = curl(ticks, *SSE)
        assert (survivable.status, survivable.headers["content-type"]) == (200, "text/event-stream")
        assert survivable.headers["connection"] == "close"
        waits.add(int(re.fullmatch(r"retry: (\d+)\n\n", survivable.body)[1]))
    assert len(waits) > 1 and all(2_000 <= wait <= 6_000 for wait in waits)
    for watcher in watchers:
        watcher.next_of("tick")
    watchers[0].kill()
    late = eventually(lambda: (stream := open_stream(ticks)).head.status == 200 and stream)
    late.next_of("tick")


def test_the_page_is_served_and_unchanged_files_are_answered_with_304(server):
    page = curl(f"{server.url}/")
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.body == (PUBLIC / "index.html").read_text()
    assert curl(f"{server.url}/", "-H", f"If-None-Match: {page.headers['etag']}").status == 304
    script = curl(f"{server.url}/runcast.js")
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    head = curl(f"{server.url}/runcast.js", "--head")
    assert (head.status, head.body) == (200, "")
    assert int(head.headers["content-length"]) == len((PUBLIC / "runcast.js").read_bytes())


def test_one_connection_serves_many_requests(server):
    paths = ["/livez", "/v1/jobs", "/nowhere", "/v1/streams", "/v1/jobs/x"]
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        replies = connection.makefile("rb")
        for path in paths:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert replies.readline().startswith(b"HTTP/1.1 ")
            length = None
            while (line := replies.readline()) != b"\r\n":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            replies.read(length)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_it_listens_where_it_is_told_to(start_server, address):
    if address == "::1" and not has_ipv6():
        pytest.skip("this machine has no IPv6 loopback")
    server = start_server("--host", address)
    assert curl(f"{server.url}/livez").status == 200
    assert post(f"{server.url}/v1/streams/news", {"data": 1}).status == 201


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False
