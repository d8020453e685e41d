"""A client leaves; the server is told to stop: how long until it is done?"""

import contextlib
import signal
import time

from children import wait_until
from idle import idle
from medians import chosen, middle, percentile, pooled
from report.section import Section, Table, at_most, number
from rig import FREE
from scenarios.shared import milliseconds
from servers import Runcast
from streams import Stream

NAME = "leave"
OTHERS = 100  # streams that stay while one leaves
POLL = 0.001  # seconds between looks at the server's gauge
CONNECTIONS = "runcast_stream_connections"
DRAIN_BOUND = 10  # seconds, the server's default for --drain-timeout
EXIT = 0.25  # seconds beyond it, for the process to end
STOP_PATIENCE = DRAIN_BOUND + 10


def measure(rig):
    effort = rig.effort
    if Runcast.name in rig.unavailable:
        return
    rig.record({"part": "noticed"}, Runcast.name, 1, noticed, effort.samples)
    for round in range(1, effort.rounds + 1):
        rig.record({"part": "stop"}, Runcast.name, round, stop_with_crowd, effort.crowd)
    for round in range(1, min(3, effort.rounds) + 1):
        rig.record({"part": "stop, one stuck"}, Runcast.name, round, stop_with_stuck_client)


def noticed(rig, samples):
    """{samples}: from close() of one stream beside {OTHERS} to the gauge's fall, in microseconds; nothing is published."""
    found = []
    with rig.server(Runcast, FREE) as server:
        server.make_topics(["bench"])
        with contextlib.ExitStack() as others:
            for _ in range(OTHERS):
                others.enter_context(Stream(server.port, server.subscribe_path())).next_of("subscribed")
            for _ in range(samples):
                stream = Stream(server.port, server.subscribe_path())
                stream.next_of("subscribed")
                # The gauge follows a moment after the stream's first event.
                wait_until(lambda: open_streams(server) == OTHERS + 1, "the stream is counted", 10, POLL)
                began = time.monotonic()
                stream.close()
                wait_until(lambda: open_streams(server) == OTHERS, "the leaver is gone", 10, POLL)
                found.append((time.monotonic() - began) * 1e6)
    return {"samples": found}


def open_streams(server):
    return server.metrics()[CONNECTIONS]


def stop_with_crowd(rig, crowd):
    """From SIGTERM to the end of the process, with so many idle streams."""
    with rig.server(Runcast, FREE) as server:
        with idle(rig, server, crowd):
            return {"streams": crowd, **seconds_to_stop(server)}


def stop_with_stuck_client(rig):
    """The same with a client whose socket is full and who does not read."""
    with rig.server(Runcast, FREE) as server:
        server.make_topics(["bench"])
        with Stream(server.port, server.subscribe_path()) as stream:
            stream.next_of("subscribed")
            fill(server)
            return {"streams": 1, **seconds_to_stop(server)}


def fill(server):
    """Publishes until the only subscriber, who does not read, has taken nothing for a while."""
    body = b'{"data":"' + b"x" * 60_000 + b'"}'
    connection = server.connection()
    taken = -1
    while (now := server.metrics()["runcast_stream_bytes_total"]) > taken:
        taken = now
        for _ in range(20):
            connection.request("POST", server.publish_path(), body, {"Content-Type": "application/json"})
            connection.getresponse().read()
        time.sleep(0.05)
    connection.close()


def seconds_to_stop(server):
    process = server.child.process
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    status = process.wait(STOP_PATIENCE)
    return {"stopSeconds": time.monotonic() - began, "exitStatus": status}


def section(results):
    runs = results["runs"]
    leaving, crowd, stuck = (chosen(runs, part=part) for part in ("noticed", "stop", "stop, one stuck"))
    samples, streams = pooled(leaving, "samples"), middle(crowd, "streams")
    rows = [
        (f"a leaver is noticed, p50 of {len(samples)}", f"{milliseconds(percentile(samples, 50))} ms"),
        ("a leaver is noticed, p99", f"{milliseconds(percentile(samples, 99))} ms"),
        (f"SIGTERM to exit, {number(streams)} streams", f"{number(middle(crowd, 'stopSeconds'))} s"),
        ("SIGTERM to exit, a stuck client", f"{number(middle(stuck, 'stopSeconds'))} s"),
        ("exit statuses other than 0", number(sum(run["measured"]["exitStatus"] != 0 for run in crowd + stuck
                                                   if "measured" in run))),
    ]  # fmt: skip
    p99 = percentile(samples, 99)
    targets = [
        at_most("A client's leaving is noticed, p99", None if p99 is None else p99 / 1000, 10, " ms"),
        at_most(f"SIGTERM with {number(streams)} streams to exit", middle(crowd, "stopSeconds"), 1, " s"),
        at_most("SIGTERM with a stuck client to exit", middle(stuck, "stopSeconds"), DRAIN_BOUND + EXIT, " s"),
    ]
    return Section(
        "Leaving and stopping",
        "A leaver is noticed when the gauge of open streams falls; it is asked for every millisecond over HTTP, which "
        f"is part of the time. Nothing is published meanwhile. With a stuck client a stop takes the drain bound, "
        f"{DRAIN_BOUND} s by default; {EXIT} s beyond it are allowed for the process to end.",
        [Table(("", "time"), rows)], [], targets,
    )  # fmt: skip
