"""The data directory: one server at a time, and nothing is overwritten that is not its own."""

import hashlib
import re
import sqlite3
import subprocess

import pytest
from conftest import BINARY, Server
from curl import curl, post
from jobs import Jobs
from small_disk import MIB, tmpfs
from test_command_line import complaint

MAGIC = b"SQLite format 3\0"


def serve(folder):
    """The line with which a server on this data directory refuses to start."""
    return complaint("serve", "--port", "0", "--data-dir", str(folder), status=1)


def digests(folder):
    """Of all that has bytes, without what SQLite makes anew for each who opens a database (sqlite.org/walformat.html)."""
    files = [file for file in folder.iterdir() if file.name != "lock" and not file.name.endswith("-shm")]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.stat().st_size}


@pytest.fixture
def directory(tmp_path, start_server):
    """A data directory with a finished job and an event, whose server has stopped."""
    folder = tmp_path / "data"
    server = start_server(data_dir=folder)
    jobs = Jobs(server.url)
    jobs.wait_until_over(jobs.start(4).json)
    post(f"{server.url}/v1/streams/news", {"data": "kept"})
    assert server.stop() == 0
    return folder


@pytest.fixture
def database(directory):
    (path,) = [file for file in directory.iterdir() if file.read_bytes()[:16] == MAGIC]
    return path


def test_a_second_server_is_refused_and_the_first_goes_on(start_server, open_stream):
    first = start_server("--tick-interval", "20ms")
    stream = open_stream(f"{first.url}/v1/streams/ticks")
    stream.next_of("tick")
    line = serve(first.data_dir)
    assert str(first.data_dir) in line and str(first.process.pid) in line and "--data-dir" in line
    stream.next_of("tick")
    assert post(f"{first.url}/v1/streams/news", {"data": 1}).status == 201


def test_a_second_server_may_start_when_the_first_was_killed(start_server):
    first = start_server()
    post(f"{first.url}/v1/streams/news", {"data": 1})
    first.kill()
    second = Server(data_dir=first.data_dir)
    assert curl(f"{second.url}/v1/streams?prefix=news").json["total"] == 1
    assert second.stop() == 0


class TestRefused:
    def test_a_file_that_is_no_database(self, directory, database):
        database.write_bytes(b"Dear diary,\n" * 1_000)
        before = digests(directory)
        assert str(directory) in serve(directory)
        assert digests(directory) == before

    def test_an_empty_file(self, directory, database):
        database.write_bytes(b"")
        before = digests(directory)
        assert str(directory) in serve(directory)
        assert digests(directory) == before

    @pytest.mark.parametrize("share", [0.9, 0.5, 0.001])
    def test_a_database_that_was_cut_short(self, directory, database, share):
        whole = database.read_bytes()
        database.write_bytes(whole[: int(len(whole) * share)])
        before = digests(directory)
        assert str(directory) in serve(directory)
        assert digests(directory) == before

    def test_a_database_with_pages_overwritten(self, directory, database):
        whole = bytearray(database.read_bytes())
        whole[100:] = b"\xa5" * (len(whole) - 100)
        database.write_bytes(whole)
        before = digests(directory)
        assert str(directory) in serve(directory)
        assert digests(directory) == before

    def test_a_database_of_another_program(self, directory, database):
        database.unlink()
        with sqlite3.connect(database) as other:
            other.execute("CREATE TABLE bookmarks (url TEXT)")
        other.close()
        before = digests(directory)
        assert "another program" in serve(directory)
        assert digests(directory) == before

    def test_a_database_of_a_newer_version(self, directory, database):
        newer = sqlite3.connect(database)
        newer.execute("PRAGMA user_version = 1000")
        newer.close()
        before = digests(directory)
        assert "newer" in serve(directory)
        assert digests(directory) == before

    def test_a_folder_where_the_database_should_be(self, directory, database):
        database.unlink()
        database.mkdir()
        assert str(database) in serve(directory)

    def test_a_directory_that_cannot_be_written(self, tmp_path, start_server):
        disk = tmpfs(tmp_path, 8 * MIB)
        try:
            server = Server(data_dir=disk.path / "data", before=disk.entering)
            post(f"{server.url}/v1/streams/news", {"data": 1})
            server.kill()
            disk.run("mount", "-o", "remount,ro", str(disk.path))
            done = subprocess.run(
                [*disk.entering, BINARY, "serve", "--port", "0", "--data-dir", disk.path / "data"],
                capture_output=True, text=True, timeout=20,
            )
            assert (done.returncode, done.stdout) == (1, "")
            (line,) = done.stderr.splitlines()
            assert re.match(r"runcast: error: .*[Rr]ead-only", line) and str(disk.path) in line
            disk.run("mount", "-o", "remount,rw", str(disk.path))
            server.start()
            assert curl(f"{server.url}/v1/streams?prefix=news").json["total"] == 1
            assert server.stop() == 0
        finally:
            disk.close()


def test_a_database_survives_a_torn_write_ahead_log(tmp_path, start_server):
    """As a loss of power may leave it: the newest commit is cut in half, and is as if it had not been."""
    folder = tmp_path / "data"
    server = start_server(data_dir=folder)
    for number in range(20):
        post(f"{server.url}/v1/streams/news", {"data": number})
    server.kill()
    (log,) = folder.glob("*-wal")
    log.write_bytes(log.read_bytes()[:-1_000])
    server.start()
    published = curl(f"{server.url}/v1/streams?prefix=news").json["streams"][0]["published"]
    assert 1 <= published < 20
    assert post(f"{server.url}/v1/streams/news", {"data": "next"}).status == 200
