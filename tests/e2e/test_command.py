"""--command: any program that exits, judged by its status, its signal and what it said last."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main, skip  # noqa: E402

SOURCE = r"""
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    unsigned char b = 0;
    if (getrandom(&b, 1, 0) != 1)
        return 9;
    if (!strcmp(argv[1], "rng") && b < 100) {
        fprintf(stderr, "noise\nlost %d at %p in /tmp/x%d\n\n", 1000000 + b, (void *)&b, b);
        return 3;
    }
    if (!strcmp(argv[1], "crash") && b < 128)
        raise(SIGSEGV);
    if (!strcmp(argv[1], "broken"))
        return 1;
    while (!strcmp(argv[1], "hang"))
        pause();
    if (!strcmp(argv[1], "leap")) {
        time_t now = time(NULL);
        struct tm *t = gmtime(&now);
        return t->tm_mon == 1 && t->tm_mday == 29;
    }
    return 0;
}
"""


def build(w, *flags):
    if not shutil.which("cc"):
        skip("there is no cc")
    w.write("t.c", SOURCE)
    done = subprocess.run(["cc", "-o", w.project / "t", w.project / "t.c", *flags],
                          capture_output=True)
    if done.returncode:
        skip(done.stderr.decode())


def diagnose(w, *words, budget=60):
    path = w.folder / "o.json"
    r = w.run(None, "--json", str(path), "--command", "--", *words, budget=budget)
    return r, json.loads(path.read_text()) if path.exists() else None


def replay(w, report, *words):
    return w.ask("replay", report["repro"]["blob"], *words)


def case_a_program_that_draws(w):
    build(w)
    r, report = diagnose(w, "./t", "rng")
    check(r.status == 1 and report["verdict"] == "flaky-rng", r)
    check(report["failure"]["exception"] == "exit 3: lost <n> at 0xADDR in <tmp>", report["failure"])
    check(report["nodeid"] == "./t rng" and report["stats"]["warm"] == 0, report)
    command = report["repro"]["command"]
    check(re.fullmatch(r"LD_PRELOAD=\S+ FD_RNG=\d+ ./t rng", command), command)
    for _ in range(3):
        done = subprocess.run(["sh", "-c", command], cwd=w.project, env=w.env(), capture_output=True)
        check(done.returncode == 3, command, done)
    again = replay(w, report, "--command", "--", "./t", "rng")
    check(again.status == 1 and "reproduced" in again.out, again)
    for words, told in (((), "is a command: ./t rng"),
                        (("--command", "--", "./t", "leap"), "is ./t rng, not ./t leap")):
        refused = replay(w, report, *words)
        check(refused.status == 2 and told in refused.err, refused)
    w.check_clean()


def case_a_program_that_reads_the_clock(w):
    build(w)
    r, report = diagnose(w, "./t", "leap")
    check(report["verdict"] == "flaky-time" and "-02-29" in report["cause"][0]["value"], r)


def case_a_program_that_crashes_by_chance(w):
    build(w)
    r, report = diagnose(w, "./t", "crash")
    check(report["verdict"] == "flaky-rng", r)
    check(report["failure"]["exception"] == "<SIGSEGV>", report["failure"])


def case_a_program_that_always_fails(w):
    build(w)
    r, report = diagnose(w, "./t", "broken")
    check(r.status == 4 and report["verdict"] == "deterministic-failure", r)
    check(report["failure"]["exception"] == "exit 1", report["failure"])


def case_a_program_that_hangs(w):
    build(w)
    r, report = diagnose(w, "./t", "hang", budget=24)
    check(r.status == 4 and report["verdict"] == "hang", r)
    check("in pause" in report["stack"] and "libc" in report["stack"], report["stack"])
    w.check_clean()


def case_a_program_that_is_stable(w):
    build(w)
    r, report = diagnose(w, "./t", "stable")
    check(r.status == 0 and report["verdict"] == "not-flaky", r)
    none = {a["axis"] for a in report["axes_skipped"] if a["reason"] == "this target has none"}
    check({"hashseed", "gc"} <= none, report["axes_skipped"])  # nothing of Python is in it


def case_a_shell_script(w):
    """What it starts is a part of it; words are kept as they are."""
    script = w.write("run tests.sh", '#!/bin/sh\n[ "$1" = "a b" ] || exit 9\n'
                                     "test $(od -An -N1 -tu1 /dev/urandom) -lt 160\n")
    script.chmod(0o755)
    r, report = diagnose(w, "./run tests.sh", "a b")
    check(r.status == 1 and report["verdict"] == "flaky-rng", r)
    check(report["nodeid"] == '"./run tests.sh" "a b"', report["nodeid"])


def case_a_script_of_python(w):
    """Then the hash seed is searched too."""
    script = w.write("t.py", f"#!{w.python}\nimport sys\n"
                             "sys.exit(list({'a', 'b', 'c', 'd'})[0] in 'ab')\n")
    script.chmod(0o755)
    r, report = diagnose(w, "./t.py", budget=90)
    check(report["verdict"] == "flaky-hashseed", r)


def case_a_static_program_is_refused(w):
    build(w, "-static")
    r, _ = diagnose(w, "./t", "rng")
    check(r.status == 2 and "cannot be preloaded" in r.err and "static" in r.err, r)


def case_a_program_that_is_not_there(w):
    r, _ = diagnose(w, "./nowhere")
    check(r.status == 2 and "./nowhere" in r.err, r)
    r = w.run(None, "--command")
    check(r.status == 2 and "--command needs the command" in r.err, r)
    r = w.run("test_a.py", "--command", "--", "true")
    check(r.status == 2 and "not both" in r.err, r)


def case_connections_of_a_program_are_held(w):
    script = w.write("t.sh", f'#!/bin/sh\n{w.python} -c "import socket; s = socket.socket(); '
                             's.settimeout(0.1); s.connect_ex((\'192.0.2.1\', 80))"\n')
    script.chmod(0o755)
    r, report = diagnose(w, "./t.sh", budget=10)
    check(r.status == 3 and report["verdict"] == "held-side-effects", r)
    check(report["side_effects"] == [{"kind": "outside", "what": "192.0.2.1:80"}], report)


if __name__ == "__main__":
    main(globals())
