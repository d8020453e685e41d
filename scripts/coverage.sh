#!/bin/bash
# Runs the Swift tests with coverage and prints, per file of Sources, how much of it they reach.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=.build/coverage
swift test --enable-code-coverage --scratch-path "$scratch"
products=$(swift build --scratch-path "$scratch" --show-bin-path)
"$(scripts/toolchain-bin.sh)/llvm-cov" report "$products/runcastPackageTests.xctest" \
    -instr-profile="$products/codecov/default.profdata" Sources
