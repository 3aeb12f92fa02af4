"""The names by which users of pytest-flakedoctor know it, over flaky-repro's JSON report.

Not beside the package flaky_repro: that folder is on the path of every trial, where a
pytest-flakedoctor that is really installed must keep its name.
"""
import dataclasses
import json
import subprocess
import sys

from flaky_repro import __version__, _session  # noqa: F401

USAGE = """usage: flakedoctor NODEID [PYTEST ARGS]

Diagnoses a flaky test: the same as pytest NODEID [PYTEST ARGS] --doctor.
flaky-repro --help says what else there is.
"""


class DoctorError(Exception):
    """The work could not be done at all; the text says why and what to try."""


@dataclasses.dataclass
class DoctorSettings:
    """runs, budget and allow_side_effects are what the user may choose. The others are facts of
    the search, fixed by its statistics."""
    runs: int = 10
    budget: float = 300
    control_runs: int = 5
    verify_runs: int = 10
    counterfactual_runs: int = 10
    sweep_reps: int = 2
    max_verified_candidates: int = 6
    thorough: bool = False
    allow_side_effects: bool = False


@dataclasses.dataclass
class Diagnosis:
    """One finding; `report` is all of it, as docs/report.md has it."""
    nodeid: str
    verdict: str
    claim: str
    headline: str
    explanation: str
    evidence: list
    repro: dict
    warnings: list
    stats: dict
    report: dict


def diagnose(nodeid, *, runs=10, budget=300, invocation_dir=".", python=sys.executable,
             allow_side_effects=False):
    program = _session.program()
    if not program:
        raise DoctorError("the program flaky-repro was not found; install it, or name it in the "
                          "variable FLAKY_REPRO")
    words = [program, str(nodeid), "--format", "json", "--runs", str(runs), "--budget",
             str(budget), "--python", str(python), "--quiet"]
    words += ["--allow-side-effects"] if allow_side_effects else []
    done = subprocess.run(words, cwd=invocation_dir, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        report = json.loads(done.stdout.decode("utf-8"))
        report = report["findings"][0] if "findings" in report else report
    except (ValueError, IndexError):
        raise DoctorError(done.stderr.decode("utf-8", "replace").strip()) from None
    fields = [f.name for f in dataclasses.fields(Diagnosis) if f.name != "report"]
    return Diagnosis(report=report, **{name: report[name] for name in fields})


def main(words=None):
    words = sys.argv[1:] if words is None else words
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(USAGE)
        return 0
    import pytest
    return int(pytest.main([*words, "--doctor", "-p", "flaky_repro.plugin"]))
