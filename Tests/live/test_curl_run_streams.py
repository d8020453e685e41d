"""The events of runs and jobs with curl: pinned to a run, following a job, started and watched in one request."""

import json
import uuid

import pytest
from conftest import eventually
from curl import curl, post
from test_curl_ticks import position
from jobs import ENDLESS, Jobs, request

SSE = ("-H", "Accept: text/event-stream")
VALUES = ("progress", "succeeded")


def types(events):
    return [event.type for event in events]


def run_of(events):
    """The only run that these events are of."""
    (run_id,) = {event.json["runID"] for event in events}
    return run_id


def start_and_stream(open_stream, jobs, terms, *arguments, query="", **members):
    body = json.dumps(request(terms, **members))
    stream = open_stream(
        f"{jobs.url}/v1/jobs{query}", *SSE, "-H", "Content-Type: application/json", "--data", body, *arguments
    )
    subscribed = stream.next_of("subscribed")
    jobs.adopt(subscribed.json["topics"][0].split("/")[1])
    return stream


class TestStartAndWatch:
    def test_a_start_that_asks_for_events_gets_those_of_its_run_until_the_end(self, open_stream, jobs):
        stream = start_and_stream(open_stream, jobs, 4)
        events = stream.rest()
        assert stream.head.status == 200 and stream.exit_status() == 0
        job, run = events[0].json["jobID"], events[0].json["runID"]
        assert stream.head.headers["location"] == f"/v1/jobs/{job}/runs/{run}"
        assert types(events)[0] == "snapshot"
        assert types(events)[-2:] == ["succeeded", "end"]
        assert events[-2].json["result"] == pytest.approx(6.146264369941973, rel=1e-15)
        run_of(events)

    def test_each_event_has_its_run_number_time_and_id(self, open_stream, jobs):
        events = start_and_stream(open_stream, jobs, 100_000_000).rest()
        followers = events[1:]
        assert events[0].id is None
        assert [event.id for event in followers] == [f"1-{event.json['seq']}" for event in followers]
        numbers = [event.json["seq"] for event in followers]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert all(event.json["ordinal"] == 1 and event.json["time"].endswith("Z") for event in events)
        assert [event.json["time"] for event in followers] == sorted(event.json["time"] for event in followers)

    def test_progress_comes_at_a_bounded_rate_and_never_goes_back(self, open_stream, jobs):
        stream = start_and_stream(open_stream, jobs, ENDLESS)
        first = stream.next_of("progress")
        assert first.json["total"] == ENDLESS and first.json["unit"] == "terms"
        currents = [first.json["current"]] + [stream.next_of("progress").json["current"] for _ in range(3)]
        assert currents == sorted(currents)

    def test_a_run_that_is_cancelled_says_so_and_sends_no_result(self, open_stream, jobs):
        stream = start_and_stream(open_stream, jobs, ENDLESS)
        started = stream.next_of("started").json
        post(f"{jobs.url}/v1/jobs/{started['jobID']}/cancel", {"reason": "enough"})
        requested = stream.next_of("cancelRequested")
        assert (requested.json["reason"], requested.json["note"]) == ("user", "enough")
        rest = stream.rest()
        assert types(rest) == ["cancelled", "end"]
        assert rest[0].json["reason"] == "user"

    def test_a_run_that_takes_too_long_says_so(self, open_stream, jobs):
        events = start_and_stream(open_stream, jobs, ENDLESS, timeoutSeconds=0.2).rest()
        assert types(events)[-3:] == ["cancelRequested", "timedOut", "end"]

    def test_a_bad_start_is_a_problem_and_no_stream(self, jobs):
        post(f"{jobs.url}/v1/jobs", request(-1), *SSE).problem(422, "input.terms")
        post(f"{jobs.url}/v1/jobs?policy=some", request(1), *SSE).problem(400, "policy")

    def test_a_start_that_says_it_takes_no_stream_gets_none(self, jobs):
        for accept in ("text/event-stream;q=0", "text/event-stream; q=0.0, */*", "*/*"):
            reply = jobs.start(1, "-H", f"Accept: {accept}")
            assert (reply.status, reply.headers["content-type"]) == (202, "application/json")

    def test_a_start_that_takes_both_gets_the_stream(self, open_stream, jobs):
        accept = ("-H", "Accept: application/json, Text/Event-Stream")
        body = ("-H", "Content-Type: application/json", "--data", json.dumps(request(1)))
        assert types(open_stream(f"{jobs.url}/v1/jobs", *accept, *body).rest())[-1] == "end"

    def test_a_repeat_with_the_same_key_watches_the_same_run(self, open_stream, jobs):
        key = ("-H", f"Idempotency-Key: {uuid.uuid4()}")
        first = start_and_stream(open_stream, jobs, 4, *key).rest()
        again = start_and_stream(open_stream, jobs, 4, *key).rest()
        assert run_of(first) == run_of(again)
        assert types(again)[-2:] == ["succeeded", "end"]


class TestLeaving:
    def test_leaving_leaves_the_run_alone(self, open_stream, jobs):
        stream = start_and_stream(open_stream, jobs, ENDLESS)
        receipt = curl(f"{jobs.url}/v1/jobs/{stream.next_of('started').json['jobID']}").json["currentRun"]
        stream.kill()
        eventually(lambda: curl(f"{jobs.url}/v1/subscriptions").json["total"] == 0)
        assert curl(jobs.url + receipt["links"]["self"]).json["state"] == "running"

    def test_leaving_is_a_cancel_if_the_start_said_so(self, open_stream, jobs):
        stream = start_and_stream(open_stream, jobs, ENDLESS, query="?cancelOnDisconnect=true")
        job = f"{jobs.url}/v1/jobs/{stream.next_of('started').json['jobID']}"
        stream.kill()
        assert eventually(lambda: curl(job).json["state"] == "cancelled")
        assert curl(job).json["currentRun"]["reason"] == "disconnected"

    def test_leaving_does_not_cancel_a_newer_run(self, open_stream, jobs):
        stream = start_and_stream(open_stream, jobs, ENDLESS, query="?cancelOnDisconnect=true")
        job = f"{jobs.url}/v1/jobs/{stream.next_of('started').json['jobID']}"
        newer = post(f"{job}/runs", {"onConflict": "replace"}).json
        stream.rest()
        jobs.wait_for_state(newer, "running")

    def test_who_joins_a_run_does_not_cancel_it_by_leaving(self, open_stream, jobs):
        first = jobs.start_endless()
        stream = open_stream(
            f"{jobs.url}{first['links']['self']}/runs?cancelOnDisconnect=true", *SSE,
            "-H", "Content-Type: application/json", "--data", '{"onConflict":"join"}',
        )
        assert stream.next_of("snapshot").json["runID"] == first["runID"]
        stream.kill()
        eventually(lambda: curl(f"{jobs.url}/v1/subscriptions").json["total"] == 0)
        assert jobs.run(first)["state"] == "running"

    def test_who_repeats_a_put_does_not_cancel_by_leaving_what_another_had_started(self, open_stream, jobs):
        job_id = str(uuid.uuid4())
        url, body = f"{jobs.url}/v1/jobs/{job_id}", request(ENDLESS)
        first = post(url, body, method="PUT").json
        jobs.adopt(job_id)
        stream = open_stream(
            f"{url}?cancelOnDisconnect=true", "-X", "PUT", *SSE,
            "-H", "Content-Type: application/json", "--data", json.dumps(body),
        )
        assert stream.next_of("snapshot").json["runID"] == first["runID"]
        stream.kill()
        eventually(lambda: curl(f"{jobs.url}/v1/subscriptions").json["total"] == 0)
        assert jobs.run(first)["state"] == "running"

    def test_it_needs_a_connection_to_lose(self, jobs):
        post(f"{jobs.url}/v1/jobs?cancelOnDisconnect=true", request(1)).problem(400, "cancelOnDisconnect")
        post(f"{jobs.url}/v1/jobs?cancelOnDisconnect=maybe", request(1), *SSE).problem(400, "cancelOnDisconnect")


class TestLatecomers:
    def test_a_latecomer_gets_the_snapshot_and_then_what_is_stored(self, open_stream, jobs):
        receipt = jobs.start(4).json
        jobs.wait_until_over(receipt)
        stream = open_stream(jobs.url + receipt["links"]["runEvents"])
        assert stream.next().type == "subscribed"
        events = stream.rest()
        assert types(events)[0] == "snapshot"
        assert events[0].json["state"] == "succeeded" and events[0].json["kind"] == "square-root-sum"
        assert [event.id for event in events[1:]] == [f"1-{seq}" for seq in range(1, len(events))]
        assert types(events)[1:3] == ["queued", "started"]
        assert types(events)[-2:] == ["succeeded", "end"]

    def test_a_run_stream_resumes_and_is_over_with_204(self, open_stream, jobs):
        receipt = jobs.start(4).json
        jobs.wait_until_over(receipt)
        url = jobs.url + receipt["links"]["runEvents"]
        resumed = open_stream(url, "-H", "Last-Event-ID: 1-2").rest()
        assert types(resumed)[:2] == ["subscribed", "snapshot"]
        assert resumed[2].id == "1-3" and types(resumed)[-1] == "end"
        last = resumed[-1].id
        for arguments in (("-H", f"Last-Event-ID: {last}"), ("--get", "-d", f"lastEventId={last}")):
            over = curl(url, *arguments)
            assert (over.status, over.body) == (204, "")

    def test_a_job_stream_goes_on_after_its_run_is_over(self, open_stream, jobs):
        receipt = jobs.start(4).json
        jobs.wait_until_over(receipt)
        stream = open_stream(jobs.url + receipt["links"]["events"])
        assert stream.next_of("snapshot").json["state"] == "succeeded"
        assert stream.next_of("end").json["runID"] == receipt["runID"]
        second = jobs.again(receipt, 9).json
        assert stream.next_of("queued").json["runID"] == second["runID"]
        succeeded = stream.next_of("succeeded")
        assert succeeded.json["runID"] == second["runID"] and succeeded.id.startswith("2-")
        assert stream.is_running

    def test_a_run_stream_is_pinned_and_does_not_follow_the_job(self, open_stream, jobs):
        first = jobs.start_endless()
        pinned = open_stream(jobs.url + first["links"]["runEvents"])
        pinned.next_of("started")
        second = jobs.again(first, 4, onConflict="replace").json
        events = pinned.rest()
        assert pinned.exit_status() == 0
        assert run_of(events) == first["runID"] != second["runID"]
        assert types(events)[-3:] == ["cancelRequested", "cancelled", "end"]
        assert events[-2].json["reason"] == "superseded"

    def test_the_streams_route_serves_the_same_topics(self, open_stream, jobs):
        receipt = jobs.start(4).json
        jobs.wait_until_over(receipt)
        topic = f"jobs/{receipt['jobID']}/runs/{receipt['runID']}"
        events = open_stream(f"{jobs.url}/v1/streams/{topic}").rest()
        assert types(events)[1] == "snapshot" and types(events)[-2:] == ["succeeded", "end"]

    def test_a_job_and_the_ticker_on_one_connection(self, open_stream, jobs):
        receipt = jobs.start_endless()
        for _ in range(3):
            assert open_stream(f"{jobs.url}/v1/streams/ticks?limit=1").rest()[1].type == "tick"
        last = curl(f"{jobs.url}/v1/streams?prefix=ticks").json["streams"][0]["lastEventID"]
        stream = open_stream(f"{jobs.url}/v1/events?policy=all&topic=ticks&topic=jobs/{receipt['jobID']}")
        assert stream.next_of("snapshot").json["topic"] == f"jobs/{receipt['jobID']}"
        # The ticker begins with its next value even here, where the job's past is replayed.
        first_tick = stream.next_of("tick").json["id"]
        assert position(first_tick) > position(last)


class TestNothingStale:
    def test_a_watcher_of_the_job_gets_the_result_of_each_run_of_its_queue(self, open_stream, jobs):
        first = jobs.start(2_000_000_000).json
        stream = open_stream(jobs.url + first["links"]["events"])
        stream.next_of("started")
        jobs.again(first, 4, onConflict="queue")
        last = jobs.again(first, 0, onConflict="queue").json
        seen = [first]
        while len(seen) < 4:
            seen.append(stream.next_of("succeeded").json)
        assert [event["ordinal"] for event in seen[1:]] == [1, 2, 3]
        assert (seen[3]["runID"], seen[3]["result"]) == (last["runID"], 0)
        assert "event: gap" not in stream.text

    def test_a_replaced_runs_values_are_not_replayed_on_the_jobs_stream(self, open_stream, jobs):
        first = jobs.start(200_000_000).json
        jobs.wait_until_over(first)
        old = jobs.run(first)["result"]
        second = jobs.again(first, ENDLESS).json
        jobs.wait_for_state(second, "running")
        stream = open_stream(jobs.url + first["links"]["events"])
        snapshot = stream.next_of("snapshot")
        assert (snapshot.json["runID"], "result" in snapshot.json) == (second["runID"], False)
        stream.next_of("progress")
        jobs.cancel(first)
        stream.next_of("cancelled")
        stale = [event for event in text_events(stream) if event["runID"] == first["runID"]]
        assert all("result" not in event and "current" not in event for event in stale)
        assert str(old) not in stream.text

    def test_a_run_pinned_watcher_still_gets_its_own_result_after_a_newer_run_started(self, open_stream, jobs):
        first = jobs.start(4).json
        jobs.wait_until_over(first)
        jobs.again(first, ENDLESS)
        events = open_stream(jobs.url + first["links"]["runEvents"]).rest()
        assert types(events)[-2:] == ["succeeded", "end"]

    def test_no_result_follows_a_cancel_however_close_the_two_are(self, open_stream, jobs):
        for terms in (1_000_000, 3_000_000, 10_000_000, 30_000_000):
            stream = start_and_stream(open_stream, jobs, terms)
            receipt = stream.next_of("snapshot").json
            cancel = post(f"{jobs.url}/v1/jobs/{receipt['jobID']}/cancel", {"runID": receipt["runID"]})
            events = stream.rest()
            run = curl(f"{jobs.url}/v1/jobs/{receipt['jobID']}").json["currentRun"]
            if cancel.json["applied"]:
                assert run["state"] == "cancelled" and "succeeded" not in types(events) and "result" not in run
            else:
                assert run["state"] == "succeeded" and types(events)[-2] == "succeeded"

    def test_replacing_again_and_again_shows_only_the_last_result(self, open_stream, jobs):
        first = jobs.start(30_000_000).json
        stream = open_stream(jobs.url + first["links"]["events"])
        runs = [first] + [jobs.again(first, 30_000_000 + n, onConflict="replace").json for n in range(1, 8)]
        order = {run["runID"]: run["ordinal"] for run in runs}
        newest, events = 0, []
        while not (events and events[-1].type == "end" and events[-1].json["ordinal"] == 8):
            events.append(stream.next())
        for event in events[1:]:
            ordinal = order[event.json["runID"]] if event.type != "gap" else newest
            if event.type in VALUES:
                assert ordinal >= newest, "a value of an older run after an event of a newer one"
            newest = max(newest, ordinal)
        assert [event.json["ordinal"] for event in events if event.type == "succeeded"][-1] == 8


def text_events(stream):
    """The payloads of the run's events in all that the stream has printed."""
    payloads = [line.removeprefix("data: ") for line in stream.text.split("\n") if line.startswith("data: ")]
    return [payload for payload in map(json.loads, payloads) if "runID" in payload]


def test_a_start_as_a_stream_is_refused_before_it_starts_when_there_is_no_room(open_stream, start_server):
    jobs = Jobs(start_server("--max-subscriptions", "1").url)
    watcher = open_stream(f"{jobs.url}/v1/streams/ticks")
    watcher.next_of("subscribed")
    refused = post(f"{jobs.url}/v1/jobs", request(ENDLESS), *SSE)
    refused.problem(503)
    assert refused.headers["retry-after"]
    assert curl(f"{jobs.url}/v1/jobs").json["jobs"] == []
