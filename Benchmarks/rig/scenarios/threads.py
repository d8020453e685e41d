"""Beyond saturation, with receivers that cost next to nothing: does a second fan-out thread send more?

On two cores a client that reads what it gets needs one of them, so that a server with two threads takes from the client
what it gains. A sink that has the kernel drop everything leaves nearly both cores to the server.
"""

import subprocess
import time

from children import Child, cpu_seconds
from load import finished, start
from medians import chosen, middle, middle_ratio
from report.section import Section, Table, at_least, number
from rig import FREE
from scenarios.shared import range_text, ratio_text
from servers import Runcast

NAME = "threads"
SUBSCRIBERS = 1_000
RATE, SIZE = 5_000, 2_000  # events/s, bytes of an event's JSON object: more than can be sent to all
PATH = "bench"


def measure(rig):
    effort = rig.effort
    if Runcast.name in rig.unavailable:
        return
    for round in range(1, effort.rounds + 1):
        for threads in (1, 2):
            rig.record({"threads": threads}, Runcast.name, round, sending, threads)


def sending(rig, threads):
    """What the server sends per second, by its own counters, while more is published than it can send."""
    seconds = rig.effort.seconds
    with rig.server(Runcast, FREE, options=("--fan-out-threads", threads)) as server:
        server.make_topics([PATH])
        command = [rig.program("stream-sink"), server.port, SUBSCRIBERS, server.subscribe_path(topic=PATH)]
        with Child(command, server.folder / "sink.log", stdout=subprocess.PIPE) as sink:
            if sink.process.stdout.readline() != b"ready\n":
                raise RuntimeError(f"the sink did not start: {sink.last_words()}")
            # One subscriber of its own: this client is here to publish.
            with start(
                rig, server, FREE, subscribers=1, rate=RATE, size=SIZE, topic=PATH, warmup=1, duration=seconds + 1, drain=1
            ) as publisher:
                time.sleep(1.5)
                before, began = sample(server, sink), time.monotonic()
                time.sleep(seconds)
                after, elapsed = sample(server, sink), time.monotonic() - began
                finished(publisher, 30)
    events, writes, used, sunk = (after[i] - before[i] for i in range(4))
    return {
        "eventsPerSecond": events / elapsed, "eventsPerWrite": events / writes, "cores": used / elapsed,
        "cpuMicrosecondsPerEvent": used / events * 1e6, "sinkShare": sunk / elapsed,
    }  # fmt: skip


def sample(server, sink):
    """(events, writes) by the server's counters, CPU seconds of the server, of the sink."""
    metrics = server.metrics()
    return (
        metrics["runcast_stream_events_total"], metrics["runcast_stream_writes_total"],
        cpu_seconds(server.pids()), cpu_seconds([sink.pid]),
    )  # fmt: skip


def section(results):
    runs = results["runs"]
    one = chosen(runs, threads=1)
    rows = [
        (
            f"{threads} fan-out thread{'s' * (threads > 1)}", range_text(mine, "eventsPerSecond", 1 / 1000),
            ratio_text(mine, one, "eventsPerSecond"), number(middle(mine, "cores")),
            number(middle(mine, "cpuMicrosecondsPerEvent")), number(middle(mine, "eventsPerWrite")),
            number(middle(mine, "sinkShare")),
        )
        for threads in (1, 2)
        if (mine := chosen(runs, threads=threads))
    ]  # fmt: skip
    header = (
        "", "thousand events/s", "× one thread", "cores used", "CPU µs/event", "events per write", "sink's CPU share",
    )  # fmt: skip
    ratio = middle_ratio(chosen(runs, threads=2), one, "eventsPerSecond")
    return Section(
        "A second fan-out thread",
        f"{SUBSCRIBERS:,} subscribers throw away what they get; {RATE:,} events a second of {SIZE:,} bytes are "
        "published, more than can be sent. Counted by the server. Publisher, sink and server share the machine's cores.",
        [Table(header, rows)], [], [at_least("Events sent with a second fan-out thread / with one", ratio, 1.1)],
    )  # fmt: skip
