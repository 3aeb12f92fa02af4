"""When the test begins: the window, its clock and its streams, and Python's global generators."""
import os
import subprocess

from shim_case import Skip, case, main

LEAP = 1709251199
LEAP_TEXT = "2024-02-29T23:59:59.5Z"
BEGIN = """
import os, random, sys, time
def phase(node, word): os.environ['PYTEST_CURRENT_TEST'] = f'{node} ({word})'
def begin(node='t.py::a'): phase(node, 'setup')
"""


def pytest_python(bench):
    for python in (bench.python, "/usr/bin/python3"):
        if bench.run(python, "-c", "import pytest", status=None, shim=False).returncode == 0:
            return python
    raise Skip("no pytest")


def files(b, **texts):
    folder = b.dir / f"tests{len(os.listdir(b.dir))}"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    return folder


@case
def before_the_window_the_clock_is_a_little_early(b):
    page = b.page(time=LEAP_TEXT, pytest=1)
    text = BEGIN + """
early = time.time(); begin(); now = time.time(); print(early, now)
time.sleep(0.2); phase('t.py::a', 'call'); print(time.time() - now)
"""
    early, now, passed = map(float, b.code(text, FD_PAGE=page).split())
    assert LEAP + .5 - 1 <= early < LEAP + .5, early
    assert LEAP + .5 <= now < LEAP + .6, now
    assert 0.2 <= passed < 0.4
    got = b.counters(page)
    assert got["windows"] == 1 and 0 < got["at_open.time"] < got["touched.time"], got


@case
def window_opens_for_each_test_and_not_inside_one(b):
    page = b.page(time=LEAP_TEXT, pytest=1)
    text = BEGIN + """
begin('a'); time.sleep(0.15); phase('a', 'call')
begin('inner'); assert time.time() > %d.64, time.time(); phase('inner', 'teardown')
begin('inner2'); assert time.time() > %d.64
phase('a', 'teardown'); time.sleep(0.15)
begin('b'); assert time.time() < %d.6; phase('b', 'teardown')
begin('b'); phase('b', 'teardown')
""" % (LEAP, LEAP, LEAP)
    b.code(text, FD_PAGE=page)
    assert b.counters(page)["windows"] == 3


@case
def offset_holds_from_the_start(b):
    text = BEGIN + "early = time.time(); begin(); print(early, time.time(), open('/proc/uptime').read())"
    early, now = map(float, b.code(text, FD_PAGE=b.page(time="+1d", pytest=1)).split()[:2])
    assert 0 <= now - early < 1


@case
def at_is_counted_across_processes(b):
    text = """
B = %s
def now(): return time.time()
seen = [now() for _ in range(3)]
assert all(B - 0.9 < s < B for s in seen), seen
time.sleep(0.01); t = now(); assert t < B and t - seen[2] >= 0.01, t - seen[2]  # it runs
pid = os.fork()
if not pid:
    s = now(); os._exit(0 if B - 0.9 < s < B else 1)
assert os.waitpid(pid, 0)[1] == 0
assert now() < B
s = now(); assert B <= s < B + 0.3, s
time.sleep(0.1); s = now(); assert B + 0.1 <= s < B + 0.6, s
""" % (LEAP + .5)
    text = BEGIN + "begin()" + text
    b.code(text, FD_PAGE=b.page(time=LEAP_TEXT + "/at:6:900ms", pytest=1))
    b.code(text, FD_TIME=LEAP_TEXT, FD_TIME_FLOW="at:6:900ms")


@case
def at_never_shows_less_than_passed(b):
    """A test that measures how long something took must not fail for a boundary on the way."""
    text = BEGIN + """
begin(); a = time.time(); m = time.monotonic(); time.sleep(0.2)
took = time.time() - a; passed = time.monotonic() - m
assert 0.2 <= took < passed + 1, (took, passed)
"""
    for at in range(1, 6):
        for lead in ("1ms", "20ms", "100ms", "1s"):
            b.code(text, FD_TIME=LEAP_TEXT, FD_TIME_FLOW=f"at:{at}:{lead}")


@case
def step_moves_at_each_read(b):
    text = "import time; print(*[time.time_ns() for _ in range(4)])"
    a = [int(n) for n in b.code(text, FD_TIME=LEAP_TEXT, FD_TIME_FLOW="step:1ms").split()]
    assert [y - x for x, y in zip(a, a[1:])] == [1000000] * 3, a
    assert LEAP <= a[0] / 1e9 < LEAP + 1


@case
def children_continue_the_clock(b):
    text = """
import subprocess, sys, time
time.sleep(0.3)
show = 'import time; print(time.time())'
for env in (None, {}):
    child = float(subprocess.run([sys.executable, '-S', '-c', show], capture_output=True, env=env).stdout)
    assert 0 < child - time.time() + 1 < 1.01 and time.time() - child < 1, (child, time.time())
"""
    for prefix in ("", BEGIN + "begin()\n"):
        b.code(prefix + text, FD_TIME=LEAP_TEXT)
        b.code(prefix + text, FD_PAGE=b.page(time=LEAP_TEXT, pytest=1 if prefix else 0))


@case
def streams_restart_with_the_window(b):
    text = BEGIN + """
[os.urandom(5) for _ in range(int(sys.argv[1]))]
begin(); one = os.urandom(8).hex(), random.random()
phase('t.py::a', 'teardown'); begin('t.py::b'); two = os.urandom(8).hex(), random.random()
phase('t.py::b', 'teardown'); begin(); three = os.urandom(8).hex(), random.random()
print(one, two, three)
assert one == three != two
"""
    seen = {b.code(text, n, FD_RNG=28) for n in (0, 1, 7)}
    seen.add(b.code(text, 3, FD_PAGE=b.page(rng=28, pytest=1)))
    assert len(seen) == 1, seen


@case
def a_warm_child_agrees_with_a_fresh_run(b):
    fresh = b.code(BEGIN + "begin(); print(os.urandom(8).hex(), random.random(), time.time_ns() // 10**8)",
                   FD_PAGE=b.page(rng=28, time=LEAP_TEXT, pytest=1))
    warm = b.code(BEGIN + """
os.urandom(3); state = random.getstate()
for path in sys.argv[1:]:
    pid = os.fork()
    if not pid:
        random.setstate(state)
        os.putenv('FD_CTL', 'attach:' + path)
        begin(); print(os.urandom(8).hex(), random.random(), time.time_ns() // 10**8, flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
""", *(b.page(rng=28, time=LEAP_TEXT, pytest=1) for _ in range(2)), FD_PAGE=b.page(pytest=1))
    assert warm == fresh * 2, (warm, fresh)


@case
def the_generator_that_the_program_seeded_is_left_alone(b):
    free = b.code(BEGIN + "begin(); print(random.random())", FD_RNG=28)
    for before in ("[random.random() for _ in range(3)]", "[random.random() for _ in range(9000)]",
                   "import tempfile; tempfile.mktemp(); random.Random(); random.gauss(0, 1)"):
        assert b.code(BEGIN + before + "\nbegin(); print(random.random())", FD_RNG=28) == free, before
    for before in ("random.seed(5)", "random.seed(5); random.random()", "random.seed('x')",
                   "random.setstate(random.Random(4).getstate())"):
        check = before.replace("random.seed", "r.seed").replace("random.setstate", "r.setstate") \
                      .replace("; random.random", "; r.random")
        b.code(BEGIN + f"r = random.Random(0)\n{before}\n{check}\nbegin()\n"
               "assert random.getstate() == r.getstate()", FD_RNG=28)
    b.code(BEGIN + "s = random.getstate(); begin(); assert random.getstate() == s", FD_TIME="+1d")


@case
def seeding_leaves_no_trace_in_the_interpreter(b):
    b.code(BEGIN + """
before = set(globals()) | {'before', 'modules'}
modules = set(sys.modules)
begin()
assert set(globals()) == before, set(globals()) - before
assert set(sys.modules) == modules
assert sys.exc_info() == (None, None, None)
random.getstate = None
begin('t.py::broken')
try: 1 / 0
except ZeroDivisionError: begin('t.py::in_handler')
""", FD_RNG=28)


@case
def numpy_global_state(b):
    if b.run(b.python, "-c", "import numpy", status=None, shim=False).returncode:
        raise Skip("no numpy")

    def shown(before):
        return b.out(b.python, "-c", BEGIN + f"import numpy, numpy.random\n{before}\nbegin()\n"
                     "print(numpy.random.random())", FD_RNG=3)
    assert shown("") == shown("numpy.random.random(5)")
    assert shown("numpy.random.seed(4)") == shown("numpy.random.seed(4)") != shown("")
    again = "phase('t.py::a', 'teardown')"
    assert shown("begin()\nnumpy.random.random()\n" + again) == shown("")


@case
def by_hand_under_pytest(b):
    python = pytest_python(b)
    folder = files(b, test_one="""
import os, random, subprocess, sys, time
EARLY = time.time()
def test_one():
    assert EARLY < 1709251199.5 <= time.time() < 1709251201
    print('ONE', os.urandom(4).hex(), random.random())
    child = subprocess.run(['date', '+%s'], env={}, capture_output=True, text=True).stdout
    assert 1709251199 <= int(child) < 1709251205
""")
    out = [b.out(python, "-m", "pytest", "-sq", "-p", "no:cacheprovider", folder, FD_TIME=LEAP_TEXT,
                 FD_RNG=n) for n in (28, 28, 29)]
    ones = [[line for line in o.splitlines() if "ONE" in line] for o in out]
    assert ones[0] == ones[1] != ones[2] and ones[0], out
    paged = b.out(python, "-m", "pytest", "-sq", "-p", "no:cacheprovider", folder,
                  FD_PAGE=b.page(time=LEAP_TEXT, rng=28, pytest=1))
    assert ones[0][0] in paged, paged


@case
def pytest_inside_a_test_keeps_the_outer_window(b):
    python = pytest_python(b)
    folder = files(b, inner_case="import time\ndef test_in(): assert time.time() > 1709251199.7\n",
                   test_outer="""
import os, pathlib, subprocess, sys, time, pytest
def test_outer():
    time.sleep(0.25)
    inner = str(pathlib.Path(__file__).parent / 'inner_case.py')
    assert pytest.main(['-q', '-p', 'no:cacheprovider', inner]) == 0
    assert time.time() > 1709251199.7
    done = subprocess.run([sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', inner])
    assert done.returncode == 0
""")
    b.out(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder / "test_outer.py",
          FD_TIME=LEAP_TEXT)
    b.out(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder / "test_outer.py",
          FD_PAGE=b.page(time=LEAP_TEXT, pytest=1))


@case
def witness_names_the_line(b):
    folder = files(b, lines="""
import json, os, random, time
def when():
    return time.time()
def draw():
    return os.urandom(4)
def both():
    x = when()
    for _ in range(3):
        draw()
    json.dumps([1])
    return time.time_ns() - x
""")
    run = BEGIN + f"sys.path.insert(0, {str(folder)!r})\nimport lines\ntime.time(); begin(); lines.both()"
    page = b.page(witness=1, pytest=1)
    b.code(run, FD_PAGE=page)
    sites = b.counters(page)["sites"]
    want = [["time", "clock_gettime", "lines.py:4", "when", "1"],
            ["rng", "getrandom", "lines.py:6", "draw", "3"],
            ["time", "clock_gettime", "lines.py:12", "both", "1"]]
    assert [s[:5] for s in sites] == want, sites
    assert [s[5:] for s in sites] == [["1", "1"], ["0", "0"], ["2", "2"]], sites
    log = b.dir / "log"
    b.code(run, FD_LOG=log)
    assert log.read_text().splitlines() == [
        f"time clock_gettime {folder}/lines.py:4 when", f"rng getrandom {folder}/lines.py:6 draw",
        f"time clock_gettime {folder}/lines.py:12 both"], log.read_text()


@case
def witness_counts_the_reads_of_the_window(b):
    folder = files(b, reads="import time\ndef go():\n    time.time()\n    time.time()\n"
                            "    for _ in range(3):\n        time.time()\n")
    page = b.page(witness=1, pytest=1, time=LEAP_TEXT + "/at:3")
    b.code(BEGIN + f"sys.path.insert(0, {str(folder)!r})\nimport reads\nbegin(); reads.go()",
           FD_PAGE=page)
    got = [(s[2], s[4:]) for s in b.counters(page)["sites"]]
    assert got == [("reads.py:3", ["1", "1", "1"]), ("reads.py:4", ["1", "2", "2"]),
                   ("reads.py:6", ["3", "3", "5"])], got


if __name__ == "__main__":
    main()
