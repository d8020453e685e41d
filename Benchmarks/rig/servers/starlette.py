"""sse-starlette on uvicorn, with uvloop and httptools: the usual way in Python."""

import importlib.util
import sys

from servers.server import Server, Unavailable


class SSEStarlette(Server):
    name = "sse-starlette"

    @classmethod
    def check(cls, rig):
        if importlib.util.find_spec("sse_starlette") is None:
            raise Unavailable("sse-starlette is not installed: make bench installs it")

    def command(self):
        return [
            sys.executable, "-m", "uvicorn", "sse_starlette_app:app",
            "--app-dir", self.rig.root / "Benchmarks" / "peers", "--port", self.port,
            "--loop", "uvloop", "--http", "httptools", "--backlog", 4096, "--no-access-log",
            "--log-level", "warning", "--timeout-graceful-shutdown", 1, "--timeout-keep-alive", 3600,
        ]  # fmt: skip
