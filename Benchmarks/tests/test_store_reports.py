"""The report of what is measured with a store."""

import scenarios
from report import markdown
from servers.redis import parsed_csv


def run(server, measured, round=1, **cell):
    return {"cell": cell, "server": server, "round": round, "measured": measured}


def targets_of(name, runs):
    section = scenarios.named(name).section({"runs": runs, "effort": {}})
    return section, {target.name: target for target in section.targets}


def accepted(store, rate, **changed):
    measured = {
        "acceptedPerSecond": rate, "answerMicroseconds": {"p50": 1_000, "p99": 9_000}, "succeededPerSecond": 50,
        "cpuMicroseconds": 100, "runsPerCommit": 3, "pendingRuns": 1, "refused": 0, "unaccounted": 0,
    }  # fmt: skip
    return run("runcast", {**measured, **changed}, store=store)


def test_accepted_runs_are_held_against_memory():
    section, targets = targets_of(
        "accepting", [accepted("full", 2_500), accepted("normal", 4_000), accepted("memory", 10_000)]
    )
    assert targets["Accepted runs a second, full durability"].met is True
    assert targets["Accepted runs a second, normal / memory"].measured == "0.40"
    assert targets["Accepted runs a second, normal / memory"].met is False
    assert [row[0] for row in section.tables[0].rows] == ["full", "normal", "memory"]
    assert [row[-1] for row in section.tables[0].rows] == ["none"] * 3


def test_an_accepted_run_that_did_not_succeed_is_a_fault():
    section, _ = targets_of("accepting", [accepted("full", 2_500, unaccounted=2.0, refused=1)])
    assert section.tables[0].rows[0][-1] == "1 refused, 2 accepted but not succeeded"


def published(server, rate, publishers=64, subscribers=0, **changed):
    measured = {"acceptedPerSecond": rate, "answerMicroseconds": {"p50": 1_000, "p99": 9_000}, "refused": 0}
    return run(server, {**measured, **changed}, publishers=publishers, subscribers=subscribers)


def test_publishing_is_held_against_the_disk():
    runs = [published("full", 12_000), published("normal", 15_000), published("memory", 20_000)]
    _, targets = targets_of("publishing", [*runs, published("fdatasync", 30_000)])
    assert targets["Events published a second, full, 64 publishers"].met is True
    assert targets["Events published a second, full, 64 publishers / fdatasync of 64"].measured == "0.40"
    assert targets["Events published a second, full, 64 publishers / fdatasync of 64"].met is False
    assert targets["Events published a second, normal, 64 publishers / memory"].met is True
    assert targets["Subscribers that got every recorded event once and in order"].met is None


def test_one_subscriber_that_lacks_an_event_misses_the_target():
    counted = {"readers": 1_000, "expected": 5_000, "delivered": 4_999, "drainSeconds": 1}
    _, all_there = targets_of("publishing", [published("full", 1, subscribers=1_000, **counted, exact=1_000)])
    section, one_lacks = targets_of("publishing", [published("full", 1, subscribers=1_000, **counted, exact=999)])
    name = "Subscribers that got every recorded event once and in order"
    assert all_there[name].met is True
    assert (one_lacks[name].met, one_lacks[name].measured) == (False, "999 of 1,000")
    assert "1 subscribers without exactly what was published" in markdown.section(section)


def test_gaps_without_a_store_do_not_count_as_missed():
    lost = published("memory", 1, subscribers=1_000, exact=0, readers=1_000)
    _, targets = targets_of("publishing", [lost])
    assert targets["Subscribers that got every recorded event once and in order"].met is None


def replayed(part, **changed):
    measured = {
        "events": 100, "readers": 1, "exact": 1, "eventsPerSecond": 5e5, "bytesPerSecond": 1e8, "cpuMicroseconds": 2,
        "eventsPerCPUSecond": 5e5, "firstEventSeconds": 0.01, "rssKiB": 20_480, "growthKiB": 1_024,
    }  # fmt: skip
    return run("runcast", {**measured, **changed}, part=part)


def test_replay_and_start():
    runs = [
        replayed("1 reader"), replayed("a slow reader", growthKiB=17 * 1_024),
        run("runcast", {"readySeconds": 0.5, "rssKiB": 20_480}, part="after a stop"),
        run("runcast", {"readySeconds": 1.5, "rssKiB": 20_480}, part="after kill -9"),
    ]  # fmt: skip
    _, targets = targets_of("replay", runs)
    assert {name: target.met for name, target in targets.items()} == {
        "Replay, 1 reader: events per second of CPU time": True,
        "Replay: readers that got every event once and in order": True,
        "Start with the whole log, after a stop": True,
        "Start with the whole log, after kill -9": False,
        "Growth of RSS while a slow reader replays": False,
    }


def test_a_reader_that_lacks_an_event_misses_the_target():
    section, targets = targets_of("replay", [replayed("10 at the same place", readers=10, exact=9)])
    assert targets["Replay: readers that got every event once and in order"].met is False
    assert section.tables[0].rows[0][-1] == "1 readers without exactly what is stored"


def test_redis_own_table_is_read_from_its_end():
    text = (
        '"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms",'
        '"max_latency_ms"\n"XADD bench * data xx","6369.43","9.9","4.0","9.1","17.0","22.5","41.0"\n'
    )
    assert parsed_csv(text) == {"acceptedPerSecond": 6369.43, "answerMicroseconds": {"p50": 9_100, "p99": 22_500}}
