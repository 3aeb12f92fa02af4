# What has to be on the machine, and how it gets there. Sourced, never run: the caller sets `root`
# to the project's folder. Debian and Ubuntu only; elsewhere the missing things are named.
# shellcheck shell=sh
: "${root:?}"

say() { printf '%s\n' "$*" >&2; }
die() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    [ -z "${2-}" ] || printf 'hint: %s\n' "$2" >&2
    exit "${3-2}"
}
has() { command -v "$1" >/dev/null 2>&1; }

missing='' # packages
absent=''  # the same, in words
lack() {   # WHAT PACKAGE…
    absent="${absent:+$absent, }$1"
    shift
    missing="${missing:+$missing }$*"
}

compiles() { # COMPILER [FLAG…]: a program with libc's headers
    printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' |
        "$@" -x c -o /dev/null - >/dev/null 2>&1
}
cmake_is_new() { # 3.25 or later: presets of version 6
    has cmake && cmake --version | sed -n '1s/^cmake version //p' | awk -F. '
        { new = $1 > 3 || ($1 == 3 && $2 >= 25) } END { exit !new }'
}
library() { has pkg-config && pkg-config --exists "$1"; }
python_is_new() {
    has python3 && python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null
}

need_to_build() {
    compiles cc || lack 'a C compiler' gcc libc6-dev
    cmake_is_new || lack 'cmake 3.25 or later' cmake
    has ninja || has make || lack 'ninja or make' ninja-build
    has pkg-config || lack pkg-config pkgconf
    library json-c || lack 'the headers of json-c' libjson-c-dev
    library 'libseccomp >= 2.5' || lack 'the headers of libseccomp' libseccomp-dev
    library libcap || lack 'the headers of libcap' libcap-dev
    library zlib || lack 'the headers of zlib' zlib1g-dev
    library libcurl || lack 'the headers of libcurl' libcurl4-openssl-dev
    library libpcre2-8 || lack 'the headers of pcre2' libpcre2-dev
    library expat || lack 'the headers of expat' libexpat1-dev
    python_is_new || lack 'python3' python3
    # The pytest on PATH may be a shim of pyenv that stands for nothing.
    pytest --version >/dev/null 2>&1 || lack pytest python3-pytest
    has git || lack git git
}

need_to_package() { # what cpack asks for a .deb
    has dpkg-shlibdeps || lack dpkg-shlibdeps dpkg-dev
    has file || lack file file
}

need_to_test() {
    compiles gcc || lack gcc gcc libc6-dev
    compiles clang || lack clang clang
    compiles gcc -ljemalloc || lack 'the headers of jemalloc' libjemalloc-dev
    has ps || lack ps procps
    if [ "$(sh "$root/tests/find_python.sh")" = /usr/bin/python3 ]; then
        /usr/bin/python3 -c 'import xdist' 2>/dev/null || lack pytest-xdist python3-pytest-xdist
        /usr/bin/python3 -c 'import pytest_asyncio' 2>/dev/null ||
            lack pytest-asyncio python3-pytest-asyncio
    fi
    [ -e /usr/share/zoneinfo/Europe/Berlin ] || lack 'the table of time zones' tzdata
}

# As root, without a question. sudo may ask for a password only where someone can type one.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif has sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        sudo "$@"
    else
        return 1
    fi
}
apt() { # what it says is shown only if all fails
    said=${said:-$(mktemp)}
    as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
        apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null >"$said" 2>&1
}
apt_knows() { # every package: whether lists are there, without asking the network
    # shellcheck disable=SC2086 # a list of names
    apt-get -q -y -s install --no-install-recommends $missing >/dev/null 2>&1
}

install_missing() {
    [ -n "$missing" ] || return 0
    say "missing: $absent"
    say "installing: $missing"
    has apt-get || die 'there is no apt-get here to install it with' \
        "install it by hand (on Debian: $missing) and start again"
    as_root true || die 'only root may install packages, and sudo did not let us' \
        "as root: apt-get install $missing"
    # Without lists nothing is known yet; old lists name packages that are gone from the mirror.
    # shellcheck disable=SC2086 # a list of names
    if ! apt_knows || ! apt install --no-install-recommends $missing; then
        if ! apt update || ! apt install --no-install-recommends $missing; then
            cat "$said" >&2
            die 'installing failed' "as root: apt-get install $missing"
        fi
    fi
    rm -f "$said"
    hash -r
    missing='' absent=''
    "$@" # what still is missing now is too old in this distribution, or hidden by another on PATH
    [ -z "$missing" ] || die "still missing: $absent" \
        "the distribution is too old, or another program of that name comes first on PATH"
}

# build PRESET [FOLDER [CMAKE ARGUMENT…]]: quiet unless it fails. A folder keeps its generator.
build() {
    preset=$1 folder=${2:-build/$1}
    shift
    [ $# -eq 0 ] || shift
    log=$(mktemp)
    [ -e "$root/$folder/CMakeCache.txt" ] || ! has ninja || set -- -G Ninja "$@"
    if ! { cmake -S "$root" --preset "$preset" -B "$root/$folder" "$@" &&
        cmake --build "$root/$folder" --parallel "$(getconf _NPROCESSORS_ONLN)"; } \
        </dev/null >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        die "building $folder failed" '' 1
    fi
    rm -f "$log"
}
