"""Topics that clients publish to, and those who come back to them after a kill."""

import pytest
from conftest import eventually
from curl import curl, post
from durability_model_topics import position
from publishing import publish_all



def publish(server, topic, data, **members):
    reply = post(f"{server.url}/v1/streams/{topic}", {"data": data, **members})
    assert reply.status in (200, 201), reply.body
    return reply.json["id"]


def resume(id):
    return "-H", f"Last-Event-ID: {id}"


def bytes_of(events):
    return sum(len(event.data) for event in events)


def listed(server, topic):
    (entry,) = curl(f"{server.url}/v1/streams?prefix={topic}").json["streams"]
    return entry


COUNT = 3_000  # events of which all but a few are not in memory


@pytest.fixture(scope="module")
def full_server(start_server_for_module):
    server = start_server_for_module("--log-events", "8")
    server.ids = publish_all(server, "news", COUNT)
    # Each more than what goes in one write.
    server.large = publish_all(server, "large", 40, lambda number: {"data": {"n": number, "filler": "x" * 50_000}})
    return server


class TestMoreThanIsInMemory:
    @pytest.fixture
    def server(self, full_server):
        return full_server

    def read(self, open_stream, server, topic, first, count, *arguments):
        stream = open_stream(f"{server.url}/v1/streams/{topic}", *resume(first), *arguments)
        stream.next_of("subscribed")
        return [stream.next() for _ in range(count - 1)]

    @pytest.mark.parametrize("killing", [False, True])
    def test_all_of_it_comes_in_order(self, server, open_stream, killing):
        if killing:
            server.start_again_after_kill()
        events = self.read(open_stream, server, "news", server.ids[0], COUNT)
        assert {event.type for event in events} == {"message"}
        assert sorted(event.json["n"] for event in events) == list(range(1, COUNT))
        assert {event.id for event in events} == set(server.ids[1:])
        places = [position(event.id) for event in events]
        assert places == sorted(places)

    def test_from_any_place(self, server, open_stream):
        whole = self.read(open_stream, server, "news", server.ids[0], COUNT)
        for place in (0, 1, 499, COUNT - 20, COUNT - 9, COUNT - 3):
            count = min(700, COUNT - 1 - place)
            assert self.read(open_stream, server, "news", whole[place].id, count)[:-1] == whole[place + 1 :][: count - 2]

    def test_compressed(self, server, open_stream):
        whole = self.read(open_stream, server, "news", server.ids[0], COUNT)
        assert self.read(open_stream, server, "news", server.ids[0], COUNT, "--compressed") == whole

    @pytest.mark.parametrize("killing", [False, True])
    def test_large_events(self, server, open_stream, killing):
        if killing:
            server.start_again_after_kill()
        events = self.read(open_stream, server, "large", server.large[0], len(server.large))
        assert sorted(event.json["n"] for event in events) == list(range(1, len(server.large)))
        assert all(len(event.json["filler"]) == 50_000 for event in events)

    def test_a_limit_counts_what_is_stored(self, server, open_stream):
        stream = open_stream(f"{server.url}/v1/streams/news?limit=1000", *resume(server.ids[0]))
        events = stream.rest()
        assert len([event for event in events if event.id]) == 1_000
        assert (events[-1].type, events[-1].json["reason"]) == ("end", "limit")

    def test_news_follow_what_is_stored(self, server, open_stream):
        stream = open_stream(f"{server.url}/v1/streams/news", *resume(server.ids[0]))
        last = publish(server, "news", "last")
        seen = []
        while not (seen and seen[-1].id == last):
            seen.append(stream.next())
        assert len([event for event in seen if event.id]) >= COUNT
        ids = [event.id for event in seen if event.id]
        assert len(set(ids)) == len(ids)


class TestAfterAKill:
    @pytest.fixture
    def server(self, start_server):
        return start_server("--log-events", "2", "--tick-interval", "20ms")

    def test_an_id_of_the_publishers_own_still_resumes(self, server, open_stream):
        publish(server, "news", 0, id="own.first")
        for number in range(1, 6):
            publish(server, "news", number)
        server.start_again_after_kill()
        stream = open_stream(f"{server.url}/v1/streams/news", *resume("own.first"))
        stream.next_of("subscribed")
        assert [stream.next().json for _ in range(5)] == [1, 2, 3, 4, 5]

    def test_a_watcher_comes_back_and_misses_nothing(self, server, open_stream):
        first = publish(server, "news", "first", event="note")
        stream = open_stream(f"{server.url}/v1/streams/news")
        stream.next_of("subscribed")
        seen = publish(server, "news", {"a": [1.0, 1e3, "\u2028"]})
        assert stream.next().id == seen
        server.start_again_after_kill()
        missed = publish(server, "news", "missed")
        again = open_stream(f"{server.url}/v1/streams/news", *resume(seen))
        assert again.next_of("subscribed") and again.next().id == missed
        news = publish(server, "news", "new")
        assert again.next().id == news
        from_first = open_stream(f"{server.url}/v1/streams/news", *resume(first))
        from_first.next_of("subscribed")
        assert [from_first.next().id for _ in range(3)] == [seen, missed, news]

    def test_one_id_resumes_several_topics_and_the_ticker_beside_them(self, server, open_stream):
        for topic in ("left", "right"):
            publish(server, topic, "first")
        both = f"{server.url}/v1/events?topic=left&topic=ticks&topic=right"
        stream = open_stream(both)
        stream.next_of("subscribed")
        publish(server, "left", 1)
        stream.next_of("message")
        # A tick is not recorded; its id is a place behind the event that was.
        tick = stream.next_of("tick")
        publish(server, "right", 2)
        publish(server, "left", 3)
        server.start_again_after_kill()
        publish(server, "right", 4)
        again = open_stream(both, *resume(tick.id))
        events = [again.next() for _ in range(10)]
        assert [event.json["data"] for event in events if event.type == "message"] == [2, 3, 4]
        assert "gap" not in {event.type for event in events}
        assert "tick" in {event.type for event in events}
        places = [position(event.id) for event in [tick, *events] if event.id]
        assert places == sorted(set(places))

    def test_a_place_before_the_first_event_of_a_topic_is_no_gap(self, server, open_stream):
        first = publish(server, "left", "first")
        ids = [publish(server, "left", "second"), *(publish(server, "right", number) for number in range(9))]
        for _ in range(2):
            stream = open_stream(f"{server.url}/v1/events?topic=left&topic=right", *resume(first))
            stream.next_of("subscribed")
            events = [stream.next() for _ in ids]
            assert {event.type for event in events} == {"message"}
            assert [event.json["id"] for event in events] == ids
            server.start_again_after_kill()

    def test_latest_goes_on_with_the_newest(self, server, open_stream):
        ids = [publish(server, "news", number) for number in range(5)]
        server.start_again_after_kill()
        url = f"{server.url}/v1/streams/news?policy=latest"
        stream = open_stream(url, *resume(ids[1]))
        assert stream.next_of("subscribed") and stream.next().json == 4
        current = open_stream(url, *resume(ids[4]))
        current.next_of("subscribed")
        publish(server, "news", 5)
        assert current.next().json == stream.next().json == 5

    def test_the_ticker_goes_on_without_a_gap(self, server, open_stream):
        tick = open_stream(f"{server.url}/v1/streams/ticks").next_of("tick")
        server.start_again_after_kill()
        again = open_stream(f"{server.url}/v1/streams/ticks", *resume(tick.id))
        assert again.next().type == "subscribed"
        following = again.next()
        assert following.type == "tick" and position(following.id) > position(tick.id)

    def test_a_topic_that_nobody_touches_is_still_there(self, server):
        for number in range(4):
            last = publish(server, "idle", number)
        before = listed(server, "idle")
        server.start_again_after_kill()
        after = listed(server, "idle")
        assert after["lastEventID"] == last and after["published"] == 4
        for member in ("topic", "publishable", "policy", "published"):
            assert after[member] == before[member]

    def test_an_id_is_never_given_twice(self, server):
        ids = []
        for number in range(4):
            ids.append(publish(server, "news", number))
            server.start_again_after_kill()
        places = [position(id) for id in ids]
        assert places == sorted(set(places)) and len({epoch for epoch, _ in places}) == 1

    def test_an_id_of_the_future_is_unknown(self, server, open_stream):
        id = publish(server, "news", "kept")
        server.start_again_after_kill()
        stream = open_stream(f"{server.url}/v1/streams/news", *resume(f"{id.split('-')[0]}-999999999"))
        stream.next_of("subscribed")
        assert stream.next().json["reason"] == "unknown"
        assert stream.next().data == "kept"


class TestRetention:
    def after_gap(self, open_stream, server, id):
        """What is kept behind this id, once the event behind it is no longer kept; else nothing."""
        marker = publish(server, "news", {"n": "marker"})
        stream = open_stream(f"{server.url}/v1/streams/news", *resume(id))
        stream.next_of("subscribed")
        events = [stream.next()]
        while events[-1].id != marker:
            events.append(stream.next())
        stream.kill()
        if events[0].type != "gap":
            return None
        gap = events[0].json
        assert (gap["reason"], gap["from"], gap["to"]) == ("evicted", id, events[1].id)
        assert "gap" not in [event.type for event in events[1:]]
        return events[1:]

    def test_by_count(self, start_server, open_stream):
        server = start_server("--log-events", "4", "--keep-events", "50")
        ids = publish_all(server, "news", 400)
        kept = eventually(lambda: self.at_most(50, self.after_gap(open_stream, server, ids[0])))
        assert len(kept) > 4
        server.start_again_after_kill()
        assert len(self.after_gap(open_stream, server, ids[0])) <= 51

    def test_by_bytes(self, start_server, open_stream):
        server = start_server("--log-events", "4", "--keep-bytes", "100K")
        ids = publish_all(server, "news", 100, lambda number: {"data": {"n": number, "filler": "x" * 4_000}})
        kept = eventually(lambda: self.at_most(100_000, self.after_gap(open_stream, server, ids[0]), bytes_of))
        assert bytes_of(kept) > 4 * 4_000

    def test_by_age(self, start_server, open_stream):
        server = start_server("--log-events", "1", "--keep-for", "1s")
        ids = publish_all(server, "news", 20)
        eventually(lambda: self.is_without(ids, self.after_gap(open_stream, server, ids[0])))

    def test_of_all_topics_together(self, start_server, open_stream):
        """The oldest go, of whichever topic; the newest stay."""
        server = start_server("--log-events", "4", "--max-store-size", "2M")
        ids = publish_all(server, "news", 100, lambda number: {"data": {"n": number, "filler": "x" * 4_000}})
        newer = publish_all(server, "other", 600, lambda number: {"data": {"n": number, "filler": "x" * 4_000}})
        eventually(lambda: self.is_without(ids[:50], self.after_gap(open_stream, server, ids[0])))
        stream = open_stream(f"{server.url}/v1/streams/other", *resume(sorted(newer, key=position)[-50]))
        stream.next_of("subscribed")
        assert [stream.next().id for _ in range(49)] == sorted(newer, key=position)[-49:]

    def at_most(self, bound, events, size=len):
        return events if events is not None and size(events) <= bound else None

    def is_without(self, ids, events):
        return events is not None and not set(ids) & {event.id for event in events}

    def test_of_jobs_by_age(self, start_server):
        from jobs import Jobs

        server = start_server("--keep-jobs-for", "1ms")
        receipt = Jobs(server.url).start(1).json
        url = server.url + receipt["links"]["self"]
        Jobs(server.url).wait_until_over(receipt)
        server.start_again_after_kill()
        # What is too old goes at the start, as it does once a minute.
        eventually(lambda: curl(url).status == 410)
        server.start_again_after_kill()
        curl(url).problem(410)
        curl(server.url + receipt["links"]["runEvents"]).problem(410)


class TestInMemory:
    def test_a_restart_is_a_gap(self, start_server, open_stream):
        server = start_server("--store", "memory")
        id = publish(server, "news", 0)
        server.start_again_after_kill()
        curl(f"{server.url}/v1/streams/news", *resume(id)).problem(404)
        publish(server, "news", 1)
        stream = open_stream(f"{server.url}/v1/streams/news", *resume(id))
        stream.next_of("subscribed")
        gap = stream.next()
        assert gap.type == "gap" and gap.json["reason"] == "restarted"
        assert stream.next().json == 1
