"""Runs the README's examples as they stand there, so that they work when pasted."""

import re
import subprocess

from conftest import ROOT, eventually

SHELL_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
# The one stream that does not end is left after a while, as a reader would press Ctrl-C.
PRELUDE = """
set -u
curl() {
  case "$*" in *streams/ticks) timeout=1 ;; *) timeout=60 ;; esac
  command curl -s --max-time $timeout "$@" || [ $? -eq 28 ]
  echo
}
"""


def shell_blocks():
    return SHELL_BLOCK.findall((ROOT / "README.md").read_text())


def test_the_examples_work_when_pasted(start_server):
    # A server of its own: another test's page, on its way out, could be the subscription that is taken for the reader's.
    server = start_server("--tick-interval", "50ms")
    blocks = "\n".join(shell_blocks()).replace("http://localhost:8080", server.url)
    watcher = subprocess.Popen(["curl", "-sN", f"{server.url}/v1/streams/ticks"], stdout=subprocess.DEVNULL)
    try:
        subscription = eventually(lambda: server.get("/v1/subscriptions")["subscriptions"])[0]["id"]
        # What the reader fills in from the answers.
        script = PRELUDE + f"SUBSCRIPTION={subscription}\n" + blocks.replace(
            "runs/$RUN/events", "runs/$(command curl -s " + server.url + "/v1/jobs/$JOB"
            " | python3 -c 'import json, sys; print(json.load(sys.stdin)[\"currentRun\"][\"runID\"])')/events",
        )
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120)
    finally:
        watcher.kill()
        watcher.wait()
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "/problems/" not in done.stdout, done.stdout
    for expected in [
        '"square":', f'"id":"{subscription}"', "event: built", 'data: {"commit":"4f2a"}', "event: progress",
        "event: succeeded", '"replaces":', "Cancellation requested", '"state":"cancelled"', "event: end",
    ]:
        assert expected in done.stdout, (expected, done.stdout)
