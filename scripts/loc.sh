#!/bin/bash
# Prints per module: files, lines that are neither blank nor only a comment, the median and the longest file (all lines).
set -euo pipefail
cd "$(dirname "$0")/.."

# $1: what to print as the name; then the files.
count() {
    local name=$1
    shift
    [ $# -gt 0 ] || return 0
    local code median longest
    code=$(cat "$@" | grep -cvE '^[[:space:]]*(//|#( |!|$)|/?\*( |/|\*|$)|$)' || true)
    mapfile -t lengths < <(for file in "$@"; do wc -l <"$file"; done | sort -n)
    median=${lengths[$((${#lengths[@]} / 2))]}
    longest=${lengths[-1]}
    printf '%-28s %5d %7d %7d %8d\n' "$name" $# "$code" "$median" "$longest"
}

shopt -s globstar nullglob
printf '%-28s %5s %7s %7s %8s\n' module files code median longest
for folder in Sources/*/ Tests/*/ Public/ Benchmarks/*/ scripts/; do
    count "${folder%/}" "$folder"**/*.{swift,c,h,modulemap,py,sh,html,css,js,mjs}
done
count total {Sources,Tests,Public,Benchmarks,scripts}/**/*.{swift,c,h,modulemap,py,sh,html,css,js,mjs}
