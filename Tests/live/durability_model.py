"""What may be seen of jobs, whatever becomes of clients and server: an independent judge of recorded histories.

Within one connection the rules are those of `acceptance_model`. Here are the rules that hold from one connection, one
answer and one life of the server to the next.
"""

from bisect import bisect_left
from collections import defaultdict
from dataclasses import replace
from datetime import datetime

import acceptance_model
from acceptance_model import TERMINAL, VALUES
from durability_model_topics import projected
from durability_records import Follower

NEVER = 1 << 60  # later than any time, and greater than any ordinal
RANKS = {"queued": 0, "running": 1, "cancelling": 2, **dict.fromkeys(TERMINAL, 3)}
# What an event of a run tells about its state.
RANKS_OF_EVENTS = {"queued": 0, "started": 1, "progress": 1, "cancelRequested": 2, **dict.fromkeys(TERMINAL, 3)}


def judge_jobs(history, kept, runs_kept):
    """Every contradiction that is found.

    kept       by run, the status and body of a GET when all was over
    runs_kept  of each job, at most
    """
    followers = [alone for follower in history.followers for alone in jobs_followed(follower)]
    runs = events_of_runs(followers)
    newest = newest_current(history.starts, runs)
    replacements = [*replacements_told(history.starts), *replacements_that_may_be(runs, newest)]
    yield from acceptance_model.judge(list(connections(followers)), history.cancels, replacements)
    for follower in followers:
        yield from judge_chain(follower, runs, newest.get(follower.job, 0))
    yield from judge_lives(history.lives, runs)
    yield from judge_kept(history, runs, kept, runs_kept)
    yield from judge_looks(history, followers, kept)
    yield from judge_tags(history.looks)
    yield from judge_repeats(history.repeated)
    yield from judge_losses(history)


def jobs_followed(follower):
    """Of a stream of several topics, what a stream of each job's alone would have brought."""
    if len(follower.topics) == 1:
        return [follower] if follower.job else []
    alone = []
    for topic in follower.topics:
        if not topic.startswith("jobs/"):
            continue
        last_id, parts = None, []
        for connection in follower.connections:
            # Without an id a stream of the job alone would begin anew; one of several topics has an id of another.
            if connection.last_event_id is not None and last_id is None:
                break
            whole = [
                (projected_event, at)
                for event, at in zip(connection.events, connection.read_at)
                for projected_event in projected([event], follower, topic)
            ]
            events = [event for event, _ in whole]
            for _, _, data in events:
                if "time" in data:
                    data["at"] = datetime.fromisoformat(data["time"]).timestamp()
            parts.append(replace(connection, last_event_id=last_id, events=events, read_at=[at for _, at in whole]))
            last_id = next((id for _, id, _ in reversed(events) if id), last_id)
        alone.append(Follower((topic,), topic.removeprefix("jobs/"), is_part=True, connections=parts))
    return alone


def connections(followers):
    """As `acceptance_model` takes them."""
    for follower in followers:
        for seen in follower.connections:
            # Where one of several topics goes on is not told by an id of its own: a gap may have been announced before.
            last_event_id = None if follower.is_part else seen.last_event_id
            if seen.events:
                yield acceptance_model.Connection(
                    follower.job, follower.run, seen.opened, last_event_id, seen.events, seen.outcome != "over"
                )


def events_of_runs(followers):
    """By job and ordinal, all events that anybody has seen, by their numbers, as (type, data)."""
    runs = defaultdict(dict)
    for follower in followers:
        for name, _, data in follower.events:
            if "seq" in data and name != "snapshot":
                runs[follower.job, data["ordinal"]].setdefault(data["seq"], (name, data))
    return runs


def replacements_told(starts):
    """As `acceptance_model` takes them."""
    for start in starts:
        if start.replaces:
            yield acceptance_model.Replacement(start.job, start.ordinal, start.replaces, start.answered)


def replacements_that_may_be(runs, newest):
    """Runs that ended without a result and may have been replaced by a start whose answer was lost."""
    for (job, ordinal), events in runs.items():
        names = [name for name, _ in events.values()]
        if ordinal < newest.get(job, 0) and "cancelled" in names:
            (run, *_) = [data["runID"] for _, data in events.values()]
            yield acceptance_model.Replacement(job, NEVER, run, NEVER)


def newest_current(starts, runs):
    """By job, the ordinal of the newest run that was ever the current one, or may have been: its start was not told."""
    told = {(start.job, start.ordinal): start for start in starts}
    newest = {}
    for job, ordinal in sorted({*runs, *told}):
        start = told.get((job, ordinal))
        is_current = any(name == "started" for name, _ in runs.get((job, ordinal), {}).values())
        if start is None or start.replaces or is_current:
            newest[job] = ordinal
    return newest


def judge_chain(follower, runs, newest):
    """Over all connections a follower gets each event of a run once and in order; what is missing was overtaken.

    newest  the ordinal of the newest run of the job that was current
    """
    last, names = {}, []
    gaps, gaps_before = 0, {}  # all, and by ordinal, how many there had been at the run's last event
    for connection in follower.connections:
        is_new = connection.last_event_id is None
        for name, id, data in connection.events:
            if name == "gap":
                gaps += 1
                if data["reason"] != "superseded":
                    yield f"{follower.topics}: {data}"
            if "seq" not in data or name == "snapshot":
                continue
            names.append(name)
            ordinal, seq = data["ordinal"], data["seq"]
            run = runs[follower.job, ordinal]
            if seq <= last.get(ordinal, 0):
                yield f"{follower.topics}: {id} after {ordinal}-{last[ordinal]}"
            missing = range(last.get(ordinal, 0) + 1, seq)
            is_announced = is_new or gaps > gaps_before.get(ordinal, 0)
            last[ordinal], gaps_before[ordinal] = seq, gaps
            if not missing:
                continue
            told = [run[number][0] for number in missing if number in run]
            if any(name not in VALUES for name in told):
                yield f"{follower.topics}: {told} missing before {id}"
            elif not is_announced:
                yield f"{follower.topics}: {list(missing)} missing before {id}, and no gap, in life {connection.life}"
            elif ordinal >= newest:
                yield f"{follower.topics}: {list(missing)} missing before {id}, although nothing is newer than the run"
            elif follower.run and "succeeded" in [name for name, _ in run.values()]:
                yield f"{follower.topics}: {list(missing)} missing before {id} of a run that succeeded"
    if follower.run and follower.connections[-1].outcome == "over":
        ends = [name for name in names if name in TERMINAL]
        if len(ends) != 1 or names[-1:] != ["end"] or names.count("end") != 1:
            yield f"{follower.topics}: not one end: {names}"


def judge_lives(lives, runs):
    """What a run computes is of the life in which it was started; `lost` is what was running when one was killed."""

    def life_at(time):
        return bisect_left([life.began for life in lives], time) - 1

    for (job, ordinal), events in runs.items():
        at = {name: life_at(data["at"]) for name, data in events.values()}
        began = at.get("started")
        for name in ("progress", "succeeded", "failed"):
            if began is not None and at.get(name, began) != began:
                yield f"{name} of run {ordinal} of {job} in life {at[name]}, started in life {began}"
        if "lost" in at and began is not None:
            if not (at["lost"] > began and lives[began].was_killed):
                yield f"run {ordinal} of {job} is lost in life {at['lost']}, started in life {began}"
        for name, data in events.values():
            if name == "lost" and not data.get("reason"):
                yield f"run {ordinal} of {job} is lost without a reason"
            if name == "cancelled" and data["reason"] == "shutdown" and 1 in events and began is None:
                yield f"run {ordinal} of {job}, which had only been queued, was cancelled by a stop"


def judge_kept(history, runs, kept, runs_kept):
    """What was acknowledged is there, or no longer kept, and is what the streams and the answers said."""
    greatest = {start.job: start.ordinal for start in sorted(history.starts, key=lambda start: start.ordinal)}
    for start in history.starts:
        status, run = kept[start.run]
        if status == 410:
            if greatest[start.job] <= runs_kept:
                yield f"{start} was acknowledged and is gone, although its job has few runs"
            continue
        if status != 200 or (run["jobID"], run["ordinal"]) != (start.job, start.ordinal):
            yield f"{start} was acknowledged and is {status} {run}"
            continue
        if run["state"] not in TERMINAL:
            yield f"run {start.run} is {run['state']} for ever"
        for name, data in runs[start.job, start.ordinal].values():
            if name in TERMINAL and (name, data.get("result")) != (run["state"], run.get("result")):
                yield f"{start.run} ended as {name} {data} and is {run}"
    for cancel in history.cancels:
        status, run = kept[cancel.run]
        if status == 200 and run["state"] not in ("cancelled", "timedOut"):
            yield f"{cancel} was acknowledged and the run is {run['state']}"


def judge_looks(history, followers, kept):
    """A GET shows nothing older than what anybody knew before it was sent, and no end but the one that stays."""
    known = defaultdict(list)  # by run: (time, rank)
    for follower in followers:
        for connection in follower.connections:
            for (name, _, data), at in zip(connection.events, connection.read_at):
                rank = RANKS[data["state"]] if name == "snapshot" else RANKS_OF_EVENTS.get(name)
                if rank is not None:
                    known[data["runID"]].append((at, rank))
    for cancel in history.cancels:
        known[cancel.run].append((cancel.answered, RANKS[cancel.state]))
    current = defaultdict(list)  # by job: (time, ordinal)
    for start in history.starts:
        if start.replaces or start.ordinal == 1:
            current[start.job].append((start.answered, start.ordinal))
    for look in history.looks:
        for run in runs_in(look.body):
            known[run["runID"]].append((look.answered, RANKS[run["state"]]))
        if "currentRun" in look.body:
            current[look.job].append((look.answered, look.body["currentRun"]["ordinal"]))
    known, current = running_maxima(known), running_maxima(current)
    for look in history.looks:
        told = "unchanged" if look.is_unchanged else "there"
        for run in runs_in(look.body):
            if RANKS[run["state"]] < greatest_before(known[run["runID"]], look.sent):
                yield f"run {run['runID']} was {told} as {run['state']} when more was known"
            status, end = kept.get(run["runID"], (410, None))
            if run["state"] in TERMINAL and status == 200 and end != {**end, **run}:
                yield f"run {run['runID']} was {told} as {run} and is {end}"
        if "currentRun" in look.body:
            ordinal = look.body["currentRun"]["ordinal"]
            if ordinal < greatest_before(current[look.job], look.sent):
                yield f"run {ordinal} of {look.job} was {told} as the current one when a newer one was known to be"


def runs_in(body):
    return body["runs"] if "runs" in body else [body]


def running_maxima(known):
    """By key, times in ascending order, each with the greatest value up to then."""
    result = defaultdict(list)
    for key, pairs in known.items():
        greatest = -1
        for at, value in sorted(pairs):
            greatest = max(greatest, value)
            result[key].append((at, greatest))
    return result


def greatest_before(maxima, time):
    index = bisect_left(maxima, (time,))
    return maxima[index - 1][1] if index else -1


def judge_tags(looks):
    """A tag stands for one text of a job, for ever."""
    texts = {}
    for look in looks:
        if look.tag and texts.setdefault((look.job, look.tag), look.body) != look.body:
            yield f"the tag {look.tag} of {look.job} stands for {texts[look.job, look.tag]} and {look.body}"


def judge_repeats(repeated):
    """The same request gets the first answer again; that which made a job under its client's ID, the job."""
    for key, answers in repeated.items():
        told = [(answer.status, answer.body) for answer in answers if not answer.is_lost]
        if key.startswith("PUT "):
            made = [status for status, _ in told].count(201)
            if made > 1 or len({(body["jobID"], body["runID"]) for _, body in told}) > 1:
                yield f"{key}: {told}"
        elif any(answer != told[0] for answer in told):
            yield f"{key}: {told}"


def judge_losses(history):
    """Nobody loses a stream while its server lives, and only a kill cuts off a body."""
    for follower in history.followers:
        for seen, following in zip(follower.connections, follower.connections[1:]):
            if seen.outcome in ("broken", "closed") and seen.life == following.life:
                yield f"{follower.topics}: {seen.outcome} after {seen.events[-1:]}, in life {seen.life}"
            if seen.outcome == "broken" and not history.lives[seen.life].was_killed:
                yield f"{follower.topics}: cut off after {seen.events[-1:]} by a stop in order"
