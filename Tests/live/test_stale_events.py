"""What must never be shown even if it arrives. The real server doesn't send such events, so here a
scripted one does, to the real page."""

import json
import re

import pytest
from conftest import PUBLIC
from playwright.sync_api import expect
from scripted_server import ScriptedServer, event

JOB, FIRST, SECOND = "0000job", "run-one", "run-two"
ORDINALS = {FIRST: 1, SECOND: 2}
STALE = 666.25


@pytest.fixture
def scripted():
    server = ScriptedServer(PUBLIC, {("GET", "/v1/jobs"): {"jobs": []}})
    yield server
    server.stop()


@pytest.fixture
def page(scripted, open_page):
    page = open_page(scripted.url)
    page.tab.evaluate(
        """() => {
            window.seen = [];
            new MutationObserver(() => window.seen.push(document.body.innerText)).observe(document.body,
                {childList: true, characterData: true, subtree: true});
        }"""
    )
    yield page
    assert not any(str(STALE) in text for text in page.recorded()), "a stale value was on the page"


def of_run(run, seq, type, **data):
    ordinal = ORDINALS[run]
    payload = {"jobID": JOB, "runID": run, "ordinal": ordinal, "seq": seq, "time": "2026-01-01T00:00:00.000Z"}
    return event(type, {**payload, **data}, f"{ordinal}-{seq}")


def snapshot(run, state, **data):
    return of_run(run, 0, "snapshot", state=state, **data)


def start(page, scripted, run, terms=9, path="/v1/jobs", policy=None):
    page.start(terms, policy)
    stream = scripted.expect("POST", path)
    stream.stream(snapshot(run, "queued") + of_run(run, 1, "queued") + of_run(run, 2, "started"))
    expect(page["job-name"]).to_contain_text(f"run {ORDINALS[run]}")
    page.expect_status("Calculating")
    return stream


def test_a_result_after_the_cancel_was_asked_for_is_never_shown(page, scripted):
    stream = start(page, scripted, FIRST)
    stream.send(of_run(FIRST, 3, "progress", current=1, total=9, unit="terms"))
    expect(page["terms-done"]).to_have_text("1 of 9")
    page["cancel"].click()
    page.expect_status("Cancellation requested")
    # The server has not even seen the request yet.
    stream.send(of_run(FIRST, 4, "progress", current=8, total=9, unit="terms"))
    stream.send(of_run(FIRST, 5, "succeeded", result=STALE))
    expect(page["refused"]).to_have_text("1 late result withheld")
    page.expect_status("Cancellation requested")
    expect(page["terms-done"]).to_have_text("1 of 9")
    cancel = scripted.expect("POST", f"/v1/jobs/{JOB}/cancel")
    assert json.loads(cancel.body) == {"runID": FIRST}
    cancel.answer(202, {"jobID": JOB, "runID": FIRST, "state": "cancelling", "applied": True})
    stream.send(of_run(FIRST, 6, "cancelled", reason="user") + of_run(FIRST, 7, "end", reason="done"))
    page.expect_status("Cancelled")


def test_a_cancel_that_came_too_late_says_so_and_shows_no_result(page, scripted):
    stream = start(page, scripted, FIRST)
    page["cancel"].click()
    cancel = scripted.expect("POST", f"/v1/jobs/{JOB}/cancel")
    stream.send(of_run(FIRST, 3, "succeeded", result=STALE) + of_run(FIRST, 4, "end", reason="done"))
    cancel.answer(200, {"jobID": JOB, "runID": FIRST, "state": "succeeded", "applied": False})
    expect(page["status"]).to_have_text(re.compile("^Cancelled too late"))


def test_an_old_runs_late_events_are_never_shown_once_a_new_run_has_started(page, scripted):
    first = start(page, scripted, FIRST)
    second = start(page, scripted, SECOND, path=f"/v1/jobs/{JOB}/runs", policy="replace")
    first.send(of_run(FIRST, 3, "progress", current=STALE, total=9, unit="terms"))
    first.send(of_run(FIRST, 4, "succeeded", result=STALE))
    expect(page["refused"]).to_have_text("1 late result withheld")
    page.expect_status("Calculating")
    first.send(of_run(FIRST, 5, "cancelled", reason="superseded") + of_run(FIRST, 6, "end", reason="done"))
    first.finish()
    second.send(of_run(SECOND, 3, "succeeded", result=2.5) + of_run(SECOND, 4, "end", reason="done"))
    page.expect_status("Result: 2.5")


def test_an_old_runs_late_events_on_the_new_runs_own_stream_are_never_shown(page, scripted):
    start(page, scripted, FIRST)
    second = start(page, scripted, SECOND, path=f"/v1/jobs/{JOB}/runs", policy="replace")
    second.send(of_run(FIRST, 3, "succeeded", result=STALE) + snapshot(FIRST, "succeeded", result=STALE))
    second.send(of_run(SECOND, 3, "succeeded", result=2.5) + of_run(SECOND, 4, "end", reason="done"))
    page.expect_status("Result: 2.5")
    # Not even after the new run's end.
    second.send(of_run(FIRST, 5, "succeeded", result=STALE))
    second.finish()


def test_a_replay_after_a_reconnect_does_not_bring_a_cancelled_runs_result_back(page, scripted):
    page.expects_failed_requests = True
    stream = start(page, scripted, FIRST)
    page["cancel"].click()
    scripted.expect("POST", f"/v1/jobs/{JOB}/cancel").answer(503, {"title": "Busy"})
    expect(page["calculator-error"]).to_contain_text("did not get through")
    stream.finish()
    replay = scripted.expect("GET", f"/v1/jobs/{JOB}/events")
    replay.stream(snapshot(FIRST, "succeeded", result=STALE, progress={"current": STALE, "total": 9}))
    replay.send(of_run(FIRST, 3, "progress", current=STALE, total=9))
    replay.send(of_run(FIRST, 4, "succeeded", result=STALE))
    expect(page["refused"]).to_have_text("1 late result withheld")
    page.expect_status("Cancellation requested")


def test_a_lost_lease_is_not_sent_again_and_the_job_is_followed_instead(page, scripted):
    start(page, scripted, FIRST).finish()
    follow = scripted.expect("GET", f"/v1/jobs/{JOB}/events")
    follow.stream(snapshot(FIRST, "cancelled", reason="disconnected"))
    page.expect_status("Cancelled")
    assert not scripted.has_request("POST", "/v1/jobs")


def test_a_replay_after_the_snapshot_does_not_step_back(page, scripted):
    page.tab.evaluate(f"location.hash = 'job={JOB}'")
    follow = scripted.expect("GET", f"/v1/jobs/{JOB}/events")
    follow.stream(snapshot(FIRST, "running"))
    page.expect_status("Calculating")
    page.record("status", "statuses")
    follow.send(of_run(FIRST, 1, "queued") + of_run(FIRST, 2, "started"))
    follow.send(of_run(FIRST, 3, "progress", current=5, total=9))
    expect(page["terms-done"]).to_have_text("5 of 9")
    assert set(page.recorded("statuses")) == {"Calculating"}
