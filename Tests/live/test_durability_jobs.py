"""Jobs across a kill: what was accepted is there, what was running is lost, what was queued goes on."""

import uuid
from math import fsum, sqrt

import pytest
from curl import curl, post
from jobs import ENDLESS, Jobs, request



class Scene:
    """A server that was killed when it had a job in each state, and was started again."""

    def __init__(self, server):
        self.server, self.jobs = server, Jobs(server.url)
        self.prepare_finished()
        self.prepare_unfinished()
        server.start_again_after_kill()
        for receipt in (self.first_queued, self.second_queued, self.behind, self.replacing):
            self.jobs.wait_until_over(receipt)

    def prepare_finished(self):
        jobs = self.jobs
        self.succeeded = jobs.start(1_000).json
        jobs.wait_until_over(self.succeeded)
        self.result = jobs.result(self.succeeded)
        self.whole = curl(self.server.url + self.succeeded["links"]["self"])
        self.put_id = str(uuid.uuid4())
        self.put = self.put_again(4)
        self.key = str(uuid.uuid4())
        self.keyed = self.start_with_key(9)
        for receipt in (self.put.json, self.keyed.json):
            jobs.wait_until_over(receipt)
        self.finished = curl(f"{self.server.url}/v1/jobs?state=succeeded&limit=2")

    def prepare_unfinished(self):
        jobs = self.jobs
        self.running, self.replaced, self.cancelling = (jobs.start_endless() for _ in range(3))
        # Three of three runs compute now: these wait. Two endless ones will take the places of those that are cancelled.
        self.fillers = [jobs.start(ENDLESS).json for _ in range(2)]
        self.first_queued, self.second_queued = jobs.start(25).json, jobs.start(36).json
        self.behind = jobs.again(self.running, 49, onConflict="queue").json
        self.cancelled = jobs.start(64).json
        assert jobs.cancel(self.cancelled).json["state"] == "cancelled"
        # The kill comes so soon after these that their workers have hardly stopped.
        self.replacing = jobs.again(self.replaced, 16, onConflict="replace").json
        assert jobs.cancel(self.cancelling, reason="enough").status == 202

    def put_again(self, terms):
        return post(f"{self.server.url}/v1/jobs/{self.put_id}", request(terms), method="PUT")

    def start_with_key(self, terms):
        return post(f"{self.server.url}/v1/jobs", request(terms), "-H", f"Idempotency-Key: {self.key}")


@pytest.fixture(scope="module")
def scene(start_server_for_module):
    return Scene(start_server_for_module("--max-running", "3"))


def test_a_result_is_the_same_to_the_byte(scene):
    reply = scene.jobs.result(scene.succeeded)
    assert (reply.status, reply.body) == (200, scene.result.body)


def test_a_job_is_the_same_to_the_byte_and_its_tag_still_holds(scene):
    url = scene.server.url + scene.succeeded["links"]["self"]
    assert curl(url).body == scene.whole.body
    assert curl(url).headers["etag"] == scene.whole.headers["etag"]
    assert curl(url, "-H", f"If-None-Match: {scene.whole.headers['etag']}").status == 304


def test_a_tag_does_not_hold_for_what_has_changed_since(scene):
    url = scene.server.url + scene.put.json["links"]["self"]
    tag = curl(url).headers["etag"]
    again = scene.jobs.again(scene.put.json, 5).json
    scene.jobs.wait_until_over(again)
    assert again["ordinal"] == 2
    assert curl(url, "-H", f"If-None-Match: {tag}").status == 200


def test_what_was_running_is_lost_and_says_why(scene):
    run = scene.jobs.run(scene.running)
    assert run["state"] == "lost" and run["error"]["code"] == "lost" and run["error"]["message"]
    assert "result" not in run and run["finishedAt"] >= run["startedAt"]
    assert scene.jobs.result(scene.running).problem(409)


def test_what_was_queued_goes_on_in_its_order(scene):
    first, second = scene.jobs.run(scene.first_queued), scene.jobs.run(scene.second_queued)
    for run, terms in ((first, 25), (second, 36)):
        assert run["state"] == "succeeded"
        assert run["result"] == pytest.approx(fsum(map(sqrt, range(1, terms + 1))), rel=1e-14)
    assert first["startedAt"] <= second["startedAt"]


def test_what_waited_behind_a_lost_run_has_its_turn(scene):
    assert scene.jobs.run(scene.behind)["state"] == "succeeded"
    job = scene.jobs.job(scene.running)
    assert job["state"] == "succeeded" and job["currentRun"]["runID"] == scene.behind["runID"]
    assert [run["state"] for run in job["runs"]] == ["lost", "succeeded"]


def test_a_cancel_that_was_asked_for_is_not_forgotten(scene):
    run = scene.jobs.run(scene.cancelling)
    assert (run["state"], run["reason"], run["note"]) == ("cancelled", "user", "enough")
    assert scene.jobs.run(scene.cancelled)["state"] == "cancelled"


def test_a_replaced_run_stays_replaced(scene):
    run = scene.jobs.run(scene.replaced)
    assert (run["state"], run["reason"]) == ("cancelled", "superseded")
    assert scene.jobs.job(scene.replaced)["currentRun"]["runID"] == scene.replacing["runID"]
    assert scene.jobs.run(scene.replacing)["state"] == "succeeded"


def test_a_put_can_be_repeated(scene):
    run = scene.put.json["runID"]
    again = scene.put_again(4)
    assert again.status == 200 and again.json["jobID"] == scene.put_id
    assert run in [run["runID"] for run in scene.jobs.job(again.json)["runs"]]
    assert scene.put_again(5).status == 409


def test_a_key_is_known(scene):
    again = scene.start_with_key(9)
    assert (again.status, again.json) == (scene.keyed.status, scene.keyed.json)
    scene.start_with_key(10).problem(422)


def test_a_cursor_of_the_list_goes_on(scene):
    url = f"{scene.server.url}/v1/jobs?state=succeeded&limit=50"
    older = curl(f"{url}&cursor={scene.finished.json['next']}").json["jobs"]
    assert [job["jobID"] for job in older] == [scene.succeeded["jobID"]]
    listed = [job["jobID"] for job in curl(f"{scene.server.url}/v1/jobs").json["jobs"]]
    made = [
        scene.succeeded, scene.put.json, scene.keyed.json, scene.running, scene.replaced, scene.cancelling,
        *scene.fillers, scene.first_queued, scene.second_queued, scene.cancelled,
    ]
    made = [receipt["jobID"] for receipt in reversed(made)]
    assert [job for job in listed if job in made] == made


class TestOrderlyRestart:
    def test_what_runs_is_cancelled_and_what_is_queued_goes_on(self, start_server):
        server = start_server("--max-running", "1")
        jobs = Jobs(server.url)
        running, queued = jobs.start_endless(), jobs.start(4).json
        behind = jobs.again(running, 9, onConflict="queue").json
        assert server.stop() == 0
        server.start()
        run = jobs.run(running)
        assert (run["state"], run["reason"]) == ("cancelled", "shutdown")
        assert jobs.wait_until_over(queued)["state"] == "succeeded"
        assert jobs.wait_until_over(behind)["state"] == "succeeded"

    def test_a_queued_run_keeps_its_time_limit(self, start_server):
        server = start_server("--max-running", "1")
        jobs = Jobs(server.url)
        jobs.start_endless()
        queued = jobs.start(ENDLESS, timeoutSeconds=0.2).json
        server.start_again_after_kill()
        assert jobs.wait_until_over(queued)["state"] == "timedOut"


class TestWhatIsNoLongerKept:
    def test_a_job_stays_gone(self, start_server):
        server = start_server("--max-jobs", "1")
        jobs = Jobs(server.url)
        gone = jobs.start(1).json
        jobs.wait_until_over(gone)
        kept = jobs.start(2).json
        jobs.wait_until_over(kept)
        server.start_again_after_kill()
        url = server.url + gone["links"]["self"]
        curl(url).problem(410)
        curl(f"{url}/events").problem(410)
        post(url, request(1), method="PUT").problem(410)
        assert jobs.job(kept)["state"] == "succeeded"

    def test_a_run_stays_gone(self, start_server):
        server = start_server("--max-runs-per-job", "1")
        jobs = Jobs(server.url)
        gone = jobs.start(1).json
        jobs.wait_until_over(gone)
        kept = jobs.again(gone, 2).json
        jobs.wait_until_over(kept)
        server.start_again_after_kill()
        curl(server.url + gone["links"]["run"]).problem(410)
        curl(server.url + gone["links"]["runEvents"]).problem(410)
        assert [run["runID"] for run in jobs.job(kept)["runs"]] == [kept["runID"]]
