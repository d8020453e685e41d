"""Requests that two servers in a row could read differently, or that abuse one: each gets its answer and its end."""

import json

import pytest
from conftest import eventually
from curl import curl
from raw import answer_to, connect, exchange, read_to_end, statuses

HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
# What an attacker would smuggle in as a request of its own.
INNER = b"POST /v1/streams/smuggled HTTP/1.1\r\n" + HOST + JSON + b'Content-Length: 10\r\n\r\n{"data":1}'
PUBLISH = b"POST /v1/streams/framing HTTP/1.1\r\n" + HOST + JSON


@pytest.fixture(scope="module")
def port(server):
    return server.port


@pytest.fixture(autouse=True)
def survives(server):
    """Whatever was sent, the server goes on and nothing was smuggled in."""
    yield
    assert curl(f"{server.url}/livez").status == 200
    assert curl(f"{server.url}/v1/streams?prefix=smuggled").json["total"] == 0


def refusal(received):
    """The status with which one request was refused and the connection ended.

    The answer is a problem document, unless the library under the server answered by itself, in HTML and without a
    content type. Version 0.9 of it sends the head of some such answers twice.
    """
    head, _, body = received.partition(b"\r\n\r\n")
    (status,) = set(statuses(received))
    assert b"connection: close" in head.lower(), head
    if b"content-type:" in head.lower():
        problem = json.loads(body)
        assert problem["status"] == status and problem["type"] and problem["title"] and problem["detail"]
    else:
        assert body.endswith(b"</html>")
    return status


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 10\r\n" + CHUNKED,
        CHUNKED + b"Content-Length: 10\r\n",
        b"Content-Length: 10\r\nContent-Length: 10\r\n",
        b"Content-Length: 10\r\nContent-Length: 11\r\n",
        b"Content-Length: 10, 10\r\n",
        b"Content-Length: +10\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: 0x10\r\n",
        b"Content-Length: 1 0\r\n",
        b"Content-Length: \r\n",
        CHUNKED + CHUNKED,
        b"Transfer-Encoding: gzip\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding : chunked\r\n",
        b"Transfer-Encoding: \x0bchunked\r\n",
        b"X: a\r\n Transfer-Encoding: chunked\r\n",
        b"X: a\r\n\tfolded\r\n",
        b" X: a\r\n",
        b"X Y: a\r\n",
        b"X: a\nTransfer-Encoding: chunked\r\n",
        b"X: a\x00b\r\n",
        b"X\x00Y: a\r\n",
        b"X: a\rb\r\n",
        b"X: \x7f\r\n",
        b": empty\r\n",
        b"no colon\r\n",
        HOST,
        b"Host: other.example\r\n",
    ],
)
def test_an_ambiguous_head_is_refused_and_ends_the_connection(port, head):
    received = answer_to(port, PUBLISH + head + b"\r\n" + INNER)
    assert refusal(received) == 400


@pytest.mark.parametrize(
    "request_line",
    [
        b"GET / HTTP/1.1\n", b"GET  / HTTP/1.1\r\n", b"GET /  HTTP/1.1\r\n", b"GET / HTTP/1.1 \r\n", b"GET\t/ HTTP/1.1\r\n",
        b"GET /a b HTTP/1.1\r\n", b"G@T / HTTP/1.1\r\n", b"GET /%00 HTTP/1.1\r\n", b"GET /index.html%00.js HTTP/1.1\r\n",
        b"GET /\x00 HTTP/1.1\r\n", b"GET /%zz HTTP/1.1\r\n", b"GET /%4 HTTP/1.1\r\n", b"GET /%ff%fe HTTP/1.1\r\n",
        b"GET /%c0%ae%c0%ae/ HTTP/1.1\r\n", b"GET /v1/jobs?state=%0 HTTP/1.1\r\n", b"GET /?a=%00 HTTP/1.1\r\n",
        b"GET /\xff HTTP/1.1\r\n", b"GET /#fragment HTTP/1.1\r\n", b"GET index.html HTTP/1.1\r\n",
        b"GET ftp://localhost/ HTTP/1.1\r\n", b"GET http://user@localhost/ HTTP/1.1\r\n", b"GET * HTTP/1.1\r\n",
        b"CONNECT localhost:80 HTTP/1.1\r\n",
    ],
)
def test_a_bad_request_line_is_refused_and_ends_the_connection(port, request_line):
    received = exchange(port, request_line + HOST + b"\r\n" + INNER)
    assert statuses(received) in ([400], []), received[:300]
    if received:
        assert refusal(received) == 400


@pytest.mark.parametrize("host", [b"", b"Host:\r\nHost: localhost\r\n", b"Host: a, b\r\n", b"Host: a b\r\n", b"Host: u@a\r\n"])
def test_there_must_be_one_host(port, host):
    assert refusal(answer_to(port, b"GET /livez HTTP/1.1\r\n" + host + b"\r\n" + INNER)) == 400


def test_http_1_0_may_have_no_host_but_no_chunks_either(port):
    assert statuses(answer_to(port, b"GET /livez HTTP/1.0\r\n\r\n")) == [200]
    received = answer_to(port, b"POST /v1/streams/framing HTTP/1.0\r\n" + JSON + CHUNKED + b"\r\n" + INNER)
    assert refusal(received) == 400


@pytest.mark.parametrize("version", [b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.", b"HTTP/1.1.1", b"http/1.1", b"SPDY/3", b""])
def test_a_version_that_is_not_1_is_refused(port, version):
    received = exchange(port, b"GET /livez " + version + b"\r\n" + HOST + b"\r\n")
    assert statuses(received) in ([400], [505], []), received[:200]
    assert b"ok\n" not in received


class TestBodies:
    def test_a_length_that_promises_too_much_is_waited_for_and_then_dropped(self, port):
        assert exchange(port, PUBLISH + b'Content-Length: 100\r\n\r\n{"data":1}') == b""

    def test_a_length_that_promises_too_little_leaves_no_second_request(self, port):
        received = exchange(port, PUBLISH + b"Content-Length: 9\r\n\r\n" + b'{"data":1}' + b"\r\n\r\n")
        assert statuses(received)[0] == 400

    @pytest.mark.parametrize("length", [1 << 20 | 1, 1 << 31, 1 << 32, 1 << 63, 1 << 64, 10**30])
    def test_a_huge_length_is_refused_at_once(self, port, length):
        received = answer_to(port, PUBLISH + b"Content-Length: %d\r\n\r\n{" % length)
        assert refusal(received) in (400, 413)

    @pytest.mark.parametrize(
        "chunks",
        [
            b"ffffffffffffffffff\r\n{", b"-1\r\n{", b"0x1\r\n{", b"\r\n", b"g\r\n", b"1\r\n{}\r\n0\r\n\r\n",
            b"2\r\n{}x\r\n0\r\n\r\n", b"2 \r\n{}\r\n0\r\n\r\n" + INNER,
            b"0\r\nX: \x00\r\n\r\n" + INNER,
        ],
    )
    def test_bad_chunks_never_make_a_second_request(self, port, chunks):
        received = exchange(port, PUBLISH + CHUNKED + b"\r\n" + chunks)
        assert all(400 <= status < 500 for status in statuses(received)), received[:300]

    def test_good_chunks_are_one_body(self, port):
        chunks = b"4\r\n{\"da\r\n1;ext=\"a\"\r\nt\r\n5\r\na\":1}\r\n0\r\nTrailer: x\r\n\r\n"
        assert statuses(exchange(port, PUBLISH + CHUNKED + b"\r\n" + chunks))[0] in (200, 201)

    def test_endless_chunks_are_cut_off(self, port):
        piece = b"10000\r\n" + b" " * 65_536 + b"\r\n"
        with connect(port) as connection:
            connection.sendall(PUBLISH + CHUNKED + b"\r\n")
            with pytest.raises(OSError):
                for _ in range(2_000):
                    connection.sendall(piece)

    def test_expect_continue_is_not_answered_with_continue_when_the_body_is_refused(self, port):
        expecting = PUBLISH + b"Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n"
        assert refusal(answer_to(port, expecting)) == 413


class TestHeads:
    def test_a_huge_head_is_refused(self, port):
        huge = b"GET /livez HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 200_000 + b"\r\n\r\n"
        assert statuses(answer_to(port, huge)) in ([431], [])

    def test_an_endless_head_is_cut_off(self, port):
        with connect(port) as connection:
            connection.sendall(b"GET /livez HTTP/1.1\r\n")
            with pytest.raises(OSError):
                for number in range(200_000):
                    connection.sendall(b"X-%d: y\r\n" % number)

    def test_a_huge_target_is_refused(self, port):
        received = answer_to(port, b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n")
        assert statuses(received) in ([414], [431])


class TestStreams:
    WATCH = b"GET /v1/streams/ticks?limit=3 HTTP/1.1\r\n" + HOST + b"\r\n"

    def test_what_follows_a_request_for_a_stream_is_not_a_request(self, port):
        received = answer_to(port, self.WATCH + INNER + self.WATCH)
        assert statuses(received) == [200]
        assert received.count(b"event: tick") == 3 and received.endswith(b"0\r\n\r\n")

    def test_requests_before_one_for_a_stream_are_answered_in_order(self, port):
        received = answer_to(port, b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n" + self.WATCH)
        assert statuses(received) == [200, 200]
        assert received.index(b"ok\n") < received.index(b"event: subscribed")

    def test_what_is_sent_into_a_stream_is_dropped(self, server, port):
        with connect(port) as connection:
            connection.sendall(b"GET /v1/streams/ticks HTTP/1.1\r\n" + HOST + b"\r\n")
            while b"event: tick" not in connection.recv(65_536):
                pass
            for _ in range(20):
                connection.sendall(INNER * 100)
            while b"event: tick" not in connection.recv(65_536):
                pass
        eventually(lambda: curl(f"{server.url}/v1/subscriptions").json["total"] == 0)

    def test_every_chunk_holds_whole_events(self, port):
        body = answer_to(port, self.WATCH).partition(b"\r\n\r\n")[2]
        while body != b"0\r\n\r\n":
            size, _, rest = body.partition(b"\r\n")
            length = int(size, 16)
            assert rest[:length].endswith(b"\n\n") and rest[length : length + 2] == b"\r\n"
            body = rest[length + 2 :]


def test_many_requests_in_one_packet_are_answered_in_order(port):
    received = exchange(port, (b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n") * 50 + b"GET /nowhere HTTP/1.1\r\n" + HOST + b"\r\n")
    assert statuses(received) == [200] * 50 + [404]


def test_a_head_that_comes_byte_by_byte_is_a_head(port):
    with connect(port) as connection:
        for byte in b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n":
            connection.sendall(bytes([byte]))
        assert statuses(read_to_end(connection)) == [200]


@pytest.mark.parametrize(
    ("sent", "answers"),
    [
        (b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n", [200]),
        (b"GET /v1/kinds HTTP/1.1\r\n" + HOST + b"\r\n" + b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n", [200, 200]),
        (b"GET /livez HTTP/1.1\r\n" + HOST[:5], []),
        (PUBLISH + b"Content-Length: 100\r\n\r\n{", []),
        (PUBLISH + CHUNKED + b"\r\n5\r\n{", []),
    ],
    ids=["whole", "two", "head", "body", "chunk"],
)
def test_a_client_that_says_that_nothing_follows_is_not_waited_for(port, sent, answers):
    # Fifty, for it depends on what the server finds in one read.
    for _ in range(50):
        assert statuses(exchange(port, sent)) == answers
