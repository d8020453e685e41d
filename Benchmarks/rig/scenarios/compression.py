"""Compressed streams: what do they cost the server, and what do they save on the wire?"""

from medians import chosen, middle, middle_ratio
from report.section import Section, Table, at_most, number
from rig import ONE_CORE
from scenarios.shared import MICROSECONDS, fault_text, milliseconds, ratio_text
from servers import Runcast
from streams import Stream

NAME = "compression"
SUBSCRIBERS, RATE, SIZE = 1_000, 10, 2_000  # events/s, bytes of an event's JSON object
WAYS = {"plain": False, "gzip": True}


def measure(rig):
    effort = rig.effort
    if Runcast.name in rig.unavailable:
        return
    offered = rig.record({"way": "offered"}, Runcast.name, 1, encoding_offered)
    for round in range(1, effort.rounds + 1):
        for way, gunzip in WAYS.items():
            if gunzip and not (offered and offered["encoding"]):
                continue
            rig.measure(
                Runcast, {"way": way}, round, ONE_CORE, subscribers=SUBSCRIBERS, rate=RATE, size=SIZE,
                gunzip=gunzip, warmup=effort.warmup, duration=effort.seconds,
            )  # fmt: skip


def encoding_offered(rig):
    """{encoding}: the Content-Encoding of a stream for a client that accepts gzip; empty if it has none."""
    with rig.server(Runcast, ONE_CORE) as server:
        server.make_topics(["bench"])
        with Stream(server.port, server.subscribe_path(), headers=["Accept-Encoding: gzip"]) as stream:
            fields = stream.read_head().lower().split("\r\n")
    named = [field.split(":", 1) for field in fields if field.startswith("content-encoding:")]
    return {"encoding": named[0][1].strip() if named else ""}


def section(results):
    runs = results["runs"]
    offered = any(run["measured"]["encoding"] for run in chosen(runs, way="offered") if "measured" in run)
    plain, gzip = chosen(runs, way="plain"), chosen(runs, way="gzip")
    rows = [
        (
            way, number(middle(mine, MICROSECONDS)), ratio_text(mine, plain, MICROSECONDS),
            number(bytes_per_event(mine)), milliseconds(middle(mine, "latencyMicroseconds.p99")), fault_text(mine),
        )
        for way, mine in (("plain", plain), ("gzip", gzip))
        if mine
    ]  # fmt: skip
    if not offered:
        rows.append(("gzip", "not offered", "–", "–", "–", "–"))
    header = ("", "CPU µs/event", "× plain", "bytes/event on the wire", "p99 ms", "faults")
    target = at_most(
        "Compressed streams of 2 kB events: CPU per event / plain", middle_ratio(gzip, plain, MICROSECONDS), 1.0
    )
    return Section(
        "Compression",
        f"{RATE} events a second of {SIZE:,} bytes of JSON to {SUBSCRIBERS:,} subscribers, server on one core. Most of "
        "each event is padding, so the saving in bytes is the best case; the CPU is what counts here.",
        [Table(header, rows)], [], [target],
    )  # fmt: skip


def bytes_per_event(runs):
    received, delivered = middle(runs, "bytesReceived"), middle(runs, "measuredDeliveries")
    return received / delivered if received and delivered else None
