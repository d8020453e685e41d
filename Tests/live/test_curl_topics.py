"""Topics that clients publish to: receipts, resuming, gaps, several topics on one connection."""

import itertools
import re

import pytest
from curl import curl, post

fresh = itertools.count(1)


@pytest.fixture(scope="module")
def url(server):
    return server.url


@pytest.fixture
def topic():
    """A name that no other test uses."""
    return f"news/{next(fresh)}"


@pytest.fixture
def stream_url(url, topic):
    return f"{url}/v1/streams/{topic}"


def publish(url, data, **members):
    reply = post(url, {"data": data, **members})
    assert reply.status in (200, 201), reply.body
    return reply.json["id"]


def test_the_first_event_makes_the_topic_and_the_next_ones_say_who_got_them(open_stream, stream_url, topic):
    first = post(stream_url, {"data": {"a": 1}})
    assert (first.status, first.json["topic"], first.json["matched"]) == (201, topic, 0)
    watchers = [open_stream(stream_url), open_stream(stream_url)]
    for watcher in watchers:
        assert watcher.next().type == "subscribed"
    second = post(stream_url, {"event": "note", "data": {"a": 2}})
    assert (second.status, second.json["matched"]) == (200, 2)
    for watcher in watchers:
        event = watcher.next()
        assert (event.type, event.json, event.id) == ("note", {"a": 2}, second.json["id"])


def test_a_new_subscription_starts_at_the_head(open_stream, stream_url):
    publish(stream_url, "old")
    stream = open_stream(stream_url)
    stream.next_of("subscribed")
    publish(stream_url, "new")
    assert stream.next().data == "new"


def test_every_event_arrives_in_order(open_stream, stream_url):
    publish(stream_url, 0)
    stream = open_stream(stream_url)
    assert stream.next_of("subscribed").json["policy"] == "all"
    ids = [publish(stream_url, number) for number in range(1, 40)]
    events = [stream.next() for _ in ids]
    assert [event.json for event in events] == list(range(1, 40))
    assert [event.id for event in events] == ids


def test_an_id_of_the_publishers_own_is_used_and_resumes(open_stream, stream_url):
    assert publish(stream_url, "one", id="my.own_id-1") == "my.own_id-1"
    publish(stream_url, "two")
    stream = open_stream(stream_url, "-H", "Last-Event-ID: my.own_id-1")
    stream.next_of("subscribed")
    assert stream.next().data == "two"


@pytest.mark.parametrize(
    "text", ["one line", "two\nlines", "cr\rand\r\ncrlf\n", "", " leading space", "\n\n", ": no comment", "日本 \u2028 🐢"]
)
def test_text_of_any_number_of_lines_comes_out_as_it_went_in(open_stream, stream_url, text):
    publish(stream_url, "first")
    stream = open_stream(stream_url)
    stream.next_of("subscribed")
    publish(stream_url, text)
    assert stream.next().data == text.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("value", [None, True, 0, 9223372036854775807, -1.5, [], {"a": [None, {"b": "\u0000"}]}])
def test_a_value_other_than_text_comes_out_as_json(open_stream, stream_url, value):
    publish(stream_url, "first")
    stream = open_stream(stream_url)
    stream.next_of("subscribed")
    publish(stream_url, value)
    assert stream.next().json == value


def test_a_value_is_passed_on_as_it_was_written(open_stream, stream_url):
    publish(stream_url, "first")
    stream = open_stream(stream_url)
    several = open_stream(f"{stream_url.split('/v1/')[0]}/v1/events?topic=ticks&topic={stream_url.split('/streams/')[1]}")
    stream.next_of("subscribed")
    several.next_of("subscribed")
    text = '{"z": 18446744073709551615, "a": 0.1000000000000000055511151231257827, "b": 1.0}'
    assert post(stream_url, f'{{"data":{text} }}').status == 200
    assert stream.next().data == text
    assert f'"data":{text}}}' in several.next_of("message").data


class TestResuming:
    def test_by_the_header(self, open_stream, stream_url):
        ids = [publish(stream_url, number) for number in range(5)]
        stream = open_stream(stream_url, "-H", f"Last-Event-ID: {ids[1]}")
        stream.next_of("subscribed")
        assert [stream.next().json for _ in range(3)] == [2, 3, 4]
        publish(stream_url, 5)
        assert stream.next().json == 5

    def test_by_the_query(self, open_stream, stream_url):
        ids = [publish(stream_url, number) for number in range(5)]
        stream = open_stream(f"{stream_url}?lastEventId={ids[2]}")
        stream.next_of("subscribed")
        assert [stream.next().json for _ in range(2)] == [3, 4]

    def test_the_header_wins_over_the_query(self, open_stream, stream_url):
        ids = [publish(stream_url, number) for number in range(5)]
        stream = open_stream(f"{stream_url}?lastEventId={ids[0]}", "-H", f"Last-Event-ID: {ids[3]}")
        stream.next_of("subscribed")
        assert stream.next().json == 4

    def test_an_id_that_no_event_has_gives_a_gap_and_then_all_that_is_kept(self, open_stream, stream_url, topic):
        ids = [publish(stream_url, number) for number in range(3)]
        stream = open_stream(stream_url, "-H", "Last-Event-ID: never-was")
        stream.next_of("subscribed")
        gap = stream.next()
        assert (gap.type, gap.id) == ("gap", None)
        assert gap.json["topic"] == topic and gap.json["from"] == "never-was" and gap.json["to"] == ids[0]
        assert gap.json["reason"] in ("unknown", "restarted")
        assert [stream.next().json for _ in range(3)] == [0, 1, 2]

    def test_an_id_of_another_life_of_the_server_gives_a_gap_that_says_so(self, open_stream, stream_url):
        publish(stream_url, "kept")
        stream = open_stream(stream_url, "-H", "Last-Event-ID: e0-17")
        stream.next_of("subscribed")
        assert stream.next().json["reason"] == "restarted"
        assert stream.next().data == "kept"

    def test_an_id_that_is_no_longer_kept_gives_a_gap(self, open_stream, start_server):
        small = start_server("--store", "memory", "--log-events", "4")
        url = f"{small.url}/v1/streams/news"
        ids = [publish(url, number) for number in range(10)]
        stream = open_stream(url, "-H", f"Last-Event-ID: {ids[2]}")
        stream.next_of("subscribed")
        gap = stream.next()
        assert gap.type == "gap"
        assert gap.json == {"topic": "news", "from": ids[2], "to": ids[6], "reason": "evicted"}
        assert [stream.next().json for _ in range(4)] == [6, 7, 8, 9]

    def test_an_id_of_the_future_gives_a_gap(self, open_stream, stream_url):
        id = publish(stream_url, "kept")
        epoch = id.split("-")[0]
        stream = open_stream(stream_url, "-H", f"Last-Event-ID: {epoch}-999999999")
        stream.next_of("subscribed")
        assert stream.next().json["reason"] == "unknown"
        assert stream.next().data == "kept"

    def test_an_id_that_cannot_be_one_is_refused(self, stream_url):
        publish(stream_url, "kept")
        curl(f"{stream_url}?lastEventId=a%20b").problem(400, "lastEventId")
        curl(stream_url, "-H", "Last-Event-ID: a b").problem(400, "Last-Event-ID")
        curl(f"{stream_url}?lastEventId=a%20b", "-H", "Last-Event-ID: 1").problem(400, "lastEventId")

    def test_an_empty_header_is_as_good_as_none(self, open_stream, stream_url):
        ids = [publish(stream_url, number) for number in range(3)]
        stream = open_stream(f"{stream_url}?lastEventId={ids[0]}", "-H", "Last-Event-ID;")
        stream.next_of("subscribed")
        assert stream.next().json == 1


class TestSeveralTopics:
    @pytest.fixture
    def pair(self, url):
        names = [f"left/{next(fresh)}", f"right/{next(fresh)}"]
        for name in names:
            publish(f"{url}/v1/streams/{name}", "first")
        return names

    def test_each_event_comes_in_an_envelope(self, open_stream, url, pair):
        left, right = pair
        stream = open_stream(f"{url}/v1/events?topic={left}&topic={right}")
        assert stream.next().json["topics"] == [left, right]
        one = publish(f"{url}/v1/streams/{left}", {"a": 1}, event="note")
        two = publish(f"{url}/v1/streams/{right}", "text", id="own")
        events = [stream.next(), stream.next()]
        assert (events[0].type, events[0].json) == ("note", {"topic": left, "id": one, "data": {"a": 1}})
        assert (events[1].type, events[1].json) == ("message", {"topic": right, "id": "own", "data": "text"})
        assert all(re.fullmatch(r"d[a-z0-9]+-\d+", event.id) for event in events)

    def test_one_id_resumes_all_of_them(self, open_stream, url, pair):
        left, right = pair
        both = f"{url}/v1/events?topic={left}&topic={right}"
        stream = open_stream(both)
        stream.next_of("subscribed")
        for number in range(6):
            publish(f"{url}/v1/streams/{pair[number % 2]}", number)
        seen = [stream.next() for _ in range(3)]
        stream.kill()
        again = open_stream(both, "-H", f"Last-Event-ID: {seen[-1].id}")
        again.next_of("subscribed")
        rest = [again.next() for _ in range(3)]
        assert [event.json["data"] for event in seen + rest] == list(range(6))
        assert [event.json["topic"] for event in seen + rest] == [left, right] * 3

    def test_the_ticker_and_another_topic_share_a_connection(self, open_stream, url, topic):
        publish(f"{url}/v1/streams/{topic}", "first")
        stream = open_stream(f"{url}/v1/events?topic=ticks&topic={topic}")
        publish(f"{url}/v1/streams/{topic}", "news")
        assert stream.next_of("message").json["data"] == "news"
        tick = stream.next_of("tick").json
        assert tick["topic"] == "ticks" and tick["data"]["square"] == tick["data"]["n"] ** 2

    def test_a_topic_named_twice_counts_once(self, open_stream, url, topic):
        publish(f"{url}/v1/streams/{topic}", "first")
        stream = open_stream(f"{url}/v1/events?topic={topic}&topic={topic}")
        assert stream.next().json["topics"] == [topic]
        publish(f"{url}/v1/streams/{topic}", "once")
        publish(f"{url}/v1/streams/{topic}", "last")
        assert [stream.next().data, stream.next().data] == ["once", "last"]

    def test_at_least_one_must_be_named_and_all_must_exist(self, url):
        curl(f"{url}/v1/events").problem(400, "topic")
        curl(f"{url}/v1/events?topic=ticks&topic=nowhere").problem(404)
        curl(f"{url}/v1/events?topic=not%20a%20name").problem(422, "topic")
        many = "&".join(f"topic=t{number}" for number in range(65))
        curl(f"{url}/v1/events?{many}").problem(422, "topic")


class TestRefusals:
    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "data"),
            ({"event": "x"}, "data"),
            ({"data": 1, "event": 7}, "event"),
            ({"data": 1, "event": ""}, "event"),
            ({"data": 1, "event": "two\nlines"}, "event"),
            ({"data": 1, "event": "nul\u0000"}, "event"),
            ({"data": 1, "event": "x" * 129}, "event"),
            ({"data": 1, "event": "end"}, "event"),
            ({"data": 1, "event": "subscribed"}, "event"),
            ({"data": 1, "event": "gap"}, "event"),
            ({"data": 1, "id": ""}, "id"),
            ({"data": 1, "id": "two words"}, "id"),
            ({"data": 1, "id": "cr\r"}, "id"),
            ({"data": 1, "id": "x" * 129}, "id"),
            ({"data": 1, "id": 7}, "id"),
            ({"data": 1, "dta": 2}, "dta"),
            ([], ""),
            ("[1", None),
            ('{"data":1}x', None),
            ('{"data":[1,]}', None),
            ('{"data":1,"data":2}', None),
            ('\ufeff{"data":1}', None),
            ("", None),
            ("[" * 65 + "]" * 65, None),
        ],
    )
    def test_a_bad_event(self, stream_url, body, field):
        post(stream_url, body).problem(400 if field is None else 422, field)

    def test_a_bad_event_makes_no_topic(self, url, stream_url, topic):
        post(stream_url, {"event": "x"}).problem(422, "data")
        curl(stream_url).problem(404)

    @pytest.mark.parametrize("name", ["a%20b", "a//b", "%2e%2e/b", "a/%2e/b", "x" * 129, "%C3%A9", "a%0Ab", "start"])
    def test_a_bad_name(self, url, name):
        reply = post(f"{url}/v1/streams/{name}", {"data": 1}, "--path-as-is")
        assert reply.status in (404, 422), reply.body
        reply.problem(reply.status, "topic" if reply.status == 422 else None)

    def test_a_topic_with_a_source_of_its_own(self, url):
        post(f"{url}/v1/streams/ticks", {"data": 1}).problem(409)
        post(f"{url}/v1/streams/jobs/x", {"data": 1}).problem(403)
        post(f"{url}/v1/streams/feeds/x", {"data": 1}).problem(403)

    def test_a_topic_that_is_not_there(self, stream_url):
        curl(stream_url).problem(404)
        post(f"{stream_url}/start").problem(404)
        post(f"{stream_url}/stop").problem(404)

    def test_an_event_source_that_has_known_a_topic_waits_for_it_to_be_there_again(self, url, stream_url, topic):
        """Such as after a restart: a 404 would end it for good, before the publisher has made the topic again."""
        known = ("-H", "Last-Event-ID: eold-7")
        reply = curl(stream_url, "-H", "Accept: text/event-stream", *known)
        assert (reply.status, reply.headers["content-type"]) == (200, "text/event-stream")
        assert re.fullmatch(r"retry: \d+\n\n", reply.body)
        several = f"{url}/v1/events?topic=ticks&topic={topic}"
        assert curl(several, "-H", "Accept: text/event-stream", *known).status == 200
        curl(stream_url, *known).problem(404)
        curl(stream_url, "-H", "Accept: text/event-stream").problem(404)
        # A job is not made again.
        gone = f"{url}/v1/streams/jobs/0198ae55-5f4c-7cc3-b2dd-1f2b6f4cf0e0"
        curl(gone, "-H", "Accept: text/event-stream", "-H", "Last-Event-ID: 1-1").problem(404)

    def test_a_topic_without_a_source_cannot_be_started(self, stream_url):
        publish(stream_url, 1)
        post(f"{stream_url}/start").problem(409)
        post(f"{stream_url}/stop").problem(409)

    def test_bad_values_in_the_query(self, url):
        ticks = f"{url}/v1/streams/ticks"
        curl(f"{ticks}?policy=some").problem(400, "policy")
        for limit in ("0", "-1", "x", "", "99999999999999999999"):
            curl(f"{ticks}?limit={limit}").problem(400, "limit")

    def test_more_topics_than_the_server_keeps(self, start_server):
        small = start_server("--max-topics", "2")
        for name in ("a", "b"):
            publish(f"{small.url}/v1/streams/{name}", 1)
        post(f"{small.url}/v1/streams/c", {"data": 1}).problem(429)
        publish(f"{small.url}/v1/streams/a", 2)


def test_the_list_tells_of_a_topic_and_can_be_narrowed_to_a_prefix(url, stream_url, topic):
    ids = [publish(stream_url, number) for number in range(3)]
    listed = curl(f"{url}/v1/streams?prefix={topic}").json
    assert listed["total"] == 1
    (entry,) = listed["streams"]
    assert entry["topic"] == topic and entry["publishable"] is True and entry["policy"] == "all"
    assert entry["published"] == 3 and entry["retained"] == 3 and entry["lastEventID"] == ids[-1]
    assert curl(f"{url}/v1/streams?limit=1").json["total"] > len(curl(f"{url}/v1/streams?limit=1").json["streams"])
    curl(f"{url}/v1/streams?limit=0").problem(400, "limit")
