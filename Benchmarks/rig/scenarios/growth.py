"""Does an event cost more when there are more subscribers, or more topics?"""

from idle import idle
from load import load
from medians import chosen
from report.section import Section
from rig import ONE_CORE
from scenarios.shared import MICROSECONDS, UNDISTURBED
from scenarios.sizes import FLAT, flat, size_plot, size_table
from servers import Floor, Runcast

NAME = "growth"
DELIVERIES = 20_000  # per second, for any number of subscribers
MEASURED = 1_000  # subscribers of the topic that is measured while there are others


def measure(rig):
    effort = rig.effort
    for round in range(1, effort.rounds + 1):
        for subscribers in effort.subscribers:
            for kind in rig.present((Floor, Runcast)):
                rig.measure(
                    kind, {"part": "subscribers", "size": subscribers}, round, ONE_CORE, options=UNDISTURBED,
                    subscribers=subscribers, rate=DELIVERIES / subscribers,
                    warmup=effort.warmup, duration=effort.seconds,
                )  # fmt: skip
        for topics in effort.topics:
            for kind in rig.present((Floor, Runcast)):
                rig.record({"part": "topics", "size": topics}, kind.name, round, beside_other_topics, kind, topics)


def beside_other_topics(rig, kind, topics):
    """A broadcast to 1,000 subscribers of one topic, while each of the others has one idle subscriber."""
    effort, others = rig.effort, topics - 1
    wanted = {
        "subscribers": MEASURED, "rate": DELIVERIES / MEASURED, "warmup": effort.warmup, "duration": effort.seconds,
    }  # fmt: skip
    special = {"options": UNDISTURBED} if kind is Runcast else {}
    with rig.server(kind, ONE_CORE, **special) as server:
        if not others:
            return load(rig, server, ONE_CORE, **wanted)
        with idle(rig, server, others, topic="other/%d", topics=others):
            return load(rig, server, ONE_CORE, **wanted)


def section(results):
    runs = results["runs"]
    subscribers, topics = (chosen(runs, part=part) for part in ("subscribers", "topics"))
    return Section(
        "Growth",
        f"{DELIVERIES:,} deliveries a second, whatever the number of subscribers. Beside other topics: a broadcast "
        f"to {MEASURED:,} subscribers of one topic while each other topic has one idle subscriber. Memory that no "
        "longer fits the processor's caches makes the floor dearer too; growth beyond the floor's is runcast's own, "
        f"and counts as flat up to {FLAT}.",
        [
            size_table(subscribers, "subscribers", MICROSECONDS, "CPU µs per delivered event, by subscribers"),
            size_table(topics, "topics", MICROSECONDS, "CPU µs per delivered event to 1,000 of one topic, by topics"),
        ],
        [
            size_plot("growth-subscribers", "An event's cost", "subscribers", subscribers, {"": MICROSECONDS}),
            size_plot("growth-topics", "An event's cost beside other topics", "topics", topics, {"": MICROSECONDS}),
        ],
        [
            flat("Cost per event", subscribers, "subscribers", MICROSECONDS),
            flat("Cost per event", topics, "topics", MICROSECONDS),
        ],
    )
