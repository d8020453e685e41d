"""Randomized: clients do thousands of things while the server is killed and restarted, and a model judges all they saw.

RUNCAST_SEED repeats what the clients do, though not how the threads interleave; a new seed is printed each time.
RUNCAST_OPERATIONS is how many things they do.
"""

import os
import random
from math import fsum, sqrt

import pytest
from acceptance_model import TERMINAL
from conftest import Server
from durability_clients import Caller, follow
from durability_model import judge_jobs
from durability_model_topics import judge_topics
from durability_records import Follower
from durability_storm import FINAL, MEDIUM, TOPICS, Storm

OPERATIONS = int(os.environ.get("RUNCAST_OPERATIONS", "6000"))
# Killed, or stopped in order, and started again.
ENDINGS = (True, False, True, True, False, True)
RUNS_KEPT = 40  # of each job
# A kill is no loss of power, so that there is no need to wait for the disk.
# There is little in memory: whoever comes back reads from the store.
OPTIONS = (
    "--durability", "normal", "--tick-interval", "50ms", "--max-running", "3", "--log-events", "16",
    "--max-runs-per-job", str(RUNS_KEPT),
)
MOST_SHOWN = 20  # complaints in the message of a failure


@pytest.fixture(scope="module")
def storm():
    seed = int(os.environ.get("RUNCAST_SEED") or random.SystemRandom().getrandbits(32))
    print(f"RUNCAST_SEED={seed}")
    server = Server(*OPTIONS)
    storm = Storm(server, seed, OPERATIONS, ENDINGS)
    storm.seed = seed
    storm.run()
    storm.ends = [Ends(storm)]
    storm.lives.end(killing=True)
    storm.ends.append(Ends(storm))
    yield storm
    assert server.stop() == 0


class Ends:
    """How everything stands when all is over."""

    def __init__(self, storm):
        send = Caller(storm.lives)
        self.logs = {topic: read_log(storm, topic) for topic in TOPICS}
        self.listed = list(self._list(send))
        self.jobs = {job["jobID"]: send("GET", f"/v1/jobs/{job['jobID']}").body for job in self.listed}
        self.runs, self.results = {}, {}
        for job, run in {(told.job, told.run) for told in storm.history.starts + storm.history.cancels}:
            path = f"/v1/jobs/{job}/runs/{run}"
            answer, result = send("GET", path), send("GET", f"{path}/result")
            self.runs[run] = (answer.status, answer.body if answer.status == 200 else None)
            self.results[run] = (result.status, result.body if result.status == 200 else None)

    def _list(self, send):
        page = send("GET", "/v1/jobs?limit=100").body
        yield from page["jobs"]
        while cursor := page.get("next"):
            page = send("GET", f"/v1/jobs?limit=100&cursor={cursor}").body
            yield from page["jobs"]


def read_log(storm, topic):
    """All events of a topic but the first, from its id on, as (id, data)."""
    read = []
    path = f"/v1/streams/{topic}?lastEventId={storm.first_ids[topic]}"
    is_last = lambda event: event[2].get("final") == FINAL
    follow(storm.lives, path, Follower((topic,)), read.append, is_last)
    first = next(p for p in storm.history.publications if p.id == storm.first_ids[topic])
    return [(first.id, first.data)] + [(id, data) for name, id, data in read[0].events if id]


def assert_none(storm, complaints):
    complaints = list(complaints)
    shown = "\n".join(complaints[:MOST_SHOWN])
    assert not complaints, f"RUNCAST_SEED={storm.seed}, {len(complaints)} complaints:\n{shown}"


def test_nobody_was_refused_or_kept_waiting(storm):
    assert_none(storm, storm.history.complaints)


def test_nothing_published_was_lost_or_told_twice(storm):
    for end in storm.ends:
        assert_none(storm, judge_topics(end.logs, storm.history.publications, storm.history.followers))


def test_nobody_saw_anything_stale_of_a_job_and_nothing_acknowledged_was_lost(storm):
    assert_none(storm, judge_jobs(storm.history, storm.ends[-1].runs, RUNS_KEPT))


def test_results_are_those_of_runs_that_succeeded(storm):
    terms_of = {start.run: start.terms for start in storm.history.starts}
    for run, (status, result) in storm.ends[-1].results.items():
        state = (storm.ends[-1].runs[run][1] or {}).get("state")
        assert status == {"succeeded": 200, None: 410}.get(state, 409), (run, status, state)
        if status == 200 and terms_of.get(run, MEDIUM) < MEDIUM:
            assert result["result"] == pytest.approx(fsum(map(sqrt, range(1, terms_of[run] + 1))), rel=1e-14)


def test_nothing_changes_by_one_more_restart(storm):
    first, last = storm.ends[0], storm.ends[-1]
    assert first.logs == last.logs
    assert first.listed == last.listed
    assert first.jobs == last.jobs
    assert first.runs == last.runs
    assert first.results == last.results


def test_the_list_has_every_job_once_and_newest_first(storm):
    listed = [job["jobID"] for job in storm.ends[-1].listed]
    place = {job: number for number, job in enumerate(listed)}
    assert len(place) == len(listed)
    made = sorted((start for start in storm.history.starts if start.ordinal == 1), key=lambda start: -place[start.job])
    newest_sent = 0
    for start in made:
        assert start.answered > newest_sent, f"RUNCAST_SEED={storm.seed}: {start} is listed as newer than it is"
        newest_sent = max(newest_sent, start.sent)


def test_a_request_makes_one_run_at_most_however_often_it_was_sent(storm):
    runs = [run for job in storm.ends[-1].jobs.values() for run in job["runs"]]
    terms = [run["input"]["terms"] for run in runs]
    assert len(set(terms)) == len(terms), f"RUNCAST_SEED={storm.seed}"
    assert set(terms) <= set(storm.history.asked), f"RUNCAST_SEED={storm.seed}: runs that nobody asked for"


def test_the_storm_was_one(storm):
    events = [event for follower in storm.history.followers for event in follower.events]
    names = {name for name, _, _ in events}
    assert {"progress", "succeeded", "cancelled", "cancelRequested", "snapshot", "gap", "tick"} <= names
    assert any(is_resumed_later(follower) for follower in storm.history.followers)
    assert len(storm.history.starts) > OPERATIONS / 10
    assert len(storm.history.cancels) > OPERATIONS / 100
    states = {run["state"] for _, run in storm.ends[-1].runs.values() if run}
    assert "lost" in states and states <= set(TERMINAL)


def is_resumed_later(follower):
    """Whether a stream went on with events in another life of the server."""
    return len({connection.life for connection in follower.connections if len(connection.events) > 1}) > 1
