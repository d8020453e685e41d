"""The benchmark's other programs: floors, the limit of square roots, and those that load a store."""

import contextlib
import json
import re
import socket
import subprocess
import urllib.request

import pytest
from conftest import eventually
from load_server import HEAD, LAST_CHUNK, PROGRAMS, LoadServer, build_programs, chunk, run_load, run_program


@pytest.fixture(scope="module", autouse=True)
def programs():
    build_programs()


@pytest.fixture
def floor():
    process = subprocess.Popen([PROGRAMS / "send-floor"], stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    match = re.fullmatch(r"send-floor: listening on (http://127\.0\.0\.1:(\d+))/\n", line)
    assert match, line
    process.url, process.port = match[1], int(match[2])
    yield process
    process.terminate()
    # What a sanitizer has to say comes there.
    assert process.communicate()[1] == ""


def get(url):
    with urllib.request.urlopen(url, timeout=10) as response:
        return json.load(response)


def assert_faultless(report):
    for name in ("failedSubscriptions", "missing", "gaps", "repeats", "outOfOrder", "malformed", "closed"):
        assert report[name] == 0, name


class TestSendFloor:
    def test_every_subscriber_gets_every_event(self, floor):
        report = run_load(floor.port, "--subscribers", 50)
        assert_faultless(report)
        assert report["delivered"] == report["expected"] == 50 * 20
        # One more frame, to nobody, made the topic.
        counts = get(floor.url + "/counts")
        assert (counts["frames"], counts["sends"]) == (21, 50 * 20)

    def test_a_topic_has_its_own_subscribers(self, floor):
        paths = ("--path", "/t/%d?policy=all", "--publish-path", "/t/%d")
        report = run_load(floor.port, "--subscribers", 50, "--topics", 10, *paths)
        assert_faultless(report)
        assert report["delivered"] == report["expected"] == 5 * 20
        assert get(floor.url + "/counts")["sends"] == 5 * 20

    def test_an_event_in_runcasts_body_is_unwrapped(self, floor):
        report = run_load(floor.port, "--publish-prefix", '{"data":', "--publish-suffix", "}")
        assert_faultless(report)
        assert report["delivered"] == report["expected"]

    def test_what_a_socket_does_not_take_is_sent_later(self, floor):
        # Larger than a socket's buffer, and together below what cuts a subscriber off.
        report = run_load(floor.port, "--size", 400_000, "--events", 2, "--drain", 30)
        assert_faultless(report)
        assert report["delivered"] == report["expected"] == 3 * 2
        assert get(floor.url + "/counts")["shortWrites"] >= 3 * 2

    def test_one_that_never_reads_is_cut_off_and_the_others_are_served(self, floor):
        # 2 MB in all; slow enough for the others to be far from the 1 MiB behind that cuts off.
        report = run_load(floor.port, "--stuck", 1, "--size", 100_000, "--rate", 20, "--drain", 30)
        assert_faultless(report)
        assert report["delivered"] == report["expected"] == 2 * 20
        assert report["stuck"]["closed"] == 1
        counts = get(floor.url + "/counts")
        assert counts["cutOff"] == 1 and counts["shortWrites"] > 0

    def test_it_forgets_those_who_leave(self, floor):
        run_load(floor.port, "--subscribers", 50)
        run_load(floor.port, "--subscribers", 5)
        assert get(floor.url + "/counts")["sends"] == 55 * 20

    def test_it_keeps_those_who_stay(self, floor):
        def subscribe():
            connection = socket.create_connection(("127.0.0.1", floor.port), timeout=10)
            connection.sendall(b"GET /t HTTP/1.1\r\nHost: a\r\n\r\n")
            stream = connection.makefile("rb")
            while stream.readline() != b"\r\n":
                pass
            return connection, stream

        def leave(connection, stream, left):
            stream.close()
            connection.close()
            eventually(lambda: get(floor.url + "/counts")["subscribers"] == left)

        first, second, third = subscribe(), subscribe(), subscribe()
        leave(*first, left=2)
        leave(*third, left=1)
        urllib.request.urlopen(floor.url + "/t", b"{}", timeout=10).close()
        assert [second[1].readline() for _ in range(3)] == [b"1a\r\n", b"id: e00000000-1\n", b"data: {}\n"]
        assert get(floor.url + "/counts")["sends"] == 1
        leave(*second, left=0)

    def test_a_static_answer_keeps_the_connection(self, floor):
        twice = 2 * [floor.url + "/static", "--output", "/dev/null"]
        result = subprocess.run(
            ["curl", "--silent", "--write-out", "%{num_connects} ", *twice],
            capture_output=True, text=True, timeout=20,
        )  # fmt: skip
        assert result.stdout == "1 0 "

    @pytest.mark.parametrize("arguments", [["--port"], ["--port", "65536"], ["--port", "1x"], ["x"]])
    def test_a_wrong_option(self, arguments):
        result = run_program("send-floor", *arguments)
        assert result.returncode == 2 and result.stderr.count("\n") == 1


class TestSquareRootLimit:
    def test_it_measures_one_core_and_all(self):
        result = run_program("square-root-limit", "--terms", 100_000, "--rounds", 3)
        assert (result.returncode, result.stderr) == (0, "")
        report = json.loads(result.stdout)
        single = [each for each in report["measurements"] if each["cores"] == 1]
        fastest = min(single, key=lambda each: each["nanosecondsPerTerm"])
        assert report["fastest"] == fastest["instructions"]
        assert report["oneCoreNanosecondsPerTerm"] == fastest["nanosecondsPerTerm"]
        for each in report["measurements"]:
            assert 0 < each["nanosecondsPerTerm"] <= each["nanosecondsPerTermMedian"]
        assert report["terms"] % 64 == 0 and report["terms"] >= 100_000

    @pytest.mark.parametrize("arguments", [["--terms"], ["--terms", "0"], ["--rounds", "1001"], ["x", "1"]])
    def test_a_wrong_option(self, arguments):
        result = run_program("square-root-limit", *arguments)
        assert result.returncode == 2 and result.stderr.count("\n") == 1


class TestCommitFloor:
    def test_it_writes_groups_and_leaves_nothing(self, tmp_path):
        result = run_program("commit-floor", "--folder", tmp_path, "--group", 64, "--milliseconds", 30)
        assert (result.returncode, result.stderr) == (0, "")
        report = json.loads(result.stdout)
        assert report["commits"] >= 1 and (report["bytes"], report["group"]) == (300, 64)
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_that_is_not_there(self, tmp_path):
        result = run_program("commit-floor", "--folder", tmp_path / "none")
        assert result.returncode == 1 and "none" in result.stderr

    @pytest.mark.parametrize("arguments", [[], ["--folder"], ["--folder", ".", "--group", "65"], ["--group", "-1"]])
    def test_a_wrong_option(self, arguments):
        result = run_program("commit-floor", *arguments)
        assert result.returncode == 2 and result.stderr.count("\n") == 1


@pytest.fixture
def scripted():
    """Starts servers with a script; see LoadServer."""
    with contextlib.ExitStack() as servers:

        def start(**script):
            server = LoadServer(**script)
            servers.callback(server.stop)
            return server

        yield start


class TestPostLoad:
    def post(self, server, *arguments):
        result = run_program(
            "post-load", "--port", server.port, "--path", "/topic", "--body", '{"seq":1}',
            "--milliseconds", 30_000, *arguments,
        )  # fmt: skip
        return result.returncode, result.stderr, json.loads(result.stdout or "{}")

    def test_only_answers_with_2xx_are_accepted(self, scripted):
        def answer(number):
            status = b"503 No" if number % 4 == 0 else b"202 Yes"
            return b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n"

        status, errors, report = self.post(scripted(answer=answer), "--connections", 3, "--requests", 20)
        assert (status, errors) == (0, "")
        assert (report["sent"], report["accepted"]) == (20, 15)
        assert report["statuses"] == {"202": 15, "503": 5}

    def test_every_request_is_awaited(self, scripted):
        server = scripted()
        _, _, report = self.post(server, "--connections", 5, "--milliseconds", 50)
        assert report["sent"] == report["accepted"] == server.published("/topic") >= 5

    def test_a_lost_connection_is_a_failure(self, scripted):
        answer = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        server = scripted(answer=lambda number: answer)
        status, errors, _ = self.post(server, "--requests", 5)
        assert status == 1 and "keep the connection" in errors

    @pytest.mark.parametrize(
        "arguments", [[], ["--port", "1"], ["--port", "0", "--path", "/"], ["--port", "1", "--x", "1"]]
    )
    def test_a_wrong_option(self, arguments):
        result = run_program("post-load", *arguments)
        assert result.returncode == 2 and result.stderr.count("\n") == 1


def numbered(*numbers):
    """A stream whose events have these numbers in their ids."""
    return b"".join(chunk(b"id: e-%d\ndata: {}\n\n" % number) for number in numbers)


class TestLogReaders:
    def read(self, server, *arguments, told=None):
        command = [PROGRAMS / "log-readers", "--port", server.port, "--path", "/topic", "--seconds", 20, *arguments]
        result = subprocess.run(list(map(str, command)), input=told, capture_output=True, text=True, timeout=60)
        assert (result.returncode, result.stderr) == (0, "")
        ready, _, report = result.stdout.partition("\n")
        assert ready == "ready"
        return json.loads(report)

    def test_readers_that_get_all_are_exact(self, scripted):
        server = scripted(head=HEAD + numbered(8, 9, 10))
        report = self.read(server, "--readers", 3, "--from", "e-7", "--events", 3)
        assert (report["readers"], report["exact"], report["events"], report["broken"]) == (3, 3, 9, 0)
        assert all(b"Last-Event-ID: e-7\r\n" in head for head in server.requests)

    def test_each_begins_at_its_place(self, scripted):
        server = scripted(head=HEAD + numbered(8, 9, 10))
        self.read(server, "--readers", 3, "--from", "e-7", "--from", "e-6", "--events", 1)
        begun = sorted(re.search(rb"Last-Event-ID: (\S+)", head)[1] for head in server.requests)
        assert begun == [b"e-6", b"e-7", b"e-7"]

    @pytest.mark.parametrize(
        ("stream", "fault"),
        [
            (numbered(8, 10), "least"),
            (numbered(8, 8, 9, 10), "repeats"),
            (numbered(9, 8, 10), "repeats"),
            (chunk(b"event: gap\ndata: {}\n\n") + numbered(8, 9, 10), "gaps"),
        ],
    )
    def test_one_fault_and_it_is_not_exact(self, scripted, stream, fault):
        report = self.read(scripted(head=HEAD + stream), "--from", "e-7", "--events", 3)
        assert report["exact"] == 0
        assert report[fault] == (2 if fault == "least" else 1)

    def test_a_stream_that_ends_is_broken(self, scripted):
        report = self.read(scripted(head=HEAD + numbered(8) + LAST_CHUNK), "--from", "e-7", "--events", 3)
        assert (report["exact"], report["broken"], report["firstError"]) == (0, 1, "the stream has ended")

    def test_what_is_wanted_may_be_told_later(self, scripted):
        report = self.read(scripted(head=HEAD + numbered(3, 5, 9)), told="9 3\n")
        assert (report["exact"], report["events"]) == (1, 3)

    def test_events_that_are_not_recorded_do_not_count(self, scripted):
        stream = chunk(b"id: e-8.1\ndata: {}\n\n") + chunk(b"event: subscribed\ndata: {}\n\n") + numbered(8)
        report = self.read(scripted(head=HEAD + stream), "--from", "e-7", "--events", 1)
        assert (report["exact"], report["events"]) == (1, 1)

    def test_a_slow_reader_gets_all(self, scripted):
        server = scripted(head=HEAD + numbered(*range(8, 1_008)))
        report = self.read(
            server, "--from", "e-7", "--events", 1_000, "--bytes-per-second", 1_000_000, "--receive-buffer", 4_096
        )
        assert (report["exact"], report["events"]) == (1, 1_000)

    @pytest.mark.parametrize(
        "arguments",
        [[], ["--port", "1", "--path", "x"], ["--port", "1", "--path", "/", "--events", "1"], ["--readers"]],
    )
    def test_a_wrong_option(self, arguments):
        result = run_program("log-readers", *arguments)
        assert result.returncode == 2 and result.stderr.count("\n") == 1
