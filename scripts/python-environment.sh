#!/bin/bash
# Makes .venv with exactly what Tests/live/requirements.txt asks for; nothing to do when it already holds that.
#
# The stamp names the requirements and the interpreter, so that a change of either makes a fresh environment.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=Tests/live/requirements.txt
stamp=.venv/made-from
wanted=$({ cat "$requirements"; python3 -c 'import sys; print(sys.version, sys.base_prefix)'; } | sha256sum)

if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi
rm -rf .venv
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
echo "$wanted" >"$stamp"
