"""A database whose rows say what can't be: it is refused with one line, or served, and never ends the process."""

import shutil
import sqlite3
import subprocess

import pytest
from conftest import BINARY, LISTENING
from curl import curl, post
from jobs import Jobs
from test_command_line import runcast

MAX, MIN = 2**63 - 1, -(2**63)

# What is changed, and whether `doctor` tells of it.
DAMAGES = {
    "nothing was published": ("UPDATE topics SET published = 0 WHERE name = 'a'", True),
    "a topic has the name of one of ours": ("UPDATE topics SET name = 'ticks' WHERE name = 'a'", False),
    "a run ended before all time": (f"UPDATE runs SET finished_at = {MIN}", True),
    "the last position is the last that can be": (f"UPDATE server SET position = {MAX}", True),
    "an event is before the first": (
        "UPDATE events SET position = -5 WHERE position = (SELECT min(position) FROM events)", True,
    ),
    "the last ordinal is the last that can be": (f"UPDATE jobs SET last_ordinal = {MAX}", True),
    "as many events as can be were published": (f"UPDATE topics SET published = {MAX} WHERE name = 'a'", True),
    "events have no text": ("UPDATE events SET fields = x''", True),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory, start_server_for_module):
    """A data directory with a finished job and two topics, whose server has stopped."""
    folder = tmp_path_factory.mktemp("sound") / "data"
    server = start_server_for_module(data_dir=folder)
    for number in range(3):
        post(f"{server.url}/v1/streams/a", {"data": number})
    post(f"{server.url}/v1/streams/b", {"data": "b"})
    jobs = Jobs(server.url)
    jobs.wait_until_over(jobs.start(4).json)
    assert server.stop() == 0
    return folder


@pytest.fixture(params=DAMAGES.values(), ids=DAMAGES.keys())
def damage(request):
    return request.param


@pytest.fixture
def damaged(sound, damage, tmp_path):
    folder = shutil.copytree(sound, tmp_path / "data")
    database = sqlite3.connect(folder / "runcast.db")
    with database:
        database.execute(damage[0])
    database.close()
    return folder


@pytest.fixture
def server(damaged):
    """A server with a retention that looks at every event; None if it has refused to start, with one line."""
    process = subprocess.Popen(
        [BINARY, "serve", "--port", "0", "--data-dir", str(damaged), "--keep-events", "1"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    lines = []
    for line in process.stderr:
        lines.append(line)
        if match := LISTENING.search(line):
            yield process, match[1]
            break
    else:
        assert process.wait(20) == 1
        assert len(lines) == 1 and lines[0].startswith("runcast: error: "), lines
        yield None
    if process.poll() is None:
        process.kill()
    process.communicate()


def peek(url, *arguments):
    """Reads what comes of a stream at once; it may be nothing."""
    subprocess.run(["curl", "-sN", "--max-time", "0.3", *arguments, url], capture_output=True)


def use_all(url):
    """What a client may ask for; what it gets is not looked at, but that there is an answer."""
    post(f"{url}/v1/streams/a", {"data": "next"})
    for job in curl(f"{url}/v1/jobs").json["jobs"]:
        post(f"{url}/v1/jobs/{job['jobID']}/runs", {})
        curl(f"{url}/v1/jobs/{job['jobID']}")
    for path in ["/v1/streams/a", "/v1/streams/b", "/v1/events?topic=a&topic=b"]:
        for resume in [], ["-H", "Last-Event-ID: x-1"]:
            peek(f"{url}{path}", *resume)
    curl(f"{url}/v1/streams")
    curl(f"{url}/metrics")


def test_it_is_refused_or_served(server):
    if server is None:
        return
    process, url = server
    use_all(url)
    assert process.poll() is None
    assert curl(f"{url}/livez").status == 200
    process.terminate()
    assert process.wait(20) == 0


def test_doctor_tells_of_it(damaged, damage):
    code, output, errors = runcast("doctor", "--data-dir", str(damaged))
    assert errors == ""
    if damage[1]:
        assert code == 1 and "WRONG" in output
