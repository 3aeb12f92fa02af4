# The package in bare trees of Debian. Sourced by check_deb.sh, whose check and skip it uses; `deb`
# is the package, `work` a folder that goes away.
# shellcheck shell=sh disable=SC2016 # commands for the shell in the tree
: "${root:?}" "${work:?}" "${deb:?}"

trees=${FR_TREES:-${TMPDIR:-/tmp}/flaky-repro-trees}
mirror=${FR_MIRROR:-http://deb.debian.org/debian}

reaches() {
    python3 -c 'import sys, urllib.request as r; r.urlopen(sys.argv[1], timeout=30)' "$1" \
        2>/dev/null
}

# Why there can be no trees here; nothing if there can.
no_trees() {
    if [ "$(id -u)" -ne 0 ]; then
        echo 'only root can make a tree'
    elif ! unshare --mount --pid --fork true 2>/dev/null; then
        echo 'the kernel gives us no namespaces'
    elif ! has debootstrap; then
        echo 'debootstrap is not installed'
    elif ! reaches "$mirror/dists/$1/Release"; then
        echo "$mirror cannot be reached, or has no $1"
    fi
}

# in_tree COMMAND: a shell command in the tree. Processes and mounts are in namespaces of their own,
# so nothing of them is left when it ends, however it ends.
in_tree() {
    unshare --mount --pid --fork --kill-child --mount-proc="$tree/proc" \
        chroot "$tree" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 TERM=dumb PATH="$PATH_OF_ROOT" \
        DEBIAN_FRONTEND=noninteractive sh -euc "$1"
}
PATH_OF_ROOT=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# A tree as debootstrap leaves it, and the packages that will be wanted in apt's cache, so that
# another run fetches nothing but lists.
make_tree() {
    tree=$trees/$1
    [ ! -e "$tree.done" ] || return 0
    rm -rf --one-file-system "$tree"
    mkdir -p "$trees" || return 1
    debootstrap --variant=minbase "$1" "$tree" "$mirror" || return 1
    in_tree 'apt-get -q update
        apt-get -q -y --download-only install python3-pytest man-db' || return 1
    : >"$tree.done"
}

fresh_tree() {
    make_tree "$1" || return 1
    tree=$work/$1
    cp -a "$trees/$1" "$tree" || return 1
    mkdir "$tree/given" || return 1
    cp "$deb" "$root/README.md" "$root/packaging/readme_example.py" "$tree/given" || return 1
    cat >"$tree/given/test_first.py" <<'END'
def test_first():
    assert list({"ada", "grace", "linus"})[0] == "ada"
END
    cat >"$tree/given/diagnose" <<'END'
# AXIS TEST WORDS: diagnosed in a new folder, it is found flaky; the command that is printed has
# WORDS in it and fails.
cd "$(mktemp -d -p "$HOME")"
cp "$2" .
status=0
flaky-repro --budget 60 --axes "$1" "$(basename "$2")" >report 2>/dev/null || status=$?
cat report
[ $status -eq 1 ]
command=$(grep -A 1 '^ REPRO (fails 10/10' report | tail -n 1)
case $command in *"$3"*) ;; *) exit 3 ;; esac
status=0
sh -c "$command" >said 2>&1 || status=$?
cat said
[ $status -eq 1 ] && grep -q '^FAILED' said
END
}

installs() {
    in_tree 'apt-get -q update && apt-get -q -y install /given/flaky-repro_*.deb python3-pytest
        useradd --create-home ann'
}
root_example() { in_tree 'cd && python3 /given/readme_example.py /given/README.md'; }
user_example() {
    in_tree 'su ann -c "cd && python3 /given/readme_example.py /given/README.md"'
}
shows_three() {
    in_tree 'flaky-repro env; version=$(flaky-repro --version | cut -d " " -f 2)
        [ "$(flaky-repro env | grep -cE "^ok +(program|libfd\.so|plugin) +$version /usr/")" -eq 3 ]'
}
root_diagnosis() { in_tree 'sh -eu /given/diagnose hashseed /given/test_first.py PYTHONHASHSEED='; }
user_diagnosis() { # of the test that README's example has left
    in_tree 'su ann -c "sh -eu /given/diagnose time /home/ann/test_age.py LD_PRELOAD=libfd.so"'
}
knows_doctor() {
    in_tree 'su ann -c "cd && pytest --help" | grep -e --doctor-budget
        flakedoctor | grep "^usage: flakedoctor"'
}
has_manual() {
    in_tree 'apt-get -q -y install man-db && man -w flaky-repro
        man --warnings flaky-repro >/dev/null'
}
leaves_nothing() { # /var/cache/man is what man itself has laid by
    in_tree 'apt-get -q -y purge flaky-repro
        for folder in /given /root /home /proc /var/cache/man; do
            set -- "$@" -path $folder -prune -o
        done
        left=$(find / -xdev "$@" \
            \( -iname "*flaky*repro*" -o -name "libfd.so*" -o -path "/tmp/*" \) -print)
        echo "$left"
        [ -z "$left" ]'
}

check_in_tree() {
    suite=$1
    why=$(no_trees "$suite")
    if [ -n "$why" ]; then
        skip "$suite" "$why"
        return
    fi
    say "in a bare $suite …"
    check "$suite: a bare tree" fresh_tree "$suite"
    tree=$work/$suite
    check "$suite: apt installs it" installs
    check "$suite: README's example by hand, as root" root_example
    check "$suite: and as a user" user_example
    check "$suite: env shows three parts of one release" shows_three
    check "$suite: a diagnosis as root" root_diagnosis
    check "$suite: a diagnosis as a user, whose repro preloads libfd.so" user_diagnosis
    check "$suite: pytest knows --doctor" knows_doctor
    check "$suite: the manual page" has_manual
    check "$suite: removed, it leaves nothing" leaves_nothing
    rm -rf --one-file-system "$tree"
}
