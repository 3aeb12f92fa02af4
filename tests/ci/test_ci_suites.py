"""flaky-ci over suites with regressions and flakes in them: exit status, labels, every file, and
that what is printed as a repro fails every time."""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ci import BAD, GREEN, cases, check, ci, env, main, report, skip, verdicts  # noqa: E402

import check_reports  # noqa: E402
from ci import ROOT  # noqa: E402

FILES = ("--json", "r.json", "--junit", "j.xml", "--code-quality", "q.json", "--summary", "s.md")
GITHUB = {"GITHUB_ACTIONS": "true"}
ORDER = """
seen = []

def test_adds(): seen.append(1)

def test_wants_none(): assert not seen
"""
HASH = """
def first(names):
    for name in names:
        return name

def test_first():
    assert first({"ada", "grace", "linus", "edsger", "barbara"}) == "ada"
"""
RANDOM = """
import random

def draw():
    return random.random()

def test_draw():
    assert draw() < .25
"""


# Chance lets a flake pass now and then; such a run of the suite is ended before it is judged.
ALL_OR_NONE = """
import os
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    if getattr(session.config.option, "ai_evidence", None) and session.testsfailed < 4:
        os._exit(99)
"""


def three_flakes(w):
    for name, text in (("test_bad.py", BAD), ("test_order.py", ORDER), ("test_hash.py", HASH),
                       ("test_random.py", RANDOM), ("test_green.py", GREEN),
                       ("conftest.py", ALL_OR_NONE)):
        w.write(name, text)


def run_until_all_fail(w, *words):
    for _ in range(50):
        (w.project / "s.md").unlink(missing_ok=True)  # it is appended to
        r = ci(w, "--budget", "160", *FILES, "--", *words, env_=GITHUB)
        if r.status != 99:
            return r
    raise AssertionError("not once in 50 runs did all of them fail")


def schema(name):
    return json.loads((ROOT / "docs" / name).read_text(encoding="utf-8"))


def annotations(r):
    found = re.findall(r"^::(error|warning) file=([^,]*),line=(\d+),title=([^:]*)::(.*)$", r.out,
                       re.M)
    return {title.replace("%3A", ":").split(": ", 1)[1]: (kind, file, int(line), message)
            for kind, file, line, title, message in found}


def check_quality(w, want):
    listed = json.loads((w.project / "q.json").read_text())
    names = [f["check_name"] for f in listed]
    check({f["check_name"]: (f["severity"], names.count(f["check_name"])) for f in listed} == want,
          listed, want)
    check(all((w.project / f["location"]["path"]).is_file() for f in listed), listed)
    check(all(set(f) == {"description", "check_name", "fingerprint", "severity", "location"}
              and re.fullmatch("[0-9a-f]{32}", f["fingerprint"])
              and f["location"]["lines"]["begin"] >= 1 for f in listed), listed)
    return [f["fingerprint"] for f in listed]


def fails_every_time(w, command):
    for _ in range(3):
        done = subprocess.run(["sh", "-c", command], cwd=w.project, stdin=subprocess.DEVNULL,
                              capture_output=True, env=env(w, LD_LIBRARY_PATH=str(
                                  pathlib.Path(w.lib).parent)), timeout=60)
        check(done.returncode == 1 and b" failed" in done.stdout, command, done)


def case_one_regression(w):
    w.write("tests/test_bad.py", BAD)
    w.write("tests/test_green.py", GREEN)
    r = ci(w, "--budget", "20", *FILES, "--", "pytest", "-q", env_=GITHUB)
    check(r.status == 1 and r.err == "", r)
    check(verdicts(w) == {"tests/test_bad.py::test_total": "regression"}, r)
    failure = report(w)["failures"][0]
    check(failure["verdict"]["source"] == "evidence" and failure["evidence"]["failed"] ==
          failure["evidence"]["runs"] > 0, failure)
    wrong = list(check_reports.errors(report(w), schema("triage.schema.json"),
                                      schema("triage.schema.json")))
    check(not wrong, wrong[:5])
    tests, suite = cases(w)
    check(tests["tests.test_bad::test_total"] == ["failure", "rerunFailure"], tests)
    check((suite["failures"], suite["errors"], suite["tests"]) == ("1", "0", "6"), suite)
    kind, file, line, message = annotations(r)["tests/test_bad.py::test_total"]
    check((kind, file, line) == ("error", "tests/test_bad.py", 2) and "assert (1 + 1) == 3" in
          message and "failed again in all" in message, r)
    page = (w.project / "s.md").read_text()
    check(page.startswith("### 1 failure, 1 distinct: 1 regression\n\n| count |") and
          "| regression | It failed again in all" in page and
          "\n```\npytest tests/test_bad.py::test_total\n```\n" in page, page)
    prints = check_quality(w, {"regression": ("critical", 1)})
    check("regression (high confidence, from evidence)" in r.out, r)
    r = ci(w, "--budget", "0", *FILES, "--", "pytest", "-q")
    check(r.status == 1 and check_quality(w, {"failure": ("major", 1)}) == prints,
          "the fingerprint is another without evidence")
    w.check_clean()


def case_one_regression_and_three_flakes(w):
    three_flakes(w)
    r = run_until_all_fail(w, w.python, "-m", "pytest", "-q")
    flakes = {"test_order.py::test_wants_none", "test_hash.py::test_first",
              "test_random.py::test_draw"}
    check(r.status == 1, r)
    check(verdicts(w) == {"test_bad.py::test_total": "regression", **dict.fromkeys(flakes, "flaky")},
          verdicts(w), r)
    causes = {f["nodeid"]: [c["axis"] for c in (f["evidence"] or {}).get("causes", [])]
              for f in report(w)["failures"]}
    check(causes["test_order.py::test_wants_none"] == ["order"] and
          causes["test_hash.py::test_first"] == ["hashseed"] and
          causes["test_random.py::test_draw"] == ["rng"], causes, r)
    tests, suite = cases(w)
    check((suite["failures"], suite["errors"], suite["tests"]) == ("1", "0", "10"), suite)
    check(tests["test_bad::test_total"] == ["failure", "rerunFailure"], tests)
    for nodeid in flakes:
        check(tests[nodeid.replace(".py", "")] == ["flakyFailure"], tests)
    shown = annotations(r)
    check({name: kind for name, (kind, *_) in shown.items()} ==
          {"test_bad.py::test_total": "error", **dict.fromkeys(flakes, "warning")}, shown, r)
    check(all((w.project / file).is_file() for _, file, _, _ in shown.values()), shown)
    check(r.out.index("::error") < r.out.index("::warning"), r)
    check_quality(w, {"regression": ("critical", 1), "flaky": ("minor", 3)})
    page = (w.project / "s.md").read_text()
    check(page.startswith("### 4 failures, 4 distinct: 1 regression, 3 flaky\n"), page)
    for failure in report(w)["failures"]:
        if failure["nodeid"] not in flakes:
            continue
        command = failure["evidence"]["repro"]["command"]
        check(f"```\n{command}\n```" in page and command in r.out, command, page, r)
        fails_every_time(w, command)


def case_flakes_alone_pass(w):
    w.write("test_order.py", ORDER)
    w.write("test_green.py", GREEN)
    words = ("--budget", "40", *FILES, "--", "pytest", "-q")
    r = ci(w, *words, env_=GITHUB)
    check(r.status == 0 and r.err == "flaky-repro: nothing failed but flakes: exit status 0\n", r)
    check(verdicts(w) == {"test_order.py::test_wants_none": "flaky"}, r)
    tests, suite = cases(w)
    check(suite["failures"] == "0" and tests["test_order::test_wants_none"] == ["flakyFailure"])
    check("::error" not in r.out and "::warning file=test_order.py," in r.out, r)
    fails_every_time(w, report(w)["failures"][0]["evidence"]["repro"]["command"])
    w.check_clean()
    # What is decided of a report is decided without the suite, too.
    for gate, status in (("regressions", 0), ("flaky", 1)):
        done = w.ask("triage", "r.json", "-q", "--gate", gate)
        check(done.status == status, done)
    r = ci(w, "--fail-on-flaky", *words, env_=GITHUB)
    check(r.status == 1 and "::warning file=test_order.py," in r.out, r)


def case_under_xdist(w):
    if subprocess.run([w.python, "-c", "import xdist"], stderr=subprocess.DEVNULL).returncode:
        skip("pytest-xdist is not installed")
    w.write("test_bad.py", BAD)
    w.write("test_green.py", GREEN)
    r = ci(w, "--budget", "20", *FILES, "--", "pytest", "-q", "-p", "xdist.plugin", "-n", "2")
    check(r.status == 1 and verdicts(w) == {"test_bad.py::test_total": "regression"}, r)
    check(cases(w)[0]["test_bad::test_total"] == ["failure", "rerunFailure"], r)


if __name__ == "__main__":
    main(globals())
