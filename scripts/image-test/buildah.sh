# shellcheck shell=bash disable=SC2034,SC2154  # shares variables with ../image-test.sh
# The engine that needs no registry, sourced by ../image-test.sh, which says what each function is for.
#
# Storage, images and the running root all lie in $workspace. The container is the image's file system in
# namespaces of its own (mounts, processes, network), so that the server is process 1 and has port 8080
# to itself; those mounts vanish with it.

[ "$(id -u)" -eq 0 ] || { echo "image-test: debootstrap and chroot need root" >&2; exit 1; }
PATH=$PATH:/usr/sbin:/sbin

# The mounted file system of the image under test; process ids of the server and of what started it.
root='' server='' launcher=''
# The image's command, and what it and every command inside run under.
command=() confinement=()

builder() {
    buildah --root "$workspace/storage" --runroot "$workspace/run" --storage-driver vfs "$@"
}

# What the official Swift image has of Debian's packages, as far as a build without tests needs it.
toolchain_packages=(
    binutils gcc git libc6-dev libcurl4 libncurses6 libsqlite3-0 libstdc++-12-dev libuuid1 libxml2
    pkg-config tzdata zlib1g
)
# What a build does not need of the toolchain: debuggers, editors' services, other platforms.
toolchain_omissions=(
    'usr/bin/*lldb*' usr/bin/clangd usr/bin/docc usr/bin/sourcekit-lsp usr/bin/swift-format
    usr/bin/wasm* 'usr/lib/liblldb*' 'usr/lib/libclang.so*' 'usr/lib/libLTO*' 'usr/lib/libsourcekitd*'
    'usr/lib/libSwiftSourceKit*' usr/lib/swift/embedded usr/lib/swift/FrameworkABIBaseline
)

# The mirror from which apt takes this release.
mirror() {
    # shellcheck disable=SC2016  # apt expands it
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' |
        head -n 1 | grep . || echo http://deb.debian.org/debian
}

prepare() {
    scripts/install-packages.sh image
    local debian swift toolchain
    debian=$(builder from scratch)
    debootstrap --variant=minbase bookworm "$(builder mount "$debian")" "$(mirror)" \
        >"$workspace/debootstrap.log" || { tail -n 20 "$workspace/debootstrap.log" >&2; return 1; }
    builder run --isolation chroot "$debian" -- sh -c \
        'apt-get clean; rm -rf /var/lib/apt/lists/* /usr/share/doc /usr/share/man /usr/share/locale'
    builder commit --quiet --format docker --rm "$debian" docker.io/library/debian:bookworm-slim

    swift=$(builder from --pull-never docker.io/library/debian:bookworm-slim)
    builder run --isolation chroot "$swift" -- sh -c \
        'apt-get -qq update && apt-get -qq install --yes --no-install-recommends "$@"' \
        sh "${toolchain_packages[@]}" >"$workspace/apt.log" 2>&1 ||
        { tail -n 20 "$workspace/apt.log" >&2; return 1; }
    toolchain=$(realpath "$(scripts/toolchain-bin.sh)/../..")
    tar -C "$toolchain" "${toolchain_omissions[@]/#/--exclude=}" -cf - usr |
        tar -C "$(builder mount "$swift")" --keep-directory-symlink -xf -
    builder commit --quiet --format docker --rm "$swift" docker.io/library/swift:6.3-bookworm
}

build() {
    builder build --isolation chroot --pull-never --format docker --layers=false --tag "$1" .
    local container
    container=$(builder from --pull-never "$1")
    root=$(builder mount "$container")
}

config() {
    builder inspect --type image "$1" |
        python3 -c 'import json, sys; json.dump(json.load(sys.stdin)["Docker"]["config"], sys.stdout)'
}

describe_sizes() {
    local image_size base_size
    image_size=$(size_of "$1")
    base_size=$(size_of docker.io/library/debian:bookworm-slim)
    awk -v image="$image_size" -v base="$base_size" 'BEGIN {
        printf "image: %.1f MB more than its base\n", (image - base) / 1e6 }'
    stat --format 'program: %s bytes' "$root/usr/bin/runcast"
}

# Bytes of an image's files.
size_of() {
    local container
    container=$(builder from --pull-never "$1")
    du --bytes --summarize "$(builder mount "$container")" | cut -f 1
    builder rm "$container" >/dev/null
}

# Fills `command` and `confinement` from the image's configuration. The confinement: the image's user and
# environment, its root, no capability, no way to a privilege.
read_configuration() {
    local environment user group
    mapfile -d '' -t environment < <(words "$1" Env)
    mapfile -d '' -t command < <(words "$1" Entrypoint Cmd)
    IFS=: read -r user group < <(config "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["User"])')
    confinement=(
        chroot "$root" setpriv --reuid "$user" --regid "$group" --clear-groups
        --no-new-privs --bounding-set=-all --inh-caps=-all env --ignore-environment "${environment[@]}"
    )
}

# Prints the strings of lists in an image's configuration, each ended by NUL: words IMAGE LIST...
words() {
    config "$1" | python3 -c '
import json, sys
config = json.load(sys.stdin)
for key in sys.argv[1:]:
    for word in config[key]:
        print(word, end="\0")' "${@:2}"
}

start() {
    read_configuration "$1"
    # shellcheck disable=SC2016  # the inner shell, which is process 1 of the new namespaces, expands it
    unshare --mount --net --pid --fork --kill-child bash -c '
        set -e
        root=$1
        shift
        ip link set lo up
        mount --bind "$root" "$root"
        mount --bind "$root/var/lib/runcast" "$root/var/lib/runcast"
        mount -t proc proc "$root/proc"
        mount -o remount,bind,ro "$root"
        exec "$@"' bash "$root" "${confinement[@]}" "${command[@]}" \
        >"$workspace/server.log" 2>&1 </dev/null &
    launcher=$!
    base_url=http://127.0.0.1:8080
    local deadline=$((SECONDS + start_limit))
    until server=$(pgrep --parent "$launcher"); do
        kill -0 "$launcher" 2>/dev/null || fail "the container ended at once"
        [ $SECONDS -lt $deadline ] || fail "the container did not start"
        sleep 0.05
    done
}

inside() { nsenter --target "$server" --mount --net --pid -- "${confinement[@]}" "$@"; }

host_curl() { nsenter --target "$server" --net -- curl "$@"; }

server_uid() { awk '/^Uid:/ { print $2 }' "/proc/$server/status"; }

logs() { [ ! -e "$workspace/server.log" ] || cat "$workspace/server.log"; }

terminate() {
    kill -TERM "$server"
    timeout "$stop_limit" tail --pid="$launcher" --sleep-interval=0.05 --follow /dev/null ||
        fail "still there $stop_limit s after the stop signal"
    exit_code=0
    wait "$launcher" || exit_code=$?
    launcher=
}

discard() {
    if [ -n "$launcher" ]; then
        kill -KILL "$launcher" 2>/dev/null || true
        wait "$launcher" 2>/dev/null || true
    fi
    # Never delete through a mount that something left behind.
    local left
    left=$(awk -v under="$workspace/" 'index($2, under) == 1 { print $2 }' /proc/mounts)
    if [ -n "$left" ]; then
        printf 'image-test: still mounted, so %s stays:\n%s\n' "$workspace" "$left" >&2
        return
    fi
    rm -rf --one-file-system "$workspace"
}
