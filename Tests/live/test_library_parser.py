"""The event stream parser of `Public/runcast.js`, in the browser, against the standard's rules and against
the browser's own EventSource."""

import random

import pytest
from conftest import PUBLIC, blank_tab
from scripted_server import ScriptedServer

PARSE = """async ([bytes, cuts]) => {
    const { EventStreamParser } = await import("/runcast.js");
    const parser = new EventStreamParser();
    const events = [];
    let from = 0;
    for (const to of [...cuts, bytes.length]) {
        events.push(...parser.push(Uint8Array.from(bytes.slice(from, to))));
        from = to;
    }
    return {
        events: events.map(({ type, data, lastEventID }) => [type, data, lastEventID]),
        lastEventID: parser.lastEventID,
        retryDelay: parser.retryDelay ?? null,
    };
}"""

EVERY_CUT = """async (bytes) => {
    const { EventStreamParser } = await import("/runcast.js");
    const all = Uint8Array.from(bytes);
    const parse = (...chunks) => {
        const parser = new EventStreamParser();
        const events = chunks.flatMap((chunk) => parser.push(chunk));
        return JSON.stringify([events.map((e) => [e.type, e.data, e.lastEventID]), parser.lastEventID]);
    };
    const whole = parse(all);
    const differing = [];
    for (let cut = 0; cut <= all.length; cut += 1) {
        if (parse(all.subarray(0, cut), all.subarray(cut)) !== whole) differing.push(cut);
    }
    if (parse(...Array.from(all, (byte) => Uint8Array.of(byte))) !== whole) differing.push("bytewise");
    return { differing, events: JSON.parse(whole)[0].length };
}"""

NATIVE = """(url) => new Promise((resolve) => {
    const source = new EventSource(url);
    const events = [];
    for (const type of ["message", "tick", "é"]) {
        source.addEventListener(type, (event) => events.push([event.type, event.data, event.lastEventId]));
    }
    source.onerror = () => { source.close(); resolve(events); };
})"""


@pytest.fixture(scope="module")
def scripted():
    server = ScriptedServer(PUBLIC, {("GET", "/v1/jobs"): {"jobs": []}})
    yield server
    server.stop()


@pytest.fixture(scope="module")
def tab(browser, scripted):
    with blank_tab(browser, scripted.url) as tab:
        yield tab


def parsed(tab, text, cuts=()):
    data = text if isinstance(text, bytes) else text.encode()
    return tab.evaluate(PARSE, [list(data), list(cuts)])


@pytest.mark.parametrize(
    "text, events",
    [
        ("data: a\n\n", [["message", "a", ""]]),
        ("data:a\r\rdata:  b\r\n\r\n", [["message", "a", ""], ["message", " b", ""]]),
        ("\ufeffdata: a\n\n", [["message", "a", ""]]),
        ("\ufeff\ufeffdata: a\n\n", []),
        ("data: a\ndata\ndata: b\n\n", [["message", "a\n\nb", ""]]),
        ("data\n\ndata\ndata\n\ndata:", [["message", "", ""], ["message", "\n", ""]]),
        (": comment\ndata: a\n:\n\n", [["message", "a", ""]]),
        ("event: tick\ndata: a\n\ndata: b\n\n", [["tick", "a", ""], ["message", "b", ""]]),
        ("event: tick\n\ndata: b\n\n", [["message", "b", ""]]),
        ("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", [["message", "a", "1"], ["message", "b", "1"], ["message", "c", ""]]),
        ("id: 1\n\nid: 2\x00\ndata: a\n\n", [["message", "a", "1"]]),
        ("data: cut off\n", []),
        ("data : a\nDATA: a\nunknown: x\n\n", []),
        ("data: smørrebrød 🥪\n\n", [["message", "smørrebrød 🥪", ""]]),
        (b"data: \xff\n\n", [["message", "\ufffd", ""]]),
    ],
)
def test_what_the_standard_says(tab, text, events):
    assert parsed(tab, text)["events"] == events


def test_an_id_counts_once_its_event_is_complete(tab):
    assert parsed(tab, "id: 1\ndata: a\n\nid: 2\ndata: b\n")["lastEventID"] == "1"
    assert parsed(tab, "id: 1\ndata: a\n\nid: 2\n\n")["lastEventID"] == "2"


@pytest.mark.parametrize("field, delay", [("2500", 2500), ("25 00", None), ("-1", None), ("1.5", None), ("", None)])
def test_retry_takes_digits_only(tab, field, delay):
    assert parsed(tab, f"retry: {field}\n")["retryDelay"] == delay


def test_chunk_boundaries_at_every_byte_carry_no_meaning(tab):
    text = (
        "\ufeffretry: 3000\r\nevent: subscribed\r\ndata: {}\r\n\r\n: heartbeat\n\nid: 7\revent: tick\r"
        "data: smørrebrød 🥪\rdata:\r\rid: 8\ndata: {\"n\":7}\n\r\nid: 9\ndata: x\r\n\n\ndata: cut off"
    )
    outcome = tab.evaluate(EVERY_CUT, list(text.encode()))
    assert outcome == {"differing": [], "events": 4}


def test_an_event_beyond_the_bound_is_an_error_not_memory(tab):
    outcome = tab.evaluate(
        """async () => {
            const { EventStreamParser, EventStreamError } = await import("/runcast.js");
            const outcomes = [];
            for (const text of ["data: " + "x".repeat(90), "data: " + "x".repeat(110), "data: 1234567\\n".repeat(20)]) {
                const parser = new EventStreamParser({ maxEventLength: 100 });
                try {
                    parser.push(new TextEncoder().encode(text));
                    outcomes.push("taken");
                } catch (error) {
                    outcomes.push(error instanceof EventStreamError);
                }
            }
            return outcomes;
        }"""
    )
    assert outcome == ["taken", True, True]


def random_stream(seed):
    """Pieces that matter to the format, in an order that nobody would write."""
    generator = random.Random(seed)
    pieces = ["data", "data:", "data: ", ":", " ", "id", "id: ", "id:7", "event: tick", "event:é", "event", "retry: 9"]
    pieces += ["\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n", "\ufeff", "\0", "x", "é", "🥪", "data: y\n\n"]
    prefix = "\ufeff" if generator.random() < 0.3 else ""
    text = prefix + "".join(generator.choice(pieces) for _ in range(60))
    return text.encode()


@pytest.mark.parametrize("seed", range(40))
def test_it_reads_what_the_browsers_own_event_source_reads(tab, scripted, seed):
    data = random_stream(seed)
    tab.route("**/native", lambda route: route.fulfill(body=data, content_type="text/event-stream"))
    native = tab.evaluate(NATIVE, "/native")
    tab.unroute("**/native")
    cuts = sorted(random.Random(seed).sample(range(len(data)), 5))
    assert [event for event in parsed(tab, data, cuts)["events"] if event[0] in ("message", "tick", "é")] == native


def test_integers_of_64_bits_survive(tab):
    outcome = tab.evaluate(
        """async () => {
            const { decodeJSON, encodeJSON } = await import("/runcast.js");
            const text = '{"a":9223372036854775807,"b":[-9007199254740993,1,1.5,"9223372036854775807",null,true]}';
            return [encodeJSON(decodeJSON(text)) === text, encodeJSON({ gone: undefined, kept: [undefined] })];
        }"""
    )
    assert outcome == [True, '{"kept":[null]}']
