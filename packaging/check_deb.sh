#!/bin/sh
# sh packaging/check_deb.sh [SUITE…]
#
# Makes the package, looks at what is in it, and runs README's example by hand from where it is
# unpacked. For each SUITE (bookworm, trixie) it is then installed in a bare tree of that Debian,
# used as root and as a user, and removed. Ends with "N passed, N failed" and exits non-zero unless
# all passed. Bare trees are kept in FR_TREES (by default a folder in TMPDIR) for the next time;
# FR_MIRROR is where they come from.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/packaging/deps.sh"
. "$root/packaging/tests.sh"

passed=0 failed=0 skipped=0
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM

check() { # NAME COMMAND…
    name=$1
    shift
    if "$@" </dev/null >"$work/said" 2>&1; then
        passed=$((passed + 1))
        echo "ok - $name"
    else
        failed=$((failed + 1))
        echo "not ok - $name"
        sed 's/^/  /' "$work/said"
    fi
}
skip() { # NAME WHY
    skipped=$((skipped + 1))
    echo "skip - $1: $2"
}

need() {
    need_to_build
    need_to_package
}

make_package() {
    build deb
    rm -f "$root"/build/deb/*.deb
    (cd "$root" && cpack --preset deb) </dev/null >"$work/said" 2>&1 || {
        cat "$work/said" >&2
        die 'making the package failed' '' 1
    }
    deb=$(echo "$root"/build/deb/flaky-repro_*.deb)
}

# What a package holds, whatever the machine is called.
has_files() {
    dpkg-deb --contents "$deb" >"$work/contents"
    for file in bin/flaky-repro bin/flaky-ci share/man/man1/flaky-ci.1.gz "lib/$multiarch/libfd.so" \
        "lib/$multiarch/flaky-repro/flaky_repro/_trial.py" \
        "lib/$multiarch/flaky-repro/flaky_repro/plugin.py" bin/flakedoctor \
        lib/python3/dist-packages/flakedoctor/__init__.py \
        lib/python3/dist-packages/pytest_probability/__init__.py \
        lib/python3/dist-packages/pytest_triage/providers.py \
        "lib/python3/dist-packages/flaky_repro_plugin-$(field Version | sed 's/-1$//').dist-info/entry_points.txt" \
        share/man/man1/flaky-repro.1.gz \
        share/bash-completion/completions/flaky-repro share/zsh/vendor-completions/_flaky-repro \
        share/fish/vendor_completions.d/flaky-repro.fish share/doc/flaky-repro/copyright \
        share/doc/flaky-repro/changelog.gz share/doc/flaky-repro/changelog.Debian.gz \
        share/doc/flaky-repro/README.md share/doc/flaky-repro/manual.md \
        share/doc/flaky-repro/report.md share/doc/flaky-repro/report.schema.json \
        share/doc/flaky-repro/fractions.md share/doc/flaky-repro/fractions.schema.json \
        share/doc/flaky-repro/triage.md share/doc/flaky-repro/ci.md share/doc/flaky-repro/triage.schema.json; do
        grep -q " \./usr/$file\$" "$work/contents" || { echo "not there: /usr/$file" && return 1; }
    done
}
has_nothing_else() { # all below /usr, of root, and made to be there
    ! grep -v ' root/root .* \./usr/' "$work/contents" &&
        ! grep '__pycache__\|\.pyc' "$work/contents"
}
field() { dpkg-deb --field "$deb" "$1"; }
says_what_it_is() {
    version=$("$usr/bin/flaky-repro" --version) &&
        [ "$(field Package) $(field Version)" = "$version-1" ] &&
        [ "$(field Architecture)" = "$(dpkg --print-architecture)" ] &&
        [ "$(field Section)" = devel ] && field Maintainer | grep '@example\.org>$'
}
depends_on() { # the libraries are computed: each that is needed belongs to one of the packages
    field Depends | tr ',' '\n' | sed 's/^ *//; s/ .*//' >"$work/depends"
    grep -x python3 "$work/depends" || return 1
    ldd "$usr/bin/flaky-repro" "$usr/lib/$multiarch/libfd.so" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' |
        sort -u | while read -r library; do
        dpkg-query -S "$(basename "$library")" | sed 's/[:,].*//' | grep -qxFf "$work/depends" ||
            { echo "nobody brings $library" && exit 1; }
    done
}
lints() { ! lintian --no-tag-display-limit "$deb" 2>&1 | grep '^E:'; }
shows_its_parts() { "$usr/bin/flaky-repro" env; }
knows_doctor() { # its pytest, where there is one for Debian's own Python
    /usr/bin/python3 -c 'import pytest' 2>/dev/null || return 0
    (cd "$work" && PYTHONPATH="$usr/lib/python3/dist-packages" /usr/bin/python3 -m pytest --help |
        grep -e --doctor-budget) &&
        PYTHONPATH="$usr/lib/python3/dist-packages" "$usr/bin/flakedoctor" | grep '^usage: flakedoctor'
}
runs_a_suite() { # as above
    /usr/bin/python3 -c 'import pytest' 2>/dev/null || return 0
    mkdir "$work/suite" && cd "$work/suite" && echo 'def test_ok(): pass' >test_ok.py &&
        "$usr/bin/flaky-ci" -- /usr/bin/python3 -m pytest -q -p no:cacheprovider
}
example_unpacked() {
    mkdir "$work/example" && cd "$work/example" &&
        LD_LIBRARY_PATH="$usr/lib/$multiarch" python3 "$root/packaging/readme_example.py" \
            "$root/README.md"
}

check_package() {
    multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    dpkg-deb --extract "$deb" "$work/unpacked"
    usr=$work/unpacked/usr
    check 'the package has its files' has_files
    check 'and no others' has_nothing_else
    check 'its name, version and architecture' says_what_it_is
    check 'its dependencies' depends_on
    if has lintian; then
        check 'lintian finds no error' lints
    else
        skip 'lintian finds no error' 'lintian is not installed'
    fi
    check 'unpacked, it finds its parts' shows_its_parts
    check 'unpacked, pytest knows --doctor' knows_doctor
    check 'unpacked, flaky-ci runs a suite' runs_a_suite
    check 'unpacked, README'\''s example by hand' example_unpacked
}

need
if ! has dpkg-deb; then
    skip 'the package' 'this is not Debian, nor does it descend from it'
    closing_line "$passed" "$failed" "$skipped"
    exit 0
fi
install_missing need
say 'making the package …'
make_package
check_package
if [ $# -gt 0 ]; then
    . "$root/packaging/trees.sh"
    for suite in "$@"; do
        check_in_tree "$suite"
    done
fi
closing_line "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
