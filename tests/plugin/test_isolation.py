"""Forked runs, time limits, and ordinary tests that are sampled."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sampling import (SCRIPT, check, ids, main, names, needs, pytest, report,  # noqa: E402
                      sections)

FORK = "--prob-isolate=fork"


def got(w):
    return {x["case"]: (x["passes"], x["fails"], x["errors"]) for x in report(w)["rows"]}


def errors(w):
    return {(x["case"], x["run"]): x["error"] for x in report(w)["records"]}


def case_lost_processes(w):
    w.write("bench_x.py", """
import os, signal, sys, time, pytest
from flaky_repro import record_cost
def bench_segv():
    record_cost(2); print("last words")
    os.kill(os.getpid(), signal.SIGSEGV)
def bench_exit(): os._exit(3)
def bench_zero(): os._exit(0)
def deep(): time.sleep(60)
def bench_hang():
    if os.fork() == 0: time.sleep(60)
    deep()
@pytest.fixture
def up(): os.abort()
def bench_up(up): pass
@pytest.fixture
def down(): yield; os.kill(os.getpid(), signal.SIGKILL)
def bench_down(down): pass
def bench_fine(): pass
""")
    r = pytest(w, FORK, "--prob-runs=2", "--prob-timeout=1", "--prob-json=out.json", "--tb=short")
    check(got(w) == {"segv": (0, 0, 2), "exit": (0, 0, 2), "zero": (0, 0, 2), "hang": (0, 0, 2),
                     "up": (0, 0, 2), "down": (0, 0, 2), "fine": (2, 0, 0)}, got(w), r)
    check({c: e for (c, n), e in errors(w).items() if n == 2} == {
        "segv": "killed by SIGSEGV", "exit": "the process ended with exit status 3",
        "zero": "the process ended with exit status 0", "hang": "timed out after 1 s",
        "up": "killed by SIGABRT", "down": "killed by SIGKILL", "fine": None}, errors(w))
    check(report(w)["totals"]["cost"] == 4, "what was spent before the end", report(w)["totals"])
    shown = "\n".join(sections(r)["FAILURES"])
    check(shown.count("last words") == 2, r)
    check(re.search(r'in deep\n.* in bench_hang', shown), "the stack of a hang", r)
    check(re.search(r"Segmentation fault\n.*\n.* in bench_segv", shown), r)
    check("_pytest" not in shown and "flaky_repro" not in shown, "machinery in a stack", r)
    check(r.took < 15, r)
    w.check_clean()


def case_what_ended_too_late(w):
    """The signal that asks a run for its stack may end what it waits for: no answer any more. What
    a run forked and let come back into pytest is no run of its own."""
    w.write("bench_x.py", """
import ctypes, os
from flaky_repro import record_cost
def bench_hang():
    record_cost(2)
    ctypes.CDLL(None).sleep(60)
def bench_twice():
    if os.fork() == 0: record_cost(5)
""")
    r = pytest(w, FORK, "--prob-runs=2", "--prob-timeout=1", "--prob-json=out.json")
    check(got(w) == {"hang": (0, 0, 2), "twice": (2, 0, 0)}, got(w), r)
    check({e for (c, _), e in errors(w).items() if c == "hang"} == {"timed out after 1 s"}, r)
    check(report(w)["totals"]["cost"] == 4, report(w)["totals"], r)
    check(r.status == 1, r)


def case_no_state_leaks(w):
    w.write("bench_x.py", """
import os
seen = []
def setup(): seen.append("setup")
def bench_list(): seen.append(1); assert seen == ["setup", 1]
def bench_environ():
    assert "LEAK" not in os.environ
    os.environ["LEAK"] = "1"; os.chdir("/")
def bench_after():
    assert "LEAK" not in os.environ and os.getcwd() != "/" and seen == ["setup"]
""")
    r = pytest(w, FORK, "--prob-runs=3", "--prob-json=out.json")
    check(r.status == 0 and got(w)["list"] == (3, 0, 0), r)
    r = pytest(w, "--prob-runs=3", "--prob-json=out.json")
    check(got(w) == {"list": (1, 2, 0), "environ": (1, 2, 0), "after": (0, 3, 0)}, got(w), r)


def case_wide_fixtures_once(w):
    w.write("conftest.py", """
import os, pytest
@pytest.fixture(scope="session", autouse=True)
def server(): print("UP"); yield os.getpid(); print("DOWN", os.getpid())
@pytest.fixture(scope="module", params=["x", "y"])
def kind(request): print("KIND", request.param); yield request.param
@pytest.fixture(scope="class")
def classy(): print("CLASSY"); return os.getpid()
@pytest.fixture
def each(server): print("EACH"); yield; print("OVER")
@pytest.fixture(scope="session")
def broken(): print("BROKEN"); raise OSError("not here")
@pytest.fixture(scope="session")
def skips(): pytest.skip("no server")
""")
    w.write("bench_x.py", """
import os, pytest
def bench_a(server, kind, each, tmp_path, tmp_path_factory):
    assert os.getppid() == server
    assert not list(tmp_path.iterdir()); (tmp_path / "f").write_text("")
class TestIt: pass
def bench_class(classy): assert classy == os.getpid()  # no class: it is of one run
def bench_broken(broken): pass
def bench_skips(skips): pass
@pytest.mark.skip
def bench_marked(broken): pass
def bench_out():
    import warnings; print("said"); warnings.warn("careful"); assert 0
""")
    r = pytest(w, FORK, "--prob-runs=2", "--prob-json=out.json", "-rA")
    check(got(w) == {"a::x": (2, 0, 0), "a::y": (2, 0, 0), "class": (2, 0, 0),
                     "broken": (0, 0, 2), "out": (0, 2, 0)}, got(w), r)
    check([r.out.count(x + "\n") for x in ("UP", "KIND x", "KIND y", "CLASSY", "EACH", "OVER")]
          == [1, 1, 1, 2, 4, 4], r)
    check("DOWN" in r.out and r.out.count("BROKEN\n") == 1, "teardown is captured too", r)
    check(errors(w)["broken", 2] == "OSError: not here" and "4 skipped" in r.out, r)
    check(r.out.count("said\n") == 2 and "UserWarning: careful" in r.out, r)
    bases = [p for p in w.tmp.glob("pytest-of-*/pytest-[0-9]*")]
    check(len(bases) == 1, "one base for all children", *bases)


def case_runs_draw_differently(w):
    w.write("bench_x.py", """
import random
def bench_a(): assert False, random.random()
""")
    def draws(*args):
        pytest(w, FORK, "--prob-runs=12", "--prob-json=out.json", *args)
        return [x["message"] or "" for x in report(w)["records"]]
    first, second = draws(), draws()
    check(len(set(first + second)) == 24, first, second)
    w.write("conftest.py", "import random\nrandom.seed(7)\n")
    check(draws() == draws() and len(set(draws())) == 12, "a seed of the project's still decides")


def case_nothing_is_left(w):
    """Children are reaped, descriptors closed, background processes of a run ended."""
    w.write("bench_x.py", """
import os, subprocess, sys
def bench_a():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
def bench_in_parent(): pass
""")
    w.write("conftest.py", """
import os, pytest
def state():
    children = open(f"/proc/self/task/{os.getpid()}/children").read().split()
    return len(os.listdir("/proc/self/fd")), len(children)
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_logfinish(nodeid):
    yield
    print("STATE", *state())
""")
    r = pytest(w, FORK, "--prob-runs=10", "-s", "-q")
    states = re.findall(r"STATE (\d+) (\d+)", r.out)
    check(len(states) == 20 and len(set(states)) == 1 and states[0][1] == "1", states, r)
    w.check_clean()


def case_exit_and_interrupt(w):
    w.write("bench_x.py", """
import pytest
def bench_a(): pass
def bench_exit(): pytest.exit("enough", returncode=9)
def bench_b(): pass
""")
    r = pytest(w, FORK, "-v")
    check(r.status == 9 and names(r) == ["bench_a::run1"] and "enough" in r.out, r)
    w.write("bench_x.py", "def bench_a(): raise KeyboardInterrupt\ndef bench_b(): pass\n")
    check(pytest(w, FORK).status == 2, r)
    w.write("bench_x.py", "def bench_a(): assert 0\ndef bench_b(): pass\n")
    r = pytest(w, FORK, "-x")
    check(r.status == 1 and "1 failed in" in r.out, r)


def case_others_that_time_out(w):
    """pytest-timeout raises from a signal of the parent's; output of -s is not lost."""
    w.write("conftest.py", """
import pytest, signal
def late(*_): pytest.fail("Timeout >0.5s")
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
""")
    w.write("bench_x.py", "import time\ndef bench_a():\n    print('begun')\n    time.sleep(60)\n"
                          "def bench_b(): print('fine')\n")
    r = pytest(w, FORK, "--prob-runs=2", "--prob-json=out.json", "-s")
    check(errors(w) == {("a", 1): "Timeout >0.5s", ("a", 2): "Timeout >0.5s", ("b", 1): None,
                        ("b", 2): None}, errors(w), r)
    check(r.out.count("fine") == 2 and "in bench_a" in r.out, r)


def case_gates_and_junit(w):
    w.write("bench_x.py", """
import pytest
at = open("at", "a+")
@pytest.mark.probability(min_rate=0.9)
def bench_g():
    at.write("."); at.flush(); at.seek(0)
    assert len(at.read()) % 4
""")
    r = pytest(w, FORK, "--prob-runs=8", "-v", "--junitxml=j.xml", "--tb=no")
    check([o for _, o in ids(r)].count("XFAIL") == 2 and ids(r)[-1][1] == "FAILED", r)
    check((w.project / "j.xml").read_text().count("<failure") == 1, r)


def case_coverage(w):
    needs(w, "pytest_cov")
    w.write("mod.py", "def f(x):\n    if x:\n        return 1\n    return 2\n")
    w.write("bench_x.py", "import mod, pytest\n@pytest.mark.parametrize('x', [0, 1])\n"
                          "def bench_a(x): mod.f(x)\n")
    r = pytest(w, FORK, "--prob-runs=2", "--cov=mod", "--cov-report=term",
               plugins=["pytest_cov.plugin"])
    check(re.search(r"mod\.py +4 +0 +100%", r.out), r)


TESTS = SCRIPT + """
import unittest, os
def test_plain(): nth("a", "P")
@pytest.mark.parametrize("who", ["admin", "guest"])
def test_login(who, tmp_path): assert who == "admin"
class TestX:
    @pytest.fixture(autouse=True)
    def mine(self): self.x = 1
    @pytest.mark.parametrize("n", [1])
    def test_login(self, n): assert self.x == n
class TestU(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.pid = os.getpid()
    def setUp(self): self.y = 2
    def test_u(self): self.assertEqual(self.y, 2)
    def test_wrong(self): self.assertEqual(self.y, 3)
    def test_error(self): raise OSError("no")
    @unittest.skip("not here")
    def test_skipped(self): pass
def test_raises():
    with pytest.raises(KeyError): pass
def f():
    '''
    >>> 1 + 1
    2
    '''
"""


def case_ordinary_tests(w):
    w.write("test_a.py", TESTS)
    w.write("test_b.py", "def test_plain(): pass\n")
    for extra in ([], ["--prob-isolate=off"]):
        r = pytest(w, "--prob-tests", "--prob-runs=2", "-v", "--tb=no", "--prob-json=out.json",
                   "--doctest-modules", *extra)
        check(got(w) == {
            "test_plain": (2, 0, 0), "test_login::admin": (2, 0, 0), "test_login::guest": (0, 2, 0),
            "TestX::test_login::1": (2, 0, 0), "TestU::test_u": (2, 0, 0),
            "TestU::test_wrong": (0, 2, 0), "TestU::test_error": (0, 0, 2),
            "test_raises": (0, 2, 0), "test_b.py::test_plain": (2, 0, 0)}, got(w), r)
        check("TestX::test_login[1][run2]" in names(r) and "test_a.f" in names(r), r)
        check(errors(w)["TestU::test_error", 1] == "OSError: no", errors(w))
    r = pytest(w, "--prob-tests", "-v", "--tb=no", "test_a.py")
    check("test_login[admin]" in names(r), "one run needs no number", r)


def case_tests_by_id(w):
    w.write("test_a.py", TESTS)
    for arg, want in (
            ("test_login[admin]", ["test_login[admin][run1]", "test_login[admin][run2]"]),
            ("test_login[guest][run2]", ["test_login[guest][run2]"]),
            ("test_plain", ["test_plain[run1]", "test_plain[run2]"]),
            ("TestX::test_login[1]", ["TestX::test_login[1][run1]", "TestX::test_login[1][run2]"]),
            ("TestU::test_u", ["TestU::test_u[run1]", "TestU::test_u[run2]"])):
        r = pytest(w, "--prob-tests", "--prob-runs=2", "-v", "--tb=no", f"test_a.py::{arg}")
        check(names(r) == want, arg, r)
    r = pytest(w, "--prob-tests", "--prob-runs=2", "test_a.py::test_login[nobody]")
    check(r.status == 4, r)


def case_tests_under_a_gate(w):
    w.write("test_a.py", """
import pytest
n = [0]
@pytest.mark.probability(min_rate=0.5, runs=6)
@pytest.mark.parametrize("x", [1, 2])
def test_g(x):
    assert x == 1, "twice"
""")
    r = pytest(w, "--prob-tests", "-v", "--tb=no")
    check([(i.partition("::")[2], o) for i, o in ids(r)] == [
        *((f"test_g[1][run{n}]", "PASSED") for n in range(1, 7)), ("test_g[1][gate]", "PASSED"),
        *((f"test_g[2][run{n}]", "XFAIL") for n in range(1, 7)), ("test_g[2][gate]", "FAILED")], r)
    r = pytest(w, "--prob-tests", "-v", "--tb=no", "test_a.py::test_g[2][gate]")
    check(names(r) == [*(f"test_g[2][run{n}]" for n in range(1, 7)), "test_g[2][gate]"], r)
    for _ in range(2):
        r = pytest(w, "--cache", "--prob-tests", "-v", "--tb=no", "--lf")
    check(names(r) == [*(f"test_g[2][run{n}]" for n in range(1, 7)), "test_g[2][gate]"], r)


main(globals())
