"""Jobs with curl: start, look, wait, list, address by an ID of one's own."""

import math
import uuid

import pytest
from curl import curl, post
from jobs import ENDLESS, request

SMALL_RESULT = 6.146264369941973  # the sum of the square roots of 1...4


def is_close(value, expected):
    return math.isclose(value, expected, rel_tol=1e-15)


class TestStarting:
    def test_a_start_says_where_to_look_and_the_result_is_there_when_it_is_over(self, jobs):
        reply = jobs.start(4)
        assert reply.status == 202
        receipt = reply.json
        assert reply.headers["location"] == receipt["links"]["self"] == f"/v1/jobs/{receipt['jobID']}"
        assert receipt["started"] is True and receipt["ordinal"] == 1 and receipt["kind"] == "square-root-sum"
        assert receipt["state"] in ("queued", "running")
        run = jobs.wait_until_over(receipt)
        assert run["state"] == "succeeded"
        assert run["createdAt"] <= run["startedAt"] <= run["finishedAt"]
        result = jobs.result(receipt)
        assert result.status == 200
        assert is_close(result.json["result"], SMALL_RESULT)
        assert result.json["jobID"] == receipt["jobID"] and result.json["runID"] == receipt["runID"]

    def test_no_terms_sum_to_nothing(self, jobs):
        receipt = jobs.start(0).json
        jobs.wait_until_over(receipt)
        assert jobs.result(receipt).json["result"] == 0

    def test_a_job_is_seen_with_its_runs(self, jobs):
        receipt = jobs.start(4).json
        jobs.wait_until_over(receipt)
        again = jobs.again(receipt, 9).json
        jobs.wait_until_over(again)
        job = jobs.job(receipt)
        assert job["kind"] == "square-root-sum" and job["input"] == {"terms": 4} and job["state"] == "succeeded"
        assert [run["ordinal"] for run in job["runs"]] == [1, 2]
        assert job["runs"][1]["input"] == {"terms": 9}
        assert job["currentRun"] == job["runs"][1]

    @pytest.mark.parametrize(
        ("body", "status", "field"),
        [
            ({"kind": "square-root-sum", "input": {"terms": -1}}, 422, "input.terms"),
            ({"kind": "square-root-sum", "input": {"terms": 1.5}}, 422, "input.terms"),
            ({"kind": "square-root-sum", "input": {"terms": "4"}}, 422, "input.terms"),
            ({"kind": "square-root-sum", "input": {"terms": 2**63}}, 422, "input.terms"),
            ({"kind": "square-root-sum", "input": {"terms": 4, "checkEvery": 0}}, 422, "input.checkEvery"),
            ({"kind": "square-root-sum", "input": {"terms": 4, "checkEvery": -3}}, 422, "input.checkEvery"),
            ({"kind": "square-root-sum", "input": {"tems": 4}}, 422, "input.tems"),
            ({"kind": "square-root-sum", "input": {}}, 422, "input.terms"),
            ({"kind": "square-root-sum", "input": [4]}, 422, "input"),
            ({"kind": "square-root-sum"}, 422, "input.terms"),
            ({"kind": "cube-root-sum", "input": {}}, 422, "kind"),
            ({"kind": 7, "input": {}}, 422, "kind"),
            ({"input": {"terms": 4}}, 422, "kind"),
            ({"kind": "square-root-sum", "input": {"terms": 4}, "timeoutSeconds": 0}, 422, "timeoutSeconds"),
            ({"kind": "square-root-sum", "input": {"terms": 4}, "timeoutSeconds": -1}, 422, "timeoutSeconds"),
            ({"kind": "square-root-sum", "input": {"terms": 4}, "timeoutSeconds": "1"}, 422, "timeoutSeconds"),
            ({"kind": "square-root-sum", "input": {"terms": 4}, "timeoutSeconds": 1e12}, 422, "timeoutSeconds"),
            ({"kind": "square-root-sum", "input": {"terms": 4}, "colour": "red"}, 422, "colour"),
            ([], 422, ""),
            ("4", 422, ""),
            ("{", 400, None),
            ("", 400, None),
        ],
    )
    def test_a_bad_request_says_what_is_wrong_and_starts_nothing(self, jobs, body, status, field):
        before = curl(f"{jobs.url}/v1/jobs?limit=500").json
        post(f"{jobs.url}/v1/jobs", body).problem(status, field)
        assert curl(f"{jobs.url}/v1/jobs?limit=500").json == before

    def test_the_kinds_are_listed_with_the_schema_of_their_input(self, jobs):
        import jsonschema

        (kind,) = curl(f"{jobs.url}/v1/kinds").json["kinds"]
        assert kind["kind"] == "square-root-sum" and kind["title"] and kind["summary"]
        jsonschema.Draft202012Validator.check_schema(kind["inputSchema"])
        validator = jsonschema.Draft202012Validator(kind["inputSchema"])
        assert validator.is_valid({"terms": 4}) and validator.is_valid({"terms": 4, "checkEvery": 1})
        assert not validator.is_valid({"terms": -1})
        assert not validator.is_valid({"terms": 4, "checkEvery": 0})


class TestAnIDOfOnesOwn:
    def put(self, jobs, id, body):
        reply = post(f"{jobs.url}/v1/jobs/{id}", body, method="PUT")
        jobs.adopt(id.lower())
        return reply

    def test_the_first_put_creates_the_job_and_a_repeat_changes_nothing(self, jobs):
        id = str(uuid.uuid4())
        first = self.put(jobs, id, request(4))
        assert (first.status, first.json["jobID"], first.json["started"]) == (201, id, True)
        again = self.put(jobs, id, request(4))
        assert (again.status, again.json["started"]) == (200, False)
        assert again.json["runID"] == first.json["runID"]
        assert len(jobs.job(first.json)["runs"]) == 1

    def test_another_body_under_the_same_id_is_refused(self, jobs):
        id = str(uuid.uuid4())
        first = self.put(jobs, id, request(4)).json
        other = self.put(jobs, id, request(5)).problem(409)
        assert other["currentRunID"] == first["runID"]
        self.put(jobs, id, request(4, timeoutSeconds=60)).problem(409)
        assert jobs.job(first)["input"] == {"terms": 4}

    def test_the_case_of_the_id_does_not_matter(self, jobs):
        id = str(uuid.uuid4())
        first = self.put(jobs, id.upper(), request(4))
        assert first.json["jobID"] == id
        assert self.put(jobs, id, request(4)).status == 200

    def test_what_is_no_uuid_addresses_nothing(self, jobs):
        post(f"{jobs.url}/v1/jobs/my-job", request(4), method="PUT").problem(404)


class TestLooking:
    def test_an_unchanged_job_is_answered_with_304(self, jobs):
        receipt = jobs.start(4).json
        jobs.wait_until_over(receipt)
        url = jobs.url + receipt["links"]["self"]
        tag = curl(url).headers["etag"]
        same = curl(url, "-H", f"If-None-Match: {tag}")
        assert (same.status, same.body, same.headers["etag"]) == (304, "", tag)
        assert curl(url, "-H", f'If-None-Match: "other", {tag}').status == 304
        assert curl(url, "-H", 'If-None-Match: "other"').status == 200
        jobs.again(receipt)
        assert curl(url, "-H", f"If-None-Match: {tag}").status == 200

    def test_an_unchanged_list_is_not_sent_again(self, jobs):
        receipt = jobs.start_endless()
        url = f"{jobs.url}/v1/jobs?kind=square-root-sum&state=cancelled&limit=5"
        tag = curl(url).headers["etag"]
        assert curl(url, "-H", f"If-None-Match: {tag}").status == 304
        jobs.cancel(receipt)
        jobs.wait_until_over(receipt)
        assert curl(url, "-H", f"If-None-Match: {tag}").status == 200

    def test_prefer_wait_holds_the_answer_until_the_job_is_over(self, jobs):
        receipt = jobs.start(300_000_000).json
        reply = curl(jobs.url + receipt["links"]["self"], "-H", "Prefer: wait=15")
        assert reply.json["state"] == "succeeded"
        assert reply.headers["preference-applied"] == "wait=15"

    def test_prefer_wait_ends_when_its_time_is_up(self, jobs):
        receipt = jobs.start_endless()
        reply = curl(jobs.url + receipt["links"]["self"], "-H", "Prefer: respond-async, wait=1")
        assert reply.json["state"] == "running"
        assert reply.headers["preference-applied"] == "wait=1"

    def test_what_is_not_there(self, jobs):
        unknown = uuid.uuid4()
        job = f"{jobs.url}/v1/jobs/{unknown}"
        for path in ("", "/events", f"/runs/{unknown}", f"/runs/{unknown}/result", f"/runs/{unknown}/events"):
            curl(job + path).problem(404)
        curl(job, "-H", "Prefer: wait=20", timeout=10).problem(404)
        post(f"{job}/cancel").problem(404)
        post(f"{job}/runs", {}).problem(404)
        receipt = jobs.start(1).json
        curl(f"{jobs.url}/v1/jobs/{receipt['jobID']}/runs/{unknown}/result").problem(404)
        curl(f"{jobs.url}/v1/jobs/{receipt['jobID']}/runs/nonsense").problem(404)

    def test_a_result_before_the_end_is_a_conflict_that_tells_the_state(self, jobs):
        receipt = jobs.start_endless()
        problem = jobs.result(receipt).problem(409)
        assert problem["state"] == "running"

    def test_a_job_that_had_to_make_room_is_gone(self, start_server):
        from jobs import Jobs

        jobs = Jobs(start_server("--max-jobs", "2").url)
        receipts = [jobs.start(1).json for _ in range(2)]
        for receipt in receipts:
            jobs.wait_until_over(receipt)
        jobs.start(1)
        gone = receipts[0]["links"]
        for link in ("self", "events", "run", "runEvents", "result"):
            curl(jobs.url + gone[link]).problem(410)
        post(jobs.url + gone["cancel"]).problem(410)
        post(jobs.url + gone["self"], request(1), method="PUT").problem(410)


class TestListing:
    @pytest.fixture
    def own(self, start_server):
        from jobs import Jobs

        jobs = Jobs(start_server("--max-running", "1").url)
        yield jobs
        jobs.close()

    def ids(self, jobs, query):
        return [job["jobID"] for job in curl(f"{jobs.url}/v1/jobs{query}").json["jobs"]]

    def test_the_newest_come_first_in_pages_that_fit_together(self, own):
        started = [own.start(1).json["jobID"] for _ in range(7)]
        assert self.ids(own, "") == started[::-1]
        seen, query = [], "?limit=3"
        while query:
            page = curl(f"{own.url}/v1/jobs{query}").json
            assert len(page["jobs"]) <= 3
            seen += [job["jobID"] for job in page["jobs"]]
            own.start(1)
            query = f"?limit=3&cursor={page['next']}" if "next" in page else None
        assert seen == started[::-1]

    def test_a_filter_by_state_or_kind(self, own):
        done = own.start(1).json
        own.wait_until_over(done)
        busy = own.start_endless()
        waiting = own.start(ENDLESS).json
        assert self.ids(own, "?state=succeeded") == [done["jobID"]]
        assert self.ids(own, "?state=running") == [busy["jobID"]]
        assert self.ids(own, "?state=running,queued") == [waiting["jobID"], busy["jobID"]]
        assert self.ids(own, "?state=running&state=queued") == [waiting["jobID"], busy["jobID"]]
        assert self.ids(own, "?state=failed") == []
        assert len(self.ids(own, "?kind=square-root-sum")) == 3
        assert self.ids(own, "?kind=other") == []

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("?state=happy", "state"), ("?state=", "state"), ("?state=running,", "state"), ("?limit=0", "limit"),
            ("?limit=501", "limit"), ("?limit=x", "limit"), ("?cursor=x", "cursor"), ("?cursor=-1", "cursor"),
        ],
    )
    def test_a_bad_query(self, own, query, field):
        curl(f"{own.url}/v1/jobs{query}").problem(400, field)
