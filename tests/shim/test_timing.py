"""A slow machine: clocks and timeouts that run faster than the work, delays, coarse clocks. Each
probe runs without the library too, as its negative twin."""
import time

from shim_case import case, main

FACTOR = 10


def seconds(call):
    began = time.monotonic()
    call()
    return time.monotonic() - began


def faster(b, *argv, share=0.5, **more):
    """The probe is right either way, and takes a share of the time where the clocks are fast."""
    bare = seconds(lambda: b.run(*argv, shim=False, **more))
    fast = seconds(lambda: b.run(*argv, FD_SPEED=f"x{FACTOR}", **more))
    assert fast < share * bare, (fast, bare)


@case
def speed_waits_until_deadlines(b):
    faster(b, b.probe("probe_wait"))


@case
def speed_every_way_to_wait(b):
    faster(b, b.probe("probe_pace"))


@case
def speed_in_a_thread(b):
    faster(b, b.probe("probe_pace"), "thread")


@case
def speed_after_fork(b):
    faster(b, b.probe("probe_pace"), "fork")


@case
def speed_after_exec(b):
    faster(b, b.probe("probe_pace"), "exec")


@case
def speed_in_a_signal_handler(b):
    faster(b, b.probe("probe_pace"), "signal")


@case
def speed_under_a_moved_clock(b):
    b.run(b.probe("probe_wait"), FD_SPEED="x10", FD_TIME="2024-02-29T23:59:59Z")
    b.run(b.probe("probe_pace"), FD_SPEED="x10", FD_TIME="+3d")


@case
def speed_clocks_agree_and_never_go_back(b):
    text = """
import time
ids = [time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, time.CLOCK_BOOTTIME, time.CLOCK_MONOTONIC_RAW]
first = [time.clock_gettime(i) for i in ids]
last = first[1]
while time.monotonic() - first[1] < 2:
    now = time.monotonic(); assert now >= last; last = now
gone = [time.clock_gettime(i) - f for i, f in zip(ids, first)]
assert max(gone) - min(gone) < 0.5, gone
"""
    took = seconds(lambda: b.code(text, FD_SPEED="x20"))
    assert took < 1.5, took


@case
def speed_below_one_is_a_fast_machine(b):
    text = """
import time
m, t = time.monotonic(), time.time(); time.sleep(0.2)
assert 0.2 <= time.monotonic() - m < 0.4 and 0.2 <= time.time() - t < 0.4
"""
    assert seconds(lambda: b.code(text, FD_SPEED="x0.2")) > 1
    b.run(b.probe("probe_pace"), FD_SPEED="x0.75")


@case
def speed_holds_from_the_window_on(b):
    text = """
import os, time
def gone():
    m = time.monotonic(); t = float(open('/proc/uptime').read().split()[0]); return m, t
a = gone(); time.sleep(0.2); b = gone()
os.environ['PYTEST_CURRENT_TEST'] = 't.py::a (setup)'
c = gone(); time.sleep(2); d = gone()
assert b[0] - a[0] < 2 * (b[1] - a[1]) + 0.05, 'fast before the window'
assert c[0] >= b[0] and d[0] - c[0] >= 2 and d[1] - c[1] < 1, (c, d)
"""
    b.code(text, FD_PAGE=b.page(timing="speed:x10", pytest=1))


@case
def speed_file_stamps_follow(b):
    text = """
import os, time
time.sleep(2)
open('f', 'w').close()
assert abs(os.stat('f').st_mtime - time.time()) < 0.9, (os.stat('f').st_mtime, time.time())
os.utime('f', ns=(10**18, 10**18)); assert os.stat('f').st_mtime_ns == 10**18
now = time.time_ns(); os.utime('f', ns=(now, now)); assert abs(os.stat('f').st_mtime_ns - now) < 20
"""
    b.code(text, cwd=b.dir, FD_SPEED="x20")


LATE = """
import sys, threading, time
def first(): seen.append(time.monotonic() - began)
for target, args in ((first, ()), (time.sleep, (0,)), (threading.Event().set, ())):
    seen, began = [], time.monotonic()
    t = threading.Thread(target=target, args=args); t.start()
    back = time.monotonic() - began
    t.join()
    print(back, time.monotonic() - began, *seen)
"""


@case
def threads_begin_late_and_start_does_not_wait(b):
    for line in b.code(LATE, FD_DELAY="threads:300ms").splitlines():
        back, joined, *seen = map(float, line.split())
        assert back < 0.25 and joined >= 0.29, line
        assert not seen or seen[0] >= 0.29, line
    for line in b.code(LATE, shim=False).splitlines():
        assert float(line.split()[1]) < 0.25, line


@case
def only_the_thread_that_was_meant_is_late(b):
    lines = b.code(LATE, FD_DELAY="thread2:300ms").splitlines()
    late = [float(line.split()[1]) >= 0.29 for line in lines]
    assert late == [False, True, False], lines


POLLS = """
import select, time
r, w = select.poll(), __import__('os').pipe()
r.register(w[0], select.POLLIN)
began = time.monotonic()
for _ in range(4): r.poll(0)
print(time.monotonic() - began)
"""
WAKES = """
import threading, time
began = time.monotonic(); time.sleep(0.01); print(time.monotonic() - began)
l = threading.Lock()
began = time.monotonic()
with l: pass
print(time.monotonic() - began)
"""
READS = """
import os, time
r, w = os.pipe(); os.write(w, b'x'); began = time.monotonic(); os.read(r, 1)
print(time.monotonic() - began)
import socket
a, c = socket.socketpair(); c.send(b'x'); began = time.monotonic(); a.recv(1)
print(time.monotonic() - began)
open('f', 'w').write('x'); began = time.monotonic(); os.read(os.open('f', os.O_RDONLY), 1)
print(time.monotonic() - began)
"""


@case
def each_place_has_its_delay(b):
    (polls,) = map(float, b.code(POLLS, FD_DELAY="loop:50ms").split())
    assert polls >= 0.2, polls
    slept, locked = map(float, b.code(WAKES, FD_DELAY="wakes:200ms").split())
    assert slept >= 0.21 and locked < 0.15, (slept, locked)
    pipe, received, file = map(float, b.code(READS, cwd=b.dir, FD_DELAY="io:150ms").split())
    assert pipe >= 0.15 and received >= 0.15 and file < 0.12, (pipe, received, file)
    for text in (POLLS, WAKES, READS):
        assert all(float(x) < 0.15 for x in b.code(text, cwd=b.dir, shim=False).split())


@case
def delays_repeat_with_their_seed_and_end(b):
    text = """
import select, time
began, took = time.monotonic(), []
for _ in range(60):
    t = time.monotonic(); select.poll().poll(0); select.select([0], [], [], 0)
    took.append(time.monotonic() - t)
print(round(time.monotonic() - began, 1), ' '.join('%d' % (1000 * t) for t in took[:4]))
"""
    def delays(seed):
        words = b.code(text, FD_DELAY=f"{seed}:40ms").split()
        return float(words[0]), [int(w) for w in words[1:]]

    (total, one), (_, again), (_, other) = delays(7), delays(7), delays(8)
    assert all(abs(x - y) < 30 for x, y in zip(one, again)), (one, again)
    assert any(abs(x - y) > 2 for x, y in zip(one, other)), (one, other)
    assert total < 1.5, total  # bounded: not 60 times up to 40 ms each


@case
def a_coarse_clock_moves_in_steps(b):
    text = """
import time
for now in (time.monotonic, time.perf_counter, time.time):
    a = now(); assert now() == a or now() - a > 0.19, now
    while now() == a: pass
    assert 0.19 < now() - a, now() - a
assert time.get_clock_info('monotonic').resolution == 0.2
began = time.monotonic(); time.sleep(0.5); assert 0.39 < time.monotonic() - began < 5
"""
    b.code(text, FD_COARSE="200ms")
    done = b.run(b.python, "-S", "-c", text, shim=False, status=None)
    assert done.returncode == 1


@case
def a_coarse_clock_does_not_make_event_loops_spin(b):
    text = """
import asyncio, time
c = time.process_time(); asyncio.run(asyncio.sleep(0.6)); assert time.process_time() - c < 0.3
"""
    b.out(b.python, "-c", text, FD_COARSE="100ms")


@case
def skipped_sleeps_move_the_clocks(b):
    text = """
import time
m, t = time.monotonic(), time.time(); time.sleep(3600)
assert 3600 <= time.monotonic() - m < 3630 and 3600 <= time.time() - t < 3630
"""
    assert seconds(lambda: b.code(text, FD_SLEEP="skip")) < 15


@case
def one_core_is_held(b):
    text = "import os; print(len(os.sched_getaffinity(0)))"
    assert b.code(text, FD_SETTING="timing=onecore") == "1\n"
    assert b.code(text, FD_PAGE=b.page(timing="onecore")) == "1\n"
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', %r])" % text
    assert b.code(child, FD_SETTING="timing=onecore") == "1\n"


@case
def calls_that_a_slow_machine_spoils_are_counted(b):
    page = b.page(pytest=1)
    text = """
import os, threading, time
os.environ['PYTEST_CURRENT_TEST'] = 't.py::a (setup)'
%s
"""
    b.code(text % "1 + 1", FD_PAGE=page)
    nothing = b.counters(page)
    page = b.page(pytest=1)
    b.code(text % "time.sleep(0); time.monotonic()", FD_PAGE=page)
    some = b.counters(page)

    def inside(c):
        return c["touched.timing"] - c["at_open.timing"]

    # the interpreter's own way out is in both
    assert inside(some) - inside(nothing) >= 2, (nothing, some)


@case
def clock_reads_of_pythons_own_locks_are_not_the_programs(b):
    folder = b.dir / "own"
    folder.mkdir()
    (folder / "lines.py").write_text("""import json, threading, time
lock = threading.Lock()
def quiet():
    json.dumps([1])
    with lock: pass
    open('/dev/null').close()
    print('x')
def reads():
    began = time.monotonic()
    with lock: pass
    return time.monotonic() - began
def waits():
    lock.acquire(); lock.acquire(timeout=0.01)
""")
    for function, lines in (("quiet", set()), ("reads", {"9", "11"}), ("waits", {"13"})):
        page = b.page(witness=1, pytest=1)
        b.code(f"import os, sys; sys.path.insert(0, {str(folder)!r}); import lines\n"
               f"os.environ['PYTEST_CURRENT_TEST'] = 't.py::a (setup)'; lines.{function}()",
               FD_PAGE=page)
        sites = b.counters(page)["sites"]
        found = {s[2].split(":")[1] for s in sites if s[0] == "timing"}
        assert found >= lines - {"9"} and found <= lines, (function, sites)


@case
def timing_that_cannot_be_used_stops_the_program(b):
    for name, value in (("FD_SPEED", "20"), ("FD_SPEED", "x0"), ("FD_DELAY", "60ms"),
                        ("FD_DELAY", "thread0:60ms"), ("FD_COARSE", "16"), ("FD_SLEEP", "no"),
                        ("FD_SETTING", "timing=fast")):
        done = b.run("/bin/true", status=125, **{name: value})
        assert done.stderr.startswith("libfd: ") and "; write " in done.stderr, done.stderr


if __name__ == "__main__":
    main()
