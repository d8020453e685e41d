"""`Subscription` of `Public/runcast.js`, in the browser, against a server that says and breaks what it is told to."""

import pytest
from conftest import PUBLIC, blank_tab, eventually
from scripted_server import ScriptedServer, event

PATH = "/stream"


@pytest.fixture
def scripted():
    server = ScriptedServer(PUBLIC)
    yield server
    server.stop()


@pytest.fixture
def tab(browser, scripted):
    with blank_tab(browser, scripted.url) as tab:
        yield tab


def subscribe(tab, path=PATH, **options):
    """Leaves `subscription`, `events`, `phases` and `waits` (in ms) on the window."""
    tab.evaluate(
        """async ([path, options]) => {
            const { Subscription } = await import("/runcast.js");
            window.events = [];
            window.phases = [];
            window.waits = [];
            window.subscription = new Subscription(path, {
                retryDelay: 5,
                ...options,
                onEvent: (event) => events.push([event.type, event.lastEventID]),
                onState: (state) => {
                    phases.push(state.phase);
                    if (state.phase === "waiting") waits.push(Math.round(state.retryAt - Date.now()));
                },
            });
        }""",
        [path, options],
    )


def events(tab):
    return tab.evaluate("events")


def final_state(tab):
    """What is known of it, without what isn't."""
    state = tab.evaluate(
        "subscription.closed.then(({ phase, reason, error }) => ({ phase, reason, error: error?.message }))"
    )
    return {name: value for name, value in state.items() if value is not None}


def test_events_arrive_as_they_are_sent(tab, scripted):
    subscribe(tab)
    stream = scripted.expect("GET", PATH)
    assert stream.headers["Accept"] == "text/event-stream"
    assert stream.headers["Last-Event-ID"] is None
    stream.stream(event("tick", 1, "e-1"))
    eventually(lambda: events(tab) == [["tick", "e-1"]])
    stream.send(event("tick", 2, "e-2"))
    eventually(lambda: events(tab) == [["tick", "e-1"], ["tick", "e-2"]])
    assert tab.evaluate("subscription.state.phase") == "live"


def test_a_lost_connection_is_resumed_after_the_last_event(tab, scripted):
    subscribe(tab)
    stream = scripted.expect("GET", PATH)
    stream.stream(event("tick", 1, "e-1") + "id: e-2\ndata: cut off\n")
    stream.finish()
    second = scripted.expect("GET", PATH)
    assert second.headers["Last-Event-ID"] == "e-1"
    second.stream()
    eventually(lambda: tab.evaluate("phases") == ["live", "waiting", "connecting", "live"])


def test_the_first_connection_can_resume_too(tab, scripted):
    subscribe(tab, lastEventID="e-41")
    assert scripted.expect("GET", PATH).headers["Last-Event-ID"] == "e-41"


def test_after_end_it_never_reconnects(tab, scripted):
    subscribe(tab)
    stream = scripted.expect("GET", PATH)
    stream.stream(event("end", {"reason": "stopped"}))
    assert final_state(tab) == {"phase": "ended", "reason": "stopped"}
    assert stream.left.wait(20), "it leaves even a connection that the server keeps open"
    assert not scripted.has_request("GET", PATH)


def test_after_204_it_never_reconnects(tab, scripted):
    subscribe(tab)
    scripted.expect("GET", PATH).answer(204)
    assert final_state(tab) == {"phase": "ended", "reason": "gone"}
    assert not scripted.has_request("GET", PATH)


def test_the_end_of_one_of_several_topics_is_not_the_streams(tab, scripted):
    subscribe(tab)
    stream = scripted.expect("GET", PATH)
    stream.stream(event("end", {"topic": "jobs/x", "id": "1-9", "data": {}}) + event("tick", 1))
    eventually(lambda: len(events(tab)) == 2)
    stream.send(event("end", {"reason": "done"}))
    assert final_state(tab)["phase"] == "ended"


@pytest.mark.parametrize("status", [400, 404, 409, 410, 422])
def test_a_refusal_is_final_and_says_why(tab, scripted, status):
    subscribe(tab)
    scripted.expect("GET", PATH).answer(status, {"detail": "There is no such topic."})
    assert final_state(tab) == {"phase": "refused", "error": "There is no such topic."}
    assert not scripted.has_request("GET", PATH)


def test_an_answer_that_is_no_event_stream_is_final(tab, scripted):
    subscribe(tab)
    scripted.expect("GET", PATH).answer(200, {"jobs": []})
    assert final_state(tab)["phase"] == "refused"


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_an_overloaded_server_is_asked_again(tab, scripted, status):
    subscribe(tab)
    scripted.expect("GET", PATH).answer(status, {"title": "Busy"})
    scripted.expect("GET", PATH).stream()
    eventually(lambda: tab.evaluate("subscription.state.phase") == "live")


def test_retry_after_is_waited_for(tab, scripted):
    subscribe(tab)
    scripted.expect("GET", PATH).answer(503, {"title": "Busy"}, Retry_After="3600")
    eventually(lambda: tab.evaluate("subscription.state.phase") == "waiting")
    assert tab.evaluate("subscription.state.retryAt - Date.now()") > 3_500_000


def test_the_streams_retry_is_honoured_with_jitter_above_it(tab, scripted):
    subscribe(tab)
    stream = scripted.expect("GET", PATH)
    stream.stream("retry: 3600000\n\n" + event("tick", 1))
    stream.finish()
    eventually(lambda: tab.evaluate("subscription.state.phase") == "waiting")
    wait = tab.evaluate("subscription.state.retryAt - Date.now()")
    assert 3_590_000 < wait <= 5_400_000


def test_a_wait_beyond_what_timers_can_count_is_not_taken_for_none(tab, scripted):
    tab.evaluate(
        """() => {
            const original = window.setTimeout;
            window.delays = [];
            window.setTimeout = (callback, delay) => {
                delays.push(delay);
                return original(callback, delay);
            };
        }"""
    )
    subscribe(tab)
    scripted.expect("GET", PATH).answer(503, {}, Retry_After="99999999999")
    eventually(lambda: tab.evaluate("subscription.state.phase") == "waiting")
    assert max(tab.evaluate("delays")) == 2**31 - 1


def test_the_wait_doubles_up_to_its_ceiling(tab, scripted):
    tab.evaluate("() => { Math.random = () => 0; Date.now = () => 0; }")
    subscribe(tab, retryDelay=4, maxRetryDelay=20)
    for _ in range(6):
        scripted.expect("GET", PATH).answer(503, {})
    scripted.expect("GET", PATH)
    assert tab.evaluate("waits") == [4, 8, 16, 20, 20, 20]


def test_closing_cuts_the_connection_and_nothing_is_delivered_afterwards(tab, scripted):
    subscribe(tab)
    stream = scripted.expect("GET", PATH)
    stream.stream()
    eventually(lambda: tab.evaluate("subscription.state.phase") == "live")
    tab.evaluate("subscription.close()")
    assert stream.left.wait(20)
    assert final_state(tab) == {"phase": "closed"}
    assert events(tab) == [] and tab.evaluate("phases") == ["live"]


def test_closing_in_a_callback_drops_what_came_in_the_same_chunk(tab, scripted):
    tab.evaluate(
        """async (path) => {
            const { Subscription } = await import("/runcast.js");
            window.events = [];
            window.subscription = new Subscription(path, { onEvent: (event) => {
                events.push(event.data);
                subscription.close();
            } });
        }""",
        PATH,
    )
    stream = scripted.expect("GET", PATH)
    stream.stream(event("tick", 1) + event("tick", 2))
    assert stream.left.wait(20)
    assert events(tab) == ["1"]


def test_an_abort_signal_closes_it(tab, scripted):
    phase = tab.evaluate(
        """async (path) => {
            const { Subscription } = await import("/runcast.js");
            const controller = new AbortController();
            const subscription = new Subscription(path, { signal: controller.signal });
            controller.abort();
            const early = new Subscription(path, { signal: AbortSignal.abort() });
            return [(await subscription.closed).phase, (await early.closed).phase];
        }""",
        PATH,
    )
    assert phase == ["closed", "closed"]


def test_a_silent_stream_is_taken_for_dead(tab, scripted):
    subscribe(tab, silenceTimeout=300)
    stream = scripted.expect("GET", PATH)
    stream.stream(event("tick", 1, "e-1"))
    assert stream.left.wait(20)
    assert scripted.expect("GET", PATH).headers["Last-Event-ID"] == "e-1"


def test_a_post_is_sent_once_and_never_again(tab, scripted):
    request = {"method": "POST", "body": "{}", "headers": {"Content-Type": "application/json"}}
    subscribe(tab, request=request)
    post = scripted.expect("POST", PATH)
    assert post.body == b"{}"
    post.stream(event("snapshot", {}))
    post.finish()
    assert final_state(tab)["phase"] == "lost"
    subscribe(tab, request=request)
    scripted.expect("POST", PATH).answer(503, {"detail": "Busy."})
    assert final_state(tab) == {"phase": "refused", "error": "Busy."}
    assert not scripted.has_request("POST", PATH)


def test_a_callback_that_throws_does_not_disturb_the_stream(tab, scripted):
    errors = []
    tab.on("pageerror", lambda error: errors.append(error))
    tab.evaluate(
        """async (path) => {
            const { Subscription } = await import("/runcast.js");
            window.events = [];
            new Subscription(path, { onEvent: (event) => {
                events.push(event.data);
                throw new Error("the consumer's own mistake");
            } });
        }""",
        PATH,
    )
    scripted.expect("GET", PATH).stream(event("tick", 1) + event("tick", 2))
    # Playwright hands over the page's errors while the test asks for something.
    eventually(lambda: events(tab) == ["1", "2"] and len(errors) == 2)
