"""The page as a whole: the list of jobs, lost connections, the keyboard, small screens, quiet announcements."""

import re

import pytest
from conftest import eventually
from page_object import ENDLESS
from playwright.sync_api import expect

RECONNECTING = re.compile(r"^Reconnecting in \d+ s$")


def row_of(page, job_id):
    return page.tab.locator(f'[data-testid="job-row"][data-job-id="{job_id}"]')


def start_by_api(server, terms):
    status, job = server.request(
        "POST", "/v1/jobs", {"kind": "square-root-sum", "input": {"terms": terms}}
    )
    assert status == 202
    return job["jobID"]


# Jobs


def test_jobs_started_elsewhere_appear_newest_first_and_can_be_cancelled_from_the_list(page, server):
    first, second = start_by_api(server, 4), start_by_api(server, ENDLESS)
    expect(row_of(page, second).get_by_test_id("job-state")).to_have_text("running", timeout=10_000)
    expect(row_of(page, first).get_by_test_id("job-outcome")).to_contain_text("6.14626436994197")
    shown = [row.get_attribute("data-job-id") for row in page["job-row"].all()]
    assert shown.index(second) < shown.index(first)

    row_of(page, second).get_by_test_id("job-cancel").click()
    expect(row_of(page, second).get_by_test_id("job-state")).to_have_text("cancelled", timeout=10_000)
    expect(row_of(page, second).get_by_test_id("job-cancel")).to_be_hidden()
    eventually(lambda: server.get(f"/v1/jobs/{second}")["state"] == "cancelled")


def test_a_job_started_elsewhere_can_be_opened_watched_and_cancelled(page, server):
    job_id = start_by_api(server, ENDLESS)
    row_of(page, job_id).get_by_test_id("job-open").click()
    page.expect_status("Calculating")
    expect(page["progress"]).not_to_have_js_property("value", 0, timeout=20_000)
    assert page.tab.url.endswith(f"#job={job_id}")
    row_of(page, job_id).get_by_test_id("job-cancel").click()
    page.expect_status("Cancelled")


def test_leaving_does_not_cancel_a_run_that_was_only_watched(page, server):
    job_id = start_by_api(server, ENDLESS)
    row_of(page, job_id).get_by_test_id("job-open").click()
    page.expect_status("Calculating")
    page.tab.close()
    eventually(lambda: server.get(f"/v1/jobs/{job_id}")["currentRun"].get("progress"))
    assert server.get(f"/v1/jobs/{job_id}")["state"] == "running"
    server.request("POST", f"/v1/jobs/{job_id}/cancel")


def test_a_run_started_elsewhere_on_the_attached_job_is_shown(page, server):
    page.start(4)
    expect(page["status"]).to_have_text(re.compile("^Result"), timeout=20_000)
    job_id = page.tab.url.split("=")[1]
    status, _ = server.request("POST", f"/v1/jobs/{job_id}/runs", {"input": {"terms": 0}})
    assert status == 202
    expect(page["status"]).to_have_text("Result: 0", timeout=20_000)
    expect(page["job-name"]).to_contain_text("run 2")


def test_an_idle_list_is_not_asked_for_often(page):
    expect(page["server-connection"]).to_have_text("Live")
    asked = []
    page.tab.on("request", lambda request: asked.append(request.url) if "/v1/jobs" in request.url else None)
    start = page.tick_number("A")
    # Forty ticks of 50 ms are two seconds.
    eventually(lambda: (page.tick_number("A") - start) % 1000 >= 40)
    assert len(asked) <= 3


def test_an_address_of_an_unknown_job_says_so(open_page, server):
    page = open_page(server.url, "/#job=00000000-0000-4000-8000-000000000000")
    page.expects_failed_requests = True
    page.problems.clear()
    expect(page["calculator-error"]).not_to_be_empty()
    page.expect_status("Ready")


def test_an_address_can_not_lead_the_page_to_another_path(open_page, server):
    requests = []
    page = open_page(server.url)
    page.expects_failed_requests = True
    page.tab.on("request", lambda request: requests.append(request.url))
    page.tab.evaluate("location.hash = 'job=x/../../streams/ticks'")
    expect(page["calculator-error"]).not_to_be_empty()
    assert any(url.endswith("/v1/jobs/x%2F..%2F..%2Fstreams%2Fticks/events") for url in requests)


# Connections


def test_the_page_reconnects_after_a_restart_of_the_server(open_page, start_server):
    first = start_server("--tick-interval", "50ms")
    page = open_page(first.url)
    page.expects_failed_requests = True
    eventually(lambda: page.tick_number("A") > 0)
    assert first.stop() == 0
    expect(page.consumer("A", "connection")).to_have_text(RECONNECTING, timeout=20_000)
    expect(page["server-connection"]).to_have_text(RECONNECTING, timeout=20_000)
    expect(page.consumer("A", "state")).to_have_text("active")

    start_server("--tick-interval", "50ms", port=first.port)
    before = page.consumer("A", "value").text_content()
    eventually(lambda: page.consumer("A", "value").text_content() != before, timeout=60)
    for name in "AB":
        expect(page.consumer(name, "connection")).to_have_text("Live", timeout=60_000)
    expect(page["server-connection"]).to_have_text("Live", timeout=60_000)


def test_a_run_that_died_with_the_server_is_not_shown_as_going_on(open_page, start_server):
    first = start_server()
    page = open_page(first.url)
    page.expects_failed_requests = True
    page.start(ENDLESS)
    page.expect_status("Calculating")
    first.process.kill()
    first.process.wait()
    start_server(port=first.port)
    expect(page["status"]).to_have_text(re.compile("^(Lost|Cancelled)"), timeout=60_000)
    page.start(4)
    expect(page["status"]).to_have_text(re.compile("^Result: 6.14"), timeout=20_000)


def test_being_offline_is_visible_and_ends_by_itself(page):
    page.expects_failed_requests = True
    expect(page["server-connection"]).to_have_text("Live")
    page.tab.context.set_offline(True)
    # Chromium keeps open connections when it is told to be offline; a new one fails.
    page.consumer("A", "cancel").click()
    page.consumer("A", "restart").click()
    offline = re.compile(r"^Offline, reconnecting in \d+ s$")
    expect(page.consumer("A", "connection")).to_have_text(offline, timeout=20_000)
    expect(page["server-connection"]).to_have_text(offline, timeout=20_000)
    page.tab.context.set_offline(False)
    expect(page["server-connection"]).to_have_text("Live", timeout=20_000)
    eventually(lambda: page.tick_number("A") > 0)


def test_leaving_the_page_ends_its_subscriptions(open_page, start_server):
    server = start_server("--tick-interval", "50ms")
    page = open_page(server.url)
    eventually(lambda: len(server.get("/v1/subscriptions")["subscriptions"]) == 2)
    page.tab.goto("about:blank")
    page.problems.clear()
    eventually(lambda: server.get("/v1/subscriptions")["subscriptions"] == [])


def test_a_hidden_page_gives_its_connections_back_until_it_is_looked_at_again(open_page, start_server):
    server = start_server("--tick-interval", "50ms")
    page = open_page(server.url, has_manual_clock=True)
    eventually(lambda: len(server.get("/v1/subscriptions")["subscriptions"]) == 2)

    def turn(state):
        page.tab.evaluate(
            """(state) => {
                Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
                document.dispatchEvent(new Event("visibilitychange"));
            }""",
            state,
        )

    turn("hidden")
    page.tab.clock.run_for(4_000)
    expect(page.consumer("A", "state")).to_have_text("active")
    page.tab.clock.run_for(2_000)
    expect(page.consumer("A", "state")).to_have_text("paused")
    eventually(lambda: server.get("/v1/subscriptions")["subscriptions"] == [])
    turn("visible")
    expect(page.consumer("A", "state")).to_have_text("active")
    eventually(lambda: len(server.get("/v1/subscriptions")["subscriptions"]) == 2)


def test_coming_back_to_the_page_subscribes_anew(open_page, start_server):
    server = start_server("--tick-interval", "50ms")
    page = open_page(server.url)
    eventually(lambda: page.tick_number("A") > 0)
    page.tab.goto("about:blank")
    page.tab.go_back()
    page.problems.clear()
    eventually(lambda: page.tick_number("A") > 0)
    number = page.tick_number("A")
    eventually(lambda: page.tick_number("A") != number)


# People


def test_the_keyboard_alone_starts_and_cancels(page):
    page.tab_to("terms")
    page.tab.keyboard.press("Control+A")
    page.tab.keyboard.type(str(ENDLESS))
    page.tab.keyboard.press("Enter")
    page.expect_status("Calculating")
    page.tab_to("cancel")
    outline = page["cancel"].evaluate("element => getComputedStyle(element).outlineStyle")
    assert outline != "none", "the focus must be visible"
    page.tab.keyboard.press("Enter")
    page.expect_status("Cancelled")
    assert page.focused() == "start", "the focus moves on when its button is disabled"


def test_the_keyboard_alone_cancels_and_restarts_a_consumer(page):
    page.tab_to("consumer-cancel")
    page.tab.keyboard.press("Space")
    expect(page.consumer("A", "state")).to_have_text("cancelled")
    assert page.focused() == "consumer-restart"
    page.tab.keyboard.press("Space")
    expect(page.consumer("A", "state")).to_have_text("active")


def test_ticks_are_not_announced_but_a_cancel_is(page):
    eventually(lambda: page.tick_number("A") > 0)
    live = "[aria-live], [role=status], [role=alert], output"
    holds_ticks = page.tab.locator(live).locator("css=[data-testid=consumer-value]").count()
    assert holds_ticks == 0
    page.record("announcer")
    number = page.tick_number("A")
    eventually(lambda: (page.tick_number("A") - number) % 1000 >= 5)
    assert page.recorded() == [""]
    page.consumer("A", "cancel").click()
    expect(page["announcer"]).to_have_text("Consumer A cancelled")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_without_scrolling_sideways(open_page, server, scheme):
    page = open_page(server.url, viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page.start(4)
    expect(page["status"]).to_have_text(re.compile("^Result"), timeout=20_000)
    for details in page.tab.locator("details").all():
        details.evaluate("element => element.open = true")
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 360


def test_every_control_has_a_name(page, server):
    start_by_api(server, 4)
    expect(page["job-row"].first).to_be_visible(timeout=10_000)
    nameless = page.tab.evaluate(
        """[...document.querySelectorAll('button, input, select, progress')].filter((element) =>
            !(element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length))
            .map((element) => element.outerHTML)"""
    )
    assert nameless == []
