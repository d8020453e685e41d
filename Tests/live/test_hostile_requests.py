"""Ten thousand requests, mutated from valid ones with a fixed seed: each is answered or cut off, and nothing is left."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import eventually
from curl import curl
from jobs import Jobs
from raw import descriptors, exchange, resident_bytes, statuses

SEED = 20_260_101
REQUESTS = 10_000
THREADS = 8
# What may be answered to a request that was spoilt at random, or happened to stay valid.
EXPECTED = {200, 201, 202, 204, 304, 400, 403, 404, 405, 406, 409, 410, 411, 413, 414, 415, 422, 429, 431, 505}

# To the library under the server, a line that begins with NUL is an empty one, and the request is still to come.
WAITED_FOR = ("waited for",)

HEAD = "Host: localhost\r\nAccept: */*\r\n"
JOB = "00000000-0000-4000-8000-000000000001"


def with_body(line, body, fields=""):
    return f"{line}\r\n{HEAD}{fields}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"


VALID = [
    f"GET / HTTP/1.1\r\n{HEAD}\r\n",
    f"GET /v1/streams/ticks?limit=2&policy=all HTTP/1.1\r\n{HEAD}Last-Event-ID: e1-7\r\n\r\n",
    f"GET /v1/events?topic=ticks&topic=storm&limit=1 HTTP/1.1\r\n{HEAD}\r\n",
    f"GET /v1/jobs?state=running,queued&limit=3 HTTP/1.1\r\n{HEAD}If-None-Match: \"a\"\r\n\r\n",
    f"GET /v1/jobs/{JOB}/events HTTP/1.0\r\n\r\n",
    f"HEAD /v1/streams/ticks HTTP/1.1\r\n{HEAD}\r\n",
    f"OPTIONS /v1/jobs HTTP/1.1\r\n{HEAD}Origin: http://localhost\r\n\r\n",
    f"DELETE /v1/subscriptions/{JOB} HTTP/1.1\r\n{HEAD}\r\n",
    with_body("POST /v1/streams/storm HTTP/1.1", '{"event":"a","data":{"b":[1,2.5,null,"\\u00e9"]},"id":"c-1"}'),
    with_body("POST /v1/jobs HTTP/1.1", '{"kind":"square-root-sum","input":{"terms":44},"timeoutSeconds":1}'),
    with_body(
        f"PUT /v1/jobs/{JOB} HTTP/1.1", '{"kind":"square-root-sum","input":{"terms":4},"timeoutSeconds":1}',
        "Idempotency-Key: k\r\n",
    ),
    with_body(f"POST /v1/jobs/{JOB}/runs HTTP/1.1", '{"onConflict":"replace","timeoutSeconds":1}'),
    with_body(f"POST /v1/jobs/{JOB}/cancel HTTP/1.1", '{"force":true,"reason":"x"}'),
    f"POST /v1/streams/storm HTTP/1.1\r\n{HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    '5\r\n{"dat\r\n5\r\na":1}\r\n0\r\n\r\n',
]
# Bytes that mean something to a parser.
SPICE = [b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b":", b"%", b"%00", b"/", b"//", b"..", b"?", b"&", b"=", b"#", b"\xff",
         b"\xef\xbb\xbf", b"{", b"}", b"[" * 70, b'"', b"\\", b"-", b"99999999999999999999", b";", b",", b"chunked", b"0\r\n\r\n",
         b"HTTP/1.1", b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n", b"Host: b\r\n", b"x" * 3_000]


def mutated(request, random):
    """The request after one to three accidents."""
    text = bytearray(request)
    for _ in range(random.randint(1, 3)):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice([0, 1, 1, 2, 8, 40]))
        match random.randrange(6):
            case 0:
                del text[start:end]
            case 1:
                text[start:start] = random.choice(SPICE)
            case 2:
                text[start:end] = random.choice(SPICE)
            case 3:
                text[start:start] = text[start:end] * random.choice([1, 1, 2, 50])
            case 4:
                for index in range(start, end):
                    text[index] = random.randrange(256)
            case 5:
                del text[start:]
    # Half a request line is waited for until the timeout, 30 s: the library tells nobody of it before.
    is_line_whole = b"\n" in text.lstrip(b"\r\n")
    return bytes(text) if is_line_whole else bytes(text) + b" x\r\n"


def outcome(port, request):
    """The statuses of the answers; `WAITED_FOR` if there was no end. Fails if what comes is neither answers nor nothing."""
    received = exchange(port, request, patience=0.5)
    if received is None:
        return WAITED_FOR
    assert received == b"" or received.startswith(b"HTTP/1.1 "), (request, received[:200])
    answered = statuses(received)
    assert set(answered) <= EXPECTED, (request, received[:400])
    return tuple(answered)


@pytest.fixture
def storm_server(start_server):
    server = start_server("--tick-interval", "20ms", "--stall-timeout", "2s", "--max-jobs", "500")
    yield server
    jobs = Jobs(server.url)
    for job in curl(f"{server.url}/v1/jobs?state=queued,running,cancelling&limit=500").json["jobs"]:
        jobs.adopt(job["jobID"])
    jobs.close()


def test_ten_thousand_spoilt_requests_leave_nothing_behind(storm_server, open_stream):
    server = storm_server
    watcher = open_stream(f"{server.url}/v1/streams/ticks?policy=all")
    watcher.next_of("tick")
    source = random.Random(SEED)
    requests = [mutated(source.choice(VALID).encode(), source) for _ in range(REQUESTS)]
    with ThreadPoolExecutor(THREADS) as pool:
        # The first tenth warms up what is kept for good: threads, caches, the log of the topic.
        outcomes = Counter(pool.map(lambda request: outcome(server.port, request), requests[: REQUESTS // 10]))
        open_before, resident_before = descriptors(server.process), resident_bytes(server.process)
        outcomes += Counter(pool.map(lambda request: outcome(server.port, request), requests[REQUESTS // 10 :]))
    answered = Counter(status for answers, count in outcomes.items() for status in answers for _ in range(count))
    assert outcomes[WAITED_FOR] < REQUESTS // 100
    assert answered[400] > 1_000 and answered[200] > 100 and answered[404] > 100 and answered[422] > 10, answered
    assert curl(f"{server.url}/livez").status == 200
    assert eventually(lambda: curl(f"{server.url}/v1/subscriptions").json["total"] == 1)
    # Those that the library waits for go when its timeout, 30 s, is up.
    assert eventually(lambda: descriptors(server.process) <= open_before + outcomes[WAITED_FOR])
    assert resident_bytes(server.process) - resident_before < 64 << 20
    numbers = [event.json["n"] for event in watcher.taken() if event.type == "tick"]
    assert len(numbers) > 50
    assert all((number - previous) % 1_000 == 1 for previous, number in zip(numbers, numbers[1:]))
