"""Clicks through what the page promises: two independent consumers, and a calculation that can be
cancelled without ever showing a stale or partial result."""

import json
import re
import subprocess

import pytest
from conftest import eventually
from page_object import ENDLESS
from playwright.sync_api import expect

SLOW_TICKS = ("--tick-interval", "3600s")


def job_of(page, server):
    match = re.search(r"#job=([0-9a-f-]{36})$", page.tab.url)
    return server.get(f"/v1/jobs/{match[1]}")


def expect_result(page, approximately):
    expect(page["status"]).to_have_text(re.compile("^Result: "), timeout=20_000)
    shown = float(page["status"].text_content().removeprefix("Result: "))
    assert shown == pytest.approx(approximately, rel=1e-12)


# Ticker


def test_both_consumers_show_squares_of_the_same_ticker(page):
    eventually(lambda: page.tick_number("A") > 0)
    eventually(lambda: page.tick_number("B") > 0)
    expect(page.consumer("A", "state")).to_have_text("active")
    expect(page.consumer("A", "connection")).to_have_text("Live")


def test_cancelling_a_between_ticks_leaves_b_going_on(page):
    eventually(lambda: page.tick_number("A") > 0)
    page.consumer("A", "cancel").click()
    expect(page.consumer("A", "state")).to_have_text("cancelled")
    shown_by_a = page.consumer("A", "value").text_content()
    page.record("consumer-A", "changes_of_a")
    page.consumer("B", "value").evaluate(
        """element => {
            window.numbers = [];
            new MutationObserver(() => window.numbers.push(element.textContent)).observe(element,
                {childList: true, characterData: true, subtree: true});
        }"""
    )
    eventually(lambda: len(page.recorded("numbers")) >= 5)
    assert len(set(page.recorded("numbers"))) >= 5
    assert page.consumer("A", "value").text_content() == shown_by_a
    assert len(page.recorded("changes_of_a")) == 1, "nothing of A changed while B went on"
    expect(page.consumer("B", "state")).to_have_text("active")


def test_cancelling_a_ends_its_subscription_on_the_server_and_no_other(open_page, start_server):
    server = start_server(*SLOW_TICKS)
    page = open_page(server.url)

    def subscriptions():
        return {entry["id"] for entry in server.get("/v1/subscriptions")["subscriptions"]}

    eventually(lambda: len(subscriptions()) == 2)
    of_a = page["consumer-A"].get_attribute("data-subscription")
    of_b = page["consumer-B"].get_attribute("data-subscription")
    assert subscriptions() == {of_a, of_b}
    page.consumer("A", "cancel").click()
    eventually(lambda: subscriptions() == {of_b})


def test_a_cancelled_before_its_first_value_stays_waiting(open_page, start_server):
    server = start_server(*SLOW_TICKS)
    page = open_page(server.url)
    expect(page.consumer("A", "value")).to_have_text("Waiting")
    page.consumer("A", "cancel").click()
    expect(page.consumer("A", "state")).to_have_text("cancelled")
    # A stop and a start make nothing of a cancelled consumer, though B subscribes anew.
    page["stop-all"].click()
    expect(page.consumer("B", "state")).to_have_text("stopped")
    page["start-all"].click()
    expect(page.consumer("B", "state")).to_have_text("active")
    expect(page.consumer("A", "value")).to_have_text("Waiting")
    expect(page.consumer("A", "state")).to_have_text("cancelled")


def test_a_cancelled_at_once_stays_waiting_while_b_receives(open_page, start_server):
    server = start_server("--tick-interval", "3s")
    page = open_page(server.url)
    page.consumer("A", "cancel").click()
    assert page.tick_number("A") == 0
    eventually(lambda: page.tick_number("B") > 0)
    expect(page.consumer("A", "value")).to_have_text("Waiting")


def test_restarting_a_makes_a_new_subscription(page):
    eventually(lambda: page.tick_number("A") > 0)
    first = page["consumer-A"].get_attribute("data-subscription")
    page.consumer("A", "cancel").click()
    page.consumer("A", "restart").click()
    expect(page.consumer("A", "state")).to_have_text("active")
    eventually(lambda: page.tick_number("A") > 0)
    second = page["consumer-A"].get_attribute("data-subscription")
    assert first and second and first != second


def test_stop_all_ends_both_and_start_brings_both_back(open_page, start_server):
    server = start_server("--tick-interval", "50ms")
    page = open_page(server.url)
    other = open_page(server.url)
    eventually(lambda: page.tick_number("A") > 0 and page.tick_number("B") > 0)
    page["stop-all"].click()
    for name in "AB":
        expect(page.consumer(name, "state")).to_have_text("stopped")
        expect(other.consumer(name, "state")).to_have_text("stopped")
    eventually(lambda: server.get("/v1/subscriptions")["subscriptions"] == [])
    expect(page["stop-all"]).to_be_disabled()
    page["start-all"].click()
    for name in "AB":
        expect(page.consumer(name, "state")).to_have_text("active")
        eventually(lambda: page.tick_number(name) > 0)


# Calculator


def test_four_terms(page):
    page.start(4)
    expect_result(page, 6.146264369941973)


def test_no_terms_give_zero(page):
    page.start(0)
    page.expect_status("Result: 0")


def test_a_large_sum_shows_progress_and_then_its_result(page):
    terms = 2_000_000_000
    page.start(terms)
    expect(page["progress"]).not_to_have_js_property("value", 0, timeout=20_000)
    expect_result(page, 2 / 3 * terms**1.5 + terms**0.5 / 2)
    expect(page["percentage"]).to_have_text("100.0 %")


def test_cancelling_while_computing_shows_the_request_then_the_confirmation(page, server):
    page.start(ENDLESS)
    page.expect_status("Calculating")
    page.record("status")
    page["cancel"].click()
    page.expect_status("Cancelled")
    assert page.recorded()[-2:] == ["Cancellation requested", "Cancelled"]
    assert not any(text.startswith("Result") for text in page.recorded())
    run = job_of(page, server)["currentRun"]
    assert (run["state"], run["reason"]) == ("cancelled", "user")
    assert run.get("result") is None


def test_a_new_run_starts_normally_after_a_cancelled_one(page, server):
    page.start(ENDLESS)
    page.expect_status("Calculating")
    page["cancel"].click()
    page.expect_status("Cancelled")
    page.start(4)
    expect_result(page, 6.146264369941973)
    assert job_of(page, server)["currentRun"]["ordinal"] == 2


def test_a_cancel_right_after_the_start_is_not_lost(page, server):
    page["terms"].fill(str(ENDLESS))
    page.record("status")
    # Both in one turn of the page's event loop, so before the server can have answered the start.
    page.tab.evaluate(
        """() => {
            document.querySelector('[data-testid=start]').click();
            document.querySelector('[data-testid=cancel]').click();
        }"""
    )
    page.expect_status("Cancelled")
    assert "Calculating" not in page.recorded()
    assert job_of(page, server)["state"] == "cancelled"


def test_replacing_a_run_shows_only_the_new_ones_result(page, server):
    page.start(ENDLESS)
    page.expect_status("Calculating")
    page.record("status")
    page.start(4, policy="replace")
    expect_result(page, 6.146264369941973)
    assert [text for text in page.recorded() if text.startswith("Result")] == [page.recorded()[-1]]
    runs = eventually(lambda: [run for run in job_of(page, server)["runs"] if run["state"] == "cancelled"])
    assert [(run["ordinal"], run["reason"]) for run in runs] == [(1, "superseded")]


def test_a_second_start_is_rejected_by_default(page, server):
    page.expects_failed_requests = True
    page.start(ENDLESS)
    page.expect_status("Calculating")
    page.start(4)
    expect(page["calculator-error"]).to_contain_text("Not started")
    page.expect_status("Calculating")
    assert job_of(page, server)["currentRun"]["ordinal"] == 1


def test_joining_shows_the_run_in_progress(page, server):
    page.start(ENDLESS)
    page.expect_status("Calculating")
    with page.tab.expect_response("**/runs") as reply:
        page.start(4, policy="join")
    assert reply.value.status == 200
    assert reply.value.json()["started"] is False
    page.expect_status("Calculating")
    assert job_of(page, server)["currentRun"]["ordinal"] == 1


def test_a_queued_run_follows_when_the_one_before_it_ends(page):
    page.start(ENDLESS)
    page.expect_status("Calculating")
    page.start(4, policy="queue")
    expect(page["waiting"]).to_have_text("1 more run queued")
    page["cancel"].click()
    expect_result(page, 6.146264369941973)
    expect(page["waiting"]).to_have_text("")


def test_a_refused_value_is_explained_beside_its_field(page):
    page.expects_failed_requests = True
    page.start(-1)
    expect(page["terms-error"]).not_to_be_empty()
    expect(page["terms"]).to_have_attribute("aria-invalid", "true")
    assert page.focused() == "terms"
    page.expect_status("Ready")

    page.tab.get_by_text("More options").click()
    page["check-every"].fill("0")
    page.start(4)
    expect(page["check-every-error"]).not_to_be_empty()
    expect(page["terms-error"]).to_be_empty()

    page["check-every"].fill("")
    page.start("four")
    expect(page["terms-error"]).to_contain_text("A whole number")
    page.start(4)
    expect_result(page, 6.146264369941973)
    expect(page["terms-error"]).to_be_empty()


def test_the_largest_number_of_terms_arrives_exactly(page):
    with page.tab.expect_request("**/v1/jobs?*") as request:
        page.start(2**63 - 1)
    assert json.loads(request.value.post_data)["input"]["terms"] == 2**63 - 1
    page.expect_status("Calculating")
    page["cancel"].click()
    page.expect_status("Cancelled")


@pytest.mark.parametrize("way", ["close", "navigate", "reload"])
def test_leaving_while_computing_cancels_the_run(page, server, way):
    page.start(ENDLESS)
    page.expect_status("Calculating")
    job_id = job_of(page, server)["jobID"]
    if way == "close":
        page.tab.close()
    elif way == "navigate":
        page.tab.goto("about:blank")
        page.problems.clear()
    else:
        page.tab.reload()
        page.expect_status("Cancelled")
    eventually(lambda: server.get(f"/v1/jobs/{job_id}")["state"] == "cancelled")


def test_leaving_cancels_a_run_that_still_waits_behind_another_too(page, server):
    page.start(ENDLESS)
    page.expect_status("Calculating")
    page.start(ENDLESS, policy="queue")
    expect(page["waiting"]).to_have_text("1 more run queued")
    job_id = job_of(page, server)["jobID"]
    page.tab.goto("about:blank")
    page.problems.clear()
    eventually(
        lambda: [run["state"] for run in server.get(f"/v1/jobs/{job_id}")["runs"]] == ["cancelled", "cancelled"]
    )


def test_a_run_that_may_go_on_survives_a_reload_and_can_be_cancelled_then(page, server):
    page["cancel-on-leave"].uncheck()
    page.start(ENDLESS)
    page.expect_status("Calculating")
    page.tab.reload()
    page.expect_status("Calculating")
    assert job_of(page, server)["currentRun"]["ordinal"] == 1
    page["cancel"].click()
    page.expect_status("Cancelled")


@pytest.mark.parametrize("label", ["Start", "Start and watch; leaving cancels"])
def test_the_curl_lines_work_as_they_are_shown(page, label):
    page["terms"].fill("4")
    row = page["calculator-curl"].locator("li").filter(has=page.tab.get_by_text(label, exact=True))
    line = row.get_by_test_id("curl-line").text_content()
    output = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=30, check=True).stdout
    if label == "Start":
        assert json.loads(output)["started"] is True
    else:
        assert "event: succeeded" in output and "6.14626436994197" in output
