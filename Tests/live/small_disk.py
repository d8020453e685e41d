"""File systems of a test's own, small or failing, that only processes started by the test can see."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

MIB = 1 << 20


class Disk:
    """A mounted file system. It lasts as long as a process that holds it, so that a server on it can be killed.

    Root has a mount namespace of its own for it; others a user namespace besides (user_namespaces(7)), if they may.
    """

    def __init__(self, folder, mount):
        """`mount` is a shell command that mounts the file system at $DISK, an empty folder."""
        self.path = Path(folder) / "disk"
        self.path.mkdir()
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        script = f"({mount}) >&2 && echo mounted && exec cat"
        self.holder = subprocess.Popen(
            ["unshare", *user, "--mount", "sh", "-c", script],
            env={**os.environ, "DISK": str(self.path), "FOLDER": str(folder)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        if self.holder.stdout.readline() != "mounted\n":
            self.holder.wait()
            pytest.skip(f"a file system can't be mounted here: {self.holder.stderr.read()}")
        enter = ["nsenter", f"--target={self.holder.pid}", "--mount"]
        # With --wd: the working folder would else be the root of the namespace.
        self.entering = [*enter, *(["--user", "--preserve-credentials"] if user else []), f"--wd={ROOT}", "--"]

    def run(self, *command):
        """Runs a command that sees the file system; returns what it printed."""
        return subprocess.run([*self.entering, *command], check=True, capture_output=True, text=True).stdout

    def fill(self):
        """Leaves no byte free."""
        # The command fails in the end, that being what it is for.
        subprocess.run(
            [*self.entering, "dd", "if=/dev/zero", f"of={self.path}/filler", "bs=4k", "oflag=append", "conv=notrunc"],
            capture_output=True,
        )

    def make_room(self):
        self.run("rm", f"{self.path}/filler")

    def close(self):
        self.holder.stdin.close()
        self.holder.wait()


def tmpfs(folder, size):
    """In memory, of so many bytes."""
    return Disk(folder, f"mount -t tmpfs -o size={size} tmpfs $DISK")


def failing_ext4(folder, size):
    """A real file system in a file, that can be made to fail."""
    return Disk(
        folder,
        f"truncate -s {size} $FOLDER/image && mkfs.ext4 -q -F $FOLDER/image"
        " && mount -o loop,errors=remount-ro $FOLDER/image $DISK",
    )


def fail(disk):
    """The file system finds an error, and turns read-only with its files open (ext4(5), `abort`)."""
    disk.run("mount", "-o", "remount,abort", str(disk.path))


def repair(disk):
    """Mounts it anew: nothing may have a file of it open."""
    disk.run("umount", str(disk.path))
    disk.run("mount", "-o", "loop,errors=remount-ro", f"{disk.path.parent}/image", str(disk.path))
