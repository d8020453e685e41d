"""runcast doctor, export and import: looking into a data directory, and moving it."""

import json
import re
import subprocess

import pytest
from conftest import BINARY
from curl import curl, post
from jobs import Jobs
from test_command_line import complaint, runcast
from test_data_directory import directory  # noqa: F401  (a fixture)


def export(folder):
    code, output, errors = runcast("export", "--data-dir", str(folder))
    assert (code, errors) == (0, ""), errors
    return output


def import_into(folder, lines):
    """The exit code and what was said."""
    done = subprocess.run(
        [BINARY, "import", "--data-dir", str(folder)], input=lines, capture_output=True, text=True, timeout=20
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


class TestDoctor:
    def test_it_tells_what_is_there(self, directory):  # noqa: F811
        code, output, errors = runcast("doctor", "--data-dir", str(directory))
        assert (code, errors) == (0, "")
        assert output.startswith(f"{directory}: sound\n")
        assert re.search(r"^  used by +nobody$", output, re.M)
        assert re.search(r"^  jobs +1: 1 succeeded$", output, re.M)
        assert re.search(r"^    news +1 events, \d+ B, of 1 published, ", output, re.M)

    def test_for_programs_it_is_json(self, directory):  # noqa: F811
        code, output, errors = runcast("doctor", "--json", variables={"RUNCAST_DATA_DIR": str(directory)})
        assert (code, errors) == (0, "")
        report = json.loads(output)
        assert report["isSound"] and report["problems"] == [] and "holder" not in report
        assert report["jobs"] == {"succeeded": 1}
        assert [topic["name"] for topic in report["openTopics"]] == ["news"]

    def test_it_looks_beside_a_running_server(self, start_server):
        server = start_server()
        post(f"{server.url}/v1/streams/news", {"data": 1})
        code, output, _ = runcast("doctor", "--json", "--data-dir", str(server.data_dir))
        report = json.loads(output)
        assert code == 0 and report["holder"] == server.process.pid
        assert report["openTopics"][0]["events"] == 1
        assert post(f"{server.url}/v1/streams/news", {"data": 2}).status == 200

    def test_it_fails_where_there_is_nothing_to_look_into(self, tmp_path):
        assert str(tmp_path) in complaint("doctor", "--data-dir", str(tmp_path), status=1)
        assert list(tmp_path.iterdir()) == []

    def test_it_fails_where_something_is_wrong(self, directory):  # noqa: F811
        path = directory / "runcast.db"
        content = bytearray(path.read_bytes())
        for offset in range(len(content) // 2, len(content), 512):
            content[offset] ^= 0xFF
        path.write_bytes(content)
        code, output, errors = runcast("doctor", "--data-dir", str(directory))
        assert code == 1 and ("WRONG" in output or "error" in errors)


class TestMoving:
    def test_streams_go_on_in_another_directory_where_they_were(self, directory, start_server, tmp_path):  # noqa: F811
        lines = export(directory)
        copy = tmp_path / "copy"
        code, said = import_into(copy, lines)
        assert code == 0 and f"imported {lines.count(chr(10))} lines into {copy}" in said
        again = export(copy)
        assert again.splitlines()[1:] == lines.splitlines()[1:]
        headers = [json.loads(text.splitlines()[0])["export"] for text in (lines, again)]
        assert headers[1] == {**headers[0], "position": headers[0]["position"] + 2**32}
        old = start_server(data_dir=directory)
        (job,) = curl(f"{old.url}/v1/jobs").json["jobs"]
        (news,) = curl(f"{old.url}/v1/streams?prefix=news").json["streams"]
        old.stop()
        new = start_server(data_dir=copy)
        assert curl(f"{new.url}/v1/jobs").json["jobs"] == [job]
        post(f"{new.url}/v1/streams/news", {"data": "next"})
        resume = f"Last-Event-ID: {news['lastEventID']}"
        resumed = curl(f"{new.url}/v1/streams/news?policy=all&limit=1", "-N", "-H", resume).body
        assert 'data: next' in resumed and "gap" not in resumed

    def test_who_saw_more_than_was_exported_misses_nothing_new(self, directory, start_server, tmp_path):  # noqa: F811
        lines = export(directory)
        old = start_server(data_dir=directory)
        for number in range(5):
            post(f"{old.url}/v1/streams/news", {"data": number})
        (news,) = curl(f"{old.url}/v1/streams?prefix=news").json["streams"]
        old.stop()
        copy = tmp_path / "copy"
        assert import_into(copy, lines)[0] == 0
        new = start_server(data_dir=copy)
        post(f"{new.url}/v1/streams/news", {"data": "next"})
        resume = f"Last-Event-ID: {news['lastEventID']}"
        resumed = curl(f"{new.url}/v1/streams/news?policy=all&limit=1", "-N", "-H", resume).body
        assert "data: next" in resumed and "gap" not in resumed

    def test_a_directory_in_use_can_be_exported(self, start_server, tmp_path):
        server = start_server()
        jobs = Jobs(server.url)
        jobs.wait_until_over(jobs.start(4).json)
        assert import_into(tmp_path / "copy", export(server.data_dir))[0] == 0

    def test_what_is_there_is_not_overwritten(self, directory):  # noqa: F811
        lines = export(directory)
        before = (directory / "runcast.db").read_bytes()
        code, said = import_into(directory, lines)
        assert code == 1 and "is there already" in said
        assert (directory / "runcast.db").read_bytes() == before

    @pytest.mark.parametrize("keep", [0, 1, 2, 5])
    def test_an_export_that_was_cut_short_is_refused(self, directory, tmp_path, keep):  # noqa: F811
        lines = "".join(export(directory).splitlines(keepends=True)[:keep])
        code, said = import_into(tmp_path / "copy", lines)
        assert code == 1 and "cut short" in said
        assert [file.name for file in (tmp_path / "copy").iterdir()] == ["lock"]

    def test_a_directory_in_use_is_not_imported_into(self, start_server):
        server = start_server()
        code, said = import_into(server.data_dir, "")
        assert code == 1 and str(server.process.pid) in said


@pytest.mark.parametrize("command", ["doctor", "export", "import"])
def test_other_options_are_refused(command):
    assert "--port" in complaint(command, "--port", "1")

