"""The run guard of `Public/runcast.js`, in the browser: every sequence of a few events, against its rules."""

import pytest
from conftest import blank_tab

# Two runs of one job. What is known of each sequence is kept apart from the guard, by the rules' own words.
ALL_SEQUENCES = """async (depth) => {
    const { RunGuard } = await import("/runcast.js");
    const runs = { one: 1, two: 2 };
    const types = ["started", "progress", "cancelRequested", "cancelled", "succeeded"];
    const steps = [["ask"], ["adopt", "two"]];
    for (const run of Object.keys(runs)) for (const type of types) steps.push([type, run]);
    let sequences = 0;
    const broken = [];

    function check(sequence) {
        sequences += 1;
        const guard = new RunGuard();
        guard.adopt("one", 1);
        const asked = new Set();
        const over = new Set();
        let newest = 1;
        let seq = 0;
        for (const [step, run] of sequence) {
            if (step === "ask") {
                guard.askCancel();
                asked.add(guard.runID);
                continue;
            }
            if (step === "adopt") {
                guard.adopt(run, runs[run]);
                newest = Math.max(newest, runs[run]);
                continue;
            }
            seq += 1;
            const before = guard.runID;
            const payload = { runID: run, ordinal: runs[run], seq, reason: "user", result: 1 };
            const shown = guard.admit(step, payload) !== null;
            newest = Math.max(newest, runs[guard.runID]);
            const complain = (rule) => broken.push(rule + ": " + JSON.stringify(sequence));
            if (shown && runs[run] < newest) complain("an older run came back");
            if (shown && asked.has(run) && ["progress", "succeeded", "started"].includes(step)) {
                complain("shown after the cancel was asked for");
            }
            if (shown && over.has(run)) complain("shown after the end");
            if (runs[guard.runID] < runs[before]) complain("went back to an older run");
            if (!shown && run === before && !asked.has(run) && !over.has(run)) complain("withheld without a reason");
            if (shown && step === "cancelRequested") asked.add(run);
            if (shown && ["cancelled", "succeeded"].includes(step)) over.add(run);
        }
    }

    function extend(sequence) {
        if (sequence.length > 0) check(sequence);
        if (sequence.length < depth) for (const step of steps) extend([...sequence, step]);
    }
    extend([]);
    return { sequences, broken: broken.slice(0, 5) };
}"""


@pytest.fixture(scope="module")
def tab(browser, server):
    with blank_tab(browser, server.url) as tab:
        yield tab


def admitted(tab, steps):
    """Which of the events in `steps` pass; a string step names a method of the guard."""
    return tab.evaluate(
        """async (steps) => {
            const { RunGuard } = await import("/runcast.js");
            const guard = new RunGuard();
            const shown = [];
            for (const [type, payload] of steps) {
                if (type === "ask") guard.askCancel();
                else if (type === "adopt") guard.adopt(payload.runID, payload.ordinal);
                else shown.push(guard.admit(type, payload));
            }
            return { shown, refused: guard.refusedResults, runID: guard.runID };
        }""",
        steps,
    )


def of(run, seq, **data):
    return {"runID": run, "ordinal": {"one": 1, "two": 2}[run], "seq": seq, **data}


def test_every_sequence_of_five_events_keeps_the_rules(tab):
    outcome = tab.evaluate(ALL_SEQUENCES, 5)
    assert outcome["broken"] == []
    assert outcome["sequences"] == sum(12**length for length in range(1, 6))


def test_a_snapshot_after_the_cancel_loses_its_progress_and_its_result(tab):
    outcome = admitted(
        tab,
        [
            ["snapshot", of("one", 1, state="running")],
            ["ask", None],
            ["snapshot", of("one", 2, state="cancelling", progress={"current": 1}, result=2)],
            ["snapshot", of("one", 3, state="succeeded", result=2)],
        ],
    )
    assert outcome["shown"][1] == of("one", 2, state="cancelling")
    assert outcome["shown"][2] is None


def test_a_replay_shows_nothing_twice(tab):
    progress = ["progress", of("one", 2, current=1)]
    outcome = admitted(tab, [["started", of("one", 1)], progress, progress, ["started", of("one", 1)]])
    assert [event is not None for event in outcome["shown"]] == [True, True, False, False]
    assert outcome["refused"] == 0


def test_a_run_that_queues_behind_waits_until_it_starts(tab):
    outcome = admitted(
        tab,
        [
            ["started", of("one", 1)],
            ["queued", of("two", 1)],
            ["progress", of("one", 2, current=1)],
            ["succeeded", of("one", 3, result=1)],
            ["started", of("two", 2)],
        ],
    )
    assert [event is not None for event in outcome["shown"]] == [True, False, True, True, True]


def test_a_superseding_run_is_current_as_soon_as_it_queues(tab):
    outcome = admitted(
        tab,
        [
            ["started", of("one", 1)],
            ["cancelRequested", of("one", 2, reason="superseded")],
            ["queued", of("two", 1)],
            ["succeeded", of("one", 3, result=1)],
            ["cancelled", of("one", 4, reason="superseded")],
        ],
    )
    assert [event is not None for event in outcome["shown"]] == [True, True, True, False, False]
    assert (outcome["refused"], outcome["runID"]) == (1, "two")


def test_what_belongs_to_no_run_is_not_shown(tab):
    outcome = admitted(tab, [["subscribed", {"subscription": "s"}], ["gap", {"from": None}], ["end", None]])
    assert outcome["shown"] == [None, None, None]
