"""Posts one body over several connections, as fast as the answers come, and returns what was counted."""

import json
import subprocess

from children import Child

PATIENCE = 60  # seconds beyond those asked for


def post(rig, server, pinning, path, body, connections, seconds=None, requests=0):
    """post-load's JSON object: `accepted` (answers with 2xx), `acceptedPerSecond`, `answerMicroseconds` and the like.

    seconds    after which no connection asks again; None: an hour
    requests   after which none does; 0: no bound
    RuntimeError if a connection is lost.
    """
    milliseconds = 3_600_000 if seconds is None else round(seconds * 1000)
    command = [
        rig.program("post-load"), "--port", server.port, "--path", path, "--body", json.dumps(body),
        "--connections", connections, "--milliseconds", milliseconds, "--requests", requests,
    ]  # fmt: skip
    return output_of(command, server.folder / "post.log", rig.cores(pinning)[1], (seconds or 600) + PATIENCE)


def output_of(command, log, cores=None, timeout=PATIENCE):
    """The JSON object that one of the C programs prints. RuntimeError, with its last words, if it fails."""
    with Child(command, log, cores, stdout=subprocess.PIPE) as child:
        output, _ = child.process.communicate(timeout=timeout)
        if child.process.returncode != 0:
            raise RuntimeError(f"{command[0].name} ended with {child.process.returncode}: {child.last_words()}")
    return json.loads(output)
