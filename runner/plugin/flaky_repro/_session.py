"""Talks to the program when pytest is the parent. See runner/cli/session.h for what is said."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

import pytest
from _pytest.config import create_terminal_writer
from _pytest.runner import CallInfo

from flaky_repro import PROTOCOL

NAME = "flaky-repro"
OUR_MARK = "flakedoctor_repro"


def program():
    """FLAKY_REPRO, an installation that has this file in it, a build tree, PATH."""
    named = os.environ.get("FLAKY_REPRO")
    if named:
        return named
    above = os.path.dirname(os.path.abspath(__file__))
    for up in range(5):
        above = os.path.dirname(above)
        for place in (os.path.join(above, "bin", NAME), os.path.join(above, NAME)):
            if os.path.isfile(place) and os.access(place, os.X_OK):
                return place
    return shutil.which(NAME)


def speechless(config):
    return config.pluginmanager.is_blocked("terminal")


def selection(config):
    """pytest's arguments as typed: those that select tests, and the others. Only its parser can
    tell a path from the value of an option: taken out, it leaves one argument less."""
    parse, words = config._parser.parse_known_args, [str(w) for w in config.invocation_params.args]
    selected, i = [], 0
    try:
        count = len(parse(words).file_or_dir)
        while i < len(words) and count:
            less = words[:i] + words[i + 1:]
            if words[i] in config.args and len(parse(less).file_or_dir) < count:
                selected.append(words[i])
                words, count = less, count - 1
            else:
                i += 1
    except (Exception, SystemExit):  # options that cannot be read twice
        pass
    return selected, words


def options(config):
    def pair(name):
        value = config.getoption(f"doctor_{name}", None)
        if value is not None:
            return [value, f"--doctor-{name}"]
        value = config.getini(f"doctor_{name}")
        if value and name == "json":
            value = os.path.join(config.rootpath, value)
        return [str(value), f"doctor_{name}"] if value else None
    allow = config.getoption("doctor_allow_side_effects", None)
    return {**{name: pair(name) for name in ("runs", "budget", "json", "max")},
            "allow_side_effects": bool(config.getini("doctor_allow_side_effects")
                                       if allow is None else allow)}


def context(config):
    selected, words = selection(config)
    return dict(v=PROTOCOL, python=sys.executable, script=os.path.abspath(sys.argv[0]),
                cwd=str(config.invocation_params.dir), rootdir=str(config.rootpath), args=words,
                selected=selected, quiet=speechless(config),
                color=not speechless(config) and create_terminal_writer(config).hasmarkup)


def question(config, fields):
    """The answer, or {"refused": ...}."""
    path = program()
    if not path:
        return {"refused": "the program flaky-repro was not found",
                "hint": "install it, or name it in the variable FLAKY_REPRO"}
    try:
        child = subprocess.Popen([path, "session"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 cwd=str(config.invocation_params.dir))
    except OSError as why:
        return {"refused": f"{path} does not start: {why.strerror}",
                "hint": "install flaky-repro whole, or name it in the variable FLAKY_REPRO"}
    said = (json.dumps(fields) + "\n").encode()
    try:
        out, _ = child.communicate(said)
    except KeyboardInterrupt:  # it was told too, and says what is known so far
        out, _ = child.communicate()
    try:
        return json.loads(out.decode("utf-8", "replace"))
    except ValueError:
        return {"refused": f"{path} gave no answer (exit status {child.returncode})", "hint": ""}


def refusal(answer):
    return answer["refused"] + (f"\nhint: {answer['hint']}" if answer["hint"] else "")


def ask(config, what, **fields):
    answer = question(config, {**context(config), **options(config), "ask": what, **fields})
    if "refused" in answer:
        raise pytest.UsageError(refusal(answer))
    return answer


def diagnose(config, **fields):
    capture = config.pluginmanager.get_plugin("capturemanager")
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    return ask(config, "doctor", **fields)


def show(text, config):
    if not speechless(config):
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))  # whatever the locale
        sys.stdout.flush()


def one_test(config):
    """One id on the command line: it is diagnosed instead of run."""
    return len(config.args) == 1 and "::" in str(config.args[0])


def become_replay(config, blob):
    """The clock, the hash seed and the layout hold from birth only: pytest is started anew."""
    answer = ask(config, "repro", blob=blob)
    capture = config.pluginmanager.get_plugin("capturemanager")
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    sys.stdout.flush()
    os.execv(answer["become"][0], answer["become"])


class Suite:
    """Notes what fails and what ran before it, and has it diagnosed when all is done."""

    ENDED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED,
             pytest.ExitCode.NO_TESTS_COLLECTED)

    def __init__(self, config):
        self.config = config
        self.stopped = False
        self.pid = os.getpid()
        self.ran = {}  # worker (None: this process) -> ids in the order they ran
        self.failed = {}  # id -> what ran before it
        self.text = ""
        self.status = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        items = getattr(session, "items", ())  # a controller of workers has none
        if session.testsfailed or len(items) != 1:
            return None
        self.diagnose([{"id": items[0].nodeid, "before": []}])
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        ran = self.ran.setdefault(getattr(getattr(report, "node", None), "gateway", None), [])
        if not ran or ran[-1] != report.nodeid:
            ran.append(report.nodeid)
        if report.failed and report.nodeid not in self.failed:
            self.failed[report.nodeid] = ran[:-1]

    def pytest_keyboard_interrupt(self, excinfo):
        self.stopped = excinfo.type is KeyboardInterrupt  # -x under xdist comes by this way too

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if os.getpid() != self.pid:  # a child that a test forked came back into pytest
            return
        if self.status is not None:
            session.exitstatus = self.status
        elif not self.stopped and (self.failed or exitstatus in self.ENDED):
            self.diagnose([{"id": i, "before": before} for i, before in self.failed.items()])

    def diagnose(self, tests):
        capture = self.config.pluginmanager.get_plugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture(in_=True)
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.ensure_newline()
            reporter.flush()
        answer = question(self.config, {**context(self.config), **options(self.config),
                                        "ask": "doctor", "tests": tests})
        self.text = answer.get("text") or f"flaky-repro: {refusal(answer)}\n"
        self.status = answer.get("status", 2) if len(self.ran) == 0 and tests else None
        if reporter is not None:
            reporter._add_stats("diagnosed", tests[:answer.get("diagnosed", 0)])

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.ensure_newline()
        terminalreporter.write(self.text, flush=True)


def carries(node, known):
    """Whether our mark is on it or above it; `known`: of what was asked about before."""
    if any(mark.name == OUR_MARK for mark in node.own_markers):
        return True
    above = node.parent
    if above is None:
        return False
    if above not in known:
        known[above] = carries(above, known)
    return known[above]


class Marks:
    """Runs a test that carries our mark in a child in which the recorded setting holds; what
    pytest reports there is reported here."""

    def __init__(self, config):
        self.config = config

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        """Where no test carries it, none is asked for it: in a large suite that can be felt."""
        known = {}
        if not any(carries(item, known) for item in session.items):
            self.config.pluginmanager.unregister(self)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        marks = list(item.iter_markers(OUR_MARK))
        reports = self.reports(item, marks) if marks else None
        if reports is None:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        # Fixtures of tests before it that nobody needs any more.
        call = CallInfo.from_call(lambda: item.session._setupstate.teardown_exact(nextitem),
                                  when="teardown")
        if call.excinfo is not None:
            report = item.ihook.pytest_runtest_makereport(item=item, call=call)
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def reports(self, item, marks):
        blobs = [m.args[0] if m.args else m.kwargs.get("blob") for m in marks]
        if not all(isinstance(b, str) for b in blobs):
            return [self.error(item, "the mark flakedoctor_repro takes one repro, a string that "
                                     "begins with fd1:")]
        with tempfile.TemporaryDirectory(prefix="fr") as folder:
            path = os.path.join(folder, "reports")
            answer = question(self.config, {
                **context(self.config), "ask": "marker", "id": item.nodeid, "blobs": blobs,
                "reports": path})
            if "refused" in answer:
                return [self.error(item, f"flakedoctor_repro: {refusal(answer)}")]
            if answer["none"]:
                return None
            reports = self.read(path)
        text = f"flakedoctor_repro: {answer['text']}"
        if not reports or (answer["status"] and not any(r.failed for r in reports)):
            # It ended in the middle of the test, or never got there.
            return [*reports, self.error(item, text, "call" if reports else "setup")]
        if not answer["status"]:
            warnings.warn_explicit(pytest.PytestWarning(f"{item.nodeid}: {text}"), None,
                                   str(item.path), 1)
        return reports

    def read(self, path):
        if not os.path.exists(path):
            return []
        from_data = self.config.hook.pytest_report_from_serializable
        with open(path, encoding="utf-8") as lines:
            return [from_data(config=self.config, data=json.loads(line)) for line in lines]

    @staticmethod
    def error(item, text, when="setup"):
        def fail():
            pytest.fail(text, pytrace=False)
        return item.ihook.pytest_runtest_makereport(
            item=item, call=CallInfo.from_call(fail, when=when))
