"""Gathers failures from pytest's reports. What only the process that ran the test knows about an
exception goes with its report, so that it comes to a controller of xdist, too."""
import pytest

from flaky_repro._text import message, plain

ATTACHED = "flaky_repro_exception"
PHASES = ("setup", "call", "teardown")
MOST = 1 << 14  # characters of a text: more than the program looks through for secrets


class Notes:
    """Where tests are run and collected."""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call):
        outcome = yield
        if call.excinfo is not None:  # most tests pass, and each has three of these
            attach(outcome, call)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self):
        outcome = yield
        attach(outcome, None)


def attach(outcome, call):
    try:
        report = outcome.get_result()
        call = call or getattr(report, "call", None)
        excinfo = call.excinfo if call else None
        if report.failed and excinfo is not None:
            exception = excinfo.value
            if isinstance(exception, pytest.Collector.CollectError):  # of an import, and wrapped
                exception = exception.__cause__ or exception
            setattr(report, ATTACHED, {
                "exc_type": plain(type(exception).__name__), **beginning(message(exception)),
                "duration": float(call.duration)})
    except Exception:  # of another plugin's hook or report: it is theirs
        pass


def beginning(text):
    cut = {"cut": {"exc_message": len(text[MOST:].encode())}} if len(text) > MOST else {}
    return {"exc_message": text[:MOST], **cut}


def failure(report):
    """What the program is told; every value is a str, a float or None."""
    told = {"nodeid": plain(report.nodeid), "phase": phase(report), "outcome": "failed",
            "exc_type": None, "exc_message": None, "duration": 0.0}
    texts = {"traceback": text_of(report), "stdout": part(report, "capstdout"),
             "stderr": part(report, "capstderr"), "log": part(report, "caplog")}
    attached = getattr(report, ATTACHED, None)
    if attached:
        told.update(attached)
    else:  # a worker that crashed, a strict xfail that passed, a report of another plugin
        crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
        text = getattr(crash, "message", None) or texts["traceback"]
        told.update(beginning(plain(str(text))))
        told["duration"] = float(getattr(report, "duration", 0.0))
    # Of a traceback and of output the end is what counts.
    cut = {name: len(text[:-MOST].encode()) for name, text in texts.items() if len(text) > MOST}
    told.update((name, text[-MOST:]) for name, text in texts.items())
    if cut:  # in bytes: what the program cannot count any more
        told["cut"] = {**told.get("cut", {}), **cut}
    return told


def phase(report):
    when = getattr(report, "when", "call")
    return "collect" if isinstance(report, pytest.CollectReport) or when == "collect" else (
        when if when in PHASES else "call")


def text_of(report):
    try:
        return plain(report.longreprtext)
    except Exception:
        return ""


def part(report, name):
    try:
        return plain(getattr(report, name, ""))
    except Exception:  # sections that are none
        return ""


class Gathering:
    """Where reports come together."""

    def __init__(self):
        self.failures = []
        self.noting = False  # the order of the tests, too
        self.finished = 0  # tests
        self.ended = set()  # their ids: of a worker that crashed no test finishes
        self.ran = {}  # worker (None: this process) -> ids in the order they ran
        self.collectors = set()  # those of several workers fail alike

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if getattr(report, "when", None) not in ("setup", "call"):
            self.ended.add(getattr(report, "nodeid", None))
        # Of a test that passes its first report is enough.
        if getattr(report, "outcome", "") != "passed" or (
                self.noting and getattr(report, "when", "") == "setup"):
            self.gather(report)

    def pytest_runtest_logfinish(self):
        self.finished += 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report):
        if report.failed and report.nodeid not in self.collectors:
            self.collectors.add(report.nodeid)
            self.gather(report)

    def note(self, report):
        """How many tests of which process ran before it: [number of its list, how many]."""
        worker = getattr(getattr(report, "node", None), "gateway", None)
        ran = self.ran.setdefault(worker, [])
        nodeid = plain(str(report.nodeid))
        if not ran or ran[-1] != nodeid:
            ran.append(nodeid)
        return [list(self.ran).index(worker), len(ran) - 1] if report.failed else None

    def gather(self, report):
        try:
            collected = isinstance(report, pytest.CollectReport)
            before = self.note(report) if self.noting and not collected else None
            if report.failed:
                told = failure(report)
                self.failures.append({**told, "before": before} if before else told)
        except Exception:  # a report unlike any other
            pass
