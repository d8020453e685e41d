"""A disk that is full, or has failed, under a running server: what can't be recorded is refused, all else goes on."""

import re
import signal
import subprocess

import pytest
from conftest import BINARY, Server, eventually
from crowd import Crowd
from curl import curl, post
from jobs import ENDLESS, TERMINAL, Jobs, request
from small_disk import MIB, fail, failing_ext4, repair, tmpfs

MOST_TRIES = 2_000  # writes until a full disk must have refused one
FILLER = "x" * 500
OPTIONS = ("--tick-interval", "20ms", "--max-running", "2")


@pytest.fixture
def disk(tmp_path):
    disk = tmpfs(tmp_path, 4 * MIB)
    yield disk
    disk.close()


@pytest.fixture
def server(disk):
    server = Server(*OPTIONS, data_dir=disk.path / "data", before=disk.entering)
    yield server
    if server.process.poll() is None:
        server.kill()


@pytest.fixture
def crowd(server):
    crowds = []

    def gather():
        crowds.append(Crowd(server.port))
        return crowds[-1]

    yield gather
    for crowd in crowds:
        crowd.close()


def publish(server, number):
    return post(f"{server.url}/v1/streams/news", {"data": {"n": number, "filler": FILLER}})


def until_refused(attempts):
    """Makes attempts until one is refused; returns those that were not, and the refusal."""
    accepted = []
    for _, reply in zip(range(MOST_TRIES), attempts):
        if reply.status >= 400:
            return accepted, reply
        accepted.append(reply)
    raise AssertionError("nothing was refused")


def refused_for_want_of_space(reply):
    problem = reply.problem(507)
    assert re.search("full|space", problem["detail"])


def publish_until_refused(server, first=0):
    """Returns the numbers that were acknowledged."""
    numbers = iter(range(first, first + MOST_TRIES))
    accepted, refusal = until_refused(publish(server, number) for number in numbers)
    return [first + place for place in range(len(accepted))], refusal


def numbers_of(member):
    return [data["n"] for name, _, data in member.events if name == "message"]


def ticks_of(member):
    return len(re.findall(rb"^event: tick$", member.text, re.MULTILINE))


class TestFull:
    def test_events_are_refused_streams_go_on_and_nothing_acknowledged_is_lost(self, disk, server, crowd):
        first = publish(server, 0).json["id"]
        running = Jobs(server.url).start_endless()
        watchers = crowd()
        ticking = [watchers.add("/v1/streams/ticks") for _ in range(20)]
        reading = [watchers.add("/v1/streams/news") for _ in range(20)]
        watching = [watchers.add(running["links"]["runEvents"]) for _ in range(10)]
        eventually(lambda: all(b"event: subscribed" in member.text for member in watchers.members))
        disk.fill()
        acknowledged, refusal = publish_until_refused(server, first=1)
        refused_for_want_of_space(refusal)
        # Nobody is told of what was refused, and those who have no need of the disk go on.
        ticks = [ticks_of(member) for member in ticking]
        eventually(lambda: all(ticks_of(member) > before + 5 for member, before in zip(ticking, ticks)))
        assert not any(member.is_closed for member in watchers.members)
        for member in reading:
            eventually(lambda member=member: len(numbers_of(member)) >= len(acknowledged))
            assert numbers_of(member) == acknowledged
        # What is stored can be read.
        stored = watchers.add("/v1/streams/news", first)
        eventually(lambda: numbers_of(stored) == acknowledged)
        assert curl(f"{server.url}/v1/jobs").status == 200
        disk.make_room()
        more = [10_000, 10_001, 10_002]
        assert [publish(server, number).status for number in more] == [200, 200, 200]
        for member in [*reading, stored]:
            eventually(lambda member=member: numbers_of(member) == acknowledged + more)
        server.start_again_after_kill()
        after = crowd().add("/v1/streams/news", first)
        eventually(lambda: numbers_of(after) == acknowledged + more)
        assert Jobs(server.url).run(running)["state"] == "lost"
        assert not any(b"event: lost" in member.text for member in watching)

    def test_starts_are_refused_and_leave_nothing_behind(self, disk, server):
        jobs = Jobs(server.url)
        disk.fill()
        accepted, refusal = until_refused(jobs.start(ENDLESS, timeoutSeconds=600) for _ in range(MOST_TRIES))
        refused_for_want_of_space(refusal)
        before = curl(f"{server.url}/v1/jobs?limit=500").json["jobs"]
        key = ("-H", "Idempotency-Key: once")
        put = f"{server.url}/v1/jobs/0198ae55-5f4c-4cc3-b2dd-1f2b6f4cf0e0"
        refused_for_want_of_space(post(put, request(1), method="PUT"))
        refused_for_want_of_space(post(f"{server.url}/v1/jobs", request(1), *key))
        curl(put).problem(404)
        assert curl(f"{server.url}/v1/jobs?limit=500").json["jobs"] == before
        assert {job["jobID"] for job in before} == {reply.json["jobID"] for reply in accepted}
        disk.make_room()
        assert post(put, request(1), method="PUT").status == 201
        once = post(f"{server.url}/v1/jobs", request(1), *key)
        assert once.status == 202
        server.start_again_after_kill()
        assert post(f"{server.url}/v1/jobs", request(1), *key).json == once.json
        listed = {job["jobID"] for job in curl(f"{server.url}/v1/jobs?limit=500").json["jobs"]}
        assert len(listed) == len(accepted) + 2

    def test_a_cancel_that_cannot_be_recorded_is_refused_and_can_be_repeated(self, disk, server):
        jobs = Jobs(server.url)
        receipts = [jobs.start(ENDLESS).json for _ in range(60)]
        disk.fill()
        publish_until_refused(server)
        accepted, refusal = until_refused(jobs.cancel(receipt) for receipt in receipts)
        refused_for_want_of_space(refusal)
        left = receipts[len(accepted) :]
        assert all(jobs.run(receipt)["state"] in ("queued", "running") for receipt in left)
        disk.make_room()
        assert jobs.cancel(left[0]).status in (200, 202)
        assert jobs.wait_until_over(left[0])["state"] == "cancelled"
        server.start_again_after_kill()
        for receipt in receipts[: len(accepted) + 1]:
            assert jobs_at(server).wait_until_over(receipt)["state"] == "cancelled"

    def test_a_result_is_told_when_it_is_recorded_and_not_before(self, disk, server, crowd):
        jobs = Jobs(server.url)
        watchers = crowd()
        server.process.send_signal(signal.SIGCONT)
        receipt = jobs.start(400_000_000).json
        server.process.send_signal(signal.SIGSTOP)  # so that the disk is full before the run is over
        disk.fill()
        server.process.send_signal(signal.SIGCONT)
        _, refusal = publish_until_refused(server)
        refused_for_want_of_space(refusal)
        stream = watchers.add(receipt["links"]["runEvents"])
        eventually(lambda: workers_busy(server) == 0)
        assert jobs.run(receipt)["state"] == "running"
        jobs.result(receipt).problem(409)
        assert not set(TERMINAL) & {name for name, _, _ in stream.events}
        disk.make_room()
        eventually(lambda: stream.is_whole)
        names = [name for name, _, _ in stream.events]
        assert names[-2:] == ["succeeded", "end"]
        result = jobs.result(receipt)
        server.start_again_after_kill()
        assert jobs_at(server).result(receipt).body == result.body

    def test_a_server_does_not_start_on_it_but_does_when_there_is_room(self, disk, server):
        assert publish(server, 0).status == 201
        disk.fill()
        acknowledged, _ = publish_until_refused(server, first=1)
        server.kill()
        done = subprocess.run(
            [*disk.entering, BINARY, "serve", "--port", "0", "--data-dir", disk.path / "data"],
            capture_output=True, text=True, timeout=20,
        )
        assert (done.returncode, done.stdout) == (1, "")
        (line,) = done.stderr.splitlines()
        assert re.match("runcast: error: .*(full|space)", line)
        disk.make_room()
        server.start()
        assert curl(f"{server.url}/v1/streams?prefix=news").json["streams"][0]["published"] == 1 + len(acknowledged)


def jobs_at(server):
    return Jobs(server.url)


def workers_busy(server):
    return int(re.search(r"^runcast_workers_busy (\d+)$", curl(f"{server.url}/metrics").body, re.MULTILINE)[1])


class TestFailed:
    @pytest.fixture
    def disk(self, tmp_path):
        disk = failing_ext4(tmp_path, 16 * MIB)
        yield disk
        disk.close()

    def test_a_file_system_that_turns_read_only_refuses_what_would_be_recorded(self, disk, server, crowd):
        first = publish(server, 0).json["id"]
        watchers = crowd()
        ticking = watchers.add("/v1/streams/ticks")
        reading = watchers.add("/v1/streams/news")
        eventually(lambda: all(b"event: subscribed" in member.text for member in watchers.members))
        acknowledged = list(range(1, 20))
        assert {publish(server, number).status for number in acknowledged} == {200}
        receipt = Jobs(server.url).start(4).json
        Jobs(server.url).wait_until_over(receipt)
        running = Jobs(server.url).start_endless()
        fail(disk)
        _, refusal = publish_until_refused(server, first=1_000)
        assert re.search("[Rr]ead-only|failed", refusal.problem(503)["detail"])
        Jobs(server.url).start(4).problem(503)
        Jobs(server.url).cancel(running).problem(503)
        before = ticks_of(ticking)
        eventually(lambda: ticks_of(ticking) > before + 5)
        assert Jobs(server.url).result(receipt).status == 200
        assert numbers_of(reading) == acknowledged
        assert "cancelRequested" not in curl(server.url + running["links"]["run"]).body
        server.kill()
        repair(disk)
        server.start()
        assert Jobs(server.url).result(receipt).status == 200
        assert Jobs(server.url).run(running)["state"] == "lost"
        after = crowd().add("/v1/streams/news", first)
        eventually(lambda: numbers_of(after) == acknowledged)
        assert publish(server, 2_000).status == 200
