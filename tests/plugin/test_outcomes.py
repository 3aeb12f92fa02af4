"""Every kind of ending, in both tiers: outcome, phase, exception type and crash site."""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from world import check, main  # noqa: E402


def expectations(text):
    """nodeid → the words of the comment above it."""
    found, cls = {}, None
    lines = text.split("\n")
    for at, line in enumerate(lines):
        klass = re.match(r"class (Test\w+)", line)
        if klass:
            cls = klass[1]
        test = re.match(r"( *)def (test_\w+)", line)
        if not test:
            continue
        above = at - 1
        while lines[above].strip().startswith("@"):
            above -= 1
        words = lines[above].strip()
        assert words.startswith("# "), f"{test[2]} says nothing of what it comes to"
        inside = f"{cls}::" if test[1] else ""
        suffix = "[NOTSET]" if "test_no_parameters" in line else ""
        found[f"test_sample.py::{inside}{test[2]}{suffix}"] = words[2:]
    return found


def trials(w, tier, ids, runs=1, limit_ms=1500, setting="", env=None):
    """One dict per trial, in the order of the ids."""
    done = subprocess.run(
        [w.options.tool, w.lib, w.plugin, w.python, tier, str(runs), str(limit_ms), setting, *ids],
        cwd=w.project, env=w.env(**(env or {})), stdin=subprocess.DEVNULL, capture_output=True)
    check(done.returncode == 0, done.stdout, done.stderr)
    names = ("id", "tier", "kind", "phase", "type", "site", "message", "changed", "us", "no_warm")
    rows = [dict(zip(names, line.split("\t")))
            for line in done.stdout.decode("utf-8").rstrip("\n").split("\n")]
    check(len(rows) == runs * len(ids), done.stdout, done.stderr)
    return rows


def wrong(row, want):
    words = want.split(" ", 2) + ["", ""]
    got = (row["kind"], row["phase"], row["type"])
    if got[:2] != (words[0], words[1]) or words[2] not in ("*", got[2]):
        # unittest and old pytests have sub-types of what is named; the table names the base.
        if not (words[2] == "ValueError" and got[2] == "JSONDecodeError"):
            return f"{row['id']} {row['tier']}: got {' '.join(got)} {row['message']!r}, want {want}"
    if row["kind"] == "hang" and not row["site"]:
        return f"{row['id']} {row['tier']}: a hang without a place"
    return None


def every_ending(w, tier):
    text = (HERE / "sample_outcomes.py").read_text(encoding="utf-8")
    w.write("test_sample.py", text)
    want = expectations(text)
    rows = trials(w, tier, list(want))
    bad = [wrong(row, want[row["id"]]) for row in rows]
    bad += [f"{row['id']} ran {row['tier']}: {row['no_warm']}" for row in rows
            if row["tier"] != tier]
    check(not any(bad), *filter(None, bad))
    w.check_clean()


def case_warm(w):
    every_ending(w, "warm")


def case_fresh(w):
    every_ending(w, "fresh")


if __name__ == "__main__":
    main(globals())
