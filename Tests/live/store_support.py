"""Whether the program under test has a durable store."""

import functools
import os
import subprocess

import pytest
from conftest import ROOT


@functools.cache
def has_store():
    binary = os.environ.get("RUNCAST_BINARY", ".build/debug/runcast")
    return "--durability" in subprocess.run([ROOT / binary, "serve", "--help"], capture_output=True, text=True).stdout


needs_store = pytest.mark.skipif(not has_store(), reason="the program has no durable store")
