"""Nothing that was learnt is lost: the log, --resume after a kill, Ctrl-C and what it leaves."""
import json
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main  # noqa: E402

# Every third seed or so fails; long enough to be killed in between.
TEST = """
import random, time
def test_x():
    time.sleep(0.05)
    assert random.random() < 0.7
"""
HANG = "import time\ndef test_x():\n    time.sleep(3600)\n"


def logs(w):
    folder = w.project / ".flaky-repro"
    return sorted(folder.glob("log-*.ndjson")) if folder.exists() else []


def lines(path):
    whole = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in whole]


def trials(path):
    return [one for one in lines(path) if one.get("kind") == "trial"]


def wait_for(holds, p, within=60):
    until = time.monotonic() + within
    while not holds() and p.poll() is None and time.monotonic() < until:
        time.sleep(0.02)


def killed(w, *args, after=4, **how):
    """The path of the log that a killed run left, with `after` trials in it or more."""
    path = w.folder / "named.ndjson" if "--log" in args else None
    p = w.start("test_a.py::test_x", *args, budget=60, **how)
    wait_for(lambda: len(trials(path or (logs(w) or [w.folder / "none"])[-1])) >= after, p)
    p.send_signal(signal.SIGKILL)
    r = w.finish(p, time.monotonic())
    check(r.status == -signal.SIGKILL, r)
    path = path or logs(w)[-1]
    check(len(trials(path)) >= after, "trials are logged as they end", lines(path))
    return path


def resumed(w, *args, target="test_a.py::test_x", budget=90, **how):
    path = w.folder / "o.json"
    r = w.run(target, "--resume", "--json", str(path), *args, budget=budget, **how)
    return r, json.loads(path.read_text()) if path.exists() else None


def case_trials_are_logged(w):
    w.write("test_a.py", "def test_x():\n    assert list({'a', 'b', 'c', 'd'})[0] != 'a'\n")
    r = w.run("test_a.py::test_x", "--json", str(w.folder / "o.json"), budget=60)
    report = json.loads((w.folder / "o.json").read_text())
    check(len(logs(w)) == 1, r)
    head, first, *rest = lines(logs(w)[0])
    check(head["format"] == "flaky-repro-log" and head["target"] == "test_a.py::test_x", head)
    check(head["seed"] == "1" and head["python"] == report["env"]["python"], head)
    check(first["kind"] == "first" and first["nodeid"] == "test_a.py::test_x", first)
    made = [one for one in rest if one["kind"] == "trial"]
    check(len(made) == report["stats"]["trials"] - 1, len(made), report["stats"])
    check({"baseline", "verify"} <= {one["phase"] for one in made}, made[0])
    check({"pass", "fail"} == {one["outcome"] for one in made}, made[0])
    check((w.project / ".flaky-repro" / ".gitignore").read_text() == "*\n")
    w.check_clean()


def case_a_killed_diagnosis_goes_on(w):
    w.write("test_a.py", TEST)
    path = killed(w)
    before = len(trials(path))
    r, report = resumed(w)
    check(r.status == 1 and report["verdict"] == "flaky-rng", r)
    check(logs(w) == [path], "it is the same log", logs(w))
    check(report["stats"]["trials"] == len(trials(path)) + 1, "each trial was made once",
          report["stats"], len(trials(path)))
    check(before < len(trials(path)), before)
    check(report["stats"]["seed"] == lines(path)[0]["seed"], report["stats"])
    again, same = resumed(w)
    check(same["cause"] == report["cause"] and again.status == 1, again)
    w.check_clean()


def case_a_torn_line_is_none(w):
    w.write("test_a.py", TEST)
    path = killed(w)
    with open(path, "ab") as log:
        log.write(b'{"kind":"trial","nodeid":"test_a.py::te')
    r, report = resumed(w)
    check(r.status == 1 and report["verdict"] == "flaky-rng", r)
    check(len(trials(path)) > 4, "all lines are whole", path)


def case_resume_needs_no_target(w):
    w.write("test_a.py", TEST)
    killed(w, "--", "-o", "console_output_style=classic")
    r, report = resumed(w, target=None)
    check(r.status == 1 and report["nodeid"] == "test_a.py::test_x", r)


def case_a_log_of_its_own(w):
    w.write("test_a.py", TEST)
    path = w.folder / "named.ndjson"
    killed(w, "--log", str(path))
    check(logs(w) == [], "it is not written twice")
    r = w.run("test_a.py::test_x", "--log", str(path))
    check(r.status == 2 and "is there already" in r.err and "--resume" in r.err, r)
    r, report = resumed(w, "--log", str(path))
    check(r.status == 1 and report["verdict"] == "flaky-rng", r)


def case_no_log(w):
    w.write("test_a.py", "def test_x():\n    pass\n")
    r = w.run("test_a.py::test_x", "--log", "none", budget=3)
    check(r.status in (0, 3) and not (w.project / ".flaky-repro").exists(), r)
    r = w.run("test_a.py::test_x", "--log", str(w.folder / "test_a.py" / "x" / "y"), budget=3)
    check(r.status in (0, 3), r)  # parents are made
    (w.folder / "file").write_text("x")
    r = w.run("test_a.py::test_x", "--log", str(w.folder / "file" / "x"), budget=3)
    check(r.status == 2 and "nothing was run" in r.err, r)


def case_other_logs_are_refused(w):
    w.write("test_a.py", TEST)
    path = killed(w)
    for args, words in ((("--log", str(path)), "is the log of test_a.py::test_x, not of test_b.py"),
                        ((), "there is no log of test_b.py")):
        r, _ = resumed(w, *args, target="test_b.py")
        check(r.status == 2 and words in r.err, r)
    r, _ = resumed(w, "--axes", "rng")
    check(r.status == 2 and "other --axes" in r.err, r)
    r, _ = resumed(w, "--seed", "2")
    check(r.status == 2 and "drawn with --seed 1" in r.err, r)
    text = path.read_text()
    path.write_text(text.replace(w.release(), "0.0.1", 1))
    r, _ = resumed(w)
    check(r.status == 2 and "written by flaky-repro 0.0.1" in r.err, r)
    path.write_text(text)
    w.write("test_a.py", TEST + "\n")
    r, _ = resumed(w)
    check(r.status == 2 and "the tests have changed" in r.err, r)
    check(path.read_text() == text, "a log that is refused stays as it is")
    path.write_text("nonsense\n")
    r, _ = resumed(w, "--log", str(path))
    check(r.status == 2 and "is no log of flaky-repro" in r.err, r)


def case_old_logs_go(w):
    w.write("test_a.py", "def test_x():\n    pass\n")
    folder = w.project / ".flaky-repro"
    folder.mkdir()
    for n in range(12):
        (folder / f"log-20200101-0000{n:02}-1.ndjson").write_text("{}\n")
    (folder / "report.json").write_text("{}")
    r = w.run("test_a.py::test_x", budget=3)
    check(len(logs(w)) == 8 and (folder / "report.json").exists(), logs(w), r)
    check(logs(w)[0].name == "log-20200101-000005-1.ndjson", logs(w))


def case_a_folder_that_cannot_be_written(w):
    w.write("test_a.py", "def test_x():\n    pass\n")
    (w.project / ".flaky-repro").write_text("a file")
    r = w.run("test_a.py::test_x", budget=3)
    check(r.status in (0, 3) and "is not whole" not in r.out, r)


def case_ctrl_c_and_term_keep_what_is_known(w):
    w.write("test_a.py", TEST)
    for number in (signal.SIGINT, signal.SIGTERM):
        path = w.folder / "o.json"
        p = w.start("test_a.py::test_x", "--json", str(path), budget=60)
        wait_for(lambda: logs(w) and len(trials(logs(w)[-1])) >= 4, p)
        sent = time.monotonic()
        p.send_signal(number)
        r = w.finish(p, sent)
        check(r.status == 130 and r.took < 10, r)
        check("stopping; once more" in r.err and "--resume goes on" in r.err, r)
        report = json.loads(path.read_text())
        check(report["verdict"] == "incomplete" and "interrupted" in report["headline"], report)
        check(report["baseline"]["runs"] > 0 and report["stats"]["trials"] > 1, report)
        check("interrupted before there was an answer" in r.out, r)
        path.unlink()
        r, report = resumed(w)
        check(r.status == 1 and report["verdict"] == "flaky-rng", r)
        for old in logs(w):
            old.unlink()
    w.check_clean()


def case_ctrl_c_in_the_first_run_writes_a_report(w):
    w.write("test_a.py", HANG)
    for number in (signal.SIGINT, signal.SIGTERM):
        path = w.folder / "o.json"
        p = w.start("test_a.py::test_x", "--json", str(path), budget=60)
        wait_for(lambda: list(w.tmp.glob("fr-*/*/r")), p)
        p.send_signal(number)
        r = w.finish(p, time.monotonic())
        check(r.status == 130, r)
        check(json.loads(path.read_text())["verdict"] == "incomplete", r)
        path.unlink()
    w.check_clean()


def case_a_second_ctrl_c_leaves_at_once(w):
    w.write("test_a.py", HANG)
    p = w.start("test_a.py::test_x", budget=60)
    wait_for(lambda: list(w.tmp.glob("fr-*/*/r")), p)
    os.kill(p.pid, signal.SIGSTOP)  # both are there before it can look
    os.kill(p.pid, signal.SIGINT)
    os.kill(p.pid, signal.SIGTERM)
    os.kill(p.pid, signal.SIGCONT)
    sent = time.monotonic()
    r = w.finish(p, sent)
    check(r.status == 130 and r.took < 5, r)
    check("DIAGNOSIS" not in r.out, "it left at once", r)
    w.check_clean()


if __name__ == "__main__":
    main(globals())
