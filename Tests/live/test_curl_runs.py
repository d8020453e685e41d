"""Further runs of a job with curl: the four conflict policies, cancelling, time limits, idempotency."""

import uuid

import pytest
from curl import curl, post
from jobs import ENDLESS, Jobs


class TestConflicts:
    def test_reject_is_the_default_and_names_the_run_in_the_way(self, jobs):
        first = jobs.start_endless()
        for members in ({}, {"onConflict": "reject"}):
            problem = jobs.again(first, 4, **members).problem(409)
            assert problem["currentRunID"] == first["runID"]
        assert len(jobs.job(first)["runs"]) == 1
        assert jobs.run(first)["state"] == "running"

    def test_join_answers_with_the_run_in_progress(self, jobs):
        first = jobs.start_endless()
        joined = jobs.again(first, 4, onConflict="join")
        assert (joined.status, joined.json["started"], joined.json["runID"]) == (200, False, first["runID"])
        assert joined.headers["location"] == first["links"]["run"]
        assert len(jobs.job(first)["runs"]) == 1

    def test_replace_supersedes_the_old_run_and_only_the_new_one_has_a_result(self, jobs):
        first = jobs.start_endless()
        reply = jobs.again(first, 4, onConflict="replace")
        assert reply.status == 202
        second = reply.json
        assert second["replaces"] == first["runID"] and second["started"] is True and second["ordinal"] == 2
        old, new = jobs.wait_until_over(first), jobs.wait_until_over(second)
        assert (old["state"], old["reason"], "result" in old) == ("cancelled", "superseded", False)
        assert new["state"] == "succeeded"
        jobs.result(first).problem(409)
        assert jobs.job(first)["currentRun"]["runID"] == second["runID"]

    def test_queue_waits_for_its_turn(self, jobs):
        first = jobs.start_endless()
        reply = jobs.again(first, 4, onConflict="queue")
        second = reply.json
        assert (reply.status, second["state"], second["started"]) == (202, "queued", True)
        assert jobs.run(second)["state"] == "queued"
        assert jobs.job(first)["currentRun"]["runID"] == first["runID"]
        jobs.cancel(first)
        assert jobs.wait_until_over(second)["state"] == "succeeded"

    def test_once_the_job_is_over_any_policy_starts_a_run(self, jobs):
        receipt = jobs.start(1).json
        for number, policy in enumerate(("reject", "join", "replace", "queue"), 2):
            jobs.wait_until_over(receipt)
            reply = jobs.again(receipt, 4, onConflict=policy)
            receipt = reply.json
            assert (reply.status, receipt["ordinal"], receipt["started"]) == (202, number, True)
            assert "replaces" not in receipt

    def test_a_run_without_a_body_has_the_jobs_input(self, jobs):
        first = jobs.start(4).json
        jobs.wait_until_over(first)
        second = post(f"{jobs.url}{first['links']['self']}/runs").json
        assert jobs.wait_until_over(second)["result"] == jobs.run(first)["result"]

    @pytest.mark.parametrize(
        ("body", "status", "field"),
        [
            ({"onConflict": "explode"}, 422, "onConflict"), ({"onConflict": 1}, 422, "onConflict"),
            ({"input": {"terms": -1}}, 422, "input.terms"), ({"kind": "square-root-sum"}, 422, "kind"),
            ({"timeoutSeconds": 0}, 422, "timeoutSeconds"), ([], 422, ""), ("{", 400, None),
        ],
    )
    def test_a_bad_start_changes_nothing(self, jobs, body, status, field):
        first = jobs.start_endless()
        post(f"{jobs.url}{first['links']['self']}/runs", body).problem(status, field)
        assert len(jobs.job(first)["runs"]) == 1 and jobs.run(first)["state"] == "running"


class TestCancelling:
    def test_a_running_run_is_asked_to_stop_and_never_has_a_result(self, jobs):
        receipt = jobs.start_endless()
        reply = post(jobs.url + receipt["links"]["cancel"])
        assert (reply.status, reply.json["state"], reply.json["applied"]) == (202, "cancelling", True)
        assert reply.json["message"] == "Cancellation requested"
        assert reply.json["runID"] == receipt["runID"]
        run = jobs.wait_until_over(receipt)
        assert (run["state"], run["reason"], "result" in run) == ("cancelled", "user", False)
        assert jobs.result(receipt).problem(409)["state"] == "cancelled"

    def test_a_queued_run_is_over_at_once(self, jobs):
        first = jobs.start_endless()
        second = jobs.again(first, 4, onConflict="queue").json
        reply = jobs.cancel(second, runID=second["runID"])
        assert (reply.status, reply.json["state"], reply.json["applied"]) == (200, "cancelled", True)
        assert jobs.run(first)["state"] == "running"

    def test_a_run_that_is_over_stays_as_it_is(self, jobs):
        receipt = jobs.start(4).json
        jobs.wait_until_over(receipt)
        for _ in range(2):
            reply = jobs.cancel(receipt)
            assert (reply.status, reply.json["state"], reply.json["applied"]) == (200, "succeeded", False)
        assert jobs.result(receipt).status == 200

    def test_a_run_that_is_not_current_cancels_nothing(self, jobs):
        first = jobs.start(1).json
        jobs.wait_until_over(first)
        second = jobs.again(first, ENDLESS).json
        problem = jobs.cancel(first, runID=first["runID"]).problem(409)
        assert problem["currentRunID"] == second["runID"]
        assert jobs.wait_for_state(second, "running")
        jobs.cancel(first, runID=str(uuid.uuid4())).problem(404)
        assert jobs.run(second)["state"] == "running"

    def test_repeating_a_cancel_is_harmless(self, jobs):
        receipt = jobs.start_endless()
        replies = [jobs.cancel(receipt) for _ in range(5)]
        assert all(reply.status in (200, 202) for reply in replies)
        assert jobs.wait_until_over(receipt)["state"] == "cancelled"
        assert jobs.cancel(receipt).json["applied"] is False

    def test_force_does_not_wait_for_the_computation(self, jobs):
        receipt = jobs.start_endless()
        reply = jobs.cancel(receipt, force=True)
        assert (reply.status, reply.json["state"], reply.json["applied"]) == (200, "cancelled", True)
        assert jobs.run(receipt)["state"] == "cancelled"

    def test_the_words_of_who_cancelled_are_passed_on(self, jobs):
        receipt = jobs.start_endless()
        jobs.cancel(receipt, reason="wrong number ✗")
        run = jobs.wait_until_over(receipt)
        assert (run["reason"], run["note"]) == ("user", "wrong number ✗")

    @pytest.mark.parametrize(
        ("body", "status", "field"),
        [
            ({"runID": "x"}, 422, "runID"), ({"runID": 1}, 422, "runID"), ({"reason": 1}, 422, "reason"),
            ({"reason": "x" * 513}, 422, "reason"), ({"force": "yes"}, 422, "force"), ({"frce": True}, 422, "frce"),
            ("null", 422, ""), ("nonsense", 400, None),
        ],
    )
    def test_a_bad_cancel_cancels_nothing(self, jobs, body, status, field):
        receipt = jobs.start_endless()
        post(jobs.url + receipt["links"]["cancel"], body).problem(status, field)
        assert jobs.run(receipt)["state"] == "running"


class TestTimeLimits:
    def test_a_run_that_takes_too_long_is_timed_out(self, jobs):
        receipt = jobs.start(ENDLESS, timeoutSeconds=0.2).json
        run = jobs.wait_until_over(receipt)
        assert (run["state"], run["reason"], run["timeoutSeconds"]) == ("timedOut", "timeout", 0.2)
        assert jobs.result(receipt).problem(409)["state"] == "timedOut"

    def test_a_further_run_has_the_jobs_limit_unless_it_brings_its_own(self, jobs):
        first = jobs.start(1, timeoutSeconds=30).json
        jobs.wait_until_over(first)
        assert jobs.run(jobs.again(first).json)["timeoutSeconds"] == 30
        jobs.wait_until_over(first)
        second = jobs.again(first, ENDLESS, timeoutSeconds=0.2, onConflict="replace").json
        assert jobs.wait_until_over(second)["state"] == "timedOut"


class TestQueue:
    def test_a_full_queue_refuses_with_503_and_takes_more_when_there_is_room(self, start_server):
        jobs = Jobs(start_server("--max-running", "1", "--max-queued", "1").url)
        first = jobs.start_endless()
        second = jobs.start(ENDLESS)
        assert (second.status, second.json["state"]) == (202, "queued")
        refused = jobs.start(ENDLESS)
        refused.problem(503)
        assert int(refused.headers["retry-after"]) >= 1
        jobs.cancel(second.json)
        assert jobs.start(1).status == 202
        jobs.cancel(first, force=True)
        jobs.close()


class TestIdempotency:
    KEY = "Idempotency-Key: "

    def test_the_same_key_and_body_get_the_first_answer_again(self, jobs):
        key = self.KEY + str(uuid.uuid4())
        first, second = (jobs.start(4, "-H", key) for _ in range(2))
        assert (first.status, first.json) == (second.status, second.json)
        assert first.headers["location"] == second.headers["location"]
        assert len(jobs.job(first.json)["runs"]) == 1

    def test_the_same_key_with_another_body_is_refused(self, jobs):
        key = self.KEY + str(uuid.uuid4())
        jobs.start(4, "-H", key)
        jobs.start(5, "-H", key).problem(422)

    def test_a_key_is_looked_at_before_the_conflict_policy(self, jobs):
        first = jobs.start_endless()
        key = self.KEY + str(uuid.uuid4())
        replies = [jobs.again(first, ENDLESS, "-H", key, onConflict="replace") for _ in range(2)]
        assert replies[0].json == replies[1].json
        assert replies[0].json["ordinal"] == 2
        assert len(jobs.job(first)["runs"]) == 2

    @pytest.mark.parametrize("key", ["x" * 257, ""])
    def test_a_bad_key(self, jobs, key):
        header = self.KEY + key if key else "Idempotency-Key;"
        jobs.start(4, "-H", header).problem(400, "Idempotency-Key")


def test_every_terminal_run_is_counted_by_its_state(start_server):
    jobs = Jobs(start_server().url)
    jobs.wait_until_over(jobs.start(1).json)
    cancelled = jobs.start_endless()
    jobs.cancel(cancelled)
    jobs.wait_until_over(cancelled)
    jobs.wait_until_over(jobs.start(ENDLESS, timeoutSeconds=0.1).json)
    metrics = curl(f"{jobs.url}/metrics").body.splitlines()
    for state, count in {"succeeded": 1, "cancelled": 1, "timedOut": 1, "failed": 0, "lost": 0}.items():
        assert f'runcast_runs_ended_total{{state="{state}"}} {count}' in metrics
