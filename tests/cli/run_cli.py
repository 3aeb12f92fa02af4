#!/usr/bin/env python3
"""Golden tests of the command line: tests/cli/messages/*.txt against a real program.

usage: run_cli.py FLAKY_REPRO [--fake FLAKY_REPRO_FAKE] [--update]

A file holds one call: a line "$ [NAME=VALUE ...] flaky-repro ..." as a shell would run it, then
"exit N", "--- stdout" and "--- stderr" with what the program wrote. Files called fake-*.txt are run
with the program that has tests/cli/fake_live.c for an engine; without --fake they are reported as
not run. --update rewrites the files from what the program does now: read the difference.

Each call gets an empty folder and a bare environment. A few behaviours that no text can show
(signals, full disks, files) are tested at the end.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MESSAGES = HERE / "messages"
bad = 0


def report(name, problem):
    global bad
    print(f"{'not ok' if problem else 'ok'} - {name}")
    if problem:
        bad += 1
        print("  " + problem.replace("\n", "\n  "))


def bare_env(folder, extra=()):
    return {"PATH": os.defpath, "HOME": str(folder), "LC_ALL": "C.UTF-8", **dict(extra)}


def call(program, line, folder):
    words = shlex.split(line)
    env = []
    while re.match(r"[A-Z_]+=", words[0]):
        env.append(words.pop(0).split("=", 1))
    assert words[0] == "flaky-repro", line
    done = subprocess.run([program, *words[1:]], cwd=folder, env=bare_env(folder, env), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                          encoding="utf-8")
    out = re.sub(r"^flaky-repro \d\S*$", "flaky-repro VERSION", done.stdout, flags=re.M)
    return f"$ {line}\nexit {done.returncode}\n--- stdout\n{out}--- stderr\n{done.stderr}"


def golden(path, program, update):
    want = path.read_text(encoding="utf-8")
    line = want.split("\n", 1)[0]
    if not line.startswith("$ "):
        return report(path.name, "the first line is no call")
    with tempfile.TemporaryDirectory() as folder:
        got = call(program, line[2:], folder)
    if update:
        path.write_text(got, encoding="utf-8")
    elif got != want:
        return report(path.name, f"want:\n{want}\ngot:\n{got}")
    return report(path.name, None)


def run(program, *args, folder, **more):
    return subprocess.run([program, *args], cwd=folder, env=bare_env(folder), capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=60, **more)


def is_(got, want, what):
    return None if got == want else f"{what}: got {got!r}, want {want!r}"


def json_file_is_written_whole(fake, folder):
    path = pathlib.Path(folder, "new", "er", "r.json")
    done = run(fake, "hang", "--json", str(path), folder=folder)
    left = sorted(p.name for p in path.parent.iterdir())
    return (is_(done.returncode, 4, "exit") or is_(left, ["r.json"], "files")
            or is_(json.loads(path.read_text())["verdict"], "hang", "verdict"))


def json_check_leaves_no_file(fake, folder):
    done = run(fake, "no-pytest", "--json", "r.json", folder=folder)
    return is_(done.returncode, 2, "exit") or is_(os.listdir(folder), [], "files")


def json_over_a_link_keeps_the_link(fake, folder):
    real, link = pathlib.Path(folder, "real.json"), pathlib.Path(folder, "link.json")
    real.write_text("old")
    link.symlink_to("real.json")
    run(fake, "hang", "--json", "link.json", folder=folder)
    return (is_(link.is_symlink(), True, "a link")
            or is_(json.loads(real.read_text())["verdict"], "hang", "verdict"))


def json_to_a_device_writes_into_it(fake, folder):
    done = run(fake, "hang", "--json", "/dev/stderr", "-q", folder=folder)
    return (is_(done.returncode, 4, "exit")
            or is_(json.loads(done.stderr)["verdict"], "hang", "verdict"))


def json_on_stdout_moves_the_report(fake, folder):
    done = run(fake, "hang", "--json", "-", folder=folder)
    return (is_(json.loads(done.stdout)["verdict"], "hang", "verdict")
            or is_("DIAGNOSIS" in done.stderr.decode(), True, "report on stderr"))


def several_targets_of_one_call(fake, folder):
    done = run(fake, "all", "--format", "json", "-q", folder=folder)
    return (is_(len(json.loads(done.stdout)["findings"]), 24, "findings")
            or is_(done.returncode, 2, "the worst status"))


def interrupted_keeps_what_is_known(fake, folder):
    done = run(fake, "cut", "--json", "r.json", folder=folder)
    kept = json.loads(pathlib.Path(folder, "r.json").read_text())
    return (is_(done.returncode, 130, "exit") or is_(kept["verdict"], "flaky-hashseed", "kept")
            or is_(b"DIAGNOSIS" in done.stdout, True, "report"))


def start_waiting(fake, folder):
    child = subprocess.Popen([fake, "wait"], cwd=folder, env=bare_env(folder),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stderr.readline()  # "diagnosing": the handlers are in place
    return child


def ctrl_c_stops(fake, folder):
    child = start_waiting(fake, folder)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    return (is_(child.returncode, 130, "exit")
            or is_(b"stopping" in err and b"interrupted before" in err, True, "said so"))


def terminate_stops_too(fake, folder):
    child = start_waiting(fake, folder)
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=20)
    return is_(child.returncode, 130, "exit")


def full_disk_is_told(fake, folder):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([fake, "hang", "-q"], cwd=folder, env=bare_env(folder), stdout=full,
                              stderr=subprocess.PIPE, timeout=60)
    return (is_(done.returncode, 2, "exit")
            or is_(b"No space left" in done.stderr, True, "told"))


def gone_reader_is_no_error(fake, folder):
    child = subprocess.Popen([fake, "hang", "-q"], cwd=folder, env=bare_env(folder),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.close()  # before or after the write: neither may kill it
    err = child.stderr.read()
    child.stderr.close()
    return is_(child.wait(20), 4, "exit") or is_(err, b"", "stderr")


def closed_streams_do_not_spoil_files(fake, folder):
    subprocess.run(f"exec {shlex.quote(fake)} hang --json r.json >&- 2>&- <&-", shell=True,
                   cwd=folder, env=bare_env(folder), timeout=60)
    return is_(json.loads(pathlib.Path(folder, "r.json").read_text())["verdict"], "hang", "file")


def no_escape_reaches_a_pipe(fake, folder):
    for case in ("odd-bytes", "flaky-time-latent"):
        done = run(fake, case, folder=folder)
        if re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", done.stdout + done.stderr):
            return f"{case}: a control byte in the output"
    return None


BEHAVIOURS = [json_file_is_written_whole, json_check_leaves_no_file,
              json_over_a_link_keeps_the_link, json_to_a_device_writes_into_it,
              json_on_stdout_moves_the_report, several_targets_of_one_call,
              interrupted_keeps_what_is_known, ctrl_c_stops, terminate_stops_too,
              full_disk_is_told, gone_reader_is_no_error, closed_streams_do_not_spoil_files,
              no_escape_reaches_a_pipe]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("program", type=os.path.abspath)
    ap.add_argument("--fake", type=os.path.abspath)
    ap.add_argument("--update", action="store_true")
    a = ap.parse_args()
    began, not_run = time.monotonic(), 0
    for path in sorted(MESSAGES.glob("*.txt")):
        program = a.fake if path.name.startswith("fake-") else a.program
        if program:
            golden(path, program, a.update)
        else:
            not_run += 1
    for test in BEHAVIOURS if a.fake else []:
        with tempfile.TemporaryDirectory() as folder:
            report(test.__name__, test(a.fake, folder))
    not_run += 0 if a.fake else len(BEHAVIOURS)
    more = f", {not_run} not run (they need --fake)" if not_run else ""
    print(f"{bad} failed{more}, {time.monotonic() - began:.1f} s")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
