"""What the acceptance list of the described tool asks for (ppNN: its case NN), inside pytest."""
import math
import pathlib
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sampling import (SCRIPT, check, has, ids, main, names, pytest, report, row,  # noqa: E402
                      sections)


def script(cases, mark=""):
    """Cases that end as written: {"id": "PPF…"}."""
    rows = ", ".join(f"pytest.param({word!r}, id={name!r})" for name, word in cases.items())
    return SCRIPT + f"""
{mark}
@pytest.mark.parametrize("word", [{rows}])
def bench_c(word, request):
    nth(request.node.callspec.id, word)
"""


def rows_of(w, name="out.json"):
    return {x["case"]: x for x in report(w, name)["rows"]}


def case_pp23_rows_and_one_pair(w):
    w.write("bench_x.py", script({"all": "P", "seven": "PPPFPPFPFP", "none": "F"}) + """
@pytest.mark.parametrize("style", ["terse", "cot"])
@pytest.mark.parametrize("text", [pytest.param("x", id="refund")])
def bench_t(text, style):
    nth(style, "PPFPPPFPPP" if style == "terse" else "P")
""")
    r = pytest(w, "--prob-runs=10", "--prob-compare=style", "--prob-json=out.json", "--tb=no")
    check(row(r, "c::all") == "10/10 [69%, 100%]", r)
    check(row(r, "c::seven") == "7/10 [35%, 93%] FLAKY", r)
    check(row(r, "c::none") == "0/10 [ 0%, 31%] FAIL", r)
    (c,) = report(w)["comparisons"]
    check(math.isclose(c["difference"], 0.2) and round(c["ci"]["low"], 3) == -0.112 and
          round(c["ci"]["high"], 3) == 0.510 and round(c["p"], 4) == 0.4737, c)
    check(row(r, "t[style]", "probability: comparisons")
          == "cot − terse +20 pp [−11, +51] p=0.47 1 paired", r)
    check(r.status == 1, r)


def case_pp24_gate(w):
    w.write("bench_x.py", script({"pii": "P" * 37 + "FFF", "never": "PPP" + "F" * 37, "yes": "P"},
                                 "@pytest.mark.probability(min_rate=0.9)"))
    r = pytest(w, "--prob-runs=40", "-v", "--tb=no", "--prob-json=out.json")
    gates = {i.partition("::")[2]: o for i, o in ids(r) if i.endswith("[gate]")}
    check(gates == {"bench_c::pii[gate]": "FAILED", "bench_c::never[gate]": "FAILED",
                    "bench_c::yes[gate]": "PASSED"} and r.status == 1, r)
    check({n: x["gate"]["verdict"] for n, x in rows_of(w).items()} == {
        "c::pii": "undecided", "c::never": "fail", "c::yes": "pass"}, rows_of(w))
    check(row(r, "c::pii", "probability: gates") == "37/40 [80%, 98%] ≥90% UNDECIDED", r)
    check("Infeasible" not in r.out and "Gates:   1 passed, 1 failed, 1 undecided" in r.out, r)
    r = pytest(w, "--prob-runs=40", "--prob-undecided=pass", "-k", "pii or yes")
    check(r.status == 0, r)
    r = pytest(w, "--prob-runs=10", "-k", "yes")
    check("InfeasibleGateWarning" in r.out and "36" in r.out and r.status == 1, r)


def case_pp25_errors(w):
    w.write("bench_x.py", script({"some": "PPPEPPEPPE"}))
    r = pytest(w, "--prob-runs=10", "--tb=no")
    check(row(r, "c::some").endswith("3 ERRORED") and row(r, "c::some").startswith("7/10"), r)
    w.write("bench_x.py", script({"some": "PPPEPPEPPE", "all": "E"},
                                 "@pytest.mark.probability(min_rate=0.5)"))
    r = pytest(w, "--prob-runs=10", "-o", "prob_errors=exclude", "--prob-json=out.json", "-v",
               "--tb=no")
    gate = rows_of(w)["c::some"]["gate"]
    check((gate["passes"], gate["total"], gate["excluded"], gate["verdict"])
          == (7, 7, 3, "pass"), gate)
    check(rows_of(w)["c::all"]["gate"]["verdict"] == "undecided", rows_of(w))
    check([o for i, o in ids(r) if "some" in i].count("XFAIL") == 3, r)
    r = pytest(w, "--prob-runs=10", "-o", "prob_errors=exclude", "-k", "some")
    check(r.status == 0, r)
    r = pytest(w, "--prob-runs=10", "--prob-min-rate=0.1", "-v", "-k", "some", "--tb=no")
    check(r.status == 1 and [o for i, o in ids(r)].count("FAILED") == 3 + 1, r)


def case_pp26_curtail(w):
    cases = {"late": "P" * 37 + "FFF", "never": "PPP" + "F" * 37}
    w.write("bench_x.py", script(cases, "@pytest.mark.probability(min_rate=0.9)"))
    verdicts = []
    for stop in ("curtail", "off"):
        pytest(w, "--prob-runs=40", f"--prob-stop={stop}", "--prob-json=out.json")
        verdicts.append({n: x["gate"]["verdict"] for n, x in rows_of(w).items()})
        if stop == "curtail":
            check({n: x["total"] for n, x in rows_of(w).items()}
                  == {"c::late": 38, "c::never": 12}, rows_of(w))
    check(verdicts[0] == verdicts[1] == {"c::late": "undecided", "c::never": "fail"}, verdicts)
    w.write("bench_x.py", script({"good": "P", "bad": "PFPF"},
                                 "@pytest.mark.probability(min_passes=19, runs=20)"))
    r = pytest(w, "--prob-stop=curtail", "--prob-json=out.json", "-v", "--tb=no")
    check({n: x["total"] for n, x in rows_of(w).items()} == {"c::good": 19, "c::bad": 4}, r)
    skipped = [i for i, o in ids(r) if o == "SKIPPED"]
    check(len(skipped) == 1 + 16 and skipped[0].endswith("good[run20]"), r)
    check("decided after 4/20" in r.out, r)


def case_pp27_sequential(w):
    w.write("bench_x.py", script({"solid": "P"}, "@pytest.mark.probability(min_rate=.9, runs=100)"))
    r = pytest(w, "--prob-stop=sequential", "--prob-json=out.json")
    check(rows_of(w)["c::solid"]["total"] == 53 and r.status == 0, r)
    check(row(r, "c::solid").startswith("53/53") and "decided after 53/100" in r.out, r)


def case_pp28_latency(w):
    w.write("bench_x.py", """
import pytest, time
@pytest.mark.probability(max_latency=0.5)
def bench_fast(): pass
@pytest.mark.probability(max_latency=0.000001)
def bench_slow(): time.sleep(0.0001)
@pytest.mark.probability(max_latency=0.5)
def bench_wrong(): assert 0
""")
    r = pytest(w, "--prob-runs=20", "--prob-latency", "-v", "--tb=no", "--prob-json=out.json")
    latency = {n: x["latency"] for n, x in rows_of(w).items()}
    check(latency["fast"]["verdict"] == "undecided" and latency["fast"]["ci"]["high"] is None,
          latency)
    check(latency["slow"]["verdict"] == "fail" and latency["fast"]["min_runs"] == 72, latency)
    check([o for i, o in ids(r) if "wrong" in i].count("FAILED") >= 20, "no xfails of these", r)
    r = pytest(w, "--prob-runs=72", "-k", "fast", "--prob-json=out.json")
    check(rows_of(w)["fast"]["latency"]["verdict"] == "pass" and r.status == 0, r)


def case_pp29_same_seed_same_numbers(w):
    w.write("conftest.py", "import random, pytest\nrandom.seed(3)\n"
            "def pytest_sessionfinish(): print('STATE', hash(random.getstate()))\n"
            "def pytest_collection_finish(): print('STATE', hash(random.getstate()))\n")
    cases = {f"i{n}": "P" * (n % 5 + 1) + "F" * (n % 3) for n in range(14)}
    text = script(cases).replace("nth(request.node.callspec.id, word)", """
    at = int(request.node.name.partition("[run")[2][:-1])
    assert word[at % len(word)] == "P\"""")
    w.write("bench_x.py", text)

    def kept(*args, plugins=()):
        r = pytest(w, "--prob-runs=7", "--prob-json=out.json", "--prob-metric=pass^2", "-s", *args,
                   plugins=plugins)
        made = report(w)
        return r, [{x["case"]: x["ci"] for x in made["rows"]}, made["aggregates"]]
    r, first = kept()
    states = re.findall("STATE (.*)", r.out)
    check(len(states) == 2 and states[0] == states[1], "our numbers come from nobody's generator")
    check(kept()[1] == first, first)
    check(kept("--prob-seed=1")[1] != first, "the seed decides")
    if has(w, "xdist"):
        for how in ("load", "loadgroup"):
            (w.project / "out.json").unlink()
            r, spread = kept("-n2", f"--dist={how}", plugins=["xdist.plugin"])
            check(spread == first, how, spread, first)


def case_pp30_baseline(w):
    def suite(words):
        w.write("bench_x.py", script(words))
    suite({f"i{n:02}": "P" for n in range(12)} | {"old": "P"})
    pytest(w, "--prob-runs=20", "--prob-json=main.json")
    suite({f"i{n:02}": "F" * (n % 6) + "P" * (20 - n % 6) for n in range(12)} | {"new": "P"})
    r = pytest(w, "--prob-runs=20", "--prob-baseline=main.json", "--prob-margin=0.05", "-v",
               "--tb=short", "--prob-json=out.json")
    made = report(w)["baseline"]
    check(made["paired"] == 12 and made["only_current"] == ["c::new"]
          and made["only_baseline"] == ["c::old"], made)
    (c,) = made["comparisons"]
    check(math.isclose(c["difference"], -0.125) and c["verdict"] == "fail" and
          c["ci"]["high"] < -0.05, c)
    check(names(r)[-1] == "bench_c[baseline]" and ids(r)[-1][1] == "FAILED", r)
    r = pytest(w, "--prob-runs=20", "--prob-margin=0.05")
    check(r.status == 4 and "--prob-margin" in r.err, r)


def case_pp31_gates_among_pytests_own_options(w):
    w.write("bench_x.py", script({"a": "F", "b": "P"}, "@pytest.mark.probability(min_rate=0.9)")
            + "def bench_z(): pass\n")
    r = pytest(w, "--prob-runs=3", "-x", "-v", "--tb=no")
    check(names(r) == [f"bench_c::a[run{n}]" for n in (1, 2, 3)] + ["bench_c::a[gate]"], r)
    r = pytest(w, "--prob-runs=40", "--cache", "-v", "--junitxml=j.xml", "--tb=no")
    suite = xml.etree.ElementTree.parse(w.project / "j.xml").getroot().find("testsuite")
    check([c.get("name") for c in suite if c.find("failure") is not None] == ["a[gate]"], r)
    r = pytest(w, "--prob-runs=40", "--cache", "-v", "--lf", "--tb=no")
    check(names(r) == [f"bench_c::a[run{n}]" for n in range(1, 41)] + ["bench_c::a[gate]"], r)
    r = pytest(w, "--prob-runs=2", "-k", "gate", "-v", "--tb=no")
    check(names(r) == ["bench_c::a[run1]", "bench_c::a[run2]", "bench_c::a[gate]",
                       "bench_c::b[run1]", "bench_c::b[run2]", "bench_c::b[gate]"], r)
    check("selected without runs; added 4 runs" in r.out and "3 deselected" not in r.out, r)


main(globals())
