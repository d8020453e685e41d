"""The search for the highest rate, against servers whose limit is known."""

import pytest
from search import highest_rate, shortcoming


def measured(**changed):
    """What the client reports of a step without fault."""
    faultless = dict.fromkeys(
        (
            "failedSubscriptions", "closed", "gaps", "repeats", "outOfOrder", "malformed", "publishRefused",
            "publishReconnects", "missing",
        ), 0,
    )  # fmt: skip
    usual = {"configuration": {"rate": 100}, "publishRate": 100.0, "latencyMicroseconds": {"p99": 20_000}}
    return {**faultless, **usual, **changed}


@pytest.mark.parametrize("limit", [3, 41, 99, 160, 1_234, 100_000])
@pytest.mark.parametrize("growth", [2.0, 1.08])
def test_the_limit_is_found_within_the_precision(limit, growth):
    found = highest_rate(lambda rate: rate <= limit, first=40, precision=0.05, growth=growth)
    assert limit / 1.05 <= found <= limit


def test_an_earlier_result_makes_it_short():
    tried = []

    def works(rate):
        tried.append(rate)
        return rate <= 165

    assert 157 <= highest_rate(works, first=160, precision=0.05, growth=1.08) <= 165
    assert len(tried) <= 4


def test_nothing_works():
    tried = []
    assert highest_rate(lambda rate: tried.append(rate), first=64, precision=0.05) == 0
    assert len(tried) <= 8


def test_steps_are_bounded():
    tried = []
    found = highest_rate(lambda rate: tried.append(rate) or True, first=1, precision=0.05, steps=5)
    assert tried == [1, 2, 4, 8, 16]
    assert found == 16


def test_a_step_without_fault_is_sustained():
    assert shortcoming(measured(), seconds=3) is None
    assert shortcoming(measured(publishRate=98.0), seconds=3) is None


@pytest.mark.parametrize("fault", ["gaps", "repeats", "malformed", "closed", "missing", "failedSubscriptions"])
def test_one_fault_is_enough(fault):
    assert shortcoming(measured(**{fault: 1}), seconds=3).startswith("1 ")


def test_a_rate_that_was_not_published_is_not_sustained():
    assert "only 97 of 100" in shortcoming(measured(publishRate=97.4), seconds=3)


def test_a_growing_backlog_is_not_sustained():
    late = measured(latencyMicroseconds={"p99": 200_000})
    assert shortcoming(late, seconds=3) == "p99 of 200 ms"
    assert shortcoming(late, seconds=5) is None
    assert shortcoming(measured(latencyMicroseconds={"p99": 1_100_000}), seconds=60) == "p99 of 1100 ms"
