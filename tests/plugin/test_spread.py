"""Sampling under pytest-xdist: workers run, the controller alone reports."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sampling import SCRIPT, check, ids, main, names, needs, pytest, report, row  # noqa: E402
from sampling import sections  # noqa: E402

XDIST = ["xdist.plugin"]
GATED = SCRIPT + """
from flaky_repro import record_cost, record_usage
@pytest.mark.probability(min_rate=0.9)
@pytest.mark.parametrize("script", ["P@[1]", "F"])
def bench_g(script):
    record_cost(0.5); record_usage(model="m", output_tokens=2)
    assert script != "F"
def bench_plain(): raise OSError("no")
"""


def spread(w, *args, **how):
    needs(w, "xdist")
    return pytest(w, "-n2", *args, plugins=XDIST, **how)


def counts(w):
    return sorted((x["case"], x["passes"], x["fails"], x["errors"]) for x in report(w)["rows"])


def case_controller_reports(w):
    w.write("bench_x.py", GATED)
    r = spread(w, "--prob-runs=5", "-v", "--tb=no", "--prob-json=out.json", "-rs",
               "--junitxml=j.xml")
    check(counts(w) == [("g::F", 0, 5, 0), ("g::P@[1]", 5, 0, 0), ("plain", 0, 0, 5)], r)
    check(report(w)["totals"]["cost"] == 5 and
          report(w)["totals"]["usage"]["m"]["output_tokens"] == 20, report(w)["totals"])
    check(r.status == 1 and sections(r)["probability"], r)
    gates = [o for i, o in ids(r) if "[gate]" in i]
    check(gates == ["SKIPPED", "SKIPPED"] and "judged at the end" in r.out, r)
    check("probability_case" not in (w.project / "j.xml").read_text(), "for the controller alone")
    check(len(sections(r)["probability: gates"]) == 2, r)


def case_loadgroup(w):
    w.write("bench_x.py", GATED)
    for how in ("loadgroup", "loadfile", "loadscope"):
        r = spread(w, f"--dist={how}", "--prob-runs=5", "-v", "--tb=no", "--prob-json=out.json")
        gates = {i.partition("::")[2]: o for i, o in ids(r) if "[gate]" in i}
        check(gates == {"bench_g::P@[1][gate]": "FAILED", "bench_g::F[gate]": "FAILED"}, r)
        check(len(report(w)["records"]) == 15, how, r)


def case_a_run_that_ends_its_worker_is_an_error(w):
    w.write("bench_x.py", """import os, pytest
@pytest.mark.parametrize("case", ["a", "b"])
def bench_f(case, request):
    if request.node.name.startswith("a") and "run4" in request.node.name: os._exit(1)
def bench_gone(): os._exit(1)
""")
    r = spread(w, "--prob-runs=6", "--tb=no", "--prob-json=out.json", "--max-worker-restart=20")
    rows = {x["case"]: (x["passes"], x["errors"]) for x in report(w)["rows"]}
    check(rows == {"f::a": (5, 1), "f::b": (6, 0)} and r.status == 1, rows, r)
    lost = sections(r)["probability: lost"]
    check(sum("bench_x.py::bench_gone, run" in line for line in lost) == 6, lost, r)


def case_stop(w):
    w.write("bench_x.py", GATED)
    r = spread(w, "--dist=loadgroup", "--prob-runs=40", "--prob-stop=curtail", "--prob-json=o.json",
               "-rs", "-q", "--tb=no")
    rows = {x["case"]: x for x in report(w, "o.json")["rows"]}
    check(rows["g::F"]["total"] == 9 and rows["g::F"]["stopped"]["skipped"] == 31, rows["g::F"], r)
    check("decided after 9/40 runs (FAIL)" in r.out, r)
    r = spread(w, "--prob-runs=40", "--prob-stop=curtail", "--prob-json=o.json", "-q", "--tb=no")
    rows = {x["case"]: x for x in report(w, "o.json")["rows"]}
    check(rows["g::F"]["total"] == 40 and "CurtailmentWarning" in r.out, r)


def case_last_failed(w):
    w.write("bench_x.py", GATED)
    for _ in range(2):
        r = spread(w, "--cache", "--dist=loadgroup", "--prob-runs=40", "-v", "--tb=no", "--lf",
                   "-k", "bench_g")
    want = {f"bench_g::F[run{n}]" for n in range(1, 41)} | {"bench_g::F[gate]"}
    check(set(names(r)) == want, r)


def case_plan_needs_no_workers(w):
    w.write("bench_x.py", GATED)
    r = spread(w, "--prob-plan", standin=True)
    check(r.status == 0 and len(sections(r)["probability: plan"]) == 3 and "gw0" not in r.out, r)


def case_nothing_typed(w):
    """The controller learns from the workers that there is something to report."""
    w.write("bench_x.py", GATED)
    r = spread(w, "-q", "--tb=no")
    check(row(r, "plain").endswith("ERROR"), r)


def case_refused(w):
    w.write("bench_x.py", GATED)
    r = spread(w, "--prob-confidence=7")
    check(r.status == 4 and "--prob-confidence" in r.err, r)


def case_forked_in_workers(w):
    w.write("bench_x.py", """
import os, pytest
@pytest.mark.parametrize("i", range(6))
def bench_a(i):
    if i == 3: os.abort()
    assert i
""")
    r = spread(w, "--prob-isolate=fork", "--prob-runs=3", "--prob-json=out.json", "-q", "--tb=no")
    check(counts(w) == [("a::0", 0, 3, 0), ("a::1", 3, 0, 0), ("a::2", 3, 0, 0), ("a::3", 0, 0, 3),
                        ("a::4", 3, 0, 0), ("a::5", 3, 0, 0)], r)


def case_tests_under_xdist(w):
    w.write("test_a.py", "import pytest\n@pytest.mark.parametrize('x', [1, 2])\n"
                         "@pytest.mark.probability(min_rate=0.5)\ndef test_a(x): assert x == 1\n")
    r = spread(w, "--dist=loadgroup", "--prob-tests", "--prob-runs=6", "-v", "--tb=no",
               "--prob-json=out.json")
    check(counts(w) == [("test_a::1", 6, 0, 0), ("test_a::2", 0, 6, 0)], r)
    gates = {i.partition("::")[2]: o for i, o in ids(r) if "gate" in i}
    check(gates == {"test_a[1][gate]": "PASSED", "test_a[2][gate]": "FAILED"}, r)


def case_what_is_told(w):
    """Each case is described to the controller before or with its first run."""
    w.write("bench_x.py", GATED)
    spread(w, "--dist=loadgroup", "--prob-runs=4", standin=True)
    lines = [x.split(" ", 1) for x in (w.folder / "log").read_text().splitlines()]
    roles = {pid: json.loads(m).get("role") for pid, m in lines if '"ask":"sample"' in m}
    check(sorted(roles.values()) == ["controller", "worker", "worker"], roles)
    boss = next(pid for pid, r in roles.items() if r == "controller")
    runs = [json.loads(m) for pid, m in lines if pid == boss and '"tell":"run"' in m]
    known = set()
    for m in runs:
        check("def" in m or m["case"] in known, m)
        check("def" not in m or m["def"]["case"] == m["case"], m)
        known.add(m["case"])
    check(len(runs) == 12 and len(known) == 3, runs)
    finished = [pid for pid, m in lines if '"ask":"finish"' in m]
    check(finished == [boss], finished)


main(globals())
