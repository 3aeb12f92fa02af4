"""Triage from end to end: pytest, the program, and providers in Python."""
import json
import os
import pathlib
import stat
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sampling import ids, pytest  # noqa: E402
from triage import FAILED, FAILING, ON, XDIST, check, main, needs, rest  # noqa: E402

TWO = "def test_a(): assert 0\ndef test_b(): raise OSError('down')\ndef test_c(): pass\n"
BAD = r"""
import os, signal, sys, time
from pytest_triage.providers import BaseTriageClient, Verdict
class Good(BaseTriageClient):
    model = "mine-1"
    def _request(self, prompt):
        assert "OSError" in prompt or "assert 0" in prompt, prompt
        print("noise")
        return 'well: {"category": "env", "confidence": "high", "hypothesis": "h"}'
    def close(self): open("closed", "w").close()
class Raises(Good):
    def _request(self, prompt): raise ConnectionError("reset by peer")
class Garbage(Good):
    def analyze(self, ctx): return 7
class Hangs(Good):
    def analyze(self, ctx):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if not os.fork(): time.sleep(60)
        time.sleep(60)
class Killed(Good):
    def analyze(self, ctx): os.kill(os.getpid(), signal.SIGKILL)
class Leaves(Good):
    def analyze(self, ctx): os._exit(0)
class Floods(Good):
    def analyze(self, ctx):
        while True: os.write(1, b"x" * 65536); os.write(2, b"y" * 65536)
class Long(Good):
    def analyze(self, ctx): return Verdict("env", "\x1b[31m" + "z" * 20000000, "low")
class Unmade(Good):
    def __init__(self): raise RuntimeError("no key")
"""


def report(w, name=".triage.json"):
    return json.loads((w.project / name).read_text(encoding="utf-8"))


def verdicts(w):
    return [(f["nodeid"].partition("::")[2], f["verdict"] and f["verdict"]["category"])
            for f in report(w)["failures"]]


def case_triaged_report(w):
    """Each failure with all its fields, for its owner alone; what it selects runs them again."""
    w.write("test_f.py", FAILING)
    plain = pytest(w, "-v")
    r = pytest(w, "-v", *ON)
    check(r.status == 1 and rest(r.out) == rest(plain.out), r, plain)
    check("pytest-triage: " in r.out, r)
    got = report(w)
    check([(f["nodeid"].partition("::")[2], f["phase"], f["exc_type"])
           for f in got["failures"]] == FAILED, got)
    check(all(set(f) >= {
        "nodeid", "pytest_args", "phase", "outcome", "exc_type", "exc_message", "traceback",
        "duration", "stdout_tail", "stderr_tail", "verdict"} for f in got["failures"]), got)
    check(got["schema_version"] == 1 and got["total_failures"] == len(FAILED), got)
    check(stat.S_IMODE((w.project / ".triage.json").stat().st_mode) == 0o600, "mode")
    again = pytest(w, "-v", "--tb=no", *got["pytest_args"])
    check({i for i, _ in ids(again)} == {f["nodeid"] for f in got["failures"]}, again)
    check(again.out.count("passed") == 1 and "1 passed" in again.out, "but for a teardown's", again)


def case_triaged_from_below(w):
    """What is typed is relative to where the user stands, the report too."""
    w.write("pytest.ini", "[pytest]\n")
    w.write("sub/test_a.py", TWO)
    r = pytest(w, "--ai-report=deep/er/r.json", cwd=w.project / "sub")
    got = report(w, "sub/deep/er/r.json")
    check(got["pytest_args"] == ["test_a.py::test_a", "test_a.py::test_b"], got, r)
    check([f["nodeid"] for f in got["failures"]] == ["sub/test_a.py::test_a",
                                                     "sub/test_a.py::test_b"], got)
    check([f["verdict"] for f in got["failures"]] == [None, None] and r.status == 1, got)
    check(got["ai_model"] is None and got["triage_duration"] is None, got)


def case_triaged_collection_errors(w):
    w.write("test_b.py", "import no_such_module\n")
    r = pytest(w, *ON)
    (f,) = report(w)["failures"]
    check((f["nodeid"], f["phase"], f["exc_type"]) == ("test_b.py", "collect",
                                                       "ModuleNotFoundError"), f, r)
    check(r.status == 2 and "no_such_module" in f["exc_message"], f, r)


def case_triaged_xdist(w):
    needs(w, "xdist")
    w.write("test_f.py", FAILING)
    r = pytest(w, "-n2", *ON, plugins=XDIST)
    check(sorted((f["nodeid"].partition("::")[2], f["phase"]) for f in report(w)["failures"])
          == sorted((i, p) for i, p, _ in FAILED) and r.status == 1, r)


def case_triaged_by_python(w):
    """A provider written for the described tool."""
    w.write("mine.py", BAD)
    w.write("test_a.py", TWO)
    r = pytest(w, "--ai-triage=on", "--ai-provider=mine:Good")
    check(verdicts(w) == [("test_a", "env"), ("test_b", "env")], report(w), r)
    check(report(w)["ai_model"] == "mine-1" and report(w)["total_verdicts"] == 2, report(w))
    check("pytest-triage: 2 env" in r.out and "noise" not in r.out and r.status == 1, r)
    check((w.project / "closed").exists(), "it was not closed")
    w.check_clean()


def case_triaged_by_a_bad_provider(w):
    """Outcome, exit status and the rest of the output are as without it."""
    w.write("mine.py", BAD)
    w.write("test_a.py", TWO)
    plain = pytest(w, "-v")
    for name, word in (("Raises", "reset by peer"), ("Garbage", "no Verdict"), ("Killed", ""),
                       ("Leaves", ""), ("Floods", ""), ("Hangs", "timed out")):
        r = pytest(w, "-v", "--ai-triage=on", f"--ai-provider=mine:{name}", "--ai-timeout=2")
        check(r.status == 1 and rest(r.out) == rest(plain.out) and r.err == "", name, r)
        check(verdicts(w) == [("test_a", "unknown"), ("test_b", "unknown")], name, report(w), r)
        said = report(w)["failures"][0]["verdict"]
        check(word in said["hypothesis"] and len(said["hypothesis"]) < 300, name, said)
        check(r.took < 12, name, r.took)
    w.check_clean()


def case_triaged_by_nobody(w):
    """A provider that cannot be had is said before the tests; the report has no verdicts."""
    w.write("mine.py", BAD + "class Late(Good):\n    def __init__(self): os._exit(3)\n")
    w.write("test_a.py", TWO)
    for name, word in (("mine:Unmade", "no key"), ("mine:nothing", "nothing"), ("mine:Late", "3"),
                       ("none:A", "No module named")):
        r = pytest(w, "--ai-triage=on", f"--ai-provider={name}")
        check(r.status == 1 and "1 warning" in r.out and word in r.out.partition("triage is off")[2],
              name, r)
        check(verdicts(w) == [("test_a", None), ("test_b", None)], report(w), r)


def case_triaged_by_a_long_winded_provider(w):
    w.write("mine.py", BAD)
    w.write("test_a.py", TWO)
    r = pytest(w, "--ai-triage=on", "--ai-provider=mine:Long", "--ai-timeout=10")
    check(r.status == 1 and (w.project / ".triage.json").stat().st_size < 20000, r)
    check("\x1b" not in r.out and "\\u001b" not in (w.project / ".triage.json").read_text(), r)


def case_triaged_budget(w):
    w.write("test_a.py", TWO)
    r = pytest(w, *ON, "--ai-budget=1")
    first, second = (f["verdict"] for f in report(w)["failures"])
    check(first["category"] == "test_bug" and "budget" in second["hypothesis"], report(w), r)
    pytest(w, *ON, "--ai-budget=0")
    check([c for _, c in verdicts(w)] == ["unknown", "unknown"], report(w))


def case_triaged_options(w):
    w.write("test_a.py", TWO)
    for args in (["--ai-budget=x"], ["--ai-triage=maybe"], ["--ai-timeout=0"], ["--ai-redact=no"]):
        r = pytest(w, *ON, *args)
        check(r.status == 4 and args[0].partition("=")[0] in r.err, args, r)
    plain = pytest(w, "-v")
    for args, word in ((["--ai-triage=on", "--ai-provider=nope"], '"nope"'),
                       (["--ai-triage=on"], "without a provider"),
                       (["--ai-provider=fake"], "triage is off")):
        r = pytest(w, "-v", *args)
        check(r.status == 1 and word in r.out and "1 warning" in r.out, r)
        check([i for i in ids(r)] == [i for i in ids(plain)], r)
    r = pytest(w, "--ai-triage=on", "--ai-evidence", "--ai-evidence-budget=1")
    check(r.status == 1 and "provider" not in r.out and "warning" not in r.out, r)
    r = pytest(w, "--ai-triage=on", "--ai-provider=anthropic", "-o", "ai_redact=strict")
    check(r.status == 4 and "ANTHROPIC_API_KEY" in r.err, r)


def case_triaged_report_that_cannot_be_written(w):
    w.write("test_a.py", TWO)
    (w.project / "r.json").mkdir()
    r = pytest(w, *ON, "--ai-report=r.json")
    check(r.status == 1 and "r.json" in r.out and "1 passed" in r.out, r)
    w.write("test_a.py", "def test_a(): pass\n")
    r = pytest(w, *ON, "--ai-report=r.json")
    check(r.status == 0 and "r.json" in r.out, r)


def case_triaged_hook(w):
    w.write("test_a.py", TWO)
    w.write("conftest.py", "def pytest_triage_report(failures, verdicts, duration, model):\n"
            "    with open('told', 'w') as out:\n"
            "        for f, v in zip(failures, verdicts):\n"
            "            print(f.nodeid, f.exc_type, v and v.category, model, file=out)\n")
    pytest(w, *ON)
    check((w.project / "told").read_text() == "test_a.py::test_a AssertionError test_bug None\n"
          "test_a.py::test_b OSError env None\n", (w.project / "told").read_text())
    pytest(w, "--ai-report=r.json")
    check((w.project / "told").read_text().count(" None None\n") == 2, "without verdicts")


def case_triaged_secrets(w):
    """None reaches the report or a provider; ids in the report stay selectors."""
    w.write("mine.py", "from pytest_triage.providers import Verdict\nclass A:\n"
            "    def analyze(self, ctx):\n        open('seen', 'a').write(repr(ctx))\n"
            "        return Verdict('env', 'h', 'low')\n    def close(self): pass\n")
    w.write("test_a.py", "import os, pytest\n"
            "@pytest.mark.parametrize('k', ['sk-live-abcdefgh12345678'])\n"
            "def test_a(k):\n    print('Authorization: Bearer abc.def-123456')\n"
            "    raise OSError('password=hunter22 ' + os.environ['MY_TOKEN'])\n")
    pytest(w, "--ai-triage=on", "--ai-provider=mine:A", env={"MY_TOKEN": "tiger-lily"})
    seen = (w.project / "seen").read_text()
    written = json.dumps([{k: v for k, v in f.items() if k not in ("nodeid", "pytest_args")}
                          for f in report(w)["failures"]])
    for secret in ("hunter22", "tiger-lily", "abc.def-123456"):
        check(secret not in seen and secret not in written, secret, seen, written)
    check("sk-live-abcdefgh" not in seen and "[REDACTED]" in seen, seen)
    check(report(w)["pytest_args"] == ["test_a.py::test_a[sk-live-abcdefgh12345678]"], report(w))


def case_triaged_never_in_a_trial(w):
    """The project's configuration asks for it; the runs of a diagnosis know that and do nothing."""
    w.write("pytest.ini", "[pytest]\nai_triage = on\nai_provider = fake\n"
            "addopts = --ai-budget=3 --ai-report=r.json\n")
    w.write("conftest.py", "def pytest_triage_report(failures): open('told', 'w').close()\n")
    w.write("test_a.py", TWO)
    for r in (w.run("test_a.py::test_a", "--json", "f.json", budget=5),
              pytest(w, "test_a.py::test_a", "--doctor", "--doctor-json=f.json",
                     "--doctor-budget=5")):
        counted = report(w, "f.json")["baseline"]
        check(counted["runs"] == counted["failed"] > 0 and "--ai" not in r.out, r)
        check({p.name for p in w.project.iterdir()} <= {
            "pytest.ini", "conftest.py", "test_a.py", "f.json", ".flaky-repro"}, r,
            *w.project.iterdir())


def case_triaged_thousand(w):
    w.write("test_a.py", "import pytest\n@pytest.mark.parametrize('n', range(1000))\n"
            "def test_a(n):\n    print('x' * 10000)\n    raise ValueError(n)\n")
    took = []
    for args in ((), ON):
        best = 99
        for _ in range(2):
            before = os.times()
            r = pytest(w, "-q", "--tb=short", "--show-capture=no", "-rN", *args)
            after = os.times()  # of processors: other tests may run beside this one
            best = min(best, after.children_user + after.children_system
                       - before.children_user - before.children_system)
        took.append(best)
        check(r.status == 1, r.status)
    check(report(w)["total_failures"] == 1000, report(w)["total_failures"])
    check(took[1] - took[0] < 2, took)


main(globals())
