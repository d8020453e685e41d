#!/bin/bash
# Prints the folder of the toolchain's own programs: those of another LLVM on the PATH do not read its files.
set -euo pipefail

# `swiftc` on the PATH may be a proxy that lies elsewhere; the compiler itself knows where it is.
resources=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": *"\([^"]*\)".*/\1/p')
realpath "$resources/../../bin"
