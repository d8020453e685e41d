"""The ticker, watched with curl."""

import re

import pytest
from conftest import eventually
from curl import curl, post


@pytest.fixture(scope="module")
def url(server):
    return server.url


@pytest.fixture
def ticks(url):
    return f"{url}/v1/streams/ticks"


def follows(number, previous):
    """How many ticks after `previous` this number is: the count goes 1...1000 and round again."""
    return (number - previous) % 1000


def test_a_stream_begins_with_its_head_retry_and_subscribed(open_stream, ticks):
    stream = open_stream(ticks)
    assert stream.head.status == 200
    assert stream.head.headers["content-type"] == "text/event-stream"
    assert stream.head.headers["cache-control"] == "no-store, no-transform"
    assert stream.head.headers["x-accel-buffering"] == "no"
    assert stream.head.headers["connection"] == "close"
    assert "content-length" not in stream.head.headers
    subscribed = stream.next()
    assert (subscribed.type, subscribed.id, stream.retry) == ("subscribed", None, 2_000)
    assert re.fullmatch(r"[0-9a-f-]{36}", subscribed.json["subscription"])
    assert subscribed.json["topics"] == ["ticks"]
    assert subscribed.json["policy"] == "latest"


def position(id):
    """Of an event that is not recorded: the number of the last recorded one, and how many came since."""
    return tuple(map(int, re.fullmatch(r"[a-z][a-z0-9]*-(\d+)\.(\d+)", id).groups()))


def test_values_come_in_order_with_their_squares(open_stream, ticks):
    stream = open_stream(ticks)
    stream.next_of("subscribed")
    events = [stream.next() for _ in range(5)]
    numbers = [event.json["n"] for event in events]
    assert all(event.type == "tick" for event in events)
    assert all(event.json["square"] == event.json["n"] ** 2 for event in events)
    assert all(1 <= follows(number, previous) <= 5 for previous, number in zip(numbers, numbers[1:]))
    positions = [position(event.id) for event in events]
    assert positions == sorted(set(positions))


def test_every_event_has_a_space_after_its_colons_and_ends_with_a_blank_line(open_stream, ticks):
    stream = open_stream(f"{ticks}?limit=2")
    assert stream.exit_status() == 0
    stream.rest()
    for block in stream.text.removesuffix("\n\n").split("\n\n"):
        assert all(re.match(r"(id|event|data|retry): \S", line) for line in block.split("\n")), block
    assert "\r" not in stream.text and "\ufeff" not in stream.text


def test_the_policy_all_gives_every_value(open_stream, ticks):
    stream = open_stream(f"{ticks}?policy=all")
    assert stream.next_of("subscribed").json["policy"] == "all"
    numbers = [stream.next_of("tick").json["n"] for _ in range(10)]
    assert all(follows(number, previous) == 1 for previous, number in zip(numbers, numbers[1:]))


def test_a_one_shot_waiter_ends_normally_while_another_watcher_goes_on(open_stream, ticks):
    watcher = open_stream(ticks)
    waiter = open_stream(f"{ticks}?limit=1")
    events = waiter.rest()
    assert waiter.exit_status() == 0
    assert [event.type for event in events] == ["subscribed", "tick", "end"]
    assert events[-1].json == {"reason": "limit"}
    watcher.next_of("tick")
    watcher.next_of("tick")
    assert watcher.is_running


def test_an_http_1_0_client_gets_plain_bytes_until_the_close(open_stream, ticks):
    stream = open_stream(f"{ticks}?limit=3", "--http1.0")
    types = [event.type for event in stream.rest()]
    assert types == ["subscribed", "tick", "tick", "tick", "end"]
    assert "transfer-encoding" not in stream.head.headers
    assert stream.exit_status() == 0


def test_head_answers_with_the_streams_head_and_leaves_no_subscription(url, ticks):
    reply = curl(ticks, "--head")
    assert (reply.status, reply.body) == (200, "")
    assert reply.headers["content-type"] == "text/event-stream"
    assert eventually(lambda: curl(f"{url}/v1/subscriptions").json["total"] == 0)


def test_deleting_one_subscription_ends_that_curl_and_leaves_the_other(open_stream, url, ticks):
    first, second = open_stream(ticks), open_stream(ticks)
    id = first.next_of("subscribed").json["subscription"]
    second.next_of("tick")
    subscription = f"{url}/v1/subscriptions/{id}"
    assert curl(subscription, "-X", "DELETE").status == 204
    assert first.rest()[-1].json == {"reason": "cancelled"}
    assert first.exit_status() == 0
    curl(subscription, "-X", "DELETE").problem(404)
    second.next_of("tick")
    second.next_of("tick")
    assert second.is_running


def test_the_list_of_subscriptions_tells_who_is_connected(open_stream, url, ticks):
    stream = open_stream(f"{ticks}?policy=all")
    id = stream.next_of("subscribed").json["subscription"]
    for _ in range(3):
        stream.next_of("tick")
    listed = curl(f"{url}/v1/subscriptions").json
    mine = next(entry for entry in listed["subscriptions"] if entry["id"] == id)
    assert mine["topics"] == ["ticks"]
    assert mine["delivered"] >= 3
    assert mine["conflated"] == 0
    assert mine["lag"] in (0, 1)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", mine["since"])
    stream.kill()
    assert eventually(
        lambda: id not in [entry["id"] for entry in curl(f"{url}/v1/subscriptions").json["subscriptions"]]
    )


def test_stopping_the_ticker_ends_every_subscription_and_starting_it_begins_anew(open_stream, url, ticks):
    watchers = [open_stream(ticks), open_stream(f"{ticks}?policy=all")]
    for watcher in watchers:
        last = watcher.next_of("tick")
    stopped = post(f"{ticks}/stop")
    assert (stopped.status, stopped.json) == (200, {"topic": "ticks", "state": "stopped", "changed": True})
    try:
        for watcher in watchers:
            events = watcher.rest()
            assert (events[-1].type, events[-1].json) == ("end", {"reason": "stopped"})
            last = events[-2] if len(events) > 1 else last
            assert watcher.exit_status() == 0
        assert post(f"{ticks}/stop").json["changed"] is False
        assert stream_named(url, "ticks")["state"] == "stopped"
        # Whoever has had the end and comes back is told that there is nothing to come back for.
        assert curl(ticks, "-H", f"Last-Event-ID: {last.id}", "-m", "5").status == 204
        early = open_stream(ticks)
        early.next_of("subscribed")
    finally:
        started = post(f"{ticks}/start")
    assert (started.status, started.json) == (200, {"topic": "ticks", "state": "open", "changed": True})
    assert early.next_of("tick").json == {"n": 1, "square": 1}
    assert post(f"{ticks}/start").json["changed"] is False


def stream_named(url, topic):
    return next(entry for entry in curl(f"{url}/v1/streams").json["streams"] if entry["topic"] == topic)


def test_the_list_of_streams_describes_the_ticker(open_stream, url, ticks):
    stream = open_stream(ticks)
    stream.next_of("tick")
    entry = stream_named(url, "ticks")
    assert entry["policy"] == "latest" and entry["state"] == "open" and entry["publishable"] is False
    assert entry["subscribers"] >= 1
    assert re.fullmatch(r"[a-z][a-z0-9]*-\d+\.\d+", entry["lastEventID"])
    assert entry["ratePerSecond"] > 0
    assert entry["links"]["events"] == "/v1/streams/ticks"


def test_a_silent_stream_gets_comments(open_stream, start_server):
    quiet = start_server("--tick-interval", "1h", "--heartbeat", "100ms")
    stream = open_stream(f"{quiet.url}/v1/streams/ticks")
    stream.next_of("subscribed")
    assert eventually(lambda: stream.comments >= 2)


def test_ticks_arrive_one_by_one_and_not_in_bundles(open_stream, start_server):
    slow = start_server("--tick-interval", "100ms")
    stream = open_stream(f"{slow.url}/v1/streams/ticks?policy=all")
    numbers = []
    for _ in range(5):
        numbers.append(stream.next_of("tick").json["n"])
        listed = curl(f"{slow.url}/v1/subscriptions").json["subscriptions"][0]
        assert listed["lag"] <= 1
    assert numbers == list(range(numbers[0], numbers[0] + 5))
