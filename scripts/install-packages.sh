#!/bin/bash
# Installs the Debian packages that are lacking for building, also for testing, also for the benchmark, or for
# `make image-test` without docker.
#
#   scripts/install-packages.sh build|test|bench|image
#
# Each need is probed by what it provides rather than by a package's name, so that a program that came
# from elsewhere counts. apt is touched only when something is missing. Needs root or sudo then.
set -euo pipefail

purpose=${1:-}
case $purpose in
    build | test | bench | image) ;;
    *) echo "usage: $0 build|test|bench|image" >&2; exit 2 ;;
esac

# Debian keeps some programs where only root's PATH looks.
PATH=$PATH:/usr/sbin:/sbin

fail() {
    echo "install-packages: $*" >&2
    exit 1
}

has_command() { command -v "$1" >/dev/null; }
has_header() { echo "#include <$1>" | gcc -E - >/dev/null 2>&1; }
has_nchan() { [ -e /usr/share/nginx/modules/ngx_nchan_module.so ]; }
has_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null; }
toolchain_runs() { swift build --version >/dev/null 2>&1; }

# Prints the packages whose probe fails, one a line.
missing_packages() {
    toolchain_runs || printf '%s\n' \
        libcurl4 libncurses6 libsqlite3-0 libstdc++6 libuuid1 libxml2 zlib1g
    has_command gcc || echo gcc
    has_header stdio.h || echo libc6-dev
    # The package manager finds the library to link through pkg-config.
    has_command pkg-config || echo pkg-config
    { has_header microhttpd.h && pkg-config --exists libmicrohttpd; } || echo libmicrohttpd-dev
    { has_header zlib.h && pkg-config --exists zlib; } || echo zlib1g-dev
    { has_header sqlite3.h && pkg-config --exists sqlite3; } || echo libsqlite3-dev
    case $purpose in
        test) missing_for_tests ;;
        bench) missing_for_benchmark ;;
        image) missing_for_images ;;
    esac
}

missing_for_images() {
    has_command buildah || echo buildah
    has_command curl || echo curl
    has_command debootstrap || echo debootstrap
    has_command ip || echo iproute2
    has_command python3 || echo python3
}

missing_for_tests() {
    has_command curl || echo curl
    has_command nginx || echo nginx-light
    has_command "${RUNCAST_CHROMIUM:-chromium}" || echo chromium
    has_command python3 || echo python3
    has_venv || echo python3-venv
}

# node is a peer where it is there anyway; it would bring too much along.
missing_for_benchmark() {
    has_command nginx || echo nginx
    has_nchan || echo libnginx-mod-nchan
    has_command wrk || echo wrk
    has_header zlib.h || echo zlib1g-dev
    has_command python3 || echo python3
    has_venv || echo python3-venv
}

install() {
    has_command apt-get || fail "not a Debian system: please install what provides $*"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        has_command sudo || fail "please install these as root, then try again: apt-get install $*"
        as_root=(sudo)
    fi
    echo "Installing $*"
    "${as_root[@]}" apt-get -qq update
    # Tests and benchmark start an nginx of their own; Debian's package would start one on port 80, for good.
    local keeps_nginx_off=false
    if ! has_command nginx && [[ " $* " == *" nginx"* ]] && has_command systemctl; then
        keeps_nginx_off=true
        "${as_root[@]}" systemctl --quiet mask nginx.service
    fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install --yes --no-install-recommends "$@" >/dev/null
    if $keeps_nginx_off; then
        "${as_root[@]}" systemctl --quiet unmask nginx.service
        "${as_root[@]}" systemctl --quiet disable nginx.service
    fi
}

has_command swift ||
    fail "the Swift toolchain (6.2 or newer) is not on the PATH; see https://www.swift.org/install/linux/"

mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -eq 0 ] && exit 0
install "${missing[@]}"

mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -eq 0 ] || fail "still missing after the installation: ${missing[*]}"
