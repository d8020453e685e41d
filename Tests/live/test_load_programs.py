"""The benchmark's other programs: the floor that servers are compared with, and the limit of square roots."""

import json
import re
import socket
import subprocess
import urllib.request

import pytest
from conftest import eventually
from load_server import PROGRAMS, build_programs, run_load, run_program


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
