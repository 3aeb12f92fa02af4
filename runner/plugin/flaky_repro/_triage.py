"""The plugin of a session with --ai-…: gathers failures, hands them to the program at the end and
shows what it says of them.

Whatever becomes of the program, a test's outcome, what is collected and the exit status are what
they are without it.
"""
import contextlib
import os
import sys
import time

import pytest

from flaky_repro import PROTOCOL, _failures, _once, _session
from flaky_repro._text import message, printable

CHECKED = 10.0  # seconds for the program to look at the options
MORE = 10.0  # seconds on top of what the provider may take
OVERRUN = 20.0  # on top of what reruns may take: the last one comes to its end
STOPPING = 8.0  # for what is known so far, once somebody wants to leave
BUDGET, TIMEOUT = 10, 30.0  # unless the program says otherwise
OURS = "pytest-triage: "
CI = os.environ.pop("FR_CI", "")  # seconds for reruns, where flaky-ci started this
MARK = os.environ.pop("FR_CI_MARK", "")  # a file that stays if pytest does not end by its tests
OUTCOMES = (pytest.fail.Exception, pytest.skip.Exception, pytest.exit.Exception)


def start(config, given):
    values = {name: value for name, value, _ in given}  # the last one given wins
    reported = is_on(values, "triage") or is_on(values, "evidence") or values.get("report")
    notes = _failures.Notes()
    if hasattr(config, "workerinput"):  # the controller speaks for it
        if reported:
            config.pluginmanager.register(notes, "flaky_repro.notes")
        return
    if reported or any(origin.startswith("--") for _, _, origin in given):
        triage = Triage(config, given, values)
        if triage.check():
            config.pluginmanager.register(notes, "flaky_repro.notes")
            config.pluginmanager.register(triage, "flaky_repro.triage")
            config.pluginmanager.register(triage.status, "flaky_repro.status")
    elif values.get("provider"):  # set by the project, for sessions that turn it on
        warn(config, f"{OURS}the provider {values['provider']} will not be asked, for triage is "
                     "off; --ai-triage=on turns it on")


def is_on(values, name):
    return values.get(name, "off") not in ("off", "false")  # or wrong: the program says so


def warn(config, text):
    try:
        config.issue_config_time_warning(
            pytest.PytestConfigWarning(printable(text)), stacklevel=2)
    except Warning as turned_into_an_error:  # it is none of the tests'
        sys.stderr.write(f"{turned_into_an_error}\n")


def number(value, otherwise):
    return value if isinstance(value, (int, float)) and 0 <= value < 1e6 else otherwise


def entry_points(values):
    """Names of installed providers, if the one that is set may be one of them."""
    if not values.get("provider") or ":" in values["provider"]:
        return []
    from flaky_repro import _provider
    return sorted({point.name for point in _provider.installed()})


def environment(values):
    """In which a provider in Python is found where the tests find their modules, and we are."""
    if not values.get("provider"):
        return dict(os.environ)
    env = {**os.environ, "FR_PROVIDER_PATH": os.pathsep.join(p for p in sys.path if p)}
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.basename(here) not in ("site-packages", "dist-packages"):  # known to Python itself
        env["PYTHONPATH"] = os.pathsep.join(p for p in (env.get("PYTHONPATH"), here) if p)
    return env


class Same(int):
    """A status that is no member of ExitCode."""


def same(status):
    """It equals the status and is another object."""
    copy = int.__new__(type(status) if type(status) is pytest.ExitCode else Same, status)
    copy.__dict__.update(getattr(status, "__dict__", {}))
    return copy


class Status:
    """Whether somebody has set pytest's exit status at its end. A plugin that makes it 1 is seen
    where it is 1 already for a test that failed, for then it is another object."""

    def __init__(self):
        self.session = self.own = self.was = self.copy = None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session):
        self.session, self.own = session, session.exitstatus
        if self.own == pytest.ExitCode.TESTS_FAILED:
            session.exitstatus = self.copy = same(self.own)
        self.was = session.exitstatus
        yield

    def was_set(self):
        """Since it was asked last; to 0 is no failure."""
        before, self.was = self.was, self.session.exitstatus
        return self.was is not before and self.was != 0

    def restore(self):
        if self.copy is not None and self.session.exitstatus is self.copy:
            self.session.exitstatus = self.own


def streams():
    """What the output goes to: a file that a shell made for it is none that a test has left."""
    told = []
    for fd in (1, 2):
        with contextlib.suppress(OSError):
            st = os.fstat(fd)
            told.append(f"{st.st_dev}:{st.st_ino}")
    return told


class Triage(_failures.Gathering):
    def __init__(self, config, given, values):
        super().__init__()
        self.config, self.given, self.values = config, given, values
        plain = {"report", "evidence", "evidence-budget"}.issuperset(values)
        # Of a run that passes no report is wanted, unless somebody listens to it.
        self.quiet = plain and CI.replace(".", "", 1).isdecimal()
        self.entry_points = []
        self.most = 0.0  # seconds that the provider may take
        self.evidence = 0.0  # and reruns
        self.pid = os.getpid()
        self.stopped = self.marked = False
        self.status = Status()
        self.began = time.time()  # of files that a test leaves, those are newer
        self.streams = streams()  # later they may be those of the capture
        self.text = ""

    def ask(self, what, seconds, stopping=0.0, **fields):
        path = _session.program()
        if not path:
            raise _once.Silent("the program flaky-repro was not found; install it, or name it in "
                               "the variable FLAKY_REPRO")
        return _once.ask([path, "session"], {**_session.context(self.config), "color": False,
                                "options": self.given, "entry_points": self.entry_points,
                                "ask": what, **fields},
                         str(self.config.invocation_params.dir), environment(self.values),
                         seconds, stopping)

    def check(self):
        """Whether there is something to do at the end. Refused options are a usage error."""
        if self.quiet:  # the program itself has written these options
            self.evidence = float(CI)
            self.noting = self.evidence > 0
            return True
        try:
            self.entry_points = entry_points(self.values)
            answer = self.ask("triage-check", CHECKED)
        except Exception as why:  # its own, or one of ours, which is none of the tests' either
            warn(self.config, f"{OURS}triage is off: {message(why)}")
            return False
        if isinstance(answer.get("refused"), str):
            raise pytest.UsageError(_session.refusal({
                "refused": printable(answer["refused"]), "hint": printable(answer.get("hint"))}))
        warned = answer.get("warnings")
        for text in warned if isinstance(warned, list) else ():
            warn(self.config, text)
        if answer.get("python") is True:
            self.try_out(self.values["provider"])
        self.most = number(answer.get("calls"), BUDGET) * number(answer.get("timeout"), TIMEOUT)
        self.evidence = number(answer.get("evidence"), 0.0)
        self.noting = self.evidence > 0
        return bool(answer.get("active"))

    def try_out(self, name):
        """A provider in Python that cannot be had is said now, not in the middle of it all."""
        try:
            answer = _once.ask([sys.executable, "-m", "flaky_repro._provider", name],
                               {"v": PROTOCOL, "check": True},
                               str(self.config.invocation_params.dir), environment(self.values),
                               CHECKED)
            wrong = answer.get("error")
        except _once.Silent as why:
            wrong = message(why)
        if wrong:
            warn(self.config, f"{OURS}triage is off, for the provider \"{name}\" cannot be had: "
                              f"{printable(wrong)[:300]}")
            self.given = [*self.given, ["provider", "", "--ai-provider"]]

    def pytest_keyboard_interrupt(self, excinfo):
        self.stopped = excinfo.type is KeyboardInterrupt  # -x under xdist comes by this way too

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self):
        if MARK:  # should pytest be gone before its end, this is left
            with contextlib.suppress(OSError):
                open(MARK, "x").close()
                self.marked = True  # and not a session within this one, as pytester has them

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        if os.getpid() != self.pid:  # a child that a test forked came back into pytest
            return
        if session.exitstatus == 0:
            self.remove_mark()
        try:
            listened_to = bool(self.config.hook.pytest_triage_report.get_hookimpls())
            if (not self.quiet or self.failures or session.testsfailed or session.exitstatus
                    or listened_to):
                self.finish(session)
        except KeyboardInterrupt:
            self.text = f"{OURS}no triage: interrupted\n"
        except Exception as why:
            self.text = f"{OURS}no triage: {printable(message(why))}\n"

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self):
        if os.getpid() != self.pid or self.status.session is None:
            return
        if not self.status.was_set():
            self.remove_mark()
        self.status.restore()

    def remove_mark(self):
        if self.marked:
            with contextlib.suppress(OSError):
                os.unlink(MARK)

    def finish(self, session):
        given, seconds, more = self.given, MORE, {}
        if self.stopped:  # somebody wants to leave: the report alone, which costs nothing
            given = [*given, ["evidence", "off", "--ai-evidence"], ["budget", "0", "--ai-budget"]]
        else:
            seconds += self.most
        if self.failures and self.evidence and not self.stopped:
            seconds += self.evidence + OVERRUN
            more = {"ran": list(self.ran.values()), "stopping": STOPPING}
            self.announce()
        listeners = self.config.hook.pytest_triage_report.get_hookimpls()
        answer = self.ask("triage", seconds, options=given, failures=self.failures, dry=False,
                          counted=self.counted(session), not_run=self.not_run(session),
                          began=self.began, streams=self.streams,
                          want_report=bool(listeners), **more)
        said = [printable(answer.get(name)).strip("\n")
                for name in ("refused", "error", "text")]
        said[:2] = [f"{OURS}{text}" if text else "" for text in said[:2]]
        self.text = "".join(f"{text}\n" for text in said if text)
        if listeners:
            self.tell(answer.get("report"))

    def counted(self, session):
        """Failures of tests, of a plugin that counts its own, of one that sets the status."""
        return max(session.testsfailed, len(self.failures)) + self.status.was_set()

    def not_run(self, session):
        """Tests that a run which was stopped, as by -x or pytest.exit(), did not come to."""
        if self.config.getoption("collectonly", False):
            return 0
        return max(0, session.testscollected - max(self.finished, len(self.ended)))

    def announce(self):
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            if reporter._tw.width_of_current_line:
                reporter.write("\n")
            reporter.write(f"{OURS}running again what failed (at most {self.evidence:.0f} s)\n",
                           flush=True)

    def tell(self, report):
        """Third parties: what they raise is shown and goes no further."""
        from flaky_repro import _contract
        try:
            told = _contract.of_report(report if isinstance(report, dict) else {})
            self.config.hook.pytest_triage_report(triage_config=self.config, **told)
        except (Exception, SystemExit, KeyboardInterrupt, *OUTCOMES) as why:
            self.text += (f"{OURS}a pytest_triage_report failed: {type(why).__name__}: "
                          f"{printable(message(why))[:200]}\n")

    def pytest_terminal_summary(self, terminalreporter):
        if self.text:
            terminalreporter.ensure_newline()
            terminalreporter.write(self.text, flush=True)
