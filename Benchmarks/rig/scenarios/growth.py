"""Does an event, a newcomer or a leaver cost more when there are more subscribers, or more topics?"""

from children import cpu_seconds, descriptor_count, wait_until, wait_until_quiet
from load import bound, finished, load, start
from medians import chosen, middle, middle_ratio
from report.section import Plot, Section, Table, at_most, number
from rig import ONE_CORE
from scenarios.shared import MICROSECONDS, fault_text, ratio_text
from servers import Floor, Runcast

NAME = "growth"
DELIVERIES = 20_000  # per second, for any number of subscribers
MEASURED = 1_000  # subscribers of the topic that is measured while there are others
MOST_DESCRIPTORS_LEFT = 8  # of a server, beyond those it had before anyone came
OPTIONS = ("--heartbeat", "10m", "--max-topics", 20_000)
#: What the cost may grow by from the smallest size to the largest and still count as flat.
FLAT = 1.25


def measure(rig):
    effort = rig.effort
    for round in range(1, effort.rounds + 1):
        for kind in rig.present((Floor, Runcast)):
            for subscribers in effort.subscribers:
                rig.measure(
                    kind, {"part": "subscribers", "size": subscribers}, round, ONE_CORE, options=OPTIONS,
                    subscribers=subscribers, rate=DELIVERIES / subscribers,
                    warmup=effort.warmup, duration=effort.seconds,
                )  # fmt: skip
            for topics in effort.topics:
                rig.record({"part": "topics", "size": topics}, kind.name, round, beside_other_topics, kind, topics)
            for subscribers in effort.subscribers:
                rig.record(
                    {"part": "connections", "size": subscribers}, kind.name, round,
                    coming_and_leaving, kind, subscribers,
                )  # fmt: skip


def made(rig, kind):
    return rig.server(kind, ONE_CORE, **({"options": OPTIONS} if kind is Runcast else {}))


def beside_other_topics(rig, kind, topics):
    """A broadcast to 1,000 subscribers of one topic, while each of the others has one idle subscriber."""
    effort, others = rig.effort, topics - 1
    wanted = {
        "subscribers": MEASURED, "rate": DELIVERIES / MEASURED, "warmup": effort.warmup, "duration": effort.seconds,
    }  # fmt: skip
    with made(rig, kind) as server:
        if not others:
            return load(rig, server, ONE_CORE, **wanted)
        with idle(rig, server, others, topic="other/%d", topics=others):
            return load(rig, server, ONE_CORE, **wanted)


def coming_and_leaving(rig, kind, subscribers):
    """The server's CPU time per connection that comes, and per one that leaves, all at once."""
    with made(rig, kind) as server:
        pids = server.pids()
        wait_until_quiet(pids)
        before, open_before = cpu_seconds(pids), descriptor_count(pids)
        with idle(rig, server, subscribers) as client:
            connected = cpu_seconds(pids)
            client.kill()
            wait_until(
                lambda: descriptor_count(pids) <= open_before + MOST_DESCRIPTORS_LEFT,
                "the server has closed all connections", interval=0.05,
            )  # fmt: skip
        wait_until_quiet(pids)
        return {
            "connectMicroseconds": (connected - before) / subscribers * 1e6,
            "leaveMicroseconds": (cpu_seconds(pids) - connected) / subscribers * 1e6,
        }


def idle(rig, server, subscribers, **wanted):
    """A client whose subscribers are there and get nothing; to be left, or killed, when done."""
    pids = server.pids()
    wanted_open = descriptor_count(pids) + subscribers
    client = start(rig, server, ONE_CORE, subscribers=subscribers, duration=120, **wanted)
    try:
        wait_until(
            lambda: not client.is_running or descriptor_count(pids) >= wanted_open, "all are connected", interval=0.05
        )
        if not client.is_running:
            finished(client, bound())
        wait_until_quiet(pids)
    except BaseException:
        client.kill()
        raise
    return client


def section(results):
    runs = results["runs"]
    subscribers, topics, connections = (
        chosen(runs, part=part) for part in ("subscribers", "topics", "connections")
    )
    tables = [
        size_table(subscribers, "subscribers", MICROSECONDS, "CPU µs per delivered event, by subscribers"),
        size_table(topics, "topics", MICROSECONDS, "CPU µs per delivered event to 1,000 of one topic, by topics"),
        size_table(connections, "subscribers", "connectMicroseconds", "CPU µs per subscription, by subscribers"),
        size_table(connections, "subscribers", "leaveMicroseconds", "CPU µs per disconnect, by subscribers"),
    ]
    plots = [
        size_plot("growth-subscribers", "An event's cost", "subscribers", subscribers, {"": MICROSECONDS}),
        size_plot("growth-topics", "An event's cost beside other topics", "topics", topics, {"": MICROSECONDS}),
        size_plot(
            "growth-connections", "Coming and leaving", "subscribers", connections,
            {"coming": "connectMicroseconds", "leaving": "leaveMicroseconds"},
        ),
    ]  # fmt: skip
    targets = [
        flat("Cost per event", subscribers, "subscribers", MICROSECONDS),
        flat("Cost per event", topics, "topics", MICROSECONDS),
        flat("Cost of a subscription", connections, "subscribers", "connectMicroseconds"),
        flat("Cost of a disconnect", connections, "subscribers", "leaveMicroseconds"),
    ]
    return Section(
        "Growth",
        f"{DELIVERIES:,} deliveries a second, whatever the number of subscribers. Beside other topics: a broadcast "
        f"to {MEASURED:,} subscribers of one topic while each other topic has one idle subscriber. Memory that no "
        "longer fits the processor's caches makes the floor dearer too; growth beyond the floor's is runcast's own, "
        f"and counts as flat up to {FLAT}.",
        tables, plots, targets,
    )  # fmt: skip


def sizes(runs):
    return sorted({run["cell"]["size"] for run in runs})


def size_table(runs, what, path, caption):
    rows = []
    for size in sizes(runs):
        floor, runcast = (chosen(runs, name, size=size) for name in ("floor", "runcast"))
        rows.append(
            (
                f"{size:,}", number(middle(floor, path)), number(middle(runcast, path)),
                ratio_text(runcast, floor, path), fault_text(floor + runcast),
            )
        )  # fmt: skip
    return Table((what, "floor", "runcast", "ratio", "faults"), rows, caption)


def size_plot(name, title, x, runs, paths):
    series = {}
    for label, path in paths.items():
        for server in ("floor", "runcast"):
            points = [(size, middle(chosen(runs, server, size=size), path)) for size in sizes(runs)]
            series[f"{server} {label}".strip()] = [point for point in points if point[1] is not None]
    return Plot(name, title, x, "CPU µs", series)


def flat(what, runs, by, path):
    """The growth from the least size (of at least 1,000 subscribers) to the largest, over the floor's growth."""
    there = sizes(runs)
    if not there:
        return at_most(f"{what}: growth by {by}, beyond the floor's", None, FLAT)
    least = next((size for size in there if size >= 1_000), there[0]) if by == "subscribers" else there[0]
    growths = [
        middle_ratio(chosen(runs, name, size=there[-1]), chosen(runs, name, size=least), path)
        for name in ("runcast", "floor")
    ]
    measured = None if None in growths else growths[0] / max(1.0, growths[1])
    return at_most(f"{what}: growth from {least:,} to {there[-1]:,} {by}, beyond the floor's", measured, FLAT)
