"""A server whose every word a test dictates, for what the real one never does: late and stale events,
broken streams. It serves the page's files, so that the page under test is the real one."""

import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
WAIT = 20  # seconds that a test waits for a request


class Exchange:
    """One request that waits for the test's answer."""

    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body
        self._pieces = queue.Queue()
        self.left = threading.Event()

    def answer(self, status, body=None, **headers):
        """A complete answer; `body` is sent as JSON."""
        payload = b"" if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Content-Length": len(payload), **headers}
        self._pieces.put((status, headers, payload))
        self._pieces.put(None)

    def stream(self, text=""):
        """The head of an event stream and its first bytes; `send` and `finish` follow."""
        self._pieces.put((200, {"Content-Type": "text/event-stream"}, text.encode()))

    def send(self, text):
        self._pieces.put(text.encode())

    def finish(self):
        self._pieces.put(None)

    def write_to(self, handler):
        status, headers, payload = self._pieces.get()
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), str(value))
        handler.end_headers()
        while payload is not None:
            handler.wfile.write(payload)
            payload = self._next_piece(handler)

    def _next_piece(self, handler):
        """Meanwhile it notices that the client has left."""
        handler.connection.settimeout(0.02)
        while True:
            try:
                return self._pieces.get_nowait()
            except queue.Empty:
                pass
            try:
                if handler.connection.recv(1) == b"":
                    self.left.set()
                    return None
            except TimeoutError:
                pass
            except ConnectionError:
                self.left.set()
                return None


class ScriptedServer:
    """Files come from `public`; any other request goes to the test, which takes them by `expect`.

    `answers` maps a method and path to a fixed JSON body, for what doesn't matter to the test.
    """

    def __init__(self, public, answers=None):
        self.answers = answers or {}
        self._waiting = {}
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server._respond(self, Path(public))

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def stop(self):
        self._http.shutdown()
        self._http.server_close()

    def expect(self, method, path):
        """The next request for this path, as soon as there is one."""
        return self._queue(method, path).get(timeout=WAIT)

    def has_request(self, method, path):
        return not self._queue(method, path).empty()

    def _queue(self, method, path):
        with self._lock:
            return self._waiting.setdefault((method, path), queue.Queue())

    def _respond(self, handler, public):
        path = urlsplit(handler.path).path
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        exchange = Exchange(handler.command, handler.path, handler.headers, body)
        file = public / (path.lstrip("/") or "index.html")
        if handler.command == "GET" and file.suffix in TYPES and file.is_file():
            handler.send_response(200)
            handler.send_header("Content-Type", TYPES[file.suffix])
            handler.end_headers()
            handler.wfile.write(file.read_bytes())
            return
        fixed = self.answers.get((handler.command, path))
        if fixed is not None:
            exchange.answer(200, fixed)
        else:
            self._queue(handler.command, path).put(exchange)
        exchange.write_to(handler)


def event(name, data, id=None):
    """One event as text."""
    return (f"id: {id}\n" if id else "") + f"event: {name}\ndata: {json.dumps(data)}\n\n"
