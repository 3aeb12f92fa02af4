"""Sampling inside pytest: what is collected, how a run ends, what a gate makes of it."""
import os
import pathlib
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sampling import (HERE, SCRIPT, check, collected, has, ids, main, names, needs,  # noqa: E402
                      pytest, report, row, said, sections, told, words)

CASES = SCRIPT + """
@pytest.mark.parametrize("style", ["terse", "cot"])
@pytest.mark.parametrize("text,want", [
    pytest.param("a", 1, id="first"), pytest.param("b", 2, id="second", marks=pytest.mark.slow)])
def bench_sort(text, want, style):
    assert want == 1
def bench_single():
    pass
def helper(): raise AssertionError
class BenchNot:
    def bench_inner(self): raise AssertionError
"""
GATED = SCRIPT + """
@pytest.mark.probability(min_rate=0.9)
@pytest.mark.parametrize("script", ["PPPF", "F"])
def bench_g(script):
    nth(script, script)
"""


def case_ids_of_runs(w):
    w.write("bench_x.py", CASES)
    w.write("test_bench.py", "def bench_no(): pass\ndef test_yes(): pass\n")
    r = pytest(w, "--collect-only", "-q")
    check(collected(r) == [
        "bench_sort::first-terse", "bench_sort::first-cot", "bench_sort::second-terse",
        "bench_sort::second-cot", "bench_single::run1", "test_yes"], r)
    r = pytest(w, "--collect-only", "-q", "--prob-runs=2", "-k", "terse")
    check(collected(r) == [f"bench_sort::{i}-terse[run{n}]" for i in ("first", "second")
                           for n in (1, 2)], r)
    r = pytest(w, "--collect-only", "-q", "--prob-runs=2", "-m", "slow", "-k", "cot")
    check(collected(r) == ["bench_sort::second-cot[run1]", "bench_sort::second-cot[run2]"], r)
    check("collected" in r.out and r.status == 0, r)


def case_ids_select(w):
    w.write("bench_x.py", GATED + """
@pytest.mark.parametrize("a", ["p[1]", "q"])
def bench_h(a): pass
@pytest.mark.probability(min_rate=0.9)
def bench_one(): pass
""")
    for arg, want in (
            ("bench_g::F", ["bench_g::F[run1]", "bench_g::F[run2]", "bench_g::F[gate]"]),
            ("bench_g::F[run2]", ["bench_g::F[run2]"]),
            ("bench_g::F[gate]", ["bench_g::F[run1]", "bench_g::F[run2]", "bench_g::F[gate]"]),
            ("bench_h::p[1]", ["bench_h::p[1][run1]", "bench_h::p[1][run2]"]),
            ("bench_h::p[1][run2]", ["bench_h::p[1][run2]"]),
            ("bench_one::run2", ["bench_one::run2"]),
            ("bench_one::gate", ["bench_one::run1", "bench_one::run2", "bench_one::gate"])):
        r = pytest(w, "-v", "--tb=no", "--prob-runs=2", f"bench_x.py::{arg}")
        check(names(r) == want, arg, r)
    os.mkdir(w.project / "sub")
    r = pytest(w, "-v", "--prob-runs=2", "../bench_x.py::bench_h::p[1]", cwd=w.project / "sub")
    check(names(r) == ["bench_h::p[1][run1]", "bench_h::p[1][run2]"], r)
    for arg in ("bench_h::p[2]", "bench_h::nope", "bench_nope::x[gate]"):
        r = pytest(w, "--prob-runs=2", f"bench_x.py::{arg}")
        check(r.status == 4 and "not found" in r.err + r.out, arg, r)


def case_pattern(w):
    w.write("perf_a.py", "def bench_a(): pass\n")
    w.write("bench_b.py", "def bench_b(): pass\n")
    w.write("pytest.ini", "[pytest]\nprob_pattern = perf_*.py\nprob_runs = 2\n")
    r = pytest(w, "--collect-only", "-q")
    check(collected(r) == ["bench_a::run1", "bench_a::run2"], r)
    r = pytest(w, "--collect-only", "-q", "--prob-runs=1")
    check(collected(r) == ["bench_a::run1"], r)
    w.write("pytest.ini", "[pytest]\npython_files = bench_*.py\npython_functions = bench_*\n")
    r = pytest(w, "--collect-only", "-q")
    check(collected(r) == ["bench_b"], "files that python_files takes stay with pytest", r)


def case_orders(w):
    w.write("bench_x.py", GATED)
    r = pytest(w, "-v", "--tb=no", "--prob-runs=2", "--prob-transpose")
    check(names(r) == ["bench_g::PPPF[run1]", "bench_g::F[run1]", "bench_g::PPPF[run2]",
                       "bench_g::PPPF[gate]", "bench_g::F[run2]", "bench_g::F[gate]"], r)
    w.write("conftest.py", "import pytest\n@pytest.hookimpl(tryfirst=True)\n"
                           "def pytest_collection_modifyitems(items): items.reverse()\n")
    r = pytest(w, "-v", "--tb=no", "--prob-runs=2")
    check(names(r) == ["bench_g::F[run2]", "bench_g::F[run1]", "bench_g::F[gate]",
                       "bench_g::PPPF[run2]", "bench_g::PPPF[run1]", "bench_g::PPPF[gate]"], r)


def case_setup_and_teardown_once(w):
    w.write("bench_x.py", """
def setup(): print("begun"); globals().update(state=[])
def teardown(): print("over", len(state))
def bench_a(): state.append(1)
def bench_b(): state.append(1)
""")
    r = pytest(w, "--prob-runs=3", "-s")
    check(r.status == 0 and r.out.count("begun") == 1 and r.out.count("over 6") == 1, r)


def case_outcomes(w):
    w.write("bench_x.py", SCRIPT + """
@pytest.mark.parametrize("script", ["PPF", "PEE", "SPP", "EEE", "FFF", "FFE", "PFE"])
def bench_o(script):
    nth(script, script)
def bench_exit(): raise SystemExit(3)
def bench_fail(): pytest.fail("said so")
def bench_xfail(): pytest.xfail("known")
def bench_gen():
    yield 1
async def bench_async():
    pass
def bench_handed_on(): return bench_async()
def bench_lazy(): return (1 / 0 for _ in "x")
@pytest.mark.xfail
def bench_marked(): assert 0
""")
    r = pytest(w, "--prob-runs=3", "--prob-json=out.json")
    got = {x["case"]: (x["passes"], x["fails"], x["errors"]) for x in report(w)["rows"]}
    check(got == {"o::PPF": (2, 1, 0), "o::PEE": (1, 0, 2), "o::SPP": (2, 0, 0),
                  "o::EEE": (0, 0, 3), "o::FFF": (0, 3, 0), "o::FFE": (0, 2, 1),
                  "o::PFE": (1, 1, 1), "fail": (0, 3, 0), "gen": (0, 0, 3), "async": (0, 0, 3),
                  "handed_on": (0, 0, 3), "lazy": (0, 0, 3), "exit": (0, 0, 3),
                  "marked": (0, 3, 0)}, got, r)
    check(r.status == 1, r)
    records = {(x["case"], x["run"]): x for x in report(w)["records"]}
    check(records["o::PPF", 3]["message"] == "wrong answer", records)
    check(records["o::PEE", 2]["error"] == "ValueError: boom", records)
    check("yield" in records["gen", 1]["error"], records["gen", 1])
    check("pytest-asyncio" in records["async", 1]["error"], records["async", 1])
    check("a coroutine, and nobody ran" in records["handed_on", 1]["error"], records)
    check("a generator, and nobody ran" in records["lazy", 1]["error"], records)
    check(records["exit", 1]["error"] == "SystemExit: 3", records["exit", 1])
    check("never awaited" not in r.out, r)


def case_introspection(w):
    w.write("helpers.py", "def same(a, b):\n    assert a == b\n")
    w.write("conftest.py", "import pytest\npytest.register_assert_rewrite('helpers')\n"
                           "def check_it(x):\n    assert x == 'pii'\n")
    w.write("bench_x.py", "from conftest import check_it\nfrom helpers import same\n"
            "def bench_a():\n    answer = 'other'\n    assert answer == 'pii'\n"
            "def bench_b(): same(1, 2)\ndef bench_c(): check_it('z')\n")
    others = ["pytest_asyncio.plugin"] if has(w, "pytest_asyncio") else []  # imports by itself
    r = pytest(w, "--prob-json=out.json", plugins=others)
    lines = [x["message"] for x in report(w)["records"]]
    check(lines == ["assert 'other' == 'pii'", "assert 1 == 2", "assert 'z' == 'pii'"], lines, r)
    check("E       AssertionError: assert 'other' == 'pii'" in r.out, r)
    check("flaky_repro" not in "".join(sections(r)["FAILURES"]), "frames of ours", r)


def case_fixtures(w):
    w.write("conftest.py", """
import pytest
@pytest.fixture(scope="session")
def server():
    print("SERVER UP"); yield "up"; print("SERVER DOWN")
@pytest.fixture
def doubled(request): return request.param * 2
@pytest.fixture(autouse=True)
def each(): print("EACH")
@pytest.fixture
def broken(): raise OSError("no socket")
@pytest.fixture
def ends_badly(): yield; raise OSError("no end")
""")
    w.write("bench_x.py", """
import pytest
@pytest.fixture(scope="module")
def here(): print("HERE"); return []
@pytest.mark.parametrize("doubled", [1, 2], indirect=True)
def bench_f(doubled, server, here, tmp_path, monkeypatch, request):
    assert doubled in (2, 4) and server == "up" and not list(tmp_path.iterdir())
    (tmp_path / "x").write_text("")
    here.append(request.node.name)
def bench_here(here): assert here == [f"{n}[run{i}]" for n in (1, 2) for i in (1, 2)]
def bench_broken(broken): pass
def bench_end(ends_badly): pass
def bench_missing(nothing): pass
""")
    r = pytest(w, "--prob-runs=2", "-s", "--prob-json=out.json")
    got = {x["case"]: (x["passes"], x["fails"], x["errors"]) for x in report(w)["rows"]}
    check(got == {"f::1": (2, 0, 0), "f::2": (2, 0, 0), "here": (2, 0, 0), "broken": (0, 0, 2),
                  "end": (0, 0, 2), "missing": (0, 0, 2)}, got, r)
    check([r.out.count(x) for x in ("SERVER UP", "SERVER DOWN", "HERE")] == [1, 1, 1], r)
    check(r.out.count("EACH") == 12, r)
    errors = [x["error"] for x in report(w)["records"] if x["error"]]
    check(errors[0] == "OSError: no socket" and errors[2] == "OSError: no end", errors)


def case_costs(w):
    w.write("bench_x.py", """
import threading, pytest
from flaky_repro import record_cost, record_usage, TokenUsage
class Reply:
    model, input_tokens, output_tokens, cost = "m", 10, 2, 0.25
@pytest.fixture
def paid(): record_cost(1); yield; record_cost(2)
def bench_a(paid):
    record_usage(Reply())
    record_usage({"model": "n", "cached_input_tokens": 7})
    record_usage(TokenUsage("m", cost=0.25))
    t = threading.Thread(target=record_usage, kwargs=dict(model="n", output_tokens=3))
    t.start(); t.join()
    with pytest.warns(UserWarning, match="not count modell"): record_usage(modell="x")
    with pytest.raises(ValueError): record_cost(float("nan"))
    assert 0
def bench_b():
    record_cost(0)
def bench_tokens(): record_usage(model="n", input_tokens=1)
""")
    w.write("test_out.py", """
import flaky_repro, pytest
def test_outside():
    for call in (lambda: flaky_repro.record_cost(1), lambda: flaky_repro.record_usage(model="m")):
        with pytest.raises(RuntimeError, match="outside a run"): call()
    assert issubclass(flaky_repro.InfeasibleGateWarning, Warning)
    assert issubclass(flaky_repro.CurtailmentWarning, Warning)
    with pytest.raises(AttributeError): flaky_repro.nothing
""")
    r = pytest(w, "--prob-json=out.json")
    usage = report(w)["totals"]["usage"]
    check(usage == {
        "m": {"input_tokens": 10, "output_tokens": 2, "cached_input_tokens": 0, "cost": 0.5},
        "n": {"input_tokens": 1, "output_tokens": 3, "cached_input_tokens": 7, "cost": 0},
        "unknown": {"input_tokens": 0, "output_tokens": 0, "cached_input_tokens": 0, "cost": 0}},
        usage, r)
    check("$" not in row(r, "b") + row(r, "tokens") and "$3.5000" in row(r, "a"), r)
    costs = [x["cost"] for x in report(w)["records"]]
    check(costs == [3.5, 0, None], "all that a run spent", costs)
    check(report(w)["totals"]["cost"] == 3.5, report(w)["totals"], r)
    check("1 failed, 3 passed" in r.out, r)


def case_from_fraction_to_cause(w):
    """A case is diagnosed by its id, with or without the number of a run, fixtures and all."""
    w.write("bench_x.py", """
import pytest
from pytest_probability import record_cost
@pytest.mark.probability(min_rate=0.9)
@pytest.mark.parametrize("n", ["a[1]", "b"])
def bench_set(n, tmp_path):
    record_cost(1)
    assert next(iter({"a", "b", "c", "d", "e", "f"})) not in ("a", "b", "c")
""")
    for target in ("bench_set::a[1]", "bench_set::b[run7]"):
        r = w.run(f"bench_x.py::{target}", "--json", "f.json", budget=30)
        check(report(w, "f.json")["verdict"] == "flaky-hashseed", r)
    w.write("bench_y.py", "import random\ndef bench_r(): assert random.random() < 0.5\n")
    r = pytest(w, "bench_y.py", "--prob-runs=20", "--prob-diagnose", "--doctor-budget=20")
    check(" bench_y.py::bench_r" in r.out and "DIAGNOSIS" in r.out, r)
    command = r.out.partition("REPRO")[2].partition("or, until")[0]
    check("replay" in command and "--prob" not in command, command, r)


def case_a_session_within_a_run(w):
    """Of somebody who tests a plugin with pytest's own tool for that."""
    w.write("conftest.py", "pytest_plugins = ['pytester']\n")
    w.write("bench_x.py", """
from flaky_repro import record_cost
def bench_a(pytester):
    pytester.makepyfile(bench_y="from flaky_repro import record_cost\\ndef bench_y(): record_cost(5)")
    inner = pytester.runpytest_inprocess("-p", "flaky_repro.plugin", "--prob-runs=3")
    inner.stdout.fnmatch_lines(["*y  3/3*"])
    record_cost(1)
""")
    r = pytest(w, "--prob-runs=2", "--prob-json=out.json")
    check(r.status == 0 and report(w)["totals"]["cost"] == 2, r)


def case_old_import_name(w):
    """A file written for pytest-probability, with the alias installed and without it."""
    w.write("bench_x.py", "from pytest_probability import (record_cost, record_usage, TokenUsage,\n"
            "    InfeasibleGateWarning, CurtailmentWarning)\n"
            "def bench_a(): record_cost(0.5); record_usage(model='m', input_tokens=2)\n")
    alias = str(pathlib.Path(w.plugin).parent / "alias")
    for path in (w.plugin, os.pathsep.join((w.plugin, alias))):
        r = pytest(w, "--prob-json=out.json", env={"PYTHONPATH": path})
        check(r.status == 0 and report(w)["totals"]["cost"] == 0.5, r)


def case_steps(w):
    w.write("bench_x.py", """
class Step:
    def __init__(self, label, passed, **more): self.__dict__.update(label=label, passed=passed, **more)
def bench_good(): return [Step("a", True, cost=0.5), {"label": "b", "passed": True}]
def bench_bad():
    return [Step("a", True, usage=[{"model": "m", "input_tokens": 4}]),
            Step("b", False, message="got other"), Step("c", False)]
def bench_error(): return {"label": "a", "passed": False, "error": "down", "elapsed": 0.5}
def bench_other(): return ["no steps"]
""")
    r = pytest(w, "--prob-json=out.json", "--tb=short", "-W", "error")
    got = {x["case"]: (x["outcome"], x["message"], x["error"]) for x in report(w)["records"]}
    check(got == {"good": ("pass", None, None), "bad": ("fail", "b: got other", None),
                  "error": ("error", None, "a: down"), "other": ("pass", None, None)}, got, r)
    check(report(w)["totals"]["cost"] == 0.5 and
          report(w)["totals"]["usage"]["m"]["input_tokens"] == 4, report(w)["totals"])


def case_gates(w):
    w.write("bench_x.py", GATED)
    r = pytest(w, "-v", "--prob-runs=4", "--junitxml=j.xml", "-rx")
    check([o for _, o in ids(r)] == ["PASSED"] * 3 + ["XFAIL", "FAILED"] + ["XFAIL"] * 4
          + ["FAILED"], r)
    check("probability gate: wrong answer" in r.out and r.status == 1, r)
    check("InfeasibleGateWarning" in r.out and "36" in r.out, r)
    suite = xml.etree.ElementTree.parse(w.project / "j.xml").getroot().find("testsuite")
    failed = [c.get("name") for c in suite if c.find("failure") is not None]
    check(failed == ["PPPF[gate]", "F[gate]"] and suite.get("skipped") == "5", suite.attrib)
    check("UNDECIDED" in suite.findall("testcase")[4].find("failure").text, "its verdict")
    r = pytest(w, "-v", "--tb=no", "--prob-runs=4", "--prob-no-gate-items")
    check(not any("gate" in n for n in names(r)) and r.status == 1, r)
    r = pytest(w, "-v", "--tb=no", "--prob-runs=4", "--runxfail")
    check([o for _, o in ids(r)].count("FAILED") == 7, r)
    r = pytest(w, "-q", "--prob-runs=4", "-W", "error::flaky_repro.InfeasibleGateWarning")
    check(r.status == 2 and "InfeasibleGateWarning" in r.out, r)


def case_mark_errors(w):
    w.write("bench_x.py", "import pytest\n@pytest.mark.parametrize('a', [1, pytest.param(2, "
            "marks=pytest.mark.probability(min_rate=90))])\ndef bench_c(a): pass\n")
    r = pytest(w)
    check(r.status == 2 and "c::2: " in r.out and "c::1: " not in r.out, r)
    check("did you mean 0.9?" in r.out, r)


def case_wrong_options(w):
    w.write("bench_x.py", "def bench_a(): pass\n")
    w.write("test_a.py", "def test_a(): pass\n")
    r = pytest(w, "--prob-method=best")
    check(r.status == 4 and "--prob-method" in r.err, r)
    w.write("pytest.ini", "[pytest]\nprob_confidence = 95\n")
    r = pytest(w, "bench_x.py")
    check(r.status == 4 and "prob_confidence" in r.err, r)
    r = pytest(w, "test_a.py")
    check(r.status == 0, "a session that does not sample does not read them", r)


def case_gone_program(w):
    """A program that dies does not change how the runs end, and is not passed over in silence."""
    w.write("bench_x.py", "def bench_a(): pass\n")
    program = w.write("dies", f"#!{sys.executable}\nimport sys\n"
                      f"sys.path.insert(0, {str(HERE)!r})\nimport standin\n"
                      "def die(self, q): sys.exit(3)\n"
                      "standin.Standin.finish = die\nstandin.main()\n")
    program.chmod(0o755)
    r = pytest(w, "--prob-runs=2", env={"FLAKY_REPRO": str(program)})
    check(r.status == 3 and "2 passed" in r.out, r)
    r = pytest(w, "--prob-runs=2", env={"FLAKY_REPRO": str(w.project / "nowhere")})
    check(r.status == 4 and "nowhere does not start" in r.err, r)


def case_interrupted(w):
    """Ctrl-C goes to the whole group of the terminal; what is known so far is shown."""
    w.write("bench_x.py", "import pytest, time\ndef bench_a(): pass\ndef bench_b():\n"
            "    open('at', 'w').close()\n    time.sleep(60)\n")
    p = subprocess.Popen(words(w, "--prob-runs=2", "--prob-json=out.json"), cwd=w.project,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                         env=w.env(PYTHONPATH=w.plugin, FLAKY_REPRO=w.program,
                                   PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"))
    while not (w.project / "at").exists():
        time.sleep(0.05)
    os.killpg(p.pid, signal.SIGINT)
    out = p.communicate(timeout=60)[0].decode()
    check(p.returncode == 2 and "a  2/2" in out, out)
    check(len(report(w)["records"]) == 2, out)
    w.check_clean()


def case_delay(w):
    w.write("bench_x.py", GATED + "def bench_s(): pytest.skip('x')\n")
    fast, slow = (pytest(w, "-q", "--prob-runs=3", f"--prob-delay={d}") for d in (0, 0.15))
    check("slept" not in slow.out and 8 * 0.15 <= slow.took - fast.took + 0.3, fast, slow)
    check(slow.took >= 8 * 0.15, slow)


def case_no_terminal(w):
    w.write("bench_x.py", GATED)
    r = pytest(w, "--prob-runs=4", "-p", "no:terminal", "--prob-json=out.json")
    check(r.status == 1 and r.out == "" and len(report(w)["records"]) == 8, r)


def case_plan(w):
    w.write("bench_x.py", GATED)
    r = pytest(w, "--prob-runs=4", "--prob-plan", "-v", standin=True)
    check(r.status == 0 and sections(r)["probability: plan"] == ["  g::PPPF  4", "  g::F  4"], r)
    check(not told(w) and not ids(r), r)
    r = pytest(w, "--prob-runs=4", "--prob-plan", "-k", "zzz", standin=True)
    check(r.status == 5, r)
    w.write("bench_y.py", "1 / 0\n")
    check(pytest(w, "--prob-plan", standin=True).status == 2, r)


def case_same_name_in_two_files(w):
    for name in ("bench_x.py", "bench_y.py"):
        w.write(name, "def bench_a(): pass\n")
    pytest(w, "--prob-runs=2", "--prob-json=out.json")
    got = [(x["case"], x["total"]) for x in report(w)["rows"]]
    check(got == [("a", 2), ("bench_y.py::a", 2)], got)


def case_what_is_said(w):
    w.write("bench_x.py", CASES + """
@pytest.mark.probability(min_rate=0.5, prior=(1, 2))
@pytest.mark.parametrize("a", [pytest.param(1, marks=pytest.mark.probability(runs=3, method=len))])
def bench_m(a): pass
""")
    w.write("pytest.ini", "[pytest]\nprob_runs = 3\nprob_errors = exclude\nprob_transpose = true\n"
                          "markers = slow\n")
    r = pytest(w, "--prob-runs=2", "--prob-metric=pass^2", "--prob-metric=pass@2",
               "--prob-no-intervals", standin=True)
    sample, cases, selected = said(w)[:3]
    check(sample["options"] == [
        ["runs", "3", "prob_runs"], ["transpose", "true", "prob_transpose"],
        ["errors", "exclude", "prob_errors"], ["runs", "2", "--prob-runs"],
        ["intervals", "false", "--prob-no-intervals"],
        ["metric", "pass^2,pass@2", "--prob-metric"]], sample["options"], r)
    check(sample["role"] == "whole" and sample["selected"] == [], sample)
    first, last = cases["cases"][0], cases["cases"][-1]
    check((first["case"], first["function"], first["input"], first["nodeid"], first["file"])
          == ("sort::first-terse", "sort", "first-terse", "bench_x.py::bench_sort::first-terse",
              "bench_x.py"), first)
    check(first["parameters"] == [["text", "first"], ["want", "first"], ["style", "terse"]], first)
    check(last["marks"] == [
        {"of_case": True, "args": [], "kwargs": {"runs": 3, "method": {"repr": repr(len)}}},
        {"of_case": False, "args": [], "kwargs": {"min_rate": 0.5, "prior": [1, 2]}}], last)
    check(selected["cases"] == [c["case"] for c in cases["cases"]], selected)


def case_asyncio(w):
    needs(w, "pytest_asyncio")
    w.write("bench_x.py", """
import asyncio, pytest
@pytest.mark.asyncio
@pytest.mark.parametrize("x", [1, 2])
async def bench_a(x, tmp_path):
    await asyncio.sleep(0.01)
    assert x == 1
async def bench_b(): pass
""")
    r = pytest(w, "--prob-runs=2", "--prob-json=out.json", plugins=["pytest_asyncio.plugin"])
    got = {x["case"]: (x["passes"], x["fails"], x["errors"]) for x in report(w)["rows"]}
    check(got == {"a::1": (2, 0, 0), "a::2": (0, 2, 0), "b": (0, 0, 2)}, got, r)
    check(all(x["elapsed"] >= 0.01 for x in report(w)["records"] if x["case"] == "a::1"), r)
    r = pytest(w, "--prob-runs=2", "-o", "asyncio_mode=auto", "bench_x.py::bench_b",
               plugins=["pytest_asyncio.plugin"])
    check(r.status == 0 and "2 passed" in r.out, r)


def case_randomly(w):
    needs(w, "pytest_randomly")
    w.write("bench_x.py", GATED)
    orders = set()
    for seed in range(1, 6):
        r = pytest(w, "-v", "--tb=no", "--prob-runs=3", f"--randomly-seed={seed}",
                   plugins=["pytest_randomly"])
        order = names(r)
        orders.add(tuple(order))
        for script in ("PPPF", "F"):
            gate = order.index(f"bench_g::{script}[gate]")
            check(gate > max(order.index(f"bench_g::{script}[run{n}]") for n in (1, 2, 3)), r)
    check(len(orders) > 1, orders)


def case_step_aside(w):
    """Where pytest-probability is installed its options and files are its own."""
    other = w.folder / "other" / "pytest_probability"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("")
    (other / "plugin.py").write_text("")
    w.write("bench_x.py", "def bench_a(): pass\n")
    path = os.pathsep.join((w.plugin, str(other.parent)))
    r = pytest(w, "bench_x.py", env={"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": None},
               cwd=w.project)
    check(r.status in (4, 5), r)
    r = pytest(w, "--prob-runs=2", env={"PYTHONPATH": path})
    check(r.status == 0, "installed, but not loaded", r)


def case_ordinary_sessions(w):
    """Nothing is started, imported or changed where nothing is sampled."""
    w.write("bench_x.py", "def bench_x(): pass\n")  # not asked for
    w.write("test_a.py", "import sys\ndef test_a():\n    names = [m for m in sys.modules if m."
            "startswith('flaky_repro')]\n    assert set(names) <= {'flaky_repro', "
            "'flaky_repro.plugin', 'flaky_repro._options', 'flaky_repro._session', "
            "'flaky_repro._bench', 'flaky_repro._case', 'flaky_repro._record'}, names\n")
    r = pytest(w, "test_a.py", env={"FLAKY_REPRO": "/nowhere"})
    check(r.status == 0 and "probability" not in r.out, r)
    r = pytest(w, "test_a.py", "-k", "test_a", "--strict-markers", env={"FLAKY_REPRO": "/nowhere"})
    check(r.status == 0, r)


main(globals())
