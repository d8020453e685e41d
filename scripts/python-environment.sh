#!/bin/bash
# Makes a virtual environment with exactly what a list asks for; nothing to do when it already holds that.
#
#   scripts/python-environment.sh [FOLDER REQUIREMENTS]     (.venv Tests/live/requirements.txt)
#
# The stamp names the requirements and the interpreter, so that a change of either makes a fresh environment.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-.venv}
requirements=${2:-Tests/live/requirements.txt}
stamp=$folder/made-from
wanted=$({ cat "$requirements"; python3 -c 'import sys; print(sys.version, sys.base_prefix)'; } | sha256sum)

if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi
rm -rf "$folder"
python3 -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
echo "$wanted" >"$stamp"
