#!/bin/sh
# sh packaging/check.sh
#
# Installs what is missing, builds with gcc and with clang (every warning is an error), runs all
# tests. Ends with "N passed, N failed" and exits non-zero unless all passed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/packaging/deps.sh"
. "$root/packaging/tests.sh"

need() {
    need_to_build
    need_to_test
}
need
install_missing need

say 'building with gcc …'
CC=gcc build dev
say 'building with clang …'
CC=clang build dev build/clang
say 'testing …'
run_tests dev
closing_line "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
