"""Subscribers that are there and get nothing, while something else is measured."""

from children import descriptor_count, wait_until, wait_until_quiet
from load import bound, finished, start
from rig import ONE_CORE

MOST_SECONDS = 120  # after which they leave by themselves


def idle(rig, server, subscribers, **wanted):
    """A client whose subscribers are all connected; to be left, or killed, when done. `wanted`: as for a load."""
    pids = server.pids()
    wanted_open = descriptor_count(pids) + subscribers
    client = start(rig, server, ONE_CORE, subscribers=subscribers, duration=MOST_SECONDS, **wanted)
    try:
        wait_until(
            lambda: not client.is_running or descriptor_count(pids) >= wanted_open, "all are connected", interval=0.05
        )
        if not client.is_running:
            finished(client, bound())
        wait_until_quiet(pids)
    except BaseException:
        client.kill()
        raise
    return client
