#!/bin/sh
# sh packaging/quickstart.sh [TARGET [OPTION…]]
#
# From a fresh clone to a diagnosis: installs what is missing, builds, and finds out why the test
# TARGET is flaky (without one: the hash_order example). Exits 0 if there was a verdict.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/packaging/deps.sh"

need_to_build
install_missing need_to_build
say 'building …'
build release

tool=$root/build/release/runner/flaky-repro
[ "$root" != "$(pwd)" ] || tool=build/release/runner/flaky-repro
ours=''
if [ $# -eq 0 ]; then
    ours=yes
    target=examples/hash_order/test_mailing.py
    [ "$root" = "$(pwd)" ] || target=$root/$target
    set -- "$target"
fi
say "\$ $tool $*"
status=0
"$tool" "$@" </dev/null || status=$?

case $status in
0 | 1 | 4)
    [ -z "$ours" ] || [ $status -eq 1 ] || die 'the example should have been found flaky' \
        "run  $tool -v $1  and see docs/manual.md" 1
    say "the tool is $tool"
    exit 0
    ;;
*) exit $status ;;
esac
