"""nginx in front, with a plain configuration: streams pass unbuffered, and who leaves nginx leaves the server."""

import shutil
import socket
import subprocess
import time

import pytest
from conftest import eventually
from curl import curl, post
from jobs import Jobs, request

CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    fastcgi_temp_path {folder};
    uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{port};
        location / {{ proxy_pass {url}; }}
    }}
}}
"""


@pytest.fixture(scope="module")
def nginx():
    path = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
    if path is None:
        pytest.fail("There is no nginx: apt-get install nginx-light.")
    return path


@pytest.fixture
def proxied(start_server, nginx, tmp_path):
    """A server of the test's own, and its URL behind nginx."""
    server = start_server("--tick-interval", "100ms", "--heartbeat", "200ms")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(folder=tmp_path, port=port, url=server.url))
    process = subprocess.Popen([nginx, "-e", tmp_path / "error.log", "-c", configuration])
    url = f"http://127.0.0.1:{port}"
    try:
        eventually(lambda: accepts_connections(port))
        yield server, url
    finally:
        process.terminate()
        process.wait(10)


def accepts_connections(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


def test_events_pass_one_by_one(open_stream, proxied):
    server, url = proxied
    stream = open_stream(f"{url}/v1/streams/ticks?policy=all")
    stream.next_of("subscribed")
    numbers, times = [], []
    for _ in range(6):
        numbers.append(stream.next_of("tick").json["n"])
        times.append(time.monotonic())
    assert numbers == list(range(numbers[0], numbers[0] + 6))
    # In one bundle they would come within a moment; six come over five intervals.
    assert times[-1] - times[0] > 0.3
    assert curl(f"{server.url}/v1/subscriptions").json["subscriptions"][0]["lag"] <= 1


def test_comments_keep_a_silent_stream_open(open_stream, proxied):
    server, url = proxied
    assert post(f"{url}/v1/streams/silent", {"data": 1}).status == 201
    stream = open_stream(f"{url}/v1/streams/silent")
    stream.next_of("subscribed")
    assert eventually(lambda: stream.comments >= 3)


def test_a_client_that_leaves_nginx_leaves_the_server(open_stream, proxied):
    server, url = proxied
    streams = [open_stream(f"{url}/v1/streams/ticks") for _ in range(3)]
    for stream in streams:
        stream.next_of("tick")
    assert curl(f"{server.url}/v1/subscriptions").json["total"] == 3
    streams[0].kill()
    assert eventually(lambda: curl(f"{server.url}/v1/subscriptions").json["total"] == 2)
    streams[1].next_of("tick")
    for stream in streams:
        stream.kill()
    assert eventually(lambda: curl(f"{server.url}/v1/subscriptions").json["total"] == 0)


def test_a_stream_that_ends_for_good_ends_at_the_client(open_stream, proxied):
    server, url = proxied
    stream = open_stream(f"{url}/v1/streams/ticks?limit=2")
    assert [event.type for event in stream.rest()] == ["subscribed", "tick", "tick", "end"]
    assert stream.exit_status() == 0


def test_resuming_and_answers_pass(open_stream, proxied):
    server, url = proxied
    news = f"{url}/v1/streams/news"
    ids = [post(news, {"data": number}).json["id"] for number in range(3)]
    stream = open_stream(news, "-H", f"Last-Event-ID: {ids[0]}")
    stream.next_of("subscribed")
    assert [stream.next().json, stream.next().json] == [1, 2]
    jobs = Jobs(url)
    receipt = jobs.start(4).json
    assert jobs.wait_until_over(receipt)["state"] == "succeeded"
    post(f"{url}/v1/jobs", request(-1)).problem(422, "input.terms")


def test_leaving_nginx_cancels_a_run_that_was_for_this_connection_only(open_stream, proxied):
    server, url = proxied
    stream = open_stream(
        f"{url}/v1/jobs?cancelOnDisconnect=true", "-H", "Accept: text/event-stream",
        "-H", "Content-Type: application/json",
        "--data", '{"kind":"square-root-sum","input":{"terms":9000000000000000}}',
    )
    job = f"{server.url}/v1/jobs/{stream.next_of('started').json['jobID']}"
    stream.kill()
    assert eventually(lambda: curl(job).json["state"] == "cancelled")


def test_compressed_events_pass_one_by_one(open_stream, proxied):
    server, url = proxied
    news = f"{url}/v1/streams/news"
    post(news, {"data": 0})
    stream = open_stream(f"{news}?limit=3", "--compressed")
    assert stream.head.headers["content-encoding"] == "gzip"
    assert stream.next().type == "subscribed"
    for number in range(3):
        text = f"{number}" * 1_000
        post(news, {"data": text})
        assert stream.next().data == text
    assert stream.next().type == "end"
    assert stream.exit_status() == 0
