#!/bin/bash
# Builds what the benchmark needs, then measures; the arguments are those of Benchmarks/rig.
#
#   scripts/bench.sh --quick
#   scripts/bench.sh --only broadcast crowd
set -euo pipefail
cd "$(dirname "$0")/.."

environment=.build/bench/environment

scripts/install-packages.sh bench
scripts/python-environment.sh "$environment" Benchmarks/requirements.txt
make --no-print-directory --silent -C Benchmarks/load
if [ -z "${RUNCAST_BINARY:-}" ]; then
    swift build -c release --product runcast
    RUNCAST_BINARY=$(swift build -c release --show-bin-path)/runcast
    export RUNCAST_BINARY
fi
exec "$environment/bin/python" Benchmarks/rig "$@"
