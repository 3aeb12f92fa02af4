"""Runs the examples and holds each to what it promises.

    python3 examples/run.py path/to/flaky-repro [NAME…] [--update]

An example is a folder with a test, `command` (as one types it in the project's folder),
`expected.json` (what the report must say) and `expected.txt` (a report it once printed; --update
writes it anew). The printed repro command is run, as printed, and has to fail every time.

One folder is a whole suite that fails: `verdicts.json` says for each of its tests what triage must
take its failure for, and which cause it may name. Tests that fail `sometimes` may have passed.
Exit status: 0 all as promised, 1 not, 2 no such example.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPRO_RUNS = 5
# A hundred times what an example takes: only a hang gets there.
TIMEOUT_SECONDS = 600


def names():
    return sorted(p.parent.name for what in ("expected", "verdicts")
                  for p in HERE.glob(f"*/{what}.json"))


def run(command, cwd, **variables):
    # A colour or a plugin of the reader's own must not change what is compared.
    env = {k: v for k, v in os.environ.items() if not k.startswith(("FLAKY_REPRO_", "FORCE_COLOR"))}
    return subprocess.run(
        command, cwd=cwd, env={**env, **variables}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        timeout=TIMEOUT_SECONDS)


def sections(report):
    """The headings of a report: capitals at the second column. How far a budget went is the
    machine's affair, and so is a warning of it."""
    found = re.findall(r"^ ([A-Z]{2,}(?: [A-Z]{2,})*)(?=  | \(|$)", report, re.M)
    return [name for name in found if name != "WARNINGS"]


def differences(expected, status, report):
    """Yields a sentence for each broken promise."""
    found = {
        "status": status,
        "axes": [c["axis"] for c in report["cause"]],
        "exception": (report["failure"] or {}).get("exception"),
    }
    for key in ("status", "verdict", "claim", "strength", "axes", "exception"):
        got = found.get(key, report.get(key))
        if key in expected and got != expected[key]:
            yield f"{key}: expected {expected[key]!r}, got {got!r}"
    files = {w["file"] for c in report["cause"] for w in c["witness"]}
    if expected.get("witness") and expected["witness"] not in files:
        yield f"witness: expected {expected['witness']}, got {sorted(files) or 'none'}"
    values = [c["value"] for c in report["cause"]]
    if "value" in expected and not any(re.search(expected["value"], v) for v in values):
        yield f"value: expected one like {expected['value']}, got {values}"
    if expected["repro"] != bool(report["repro"]):
        yield f"repro: expected {'one' if expected['repro'] else 'none'}, got {report['repro']}"
    elif expected["repro"] and report["verify"]["failed"] != report["verify"]["runs"]:
        yield f"verify: {report['verify']}"


def repro_failures(command, expected, cwd):
    """Runs the command as printed; a failing pytest exits 1 and names the exception, a program
    exits as it does and says what it says."""
    says = expected.get("says", expected["exception"])
    for n in range(1, REPRO_RUNS + 1):
        r = run(["sh", "-c", command], cwd)
        if r.returncode not in expected.get("exit", [1]) or says not in r.stdout + r.stderr:
            yield (f"repro: run {n} of {REPRO_RUNS} did not fail as reported "
                   f"(exit status {r.returncode}): {command}\n{r.stdout[-2000:]}{r.stderr[-2000:]}")
            return


def verdict_differences(expected, failures, cwd):
    """Yields a sentence for each broken promise of a suite that was triaged."""
    got = {f["nodeid"]: f for f in failures}
    for nodeid in sorted(got.keys() - expected.keys()):
        yield f"{nodeid}: a failure that nobody expected"
    for nodeid, want in expected.items():
        f = got.get(nodeid)
        if f is None:
            if not want.get("sometimes"):
                yield f"{nodeid}: it did not fail"
            continue
        verdict, evidence = f["verdict"] or {}, f["evidence"] or {}
        if (verdict.get("category"), verdict.get("source")) != (want["category"], "evidence"):
            yield f"{nodeid}: expected {want['category']} by evidence, got {verdict} {evidence}"
        axes = [c["axis"] for c in evidence.get("causes", [])]
        if axes and axes != want.get("axes"):
            yield f"{nodeid}: expected {want.get('axes')}, got {axes}"
        if evidence.get("repro"):
            says = {"exception": f["exc_type"]}
            yield from repro_failures(evidence["repro"]["command"], says, cwd)


def triaged(tool, name):
    """Runs a suite with the plugin and looks at the report of its failures."""
    expected = json.loads((HERE / name / "verdicts.json").read_text())
    words = shlex.split((HERE / name / "command").read_text())
    pytest = [words[0]] if shutil.which(words[0]) else [sys.executable, "-m", words[0]]
    plugin = str(HERE.parent / "runner" / "plugin")
    with tempfile.TemporaryDirectory(prefix="example-") as temp:
        shutil.copytree(HERE / name, Path(temp, "examples", name),
                        ignore=shutil.ignore_patterns("__pycache__", ".*"))
        r = run([*pytest, "-p", "flaky_repro.plugin", *words[1:]], temp, FLAKY_REPRO=tool,
                PYTHONPATH=plugin)
        path = Path(temp, ".triage.json")
        if r.returncode != 1 or not path.exists():
            return [f"exit status {r.returncode}, report: {path.exists()}\n{r.stdout}{r.stderr}"]
        failures = json.loads(path.read_text())["failures"]
        wrong = list(verdict_differences(expected, failures, temp))
        return [*wrong, r.stdout + r.stderr] if wrong else []


def check(tool, name, update):
    if (HERE / name / "verdicts.json").exists():
        return triaged(tool, name)
    expected = json.loads((HERE / name / "expected.json").read_text())
    words = shlex.split((HERE / name / "command").read_text())
    with tempfile.TemporaryDirectory(prefix="example-") as temp:
        # A copy, so that nothing is left in the tree and two may run side by side.
        shutil.copytree(HERE / name, Path(temp, "examples", name),
                        ignore=shutil.ignore_patterns("__pycache__", ".*"))
        path = Path(temp, "report.json")
        r = run([tool, "--json", str(path), *words[1:]], temp)
        if not path.exists():
            return [f"no report (exit status {r.returncode})\n{r.stdout}{r.stderr}"]
        report = json.loads(path.read_text())
        wrong = list(differences(expected, r.returncode, report))
        if not wrong and report["repro"]:
            wrong += repro_failures(report["repro"]["command"], expected, temp)
        sample = HERE / name / "expected.txt"
        if update and not wrong:
            sample.write_text(r.stdout.replace(str(HERE.parent), "/opt/flaky-repro"))
        elif not sample.exists():
            wrong.append("expected.txt is missing; --update writes it")
        elif sections(r.stdout) != sections(sample.read_text()):
            wrong.append(f"sections: {sections(r.stdout)}, in expected.txt "
                         f"{sections(sample.read_text())}")
        return [*wrong, r.stdout + r.stderr] if wrong else []


def main(argv):
    update = "--update" in argv
    words = [a for a in argv if a != "--update"]
    if not words or not os.access(words[0], os.X_OK):
        print(__doc__, file=sys.stderr)
        return 2
    tool, chosen = os.path.abspath(words[0]), words[1:] or names()
    unknown = sorted(set(chosen) - set(names()))
    if unknown:
        print(f"no example {', '.join(unknown)}; there are {', '.join(names())}", file=sys.stderr)
        return 2
    failed = 0
    for name in chosen:
        wrong = check(tool, name, update)
        failed += bool(wrong)
        print(f"{name}: {'FAILED' if wrong else 'ok'}", *wrong, sep="\n  ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
