"""What may be seen of jobs, whatever clients do: an independent judge of recorded histories.

It knows nothing of the server's own state machine. It is given what clients sent and got, and what watchers read, and
returns every contradiction to the acceptance rule as a sentence.
"""

from collections import defaultdict
from dataclasses import dataclass, field

TERMINAL = ("succeeded", "failed", "cancelled", "timedOut", "lost")
VALUES = ("progress", "succeeded")


@dataclass
class Connection:
    """What one connection to a stream brought: its events, in order, as (type, id, data)."""

    job: str
    run: str | None  # None: it follows the job
    opened: float  # seconds since 1970, before the request was sent
    last_event_id: str | None = None  # what the request brought
    events: list = field(default_factory=list)
    was_left: bool = False  # by the reader; what follows is unknown


@dataclass
class Cancel:
    """A cancel that took effect, as its sender saw it."""

    job: str
    run: str
    state: str
    answered: float  # seconds since 1970, after the answer was read


@dataclass
class Replacement:
    """A start that replaced a run, as its sender saw it."""

    job: str
    ordinal: int
    old: str
    answered: float


def judge(connections, cancels, replacements):
    """Every contradiction that is found; none if all is well."""
    complaints = []
    replaced = {replacement.old for replacement in replacements}
    for connection in connections:
        complaints += judge_order(connection, replaced)
        complaints += judge_run_stream(connection) if connection.run else judge_job_stream(connection, replacements)
    complaints += judge_agreement(connections)
    complaints += judge_times(connections, cancels, replacements)
    return complaints


def judge_order(connection, replaced):
    """Within a run the numbers of events go up by one, unless a gap was announced. A snapshot must not be stale."""
    last, snapshot = {}, 0
    gapped = set()  # runs some of whose events a gap stands for
    first_whole = None  # the stored part may begin anywhere, but from a run that is seen from its start all are
    if connection.last_event_id:
        ordinal, seq = map(int, connection.last_event_id.split("-"))
        last[ordinal] = seq
    for name, id, data in connection.events:
        if name == "gap":
            gapped, first_whole = set(last), None
        elif name == "snapshot":
            if data["ordinal"] < snapshot:
                yield f"a snapshot of run {data['ordinal']} after one of {snapshot}"
            snapshot = data["ordinal"]
            if ("result" in data) != (data["state"] == "succeeded"):
                yield f"a snapshot that is {data['state']} and has a result or lacks one"
        elif "seq" in data:
            ordinal, seq = data["ordinal"], data["seq"]
            if id != f"{ordinal}-{seq}":
                yield f"the id {id} of event {ordinal}-{seq}"
            is_known = ordinal in last and ordinal not in gapped
            if seq <= last.get(ordinal, 0):
                yield f"event {id} again, or out of order, after {ordinal}-{last[ordinal]}"
            elif is_known and seq > last[ordinal] + 1 and not is_withdrawn(connection, replaced, ordinal, snapshot):
                yield f"no event between {ordinal}-{last[ordinal]} and {id}, and no gap, {place(connection, id)}"
            elif ordinal not in last and seq > 1 and first_whole is not None and ordinal > first_whole:
                yield f"run {ordinal} begins with {id}, and no gap"
            if seq == 1:
                first_whole = min(ordinal, first_whole or ordinal)
            last[ordinal] = seq
            gapped.discard(ordinal)


def place(connection, id):
    """Where in a connection something was wrong."""
    index = [id for _, id, _ in connection.events].index(id)
    before = [(name, id or data.get("ordinal")) for name, id, data in connection.events[max(0, index - 8) : index]]
    return f"on {connection.run or connection.job} opened with {connection.last_event_id}, behind {before}"


def is_withdrawn(connection, replaced, ordinal, snapshot):
    """Who begins with what is stored is not told of values that were withdrawn before."""
    is_overtaken = connection.run in replaced if connection.run else ordinal < snapshot
    return connection.last_event_id is None and is_overtaken


def judge_run_stream(connection):
    """One run, one terminal event, `end`, and nothing behind it."""
    names = [name for name, _, _ in connection.events]
    runs = {data["runID"] for _, _, data in connection.events if "runID" in data}
    if runs - {connection.run}:
        yield f"events of {runs} on the stream of {connection.run}"
    if connection.was_left:
        return
    terminal = [name for name in names if name in TERMINAL]
    is_resumed_at_the_end = connection.last_event_id and names[-2:] == ["snapshot", "end"]
    if not is_resumed_at_the_end and len(terminal) != 1:
        yield f"{len(terminal)} terminal events in {names}"
    if names.count("end") != 1 or names[-1] != "end":
        yield f"not exactly one end, at the end, in {names}"
    if "cancelRequested" in names and "succeeded" in names:
        yield f"a success of a run that was asked to stop: {names}"


def judge_job_stream(connection, replacements):
    """Once a newer run is current, no value of an older one."""
    replacing = {r.ordinal for r in replacements if r.job == connection.job}
    current = 0
    for name, id, data in connection.events:
        if name == "snapshot" or name == "started" or (name == "queued" and data["ordinal"] in replacing):
            current = max(current, data["ordinal"])
        elif name in VALUES and data["ordinal"] < current:
            yield f"{name} {id} on the job's stream after run {current} had become current"


def judge_agreement(connections):
    """An event is the same on every connection; a run is cancelled or succeeds, not both."""
    seen = {}
    terminal = defaultdict(set)
    for connection in connections:
        for name, id, data in connection.events:
            if "seq" not in data or name == "snapshot":
                continue
            key = (connection.job, data["ordinal"], data["seq"])
            if seen.setdefault(key, (name, data)) != (name, data):
                yield f"event {key} is {seen[key]} here and {(name, data)} there"
            if name in TERMINAL:
                terminal[data["runID"]].add(name)
    for run, names in terminal.items():
        if len(names) > 1:
            yield f"run {run} ended as {names}"
    asked = {}
    for (job, ordinal, seq), (name, _) in seen.items():
        if name == "cancelRequested":
            asked[job, ordinal] = seq
    for (job, ordinal, seq), (name, _) in seen.items():
        if name in VALUES and seq > asked.get((job, ordinal), seq):
            yield f"{name} {ordinal}-{seq} of {job} after the run was asked to stop"


def judge_times(connections, cancels, replacements):
    """Values are not younger than the answer to a cancel or a replacement, nor shown to who came after that."""
    cancelled = {}
    for cancel in cancels:
        cancelled[cancel.run] = min(cancel.answered, cancelled.get(cancel.run, cancel.answered))
    replaced = {r.old for r in replacements}
    for connection in connections:
        own = sorted((r.ordinal, r.answered) for r in replacements if r.job == connection.job)
        for name, id, data in connection.events:
            if name not in VALUES:
                continue
            answered = cancelled.get(data["runID"])
            if answered is not None and (name == "succeeded" or data["at"] > answered):
                yield f"{name} {id} of {data['runID']}, although a cancel had been answered"
            if name == "succeeded" and data["runID"] in replaced:
                yield f"succeeded {id} of a run that had been replaced"
            overtaken = min((at for ordinal, at in own if ordinal > data["ordinal"]), default=None)
            if overtaken is not None and data["at"] > overtaken:
                yield f"{name} {id}, younger than the answer to a start that had replaced its run"
            if overtaken is not None and connection.run is None and connection.opened > overtaken:
                yield f"{name} {id} to a watcher who came after a newer run had been started"
