"""From results to text, without a run."""

import re

import scenarios
from report import document, markdown, terminal
from report.section import at_least, at_most, holds, number
from results import read, save
from servers.runcast import parsed_metrics

MACHINE = {
    "processor": "A processor", "cores": 2, "memoryMiB": 2_048, "kernel": "Linux", "distribution": "Debian",
    "descriptors": 20_000, "commit": "abc", "versions": {"runcast": "1.0"},
}  # fmt: skip


def broadcast(runcast, floor, nchan):
    """Results of the broadcast, one round, with these costs."""
    return [
        {
            "cell": {"rate": 10, "pinning": "one core"}, "server": server, "round": 1,
            "measured": {"cpuMicrosecondsPerEvent": cost, "latencyMicroseconds": {"p50": 1_000, "p99": 2_000}},
        }
        for server, cost in (("runcast", runcast), ("floor", floor), ("nchan", nchan))
    ]  # fmt: skip


def page_of(folder, runs):
    save(folder, "broadcast", MACHINE, {"name": "full"}, "2030-01-02T03:04:05+00:00", 60, runs)
    return document.text(document.sections(folder))


def test_a_missed_target_is_shown_as_missed(tmp_path):
    page = page_of(tmp_path, broadcast(runcast=9.04, floor=8, nchan=10))
    assert "0 of 2 met." in page
    assert re.search(r"floor's \| <= 1\.1 \| 1\.13 \| \*\*missed\*\*", page)
    assert re.search(r"nchan's \| <= 0\.75 \| 0\.90 \| \*\*missed\*\*", page)


def test_a_target_that_is_met(tmp_path):
    page = page_of(tmp_path, broadcast(runcast=8.4, floor=8, nchan=12))
    assert "2 of 2 met." in page
    assert "| runcast | 8.40 | 1.05 | 0.70 | 1.00 | 2.00 | none |" in page


def test_a_peer_that_failed_leaves_its_target_open(tmp_path):
    runs = broadcast(runcast=8.4, floor=8, nchan=12)
    runs[2] = {**runs[2], "measured": None, "failure": "it fell over"}
    del runs[2]["measured"]
    page = page_of(tmp_path, runs)
    assert "| nchan | – | – | – | – | – | 1 of 1 runs failed |" in page
    assert re.search(r"nchan's \| <= 0\.75 \| not measured \| not measured", page)


def test_results_come_back_as_they_were(tmp_path):
    runs = broadcast(1, 2, 3)
    save(tmp_path, "broadcast", MACHINE, {"name": "quick"}, "2030-01-02T03:04:05+00:00", 1.26, runs)
    found = read(tmp_path, "broadcast")
    assert (found["runs"], found["machine"], found["seconds"]) == (runs, MACHINE, 1.3)
    assert read(tmp_path, "crowd") is None
    (tmp_path / "broadcast.json").write_text('{"format": 0}')
    assert read(tmp_path, "broadcast") is None


def test_every_scenario_reports_runs_that_all_failed():
    for name in scenarios.NAMES:
        scenario = scenarios.named(name)
        cell = {"subscribers": 10, "rate": 10, "pinning": "one core", "size": 1, "part": "topics"}
        run = {"cell": cell, "server": "runcast", "round": 1, "failure": "no"}
        section = scenario.section({"runs": [run], "effort": {"trickle": 1_000}})
        assert section.targets or section.tables, name
        assert not any(target.met for target in section.targets), (name, section.targets)
        assert markdown.section(section, "images").startswith("## ")
        assert terminal.section(section).startswith("== ")


def test_bounds_are_part_of_what_they_bound():
    assert at_most("", 1.1, 1.1).met and not at_most("", 1.11, 1.1).met
    assert at_least("", 1.5, 1.5).met and not at_least("", 1.49, 1.5).met
    assert at_most("", None, 1).met is None
    assert holds("", "yes", "no", False).met is False


def test_numbers_have_three_digits():
    texts = [number(value) for value in (None, 0, 0.01234, 0.5, 12.34, 123.4, 123_456)]
    assert texts == ["–", "0", "0.0123", "0.50", "12.3", "123", "123,456"]


def test_metrics_are_read_by_sample():
    text = '# HELP a_total A.\n# TYPE a_total counter\na_total 3\nb{state="x y"} 1.5\n'
    assert parsed_metrics(text) == {"a_total": 3, 'b{state="x y"}': 1.5}


def test_tables_escape_what_would_split_a_cell():
    assert markdown.table(("a", "b"), [("x|y", 1)]).splitlines()[2] == "| x\\|y | 1 |"
    assert terminal.table(("a", "b"), [("long", "1")]).splitlines() == ["a     b", "long  1"]


def test_overload_counts_only_runs_that_were_too_much():
    def run(policy, overloaded, p99):
        probe = {"p50": 1_000, "p99": p99, "failures": 0}
        measured = {
            "overloaded": overloaded, "subscribing": probe, "asking": probe, "upToDate": 9, "ready": 9, "gaps": 5,
            "announcedGaps": 1, "growthKiB": 10, "eventsPerWrite": 3,
        }  # fmt: skip
        return {"cell": {"policy": policy}, "server": "runcast", "round": 1, "measured": measured}

    runs = [run("all", True, 5_000), run("all", False, 900_000), run("latest", False, 5_000)]
    section = scenarios.named("overload").section({"runs": runs})
    met = {target.name: target.met for target in section.targets}
    assert met["Overload, all: subscribe to first byte, p99"] is True
    assert met["Overload, latest: subscribe to first byte, p99"] is None
    assert met["Overload: `latest` subscribers that end with the newest value"] is None
    assert "1 of 3 runs" in section.text
