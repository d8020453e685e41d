# shellcheck shell=bash disable=SC2034,SC2154  # shares variables with ../image-test.sh
# The engine for docker and podman, sourced by ../image-test.sh, which says what each function is for.

container=

prepare() { "$engine" --version; }

build() {
    local options=()
    [ "$engine" = docker ] || options=(--format docker)
    "$engine" build "${options[@]}" --tag "$1" .
}

# podman keeps the health check beside the configuration rather than in it.
config() {
    "$engine" image inspect "$1" | python3 -c '
import json, sys
image = json.load(sys.stdin)[0]
json.dump({"Healthcheck": image.get("Healthcheck"), **image["Config"]}, sys.stdout)'
}

describe_sizes() {
    "$engine" image inspect --format '{{.Size}}' "$1" |
        awk '{ printf "image: %.1f MB\n", $1 / 1e6 }'
}

start() {
    # Loopback only; the engine chooses the port.
    container=$("$engine" run --detach --read-only --cap-drop ALL --security-opt no-new-privileges \
        --publish 127.0.0.1::8080 "$1")
    base_url=http://$("$engine" port "$container" 8080/tcp | head -n 1)
}

inside() { "$engine" exec "$container" "$@"; }

host_curl() { curl "$@"; }

server_uid() { inside sh -c 'id -u'; }

logs() { [ -z "$container" ] || "$engine" logs "$container"; }

terminate() {
    "$engine" stop --time "$stop_limit" "$container" >/dev/null
    exit_code=$("$engine" inspect --format '{{.State.ExitCode}}' "$container")
}

discard() {
    [ -z "$container" ] || "$engine" rm --force --volumes "$container" >/dev/null
    "$engine" image rm --force "$image" >/dev/null 2>&1 || true
    rm -rf "$workspace"
}
