"""Medians over rounds and ratios within them."""

from medians import chosen, middle, middle_ratio, paired_ratios, percentile, pooled, total


def run(server, round, cost=None, **cell):
    outcome = {"failure": "it fell over"} if cost is None else {"measured": {"cost": cost, "deep": {"p99": cost * 10}}}
    return {"server": server, "round": round, "cell": cell, **outcome}


def test_ratios_are_taken_within_rounds_not_between_medians():
    # The machine was slow in round 2: the ratio of medians would be 3/3.
    ours = [run("ours", 1, 1), run("ours", 2, 9), run("ours", 3, 3)]
    theirs = [run("theirs", 1, 2), run("theirs", 2, 6), run("theirs", 3, 3)]
    assert paired_ratios(ours, theirs, "cost") == [0.5, 1.5, 1.0]
    assert middle_ratio(ours, theirs, "cost") == 1.0
    assert middle_ratio(ours[:2], theirs, "cost") == 1.0


def test_pairs_follow_the_round_not_the_place_in_the_list():
    ours = [run("ours", 2, 10), run("ours", 1, 1)]
    theirs = [run("theirs", 1, 2), run("theirs", 2, 5)]
    assert paired_ratios(ours, theirs, "cost") == [0.5, 2.0]


def test_a_round_without_its_pair_does_not_count():
    ours = [run("ours", 1, 1), run("ours", 2), run("ours", 3, 8)]
    theirs = [run("theirs", 1, 2), run("theirs", 2, 5), run("theirs", 4, 1)]
    assert paired_ratios(ours, theirs, "cost") == [0.5]
    assert middle_ratio(ours, [], "cost") is None


def test_a_ratio_to_nothing_does_not_count():
    assert paired_ratios([run("ours", 1, 1)], [run("theirs", 1, 0)], "cost") == []


def test_failed_runs_have_no_figure():
    runs = [run("ours", 1, 4), run("ours", 2), run("ours", 3, 2), run("ours", 4, 100)]
    assert middle(runs, "cost") == 4
    assert middle(runs, "deep.p99") == 40
    assert middle(runs, "deep.p50") is None
    assert middle(runs, "cost.p50") is None
    assert total(runs, "cost") == 106


def test_runs_are_chosen_by_server_and_cell():
    runs = [run("ours", 1, 1, rate=10), run("ours", 1, 2, rate=40), run("theirs", 1, 3, rate=10)]
    assert [each["measured"]["cost"] for each in chosen(runs, "ours", rate=10)] == [1]
    assert [each["measured"]["cost"] for each in chosen(runs, rate=10)] == [1, 3]
    assert chosen(runs, "ours", rate=20) == []


def test_samples_of_all_rounds_are_pooled():
    runs = [run("ours", 1, [1, 2]), run("ours", 2), run("ours", 3, [3])]
    assert pooled(runs, "cost") == [1, 2, 3]


def test_a_percentile_is_one_of_the_samples():
    samples = list(range(1, 201))
    assert percentile(samples, 50) == 100
    assert percentile(samples, 99) == 198
    assert percentile(samples, 100) == 200
    assert percentile([7], 99) == 7
    assert percentile([], 50) is None
