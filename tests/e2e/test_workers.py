"""Copies of a test side by side: at once, staggered, in one tree that is theirs alone; and the
experiment over their number."""
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "plugin")]
from test_outcomes import trials  # noqa: E402
from world import check, main, skip  # noqa: E402

# Says when it began and ended, and what it drew.
DIARY = """
import os, secrets, time
def test_diary(tmp_path):
    began = time.monotonic()
    time.sleep({seconds})
    with open({path!r}, "a") as f:
        f.write(f"{{began}} {{time.monotonic()}} {{secrets.token_hex(8)}} {{hash('x')}} {{tmp_path}}\\n")
"""


def diary(w, setting, seconds=0.5):
    """One list of words for each copy, in the order of their beginnings."""
    path = w.outside / "diary"
    path.unlink(missing_ok=True)
    w.write("test_diary.py", DIARY.format(seconds=seconds, path=str(path)))
    rows = trials(w, "fresh", ["test_diary.py::test_diary"], limit_ms=60000, setting=setting)
    check(rows[0]["kind"] == "pass", rows)
    return sorted((line.split() for line in path.read_text().splitlines()), key=lambda x: float(x[0]))


def case_copies_are_under_way_at_once(w):
    for n in (2, 4, 8):
        lines = diary(w, f"workers=copies:{n}", seconds=1)
        check(len(lines) == n, lines)
        last_began, first_ended = float(lines[-1][0]), min(float(x[1]) for x in lines)
        check(last_began < first_ended, n, lines)
        check(len({x[4] for x in lines}) == n, "one tmp_path for two", lines)
    check(len(diary(w, "workers=copies:1")) == 1)
    w.check_clean()


def case_starts_are_staggered(w):
    lines = diary(w, "workers=copies:4:250ms")
    gaps = [float(b[0]) - float(a[0]) for a, b in zip(lines, lines[1:])]
    check(len(gaps) == 3 and all(gap > 0.12 for gap in gaps) and sum(gaps) > 0.7, gaps)
    # Without a delay they are let go together, whenever each was ready.
    together = diary(w, "workers=copies:4", seconds=1)
    check(float(together[-1][0]) - float(together[0][0]) < 0.7, together)


def case_copies_draw_their_own_and_draw_it_again(w):
    setting = "hashseed=3,rng=7,workers=copies:3"
    first, second = diary(w, setting), diary(w, setting)
    drawn = [sorted((x[2], x[3]) for x in lines) for lines in (first, second)]
    check(drawn[0] == drawn[1], drawn)
    check(len({x[2] for x in first}) == 3 and len({x[3] for x in first}) == 3, first)


def case_one_copy_that_fails_is_the_outcome(w):
    w.write("test_last.py", """
import os, time
def test_last():
    os.mkdir("taken")
    time.sleep(0.5)
    os.rmdir("taken")
""")
    row = trials(w, "fresh", ["test_last.py::test_last"], limit_ms=60000,
                 setting="workers=copies:2")[0]
    check((row["kind"], row["phase"], row["type"]) == ("fail", "call", "FileExistsError"), row)
    check(trials(w, "fresh", ["test_last.py::test_last"], limit_ms=60000,
                 setting="workers=copies:1")[0]["kind"] == "pass")


def case_copies_that_hang_are_ended(w):
    w.write("test_stuck.py", "import time\ndef test_stuck():\n    time.sleep(120)\n")
    row = trials(w, "fresh", ["test_stuck.py::test_stuck"], limit_ms=8000,
                 setting="workers=copies:3")[0]
    check(row["kind"] == "hang" and row["site"] == "test_stuck.py:3", row)
    w.check_clean()


def case_copies_that_die_are_seen(w):
    w.write("test_dies.py", """
import os, signal, time
def test_dies():
    try:
        os.mkdir("first")
    except FileExistsError:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.5)
    os.rmdir("first")
""")
    row = trials(w, "fresh", ["test_dies.py::test_dies"], limit_ms=60000,
                 setting="workers=copies:2")[0]
    check((row["kind"], row["type"]) == ("crash", "<SIGKILL>"), row)


def report(w, *args, **how):
    r = w.run(args[0], "--json", str(w.folder / "o.json"), *args[1:], **how)
    check((w.folder / "o.json").exists(), r)
    return r, json.loads((w.folder / "o.json").read_text(encoding="utf-8"))


FIXED = """
import os, time
PLACE = {place!r}
def test_fixed():
    os.mkdir(PLACE)
    time.sleep(0.1)
    os.rmdir(PLACE)
"""


def case_one_shared_tree_that_is_not_the_users(w):
    """Found, verified, with the line that makes what is shared; and played again."""
    place = "/tmp/only-one-of-us"
    if os.path.exists(place):
        skip(f"{place} is there")
    w.write("test_fixed.py", FIXED.format(place=place))
    r, found = report(w, "test_fixed.py", "--axes", "workers", budget=140,
                      timeout=220)
    if not any("private" in layer for layer in found["env"]["layers"]):
        skip("no mount namespaces here")
    check(found["verdict"] == "flaky-workers" and r.status == 1, r)
    check(found["cause"][0]["value"].startswith("copies:"), found["cause"])
    check("test_fixed.py" in [x["file"] for x in found["cause"][0]["witness"]], found["cause"])
    check(not os.path.exists(place), "a copy's folder is left in the user's /tmp")
    w.check_clean()
    again = subprocess.run(["sh", "-c", found["repro"]["command"]], cwd=w.project, env=w.env(),
                           capture_output=True, text=True)
    check(again.returncode == 1 and "FileExistsError" in again.stdout, again)


def case_a_test_with_files_of_its_own_is_not_tried(w):
    w.write("test_own.py", "def test_own(tmp_path):\n    (tmp_path / 'a').write_text('x')\n")
    r, found = report(w, "test_own.py", "--axes", "workers", budget=30)
    check(found["verdict"] in ("not-flaky", "incomplete") and found["axes_skipped"], r)
    check([x["reason"] for x in found["axes_skipped"] if x["axis"] == "workers"] ==
          ["the test does not touch it"], found["axes_skipped"])


def case_cases_of_one_function_meet_under_xdist(w):
    """The command that is printed is xdist's own."""
    try:
        subprocess.run([w.python, "-c", "import xdist"], check=True, capture_output=True)
    except subprocess.CalledProcessError:
        skip("pytest-xdist is not installed")
    w.write("test_kinds.py", """
import os, pytest, time
@pytest.mark.parametrize("kind", ["a", "b", "c", "d"])
def test_kind(kind):
    os.mkdir("/tmp/one-for-all-kinds")
    time.sleep(0.1)
    os.rmdir("/tmp/one-for-all-kinds")
""")
    r, found = report(w, "test_kinds.py::test_kind[a]", "--axes", "workers", budget=140,
                      timeout=220)
    check(found["verdict"] == "flaky-workers", r)
    check(found["cause"][0]["value"].startswith("xdist:"), found["cause"])
    check(re.search(r"-n \d .*test_kinds.py$", found["repro"]["command"]), found["repro"])


def case_profile_of_a_stable_test(w):
    """Acceptance 32, its second half: STABLE, and no candidate."""
    w.write("test_calm.py", "def test_calm():\n    assert True\n")
    r, found = report(w, "test_calm.py", "--profile", "concurrency", budget=120)
    k = found["concurrency"]
    check(r.status == 0 and found["verdict"] == "not-flaky", r)
    check(k["status"] == "STABLE" and k["candidates"] == [], k)
    check({(x["type"], x["workers"], x["delay_ms"]) for x in k["conditions"]} >=
          {("Worker", n, 0) for n in (1, 2, 4, 8)} | {("Timing", 4, 10), ("Timing", 4, 20)}, k)
    for x in k["conditions"]:
        check(x["passed"] + x["failed"] + x["unknown"] == x["runs"] > 0, x)
    w.check_clean()


def case_profile_counts_a_hang_as_unknown(w):
    """Acceptance 35."""
    w.write("test_slow.py", """
import os, time
def test_slow():
    try:
        os.mkdir("mine")
    except FileExistsError:
        time.sleep(600)
    time.sleep(0.3)
    os.rmdir("mine")
""")
    r, found = report(w, "test_slow.py", "--profile", "concurrency", budget=60, timeout=230)
    k = found["concurrency"]
    hung = [x for x in k["conditions"] if x["unknown"]]
    check(hung and all(x["failed"] == 0 for x in k["conditions"]), k)
    check(found["cause"] == [] and all(
        x["passed"] + x["failed"] + x["unknown"] == x["runs"] for x in k["conditions"]), k)


if __name__ == "__main__":
    main(globals())
