"""The plugin of a session with --ai-…: gathers failures, hands them to the program at the end and
shows what it says of them.

Whatever becomes of the program, a test's outcome, what is collected and the exit status are what
they are without it.
"""
import os
import sys

import pytest

from flaky_repro import _failures, _once, _session
from flaky_repro._text import message, printable

CHECKED = 10.0  # seconds for the program to look at the options
MORE = 10.0  # seconds on top of what the provider may take
BUDGET, TIMEOUT = 10, 30.0  # unless they are given
OUTCOMES = (pytest.fail.Exception, pytest.skip.Exception, pytest.exit.Exception)


def start(config, given):
    values = {name: value for name, value, _ in given}  # the last one given wins
    reported = is_on(values) or values.get("report")
    notes = _failures.Notes()
    if hasattr(config, "workerinput"):  # the controller speaks for it
        if reported:
            config.pluginmanager.register(notes, "flaky_repro.notes")
        return
    half_set(config, values)
    if reported or any(origin.startswith("--") for _, _, origin in given):
        triage = Triage(config, given, values)
        if triage.check():
            config.pluginmanager.register(notes, "flaky_repro.notes")
            config.pluginmanager.register(triage, "flaky_repro.triage")


def is_on(values):
    return values.get("triage", "off") not in ("off", "false")  # or wrong: the program says so


def half_set(config, values):
    provider = values.get("provider")
    if is_on(values) and not provider:
        warn(config, "--ai-triage=on, but no --ai-provider is set: there will be no verdicts")
    if provider and not is_on(values):
        warn(config, f"the provider {provider} is set, but triage is off: --ai-triage=on makes use "
                     "of it")


def warn(config, text):
    try:
        config.issue_config_time_warning(
            pytest.PytestConfigWarning(f"flaky-repro: {printable(text)}"), stacklevel=2)
    except Warning as turned_into_an_error:  # it is none of the tests'
        sys.stderr.write(f"{turned_into_an_error}\n")


def number(word, otherwise):
    try:
        return min(max(float(word), 0.0), 1e6)
    except (TypeError, ValueError):
        return otherwise


class Triage(_failures.Gathering):
    def __init__(self, config, given, values):
        super().__init__()
        self.config, self.given, self.values = config, given, values
        self.pid = os.getpid()
        self.stopped = False
        self.text = ""

    def ask(self, what, seconds, **fields):
        path = _session.program()
        if not path:
            raise _once.Silent("the program flaky-repro was not found; install it, or name it in "
                               "the variable FLAKY_REPRO")
        # A provider in Python is found where the tests find their modules.
        env = {**os.environ, "FR_PROVIDER_PATH": os.pathsep.join(p for p in sys.path if p)}
        return _once.ask(path, {**_session.context(self.config), "color": False,
                                "options": self.given, "ask": what, **fields},
                         str(self.config.invocation_params.dir), env, seconds)

    def check(self):
        """Whether there is something to do at the end. Refused options are a usage error."""
        try:
            answer = self.ask("triage-check", CHECKED)
        except Exception as why:  # its own, or one of ours, which is none of the tests' either
            warn(self.config, f"triage is off: {message(why)}")
            return False
        if isinstance(answer.get("refused"), str):
            raise pytest.UsageError(_session.refusal({
                "refused": printable(answer["refused"]), "hint": printable(answer.get("hint"))}))
        warned = answer.get("warnings")
        for text in warned if isinstance(warned, list) else ():
            warn(self.config, text)
        # Triage may be off, for want of a provider, and a report be written all the same.
        return bool(answer.get("active") or is_on(self.values) or self.values.get("report"))

    def pytest_keyboard_interrupt(self, excinfo):
        self.stopped = excinfo.type is KeyboardInterrupt  # -x under xdist comes by this way too

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        if os.getpid() != self.pid:  # a child that a test forked came back into pytest
            return
        try:
            self.finish()
        except KeyboardInterrupt:
            self.text = "flaky-repro: no triage: interrupted\n"
        except Exception as why:
            self.text = f"flaky-repro: no triage: {printable(message(why))}\n"

    def finish(self):
        given = self.given
        if self.stopped:  # somebody wants to leave: the report alone, which costs nothing
            given = [*given, ["budget", "0", "--ai-budget"]]
        calls, each = (number(self.values.get("budget"), BUDGET),
                       number(self.values.get("timeout"), TIMEOUT))
        most = calls * each if is_on(self.values) and not self.stopped else 0
        listeners = self.config.hook.pytest_triage_report.get_hookimpls()
        answer = self.ask("triage", most + MORE, options=given,
                          failures=self.failures, dry=False, want_report=bool(listeners))
        said = [printable(answer.get(name)).strip("\n")
                for name in ("refused", "error", "text")]
        said[:2] = [f"flaky-repro: {text}" if text else "" for text in said[:2]]
        self.text = "".join(f"{text}\n" for text in said if text)
        if listeners:
            self.tell(answer.get("report"))

    def tell(self, report):
        """Third parties: what they raise is shown and goes no further."""
        from flaky_repro import _contract
        try:
            told = _contract.of_report(report if isinstance(report, dict) else {})
            self.config.hook.pytest_triage_report(triage_config=self.config, **told)
        except (Exception, SystemExit, KeyboardInterrupt, *OUTCOMES) as why:
            self.text += (f"flaky-repro: a pytest_triage_report failed: {type(why).__name__}: "
                          f"{printable(message(why))[:200]}\n")

    def pytest_terminal_summary(self, terminalreporter):
        if self.text:
            terminalreporter.ensure_newline()
            terminalreporter.write(self.text, flush=True)
