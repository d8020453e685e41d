"""What the figures were measured on: hardware, kernel, and the version of everything that took part."""

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess

PYTHON_PACKAGES = ("sse-starlette", "starlette", "uvicorn", "uvloop", "httptools", "matplotlib")


def description(root, runcast):
    """A dictionary for the results' JSON; `root` is the checkout, `runcast` the measured program."""
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memoryMiB": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "distribution": platform.freedesktop_os_release().get("PRETTY_NAME", "unknown"),
        "descriptors": descriptors(),
        "commit": commit(root, runcast),
        "versions": versions(runcast),
    }


def processor():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def descriptors():
    """How many files one process may have open."""
    import resource

    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def commit(root, runcast):
    """What the measured program was built from, as far as that is known."""
    if not runcast.is_relative_to(root / ".build"):
        return "another build"
    return output_of("git", "-C", str(root), "describe", "--always", "--dirty")


def versions(runcast):
    found = {
        "runcast": output_of(str(runcast), "--version").removeprefix("runcast "),
        "swift": first_match(r"Swift version (\S+)", output_of("swift", "--version")),
        "gcc": output_of("gcc", "-dumpfullversion"),
        "nginx": first_match(r"nginx/(\S+)", output_of("nginx", "-v")),
        "nchan": output_of("dpkg-query", "--show", "--showformat=${Version}", "libnginx-mod-nchan"),
        "node": output_of("node", "--version").removeprefix("v"),
        "wrk": first_match(r"wrk (?:debian/)?(\S+)", output_of("wrk", "-v")),
        "redis": first_match(r"v=(\S+)", output_of("redis-server", "--version")),
        "python": platform.python_version(),
    }
    for package in PYTHON_PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = ""
    return {name: version for name, version in found.items() if version}


def output_of(*command):
    """What a command prints, on either stream; nothing if there is no such command."""
    # Debian keeps nginx where only root's PATH looks.
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    program = shutil.which(command[0], path=path)
    if program is None:
        return ""
    done = subprocess.run(
        [program, *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30
    )
    return done.stdout.strip()


def first_match(pattern, text):
    match = re.search(pattern, text)
    return match[1] if match else ""
