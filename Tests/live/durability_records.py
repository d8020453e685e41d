"""What clients of a storm did and saw, as they saw it. All times are seconds since 1970, by one clock."""

from dataclasses import dataclass, field


@dataclass
class Life:
    """One process of the server, from before it was started until after it was gone."""

    began: float
    ended: float | None = None
    was_killed: bool = False


@dataclass
class Answer:
    """What a request brought; the status is None when the connection was lost before the answer was whole."""

    sent: float
    answered: float | None = None
    status: int | None = None
    body: object = None
    tag: str | None = None

    @property
    def is_lost(self):
        return self.status is None


@dataclass
class Start:
    """A start that made a run, and was told so."""

    job: str
    run: str
    ordinal: int
    replaces: str | None
    terms: int
    sent: float
    answered: float


@dataclass
class Cancel:
    """A cancel that took effect, and was told so."""

    job: str
    run: str
    state: str
    sent: float
    answered: float


@dataclass
class Publication:
    """An event that a client sent; the id is None when it was never told that it was published."""

    topic: str
    data: dict
    sent: float
    answered: float | None = None
    id: str | None = None


@dataclass
class Look:
    """A job or a run as a GET showed it. With the tag of an earlier look, when that was said to hold still."""

    job: str
    body: dict
    tag: str | None
    sent: float
    answered: float
    is_unchanged: bool = False


@dataclass
class Connection:
    """One connection to a stream: its events, in order, as (type, id, data), and when each was read."""

    life: int
    opened: float  # before the request was sent
    last_event_id: str | None  # what the request brought
    events: list = field(default_factory=list)
    read_at: list = field(default_factory=list)
    # "left" by the reader; "broken" or "closed" by the server without a word; "over", or "gone" as no longer kept:
    # the server said so
    outcome: str = "broken"


@dataclass
class Follower:
    """Connections to one stream, each but the first with the id of the last event that those before it brought."""

    topics: tuple
    job: str | None = None
    run: str | None = None
    policy: str = "all"
    # One topic of a stream of several: its ids and gaps are those of the whole stream.
    is_part: bool = False
    connections: list = field(default_factory=list)

    @property
    def events(self):
        return [event for connection in self.connections for event in connection.events]


@dataclass
class History:
    lives: list = field(default_factory=list)
    starts: list = field(default_factory=list)
    cancels: list = field(default_factory=list)
    publications: list = field(default_factory=list)
    looks: list = field(default_factory=list)
    followers: list = field(default_factory=list)
    # By idempotency key or job ID: every answer to the same request.
    repeated: dict = field(default_factory=dict)
    # Terms of every start that was ever sent: no two are the same.
    asked: dict = field(default_factory=dict)
    complaints: list = field(default_factory=list)
