"""The plugin of a session that samples: collects runs, tells the program how they ended, and shows
what it concludes. See runner/cli/session_sample.h for what is said."""
import os
import re
import time
import warnings

import pytest
from _pytest.config import create_terminal_writer

from flaky_repro import _bench, _case, _items, _options, _outcome, _record, _select, _session
from flaky_repro._talk import Gone, Program

WHOLE_CASES = ("loadgroup", "loadscope", "loadfile")  # xdist: a worker has all runs of a case
RECORD, DEFINITION, CUT = "probability", "probability_case", "probability_cut"
JUDGED, VERDICT = "probability_judged", "probability_verdict"
LEFT = (f"`{_session.NAME} report JOURNAL` shows what was told by then; the journal lies beside "
        "the report of --prob-json, or in .flaky-repro")
GROUP = re.compile(r"@prob\d+$")
NUMBERED = re.compile(r"(.*?)(?:\[run(\d+)\]|::run(\d+))?", re.DOTALL)
CRASHED = "???"  # what xdist gives as the phase of a test that ended its worker
PASSED_ON = (DEFINITION, CUT, JUDGED)  # for the process that reports alone


def role(config):
    if hasattr(config, "workerinput"):
        return "worker"
    spread = getattr(config.option, "dist", "no") != "no" and getattr(config.option, "tx", None)
    return "controller" if spread and not config.option.collectonly else "whole"


def start(config):
    """The plugin of this session; made when it is first needed."""
    sampling = config.pluginmanager.get_plugin("flaky_repro.sampling")
    if sampling is None:
        sampling = Sampling(config)
        config.pluginmanager.register(sampling, "flaky_repro.sampling")
        if any(sampling.isolate.values()) and sampling.role != "controller":
            from flaky_repro import _fork
            config.pluginmanager.register(_fork.Isolate(sampling), "flaky_repro.isolate")
        _bench.prepare(config)
    return sampling


class Sampling(_bench.Collecting):
    def __init__(self, config):
        super().__init__(config)
        if getattr(config.option, "prob_plan", None) and role(config) == "controller":
            config.option.dist, config.option.tx, config.option.numprocesses = "no", [], None
        self.role = role(config)
        self.whole = self.role == "whole" or self.spread() in WHOLE_CASES
        self.program = Program(str(config.invocation_params.dir))
        width = 80 if _session.speechless(config) else create_terminal_writer(config).fullwidth
        answer = self.program.begin(
            "sample", **_session.context(config), options=_options.given(config), width=width,
            role=self.role, loadgroup=self.role != "whole" and self.whole,
            has={"xdist": config.pluginmanager.has_plugin("xdist")})
        self.delay = answer.get("delay") or 0.0
        self.transpose = answer.get("transpose", False)
        self.isolate = {True: answer.get("isolate", False),  # bench files; ordinary tests
                        False: answer.get("isolate_tests", answer.get("isolate", False))}
        self.timeout = answer.get("timeout")
        self.plan = answer.get("plan", False)
        self.gate_items = answer.get("gate_items", True)
        self.tests = bool(config.option.prob_tests) and self.role != "controller"
        self.errors_excluded = answer.get("errors") == "exclude"
        self.runxfail = config.option.runxfail
        self.shown = []  # sections of the terminal
        self.text = ""  # of diagnoses
        if self.role != "worker":
            for one in answer.get("warnings", ()):
                config.issue_config_time_warning(self.warning(one), stacklevel=2)
        self.begun = False
        self.crashed = {}  # runs that ended their worker, by the id of a case not heard of yet
        self.session = None  # not in a controller
        self.started = time.monotonic()
        self.pid = os.getpid()

    def spread(self):
        if self.role == "worker":
            return self.config.workerinput.get("flaky_repro_dist")
        return getattr(self.config.option, "dist", "no")

    # Collection

    def settle(self, definitions, where):
        """Asks for the plans of new cases: runs, gates, when to stop. Raises CollectError."""
        new = [d for d in definitions if d["case"] not in self.cases]
        for definition in new:
            definition["index"] = len(self.cases)
            self.cases[definition["case"]] = _case.Case(definition)
        if not new:
            return {}
        try:
            answer = self.program.ask("cases", cases=new)
        except Gone as why:
            raise pytest.Collector.CollectError(str(why)) from None
        wrong = [settled["error"] for settled in answer["cases"] if settled.get("error")]
        if wrong:
            raise pytest.Collector.CollectError("\n".join(wrong))
        for definition, settled in zip(new, answer["cases"]):
            self.cases[definition["case"]].decide(settled)
        self.warn(answer.get("warnings", ()), where)
        return answer

    @staticmethod
    def warning(said):
        return getattr(_record, said["category"], UserWarning)(said["text"])

    def warn(self, said, where):
        """`where`: functions, by which a text begins, and where they stand."""
        for one in said:
            found = [at for name, at in where.items()
                     if one["text"].startswith((f"{name}:", f"{name} ("))]
            path, line = (found or list(where.values()) or [(str(self.config.rootpath), 1)])[0]
            warnings.warn_explicit(self.warning(one), None, path, line)

    def bench_nodes(self, file):
        return _items.bench_nodes(self, file)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_make_collect_report(self, collector):
        outcome = yield
        if self.tests and not isinstance(collector, (_bench.BenchFile, _bench.BenchFunction)):
            report = outcome.get_result()
            try:
                report.result = _items.of_tests(self, report.result or [])
            except pytest.Collector.CollectError as wrong:
                report.outcome, report.longrepr, report.result = "failed", str(wrong), []

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, config, items):
        before = list(items)
        if self.transpose:
            _select.run_major(items)
        yield
        _select.bring_runs(config, before, items)
        _select.place_verdicts(items)
        if getattr(config.option, "loadgroup", False):
            _select.group(items)
        if self.plan:
            items[:] = [i for i in items if not isinstance(i, _case.Verdict)]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        if self.role == "controller":
            return
        counts = {}
        for item in session.items:
            sample = getattr(item, "sample", None)
            if sample is not None:
                counts[sample.case.name] = counts.get(sample.case.name, 0) + 1
        self.session = session
        answer = self.program.begin("selected", cases=list(counts), runs=list(counts.values()))
        self.warn(answer.get("warnings", ()), {})
        if answer.get("plan"):
            self.shown.append({"title": "probability: plan", "text": answer["plan"]})

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        broken = session.testsfailed and not self.config.option.continue_on_collection_errors
        return True if self.plan and not broken else None

    # Runs

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        sample = getattr(item, "sample", None)
        if sample is None:
            yield
            return
        sample.cut = bool(sample.case.cut) or self.certain(sample.case)
        if self.delay and self.begun and not sample.cut:
            time.sleep(self.delay)
        self.begun = self.begun or not sample.cut
        name, item.name = item.name, getattr(item, "method", item.name)
        with _record.lasting(sample):
            yield
        item.name = name

    def certain(self, case):
        if not self.whole or not case.ran:
            return False
        try:
            if not (self.program.ask("stop", case=case.name)["stop"] if case.stop_ask
                    else case.certain()):
                return False
            verdict = self.program.ask("verdict", case=case.name)["verdict"].upper()
        except Gone as why:
            self.session.shouldstop = str(why)
            return False
        case.cut = f"probability gate: decided after {case.ran}/{case.runs} runs ({verdict})"
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        sample = getattr(item, "sample", None)
        if sample is not None and sample.cut:
            item.user_properties.append((CUT, {"case": sample.case.name, "run": sample.number}))
            pytest.skip(sample.case.cut)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        sample = getattr(item, "sample", None)
        if sample is not None:
            sample.run.start_clock()  # closer to the body where we call it ourselves
        yield
        if sample is not None:
            sample.run.stop_clock()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        sample = getattr(item, "sample", None)
        if isinstance(item, _case.Verdict):
            _outcome.place_skip(item, outcome.get_result())
        if sample is None or sample.run is None:
            return
        report = outcome.get_result()
        if sample.cut:
            _outcome.place_skip(item, report)
            return
        _outcome.note(sample.run, call, report)
        if sample.case.gated and not self.runxfail:
            _outcome.excuse(sample.run, report, self.errors_excluded)
        if report.when == "teardown" and sample.run.outcome is not None:
            report.user_properties.append((RECORD, sample.run.record(sample.case.name)))
            if self.role == "worker" and not sample.case.shipped:
                report.user_properties.append((DEFINITION, sample.case.definition))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if os.getpid() != self.pid:
            return
        if self.role == "controller":  # the group that xdist needed is no part of the id
            plain = GROUP.sub("", report.nodeid)
            if plain != report.nodeid:
                report.nodeid = plain
            if report.when == CRASHED:
                self.crash(report)
        if report.when != "teardown":
            return
        said = {key: value for key, value in report.user_properties
                if key == RECORD or key in PASSED_ON}
        if not said:
            return
        if RECORD in said:
            self.tell_run(said[RECORD], said.get(DEFINITION))
        if CUT in said:
            self.program.tell("cut", said[CUT])
        if JUDGED in said:
            self.program.tell("judged", said[JUDGED])
        if self.role != "worker":
            report.user_properties = [p for p in report.user_properties if p[0] not in PASSED_ON]
        elif DEFINITION in said:
            self.cases[said[RECORD]["case"]].shipped = True

    def tell_run(self, record, definition):
        case, died = self.cases.get(record["case"]), ()
        if case is None and definition is not None:
            case = self.cases[record["case"]] = _case.Case(definition)
            record = {**record, "def": definition}
            died = self.crashed.pop(definition["nodeid"], ())
        if case is not None:
            case.count(record["outcome"])
        self.program.tell("run", record)
        if self.program.lost and self.session is not None:  # more runs would be spent on nothing
            self.session.shouldstop = f"{_session.NAME} is gone, and nobody counts the runs"
        for other in died:
            self.tell_run({**other, "case": record["case"]}, None)

    def crash(self, report):
        """A run that took its worker with it, told by xdist instead of the worker."""
        nodeid, *numbers = NUMBERED.fullmatch(report.nodeid).groups()
        record = {"run": int(next(filter(None, numbers), 1)), "outcome": "error", "message": None,
                  "error": str(report.longrepr).split("\n", 1)[0], "elapsed": None, "cost": None,
                  "usage": []}
        for name, case in self.cases.items():
            if case.definition["nodeid"] == nodeid:
                self.tell_run({**record, "case": name}, None)
                return
        self.crashed.setdefault(nodeid, []).append(record)

    def judge(self, item):
        """The verdict that an item stands for."""
        if not self.whole:
            pytest.skip("probability: judged at the end of the session (--dist loadgroup lets "
                        "one worker judge it)")
        if not any(case.ran for case in item.cases):
            pytest.skip(f"probability: no runs of {item.title} were selected")
        try:
            answer = self.program.ask("verdict", **item.question)
        except Gone as why:
            pytest.fail(f"probability: {why}", pytrace=False)
        if answer["verdict"] == "none":
            pytest.skip(f"probability: nothing to judge for {item.title}")
        line = answer["text"].split("\n", 1)[0].strip()
        item.user_properties.append((VERDICT, line))
        item.user_properties.append((JUDGED, {"what": item.what, "passed": answer["passed"]}))
        if not answer["passed"]:
            pytest.fail(answer["text"].strip("\n"), pytrace=False)

    # The end

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if os.getpid() != self.pid:  # a child that a test forked came back into pytest
            return
        if self.plan and not session.testsfailed:
            session.exitstatus = pytest.ExitCode.OK if self.shown else (
                pytest.ExitCode.NO_TESTS_COLLECTED)
        elif self.role != "worker" and not self.plan and not self.config.option.collectonly:
            self.finish(session, exitstatus)

    def finish(self, session, exitstatus):
        if self.crashed:
            runs = [f"{nodeid}, run {one['run']}" for nodeid in self.crashed
                    for one in self.crashed[nodeid]]
            self.shown.append({"title": "probability: lost", "text": (
                "  These runs ended their worker, and no other run of their case came through, so\n"
                "  that they are in no row. --prob-isolate=fork makes such a run an errored one.\n"
                + "".join(f"    {one}\n" for one in runs))})
        try:
            answer = self.program.ask("finish", exitstatus=int(exitstatus),
                                      seconds=time.monotonic() - self.started)
        except Gone as why:
            self.shown.append({"title": "probability", "text": f"  {why}\n  hint: {LEFT}\n"})
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            return
        self.shown += answer["sections"]
        if answer.get("error"):
            hint = f"\n  hint: {answer['hint']}" if answer.get("hint") else ""
            self.shown.append({"title": "probability: error",
                               "text": f"  {answer['error']}{hint}\n"})
        session.exitstatus = answer["status"]
        if self.config.option.prob_diagnose and answer.get("flaky"):
            self.diagnose(answer["flaky"])

    def diagnose(self, flaky):
        from flaky_repro import plugin
        settings = {} if plugin.ABSENT else _session.options(self.config)
        answer = _session.question(self.config, {
            **_session.context(self.config), **settings, "ask": "doctor",
            "tests": [{"id": id_, "before": []} for id_ in flaky]})
        self.text = answer.get("text") or f"flaky-repro: {_session.refusal(answer)}\n"

    def pytest_terminal_summary(self, terminalreporter):
        for section in self.shown:
            terminalreporter.write_sep("=", section["title"])
            terminalreporter.write(section["text"])
        if self.text:
            terminalreporter.ensure_newline()
            terminalreporter.write(self.text, flush=True)

    def pytest_unconfigure(self):
        self.program.close()
