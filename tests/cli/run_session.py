#!/usr/bin/env python3
"""Sampling sessions, line by line: what the plugin says to `flaky-repro session` and is answered.

usage: run_session.py FLAKY_REPRO SOURCE_DIR [NAME ...]

Each `def case_NAME(w):` is one test in an empty folder; w starts sessions and checks.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_reports  # noqa: E402

OUTCOMES = {"P": "pass", "F": "fail", "E": "error"}


class Session:
    """A stand-in for the plugin: it knows as little of statistics."""

    def __init__(self, world, *options, role="whole", loadgroup=False):
        self.dir = world.dir
        self.p = subprocess.Popen([world.program, "session"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.hello = self.ask("sample", options=[[n, v, "--prob-" + n] for n, v in options],
                              cwd=str(world.dir), rootdir=str(world.dir), python="python3",
                              script="pytest", args=[], selected=[], width=80, color=False,
                              role=role, loadgroup=loadgroup, has={"xdist": role != "whole"})

    def send(self, **line):
        self.p.stdin.write(json.dumps({"v": 1, **line}) + "\n")

    def ask(self, word, **fields):
        self.send(ask=word, **fields)
        self.p.stdin.flush()
        return json.loads(self.p.stdout.readline())

    def finish(self, status=0):
        answer = self.ask("finish", exitstatus=status, seconds=1.0)
        self.p.stdin.close()
        assert self.p.wait(20) == 0
        return answer

    def kill(self):
        self.ask("verdict", case="none")  # all before it has been taken in
        self.p.kill()
        self.p.wait()

    def run(self, case, number, letter, **more):
        self.send(tell="run", case=case, run=number, outcome=OUTCOMES[letter],
                  message="assert 'F' == 'P'" if letter == "F" else None,
                  error="ValueError: boom" if letter == "E" else None,
                  elapsed=0.001 * number, cost=None, usage=[], **more)

    def play(self, case, letters, **mark):
        """Asks for one case and plays it, stopping as it is told to. The answer on the case."""
        settled = self.ask("cases", cases=[definition(case, **mark)])
        self.warnings = settled["warnings"]
        (c,) = settled["cases"]
        passes = others = 0
        for i in range(c["runs"]):
            letter = letters[i % len(letters)]
            self.run(case, i + 1, letter)
            passes += letter == "P"
            others += letter != "P"
            if self.stops(case, c, i, passes, others):
                for left in range(i + 1, c["runs"]):
                    self.send(tell="cut", case=case, run=left + 1)
                break
        return c

    def stops(self, case, c, row, passes, others):
        if row + 1 == c["runs"]:
            return False
        if c.get("stop_ask"):
            return self.ask("stop", case=case)["stop"]
        if not c["stop"]:
            return False
        enough, too_many = c["stop"][row]
        idle = c["idle"] and c["idle"][row]
        return ((enough is not None and passes >= enough)
                or (too_many is not None and others >= too_many)
                or bool(idle and idle[0] <= passes <= idle[1]))


def definition(case, of_case=False, parameters=(), **mark):
    function, _, name = case.partition("::")
    return {"case": case, "function": function, "input": name, "file": "bench_x.py",
            "nodeid": f"bench_x.py::bench_{case}", "parameters": list(parameters),
            "marks": [{"of_case": of_case, "args": [], "kwargs": mark}] if mark else []}


class World:
    def __init__(self, program, source, folder):
        self.program, self.source, self.dir = program, source, pathlib.Path(folder)

    def session(self, *options, **more):
        return Session(self, *options, **more)

    def same(self, got, want, what):
        assert got == want, f"{what}: got {got!r}, want {want!r}"

    def valid(self, path):
        report = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        schema = json.loads((self.source / "docs/fractions.schema.json").read_text())
        wrong = list(check_reports.errors(report, schema, schema))
        assert not wrong, wrong[:5]
        return report

    def report(self, *args):
        return subprocess.run([self.program, "report", *map(str, args)], text=True,
                              capture_output=True, encoding="utf-8", cwd=self.dir, timeout=60)


def text_of(answer, title):
    return next((s["text"] for s in answer["sections"] if s["title"] == title), None)


def case_the_plugin_gets_its_values(w):
    s = w.session(("runs", "10"), ("delay", "0.5"), ("stop", "curtail"), ("json", "r.json"))
    w.same(s.hello, {"v": 1, "runs": 10, "delay": 0.5, "transpose": False, "stop": "curtail",
                     "errors": "count", "gate_items": True, "isolate": False,
                     "isolate_bench": False, "tests": False, "diagnose": False, "timeout": None,
                     "plan": False, "json": str(w.dir / "r.json"), "warnings": []}, "values")
    w.same(s.finish(5), {"v": 1, "status": 5, "sections": [], "flaky": [], "error": None,
                         "hint": None}, "nothing ran")


def case_a_bad_option_is_refused(w):
    s = w.session(("min-rate", "90"))
    w.same(s.hello, {"v": 1, "refused": "--prob-min-rate must lie between 0 and 1, not 90",
                     "hint": "did you mean 0.9?"}, "refusal")
    w.same(s.ask("cases", cases=[])["refused"], "session: nobody asked it to sample", "then")


def case_a_bad_mark_is_told_with_its_case(w):
    s = w.session(("runs", "3"))
    answer = s.ask("cases", cases=[
        definition("a::x", min_rate=90), definition("b", min_rte=.9),
        definition("c", min_rate=.9, min_passes=2), definition("d", prior={"repr": "<P>"}),
        definition("e", compare="style"), definition("f", parameters=[["text", "1"]],
                                                     compare="style"),
        definition("g", of_case=True, compare="x"), definition("h", min_rate=.5)])
    w.same([c["error"] for c in answer["cases"]], [
        "a::x: @pytest.mark.probability: min_rate must lie between 0 and 1, not 90; did you mean "
        "0.9?",
        "b: @pytest.mark.probability: min_rte is no argument of this mark; did you mean min_rate?",
        "c: @pytest.mark.probability: min_rate and min_passes exclude one another; a case is held "
        "to a rate or to a count",
        "d: @pytest.mark.probability: prior: <P> are not the two positive numbers of a Beta prior; "
        "as in 1,1 or 0.5,0.5",
        "e: @pytest.mark.probability: compare=\"style\" is no argument of its parametrize; it has "
        "none",
        "f: @pytest.mark.probability: compare=\"style\" is no argument of its parametrize; it has "
        "text",
        "g: @pytest.mark.probability: compare is asked of a whole function, not of one case; put "
        "it on the mark of the function",
        None], "errors")


def case_gates_that_cannot_pass_are_warned_of(w):
    s = w.session(("runs", "20"))
    answer = s.ask("cases", cases=[
        *[definition(f"twelve::c{i}", min_rate=.9) for i in range(12)],
        definition("other", min_rate=.9, method="bayes"),
        definition("count", min_passes=50), definition("late", max_latency=2),
        definition("fine", min_rate=.8), definition("free")])
    w.same([(x["category"], x["text"]) for x in answer["warnings"]], [
        ("InfeasibleGateWarning", f"{text} runs; {has}") for text, has in (
            ("twelve (12 cases): min_rate=0.9 at 95% cannot pass with fewer than 36",
             "each has 20"),
            ("other: min_rate=0.9 at 95% (bayes) cannot pass with fewer than 35", "it has 20"),
            ("count: min_passes=50 cannot pass with fewer than 50", "it has 20"),
            ("late: max_latency=2 (p95) at 95% cannot pass with fewer than 72", "it has 20"))],
        "warnings")
    w.same([(c["gated"], c["gate_item"]) for c in answer["cases"][-4:]],
           [(True, True), (False, True), (True, True), (False, False)], "gated, item")


def case_the_described_gates_decide_the_status(w):
    def play(*options):
        s = w.session(("runs", "40"), ("min-rate", "0.9"), *options)
        s.play("classify::is_question", "P")
        s.play("classify::identify_pii", "P" * 37 + "F" * 3)
        return s
    s = play()
    w.same(s.ask("verdict", case="classify::identify_pii"),
           {"v": 1, "verdict": "undecided", "passed": False,
            "text": "classify::identify_pii  37/40  [80%, 98%]  ≥90%  UNDECIDED"}, "undecided")
    w.same(s.ask("verdict", case="classify::is_question")["passed"], True, "passed")
    w.same(s.finish()["status"], 1, "an undecided gate fails")
    w.same(play(("undecided", "pass")).finish()["status"], 0, "unless it may")
    s = play(("undecided", "pass"))
    s.play("classify::never", "PPP" + "F" * 37)
    w.same(s.finish()["status"], 1, "a failed one always does")
    w.same(play().finish(2)["status"], 2, "an interruption stays one")
    s = w.session(("runs", "3"))
    s.play("free", "PPF")
    w.same(s.finish(1)["status"], 1, "pytest's failures stay")
    s = w.session(("runs", "3"))
    s.play("late", "P", max_latency=.001)
    w.same(s.finish(0)["status"], 1, "latency gates count")


def case_the_described_stops_save_what_they_say(w):
    s = w.session(("runs", "40"), ("stop", "curtail"))
    s.play("classify::is_question", "P", min_rate=.9)
    s.play("classify::identify_pii", "P" * 37 + "F", min_rate=.9)
    s.play("classify::never", "PPP" + "F" * 37, min_rate=.9)
    w.same(text_of(s.finish(), "probability"), """\
  classify::is_question   40/40  [91%, 100%]
  classify::identify_pii  37/38  [86%,  99%]  FLAKY  decided after 38/40
  classify::never          3/12  [ 5%,  57%]  FLAKY  decided after 12/40

  Overall: 80/90 passed (89%)
  Gates:   1 passed, 1 failed, 1 undecided
  Stopped: 2 cases early, saving 30 of 120 runs (25%)

  Diagnose: flaky-repro bench_x.py::bench_classify::identify_pii
            flaky-repro bench_x.py::bench_classify::never
""", "section")
    s = w.session(("stop", "sequential"))
    s.play("classify::solid", "P", min_rate=.9, runs=100)
    assert "  53/53  [90%, 100%] seq  decided after 53/100\n" in text_of(s.finish(), "probability")


def case_an_error_of_an_ordinary_test_is_a_flake_too(w):
    for tests in ("false", "true"):
        s = w.session(("runs", "3"), ("tests", tests))
        s.play("t", "PEP")
        text = text_of(s.finish(), "probability")
        w.same("Diagnose: flaky-repro " in text, tests == "true", text)


def case_what_needs_all_runs_is_not_judged_on_the_way(w):
    s = w.session(("stop", "sequential"))
    s.play("timed", "P", min_rate=.9, runs=60, max_latency=5.0)
    text = text_of(s.finish(), "probability")
    assert "  timed  60/60  [94%, 100%]\n" in text, text


def case_a_count_stops_when_it_is_reached_or_out_of_reach(w):
    s = w.session(("runs", "20"), ("stop", "curtail"))
    s.play("ok", "P" * 19 + "F", min_passes=19)
    s.play("no", "PPFPF", min_passes=19)
    text = text_of(s.finish(), "probability")
    assert "  ok  19/19  [82%, 100%]  decided after 19/20\n" in text, text
    assert "  no    3/5  [15%,  95%]  FLAKY  decided after 5/20\n" in text, text


def case_errors_that_do_not_count_stop_nothing_by_themselves(w):
    s = w.session(("runs", "40"), ("stop", "curtail"), ("errors", "exclude"))
    w.same(s.hello["errors"], "exclude", "told")
    c = s.play("all", "E", min_rate=.9)
    w.same(c["stop_ask"], True, "asked")
    s.play("some", "P" * 38 + "EE", min_rate=.9)
    s.play("never", "PPP" + "F" * 37, min_rate=.9)
    text = text_of(s.finish(), "probability")
    for line in ("  all     0/39  [ 0%,  9%]  ERROR (39 errored, excluded)  decided after 39/40\n",
                 "  some   38/40  [83%, 99%]  (2 errored, excluded)\n",
                 "  never   3/12  [ 5%, 57%]  FLAKY  decided after 12/40\n"):
        assert line in text, text


def case_a_table_that_would_be_endless_is_asked_for_instead(w):
    s = w.session(("stop", "curtail"))
    d = definition("a", min_rate=.9, runs=10**12)
    (c,) = s.ask("cases", cases=[d])["cases"]
    w.same((c["runs"], c["stop"], c["stop_ask"]), (10**12, None, True), "answer")
    s.run("a", 1, "P")
    w.same(s.ask("stop", case="a"), {"v": 1, "stop": False}, "goes on")


def case_what_another_verdict_needs_is_run_whole(w):
    s = w.session(("runs", "5"), ("stop", "curtail"))

    def of(name, **mark):
        both = [definition(f"{name}::{arm}", parameters=[["style", arm]], min_passes=1, **mark)
                for arm in "ab"]
        return s.ask("cases", cases=both)["cases"]

    for name, mark in (("late", {"max_latency": 1}),
                       ("arms", {"compare": "style", "margin": .1})):
        for c in of(name, **mark):
            w.same((c["stop"], c["stop_ask"], c["error"]), (None, False, None), name)
    for c in of("shown", compare="style"):
        assert c["stop"], "a comparison alone needs nothing"


def case_under_xdist_stops_need_loadgroup(w):
    s = w.session(("runs", "5"), ("stop", "curtail"), role="controller")
    w.same([x["category"] for x in s.hello["warnings"]], ["CurtailmentWarning"], "warned")
    w.same(s.hello["warnings"][0]["text"],
           "--prob-stop=curtail: under xdist a case's runs must share a worker to stop early; all "
           "of them will run. Add --dist loadgroup", "words")
    worker = w.session(("runs", "5"), ("stop", "curtail"), role="worker")
    w.same(worker.hello["warnings"], [], "once is enough")
    w.same(worker.play("a", "P", min_passes=1)["stop"], None, "no table")
    grouped = w.session(("runs", "5"), ("stop", "curtail"), role="worker", loadgroup=True)
    assert grouped.play("a", "P", min_passes=1)["stop"]
    w.same(grouped.hello["warnings"], [], "all is well")


def case_a_controller_learns_its_cases_from_the_runs(w):
    s = w.session(("runs", "10"), ("json", "r.json"), role="controller", loadgroup=True)
    d = definition("a::x", min_rate=.5)
    for i in range(10):
        s.run("a::x", i + 1, "P" if i else "F", **({"def": d} if i == 0 else {}))
    answer = s.finish(0)
    w.same(answer["status"], 0, "status")
    assert "  a::x  9/10  [55%, 99%]  FLAKY\n" in text_of(answer, "probability")
    report = w.valid(w.dir / "r.json")
    w.same(report["rows"][0]["gate"]["verdict"], "pass", "verdict")


def case_a_controller_reports_in_the_order_of_collection(w):
    s = w.session(("runs", "1"), role="controller", loadgroup=True)
    for index, name in ((3, "b::y"), (1, "a::y"), (0, "a::x"), (2, "b::x")):
        s.run(name, 1, "P", **{"def": {**definition(name), "index": index}})
    w.same([line.split()[0] for line in text_of(s.finish(0), "probability").split("\n")[:4]],
           ["a::x", "a::y", "b::x", "b::y"], "rows")


def case_a_worker_judges_and_reports_nothing(w):
    s = w.session(("runs", "40"), ("json", "r.json"), role="worker", loadgroup=True)
    s.play("a", "F", min_rate=.9)
    w.same(s.ask("verdict", case="a")["verdict"], "fail", "verdict")
    answer = s.finish(0)
    w.same((answer["status"], answer["sections"], answer["flaky"]), (0, [], []), "answer")
    w.same(os.listdir(w.dir), [], "files")


def case_the_report_is_whole_and_valid(w):
    s = w.session(("runs", "4"), ("json", "new/er/r.json"), ("metric", "pass^2"))
    s.play("a::x", "PFEP", min_rate=.5)
    s.send(tell="run", case="a::x", run=5, outcome="pass", message=None, error=None, elapsed=.5,
           cost=.25, usage=[{"model": "m", "input_tokens": 10, "output_tokens": 2,
                             "cached_input_tokens": 1, "cost": .5}],
           steps=[{"label": "first", "passed": True}, {"label": "second", "passed": True}])
    answer = s.finish(0)
    w.same(answer["error"], None, "written")
    w.same(answer["flaky"], ["bench_x.py::bench_a::x"], "flaky")
    w.same(sorted(p.name for p in (w.dir / "new/er").iterdir()), ["r.json"], "nothing else")
    r = w.valid(w.dir / "new/er/r.json")
    w.same(r["totals"], {"passes": 3, "fails": 1, "errors": 1, "count": 5, "pass_rate": 60.0,
                         "cost": .75, "usage": {"m": {"input_tokens": 10, "output_tokens": 2,
                                                      "cached_input_tokens": 1, "cost": .5}}},
           "totals")
    w.same(r["records"][1], {
        "case": "a::x", "run": 2, "outcome": "fail", "message": "assert 'F' == 'P'",
        "error": None, "elapsed": .002, "cost": None, "usage": [],
        "steps": [{"label": "a", "passed": False, "elapsed": .002, "error": None,
                   "message": "assert 'F' == 'P'", "cost": None, "usage": []}]}, "record")
    w.same([x["label"] for x in r["records"][4]["steps"]], ["first", "second"], "steps")
    w.same(r["exit_status"], 1, "status")


def case_a_report_that_cannot_be_written_is_told(w):
    (w.dir / "file").write_text("")
    s = w.session(("runs", "2"), ("json", "file/r.json"))
    w.same(s.hello["refused"], f"--prob-json: {w.dir}/file/r.json cannot be written: Not a "
           "directory", "before anything ran")
    s = w.session(("runs", "2"), ("json", "later/r.json"))
    s.play("a", "P")
    (w.dir / "later").write_text("")
    answer = s.finish(0)
    w.same(answer["error"], f"writing {w.dir}/later/r.json: Not a directory", "error")
    w.same(answer["status"], 1, "nobody goes on as if it were there")


def case_a_killed_session_leaves_a_journal_to_report(w):
    s = w.session(("runs", "10"), ("json", "r.json"), ("min-rate", "0.5"))
    s.play("a::x", "P")
    s.play("a::y", "PPF")
    s.kill()
    w.same(os.listdir(w.dir), ["r.json.journal"], "files")
    with open(w.dir / "r.json.journal", "a", encoding="utf-8") as f:
        f.write('{"v": 1, "tell": "run", "case": "a::x", "ru')  # torn
    done = w.report("r.json.journal", "--json", "again.json")
    w.same(done.stdout, """\
================================= probability ==================================
  a::x  10/10  [69%, 100%]
  a::y   7/10  [35%,  93%]  FLAKY

  Overall: 17/20 passed (85%)
  Gates:   1 passed, 1 undecided
  Report:  again.json

  Diagnose: flaky-repro bench_x.py::bench_a::y
============================== probability: gates ==============================
  a::y  7/10  [35%, 93%]  ≥50%  UNDECIDED
""", "stdout")
    w.same(done.stderr, "flaky-repro: the session did not come to its end; this is what it had "
                        "told by then\n", "stderr")
    w.same(done.returncode, 1, "exit")
    r = w.valid(w.dir / "again.json")
    w.same((len(r["records"]), r["exit_status"]), (20, 1), "records, status")
    done = w.report("r.json.journal", "--json", "-", "-q")
    w.same(json.loads(done.stdout)["totals"], r["totals"], "on stdout")
    assert done.stderr.startswith("=====")


def case_a_pytest_that_is_gone_leaves_a_journal_too(w):
    s = w.session(("runs", "3"), ("json", "r.json"))
    s.play("a", "PPF")
    s.p.stdin.close()  # no word of an end
    w.same(s.p.wait(20), 0, "exit")
    w.same(os.listdir(w.dir), ["r.json.journal"], "files")
    again = w.session(("runs", "3"), ("json", "r.json"))
    again.play("a", "P")
    w.same(again.finish(0)["error"], None, "written")
    w.same(sorted(os.listdir(w.dir)), ["r.json", "r.json.journal"], "the old one stays")
    assert "  a  2/3  [9%, 99%]  FLAKY\n" in w.report("r.json.journal").stdout


def case_a_journal_of_nothing_is_none(w):
    (w.dir / "x").write_text('{"v": 1, "ask": "doctor"}\n')
    done = w.report("x")
    w.same((done.returncode, done.stderr), (2, "flaky-repro: x: no run is told of in it\nhint: a "
           "journal lies beside the report as PATH.journal, or in .flaky-repro\n"), "nothing")
    (w.dir / "x").write_text('{"v": 1, "tell": "run", "case": "a"}\n')
    w.same(w.report("x").stderr, "flaky-repro: x: it does not begin as a journal does\n", "cut")
    w.same(w.report("x", "--", "-k").stderr, "flaky-repro: report takes no arguments for "
           "pytest\n", "arguments")


def case_without_a_report_the_journal_is_hidden_and_goes(w):
    s = w.session(("runs", "2"))
    s.ask("cases", cases=[definition("a")])
    w.same(os.listdir(w.dir), [], "nothing ran, nothing is written")
    s.play("a", "P")
    s.ask("verdict", case="a")
    names = os.listdir(w.dir / ".flaky-repro")
    assert len(names) == 2 and ".gitignore" in names, names
    s.finish(0)
    w.same(os.listdir(w.dir), [], "all gone")


def case_the_same_runs_give_the_same_report_in_any_order(w):
    texts = []
    for order in (range(12), reversed(range(12))):
        s = w.session(("runs", "5"))
        for i in order:
            s.play(f"f::c{i:02}", "PPFPF"[i % 3:] + "P")
        texts.append(next(line for line in text_of(s.finish(1), "probability").split("\n")
                          if "N=12" in line))
    w.same(texts[0], texts[1], "line")


def case_a_hundred_thousand_runs_in_bounded_memory(w):
    s = w.session(("runs", "1000"), ("json", "r.json"))
    began = time.monotonic()
    body = "x" * 200
    for case in range(100):
        name = f"f{case}::c"
        (c,) = s.ask("cases", cases=[definition(name)])["cases"]
        w.same(c["runs"], 1000, "runs")
        s.p.stdin.write("".join(json.dumps({
            "v": 1, "tell": "run", "case": name, "run": i + 1, "outcome": "fail", "message": body,
            "error": None, "elapsed": .01, "cost": None, "usage": []}) + "\n"
            for i in range(1000)))
    s.ask("verdict", case="f0::c")
    told = time.monotonic() - began
    with open(f"/proc/{s.p.pid}/status", encoding="ascii") as f:
        peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
    s.finish(1)
    print(f"  100,000 runs: told in {told:.1f} s, finished after {time.monotonic() - began:.1f} s, "
          f"{peak} KiB, journal and report {(w.dir / 'r.json').stat().st_size >> 20} MiB")
    assert peak < 60000 or "asan" in w.program, peak
    w.same(len(json.loads((w.dir / "r.json").read_text())["records"]), 100000, "records")


def main():
    program, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    cases = {n[5:]: f for n, f in globals().items() if n.startswith("case_")}
    bad = 0
    for name in sys.argv[3:] or cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                cases[name](World(program, source, folder))
                print(f"ok - {name}")
            except Exception:
                bad += 1
                print(f"not ok - {name}")
                traceback.print_exc(file=sys.stdout)
    print(f"{len(sys.argv[3:] or cases)} cases, {bad} failed")
    return bad > 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
