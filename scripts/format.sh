#!/bin/bash
# Formats the Swift sources in place; with --check changes nothing and fails where they differ from .swift-format.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
    --check) mode=(lint --strict) ;;
    "") mode=(format --in-place) ;;
    *) echo "usage: $0 [--check]" >&2; exit 2 ;;
esac
exec swift format "${mode[@]}" --recursive --parallel Package.swift Sources Tests
