"""A thousand streams when the server stops in order, and the same clients when it is there again."""

import http.client
import re
import resource
import subprocess
import threading
from collections import Counter

import pytest
from conftest import eventually
from crowd import Crowd
from durability_model_topics import position
from jobs import Jobs

TOPICS = ("news/a", "news/b", "news/c")
STREAMS = 1_000
DRAIN_TIMEOUT = 10  # seconds


class Publisher:
    """Publishes to all topics in turn until the server does not take it; keeps what was acknowledged, in order."""

    def __init__(self, server):
        self.server = server
        self.acknowledged = {topic: [] for topic in TOPICS}
        self.number = 0

    def publish(self):
        topic = TOPICS[self.number % len(TOPICS)]
        self.number += 1
        try:
            status, body = self.server.request("POST", f"/v1/streams/{topic}", {"data": {"n": self.number}})
        except (OSError, http.client.HTTPException):
            return False
        if status in (200, 201):
            self.acknowledged[topic].append((body["id"], self.number))
        return status in (200, 201)

    def publish_until_refused(self):
        while self.publish():
            pass


class Scene:
    def __init__(self, server):
        self.server = server
        self.jobs = Jobs(server.url)
        self.publisher = Publisher(server)
        for _ in TOPICS:
            assert self.publisher.publish()
        self.running = [self.jobs.start_endless() for _ in range(2)]
        self.queued = [self.jobs.start(terms).json for terms in (1_000, 2_000)]
        self.crowd = Crowd(server.port)
        self.fill(self.paths())
        self.stop_while_publishing()
        self.server.start()
        self.again = Crowd(server.port)
        self.came_back = [(member, self.again.add(member.path, member.last_id)) for member in self.crowd.members]
        for _ in range(30):
            assert self.publisher.publish()

    def paths(self):
        """By kind, in which numbers, and of what."""
        several = "/v1/events?topic=ticks&" + "&".join(f"topic={topic}" for topic in TOPICS)
        runs = [receipt["links"]["runEvents"] for receipt in (*self.running, *self.queued)]
        yield from ["/v1/streams/ticks"] * 400
        yield from [f"/v1/streams/{topic}" for topic in TOPICS for _ in range(100)]
        yield from [several] * 100
        yield from [run for run in runs for _ in range(50)]

    def fill(self, paths):
        for path in paths:
            self.crowd.add(path)
        assert len(self.crowd.members) == STREAMS
        eventually(lambda: all(b"event: subscribed\n" in member.text for member in self.crowd.members))
        for _ in range(30):
            assert self.publisher.publish()

    def stop_while_publishing(self):
        thread = threading.Thread(target=self.publisher.publish_until_refused)
        thread.start()
        self.server.process.terminate()
        try:
            self.status = self.server.process.wait(2 * DRAIN_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.status = None
        thread.join()
        eventually(lambda: all(member.is_closed for member in self.crowd.members))

    def close(self):
        self.crowd.close()
        self.again.close()

    def before(self, path):
        return [member for member in self.crowd.members if path in member.path]

    def pairs(self, path):
        return [pair for pair in self.came_back if path in pair[0].path]


@pytest.fixture(scope="module")
def scene(start_server_for_module):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    options = ("--tick-interval", "100ms", "--max-running", "2", "--drain-timeout", f"{DRAIN_TIMEOUT}s")
    scene = Scene(start_server_for_module(*options))
    yield scene
    scene.close()


def test_the_stop_was_in_order(scene):
    assert scene.status == 0, scene.server.log


def test_every_body_ends_as_it_should_with_a_time_of_its_own_to_come_back_at(scene):
    assert all(member.is_whole for member in scene.crowd.members)
    waits = Counter()
    for member in scene.crowd.members:
        if b"event: end\n" not in member.text:
            waits[int(re.search(rb"\nretry: (\d+)\n\n$", member.text)[1])] += 1
    assert sum(waits.values()) >= STREAMS - 50 * len(scene.running)
    # By chance a few have the same; were they not spread, all would.
    assert len(waits) > sum(waits.values()) / 2
    assert max(waits) - min(waits) > 2_000


def test_what_ran_was_cancelled_and_its_watchers_were_told(scene):
    for receipt in scene.running:
        for member in scene.before(receipt["runID"]):
            (*_, (name, _, data), (last, _, _)) = member.events
            assert (name, data["reason"], last) == ("cancelled", "shutdown", "end")


def test_who_comes_back_to_a_run_that_is_over_is_told_so(scene):
    for receipt in scene.running:
        for _, member in scene.pairs(receipt["runID"]):
            assert eventually(lambda member=member: member.status) == 204


def test_what_was_queued_goes_on_and_its_watchers_see_it_once(scene):
    for receipt in scene.queued:
        assert scene.jobs.wait_until_over(receipt)["state"] == "succeeded"
        for before, member in scene.pairs(receipt["runID"]):
            eventually(lambda member=member: member.is_whole)
            events = [event for event in before.events + member.events if event[1]]
            assert [id for _, id, _ in events] == [f"1-{seq + 1}" for seq in range(len(events))]
            assert [name for name, _, _ in events if name != "progress"] == ["queued", "started", "succeeded", "end"]


@pytest.mark.parametrize("topic", TOPICS)
def test_no_event_of_a_topic_is_lost_or_told_twice(scene, topic):
    last, _ = scene.publisher.acknowledged[topic][-1]
    logs = set()
    for before, member in scene.pairs(f"streams/{topic}"):
        eventually(lambda member=member: member.last_id == last)
        log = [(id, data["n"]) for _, id, data in before.events + member.events if id]
        logs.add(tuple(log))
        assert "gap" not in [name for name, _, _ in member.events]
    # What was sent when the server went may be there without having been acknowledged, but then for all.
    (log,) = logs
    assert [event for event in log if event in scene.publisher.acknowledged[topic]] == (
        scene.publisher.acknowledged[topic][1:]
    )
    unacknowledged = set(log) - set(scene.publisher.acknowledged[topic])
    assert len(unacknowledged) <= 1


def test_no_event_of_several_topics_is_lost_or_told_twice(scene):
    expected = {id for ids in scene.publisher.acknowledged.values() for id, _ in ids[1:]}
    final = max((ids[-1][0] for ids in scene.publisher.acknowledged.values()), key=position)
    logs = set()
    for before, member in scene.pairs("topic=ticks"):
        eventually(lambda member=member: final.encode() in member.text)
        events = [event for event in before.events + member.events if event[1]]
        places = [position(id) for _, id, _ in events]
        assert places == sorted(set(places))
        news = tuple(data["id"] for name, _, data in events if name == "message")
        logs.add(news)
        assert expected <= set(news)
    assert len(logs) == 1


def test_tickers_go_on(scene):
    for before, member in scene.pairs("streams/ticks"):
        eventually(lambda member=member: b"event: tick\n" in member.text)
        places = [position(id) for _, id, _ in before.events + member.events if id]
        assert places == sorted(set(places))
        assert "gap" not in [name for name, _, _ in member.events]
