"""More is published than can be delivered: is the server still there for others, and does its memory stay flat?"""

from finished_job import finished_job
from load import LoadFailed, load
from medians import chosen, middle, spread, total
from probe import Probe
from report.section import Section, Table, at_most, holds, number
from results import read
from rig import ONE_CORE
from scenarios import saturation
from scenarios.shared import milliseconds
from servers import Runcast

NAME = "overload"
SUBSCRIBERS = 1_000
BEYOND = 2.5  # times the highest sustained rate
MOST_DOUBLINGS = 3  # of that, until it is too much
LEAST_SHARE = 0.05
TARGET = 100_000  # microseconds, p99
MOST_GROWTH = 16 * 1024  # KiB of RSS, beyond what the topic's log may hold


def measure(rig):
    if Runcast.name in rig.unavailable:
        return
    rate = rate_beyond(rig, BEYOND * sustained_rate(rig))
    for round in range(1, min(rig.effort.rounds, 5) + 1):
        for policy in ("latest", "all"):
            rig.record({"policy": policy}, Runcast.name, round, overloaded, policy, rate)


def rate_beyond(rig, rate):
    """`rate`, or what it takes: a machine that was busy while the sustained rate was sought has hidden the real one."""
    for _ in range(MOST_DOUBLINGS):
        try:
            if is_overloaded(saturation.step(rig, Runcast.name, ONE_CORE, None, rate)):
                break
        except LoadFailed:
            break
        rate *= 2
    return rate


def is_overloaded(measured):
    """Whether subscribers did not get a good part of what was due, or only after a second, or it was not taken."""
    passed_over = measured["gaps"] + measured["conflated"] + measured["missing"]
    return (
        passed_over > LEAST_SHARE * measured["expected"]
        or measured["latencyMicroseconds"]["p99"] > 1e6
        or measured["publishRate"] < (1 - LEAST_SHARE) * measured["configuration"]["rate"]
    )


def sustained_rate(rig):
    """What the saturation scenario found, if it has run in this folder; otherwise a coarse search."""
    known = read(rig.results, saturation.NAME)
    if known:
        runs = chosen(known["runs"], "runcast", pinning=ONE_CORE)
        if rate := middle(runs, "rate"):
            return rate
    return saturation.sustained(rig, "runcast", ONE_CORE, 1, saturation.FIRST_RATE, 0.25)["rate"]


def overloaded(rig, policy, rate):
    cores = rig.cores(ONE_CORE)[1]
    with rig.server(Runcast, ONE_CORE) as server:
        server.make_topics(["bench"])
        job = finished_job(server)
        stream = server.subscribe_path(policy)
        with (
            Probe(server.port, stream, ["Accept: text/event-stream"], cores=cores) as subscribing,
            Probe(server.port, job, cores=cores) as asking,
        ):
            measured = load(
                rig, server, ONE_CORE, subscribers=SUBSCRIBERS, rate=round(rate), policy=policy,
                warmup=1, duration=2 * rig.effort.seconds, drain=10, settle=0.5,
            )  # fmt: skip
        metrics = server.metrics()
        measured["eventsPerWrite"] = saturation.events_per_write(metrics, SUBSCRIBERS)
        measured["metrics"] = metrics
        for name, probe in (("subscribing", subscribing), ("asking", asking)):
            measured[name] = {
                **spread(probe.microseconds), "count": len(probe.microseconds), "failures": probe.failures,
            }  # fmt: skip
        measured["overloaded"] = is_overloaded(measured)
        measured["growthKiB"] = measured["rssPeakKiB"] - measured["rssConnectedKiB"]
        return measured


def section(results):
    runs = results["runs"]
    # A run that was not too much after all says nothing about one that is.
    beyond = [run for run in runs if run.get("measured", {}).get("overloaded")]
    by_policy = {policy: chosen(beyond, policy=policy) for policy in ("latest", "all")}
    header = (
        "policy", "published/s", "subscribe p50 ms", "p99 ms", "GET job p50 ms", "p99 ms", "probes failed",
        "events/write", "conflated", "skipped", "gap events", "RSS idle MiB", "peak", "end",
    )  # fmt: skip
    targets = [target for policy, mine in by_policy.items() for target in bounds(policy, mine)]
    return Section(
        "Beyond saturation",
        f"{BEYOND} times the highest sustained rate is asked for, to 1,000 subscribers, server on one core; meanwhile "
        "a probe subscribes, and another asks for a finished job, 20 times a second each and on fresh connections. "
        "Under `all` a reader whose events are no longer kept gets a `gap` event; under `latest` it skips to the "
        f"newest. {len(beyond)} of {len(runs)} runs were beyond saturation, and count: a good part of what was due was "
        "passed over, came after more than a second, or was not taken.",
        [Table(header, [row(policy, mine) for policy, mine in by_policy.items()])], [],
        targets + [reach_the_newest(by_policy["latest"]), *tell_of_gaps(by_policy["all"])],
    )  # fmt: skip


def row(policy, runs):
    return (
        policy, number(middle(runs, "publishRate")),
        *(milliseconds(middle(runs, f"{probe}.{p}")) for probe in PROBES for p in ("p50", "p99")),
        number(total(runs, "subscribing.failures") + total(runs, "asking.failures")),
        *(number(middle(runs, count)) for count in ("eventsPerWrite", "conflated", "gaps", "announcedGaps")),
        *(megabytes(middle(runs, path)) for path in ("rssConnectedKiB", "rssPeakKiB", "rssEndKiB")),
    )  # fmt: skip


def bounds(policy, runs):
    """The targets of the probes and of memory."""
    for probe, what in PROBES.items():
        p99 = middle(runs, f"{probe}.p99")
        yield at_most(
            f"Overload, {policy}: {what}, p99", None if p99 is None else p99 / 1000, TARGET / 1000, " ms"
        )
    growth = middle(runs, "growthKiB")
    yield at_most(
        f"Overload, {policy}: growth of RSS", None if growth is None else growth / 1024, MOST_GROWTH / 1024, " MiB"
    )


def reach_the_newest(runs):
    newest, there = total(runs, "upToDate"), total(runs, "ready")
    return holds(
        "Overload: `latest` subscribers that end with the newest value", "all", f"{newest:,} of {there:,}",
        newest == there if there else None,
    )  # fmt: skip


def tell_of_gaps(runs):
    writes = middle(runs, "eventsPerWrite")
    yield holds("Overload, all: events per write", "> 1", number(writes), None if writes is None else writes > 1)
    lost, announced = total(runs, "gaps"), total(runs, "announcedGaps")
    yield holds(
        "Overload, all: what is skipped is announced", "gap events", f"{lost:,} skipped, {announced:,} gap events",
        (announced > 0 or lost == 0) if total(runs, "ready") else None,
    )  # fmt: skip


PROBES = {"subscribing": "subscribe to first byte", "asking": "GET /v1/jobs/{id}"}


def megabytes(kib):
    return number(None if kib is None else kib / 1024)
