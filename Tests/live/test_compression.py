"""Streams in the content coding gzip: each client reads in them, at once, what a plain stream says."""

import gzip
import json
import signal
import subprocess
import threading
import uuid
from pathlib import Path

import playwright
import pytest
import requests
from conftest import blank_tab, eventually
from curl import TIMEOUT, curl, post
from raw import answer_to

GZIP = ("-H", "Accept-Encoding: gzip")
ROWS = 24  # about 2 kB of JSON


def rows(number):
    """An event's data as a service might send it: 2 kB of records, with much that is alike and much that is not."""
    return {
        "n": number,
        "rows": [
            {"id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{number}.{row}")), "price": number * 7 + row, "open": True}
            for row in range(ROWS)
        ],
    }


@pytest.fixture
def topic(server):
    """The URL of a new topic whose subscribers get every event."""
    url = f"{server.url}/v1/streams/compressed-{uuid.uuid4()}"
    assert post(url, {"data": "the topic's first"}).status == 201
    return url


def publish(topic, data):
    assert post(topic, {"event": "rows", "data": data}).status == 200


def without_subscription(text):
    """The body from behind `subscribed`, which names each subscription itself."""
    greeting, _, rest = text.partition("\n\n")
    assert "event: subscribed\n" in greeting
    return rest


def is_gzipped(headers):
    assert headers["vary"] == "Accept-Encoding"
    return headers.get("content-encoding") == "gzip"


class RawBody:
    """A stream's body in a file as it was received, but for the chunks, which curl has taken away."""

    def __init__(self, url, path, *arguments):
        self.path, self.heads = path, path.with_suffix(".head")
        self.process = subprocess.Popen(
            ["curl", "-sN", "--max-time", str(TIMEOUT), "-D", self.heads, "-o", path, *GZIP, *arguments, url]
        )
        # The head and the greeting.
        eventually(lambda: path.exists() and path.stat().st_size > 50)

    def complete(self):
        """The text, when the body has ended as it should: `gzip -t` looks at the trailer."""
        assert self.process.wait(TIMEOUT) == 0
        assert "content-encoding: gzip" in self.heads.read_text().lower()
        subprocess.run(["gzip", "-t"], stdin=self.path.open(), check=True)
        return gzip.decompress(self.path.read_bytes()).decode()


class TestCurl:
    def test_a_compressed_stream_is_what_a_plain_one_is(self, open_stream, topic):
        url = f"{topic}?limit=20"
        plain, compressed = open_stream(url), open_stream(url, "--compressed")
        assert not is_gzipped(plain.head.headers) and is_gzipped(compressed.head.headers)
        for stream in (plain, compressed):
            assert stream.next().type == "subscribed"
        for number in range(20):
            publish(topic, rows(number) if number % 3 else number)
            # It has come before anything follows it.
            assert compressed.next().json == (rows(number) if number % 3 else number)
        for stream in (plain, compressed):
            stream.rest()
            assert stream.exit_status() == 0
        assert without_subscription(compressed.text) == without_subscription(plain.text)

    def test_who_comes_late_or_resumes_gets_the_same_bytes(self, open_stream, topic):
        for number in range(5):
            publish(topic, rows(number))
        first = curl(f"{topic}?limit=5&lastEventId=nothing-known").body
        ids = [line.removeprefix("id: ") for line in first.split("\n") if line.startswith("id: ")]
        for after in (ids[0], ids[2]):
            arguments = ("-H", f"Last-Event-ID: {after}")
            plain = curl(f"{topic}?limit=2", *arguments).body
            assert without_subscription(curl(f"{topic}?limit=2", *arguments, "--compressed").body) == (
                without_subscription(plain)
            )

    def test_http_1_0(self, topic, open_stream):
        stream = open_stream(f"{topic}?limit=2", "--compressed", "--http1.0")
        assert is_gzipped(stream.head.headers) and "transfer-encoding" not in stream.head.headers
        assert stream.next().type == "subscribed"
        publish(topic, rows(1))
        publish(topic, rows(2))
        assert [event.type for event in stream.rest()] == ["rows", "rows", "end"]
        assert stream.exit_status() == 0

    def test_a_run_that_is_started_and_watched_in_one_request(self, server):
        body = json.dumps({"kind": "square-root-sum", "input": {"terms": 1_000}})
        arguments = ("-H", "Content-Type: application/json", "-H", "Accept: text/event-stream", "-d", body)
        reply = curl(f"{server.url}/v1/jobs", "--compressed", *arguments)
        assert is_gzipped(reply.headers) and "location" in reply.headers
        assert "event: succeeded\n" in reply.body
        assert "event: end\n" in reply.body and reply.body.endswith("}\n\n")

    def test_several_topics(self, server, topic, open_stream):
        name = topic.removeprefix(f"{server.url}/v1/streams/")
        stream = open_stream(f"{server.url}/v1/events?topic=ticks&topic={name}", "--compressed")
        assert is_gzipped(stream.head.headers)
        publish(topic, rows(1))
        assert stream.next_of("rows").json["data"] == rows(1)
        assert stream.next_of("tick").json["topic"] == "ticks"

    def test_comments_come_while_nothing_is_published(self, start_server, open_stream):
        server = start_server("--tick-interval", "3600s", "--heartbeat", "100ms")
        stream = open_stream(f"{server.url}/v1/streams/ticks", "--compressed")
        assert is_gzipped(stream.head.headers)
        eventually(lambda: stream.comments >= 3)


class TestTheBodyItself:
    def test_it_is_whole_at_the_limit_and_takes_less_than_half(self, topic, tmp_path):
        body = RawBody(f"{topic}?limit=10", tmp_path / "body.gz")
        for number in range(10):
            publish(topic, rows(number))
        text = body.complete()
        assert text.endswith('event: end\ndata: {"reason":"limit"}\n\n')
        assert [json.loads(line[6:]) for line in text.split("\n") if line.startswith("data: {\"n\"")] == [
            rows(number) for number in range(10)
        ]
        assert body.path.stat().st_size < len(text) / 2

    def test_it_is_whole_when_the_subscription_is_cancelled(self, server, topic, tmp_path):
        body = RawBody(topic, tmp_path / "body.gz")
        publish(topic, rows(1))
        name = topic.removeprefix(f"{server.url}/v1/streams/")
        [own] = [s for s in server.get("/v1/subscriptions")["subscriptions"] if name in s["topics"]]
        assert curl(f"{server.url}/v1/subscriptions/{own['id']}", "-X", "DELETE").status == 204
        assert body.complete().endswith('event: end\ndata: {"reason":"cancelled"}\n\n')

    def test_it_is_whole_when_the_server_stops(self, start_server, tmp_path):
        server = start_server("--tick-interval", "50ms")
        body = RawBody(f"{server.url}/v1/streams/ticks", tmp_path / "body.gz")
        old = RawBody(f"{server.url}/v1/streams/ticks", tmp_path / "old.gz", "--http1.0")
        assert server.stop() == 0
        for one in (body, old):
            assert "\n\nretry: " in one.complete()

    def test_it_has_no_trailer_when_the_connection_breaks(self, start_server, tmp_path):
        server = start_server("--tick-interval", "50ms")
        body = RawBody(f"{server.url}/v1/streams/ticks", tmp_path / "body.gz")
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(TIMEOUT)
        assert body.process.wait(TIMEOUT) != 0
        assert subprocess.run(["gzip", "-t"], stdin=body.path.open(), stderr=subprocess.DEVNULL).returncode == 1

    def test_each_event_is_compressed_once_for_all(self, start_server, open_stream):
        server = start_server("--tick-interval", "3600s")
        topic = f"{server.url}/v1/streams/shared"
        assert post(topic, {"data": 0}).status == 201
        streams = [open_stream(f"{topic}?limit=20", "--compressed") for _ in range(10)]
        for stream in streams:
            stream.next()
        for number in range(20):
            publish(topic, rows(number))
        for stream in streams:
            assert len(stream.rest()) == 21
        lines = curl(f"{server.url}/metrics").body.split("\n")
        [count] = [line.split(" ")[1] for line in lines if line.startswith("runcast_stream_compressions_total ")]
        # The events; for each stream the greeting; and for each its own `end`.
        assert int(count) == 20 + 10 + 10


class TestNegotiation:
    @pytest.mark.parametrize(
        "field",
        ["gzip;q=0", "identity", "deflate, br", "", "*;q=0", "gzip;q=0.5, identity", "gzip;q=nonsense", "gzip;", "zip"],
    )
    def test_who_does_not_want_gzip_gets_none(self, server, field):
        # curl leaves out a field without a value unless it ends with a semicolon.
        argument = f"Accept-Encoding: {field}" if field else "Accept-Encoding;"
        reply = curl(f"{server.url}/v1/streams/ticks?limit=1", "-H", argument)
        assert not is_gzipped(reply.headers)
        assert "event: tick\n" in reply.body

    @pytest.mark.parametrize("field", ["gzip", "x-gzip", "*", "deflate, gzip;q=0.1", "GZIP;q=1.0", "identity;q=0, *"])
    def test_who_wants_it_gets_it(self, server, field):
        reply = curl(f"{server.url}/v1/streams/ticks?limit=1", "--compressed", "-H", f"Accept-Encoding: {field}")
        assert is_gzipped(reply.headers)
        assert "event: tick\n" in reply.body

    def test_the_field_may_come_in_parts(self, server):
        fields = ("-H", "Accept-Encoding: br", "-H", "Accept-Encoding: gzip")
        assert is_gzipped(curl(f"{server.url}/v1/streams/ticks?limit=1", "--compressed", *fields).headers)

    def test_head_tells_what_get_would(self, server):
        for fields in ((), GZIP, ("-H", "Accept-Encoding: gzip;q=0")):
            head = curl(f"{server.url}/v1/streams/ticks", "-I", *fields)
            assert (head.status, is_gzipped(head.headers), head.body) == (200, fields == GZIP, "")

    def test_other_answers_are_plain(self, server):
        for path in ("/v1/streams", "/v1/streams/no-such-topic", "/metrics", "/"):
            assert "content-encoding" not in curl(f"{server.url}{path}", *GZIP).headers

    def test_a_client_that_is_told_to_come_back_is_told_in_plain_words(self, start_server, open_stream):
        server = start_server("--max-subscriptions", "1")
        open_stream(f"{server.url}/v1/streams/ticks").next()
        reply = curl(f"{server.url}/v1/streams/ticks", *GZIP, "-H", "Accept: text/event-stream")
        assert not is_gzipped(reply.headers) and reply.body.startswith("retry: ")

    def test_it_can_be_switched_off(self, start_server):
        server = start_server("--stream-compression", "off", "--tick-interval", "50ms")
        reply = curl(f"{server.url}/v1/streams/ticks?limit=1", "--compressed")
        assert "content-encoding" not in reply.headers and "vary" not in reply.headers
        assert "event: tick\n" in reply.body

    def test_a_request_that_no_client_sends(self, server):
        lines = (b"GET /v1/streams/ticks?limit=1 HTTP/1.1", b"Host: localhost", b"Accept-Encoding: \xff\xfe, gzip;q=\x80")
        received = answer_to(server.port, b"\r\n".join(lines) + b"\r\n\r\n")
        assert received.startswith(b"HTTP/1.1 200 ") and b"event: tick\n" in received


class TestBrowser:
    @pytest.fixture
    def tab(self, browser, server):
        with blank_tab(browser, server.url) as tab:
            yield tab

    def test_event_source(self, tab, topic):
        head = tab.evaluate(
            """async (url) => {
                window.got = [];
                window.source = new EventSource(url);
                source.addEventListener("rows", (event) => got.push(JSON.parse(event.data)));
                await new Promise((resolve) => source.addEventListener("subscribed", resolve));
            }""",
            topic,
        )
        assert head is None
        for number in range(5):
            publish(topic, rows(number))
            # Before anything follows it.
            tab.wait_for_function("count => got.length === count", arg=number + 1)
        assert tab.evaluate("got") == [rows(number) for number in range(5)]
        tab.evaluate("source.close()")

    def test_fetch(self, tab, topic):
        encoding = tab.evaluate(
            """async (url) => {
                window.text = "";
                const response = await fetch(url);
                const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
                window.done = (async () => {
                    for (;;) {
                        const { value, done } = await reader.read();
                        if (done) return true;
                        text += value;
                    }
                })();
                return response.headers.get("Content-Encoding");
            }""",
            f"{topic}?limit=5",
        )
        assert encoding == "gzip"
        for number in range(5):
            publish(topic, rows(number))
            tab.wait_for_function("count => text.split('event: rows').length === count + 1", arg=number + 1)
        # A wrong trailer would be a network error.
        assert tab.evaluate("done") is True
        assert tab.evaluate("text").endswith('event: end\ndata: {"reason":"limit"}\n\n')


class TestOtherClients:
    def test_python_requests(self, topic):
        with requests.get(f"{topic}?limit=3", stream=True, timeout=TIMEOUT) as response:
            assert response.headers["Content-Encoding"] == "gzip"
            lines = response.iter_lines(chunk_size=1, decode_unicode=True)
            for number in range(3):
                publish(topic, rows(number))
                line = next(line for line in lines if line.startswith("data: {\"n\""))
                assert json.loads(line[6:]) == rows(number)
            assert [line for line in lines if line][-1] == 'data: {"reason":"limit"}'

    def test_node_fetch(self, topic):
        node = Path(playwright.__file__).parent / "driver" / "node"
        script = """
            const response = await fetch(process.argv[1]);
            console.log(response.headers.get("content-encoding"));
            const decoder = new TextDecoder();
            for await (const bytes of response.body) process.stdout.write(decoder.decode(bytes, { stream: true }));
            console.log("whole");
        """
        command = [node, "--input-type=module", "-e", script, f"{topic}?limit=3"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        watch = threading.Timer(TIMEOUT, process.kill)
        watch.start()
        assert process.stdout.readline() == "gzip\n"
        for number in range(3):
            publish(topic, rows(number))
            line = next(line for line in process.stdout if line.startswith("data: {\"n\""))
            assert json.loads(line[6:]) == rows(number)
        assert process.stdout.read().endswith('data: {"reason":"limit"}\n\nwhole\n')
        watch.cancel()
        assert process.wait(TIMEOUT) == 0
