#!/usr/bin/env python3
"""`flaky-repro triage` with what services that run tests want: annotations, JUnit's XML, a code
quality report, a page of markdown, a gate. Reports are written by hand.

usage: run_outputs.py FLAKY_REPRO [NAME ...]

Each `def case_NAME(w):` is one test in an empty folder.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback


def evidence(runs, failed, **more):
    return {"status": "x", "reason": None, "runs": runs, "failed": failed, "trials": runs,
            "seconds": 1.0, "causes": [], "verify": None, "counterfactual": None, "repro": None,
            "look_at": None, "failures": [], **more}


def failure(nodeid, category=None, source="evidence", why="", **more):
    verdict = category and {"category": category, "hypothesis": why, "confidence": "high",
                            "suggested_fix": None, "source": source}
    return {"nodeid": nodeid, "pytest_args": [nodeid], "phase": "call", "outcome": "failed",
            "exc_type": "AssertionError", "exc_message": f"in {nodeid}",
            "traceback": f"{nodeid.partition('::')[0]}:3: AssertionError", "duration": 0.1,
            "stdout_tail": "", "stderr_tail": "", "verdict": verdict, "count": 1, **more}


FLAKE = failure("a/t.py::first", "flaky", why="It depends on hash order (10 of 10 against 0 of 10).",
                evidence=evidence(8, 3, look_at="a/names.py:7", repro={
                    "command": "PYTHONHASHSEED=1 pytest a/t.py::first", "blob": None}))
BAD = failure("a/t.py::total", "regression", why="It failed again in all 12 runs.",
              evidence=evidence(12, 12, failures=[{
                  "type": "AssertionError", "site": "a/t.py:3", "message": "m", "count": 12}]))
XML = ("<?xml version='1.0' encoding='utf-8'?><testsuites><testsuite failures='2' errors='0'>"
       "<testcase classname='a.t' name='first'><failure message='f'>x</failure></testcase>"
       "<testcase classname='a.t' name='total'><failure message='t'>y</failure></testcase>"
       "</testsuite></testsuites>")


class World:
    def __init__(self, program, folder):
        self.program, self.dir = program, pathlib.Path(folder)
        self.env = {"PATH": os.defpath, "HOME": folder, "LC_ALL": "C.UTF-8"}

    def report(self, *failures):
        (self.dir / "r.json").write_text(json.dumps({
            "schema_version": 1, "created_at": "", "failures": list(failures)}))

    def triage(self, *args, report="r.json", status=0, err="", cwd=""):
        done = subprocess.run([self.program, "triage", "-q", report, *args], text=True,
                              capture_output=True, timeout=60, encoding="utf-8", env=self.env,
                              cwd=self.dir / cwd)
        same((done.returncode, done.stderr), (status, err), args)
        return done.stdout

    def read(self, name):
        return (self.dir / name).read_text(encoding="utf-8")


def same(got, want, what=""):
    assert got == want, f"{what}:\ngot  {got!r}\nwant {want!r}"


def case_a_page_of_markdown(w):
    w.report(BAD, FLAKE)
    want = """### 2 failures, 2 distinct: 1 regression, 1 flaky

| count | test | failure | verdict | why |
|---|---|---|---|---|
| 1 | a/t.py::total | AssertionError: in a/t.py::total | regression | It failed again in all 12 runs.<br>\
Reruns: 12 runs, 12 failed |
| 1 | a/t.py::first | AssertionError: in a/t.py::first | flaky | It depends on hash order \\(10 of \
10 against 0 of 10\\).<br>Reruns: 8 runs, 3 failed<br>Look at a/names.py:7 |

a/t.py::first fails every time with

```
PYTHONHASHSEED=1 pytest a/t.py::first
```

All of them again:

```
pytest a/t.py::total a/t.py::first
```
"""
    same(w.triage("--format", "markdown", "--summary", "new/s.md"), want)
    same(w.read("new/s.md"), want)
    w.triage("--summary", "new/s.md")
    same(w.read("new/s.md"), want + "\n" + want)
    w.report()
    same(w.triage("--format", "markdown"), "### no failures\n")


def case_what_tests_wrote_stays_text(w):
    """No row, fence, link, mention or mark-up but ours."""
    evil = "t.py::x[|<img src=x>]\n| a | @all ![i](http://e) ```\n# h www.e.org [l](x)"
    w.report(failure(evil, "flaky", why="a\n|b| `c` *d* <e> \\| https://f",
                     exc_message="\n```\n| row |", evidence=evidence(1, 1, repro={
                         "command": "pytest '```\n\n# h\n<b>'", "blob": None})))
    lines, fence = [], ""
    for line in w.triage("--format", "markdown").splitlines():
        if fence and line == fence or not fence and line.startswith("```"):
            fence = "" if fence else line
            same(line, "````")  # longer than any within
        elif not fence:
            lines.append(line)
    same(fence, "", "the last block ends")
    rows = [line for line in lines if line.startswith("| ")]
    same(len(rows), 2, rows)  # the head and one
    cells = rows[1].replace("\\\\", "").replace("\\|", "")
    same(cells.count("|"), 6, rows[1])
    for sign in ("<img", "@all", "](", "://", "www.", " `c`", "*d*"):
        assert sign not in rows[1].replace("\\", "\0"), (sign, rows[1])
    assert not [line for line in lines[1:] if line.startswith("#")], lines


def case_many_failures_fit_a_page(w):
    w.report(*[failure(f"t.py::t{i}", "regression", why="w" * 500, exc_message="m" * 1000, traceback=f"{i}")
               for i in range(1000)])
    page = w.triage("--format", "markdown")
    assert "\nAnd 800 more.\n" in page and len(page.encode()) < 1 << 20, len(page)


def case_people_are_told_the_repro(w):
    w.report(FLAKE)
    same(w.triage(), """1 failure, 1 distinct

AssertionError: in a/t.py::first
    a/t.py::first
    flaky (high confidence, from evidence): It depends on hash order (10
    of 10 against 0 of 10).
    reruns: 8 runs, 3 failed
    look at: a/names.py:7
    repro: PYTHONHASHSEED=1 pytest a/t.py::first

again: pytest a/t.py::first
""")


def case_annotations(w):
    w.report(FLAKE, BAD)
    shown = [line for line in w.triage("--annotations", "github").splitlines()
             if line.startswith("::")]
    same(shown, [
        "::error file=a/t.py,line=3,title=regression%3A a/t.py%3A%3Atotal::AssertionError: in "
        "a/t.py::total%0AIt failed again in all 12 runs.",
        "::warning file=a/names.py,line=7,title=flaky%3A a/t.py%3A%3Afirst::AssertionError: in "
        "a/t.py::first%0AIt depends on hash order (10 of 10 against 0 of 10).%0AFails every time: "
        "PYTHONHASHSEED=1 pytest a/t.py::first"])
    assert "::error" not in w.triage("--annotations", "none")
    (w.dir / "sub/a").mkdir(parents=True)
    w.env["GITHUB_WORKSPACE"] = w.env["CI_PROJECT_DIR"] = str(w.dir)
    out = w.triage("--annotations", "github", "--code-quality", "q.json", report="../r.json",
                   cwd="sub")
    assert "::error file=sub/a/t.py," in out, out
    same([f["location"]["path"] for f in json.loads(w.read("sub/q.json"))],
         ["sub/a/names.py", "sub/a/t.py"])


def case_junit_is_written_again(w):
    w.report(FLAKE, BAD)
    (w.dir / "j.xml").write_text(XML)
    w.triage("--junit-from", "j.xml", "--junit", "new/k.xml")
    same(w.read("new/k.xml"),
         "<?xml version='1.0' encoding='utf-8'?><testsuites><testsuite failures='1' errors='0'>"
         "<testcase classname='a.t' name='first'><flakyFailure message='f' type=\"AssertionError\">"
         "<stackTrace>x</stackTrace><system-out>It depends on hash order (10 of 10 against 0 of "
         "10).\nFails every time: PYTHONHASHSEED=1 pytest a/t.py::first</system-out></flakyFailure>"
         "</testcase><testcase classname='a.t' name='total'><failure message='t'>y</failure>"
         "<rerunFailure message=\"m\" type=\"AssertionError\"><stackTrace>AssertionError: m\n"
         "at a/t.py:3\n12 of 12 reruns</stackTrace><system-out>It failed again in all 12 runs."
         "</system-out></rerunFailure></testcase></testsuite></testsuites>")
    w.triage("--junit-from", "j.xml", "--junit", "j.xml")  # in its place
    same(w.read("j.xml"), w.read("new/k.xml"))
    w.triage("--junit-from", "j.xml", "--junit", "j.xml")  # what is done is not done again
    same(w.read("j.xml").count("flakyFailure"), 2)


def case_xml_that_cannot_be_read_is_kept(w):
    w.report(FLAKE)
    for text, why in (("<testsuite><testcase>", "j.xml:1: no element found"),
                      ("", "j.xml: it is empty"), ("<a/>", "j.xml: this is XML, but no report of "
                                                           "JUnit's form")):
        (w.dir / "j.xml").write_text(text)
        w.triage("--junit-from", "j.xml", "--junit", "k.xml", "--code-quality", "q.json", status=2,
                 err=f"flaky-repro: k.xml is as the run wrote it: {why}\n")
        same(w.read("k.xml"), text)
        assert json.loads(w.read("q.json")), "the others are written"
    w.triage("--junit-from", "none.xml", "--junit", "k.xml", status=2,
             err="flaky-repro: opening none.xml: No such file or directory\n")


def case_the_gate(w):
    guess = failure("t.py::m", "flaky", source="model")
    for failures, regressions, flaky in (
            ((), 0, 0), ((FLAKE,), 0, 1), ((FLAKE, BAD), 1, 1), ((guess,), 1, 1),
            ((FLAKE, failure("t.py::n")), 1, 1), ((failure("t.py::e", "env"),), 1, 1)):
        w.report(*failures)
        w.triage("--gate", "regressions", status=regressions)
        w.triage("--gate", "flaky", status=flaky)
        w.triage()
    (w.dir / "j.xml").write_text(XML)
    w.triage("--gate", "regressions", report="j.xml", status=1)


def case_secrets_are_in_no_file(w):
    w.report({**BAD, "exc_message": "password=hunter2", "traceback": "token: hunter2\na/t.py:3: E"})
    out = w.triage("--annotations", "github", "--code-quality", "q.json", "--summary", "s.md")
    for text in (out, w.read("q.json"), w.read("s.md")):
        assert "hunter2" not in text and "REDACTED" in text, text


def case_files_that_cannot_be_written(w):
    w.report(FLAKE)
    (w.dir / "file").write_text("")
    w.triage("--summary", "file/s.md", status=2, err=(
        "flaky-repro: the summary cannot be written to file/s.md: Not a directory\n"
        "hint: choose another --summary FILE; nothing was run\n"))
    w.triage("--code-quality", "/dev/full", "--summary", "s.md", status=2,
             err="flaky-repro: writing /dev/full: No space left on device\n")
    assert w.read("s.md"), "the others are written"


def main():
    program = os.path.abspath(sys.argv[1])
    cases = {n[5:]: f for n, f in globals().items() if n.startswith("case_")}
    bad = 0
    for name in sys.argv[2:] or cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                cases[name](World(program, os.path.realpath(folder)))
                print(f"ok - {name}")
            except Exception:
                bad += 1
                print(f"not ok - {name}\n{traceback.format_exc()}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
