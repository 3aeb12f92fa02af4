"""Verdicts from evidence: pytest --ai-evidence over small suites, each broken in one way."""
import json
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import triage  # noqa: E402
from sampling import pytest, words  # noqa: E402
from triage import XDIST, asked, check, main, needs, rest  # noqa: E402

ON = ("--ai-evidence",)
BROKEN = "def test_sum():\n    assert 1 + 1 == 3\n"
NAME = "def test_name():\n    assert undefined == 1\n"
HASH = """
NAMES = {"ada", "grace", "alan", "edsger", "barbara", "donald", "tony", "john"}
def test_first():
    assert list(NAMES)[0] > "b"
"""
ORDER = """
SEEN = []
def test_leaves(): SEEN.append(1)
def test_stable(): assert True
def test_expects_none(): assert not SEEN
"""
ONCE = "import state\ndef test_once(): assert not state.is_first()\n"
STATE = """
import pathlib
def is_first():
    mark = pathlib.Path(__file__).with_name("ran")
    first = not mark.exists()
    mark.write_text("")
    return first
"""


def report(w, name=".triage.json"):
    return json.loads((w.project / name).read_text(encoding="utf-8"))


def by_test(w, name=".triage.json"):
    return {f["nodeid"].partition("::")[2] or f["nodeid"]: f for f in report(w, name)["failures"]}


def verdict(f):
    v = f["verdict"]
    return v and (v["category"], v["source"])


def told(text):
    return [line for line in rest(text) if line]


def fails(w, command, times=3):
    """What is printed to be pasted fails every time."""
    for _ in range(times):
        done = subprocess.run(command, shell=True, cwd=w.project, capture_output=True, timeout=60,
                              stdin=subprocess.DEVNULL, env=w.env(
                                  PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTHONDONTWRITEBYTECODE="1"))
        check(done.returncode == 1 and b"1 failed" in done.stdout, command, done)


def case_evidence_of_missing_files(w):
    """The machine's are the surroundings' fault; the project's, and the test's own, are not."""
    w.write("test_a.py", "import pathlib, subprocess\n"
            "HERE = pathlib.Path(__file__).parent\n"
            "def test_machine(): open('/etc/shop/licence.key')\n"
            "def test_home(): (pathlib.Path.home() / '.shop' / 'licence.key').read_text()\n"
            "def test_program(): subprocess.run(['no-such-program-of-the-shop'])\n"
            "def test_project(): (HERE / 'rates.csv').read_text()\n"
            "def test_relative(): open('rates.csv')\n"
            "def test_own(tmp_path): (tmp_path / 'out.csv').read_text()\n")
    r = pytest(w, *ON)
    got = {name: f["verdict"]["category"] for name, f in by_test(w).items()}
    check(got == {"test_machine": "env", "test_home": "env", "test_program": "env",
                  "test_project": "regression", "test_relative": "regression",
                  "test_own": "regression"}, got, r)


def case_evidence_of_broken_tests(w):
    """They fail every time; nothing else of the run is changed, and nothing left behind."""
    w.write("test_a.py", BROKEN + NAME + "def test_fine(): pass\n")
    plain = pytest(w, "-v")
    r = pytest(w, "-v", *ON)
    check(r.status == plain.status == 1 and told(r.out) == told(plain.out), r, plain)
    got = by_test(w)
    check(verdict(got["test_sum"]) == ("regression", "evidence"), got, r)
    check(verdict(got["test_name"]) == ("test_bug", "evidence"), got, r)
    for f in got.values():
        seen = f["evidence"]
        check(seen["runs"] == seen["failed"] >= 2 and seen["repro"] is None, seen)
        check(f["verdict"]["confidence"] in ("medium", "high"), f)
    check("NameError at test_a.py:4" in got["test_name"]["verdict"]["hypothesis"], got)
    check("pytest-triage: running again what failed (at most 60 s)\n" in r.out and
          "pytest-triage: 1 regression, 1 test_bug (evidence)\n" in r.out, r)
    check({p.name for p in w.project.iterdir()} == {"test_a.py", ".triage.json"}, r)
    w.check_clean()


def seed_that_fails(w):
    code = HASH + "\nprint(int(list(NAMES)[0] > 'b'))"
    for n in range(1, 100):
        done = subprocess.run([w.python, "-c", code], capture_output=True,
                              env={"PYTHONHASHSEED": str(n)})
        if done.stdout == b"0\n":
            return str(n)
    return check(False, "no seed of the first hundred")


def case_evidence_of_a_hash_seed(w):
    """The run had one seed; those of reruns are drawn."""
    w.write("test_a.py", HASH)
    r = pytest(w, *ON, env={"PYTHONHASHSEED": seed_that_fails(w)})
    (f,) = report(w)["failures"]
    check(verdict(f) == ("flaky", "evidence") and r.status == 1, f, r)
    check([c["axis"] for c in f["evidence"]["causes"]] == ["hashseed"], f)
    check("PYTHONHASHSEED" in f["verdict"]["hypothesis"], f)
    check("Change the code" in f["verdict"]["suggested_fix"], f)
    command = f["evidence"]["repro"]["command"]
    check(f"pytest-triage: flaky, fails every time: {command}\n" in r.out, command, r)
    fails(w, command)


def is_by_order(w, f, r):
    check(verdict(f) == ("flaky", "evidence") and r.status == 1, f, r)
    (cause,) = f["evidence"]["causes"]
    check((cause["axis"], cause["passes"], cause["tests"]) ==
          ("order", "alone", ["test_a.py::test_leaves"]), f)
    check("it fails after test_a.py::test_leaves and passes alone" in f["verdict"]["hypothesis"], f)
    command = f["evidence"]["repro"]["command"]
    done = subprocess.run(command, shell=True, cwd=w.project, capture_output=True,
                          env=w.env(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"))
    check(done.returncode == 1 and b"1 failed, 1 passed" in done.stdout, command, done)


def case_evidence_of_an_order(w):
    w.write("test_a.py", ORDER)
    r = pytest(w, *ON)
    is_by_order(w, by_test(w)["test_expects_none"], r)


def case_evidence_of_an_order_in_a_worker(w):
    needs(w, "xdist")
    w.write("test_a.py", ORDER)
    w.write("test_b.py", "def test_other(): pass\n")
    r = pytest(w, "-n2", "--dist=loadfile", *ON, plugins=XDIST)
    is_by_order(w, by_test(w)["test_expects_none"], r)


def case_evidence_of_a_missing_package(w):
    """Not to be had is one thing; a module of the project that is broken another."""
    w.write("test_b.py", "import no_such_package.part\n")
    w.write("shop/__init__.py", "")
    w.write("test_c.py", "import shop.cart\n")
    w.write("test_d.py", "def test_d(:\n")
    plain = pytest(w, "-v")
    r = pytest(w, "-v", *ON)
    check(r.status == plain.status == 2 and told(r.out) == told(plain.out), r, plain)
    got = by_test(w)
    check({name: verdict(f)[0] for name, f in got.items()} ==
          {"test_b.py": "env", "test_c.py": "regression", "test_d.py": "test_bug"}, got, r)
    check('"no_such_package" is not installed' in got["test_b.py"]["verdict"]["hypothesis"], got)
    check("Install what holds" in got["test_b.py"]["verdict"]["suggested_fix"], got)
    check(all((f["evidence"]["status"], f["evidence"]["runs"], f["evidence"]["failed"]) ==
              ("usage-error", 1, 1) for f in got.values()), got)


def case_evidence_of_what_passes_now(w):
    w.write("state.py", STATE)  # no text of the failure names what is left
    w.write("test_a.py", ONCE)
    r = pytest(w, "--ai-evidence-budget=8", *ON)
    (f,) = report(w)["failures"]
    check((verdict(f), r.status) == (("flaky", "evidence"), 1), f, r)
    check(f["evidence"]["failed"] == 0 < f["evidence"]["runs"], f)
    check("failed in the run and passed" in f["verdict"]["hypothesis"], f)


def case_evidence_of_the_network(w):
    """A connection that nobody accepts, and an error that only looks like one."""
    w.write("test_a.py", "import socket\n"
            "def test_asks(): socket.create_connection(('127.0.0.1', 9), timeout=2)\n"
            "def test_raises(): raise ConnectionError('of our own')\n")
    r = pytest(w, *ON)
    got = by_test(w)
    check(verdict(got["test_asks"])[0] == "env", got, r)
    check(verdict(got["test_raises"])[0] == "regression", got, r)


def case_evidence_needs_a_budget(w):
    w.write("test_a.py", BROKEN + NAME)
    for budget in ("0", "1.5"):
        r = pytest(w, f"--ai-evidence-budget={budget}", *ON)
        for f in report(w)["failures"]:
            check(f["verdict"] is None and f["evidence"]["status"] is None and r.status == 1, f, r)
            check(f["evidence"]["reason"] == "the budget for evidence was used up", f)
        check(f"(at most {float(budget):.0f} s)" in r.out or budget == "0", r)
        check("2 without a verdict" in r.out or budget == "0", r)
    for bad, word in (("-1", "between 0 and 86400"), ("x", "is no number"), ("nan", "no number")):
        r = pytest(w, f"--ai-evidence-budget={bad}", *ON)
        check(r.status == 4 and "--ai-evidence-budget" in r.err and word in r.err, r)


def case_evidence_beside_a_model(w):
    """fake calls an AssertionError a test_bug; what was measured stands."""
    w.write("test_a.py", BROKEN + "def test_value(): raise ValueError(1)\n")
    r = pytest(w, "--ai-triage=on", "--ai-provider=fake", *ON)
    got = by_test(w)
    check(verdict(got["test_sum"]) == ("regression", "evidence"), got, r)
    check(got["test_sum"]["verdict"]["hypothesis"].startswith("It failed again"), got)
    check(verdict(got["test_value"]) == ("regression", "evidence"), got)
    check(got["test_value"]["verdict"]["hypothesis"] == "ValueError in test_a.py::test_value", got)
    check("2 provider call(s)" in r.out, r)


def case_evidence_tells_no_secret(w):
    w.write("test_a.py", "import os\ndef test_a(): assert os.environ['MY_TOKEN'] == 'x'\n"
            "def test_b(): raise KeyError('password=hunter22')\n")
    r = pytest(w, *ON, env={"MY_TOKEN": "tiger-lily"})
    text = (w.project / ".triage.json").read_text()
    check("tiger-lily" not in text and "hunter22" not in text, text)
    kinds = [k for f in report(w)["failures"] for k in f["evidence"]["failures"]]
    check(len(kinds) == 2 and all("[REDACTED]" in k["message"] for k in kinds), kinds, r)


def case_evidence_by_the_ini_file(w):
    """And not in the runs of a diagnosis, which see the same file."""
    w.write("pytest.ini", "[pytest]\nai_evidence = on\nai_evidence_budget = 20\n")
    w.write("test_a.py", BROKEN)
    r = pytest(w)
    check(verdict(by_test(w)["test_sum"]) == ("regression", "evidence"), r)
    check("at most 20 s" in r.out and r.status == 1, r)
    w.write("pytest.ini", "[pytest]\nai_evidence = off\n")
    (w.project / ".triage.json").unlink()
    r = pytest(w)
    check("triage" not in r.out and not (w.project / ".triage.json").exists(), r)


def case_evidence_of_a_green_run(w):
    w.write("test_a.py", "def test_a(): pass\n")
    plain, r = pytest(w), pytest(w, *ON)
    check(r.status == 0 and told(r.out) == told(plain.out) and "triage" not in r.out, r)
    check(report(w)["total_failures"] == 0, report(w))


def case_evidence_what_is_asked(w):
    """The order goes to the program if something failed, and only with evidence."""
    w.write("test_a.py", "def test_a(): pass\ndef test_b(): assert 0\ndef test_c(): pass\n")
    triage.pytest(w, *ON, "--ai-report=r")
    q = asked(w)
    check(q["ran"] == [["test_a.py::test_a", "test_a.py::test_b", "test_a.py::test_c"]], q)
    check([f["before"] for f in q["failures"]] == [[0, 1]], q)
    triage.pytest(w, "--ai-report=r")
    check("ran" not in asked(w) and "before" not in asked(w)["failures"][0], asked(w))
    triage.pytest(w, *ON, "--ai-report=r", "-k", "test_a.py and test_c")
    check("ran" not in asked(w), asked(w))


def case_evidence_without_a_program(w):
    w.write("test_a.py", BROKEN + "def test_fine(): pass\n")
    plain = pytest(w, "-v")
    for how in ("kill", "die", "garbage", "raise"):
        r = triage.pytest(w, "-v", *ON, says=how, at="triage")
        check(r.status == plain.status == 1 and told(r.out) == told(plain.out), how, r)
        check("pytest-triage: no triage: " in r.out, how, r)
    r = pytest(w, "-v", *ON, env={"FLAKY_REPRO": str(w.folder / "nothing")})
    check(r.status == 1 and "triage is off" in r.out and "1 failed, 1 passed" in r.out, r)


def case_evidence_interrupted(w):
    """What is known by then is written."""
    w.write("test_a.py", BROKEN + f"""
import os, time
def test_slow():
    try:
        os.mkdir({str(w.outside / 'first')!r})
    except FileExistsError:
        os.mkdir({str(w.outside / 'again')!r})
        time.sleep(100)
    assert 0
""")
    child = subprocess.Popen(
        words(w, *ON), cwd=w.project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        env=w.env(PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=w.plugin, FLAKY_REPRO=w.program,
                  PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"))
    until = time.monotonic() + 60
    while not (w.outside / "again").exists() and time.monotonic() < until:
        time.sleep(.02)
    check((w.outside / "again").exists(), "it was not run again")
    child.send_signal(signal.SIGINT)
    out = child.communicate(timeout=30)[0].decode()
    got = by_test(w)
    check(verdict(got["test_sum"]) == ("regression", "evidence"), got, out)
    check(got["test_slow"]["verdict"] is None, got, out)
    check("interrupted" in got["test_slow"]["evidence"]["reason"], got)
    check("1 regression, 1 without a verdict (evidence)" in out, out)
    check(child.returncode == 1 and "2 failed" in out, child.returncode, out)
    w.check_clean()


def offline(w, name, *args):
    done = subprocess.run([w.program, "triage", name, "--ai-evidence", "--format", "json", "-q",
                           "--python", w.python, *args], cwd=w.project, capture_output=True,
                          timeout=150, env=w.env(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"))
    check(done.returncode == 0, done)
    return json.loads(done.stdout)["failures"]


def case_evidence_after_the_run(w):
    """The order comes from a file; without it the tests beside it are tried."""
    w.write("test_a.py", ORDER)
    pytest(w, "--ai-report=r.json", "--junitxml=r.xml")
    w.write("order", "".join(f"test_a.py::{t}\n" for t in (
        "test_leaves", "test_stable", "test_expects_none")))
    for name in ("r.json", "r.xml"):
        (f,) = offline(w, name, "--order-file", "order", "--", "-p", "no:cacheprovider")
        check(verdict(f) == ("flaky", "evidence"), f)
        check(f["evidence"]["causes"][0]["tests"] == ["test_a.py::test_leaves"], f)
    check(not (w.project / ".flaky-repro").exists(), "a log was left behind")


main(globals())
