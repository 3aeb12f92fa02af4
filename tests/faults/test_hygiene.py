"""Whatever ends the runner, and whatever the test does: no process, no folder, no file is left."""
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from world import check, main  # noqa: E402

# `mark` says that a trial is inside the test; it lies where the sandbox shows what is there.
HEAD = """
import ctypes, os, signal, subprocess, sys, time
def mark():
    open({mark!r}, "a").close()
def linger():
    mark()
    time.sleep(3600)
"""
HANG = "def test_x():\n    linger()\n"
STUBBORN = """
def test_x():
    for n in range(1, 32):
        if n not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(n, signal.SIG_IGN)
    while True:
        linger()
"""
DAEMON = """
def test_x():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            linger()
        os._exit(0)
    os.wait()
    linger()
"""
PIPE = """
def test_x():
    subprocess.Popen(["sleep", "3600"], start_new_session=True)
    subprocess.Popen(["env", "-i", "sleep", "3600"], start_new_session=True)
    subprocess.Popen(["sh", "-c", "sleep 3600 & sleep 3600"], env={{}})
    linger()
"""
ESCAPES = """
def test_x():
    os.closerange(3, 1024)
    os.environ.clear()
    os.setpgid(0, os.getpgid(os.getppid()))
    linger()
"""
CRASH = """
def test_x():
    subprocess.Popen(["sleep", "3600"], start_new_session=True)
    mark()
    ctypes.string_at(0)
"""
QUICK = """
def test_x():
    subprocess.Popen(["sleep", "3600"], start_new_session=True)
    mark()
    time.sleep(0.05)
"""


def prepare(w, body):
    mark = w.outside / "mark"
    w.write("test_a.py", (HEAD + body).format(mark=str(mark)))
    return mark


def wait_for(mark, p):
    until = time.monotonic() + 30
    while not mark.exists() and time.monotonic() < until and p.poll() is None:
        time.sleep(0.02)
    check(mark.exists(), "no trial came to the test")
    time.sleep(0.2)


def interrupt(w, body, *signals, gap=0.0, budget=60):
    mark = prepare(w, body)
    began = time.monotonic()
    p = w.start("test_a.py::test_x", "--allow-side-effects", budget=budget)
    wait_for(mark, p)
    sent = time.monotonic()
    for s in signals:
        p.send_signal(s)
        time.sleep(gap)
    r = w.finish(p, began, timeout=60)
    r.took = time.monotonic() - sent
    return r


def stopped(w, body, number):
    r = interrupt(w, body, number)
    check(r.status == 130, r)
    check(r.took < 4, "slow to stop", r)
    check("Traceback" not in r.out + r.err and "DIAGNOSIS  hangs" not in r.out, r)
    w.check_clean()


def killed(w, body):
    r = interrupt(w, body, signal.SIGKILL)
    check(r.status == -signal.SIGKILL, r)
    w.check_clean()


def case_sigint(w):
    stopped(w, HANG, signal.SIGINT)


def case_sigint_stubborn(w):
    stopped(w, STUBBORN, signal.SIGINT)


def case_sigint_daemon(w):
    stopped(w, DAEMON, signal.SIGINT)


def case_sigint_pipe(w):
    stopped(w, PIPE, signal.SIGINT)


def case_sigint_escapes(w):
    stopped(w, ESCAPES, signal.SIGINT)


def case_sigint_in_a_warm_run(w):
    mark = prepare(w, QUICK)
    began = time.monotonic()
    p = w.start("test_a.py::test_x", "--allow-side-effects", budget=60)
    wait_for(mark, p)
    time.sleep(6)
    p.send_signal(signal.SIGINT)
    r = w.finish(p, began, timeout=30)
    check(r.status == 130, r)
    check("DIAGNOSIS  interrupted before" in r.out, "what is known so far is reported", r)
    w.check_clean()


def case_sigterm(w):
    stopped(w, HANG, signal.SIGTERM)


def case_twice(w):
    mark = prepare(w, STUBBORN)
    began = time.monotonic()
    p = w.start("test_a.py::test_x", "--allow-side-effects", budget=60)
    wait_for(mark, p)
    p.send_signal(signal.SIGINT)
    p.send_signal(signal.SIGTERM)
    r = w.finish(p, began, timeout=10)
    check(r.status == 130, r)
    w.check_clean()


def case_kill(w):
    killed(w, HANG)


def case_kill_stubborn(w):
    killed(w, STUBBORN)


def case_kill_daemon(w):
    killed(w, DAEMON)


def case_kill_pipe(w):
    killed(w, PIPE)


def case_kill_escapes(w):
    killed(w, ESCAPES)


def case_kill_in_a_warm_run(w):
    mark = prepare(w, QUICK)
    p = w.start("test_a.py::test_x", "--allow-side-effects", budget=60)
    wait_for(mark, p)
    time.sleep(6)
    p.kill()
    w.finish(p, time.monotonic(), timeout=30)
    w.check_clean()


def case_group_killed(w):
    """As a CI job is ended: the whole group at once."""
    mark = prepare(w, DAEMON)
    p = subprocess.Popen(w.words("test_a.py::test_x", budget=60), cwd=w.project, env=w.env(),
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
    wait_for(mark, p)
    os.killpg(p.pid, signal.SIGKILL)
    p.wait()
    w.check_clean()


def case_hang(w):
    """Three hangs, each ended by us, the stack in the report."""
    prepare(w, HANG)
    r = w.run("test_a.py::test_x", "--allow-side-effects", budget=8)
    check(r.status == 4 and "hangs every time" in r.out, r)
    check("in linger" in r.out, "where it stands", r)
    check(r.took < 8 * 1.5 + 15, r)
    w.check_clean()


def case_hang_stubborn(w):
    prepare(w, STUBBORN)
    r = w.run("test_a.py::test_x", "--allow-side-effects", budget=8)
    check(r.status == 4 and r.took < 8 * 1.5 + 15, r)
    w.check_clean()


def case_hang_pipe(w):
    prepare(w, PIPE)
    r = w.run("test_a.py::test_x", "--allow-side-effects", budget=8)
    check(r.status == 4 and r.took < 8 * 1.5 + 15, r)
    w.check_clean()


def case_crash(w):
    prepare(w, CRASH)
    r = w.run("test_a.py::test_x", "--allow-side-effects", budget=25)
    check(r.status == 4 and "<SIGSEGV>" in r.out, r)
    w.check_clean()


def case_strays_while_it_runs(w):
    """A test that leaves a process each time must not fill the machine before we end."""
    mark = prepare(w, QUICK)
    p = w.start("test_a.py::test_x", "--allow-side-effects", budget=12)
    wait_for(mark, p)
    most = 0
    while p.poll() is None:
        most = max(most, sum(b"sleep" in cmd for _, cmd in w.strays()))
        time.sleep(0.3)
    r = w.finish(p, time.monotonic())
    check(r.status in (0, 3), r)  # cleared, or the budget was short for that
    check(most <= 60, f"{most} processes at once")
    w.check_clean()


if __name__ == "__main__":
    main(globals())
