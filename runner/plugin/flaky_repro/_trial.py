"""pytest plugin of a trial: loaded with `-p flaky_repro._trial` in the processes the runner starts.

FR_TRIAL names the trial's folder: a fresh run writes its events to the file `r` there. FR_CHANNEL
is the descriptor of a warm process: it collects once, then forks one child for each request.
Both variables are taken out of the environment before any test sees it.
"""
import gc
import json
import os
import random
import sys
import unittest

import _pytest
import pluggy
import pytest
from _pytest._code import code

from flaky_repro import PROTOCOL, _isolate, __version__
from flaky_repro._events import Events, register_stack

# Frames below these are the machinery's, not the test's: a crash site is none of them.
MACHINERY = tuple(os.path.dirname(os.path.abspath(m.__file__)) + os.sep
                  for m in (_pytest, pluggy, unittest))


def plain_failure(excinfo, style=None):
    """Instead of a rendered traceback, which costs more than most tests and nobody reads here. Of
    the usual type: conftests look at longrepr.reprcrash."""
    text = f"{type(excinfo.value).__name__}: {first_line(excinfo.value)}"
    path, line = deepest(excinfo.tb)
    crash = code.ReprFileLocation(path, line, text)
    trace = code.ReprTraceback([code.ReprEntryNative([text + "\n"])], None, style="native")
    return code.ExceptionChainRepr([(trace, crash, None)])


def deepest(tb):
    """Path and line of the deepest frame that is not the machinery's."""
    site = ("", 0)
    while tb is not None:
        name = tb.tb_frame.f_code.co_filename
        if not name.startswith(MACHINERY):
            site = (name, tb.tb_lineno)
        tb = tb.tb_next
    return site


def crash_site(tb, rootdir):
    """"path:line", relative to rootdir where it can be."""
    path, line = deepest(tb)
    if path.startswith(rootdir + os.sep):
        path = path[len(rootdir) + 1:]
    return f"{path}:{line}" if path else ""


def first_line(exception):
    try:
        text = str(exception)
    except Exception:
        text = f"<unprintable {type(exception).__name__}>"
    return text.split("\n", 1)[0][:200]


class Trial:
    """Reports the phases of the tests that run, and whether Python's generators were drawn from."""

    def __init__(self, rootdir, events=None):
        self.events = events
        self.rootdir = rootdir
        self.random_state = None
        self.phases = 0

    def failure(self, exception, tb):
        return {"type": type(exception).__name__, "site": crash_site(tb, self.rootdir),
                "message": first_line(exception)}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        if not _REPLAY:
            item.repr_failure = item._repr_failure_py = plain_failure
        outcome = yield
        report = outcome.get_result()
        excinfo = call.excinfo
        if excinfo is not None and hasattr(excinfo, "tb"):
            report.flaky_repro = self.failure(excinfo.value, excinfo.tb)
        elif report.failed and str(report.longrepr).startswith("[XPASS(strict)]"):
            report.flaky_repro = {"type": "XPASS(strict)", "message": first_line(report.longrepr)}

    def pytest_runtest_logreport(self, report):
        self.phases += 1
        fields = getattr(report, "flaky_repro", {})
        self.events.say("phase", id=report.nodeid, when=report.when, outcome=report.outcome,
                        xfail=hasattr(report, "wasxfail"), **fields)

    # The window opens inside pytest's own setup hook; fixtures and the test itself come after it.
    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self):
        self.remember_state()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self):
        self.remember_state()

    def remember_state(self):
        if self.random_state is None:
            self.random_state = generator_states()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.random_state = None
        self.phases = 0
        os.putenv("FD_CTL", "own:1")
        outcome = yield
        os.putenv("FD_CTL", "own:0")
        if outcome.excinfo is not None:
            self.say_stopped(item, *outcome.excinfo[1:])
        drawn = self.random_state is not None and generator_states() != self.random_state
        self.events.say("end", id=item.nodeid, changed=["rng"] if drawn else [])

    def say_stopped(self, item, exception, tb):
        """KeyboardInterrupt and pytest.exit() end the session without a report: the phase in which
        the test raised them failed."""
        when = ("setup", "call", "teardown")[min(self.phases, 2)]
        self.events.say("phase", id=item.nodeid, when=when, outcome="failed", xfail=False,
                        **self.failure(exception, tb))


def generator_states(getstate=random.getstate, modules=sys.modules):
    numpy = modules.get("numpy.random")
    try:
        other = numpy.get_state(legacy=False)["state"]["key"].tobytes() if numpy else None
        position = numpy.get_state(legacy=False)["state"]["pos"] if numpy else None
    except Exception:  # a partly imported or replaced numpy is no reason to fail anybody's test
        other = position = None
    return getstate(), other, position


def describe(session):
    """What the runner wants to know once: which tests, which interpreter, which plugins."""
    config = session.config
    plugins = sorted({f"{d.project_name} {d.version}" for _, d in
                      config.pluginmanager.list_plugin_distinfo()})
    return dict(ids=[item.nodeid for item in session.items], rootdir=str(config.rootpath),
                python=".".join(map(str, sys.version_info[:3])), pytest=pytest.__version__,
                plugins=plugins, plugin=__version__, plugin_path=os.path.dirname(__file__),
                threads=len(os.listdir("/proc/self/task")), errors=session.testsfailed)


class FreshRun(Trial):
    """One run in a process of its own; a witness run has an observer as well."""

    observer = None
    collect_failure = {}

    # What modules and conftests do while they are imported, the test does.
    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection(self):
        os.putenv("FD_CTL", "own:1")
        yield
        os.putenv("FD_CTL", "own:0")

    def pytest_unconfigure(self):
        if self.observer is not None:
            self.observer.stop(self.events)

    def pytest_collection_finish(self, session):
        self.events.say("collected", **describe(session))

    def pytest_exception_interact(self, node, call):
        if isinstance(node, pytest.Collector):
            failed = call.excinfo.value
            if isinstance(failed, pytest.Collector.CollectError):  # pytest's words around it
                failed = failed.__cause__ or failed
            self.collect_failure = self.failure(failed, failed.__traceback__)

    def pytest_collectreport(self, report):
        if report.failed:
            self.events.say("collect-error", id=report.nodeid, text=str(report.longrepr)[-2000:],
                            **self.collect_failure)
            self.collect_failure = {}
        elif report.skipped:  # a module that skips itself has no test to report it
            self.events.say("collect-skip", id=report.nodeid)


class WarmProcess:
    """Collects once, then runs the test in a forked child as often as it is asked to."""

    def __init__(self, channel):
        self.channel = channel
        self.requests = os.fdopen(os.dup(channel), "r", encoding="utf-8")
        os.set_inheritable(channel, False)

    def say(self, event, **fields):
        line = Events.encode({"v": PROTOCOL, "event": event, **fields}) + "\n"
        os.write(self.channel, line.encode("ascii"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        self.say("collected", **describe(session))
        if session.testsfailed or not session.items:
            return True
        trial = Trial(str(session.config.rootpath))
        session.config.pluginmanager.register(trial)
        _isolate.silence(session.config)
        for item in session.items:
            item.location  # worked out once and kept
        state = random.getstate()
        # What exists now is the children's common past: keep collections from touching, and so
        # copying, its pages.
        gc.collect()
        gc.freeze()
        for line in iter(self.requests.readline, ""):
            request = json.loads(line)
            pid = os.fork()
            if pid == 0:
                leave = os._exit  # a test may replace it
                try:
                    self.child(session, trial, request, state)
                finally:
                    leave(0)
            self.say("forked", pid=pid)
            _, status = os.waitpid(pid, 0)
            self.say("done", status=status)
        return True

    def child(self, session, trial, request, state):
        folder = request["dir"]
        os.setpgid(0, 0)
        self.requests.close()
        os.close(self.channel)
        random.setstate(state)  # CPython seeds anew after a fork: the common past has its own state
        _isolate.renew(session.config, os.path.join(folder, "t"))
        register_stack(folder)
        trial.events = Events(folder)
        item = next(i for i in session.items if i.nodeid == request["id"])
        os.putenv("FD_CTL", "attach:" + request["page"])
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)


def pytest_configure(config):
    if _CHANNEL:
        config.pluginmanager.register(WarmProcess(int(_CHANNEL)), "flaky_repro.warm")
    elif _TRIAL:
        register_stack(_TRIAL)
        run = FreshRun(str(config.rootpath), Events(_TRIAL))
        config.pluginmanager.register(run, "flaky_repro.fresh")
        if _WITNESS:
            from flaky_repro import _witness
            run.observer = (_witness.Values(_TRIAL) if _WITNESS == "values"
                            else _witness.Draws())
            run.observer.start()


@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests():
    os.putenv("FD_CTL", "own:1")
    yield
    os.putenv("FD_CTL", "own:0")


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_cmdline_main(config):
    _isolate.switch_off(config)
    yield


_CHANNEL = os.environ.pop("FR_CHANNEL", None)
_TRIAL = os.environ.pop("FR_TRIAL", None)
_REPLAY = os.environ.pop("FR_REPLAY", None)  # somebody reads the traceback
_WITNESS = os.environ.pop("FR_WITNESS", None)
os.environ.pop("FR_PAD", None)  # it has done its work: it moved the stack
