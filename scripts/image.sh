#!/bin/bash
# Builds the container image under the name given (default: runcast), with whichever builder is here.
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:-runcast}
labels=(
    --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)"
    --build-arg "VERSION=$(git describe --tags --always --dirty 2>/dev/null || echo unknown)"
)

if docker info >/dev/null 2>&1; then
    exec docker build "${labels[@]}" --tag "$name" .
elif command -v podman >/dev/null; then
    # Docker's format: OCI's has no place for the health check.
    exec podman build --format docker "${labels[@]}" --tag "$name" .
elif command -v buildah >/dev/null; then
    exec buildah build --format docker "${labels[@]}" --tag "$name" .
fi
echo "image: needs docker (with its daemon running), podman or buildah" >&2
exit 1
