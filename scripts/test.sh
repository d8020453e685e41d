#!/bin/bash
# Everything a change must pass, in the order in which a mistake shows soonest. Stops at the first failure.
#
# Leaves the machine as it was but for the packages it installs, .build and .venv; may be repeated.
set -euo pipefail
cd "$(dirname "$0")/.."

current=
report_failure() {
    [ "$1" -eq 0 ] || echo "FAILED after $SECONDS s: $current (exit $1)" >&2
}
trap 'report_failure $?' EXIT

# Runs a command as a named step and says how long it took.
step() {
    current=$1
    shift
    local began=$SECONDS
    printf '\n== %s\n' "$current"
    "$@"
    printf -- '-- %s: %d s\n' "$current" $((SECONDS - began))
}

live_tests() {
    RUNCAST_BINARY=$(swift build --show-bin-path)/runcast
    export RUNCAST_BINARY
    .venv/bin/python -m pytest -q Tests/live
}

step "packages" scripts/install-packages.sh test
step "python environment" scripts/python-environment.sh
step "format" scripts/format.sh --check
step "build" swift build --build-tests
step "swift test" swift test --skip-build
step "benchmark rig tests" .venv/bin/python -m pytest -q Benchmarks/tests
step "live tests" live_tests
current="done"

printf '\nAll passed in %d s\n' "$SECONDS"
