"""Odd node ids survive into the command that is printed; awkward tests and settings of pytest do
not change the question; a small budget never makes a verdict."""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main, skip  # noqa: E402

ODD = ["plain", "two words", "it's", 'say "x"', "$HOME", "`id`", "$(id)", "[x]", "a]b[c", "a::b",
       "-leading", "back\\slash", "new\nline", "tab\there", "caf\u00e9 \u2603", "*?", "a;b&c|d>e",
       "!bang", "#hash", "~", "%s%n", "x" * 150, "trailing ", "{a,b}"]


def report(w, *args, **how):
    r = w.run(args[0], "--json", str(w.folder / "o.json"), *args[1:], **how)
    check((w.folder / "o.json").exists(), r)
    found = json.loads((w.folder / "o.json").read_text(encoding="utf-8"))
    return r, found.get("findings", found.get("reports", [found]))


def case_odd_ids(w):
    """Each is found again by the id pytest gives, judged, and named as it is."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "plugin"))
    from test_outcomes import trials
    w.write("test_odd.py", "import pytest\nODD = %r\n"
            '@pytest.mark.parametrize("x", ODD, ids=ODD)\n'
            "def test_odd(x):\n    assert 0, 'seen'\n" % ODD)
    out = subprocess.run([w.python, "-m", "pytest", "--collect-only", "-q", "-p",
                          "no:cacheprovider"], cwd=w.project, capture_output=True,
                         env=w.env(PYTHONDONTWRITEBYTECODE=1)).stdout.decode("utf-8")
    ids = [line for line in out.split("\n") if line.startswith("test_odd.py::")]
    check(len(ids) == len(ODD), out)
    for tier in ("warm", "fresh"):
        for row in trials(w, tier, ids[:: 1 if tier == "warm" else 5], limit_ms=20000):
            check(row["kind"] == "fail" and row["message"].startswith("seen"), row)
            check(row["tier"] == tier, row)


def pasteable(w, param):
    w.write("test_odd.py", "import random\nimport pytest\n"
            '@pytest.mark.parametrize("x", [1], ids=[%r])\n'
            "def test_odd(x):\n    assert 'a' != next(iter({'a', 'b', 'c', 'd'}))\n" % param)
    r = w.run("test_odd.py", budget=40)
    check(r.status == 1 and "hash order" in r.out, r)
    command = re.search(r"^ *(PYTHONHASHSEED=.*)$", r.out, re.M)
    check(command, r)
    for shell in ("sh", "bash"):
        done = subprocess.run([shell, "-c", command[1]], cwd=w.project, capture_output=True,
                              env=w.env(PYTHONDONTWRITEBYTECODE=1))
        check(done.returncode == 1 and b"1 failed" in done.stdout, command[1], done.stdout,
              done.stderr)


def case_paste_quotes(w):
    pasteable(w, "it's \"$HOME\" `id` $(id) \\ !x")


def case_paste_brackets(w):
    pasteable(w, "a::b [c] caf\u00e9 *?")


def case_paste_newline(w):
    pasteable(w, "-x\n\t;rm")


def case_budget_one(w):
    """A quarter of the budget is less than it takes to collect."""
    w.write("test_a.py", "import time\ntime.sleep(0.6)\ndef test_x():\n    time.sleep(2)\n")
    r = w.run("test_a.py::test_x", budget=1)
    check(r.took < 1.5 + 15, r)
    check(r.status in (0, 3), "a slow test is no failure", r)
    check("hang" not in r.out and "could not run" not in r.out, r)


def case_budget_five_slow(w):
    w.write("test_a.py", "import time\ndef test_x():\n    time.sleep(2)\n")
    r = w.run("test_a.py::test_x", budget=5)
    check(r.took < 5 * 1.5 + 15, r)
    check(r.status in (0, 3), "a slow test is no failure", r)
    check("hang" not in r.out, r)
    w.check_clean()


def case_budget_twelve_slow(w):
    w.write("test_a.py", "import time\ndef test_x():\n    time.sleep(2)\n")
    r = w.run("test_a.py::test_x", budget=12)
    check(r.took < 12 * 1.5 + 15, r)
    check(r.status in (0, 3) and "hang" not in r.out, r)


def case_budget_five_hanging(w):
    w.write("test_a.py", "import time\ndef test_x():\n    time.sleep(3600)\n")
    r = w.run("test_a.py::test_x", budget=5)
    check(r.took < 5 * 1.5 + 15, r)
    check(r.status in (3, 4), r)
    w.check_clean()


def case_budget_sometimes_hanging(w):
    """Passes cheaply, hangs now and then: nothing that began late may hold the end up."""
    w.write("test_a.py", "import os, time\ndef test_x():\n"
            "    if os.urandom(1)[0] < 25:\n        time.sleep(3600)\n")
    r = w.run("test_a.py::test_x", budget=8)
    check(r.took < 8 * 1.5 + 15, r)
    check(r.status in (0, 1, 3), r)
    w.check_clean()


def case_threads_before_the_fork(w):
    """A thread that exists when the test begins does not survive a fork: fresh runs only."""
    w.write("conftest.py", "import threading, time\n"
            "threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()\n")
    w.write("test_a.py", "import threading\ndef test_x():\n"
            "    assert threading.active_count() == 2\n")
    r, found = report(w, "test_a.py::test_x", budget=10)
    check(r.status in (0, 3), r)
    check("every run was a fresh process" in r.out and "threads" in r.out, r)
    check(found[0]["stats"]["warm"] == 0, found[0]["stats"])


def busy_project(w):
    """Its ini file asks for everything that trials must leave out."""
    have = subprocess.run([w.python, "-m", "pip", "list", "--format=json"], capture_output=True)
    names = {p["name"].lower() for p in json.loads(have.stdout or b"[]")}
    want = {"pytest-xdist": "-n 2", "pytest-rerunfailures": "--reruns 3",
            "pytest-timeout": "--timeout=5", "pytest-randomly": "-p randomly",
            "pytest-cov": "--cov=. --cov-report=html --cov-fail-under=99",
            "pytest-repeat": "--count=3", "pytest-random-order": "--random-order"}
    if not names & set(want):
        skip("none of the plugins is installed for " + w.python)
    opts = " ".join(o for n, o in want.items() if n in names)
    w.write("pytest.ini", "[pytest]\naddopts = %s -x --lf --junitxml=reports/j.xml "
            "--strict-markers -W error\n%s" % (
                opts, "asyncio_default_fixture_loop_scope = function\n"
                if "pytest-asyncio" in names else ""))
    w.write("test_a.py", "import os, random, pytest\n@pytest.mark.filterwarnings('default')\n"
            "def test_x():\n    assert 'PYTEST_XDIST_WORKER' not in os.environ\n"
            "def test_y():\n    assert False\n"
            "def test_z():\n    assert os.urandom(1)[0] >= 64\n")


def case_settings_of_a_busy_project(w):
    busy_project(w)
    r, found = report(w, "test_a.py::test_x", budget=8)
    check(r.status in (0, 3), r)
    check(found[0]["baseline"]["failed"] == 0 and found[0]["baseline"]["runs"] > 0, r)
    r = w.run("test_a.py::test_y", budget=40)
    check(r.status == 4, r)
    w.check_clean()


def case_settings_hide_no_flake(w):
    busy_project(w)
    r, found = report(w, "test_a.py::test_z", budget=20)
    check(r.status in (1, 3) and found[0]["baseline"]["failed"] > 0, "reruns hide nothing", r)


def case_clean_after_checking_the_command(w):
    """The printed command is tried once as the user would: what it writes must not stay either."""
    w.write("pytest.ini", "[pytest]\naddopts = --junitxml=reports/j.xml\n")
    w.write("test_a.py", "def test_x(tmp_path):\n"
            "    assert 'a' != next(iter({'a', 'b', 'c', 'd'}))\n")
    r = w.run("test_a.py::test_x", budget=40)
    check(r.status == 1 and "PYTHONHASHSEED" in r.out, r)
    w.check_clean()


def case_addopts_of_the_environment(w):
    w.write("test_a.py", "def test_x():\n    pass\n")
    r = w.run("test_a.py::test_x", budget=5, env={"PYTEST_ADDOPTS": "-k nothing --no-such-option"})
    check(r.status in (0, 3), r)


def seeded(w, conftest, body, again=False, budget=12):
    if conftest:
        w.write("conftest.py", conftest)
    w.write("test_a.py", body)
    r, found = report(w, "test_a.py::test_x", budget=budget)
    # Seeded once in a process, a second run of the test draws the next number: that is so.
    causes = [(c["axis"], c["value"]) for c in found[0]["cause"]]
    check(causes in ([], [("order", "a second time")] if again else []), r)
    check(r.status in ((1,) if causes else (0, 3)), r)
    check(found[0]["baseline"]["failed"] == 0, r)


def case_seeded_at_import(w):
    """The program's own seed stays, in both tiers and under every value of rng."""
    seeded(w, "import random\nrandom.seed(5)\n",
           "import random\nWANT = random.Random(5).random()\n"
           "def test_x():\n    assert random.random() == WANT\n", again=True)


def case_seeded_by_a_fixture(w):
    seeded(w, "import random, pytest\n@pytest.fixture(autouse=True)\n"
           "def seed():\n    random.seed(7)\n",
           "import random\nWANT = random.Random(7).random()\n"
           "def test_x():\n    assert random.random() == WANT\n")


def case_seeded_and_drawn_at_import(w):
    seeded(w, "import random\nrandom.seed(5)\nDRAWN = [random.random() for _ in range(700)]\n",
           "import random\nr = random.Random(5)\nWANT = [r.random() for _ in range(701)][-1]\n"
           "def test_x():\n    assert random.random() == WANT\n", again=True)


def case_seeded_numpy(w):
    if subprocess.run([w.python, "-c", "import numpy"], capture_output=True).returncode:
        skip("numpy is not installed for " + w.python)
    seeded(w, "import numpy\nnumpy.random.seed(5)\n",
           "import numpy\nWANT = numpy.random.RandomState(5).random_sample()\n"
           "def test_x():\n    assert numpy.random.random() == WANT\n", again=True)


def case_output_survives(w):
    """Megabytes, no UTF-8, escapes: our own report stays text that a terminal can bear."""
    w.write("test_a.py", "import os\ndef test_x():\n"
            "    os.write(1, b'\\xff\\x1b[31m\\x07\\x00' * 1000000)\n"
            "    raise AssertionError('\\x1b[31mred\\x1b[0m \\udc80 \\x07 caf\\u00e9')\n")
    r, found = report(w, "test_a.py::test_x", "--", "-s", budget=20)
    check(r.status == 4, r)
    check("\x1b" not in r.out + r.err and "\x07" not in r.out + r.err, repr(r.out))
    check("caf\u00e9" in found[0]["message"] if "message" in found[0] else True, found[0])


def case_doctest(w):
    w.write("pytest.ini", "[pytest]\naddopts = --doctest-modules\n")
    w.write("m.py", 'def one():\n    """\n    >>> one()\n    2\n    """\n    return 1\n')
    r = w.run("m.py::m.one", budget=20)
    check(r.status == 4, r)
    w.check_clean()


def case_conftest_reads_reports(w):
    """Hooks of the project that look into a failure find what pytest would give them."""
    w.write("conftest.py", "import pytest\n@pytest.hookimpl(hookwrapper=True)\n"
            "def pytest_runtest_makereport(item, call):\n    outcome = yield\n"
            "    rep = outcome.get_result()\n    if rep.failed:\n"
            "        assert rep.longrepr.reprcrash.message, rep.longreprtext\n"
            "        rep.longrepr.reprtraceback.reprentries[-1]\n"
            "        rep.longrepr.addsection('mine', 'text')\n")
    w.write("test_a.py", "def test_x():\n    assert 0\n")
    r = w.run("test_a.py::test_x", budget=20)
    check(r.status == 4 and "AssertionError at test_a.py:2" in r.out, r)


def case_below_the_root(w):
    """Ids are relative to pytest's rootdir, what is typed to where the reader stands."""
    w.write("pytest.ini", "[pytest]\n")
    w.write("a b/unittest/test_a.py", "def test_x():\n    assert 0\n")
    r = w.run("test_a.py::test_x", budget=20, cwd=w.project / "a b" / "unittest")
    check(r.status == 4 and "AssertionError at a b/unittest/test_a.py:2" in r.out, r)


JOBS = """
class Job:
    def __init__(self, name):
        self.name = name
{more}def schedule(*jobs):
    return list(set(jobs))
"""
JOBS_TEST = """
from jobs import Job, schedule
def test_x():
    first, second = Job("first"), Job("second")
    assert schedule(first, second)[0].name == "first"
"""


def case_a_layout_is_searched_in_a_replay(w):
    """Where the recorded layout is another one, others are tried until one fails as recorded."""
    w.write("jobs.py", JOBS.format(more=""))
    w.write("test_a.py", JOBS_TEST)
    r = w.run("test_a.py", "--format", "json", budget=60)
    report = json.loads(r.out)
    check(report["verdict"] == "flaky-address", report)
    blob = report["repro"]["blob"]

    def replay():
        words = [w.program, "replay", blob, "--python", w.python]
        return subprocess.run(words, cwd=w.project, env=w.env(), capture_output=True, text=True,
                              timeout=120)
    again = replay()
    check(again.returncode == 1, again.stdout, again.stderr)
    check(again.stdout.endswith("reproduced: test_a.py::test_x fails as recorded, AssertionError at "
                                "test_a.py:5\n"), again.stdout)
    tried = []
    for n in range(1, 9):  # one more object each time; half the layouts keep the order
        extra = f"        self.kept = [Job.__new__(Job) for _ in range({n})]\n"
        w.write("jobs.py", JOBS.format(more=extra))
        again = replay()
        check(again.returncode == 1, again.stdout, again.stderr)
        tried += re.findall(r"AssertionError at test_a.py:5 \(after (\d+) address layouts\)",
                            again.stdout)
        if tried:
            break
    check(tried and 2 <= int(tried[0]) <= 64, again.stdout)
    w.write("test_a.py", JOBS_TEST.replace("schedule(first, second)", "[first, second]"))
    never = replay()
    check(never.returncode == 3 and "DID NOT REPRODUCE" in never.stdout
          and never.stdout.endswith("with 64 address layouts\n"), never.stdout, never.stderr)
    w.check_clean()


if __name__ == "__main__":
    main(globals())
