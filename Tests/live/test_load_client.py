"""The benchmark's load client must see every mistake that a server can make: here is one that makes them."""

import gzip
import os
import re
import zlib

import pytest
from load_server import (
    CLOSE, LAST_CHUNK, LATER, OPEN_HEAD, RESET, LoadServer,
    build_programs, chunk, event, faithful, run_load, run_program,
)  # fmt: skip

SUBSCRIBERS, EVENTS = 3, 20  # of run_load's defaults
ERRORS = (
    "failedSubscriptions", "missing", "gaps", "conflated", "repeats", "outOfOrder", "malformed", "closed", "truncated",
    "announcedGaps", "publishRefused", "publishUnanswered", "publishReconnects",
)

GZIP_HEAD = OPEN_HEAD.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")


@pytest.fixture(scope="module", autouse=True)
def programs():
    build_programs()


@pytest.fixture
def serve():
    servers = []

    def start(*arguments, **named):
        servers.append(LoadServer(*arguments, **named))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def errors(report):
    return {name: report[name] for name in ERRORS if report[name] != 0}


def assert_all_delivered(report, **expected_errors):
    assert errors(report) == expected_errors
    assert report["published"] == EVENTS
    assert report["expected"] == report["delivered"] == report["latencyMicroseconds"]["count"] == SUBSCRIBERS * EVENTS
    assert report["drained"] and report["upToDate"] == SUBSCRIBERS


def at(wanted, mistake):
    """A script that is faithful but for one event, for which it does what `mistake(data)` gives."""
    return lambda number, data: mistake(data) if number == wanted else faithful(number, data)


class TestFaithfulServers:
    def test_every_event_is_counted(self, serve):
        report = run_load(serve().port)
        assert_all_delivered(report)
        assert report["ready"] == SUBSCRIBERS
        assert report["publishMicroseconds"]["count"] == EVENTS
        assert report["firstByteMicroseconds"]["count"] == SUBSCRIBERS

    def test_quantiles_are_in_order(self, serve):
        latency = run_load(serve().port)["latencyMicroseconds"]
        assert 0 < latency["p50"] <= latency["p90"] <= latency["p99"] <= latency["p999"] <= latency["max"]

    def test_events_of_the_warm_up_are_checked_but_not_measured(self, serve):
        report = run_load(serve().port, "--warmup", 0.02)
        assert errors(report) == {}
        assert report["publishedWithWarmup"] == EVENTS and 0 < report["published"] < EVENTS
        assert report["expected"] == report["delivered"] == SUBSCRIBERS * report["published"]
        assert report["deliveredWithWarmup"] == SUBSCRIBERS * EVENTS

    @pytest.mark.parametrize("line_end", [b"\r\n", b"\r", b"\n"])
    def test_any_line_end_will_do(self, serve, line_end):
        assert_all_delivered(run_load(serve(lambda number, data: [chunk(event(data, line_end))]).port))

    def test_single_bytes_will_do(self, serve):
        def script(number, data):
            return [bytes([byte]) for byte in chunk(event(data))]

        assert_all_delivered(run_load(serve(script).port))

    def test_events_may_be_cut_by_chunks(self, serve):
        def script(number, data):
            text = event(data)
            return [chunk(text[:3]) + chunk(text[3:40]), chunk(text[40:])]

        assert_all_delivered(run_load(serve(script).port))

    def test_the_last_event_is_waited_for(self, serve):
        def script(number, data):
            whole = chunk(event(data))
            return [whole[:50], LATER, whole[50:]] if number == EVENTS else [whole]

        assert_all_delivered(run_load(serve(script).port, "--drain", 30))

    def test_those_that_end_are_not_waited_for(self, serve):
        report = run_load(serve(at(EVENTS, lambda data: [LATER, LAST_CHUNK, CLOSE])).port, "--drain", 30)
        assert errors(report) == {"closed": SUBSCRIBERS, "missing": SUBSCRIBERS}
        assert report["drained"]

    def test_large_events_will_do(self, serve):
        report = run_load(serve().port, "--size", 200_000)
        assert_all_delivered(report)
        assert report["plainBytes"] > SUBSCRIBERS * EVENTS * 200_000

    def test_a_stream_without_chunks_will_do(self, serve):
        assert_all_delivered(run_load(serve(lambda number, data: [event(data)], head=OPEN_HEAD).port))

    def test_comments_and_other_events_are_told_apart(self, serve):
        def other(data):
            return [chunk(b":\n\nretry: 100\n\nevent: subscribed\ndata: {}\n\n" + event(data))]

        report = run_load(serve(at(7, other)).port)
        assert_all_delivered(report)
        assert report["comments"] == report["otherEvents"] == SUBSCRIBERS

    def test_events_in_envelopes_are_found(self, serve):
        def script(number, data):
            return [chunk(event(b'{"topic":"t","id":"1","data":' + data + b"}"))]

        assert_all_delivered(run_load(serve(script).port))

    @pytest.mark.parametrize("order", ["round-robin", "random"])
    def test_topics_are_numbered_apart(self, serve, order):
        report = run_load(
            serve().port, "--subscribers", 8, "--topics", 4, "--path", "/topic/%d", "--publish-path", "/topic/%d",
            "--publish-topic", order,
        )
        assert errors(report) == {}
        # Each event goes to the two subscribers of its topic.
        assert report["expected"] == report["delivered"] == 2 * EVENTS

    def test_headers_are_sent(self, serve):
        server = serve()
        run_load(server.port, "--header", "Accept-Language: de", "--header", "X-Test: 1")
        assert len(server.requests) == SUBSCRIBERS
        for request in server.requests:
            assert b"\r\nAccept-Language: de\r\nX-Test: 1\r\n" in request

    def test_source_addresses_are_spread(self, serve):
        server = serve()
        assert_all_delivered(run_load(server.port, "--addresses", 3))
        assert server.addresses == {"127.0.0.1", "127.0.0.2", "127.0.0.3"}

    def test_connections_can_be_slowed_down(self, serve):
        report = run_load(serve().port, "--connect-rate", 200, "--connect-in-flight", 1)
        assert_all_delivered(report)
        # The third may not start before two intervals have passed.
        assert report["connectSeconds"] >= 2 / 200

    def test_it_can_hold_connections_only(self, serve):
        report = run_load(serve().port, "--no-publish", "--duration", 0.1)
        assert errors(report) == {}
        assert report["ready"] == SUBSCRIBERS and report["published"] == report["expected"] == 0

    def test_processes_are_measured(self, serve):
        # This one is the server.
        report = run_load(serve().port, "--pid", os.getpid())
        assert report["serverCPUSeconds"] > 0
        per_event = report["serverCPUSeconds"] * 1e6 / report["measuredDeliveries"]
        assert report["cpuMicrosecondsPerEvent"] == pytest.approx(per_event)
        for name in ("rssBeforeKiB", "rssConnectedKiB", "rssEndKiB"):
            assert 1_000 < report[name] < 10_000_000


class TestMistakes:
    def test_a_repeated_event(self, serve):
        report = run_load(serve(at(5, lambda data: 2 * faithful(5, data))).port)
        assert_all_delivered(report, repeats=SUBSCRIBERS)

    def test_a_left_out_event(self, serve):
        report = run_load(serve(at(5, lambda data: [])).port)
        assert errors(report) == {"gaps": SUBSCRIBERS}
        assert report["expected"] == SUBSCRIBERS * EVENTS
        assert report["delivered"] == SUBSCRIBERS * (EVENTS - 1)

    def test_the_first_event_left_out(self, serve):
        assert errors(run_load(serve(at(1, lambda data: [])).port)) == {"gaps": SUBSCRIBERS}

    def test_a_left_out_value_is_conflated_if_only_the_latest_counts(self, serve):
        report = run_load(serve(at(5, lambda data: [])).port, "--latest")
        assert errors(report) == {"conflated": SUBSCRIBERS}
        assert report["upToDate"] == SUBSCRIBERS

    @pytest.mark.parametrize("flags", [[], ["--latest"]])
    def test_the_last_event_left_out(self, serve, flags):
        report = run_load(serve(at(EVENTS, lambda data: [])).port, *flags)
        assert errors(report) == {"missing": SUBSCRIBERS}
        assert not report["drained"] and report["upToDate"] == 0

    def test_swapped_events(self, serve):
        held = []

        def script(number, data):
            # The fifth comes behind the sixth.
            if number == 5:
                held.append(data)
                return []
            return faithful(6, data) + faithful(5, held[0]) if number == 6 else faithful(number, data)

        assert_all_delivered(run_load(serve(script).port), outOfOrder=SUBSCRIBERS)

    @pytest.mark.parametrize("change", [
        lambda data: data.replace(b'"seq":5', b'"seq":x'),
        lambda data: data.replace(b'"seq":5', b'"seq":05'),
        lambda data: data[:-1],
        lambda data: data + b" ",
        lambda data: data[:60] + b"#" + data[61:],
        lambda data: data.replace(b",", b", "),
    ])
    def test_a_changed_event(self, serve, change):
        report = run_load(serve(at(5, lambda data: faithful(5, change(data)))).port)
        assert errors(report) == {"malformed": SUBSCRIBERS, "gaps": SUBSCRIBERS}

    def test_an_event_from_the_future(self, serve):
        def later(data):
            return re.sub(rb'(?<="sent":)\d+', lambda match: b"9" * len(match[0]), data)

        report = run_load(serve(at(5, lambda data: faithful(5, later(data)))).port)
        assert errors(report) == {"malformed": SUBSCRIBERS}
        assert report["latencyMicroseconds"]["count"] == SUBSCRIBERS * (EVENTS - 1)

    def test_an_unknown_field(self, serve):
        report = run_load(serve(at(5, lambda data: [chunk(b"dat: x\n" + event(data))])).port)
        assert_all_delivered(report, malformed=SUBSCRIBERS)

    def test_an_announced_gap(self, serve):
        report = run_load(serve(at(5, lambda data: [chunk(b"event: gap\ndata: {}\n\n")])).port)
        assert errors(report) == {"gaps": SUBSCRIBERS, "announcedGaps": SUBSCRIBERS}

    @pytest.mark.parametrize("difference", [1, -1])
    def test_a_wrong_chunk_size(self, serve, difference):
        def wrong(data):
            text = event(data)
            return [b"%x\r\n%b\r\n" % (len(text) + difference, text)]

        report = run_load(serve(at(5, wrong)).port)
        # Nothing can be read behind it.
        assert report["malformed"] == SUBSCRIBERS
        assert report["delivered"] <= SUBSCRIBERS * 5
        assert "chunk" in report["firstError"]

    @pytest.mark.parametrize("pieces, truncated", [
        ([LAST_CHUNK, CLOSE], 0),
        ([CLOSE], SUBSCRIBERS),
        ([b"40\r\ndata: ", CLOSE], SUBSCRIBERS),
        ([RESET], SUBSCRIBERS),
    ])
    def test_an_early_end(self, serve, pieces, truncated):
        report = run_load(serve(at(5, lambda data: pieces)).port)
        found = errors(report)
        assert found.pop("truncated", 0) == truncated
        # A reset may take with it what had not been read.
        assert found.pop("missing") >= SUBSCRIBERS * 16
        assert found == {"closed": SUBSCRIBERS}
        assert report["drained"]

    def test_bytes_behind_the_end(self, serve):
        report = run_load(serve(at(5, lambda data: [LAST_CHUNK + b"x", CLOSE])).port)
        assert report["malformed"] == SUBSCRIBERS

    def test_a_body_cut_within_an_event(self, serve):
        def script(number, data):
            return [event(data)[:-1], CLOSE] if number == 5 else [event(data)]

        report = run_load(serve(script, head=OPEN_HEAD).port)
        assert errors(report) == {"missing": SUBSCRIBERS * 16, "closed": SUBSCRIBERS, "truncated": SUBSCRIBERS}

    @pytest.mark.parametrize("head, reason", [
        (b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", "status"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "content type"),
        (GZIP_HEAD, "not asked for"),
        (b"SSE/1.1 200 OK\r\n\r\n", "status line"),
    ])
    def test_a_wrong_head(self, serve, head, reason):
        result = run_program("sse-load", "--port", serve(head=head).port, "--publish-path", "/a", "--rate", 1)
        assert result.returncode == 1 and result.stdout == ""
        assert result.stderr.startswith("sse-load: no subscriber is ready:") and reason in result.stderr


class TestPublishing:
    def test_a_refused_event(self, serve):
        def answer(number):
            status = b"503 Service Unavailable" if number == 5 else b"200 OK"
            return b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\n{}"

        assert_all_delivered(run_load(serve(answer=answer).port), publishRefused=1)

    def test_a_connection_that_is_closed_after_each_answer(self, serve):
        server = serve(answer=lambda number: b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        # One at a time: what is behind in the pipe would be lost, and counted.
        report = run_load(server.port, "--publish-in-flight", 1)
        assert_all_delivered(report, publishReconnects=EVENTS)

    def test_a_body_goes_between_prefix_and_suffix(self, serve):
        bodies = []

        def script(number, body):
            bodies.append(body)
            return faithful(number, body.removeprefix(b'{"data":').removesuffix(b"}"))

        assert_all_delivered(
            run_load(serve(script).port, "--publish-prefix", '{"data":', "--publish-suffix", "}")
        )
        assert all(body.startswith(b'{"data":{"seq":') and body.endswith(b'"}}') for body in bodies)


class TestSlowReaders:
    def test_stuck_ones_are_counted_apart(self, serve):
        report = run_load(serve().port, "--stuck", 1)
        assert errors(report) == {}
        assert report["expected"] == report["delivered"] == (SUBSCRIBERS - 1) * EVENTS
        assert report["stuck"]["upToDateInTime"] == 0
        # In the end it is let off the leash, and finds what the system has kept for it.
        assert report["stuck"]["upToDate"] == 1
        assert report["stuck"]["newestSeqGreatest"] == EVENTS

    @pytest.mark.parametrize("bytes_per_second, up_to_date_in_time", [(100, 0), (100_000, 1)])
    def test_slow_ones_are_counted_apart(self, serve, bytes_per_second, up_to_date_in_time):
        report = run_load(serve().port, "--slow", 1, "--slow-bytes-per-second", bytes_per_second, "--stuck", 1)
        assert report["expected"] == report["delivered"] == (SUBSCRIBERS - 2) * EVENTS
        assert report["slow"]["upToDateInTime"] == up_to_date_in_time
        assert report["slow"]["count"] == report["slow"]["upToDate"] == 1
        assert report["slow"]["delivered"] == EVENTS and report["slow"]["gaps"] == 0

    def test_values_left_out_for_a_slow_one_are_conflated(self, serve):
        report = run_load(serve(at(5, lambda data: [])).port, "--slow", SUBSCRIBERS, "--latest")
        assert report["slow"]["conflated"] == SUBSCRIBERS and report["slow"]["gaps"] == 0

    def test_stuck_ones_that_are_cut_off_are_counted(self, serve):
        report = run_load(serve(at(5, lambda data: [LAST_CHUNK, CLOSE])).port, "--stuck", SUBSCRIBERS)
        assert report["stuck"]["closed"] == SUBSCRIBERS
        assert report["stuck"]["newestSeqLeast"] == report["stuck"]["newestSeqGreatest"] == 4
        assert report["closed"] == 0


class TestCompression:
    def test_a_gzip_stream_that_is_flushed(self, serve):
        compressor = zlib.compressobj(wbits=31)

        def script(number, data):
            return [compressor.compress(event(data)) + compressor.flush(zlib.Z_SYNC_FLUSH)]

        server = serve(script, head=GZIP_HEAD)
        report = run_load(server.port, "--gunzip", "--size", 2000)
        assert_all_delivered(report)
        assert report["bytesReceived"] < report["plainBytes"] / 2
        assert all(b"\r\nAccept-Encoding: gzip\r\n" in request for request in server.requests)

    def test_a_member_for_each_event(self, serve):
        server = serve(lambda number, data: [gzip.compress(event(data))], head=GZIP_HEAD)
        assert_all_delivered(run_load(server.port, "--gunzip"))

    def test_a_server_that_does_not_compress(self, serve):
        report = run_load(serve().port, "--gunzip")
        assert_all_delivered(report)
        assert report["compressedStreams"] == 0

    def test_a_wrong_checksum(self, serve):
        def script(number, data):
            member = bytearray(gzip.compress(event(data)))
            member[-8] ^= number == 5
            return [bytes(member)]

        report = run_load(serve(script, head=GZIP_HEAD).port, "--gunzip")
        assert report["malformed"] == SUBSCRIBERS
        assert report["firstError"] == "bad compressed bytes"


class TestOptions:
    @pytest.mark.parametrize("arguments, hint", [
        ([], "--port"),
        (["--port", "0"], "--port"),
        (["--port", "80a"], "80a"),
        (["--port"], "needs a value"),
        (["--wrong"], "--wrong"),
        (["--port", "1", "--rate", "1"], "--publish-path"),
        (["--port", "1", "--publish-path", "/a"], "--rate"),
        (["--port", "1", "--publish-path", "a", "--rate", "1"], "--publish-path"),
        (["--port", "1", "--no-publish", "--stuck", "2"], "--stuck"),
        (["--port", "1", "--no-publish", "--header", "a"], "Name: value"),
        (["--port", "1", "--no-publish", "--pid", "x"], "--pid"),
        (["--port", "1", "--no-publish", "--size", "1.5"], "integer"),
        (["--port", "1", "--no-publish", "--duration", "nan"], "--duration"),
    ])
    def test_a_wrong_option(self, arguments, hint):
        result = run_program("sse-load", *arguments)
        assert result.returncode == 2 and result.stdout == ""
        assert hint in result.stderr and result.stderr.count("\n") == 1

    def test_help(self):
        result = run_program("sse-load", "--help")
        assert result.returncode == 0 and "--subscribers" in result.stdout

    def test_a_server_that_is_not_there(self, serve):
        server = serve()
        server.stop()
        result = run_program("sse-load", "--port", server.port, "--no-publish")
        assert result.returncode == 1 and "refused" in result.stderr
