#!/usr/bin/env python3
"""`flaky-repro triage REPORT --ai-evidence` over an engine that answers from a script.

usage: run_evidence.py FLAKY_REPRO_FAKE [NAME ...]

Each `def case_NAME(w):` is one test in an empty folder. What a report selects is the name of one of
the findings of tests/unit/test_report_cases.c.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import traceback

import check_reports

SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs/triage.schema.json"
                     ).read_text(encoding="utf-8"))
ALL = ["flaky-hashseed-observed", "deterministic-failure", "not-flaky", "held-side-effects"]


def failure(name, **more):
    return {"nodeid": f"t.py::{name}", "pytest_args": [name], "phase": "call", "outcome": "failed",
            "exc_type": None, "exc_message": "bad", "traceback": f"trace of {name}",
            "duration": .001, "stdout_tail": "", "stderr_tail": "", "verdict": None, **more}


class World:
    def __init__(self, program, folder):
        self.program, self.dir = program, pathlib.Path(folder)
        self.env = {"PATH": os.defpath, "HOME": folder, "LC_ALL": "C.UTF-8"}

    def report(self, *failures):
        failures = [failure(f) if isinstance(f, str) else f for f in failures]
        (self.dir / "r.json").write_text(json.dumps({"schema_version": 1, "failures": failures}))

    def words(self, *args):
        return [self.program, "triage", "r.json", *args]

    def call(self, *args):
        return subprocess.run(self.words("--ai-evidence", *args), text=True, capture_output=True,
                              timeout=60, encoding="utf-8", env=self.env, cwd=self.dir,
                              stdin=subprocess.DEVNULL)

    def json(self, *args, status=0):
        done = self.call("--format", "json", "-q", *args)
        same(done.returncode, status, done)
        report = json.loads(done.stdout)
        wrong = list(check_reports.errors(report, SCHEMA, SCHEMA))
        assert not wrong, wrong[:5]
        return report["failures"]


def same(got, want, what=""):
    assert got == want, f"{what}: got {got!r}, want {want!r}"


def verdicts(failures):
    return [f["verdict"] and (f["verdict"]["category"], f["verdict"]["confidence"],
                              f["verdict"]["source"]) for f in failures]


def case_each_failure_is_run_again(w):
    w.report(*ALL)
    got = w.json()
    same(verdicts(got), [("flaky", "high", "evidence"), ("regression", "high", "evidence"),
                         ("flaky", "medium", "evidence"), None])
    first, broken, quiet, held = (f["evidence"] for f in got)
    same((first["status"], first["causes"][0]["axis"], first["verify"], first["counterfactual"]),
         ("flaky-hashseed", "hashseed", {"runs": 10, "failed": 10}, {"runs": 10, "failed": 0}))
    assert first["repro"]["command"] and first["look_at"], first
    assert "run the command below again" in got[0]["verdict"]["suggested_fix"], got[0]
    same((broken["status"], broken["runs"] == broken["failed"] > 0), ("deterministic-failure",
                                                                    True))
    same((quiet["failed"], quiet["repro"]), (0, None))
    assert "192.0.2.7:25" in held["reason"] and held["runs"] == 0, held


def case_people_are_told(w):
    w.report(*ALL)
    done = w.call()
    same(done.returncode, 0, done)
    for words in ("    flaky (high confidence, from evidence): It depends on",
                  "    suggested: Look at formats.py:18. Change the code",
                  "    reruns: 60 runs, 19 failed; fails with hashseed=2, passes with",
                  "    repro: PYTHONHASHSEED=2 pytest tests/test_formats.py::test_first_format_wins\n",
                  "    reruns: it was not run again: "):
        assert words in done.stdout, (words, done.stdout)
    same(done.stderr.count(" again (at most "), 4, done.stderr)
    assert ("pytest-triage: 2 flaky, 1 regression, 1 without a verdict (evidence)\n"
            "pytest-triage: flaky, fails every time: PYTHONHASHSEED=2 pytest "
            "tests/test_formats.py::test_first_format_wins\n") in done.stderr, done.stderr


def case_a_page_is_told(w):
    w.report(ALL[0], ALL[1])
    page = w.call("--format", "markdown").stdout
    assert "<br>Reruns: 60 runs, 19 failed; fails with hashseed=2" in page, page
    assert " fails every time with\n\n```\nPYTHONHASHSEED=2 pytest " in page, page


def case_identical_failures_are_run_once(w):
    w.report(failure("deterministic-failure", traceback="same"),
             failure("not-flaky", traceback="same"))
    (f,) = w.json()
    same((f["count"], f["evidence"]["status"]), (2, "deterministic-failure"))


def case_phases_of_one_test_are_run_once(w):
    two = [failure("deterministic-failure"), failure("deterministic-failure", phase="teardown",
                                                     traceback="another")]
    w.report(*two)
    done = w.call()
    same(done.stderr.count(" again (at most "), 1, done.stderr)
    same(verdicts(w.json()), 2 * [("regression", "high", "evidence")])


def case_no_budget_runs_nothing(w):
    w.report(ALL[0], ALL[1])
    for f in w.json("--budget", "0") + w.json("--budget", "1"):
        same((f["verdict"], f["evidence"]["status"], f["evidence"]["reason"]),
             (None, None, "the budget for evidence was used up"))


def case_a_test_that_cannot_be_run_stops_no_other(w):
    w.report("no-pytest", "bug", ALL[1])
    got = w.json()
    same(verdicts(got), [None, None, ("regression", "high", "evidence")])
    same(got[0]["evidence"]["reason"], "no pytest was found on PATH")


def case_a_model_does_not_overrule(w):
    w.report(failure(ALL[1], exc_type="AssertionError"), failure(ALL[3], exc_type="OSError"))
    got = w.json("--ai-provider", "fake")
    same(verdicts(got), [("regression", "high", "evidence"), ("env", "low", "model")], got)
    assert got[0]["verdict"]["hypothesis"].startswith("It failed again"), got


def case_a_model_is_shown_the_evidence(w):
    (w.dir / "p").write_text("#!/bin/sh\ncat >seen\necho '{\"category\": \"flaky\", "
                             "\"confidence\": \"low\", \"hypothesis\": \"of the model\"}'\n")
    w.report(ALL[0])
    (f,) = w.json("--ai-provider", "command:sh p")
    seen = (w.dir / "seen").read_text()
    assert "what running the test again showed:\nstatus: flaky-hashseed\nruns: 60, failed: 19\n" in (
        seen), seen
    same((verdicts([f]), f["verdict"]["hypothesis"]),
         ([("flaky", "high", "evidence")], "of the model"))


def case_a_report_keeps_its_evidence(w):
    w.report(ALL[0])
    first = w.call("--json", "r.json", "-q")
    same(first.returncode, 0, first)
    done = subprocess.run(w.words("--format", "json", "--ai-provider", "fake", "-q"), text=True,
                          capture_output=True, env=w.env, cwd=w.dir)
    (f,) = json.loads(done.stdout)["failures"]
    same((verdicts([f]), f["evidence"]["status"]), ([("flaky", "high", "evidence")],
                                                    "flaky-hashseed"))


def case_interrupted_it_says_what_is_known(w):
    w.report(failure(ALL[1], count=3), "wait", ALL[0])
    child = subprocess.Popen(w.words("--ai-evidence", "--json", "out.json", "--ai-provider",
                                     "command:touch asked"), env=w.env, cwd=w.dir,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in child.stderr:
        if "running wait again" in line:
            break
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    got = json.loads((w.dir / "out.json").read_text())["failures"]
    same((child.returncode, verdicts(got)), (130, [("regression", "high", "evidence"), None, None]))
    same([f["evidence"]["reason"] for f in got], [None, "interrupted", "interrupted"])
    assert "interrupted; the report holds what is known so far" in err, err
    assert not (w.dir / "asked").exists(), "who wants an end waits for no model"


def case_the_order_of_a_run_is_read(w):
    w.report(ALL[0])
    (w.dir / "order").write_text("t.py::a\nno id\n")
    done = w.call("--order-file", "order")
    same(done.returncode, 2, done)
    assert "order, line 2: that is no node id" in done.stderr, done
    (w.dir / "order").write_text("t.py::a\n")
    same(w.call("--order-file", "order").returncode, 0)


def case_a_session_runs_identical_failures_once(w):
    """The report of a session has each of them."""
    told = [failure(name, nodeid=name, traceback=trace, before=before) for name, trace, before in (
        ("not-flaky", "rare", [0, 1]), ("deterministic-failure", "same", [7, 9]),
        ("no-such-case", "same", [0, "x"]))]
    line = {"v": 1, "ask": "triage", "cwd": str(w.dir), "rootdir": str(w.dir), "args": [],
            "python": sys.executable, "ran": [["a", "b"], 3], "failures": told,
            "options": [["evidence", "on", "--ai-evidence"], ["report", "out", "--ai-report"]]}
    done = subprocess.run([w.program, "session"], input=json.dumps(line) + "\n", text=True,
                          capture_output=True, timeout=60, env=w.env)
    answer = json.loads(done.stdout)
    same((answer["error"], answer["text"]),
         (None, "pytest-triage: 1 flaky, 2 regression (evidence)\npytest-triage: regression, fails "
                "every time: pytest test_money.py::test_rounding\n"), done)
    got = json.loads((w.dir / "out").read_text())["failures"]
    same([(f["nodeid"], f["evidence"]["status"], f["count"]) for f in got],
         [("not-flaky", "not-flaky", 1), ("deterministic-failure", "deterministic-failure", 2),
          ("no-such-case", "deterministic-failure", 2)])


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    bad = 0
    for name, run in list(globals().items()):
        if not name.startswith("case_") or (names and name[5:] not in names):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(World(program, folder))
                print(f"ok - {name[5:]}")
            except Exception:
                bad += 1
                print(f"not ok - {name[5:]}\n{traceback.format_exc()}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
