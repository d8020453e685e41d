#!/bin/bash
# Proves that the Dockerfile builds, and that what it builds runs, serves and stops as a container should.
#
# With docker or podman the image comes from the registry's base images; without them, and without any
# registry, Debian's buildah builds it on stand-ins made by debootstrap (needs root). Force one by
# IMAGE_TEST_ENGINE=docker|podman|buildah.
#
# An engine (scripts/image-test/*.sh) defines:
#   prepare           makes the base images available
#   build NAME        builds the Dockerfile
#   config NAME       prints the image's configuration: a JSON object with User, Env, StopSignal, ...
#   describe_sizes NAME
#   start NAME        runs it detached: read-only but for the data volume, no capability, no new privileges
#   inside CMD...     runs a command in the running container, with the image's user and environment
#   host_curl ARGS... curl with the container's port 8080 reachable at $base_url
#   server_uid        prints the user id under which the server runs
#   logs              prints what the server wrote
#   terminate         sends the stop signal, waits, sets $exit_code
#   discard           removes whatever `prepare`, `build` and `start` left behind
set -euo pipefail
cd "$(dirname "$0")/.."

image=localhost/runcast-image-test
workspace=$(mktemp -d "${TMPDIR:-/tmp}/runcast-image-test.XXXXXX")
# Seconds that the server may take to become ready and to stop.
start_limit=30
stop_limit=30
# Set by the engine.
base_url='' exit_code=''

engine=${IMAGE_TEST_ENGINE:-}
if [ -z "$engine" ]; then
    if docker info >/dev/null 2>&1; then
        engine=docker
    elif command -v podman >/dev/null; then
        engine=podman
    else
        engine=buildah
    fi
fi
case $engine in
    docker | podman) engine_file=docker.sh ;;
    buildah) engine_file=buildah.sh ;;
    *) echo "image-test: unknown engine $engine" >&2; exit 2 ;;
esac
# shellcheck source=scripts/image-test/buildah.sh
source "scripts/image-test/$engine_file"

finish() {
    local status=$?
    if [ $status -ne 0 ]; then
        echo "FAILED (exit $status)" >&2
        logs >&2 || true
    fi
    discard
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM

fail() {
    echo "image-test: $*" >&2
    exit 1
}

passed() { echo "ok: $*"; }

# Prints one member of the image's configuration as JSON text with sorted keys.
setting() {
    config "$image" | python3 -c '
import json, sys
print(json.dumps(json.load(sys.stdin).get(sys.argv[1]), sort_keys=True))' "$1"
}

expect_setting() {
    local actual
    actual=$(setting "$1")
    [ "$actual" = "$2" ] || fail "the image's $1 is $actual, not $2"
    passed "the image's $1 is $2"
}

wait_until_ready() {
    local deadline=$((SECONDS + start_limit))
    until host_curl --fail --silent --output /dev/null --max-time 2 "$base_url/readyz"; do
        [ $SECONDS -lt $deadline ] || fail "not ready within $start_limit s"
        sleep 0.1
    done
    passed "ready"
}

# $1: what is expected; $2: a pattern that the answer must contain; then curl's arguments.
expect_answer() {
    local what=$1 pattern=$2 answer
    shift 2
    answer=$(host_curl --fail --silent --show-error --max-time 15 "$@") || fail "no answer: $what"
    grep -q -e "$pattern" <<<"$answer" || fail "$what: unexpected answer: $answer"
    passed "$what"
}

echo "== $engine: base images"
prepare
echo "== build"
build "$image"
describe_sizes "$image"

echo "== configuration"
expect_setting User '"10001:10001"'
expect_setting StopSignal '"SIGTERM"'
expect_setting ExposedPorts '{"8080/tcp": {}}'
expect_setting Volumes '{"/var/lib/runcast": {}}'
[[ $(setting Healthcheck) == *'"Test": ["CMD", "runcast", "health"]'* ]] || fail "no health check"
passed "it has a health check"

echo "== run"
start "$image"
wait_until_ready
uid=$(server_uid)
[ "$uid" = 10001 ] || fail "the server runs as user $uid"
passed "the server runs as user $uid"
# shellcheck disable=SC2016  # the container's shell expands it
inside sh -c 'test -w "$RUNCAST_DATA_DIR"' || fail "the data volume is not writable"
passed "the data volume is writable"
! inside sh -c 'echo x >/usr/share/runcast/Public/x' 2>/dev/null || fail "the page's folder is writable"
passed "the page's folder is not writable"
inside runcast health || fail "the health check fails"
passed "the health check passes"
expect_answer "the page is served" '<title>' "$base_url/"
expect_answer "a tick arrives" '"square":' --no-buffer "$base_url/v1/streams/ticks?limit=1"
expect_answer "a job computes" '6\.14626436994197' \
    --header 'Content-Type: application/json' --header 'Accept: text/event-stream' \
    --data '{"kind":"square-root-sum","input":{"terms":4}}' "$base_url/v1/jobs"

echo "== stop"
began=$SECONDS
terminate
[ "$exit_code" = 0 ] || fail "the stop signal ended the server with exit code $exit_code"
passed "the stop signal ended it with exit code 0 within $((SECONDS - began + 1)) s"
echo "The image builds, runs and stops ($SECONDS s)"
