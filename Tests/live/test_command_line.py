"""The program as it is started from a shell: its words, its exit codes, options and variables."""

import os
import re
import socket
import subprocess

import pytest
from conftest import ROOT, Server
from curl import curl

BINARY = ROOT / os.environ.get("RUNCAST_BINARY", ".build/debug/runcast")
OPTIONS_NEEDING_VALUES = re.compile(r"^  --([a-z-]+) ", re.M)


def runcast(*arguments, variables=None, folder=ROOT):
    """Runs the program, which must end by itself; returns its exit code and both of its outputs."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RUNCAST_")}
    done = subprocess.run(
        [BINARY, *arguments], cwd=folder, env={**environment, **(variables or {})},
        capture_output=True, text=True, timeout=20,
    )
    return done.returncode, done.stdout, done.stderr


def complaint(*arguments, status=2, **how):
    """The one line with which the program refuses to start."""
    code, output, errors = runcast(*arguments, **how)
    assert (code, output) == (status, ""), (code, output, errors)
    (line,) = errors.splitlines()
    return re.fullmatch(r"runcast: error: (\S.*)", line)[1]


class TestHelp:
    @pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"], ["health", "--help"]])
    def test_the_overview(self, arguments):
        code, output, errors = runcast(*arguments)
        assert (code, errors) == (0, "")
        assert "runcast serve" in output and "runcast health" in output and "--version" in output

    @pytest.mark.parametrize("arguments", [["serve", "--help"], ["serve", "-h"], ["serve", "--port", "1", "--help"]])
    def test_every_option_has_its_line_with_its_default(self, arguments):
        code, output, errors = runcast(*arguments)
        assert (code, errors) == (0, "")
        named = OPTIONS_NEEDING_VALUES.findall(output)
        wanted = {"host", "port", "public", "data-dir", "tick-interval", "workers", "max-subscriptions"}
        assert wanted <= set(named) and len(named) == len(set(named))
        assert "(8080)" in output and "RUNCAST_PORT" in output
        assert max(len(line) for line in output.splitlines()) <= 100

    @pytest.mark.parametrize("argument", ["--version", "-V", "version"])
    def test_the_version(self, argument):
        code, output, errors = runcast(argument)
        assert (code, errors) == (0, "") and re.fullmatch(r"runcast \d+\.\d+\.\d+\n", output)

    def test_the_image_and_the_program_agree_on_the_port(self):
        assert "EXPOSE 8080" in (ROOT / "Dockerfile").read_text()


class TestComplaints:
    def test_no_command(self):
        assert "runcast serve" in complaint()

    def test_an_unknown_command(self):
        assert '"srve"' in complaint("srve") and "--help" in complaint("srve")

    @pytest.mark.parametrize("arguments", [["--prot", "1"], ["--prot=1"], ["-p", "1"], ["8080"], ["--"]])
    def test_an_unknown_option(self, arguments):
        assert f'"{arguments[0]}"' in complaint("serve", *arguments)
        assert f'"{arguments[0]}"' in complaint("health", *arguments)

    def test_an_option_without_its_value(self):
        named = OPTIONS_NEEDING_VALUES.findall(runcast("serve", "--help")[1])
        for name in named:
            assert complaint("serve", f"--{name}") == f"--{name} takes a value"

    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("port", "http"), ("port", "-1"), ("port", "65536"), ("port", ""), ("port", "80 80"), ("port", "1e3"),
            ("tick-interval", "0"), ("tick-interval", "fast"), ("tick-interval", "-2s"), ("tick-interval", "2 s"),
            ("tick-interval", "2d"), ("tick-interval", "999999h"), ("tick-interval", "nan"), ("tick-interval", ""),
            ("workers", "0"), ("workers", "many"), ("workers", "99999999999999999999"),
            ("max-subscriptions", "0"), ("max-body", "1T"), ("max-body", "-1"), ("max-body", "99999G"),
            ("max-header", "1"), ("heartbeat", "1ms"), ("log-events", "0"), ("drain-timeout", "0"),
            ("allowed-origin", "example.org"), ("allowed-origin", "https://example.org/path"),
            ("allowed-origin", "https://"), ("host", ""), ("allowed-host", "http://example.org"),
            ("allowed-host", "example.org:8080"), ("stream-compression", "gzip"), ("stream-compression", ""),
        ],
    )
    def test_a_bad_value_is_named_with_what_is_expected(self, option, value):
        for form in ([f"--{option}", value], [f"--{option}={value}"]):
            line = complaint("serve", "--port", "0", *form)
            assert line.startswith(f"--{option} takes ") and f'"{value}"' in line

    def test_a_bad_value_of_a_variable_names_the_variable(self):
        line = complaint("serve", variables={"RUNCAST_TICK_INTERVAL": "soon"})
        assert line.startswith("RUNCAST_TICK_INTERVAL takes ")

    def test_a_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            line = complaint("serve", "--port", str(port), status=1)
        assert str(port) in line and "--port" in line

    @pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1", "127.0.0.1:80"])
    def test_a_host_that_is_not_here(self, host):
        line = complaint("serve", "--port", "0", "--host", host, status=1)
        assert host in line and "--host" in line

    def test_no_page_where_it_is_looked_for(self, tmp_path):
        line = complaint("serve", "--port", "0", folder=tmp_path, status=1)
        assert "Public" in line and "--public" in line

    def test_a_folder_that_is_not_there_or_not_a_folder(self, tmp_path):
        file = tmp_path / "file"
        file.write_text("")
        for path in (tmp_path / "missing", file):
            line = complaint("serve", "--port", "0", "--public", str(path), status=1)
            assert str(path) in line and "--public" in line

    def test_a_folder_without_a_page(self, tmp_path):
        line = complaint("serve", "--port", "0", "--public", str(tmp_path), status=1)
        assert str(tmp_path) in line and "index.html" in line

    def test_a_data_folder_that_cannot_be_used(self, tmp_path):
        file = tmp_path / "file"
        file.write_text("")
        for path in (file, file / "below"):
            line = complaint("serve", "--port", "0", "--data-dir", str(path), status=1)
            assert str(path) in line and "--data-dir" in line


class TestOptions:
    @pytest.fixture
    def run(self, monkeypatch):
        servers = []

        def start(*arguments, **variables):
            for name, value in variables.items():
                monkeypatch.setenv(name, value)
            servers.append(Server(*arguments))
            return servers[-1]

        yield start
        for server in servers:
            assert server.stop() == 0

    def body_bound(self, server):
        """The largest of these bodies that the server takes."""
        sizes = [size for size in (100, 2_000, 5_000) if self.takes(server, size)]
        return max(sizes)

    def takes(self, server, size):
        body = ["-H", "Content-Type: application/json", "--data", '{"data":"' + "x" * size + '"}']
        return curl(f"{server.url}/v1/streams/news", *body).status in (200, 201)

    def test_a_variable_sets_what_an_option_sets(self, run):
        assert self.body_bound(run(RUNCAST_MAX_BODY="3000")) == 2_000

    def test_an_option_wins_over_a_variable(self, run):
        assert self.body_bound(run("--max-body=1K", RUNCAST_MAX_BODY="3000")) == 100

    def test_an_empty_variable_is_as_good_as_none(self, run):
        assert self.body_bound(run(RUNCAST_MAX_BODY="")) == 5_000

    def test_the_last_of_two_wins(self, run):
        assert self.body_bound(run("--max-body", "1K", "--max-body", "3000")) == 2_000

    def test_a_data_folder_is_made(self, run, tmp_path):
        run("--data-dir", str(tmp_path / "data"))
        assert (tmp_path / "data").is_dir()

    def test_few_open_files_lower_the_bounds_instead_of_forbidding_the_start(self, open_stream):
        command = f'ulimit -n 256; exec "{BINARY}" serve --port 0 --store memory --tick-interval 20ms'
        process = subprocess.Popen(["bash", "-c", command], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        try:
            lines = []
            while not (lines and "listening on" in lines[-1]):
                lines.append(process.stderr.readline())
                assert lines[-1], lines
            assert any("ulimit -n" in line for line in lines)
            url = re.search(r"http://\S+:\d+", lines[-1])[0]
            assert open_stream(f"{url}/v1/streams/ticks").next_of("tick")
        finally:
            process.terminate()
            assert process.wait(20) == 0


class TestHealth:
    def test_a_server_that_is_ready(self, server):
        assert runcast("health", "--port", str(server.port)) == (0, "", "")
        assert runcast("health", variables={"RUNCAST_PORT": str(server.port)}) == (0, "", "")

    def test_a_server_on_every_address(self, start_server):
        server = start_server("--host", "0.0.0.0")
        assert runcast("health", "--host", "0.0.0.0", "--port", str(server.port))[0] == 0

    def test_no_server(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = str(unused.getsockname()[1])
            assert port in complaint("health", "--port", port, status=1)

    def test_something_that_is_no_ready_server(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = str(listener.getsockname()[1])
            process = subprocess.Popen([BINARY, "health", "--port", port], stderr=subprocess.PIPE, text=True)
            connection, _ = listener.accept()
            with connection:
                connection.recv(4_096)
                connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
                assert process.wait(20) == 1
        assert "not ready" in process.stderr.read()
