"""Streams of jobs and runs that are followed across a kill."""

import pytest
from curl import curl
from jobs import ENDLESS, Jobs



@pytest.fixture
def server(start_server):
    # One event in memory: all others are read from the store.
    return start_server("--log-events", "1")


@pytest.fixture
def jobs(server):
    jobs = Jobs(server.url)
    yield jobs
    jobs.close()


def names(events):
    return [event.type for event in events]


def resume(id):
    return "-H", f"Last-Event-ID: {id}"


def test_a_watcher_who_comes_back_learns_that_the_run_is_lost(server, jobs, open_stream):
    receipt = jobs.start_endless()
    url = server.url + receipt["links"]["runEvents"]
    stream = open_stream(url)
    last = stream.next_of("progress")
    server.start_again_after_kill()
    seen = [*stream.rest(), *open_stream(url, *resume(last.id)).rest()]
    numbered = [event for event in [last, *seen] if event.id]
    first = int(last.id.split("-")[1])
    assert [event.id for event in numbered] == [f"1-{first + place}" for place in range(len(numbered))]
    assert set(names(numbered[:-2])) == {"progress"}
    assert names(numbered[-2:]) == ["lost", "end"]
    assert numbered[-2].json["reason"]
    assert "gap" not in names(seen)
    assert curl(url, *resume(numbered[-1].id)).status == 204


def test_a_run_that_was_over_can_be_read_from_its_beginning_and_from_any_place(server, jobs, open_stream):
    receipt = jobs.start(1_000).json
    jobs.wait_until_over(receipt)
    url = server.url + receipt["links"]["runEvents"]
    before = open_stream(url).rest()
    assert names(before)[:2] == ["subscribed", "snapshot"]
    server.start_again_after_kill()
    after = open_stream(url).rest()
    assert after[2:] == before[2:]
    # A snapshot says when it was made.
    assert {**after[1].json, "time": None} == {**before[1].json, "time": None}
    events = after[2:]
    assert names(events)[-2:] == ["succeeded", "end"]
    for place, event in enumerate(events[:-1]):
        resumed = open_stream(url, *resume(event.id)).rest()
        assert names(resumed)[:2] == ["subscribed", "snapshot"]
        assert resumed[2:] == events[place + 1 :]
    assert curl(url, *resume(events[-1].id)).status == 204


def test_a_follower_of_the_job_goes_on_with_its_next_run(server, jobs, open_stream):
    receipt = jobs.start(1_000).json
    jobs.wait_until_over(receipt)
    url = server.url + receipt["links"]["events"]
    stream = open_stream(url)
    last = stream.next_of("succeeded")
    server.start_again_after_kill()
    again = open_stream(url, *resume(last.id))
    assert again.next_of("end").id == f"1-{int(last.id.split('-')[1]) + 1}"
    assert jobs.again(receipt, 4).status == 202
    events = [again.next_of("queued"), again.next_of("started"), again.next_of("succeeded"), again.next_of("end")]
    assert {event.json["ordinal"] for event in events} == {2}


def test_a_job_that_is_started_again_before_anybody_looks_has_its_past(server, jobs, open_stream):
    receipt = jobs.start(1_000).json
    jobs.wait_until_over(receipt)
    server.start_again_after_kill()
    second = jobs.again(receipt, 4).json
    jobs.wait_until_over(second)
    url = server.url + receipt["links"]["events"]
    for arguments, first in (((), "1-1"), (resume("1-1"), "1-2")):
        stream = open_stream(url, *arguments)
        assert [stream.next().type for _ in range(2)] == ["subscribed", "snapshot"]
        assert stream.next().id == first
        assert stream.next_of("succeeded").json["ordinal"] == 2


class TestWhatWasOvertaken:
    def test_values_of_a_replaced_run_are_not_shown(self, server, jobs, open_stream):
        receipt = jobs.start_endless()
        run_url = server.url + receipt["links"]["runEvents"]
        job_url = server.url + receipt["links"]["events"]
        stream = open_stream(run_url)
        started, progress = stream.next_of("started"), stream.next_of("progress")
        second = jobs.again(receipt, 4, onConflict="replace").json
        jobs.wait_until_over(receipt)
        jobs.wait_until_over(second)
        server.start_again_after_kill()
        # To newcomers, as if there had been none.
        assert set(names(open_stream(run_url).rest())) == {
            "subscribed", "snapshot", "queued", "started", "cancelRequested", "cancelled", "end"
        }
        job_stream = open_stream(job_url)
        shown = []
        while not (shown and shown[-1].type == "end" and shown[-1].json["ordinal"] == 2):
            shown.append(job_stream.next())
        assert not [event for event in shown if event.type == "progress" and event.json["ordinal"] == 1]
        assert "gap" not in names(shown)
        # To those who come back, with a word.
        for id in (started.id, progress.id):
            events = open_stream(run_url, *resume(id)).rest()
            gaps = [event.json["reason"] for event in events if event.type == "gap"]
            assert gaps in (["superseded"], []) and "progress" not in names(events)
            assert gaps or id == progress.id

    def test_an_accepted_result_is_the_runs_own_and_no_longer_the_jobs(self, server, jobs, open_stream):
        receipt = jobs.start(1_000).json
        jobs.wait_until_over(receipt)
        second = jobs.again(receipt, 4).json
        jobs.wait_until_over(second)
        server.start_again_after_kill()
        assert "succeeded" in names(open_stream(server.url + receipt["links"]["runEvents"]).rest())
        assert jobs.result(receipt).status == 200
        stream = open_stream(server.url + receipt["links"]["events"])
        result = stream.next_of("succeeded")
        assert result.json["ordinal"] == 2
        stream = open_stream(server.url + receipt["links"]["events"], *resume("1-2"))
        assert stream.next_of("gap").json["reason"] == "superseded"
        assert stream.next_of("succeeded").json["ordinal"] == 2

    @pytest.mark.parametrize("events_in_memory", ["1", "1000"])
    def test_values_of_a_run_that_was_queued_at_the_kill_are_taken_back_when_it_is_replaced(
        self, start_server, open_stream, events_in_memory
    ):
        server = start_server("--max-running", "1", "--log-events", events_in_memory)
        jobs = Jobs(server.url)
        jobs.start_endless()
        queued = jobs.start(ENDLESS).json
        server.start_again_after_kill()
        url = server.url + queued["links"]["runEvents"]
        watcher = open_stream(url)
        watcher.next_of("progress")
        jobs.again(queued, 4, onConflict="replace")
        jobs.wait_until_over(queued)
        assert "progress" not in names(open_stream(url).rest())
        assert "progress" not in names(open_stream(url, *resume("1-2")).rest())
        assert names(watcher.rest())[-2:] == ["cancelled", "end"]
