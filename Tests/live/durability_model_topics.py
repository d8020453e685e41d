"""What may be seen of topics that clients publish to, whatever becomes of the server in between."""

import re
from collections import Counter

POSITION = re.compile(r"([a-z][a-z0-9]*)-(\d+)(?:\.(\d+))?")


def position(id):
    """The epoch, and the place in the order of all events, that an id of the hub's own names; None for others."""
    match = POSITION.fullmatch(id or "")
    return match and (match[1], (int(match[2]), int(match[3] or 0)))


def projected(events, follower, topic):
    """Those of a follower's events that are of one topic, as a stream of that topic alone would have them."""
    if len(follower.topics) == 1:
        return events
    own = [event for event in events if event[2].get("topic") == topic]
    return [(name, id, data) if name == "gap" else (name, data.get("id"), data["data"]) for name, id, data in own]


def judge_topics(logs, publications, followers):
    """Every contradiction that is found.

    logs  by topic, all of its events from its first on as (id, data), read when all was over
    """
    for topic, log in logs.items():
        own = [publication for publication in publications if publication.topic == topic]
        yield from judge_log(topic, log, own)
        for follower in followers:
            if topic in follower.topics and follower.connections:
                yield from judge_follower(topic, log, own, follower)
    for follower in followers:
        yield from judge_positions(follower)
        yield from judge_gaps(follower, logs)
    yield from judge_epochs(followers)


def judge_log(topic, log, publications):
    """Acknowledged events are there once, others at most once, and those that followed one another are in order."""
    for id, count in Counter(id for id, _ in log).items():
        if count > 1:
            yield f"{topic}: {count} events have the id {id}"
    by_data = {}
    for index, (id, data) in enumerate(log):
        key = tuple(sorted(data.items()))
        if key in by_data:
            yield f"{topic}: {data} is there as {log[by_data[key]][0]} and as {id}"
        by_data[key] = index
    placed = []
    for publication in publications:
        index = by_data.pop(tuple(sorted(publication.data.items())), None)
        if index is None:
            if publication.id is not None:
                yield f"{topic}: {publication.data} was acknowledged as {publication.id} and is not there"
            continue
        if publication.id not in (None, log[index][0]):
            yield f"{topic}: {publication.data} was acknowledged as {publication.id} and is {log[index][0]}"
        placed.append((index, publication))
    for data in by_data:
        yield f"{topic}: nobody published {dict(data)}"
    newest_sent = 0
    for _, publication in sorted(placed, key=lambda place: place[0]):
        if publication.answered is not None and publication.answered < newest_sent:
            yield f"{topic}: {publication.data} comes after one that was sent when it had been acknowledged"
        newest_sent = max(newest_sent, publication.sent)


def judge_follower(topic, log, publications, follower):
    """A follower gets a piece of the log without a hole or a repeat, from what is published once it is subscribed."""
    index = {id: number for number, (id, _) in enumerate(log)}
    seen = []
    for connection in follower.connections:
        for name, id, data in projected(connection.events, follower, topic):
            if name in ("subscribed", "gap", "end"):
                continue
            if id not in index:
                yield f"{topic}: {id} was seen and is not in the log"
            elif log[index[id]][1] != data:
                yield f"{topic}: {id} was seen as {data} and is {log[index[id]][1]}"
            else:
                seen.append(index[id])
    for before, after in zip(seen, seen[1:]):
        if after <= before:
            yield f"{topic}: {log[after][0]} after {log[before][0]} (repeated, or out of order)"
        elif after > before + 1 and follower.policy == "all":
            yield f"{topic}: {after - before - 1} events missing between {log[before][0]} and {log[after][0]}"
    first = follower.connections[0]
    if seen and first.events and first.events[0][0] == "subscribed" and follower.policy == "all":
        owed = [p.id for p in publications if p.id in index and p.sent > first.read_at[0]]
        if owed and min(index[id] for id in owed) < seen[0]:
            yield f"{topic}: a follower that had subscribed began with {log[seen[0]][0]}"


def judge_positions(follower):
    """The ids of the hub's own go up, over all topics and connections of a follower."""
    last = None
    for name, id, _ in follower.events:
        if place := position(id):
            if last and place[1] <= last[1]:
                yield f"{follower.topics}: {id} ({name}) after {last}"
            last = place


def judge_gaps(follower, logs):
    """Nothing is withdrawn from topics of clients, and all of it is kept."""
    for name, _, data in follower.events:
        if name == "gap" and data.get("topic") in logs:
            yield f"{follower.topics}: {data}"


def judge_epochs(followers):
    """A data directory has one epoch, however often the server was started."""
    epochs = {place[0] for follower in followers for _, id, _ in follower.events if (place := position(id))}
    if len(epochs) > 1:
        yield f"the epochs {epochs}"
