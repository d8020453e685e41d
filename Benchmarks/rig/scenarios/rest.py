"""GET of a finished job, against a static file of the same size from nginx, and node's http."""

import re
import subprocess
import time

from children import Child, cpu_seconds
from finished_job import finished_job
from medians import chosen, middle
from report.section import Section, Table, at_most, number
from rig import ONE_CORE
from scenarios.shared import range_text, ratio_text
from servers import Floor, Node, Runcast
from servers.nchan import Nginx
from servers.server import program

NAME = "rest"
CONNECTIONS = 64
SERVERS = ("floor", "runcast", "nginx", "node")


def measure(rig):
    effort = rig.effort
    if Runcast.name in rig.unavailable:
        return
    size = body_size(rig)
    for round in range(1, effort.rounds + 1):
        for kind in rig.present((Floor, Runcast, Nginx, Node)):
            rig.record({"connections": CONNECTIONS}, kind.name, round, requests, kind, size)


def body_size(rig):
    """Bytes of the answer that runcast gives."""
    with rig.server(Runcast, ONE_CORE) as server:
        path = finished_job(server)
        connection = server.connection()
        connection.request("GET", path)
        return len(connection.getresponse().read())


def requests(rig, kind, size):
    """What wrk counts in a few seconds, and the server's CPU time per request."""
    special = {"static_bytes": size} if kind in (Nginx, Node) else {}
    with rig.server(kind, ONE_CORE, **special) as server:
        path = finished_job(server) if kind is Runcast else "/static"
        run_wrk(rig, server, path, 1)
        pids = server.pids()
        before, began = cpu_seconds(pids), time.monotonic()
        output = run_wrk(rig, server, path, max(2, round(rig.effort.seconds)))
        used, elapsed = cpu_seconds(pids) - before, time.monotonic() - began
    count = int(re.search(r"(\d+) requests in", output)[1])
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    return {
        "requests": count, "requestsPerSecond": float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]),
        "failed": int(failed[1]) if failed else 0, "cpuMicroseconds": used / count * 1e6,
        "serverShare": used / elapsed, "bytes": size,
    }  # fmt: skip


def run_wrk(rig, server, path, seconds):
    _, cores = rig.cores(ONE_CORE)
    command = [
        program("wrk", "wrk"), "-c", CONNECTIONS, "-t", 1, "-d", f"{seconds}s",
        f"http://127.0.0.1:{server.port}{path}",
    ]  # fmt: skip
    with Child(command, server.folder / "wrk.log", cores, stdout=subprocess.PIPE) as wrk:
        output, _ = wrk.process.communicate(timeout=seconds + 15)
    return output.decode()


def section(results):
    runs = results["runs"]
    rows = []
    for name in SERVERS:
        mine = chosen(runs, name)
        if mine:
            rows.append(
                (
                    name, range_text(mine, "cpuMicroseconds"),
                    ratio_text(mine, chosen(runs, "nginx"), "cpuMicroseconds"),
                    range_text(mine, "requestsPerSecond"), number(middle(mine, "serverShare")),
                    number(middle(mine, "failed")),
                )
            )  # fmt: skip
    size = middle(chosen(runs, "runcast"), "bytes")
    header = ("", "CPU µs/request", "× nginx", "requests/s", "server's CPU share", "failed")
    target = at_most(
        "GET /v1/jobs/{id}: CPU per request", middle(chosen(runs, "runcast"), "cpuMicroseconds"), 15, " µs"
    )
    return Section(
        "REST",
        f"wrk with {CONNECTIONS} connections asks runcast for a finished job ({number(size)} bytes, built for each "
        "request), nginx for a static file and node for a constant buffer of that size, and the floor for a constant; "
        "server on one core, wrk on the other.",
        [Table(header, rows)], [], [target],
    )  # fmt: skip
