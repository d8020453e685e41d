"""Runs the load client against a server and returns what it measured."""

import json
import subprocess

from children import Child

CONNECT_BOUND = 60  # seconds that connecting may take, for the slowest peer


class LoadFailed(Exception):
    """The client ended without a result; the message has its last words."""


def load(rig, server, pinning, **options):
    """Starts the client, waits for its end (bounded), and returns its JSON. See `command` for the options."""
    with start(rig, server, pinning, **options) as client:
        return finished(client, bound(**options))


def start(rig, server, pinning, **options):
    """The client as a Child, to be given to `finished`."""
    _, cores = rig.cores(pinning)
    log = server.folder / "load.log"
    return Child(command(rig, server, **options), log, cores, stdout=subprocess.PIPE)


def finished(client, timeout):
    """The client's JSON object."""
    try:
        output, _ = client.process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        client.kill()
        raise LoadFailed(f"the load client ran for more than {timeout} s") from None
    if client.process.returncode != 0:
        raise LoadFailed(f"the load client ended with {client.process.returncode}: {client.last_words()}")
    return json.loads(output)


def bound(warmup=1, duration=5, drain=2, **_):
    """Seconds after which a client with these options must have ended."""
    return CONNECT_BOUND + warmup + duration + drain


def command(
    rig, server, subscribers, rate=None, policy="all", topic="bench", topics=1, size=None,
    warmup=1, duration=5, drain=2, settle=0.1, stuck=0, slow=0, slow_bytes_per_second=None, headers=(), gunzip=False,
):  # fmt: skip
    """The client's command line.

    rate       events per second in total; None: nothing is published
    topic      made if need be; with `topics` > 1 it holds a %d, and subscriber i has topic i modulo `topics`
    size       bytes of an event's JSON object; None: the client's default, about 64
    warmup, duration, drain   seconds
    settle     seconds between connecting and the rest; where memory is measured, long enough to come to rest
    stuck      so many of the subscribers never read
    slow       so many of the subscribers read `slow_bytes_per_second`
    headers    further ones of the subscribing requests
    gunzip     the streams are compressed
    """
    words = [
        rig.program("sse-load"), "--host", "127.0.0.1", "--port", server.port,
        "--subscribers", subscribers, "--path", server.subscribe_path(policy, topic), "--topics", topics,
        "--warmup", warmup, "--duration", duration, "--drain", drain, "--settle", settle,
        # Source addresses of its own for each 5,000, so that local ports do not run out over many runs.
        "--addresses", max(1, subscribers // 5_000),
    ]  # fmt: skip
    for header in headers:
        words += ["--header", header]
    for pid in server.pids():
        words += ["--pid", pid]
    # Also without a rate: the client first makes each topic by an event that it does not count.
    words += [
        "--publish-path", server.publish_path(topic),
        "--publish-prefix", server.publish_prefix, "--publish-suffix", server.publish_suffix,
    ]  # fmt: skip
    words += ["--no-publish"] if rate is None else ["--rate", rate]
    if policy == "latest":
        words += ["--latest"]
    if size is not None:
        words += ["--size", size]
    if stuck:
        words += ["--stuck", stuck]
    if slow:
        words += ["--slow", slow, "--slow-bytes-per-second", slow_bytes_per_second]
    if gunzip:
        words += ["--gunzip"]
    return words
