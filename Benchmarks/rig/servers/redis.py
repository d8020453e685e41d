"""Redis as a log of events, with every command on the disk before its answer. Takes part where it is installed."""

import re
import subprocess

from children import Child
from servers.server import Server, program


class Redis(Server):
    name = "redis"

    @classmethod
    def check(cls, rig):
        program("redis-server", "redis-server")
        program("redis-benchmark", "redis-tools")

    def command(self):
        return [
            program("redis-server", "redis-server"), "--port", self.port, "--bind", "127.0.0.1", "--dir", self.folder,
            "--appendonly", "yes", "--appendfsync", "always", "--save", "",
        ]  # fmt: skip

    def add(self, size, publishers, seconds):
        """Entries of `size` bytes added to one stream, for about `seconds`: {acceptedPerSecond, answerMicroseconds}."""
        first = self._benchmark(size, publishers, 1_000)
        return self._benchmark(size, publishers, max(1_000, round(first["acceptedPerSecond"] * seconds)))

    def _benchmark(self, size, publishers, requests):
        command = [
            program("redis-benchmark", "redis-tools"), "-p", self.port, "-c", publishers, "-n", requests, "--csv",
            "XADD", "bench", "*", "data", "x" * size,
        ]  # fmt: skip
        _, cores = self.rig.cores("one core")
        with Child(command, self.folder / "benchmark.log", cores, stdout=subprocess.PIPE) as child:
            output, _ = child.process.communicate(timeout=120)
        return parsed_csv(output.decode())


def parsed_csv(text):
    """The last line of redis-benchmark's table: "test","rps","avg","min","p50","p95","p99","max", latencies in ms."""
    cells = [cell.strip('"') for cell in re.findall(r'"(?:[^"\\]|\\.)*"', text.strip().splitlines()[-1])]
    rate, p50, p99 = cells[-7], cells[-4], cells[-2]
    return {
        "acceptedPerSecond": float(rate),
        "answerMicroseconds": {"p50": float(p50) * 1000, "p99": float(p99) * 1000},
    }  # fmt: skip
