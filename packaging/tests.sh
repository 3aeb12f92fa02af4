# Running the tests of a build and counting them. Sourced after deps.sh.
# shellcheck shell=sh disable=SC2034
: "${root:?}"

# run_tests PRESET [CTEST ARGUMENT…]: sets passed, failed, skipped. What a failing test said is
# shown.
run_tests() {
    preset=$1 results=$root/build/$1/tests.xml
    shift
    rm -f "$results"
    # Many cases of one kind, each a whole diagnosis, take an hour: FR_CI_ALL=1 runs them too.
    [ -n "${FR_CI_ALL-}" ] || set -- "$@" --label-exclude "${leave_out-^campaign\$}"
    # Two at a time: some tests measure time, and all start processes of their own.
    (cd "$root" && ctest --preset "$preset" --parallel 2 --output-on-failure \
        --output-junit "$results" "$@") </dev/null || :
    [ -s "$results" ] || die "ctest left no results for $preset" '' 1
    failed=$(attribute failures)
    skipped=$(($(attribute skipped) + $(attribute disabled)))
    passed=$(($(attribute tests) - failed - skipped))
}

attribute() { # of the first element, <testsuite>
    sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$results" | sed -n 1p
}

# Alone on its line, and the last one.
closing_line() {
    if [ "$3" -gt 0 ]; then
        echo "$1 passed, $2 failed, $3 skipped"
    else
        echo "$1 passed, $2 failed"
    fi
}
