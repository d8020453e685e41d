"""Finds the highest rate that still works, by steps and then bisection. Pure: what a step does is the caller's."""

#: The client's counts of what went wrong, in the report's words.
FAULTS = {
    "failedSubscriptions": "did not get a stream", "closed": "streams closed", "gaps": "gaps", "repeats": "repeats",
    "outOfOrder": "out of order", "malformed": "malformed", "publishRefused": "publications refused",
    "publishReconnects": "times the publisher had to reconnect", "missing": "not delivered in time",
}  # fmt: skip


def highest_rate(works, first, precision, growth=2.0, steps=24):
    """The highest rate found for which `works(rate)`, within `precision` (a fraction) of one that does not.

    first      events/s to begin at, e.g. an earlier result: the bracket is then found in few steps
    growth     the factor by which the first step grows or shrinks; that of the next is its square, up to 2
    steps      calls of `works` at most; the best so far is returned then
    Returns 0 if not even a 64th of `first` works.
    """
    good, bad = 0.0, None
    rate, factor, least = float(first), growth, first / 64
    for _ in range(steps):
        if works(rate):
            good = max(good, rate)
            following = rate * factor
        else:
            bad = rate if bad is None else min(bad, rate)
            following = rate / factor
        if good and bad:
            if bad <= good * (1 + precision):
                break
            following = (good + bad) / 2
        elif following < least:
            break
        else:
            factor = min(factor**2, 2.0)
        rate = following
    return good


def shortcoming(measured, seconds, most_p99=1.0, share=0.05, least_rate=0.98):
    """Why a step's rate is not sustained, or None if it is.

    A backlog that grows shows as delay: it must stay below `most_p99` seconds, and below `share` of the
    measured time, which a server that can only do 1/(1 + share) of the rate reaches by the end of any step.
    """
    for fault, words in FAULTS.items():
        if measured[fault]:
            return f"{measured[fault]:,} {words}"
    wanted = measured["configuration"]["rate"]
    if measured["publishRate"] < least_rate * wanted:
        return f"published only {measured['publishRate']:.0f} of {wanted:.0f} a second"
    p99 = measured["latencyMicroseconds"]["p99"] / 1e6
    if p99 > min(most_p99, share * seconds):
        return f"p99 of {p99 * 1000:.0f} ms"
    return None
