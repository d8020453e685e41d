"""What do coming, staying and leaving cost, by the number of subscribers, and what does a topic keep?"""

from children import cpu_seconds, descriptor_count, resident_kib, wait_until, wait_until_quiet
from idle import idle
from medians import chosen, middle
from report.section import Section, Table, number
from rig import ONE_CORE
from scenarios.shared import UNDISTURBED
from scenarios.sizes import FLAT, flat, size_plot, size_table
from servers import Floor, Runcast

NAME = "connections"
UNSUBSCRIBED = 100  # by DELETE, while all others are there
TOPICS = 10_000
DESCRIPTORS_LEFT = 8  # of a server at most, beyond those it had before anyone came


def measure(rig):
    effort = rig.effort
    for round in range(1, effort.rounds + 1):
        for subscribers in effort.subscribers:
            for kind in rig.present((Floor, Runcast)):
                rig.record(
                    {"part": "subscribers", "size": subscribers}, kind.name, round,
                    coming_and_leaving, kind, subscribers,
                )  # fmt: skip
        if Runcast.name not in rig.unavailable:
            rig.record({"part": "topics", "size": TOPICS}, Runcast.name, round, topics_alone)


def coming_and_leaving(rig, kind, subscribers):
    """The server's CPU time per subscriber that comes, is unsubscribed, or leaves, and its memory meanwhile."""
    special = {"options": UNDISTURBED} if kind is Runcast else {}
    with rig.server(kind, ONE_CORE, **special) as server:
        pids = server.pids()
        wait_until_quiet(pids)
        before, memory, open_before = cpu_seconds(pids), resident_kib(pids), descriptor_count(pids)
        with idle(rig, server, subscribers) as client:
            connected = cpu_seconds(pids)
            found = {
                "connectMicroseconds": (connected - before) / subscribers * 1e6,
                "idleKiB": resident_kib(pids) - memory,
            }
            left = subscribers
            if kind is Runcast:
                found["unsubscribeMicroseconds"] = unsubscribing(server)
                left -= min(subscribers, UNSUBSCRIBED)
            present = cpu_seconds(pids)
            client.kill()
            wait_until(
                lambda: descriptor_count(pids) <= open_before + DESCRIPTORS_LEFT,
                "the server has closed all connections", interval=0.05,
            )  # fmt: skip
        wait_until_quiet(pids)
        if left:
            found["leaveMicroseconds"] = (cpu_seconds(pids) - present) / left * 1e6
        return found


def unsubscribing(server):
    """CPU time per DELETE of a subscription, the request included, in microseconds."""
    _, listed = server.json("GET", f"/v1/subscriptions?limit={UNSUBSCRIBED}")
    wait_until_quiet(server.pids())
    before = cpu_seconds(server.pids())
    connection = server.connection()
    for subscription in listed["subscriptions"]:
        connection.request("DELETE", f"/v1/subscriptions/{subscription['id']}")
        answer = connection.getresponse()
        answer.read()
        if answer.status != 204:
            raise RuntimeError(f"unsubscribing was answered with {answer.status}")
    connection.close()
    wait_until_quiet(server.pids())
    return (cpu_seconds(server.pids()) - before) / len(listed["subscriptions"]) * 1e6


def topics_alone(rig):
    """Bytes that a topic with one small event and no subscriber keeps."""
    with rig.server(Runcast, ONE_CORE, options=UNDISTURBED) as server:
        # The first ones also pay for what is there once.
        server.make_topics(f"first/{number}" for number in range(TOPICS // 10))
        before = resident_kib(server.pids())
        server.make_topics(f"topic/{number}" for number in range(TOPICS))
        return {"bytesPerTopic": (resident_kib(server.pids()) - before) * 1024 / TOPICS}


def section(results):
    runs = results["runs"]
    subscribers, topics = (chosen(runs, part=part) for part in ("subscribers", "topics"))
    slopes = {name: bytes_each(chosen(subscribers, name)) for name in ("floor", "runcast")}
    per_topic = middle(topics, "bytesPerTopic")
    rows = [
        ("subscription, floor", number(slopes["floor"]), gibibytes_for_a_million(slopes["floor"])),
        ("subscription, runcast", number(slopes["runcast"]), gibibytes_for_a_million(slopes["runcast"])),
        ("topic with one event, runcast", number(per_topic), gibibytes_for_a_million(per_topic)),
    ]
    costs = {"coming": "connectMicroseconds", "leaving": "leaveMicroseconds", "DELETE": "unsubscribeMicroseconds"}
    what = {"coming": "a subscription", "leaving": "a disconnect", "DELETE": "an unsubscription"}
    tables = [
        size_table(subscribers, "subscribers", path, f"CPU µs per subscriber, {label}") for label, path in costs.items()
    ]
    tables.append(Table(("each", "bytes of RSS", "GiB for a million"), rows, "Memory, from the measured slopes"))
    return Section(
        "Coming, staying and leaving",
        "So many subscribers connect, up to 128 at a time, wait, and all leave at once. Meanwhile "
        f"{UNSUBSCRIBED} subscriptions are ended by DELETE, one after the other, requests included. Memory per "
        "subscription is the slope between the least and the largest number; kernel memory, about that of any TCP "
        f"connection, is not in it. Growth beyond the floor's counts as flat up to {FLAT}.",
        tables,
        [size_plot("connections", "Coming and leaving", "subscribers", subscribers, costs)],
        [flat(f"Cost of {what[label]}", subscribers, "subscribers", path) for label, path in costs.items()],
    )


def bytes_each(runs):
    """RSS per subscription between the least and the largest number of them; None unless both are there."""
    there = sorted({run["cell"]["size"] for run in runs})
    if len(there) < 2:
        return None
    least, most = (middle(chosen(runs, size=size), "idleKiB") for size in (there[0], there[-1]))
    return None if None in (least, most) else (most - least) * 1024 / (there[-1] - there[0])


def gibibytes_for_a_million(each):
    return number(None if each is None else each * 1e6 / 2**30)
