"""schemathesis reads openapi.json and calls what it describes, rightly and wrongly: nothing may differ from it."""

import subprocess
import sys
from pathlib import Path

from openapi_spec_validator import validate
from test_openapi import description  # noqa: F401, a fixture

SEED = 20_260_101
EXAMPLES = 5  # random ones for each operation, besides one for each bound and kind of mistake
# Not the one that takes a valid request for one that must succeed: what a kind takes is not in the document.
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance,unsupported_method,negative_data_rejection"
)


def schemathesis(server, folder, *arguments):
    command = [
        Path(sys.executable).with_name("schemathesis"), "run", f"{server.url}/openapi.json", "--url", server.url,
        "--checks", CHECKS, "--seed", str(SEED), "--generation-deterministic", "--no-color", *arguments,
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[:10_000]
    return done.stdout


def test_the_document_is_valid_openapi(description):  # noqa: F811
    validate(description.document)


def test_answers_to_right_and_wrong_requests_are_as_documented(start_server, tmp_path):
    server = start_server("--drain-timeout", "2s")
    # Streams that do not end are left to the other tests: each would last until the time for a request is up.
    report = schemathesis(
        server, tmp_path, "--phases", "coverage,fuzzing", "--max-examples", str(EXAMPLES),
        "--exclude-operation-id-regex", "^watch", "--request-timeout", "5",
    )
    assert "No issues found" in report or " passed" in report


def test_streams_are_as_documented(start_server, tmp_path):
    server = start_server("--tick-interval", "20ms")
    report = schemathesis(
        server, tmp_path, "--phases", "examples,fuzzing", "--max-examples", "2",
        "--include-operation-id-regex", "^watch(Stream|Streams)$", "--request-timeout", "1",
    )
    assert " passed" in report
