"""The judges of the storm find what they are for: a history that is well, and what each fault does to it."""

import copy

import pytest
from durability_model import judge_jobs
from durability_model_topics import judge_topics
from durability_records import Answer, Cancel, Connection, Follower, History, Life, Look, Publication, Start

JOB, TOPIC = "j", "t"
RUN_PATH = "/v1/jobs/j/runs/r1/events"


def event(run, seq, name, at, **members):
    """An event of the run with this ordinal, `at` seconds after the beginning."""
    data = {"runID": f"r{run}", "jobID": JOB, "ordinal": run, "seq": seq, "at": at, **members}
    return name, f"{run}-{seq}", data


def connection(life, opened, cursor, events, outcome):
    return Connection(life, opened, cursor, list(events), [opened + place for place in range(len(events))], outcome)


@pytest.fixture
def jobs():
    """Two lives. Run 1 was running when the first was killed; run 2 was queued, and succeeded in the second."""
    subscribed = ("subscribed", None, {"topics": []})
    first = [
        subscribed, ("snapshot", None, {**event(1, 2, "", 11)[2], "state": "running"}), event(1, 1, "queued", 10),
        event(1, 2, "started", 11), event(1, 3, "progress", 12),
    ]
    lost = [event(1, 4, "lost", 101, reason="gone"), event(1, 5, "end", 101)]
    snapshot = ("snapshot", None, {**event(1, 5, "", 101)[2], "state": "lost"})
    second = [event(2, 1, "queued", 20), event(2, 2, "started", 102), event(2, 3, "succeeded", 103, result=2.0)]
    history = History(lives=[Life(0, 99, True), Life(100)])
    history.starts = [Start(JOB, "r1", 1, None, 5, 9, 10.5), Start(JOB, "r2", 2, None, 6, 19, 20.5)]
    run = Follower((RUN_PATH,), JOB, "r1")
    run.connections = [
        connection(0, 13, None, first, "broken"),
        connection(1, 110, "1-3", [subscribed, snapshot, *lost], "over"),
    ]
    job = Follower(("/v1/jobs/j/events",), JOB)
    job.connections = [
        connection(0, 13, None, first, "broken"),
        connection(1, 110, "1-3", [subscribed, snapshot, second[0], *lost, *second[1:], event(2, 4, "end", 103)], "left"),
    ]
    history.followers = [run, job]
    history.looks = [Look(JOB, {"runID": "r2", "ordinal": 2, "state": "queued"}, None, 50, 51)]
    key = {"jobID": JOB, "runID": "r1"}
    history.repeated = {"key": [Answer(9, 10.5, 202, key), Answer(120, 121, 202, key)]}
    kept = {
        "r1": (200, {"jobID": JOB, "runID": "r1", "ordinal": 1, "state": "lost"}),
        "r2": (200, {"jobID": JOB, "runID": "r2", "ordinal": 2, "state": "succeeded", "result": 2.0}),
    }
    return copy.deepcopy((history, kept))


def complaints(jobs):
    return list(judge_jobs(*jobs, runs_kept=2))


def test_nothing_is_found_where_all_is_well(jobs):
    assert complaints(jobs) == []


def events_of(jobs, follower, connection):
    return jobs[0].followers[follower].connections[connection].events


class TestOfJobs:
    def test_an_event_that_comes_again_after_a_kill(self, jobs):
        events_of(jobs, 0, 1).insert(2, event(1, 3, "progress", 12))
        assert complaints(jobs)

    def test_an_event_that_is_lost_over_a_kill(self, jobs):
        del events_of(jobs, 1, 1)[3]
        assert complaints(jobs)

    def test_a_gap_that_hides_what_is_not_overtaken(self, jobs):
        events_of(jobs, 0, 1).insert(2, ("gap", None, {"topic": "x", "reason": "superseded"}))
        del events_of(jobs, 0, 0)[-1]
        assert not complaints(jobs)  # run 2 has overtaken it
        del jobs[0].followers[1]
        assert complaints(jobs)

    def test_a_gap_for_want_of_memory(self, jobs):
        events_of(jobs, 0, 1).insert(2, ("gap", None, {"topic": "x", "reason": "evicted"}))
        assert complaints(jobs)

    def test_a_second_end(self, jobs):
        events_of(jobs, 0, 1)[2:2] = [event(1, 4, "cancelled", 101, reason="user")]
        assert complaints(jobs)

    def test_no_end(self, jobs):
        del events_of(jobs, 0, 1)[-1]
        assert complaints(jobs)

    def test_a_result_of_a_run_of_another_life(self, jobs):
        for follower in (0, 1):
            at = events_of(jobs, follower, 1).index(event(1, 4, "lost", 101, reason="gone"))
            events_of(jobs, follower, 1)[at] = event(1, 4, "succeeded", 101, result=1.0)
        jobs[1]["r1"][1].update(state="succeeded", result=1.0)
        assert complaints(jobs)

    def test_a_run_that_is_lost_without_a_kill(self, jobs):
        jobs[0].lives[0].was_killed = False
        for follower in jobs[0].followers:
            follower.connections[0].outcome = "closed"
        assert complaints(jobs)

    def test_a_stream_that_is_cut_off_while_the_server_lives(self, jobs):
        jobs[0].followers[0].connections[0].life = 1
        assert complaints(jobs)

    def test_a_start_that_is_forgotten(self, jobs):
        jobs[1]["r2"] = (404, None)
        assert complaints(jobs)

    def test_a_run_that_is_gone_before_its_time(self, jobs):
        jobs[1]["r2"] = (410, None)
        assert complaints(jobs)

    def test_a_run_that_never_ends(self, jobs):
        jobs[1]["r2"][1]["state"] = "queued"
        assert complaints(jobs)

    def test_a_cancel_that_is_forgotten(self, jobs):
        jobs[0].cancels.append(Cancel(JOB, "r1", "cancelling", 97, 98))
        assert complaints(jobs)

    def test_a_look_at_what_is_over(self, jobs):
        jobs[0].looks.append(Look(JOB, {"runID": "r1", "state": "running"}, None, 150, 151))
        assert complaints(jobs)

    def test_a_look_at_a_result_that_was_not_accepted(self, jobs):
        jobs[0].looks.append(Look(JOB, {"runID": "r1", "state": "succeeded", "result": 1}, None, 60, 61))
        assert complaints(jobs)

    def test_a_tag_of_two_texts(self, jobs):
        jobs[0].looks.append(Look(JOB, {"runID": "r2", "state": "queued"}, "tag", 50, 51))
        jobs[0].looks.append(Look(JOB, {"runID": "r2", "state": "running"}, "tag", 104, 105))
        assert complaints(jobs)

    def test_a_key_with_two_answers(self, jobs):
        jobs[0].repeated["key"][1].body = {"jobID": JOB, "runID": "r2"}
        assert complaints(jobs)

    def test_a_put_that_makes_two_jobs(self, jobs):
        jobs[0].repeated["PUT j"] = [Answer(1, 2, 201, {"jobID": JOB, "runID": run}) for run in ("r1", "r2")]
        assert complaints(jobs)


@pytest.fixture
def topics():
    """Four events: the third was never acknowledged. A follower loses its connection after the second."""
    log = [(f"e-{number}", {"n": number}) for number in (1, 3, 5, 7)]
    publications = [Publication(TOPIC, data, 10 * n, 10 * n + 1, id) for n, (id, data) in enumerate(log)]
    publications[2].id = publications[2].answered = None
    events = [("message", id, data) for id, data in log]
    follower = Follower((TOPIC,))
    follower.connections = [
        connection(0, 5, None, [("subscribed", None, {}), *events[1:2]], "broken"),
        connection(1, 25, "e-3", [("subscribed", None, {}), *events[2:]], "left"),
    ]
    return copy.deepcopy(({TOPIC: log}, publications, [follower]))


class TestOfTopics:
    def complaints(self, topics):
        return list(judge_topics(*topics))

    def test_nothing_is_found_where_all_is_well(self, topics):
        assert self.complaints(topics) == []

    def test_an_acknowledged_event_that_is_not_there(self, topics):
        topics[1].append(Publication(TOPIC, {"n": 9}, 90, 91, "e-9"))
        assert self.complaints(topics)

    def test_an_event_that_nobody_sent(self, topics):
        del topics[1][2]
        assert self.complaints(topics)

    def test_an_event_that_is_there_twice(self, topics):
        topics[0][TOPIC].insert(0, ("e-0", {"n": 7}))
        assert self.complaints(topics)

    def test_an_id_that_is_given_twice(self, topics):
        topics[0][TOPIC][2] = ("e-3", {"n": 5})
        assert self.complaints(topics)

    def test_events_in_another_order_than_they_were_acknowledged(self, topics):
        topics[0][TOPIC].reverse()
        topics[2].clear()
        assert self.complaints(topics)

    def test_an_event_that_a_follower_misses(self, topics):
        del topics[2][0].connections[1].events[1]
        assert self.complaints(topics)

    def test_an_event_that_a_follower_gets_twice(self, topics):
        topics[2][0].connections[1].events.insert(1, ("message", "e-3", {"n": 3}))
        assert self.complaints(topics)

    def test_an_event_that_is_another_for_a_follower(self, topics):
        topics[2][0].connections[1].events[2] = ("message", "e-7", {"n": 8})
        assert self.complaints(topics)

    def test_a_follower_that_begins_too_late(self, topics):
        del topics[2][0].connections[0]
        topics[2][0].connections[0].read_at = [5, 6, 7]
        assert self.complaints(topics)

    def test_a_gap(self, topics):
        topics[2][0].connections[1].events.insert(1, ("gap", None, {"topic": TOPIC, "reason": "restarted"}))
        assert self.complaints(topics)

    def test_another_epoch_after_a_kill(self, topics):
        topics[0][TOPIC][3] = ("f-7", {"n": 7})
        topics[1][3].id = "f-7"
        topics[2][0].connections[1].events[2] = ("message", "f-7", {"n": 7})
        assert self.complaints(topics)
