"""Runs the examples and holds each to what it promises.

    python3 examples/run.py path/to/flaky-repro [NAME…] [--update]

An example is a folder with a test, `command` (as one types it in the project's folder),
`expected.json` (what the report must say) and `expected.txt` (a report it once printed; --update
writes it anew). The printed repro command is run, as printed, and has to fail every time.
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
    return sorted(p.parent.name for p in HERE.glob("*/expected.json"))


def run(command, cwd, **more):
    # A colour or a plugin of the reader's own must not change what is compared.
    env = {k: v for k, v in os.environ.items() if not k.startswith(("FLAKY_REPRO_", "FORCE_COLOR"))}
    return subprocess.run(
        command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace", timeout=TIMEOUT_SECONDS, **more)


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


def check(tool, name, update):
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
