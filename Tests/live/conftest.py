"""Starts the real program for the tests in this folder, and Debian's Chromium for those that click.

RUNCAST_BINARY    the program; by default the debug build
RUNCAST_CHROMIUM  the browser; by default `chromium` of the PATH
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ROOT / "Public"
BINARY = ROOT / os.environ.get("RUNCAST_BINARY", ".build/debug/runcast")
START_TIMEOUT = 20  # seconds until the program must listen
STOP_TIMEOUT = 20  # seconds from SIGTERM until it must be gone
LISTENING = re.compile(r"runcast: listening on (http://\S+:(\d+))/")


class Server:
    """`runcast serve` on a data directory of its own, on which it can be started again, at the same port.

    Its standard error is kept for the report of a failed test.
    """

    def __init__(self, *arguments, port=0, data_dir=None, before=()):
        """`before` goes before the program on the command line: another program that becomes this one."""
        self._temporary = None
        if data_dir is None and "memory" not in arguments:
            self._temporary = tempfile.TemporaryDirectory(prefix="runcast-", ignore_cleanup_errors=True)
            data_dir = self._temporary.name
        self.data_dir = data_dir
        self.port = port
        self.log = []
        # First, so that a test may name another.
        self._arguments = [*([] if data_dir is None else ["--data-dir", str(data_dir)]), *arguments]
        self._before = before
        self.start()

    def start(self):
        """Starts it, for the first time or again, and waits until it listens."""
        command = [*self._before, BINARY, "serve", "--port", str(self.port), *self._arguments]
        if not BINARY.exists():
            pytest.fail(f"There is no {BINARY}: swift build, or set RUNCAST_BINARY.")
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self._settled = threading.Event()
        self.url = None
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self._settled.wait(START_TIMEOUT)
        if self.url is None:
            self.process.kill()
            self._reader.join()
            pytest.fail(f"{command} does not listen; it printed: {''.join(self.log)}")

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line)
            if self.url is None and (match := LISTENING.search(line)):
                self.url, self.port = match[1], int(match[2])
                self._settled.set()
        self._settled.set()

    def stop(self):
        """Asks the program to stop and returns its exit status; a second call returns the same."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            pytest.fail(f"still there {STOP_TIMEOUT} s after SIGTERM: {''.join(self.log)}")
        self._reader.join()
        return status

    def kill(self):
        """Ends it as a crash would: it gets no chance to do anything."""
        self.process.kill()
        self.process.wait()
        self._reader.join()

    def start_again_after_kill(self):
        self.kill()
        self.start()

    def request(self, method, path, body=None, headers=None):
        """Returns (status, decoded JSON body or None)."""
        data = None if body is None else json.dumps(body).encode()
        headers = {**({} if body is None else {"Content-Type": "application/json"}), **(headers or {})}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        return status, json.loads(text) if text else None

    def get(self, path):
        status, body = self.request("GET", path)
        assert status == 200, (path, status, body)
        return body


def eventually(condition, timeout=20):
    """Calls `condition` until it returns something true, and returns that. Fails after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        if value := condition():
            return value
        assert time.monotonic() < deadline, f"not true within {timeout} s: {condition.__name__}"
        time.sleep(0.02)


@pytest.fixture(scope="session")
def server():
    """A server that all tests share, with a fast ticker. It must stop cleanly after all of them."""
    server = Server("--tick-interval", "50ms")
    yield server
    assert server.stop() == 0, "".join(server.log)


def starting_servers():
    """Starts servers of a test's own. Each must stop cleanly, unless the test has stopped it."""
    servers = []

    def start(*arguments, **options):
        servers.append(Server(*arguments, **options))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            assert server.stop() == 0, "".join(server.log)


start_server = pytest.fixture(starting_servers, name="start_server")
start_server_for_module = pytest.fixture(starting_servers, scope="module", name="start_server_for_module")
start_server_for_class = pytest.fixture(starting_servers, scope="class", name="start_server_for_class")


@pytest.fixture
def open_stream():
    """Opens streams with curl; those that still run when the test ends are killed."""
    from curl import Streams

    streams = Streams()
    yield streams
    streams.close()


@pytest.fixture
def jobs(server):
    """Starts jobs at the shared server; those that still run when the test ends are cancelled."""
    from jobs import Jobs

    jobs = Jobs(server.url)
    yield jobs
    jobs.close()


def launch_chromium(playwright):
    executable = os.environ.get("RUNCAST_CHROMIUM") or shutil.which("chromium")
    if executable is None:
        pytest.fail("There is no chromium: apt-get install chromium, or set RUNCAST_CHROMIUM.")
    # A browser that runs as root, as in a container, refuses its sandbox.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=executable, args=arguments)


@contextlib.contextmanager
def blank_tab(browser, url):
    """A tab of the server's origin without the page: for tests of the library alone."""
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(url + "/favicon.svg")
    yield tab
    context.close()


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, start_server):
    """Opens pages in browser contexts of their own; none may have had an error when the test ends.

    It builds on `start_server` so that the pages go before their servers.
    """
    from page_object import RuncastPage

    opened = []

    def open(url, path="/", has_manual_clock=False, **context_options):
        context = browser.new_context(**context_options)
        page = RuncastPage(context, url)
        opened.append((context, page))
        if has_manual_clock:
            page.tab.clock.install()
        return page.open(path)

    yield open
    for context, page in opened:
        context.close()
        assert page.problems == []


@pytest.fixture
def page(open_page, server):
    return open_page(server.url)
