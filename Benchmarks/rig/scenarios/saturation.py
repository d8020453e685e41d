"""How many events a second to 1,000 subscribers, all of them delivered?"""

from load import LoadFailed, load
from medians import chosen, middle, middle_ratio
from report.section import Plot, Section, Table, at_least, number
from rig import ONE_CORE
from scenarios.shared import range_text, ratio_text
from search import highest_rate, shortcoming
from servers import BY_NAME

NAME = "saturation"
SUBSCRIBERS = 1_000
FIRST_RATE = 40  # events/s, where nothing is known yet
#: (server, pinning, fan-out threads or None); those that share a name begin with what the first of them reached
CONTENDERS = (
    ("floor", ONE_CORE, None), ("runcast", ONE_CORE, 1), ("nchan", ONE_CORE, None),
    ("node", ONE_CORE, None), ("sse-starlette", ONE_CORE, None),
)  # fmt: skip
#: One round of it is enough: they are far from the others, and a search takes long.
ONCE = ("node", "sse-starlette")
QUICKLY = (("runcast", ONE_CORE, 1), ("nchan", ONE_CORE, None))


def measure(rig):
    effort = rig.effort
    known = {}
    for round in range(1, effort.searches + 1):
        for contender in CONTENDERS if effort.name == "full" else QUICKLY:
            name, pinning, threads = contender
            if name in rig.unavailable or (name in ONCE and round > 1):
                continue
            near = known.get(contender) or known.get(name)
            first, growth = (near, 1.08) if near else (FIRST_RATE, 2.0)
            found = rig.record(
                {"pinning": pinning, "threads": threads}, name, round,
                sustained, *contender, first, effort.precision, growth,
            )  # fmt: skip
            if found and found["rate"]:
                known[contender] = found["rate"]
                known.setdefault(name, found["rate"])


def sustained(rig, name, pinning, threads, first, precision, growth=2.0):
    """The search for one server: {rate, eventsPerSecond, steps: [...], eventsPerWrite where it is known}."""
    steps = []

    def works(rate):
        try:
            measured = step(rig, name, pinning, threads, rate)
            reason = shortcoming(measured, rig.effort.step_seconds)
        except LoadFailed as failure:
            measured, reason = None, str(failure)
        steps.append({"rate": rate, "reason": reason, "measured": measured})
        return reason is None

    rate = highest_rate(works, first, precision, growth)
    best = max((step for step in steps if step["reason"] is None), key=lambda step: step["rate"], default=None)
    found = {"rate": rate, "eventsPerSecond": rate * SUBSCRIBERS, "steps": steps}
    if best is not None:
        found["p99Microseconds"] = best["measured"]["latencyMicroseconds"]["p99"]
        found["clientShare"] = client_share(best["measured"])
        found["eventsPerWrite"] = best["measured"].get("eventsPerWrite")
    failed = min((step for step in steps if step["reason"]), key=lambda step: step["rate"], default=None)
    found["limit"] = failed["reason"] if failed else None
    return found


def step(rig, name, pinning, threads, rate):
    """One step: a fresh server, so that nothing is left of the step before."""
    special = {"options": ("--fan-out-threads", threads)} if threads else {}
    with rig.server(BY_NAME[name], pinning, **special) as server:
        measured = load(
            rig, server, pinning, subscribers=SUBSCRIBERS, rate=round(rate, 1),
            warmup=rig.effort.warmup, duration=rig.effort.step_seconds, drain=1.5,
        )  # fmt: skip
        if name == "runcast":
            measured["eventsPerWrite"] = events_per_write(server.metrics(), SUBSCRIBERS)
        return measured


def events_per_write(metrics, subscribers):
    """Over the server's life, without each subscriber's first write, which greets it; None if it does not count."""
    events, writes = (metrics.get(f"runcast_stream_{what}_total") for what in ("events", "writes"))
    return events / (writes - subscribers) if events and writes > subscribers else None


def client_share(measured):
    """How busy the client was: near 1 it, and not the server, may be the limit."""
    return measured["clientCPUSeconds"] / measured["measuredSeconds"]


def section(results):
    runs = results["runs"]
    rows, bars = [], []
    for name, pinning, threads in CONTENDERS:
        mine = chosen(runs, name, pinning=pinning, threads=threads)
        if not mine:
            continue
        label = f"{name}, {pinning}" + (f", {threads} fan-out thread{'s' * (threads > 1)}" if threads else "")
        rival = chosen(runs, "nchan", pinning=pinning)
        p99 = middle(mine, "p99Microseconds")
        rows.append(
            (
                label, range_text(mine, "eventsPerSecond", 1 / 1000), ratio_text(mine, rival, "rate"),
                number(None if p99 is None else p99 / 1000), number(middle(mine, "eventsPerWrite")),
                number(middle(mine, "clientShare")), first_limit(mine),
            )  # fmt: skip
        )
        if (best := middle(mine, "eventsPerSecond")) is not None:
            bars.append((label.replace(" fan-out", ""), best / 1000))
    one_core = chosen(runs, "runcast", pinning=ONE_CORE)
    targets = [
        at_least(
            "Highest sustained rate, one core / nchan's",
            middle_ratio(one_core, chosen(runs, "nchan", pinning=ONE_CORE), "rate"), 1.5,
        ),
    ]  # fmt: skip
    header = (
        "", "thousand events/s", "× nchan", "p99 ms", "events per write", "client's CPU share", "what came next",
    )  # fmt: skip
    plot = Plot("saturation", "Highest sustained rate, 1,000 subscribers", "server", "thousand events/s", {"": bars})
    return Section(
        "Highest sustained rate",
        "Every event reaches each of 1,000 subscribers. A rate is sustained when nothing is lost or malformed, at "
        "least 98 % of the asked rate is published, and the delay's p99 stays below 1 s and below 5 % of the step's "
        "measured time, since a backlog that grows reaches that. Rates are tried in growing steps, then by bisection "
        "to about 5 %. node and sse-starlette take part in one round only. Where the client's CPU share is near 1, the "
        "client may be the limit.",
        [Table(header, rows)], [plot], targets,
    )  # fmt: skip


def first_limit(runs):
    """Why the next higher rate failed, from the first round that says."""
    reasons = [run["measured"]["limit"] for run in runs if "measured" in run]
    return next((reason for reason in reasons if reason), "–")
