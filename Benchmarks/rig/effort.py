"""How much is measured: all of it, or just enough to see that everything works and roughly where it stands."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    name: str
    rounds: int  # interleaved; medians are over these
    warmup: float  # seconds before each measured part
    seconds: float  # of each measured part
    rates: tuple  # events/s of the broadcast
    crowd: int  # subscribers
    subscribers: tuple  # sizes for growth
    topics: tuple  # likewise
    step_seconds: float  # of one step in the search for the highest rate
    precision: float  # that search ends when the bracket is this narrow, as a fraction
    searches: int  # rounds of it
    samples: int  # of each kind of latency
    terms: int  # of the computation, per core
    limit_rounds: int  # of the measuring of its limit
    trickle: int  # bytes/s of the slow reader
    store_rounds: int  # of what is measured with a store
    store_seconds: float  # of each measured part of that
    stored_events: int  # of the log that is replayed
    stored_jobs: int  # finished ones beside it
    slow_bytes: int  # that a slow client replays
    time_limit: float  # minutes after which the rig gives up


FULL = Effort(
    name="full", rounds=5, warmup=0.5, seconds=3, rates=(10, 40), crowd=10_000,
    subscribers=(100, 1_000, 5_000, 15_000), topics=(1, 100, 1_000, 10_000),
    step_seconds=3, precision=0.05, searches=5, samples=300, terms=12_000_000_000, limit_rounds=5,
    trickle=1_000, store_rounds=3, store_seconds=2, stored_events=1_000_000, stored_jobs=10_000,
    slow_bytes=200_000_000, time_limit=85,
)  # fmt: skip

QUICK = Effort(
    name="quick", rounds=1, warmup=0.5, seconds=1.5, rates=(40,), crowd=10_000,
    subscribers=(100, 1_000, 10_000), topics=(1, 1_000),
    step_seconds=1.5, precision=0.25, searches=1, samples=50, terms=2_000_000_000, limit_rounds=2,
    trickle=32_000, store_rounds=1, store_seconds=1, stored_events=50_000, stored_jobs=1_000,
    slow_bytes=10_000_000, time_limit=12,
)  # fmt: skip
