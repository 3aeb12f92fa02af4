"""pytest plugin of a trial: loaded with `-p flaky_repro._trial` in the processes the runner starts.

FR_TRIAL names the trial's folder: a fresh run writes its events to the file `r` there. FR_CHANNEL
is the descriptor of a warm process: it collects once, then forks one child for each request.
Both variables are taken out of the environment before any test sees it.
"""
import faulthandler
import gc
import json
import os
import random
import sys

import pytest
from _pytest._code import code

from flaky_repro import PROTOCOL, _before, _isolate, __version__
from flaky_repro._events import Events, register_stack
from flaky_repro._own import MACHINERY, is_standard

def plain_failure(excinfo, style=None):
    """Instead of a rendered traceback, which costs more than most tests and nobody reads here. Of
    the usual type: conftests look at longrepr.reprcrash."""
    text = f"{type(excinfo.value).__name__}: {first_line(excinfo.value)}"
    path, line = deepest(excinfo.tb)
    crash = code.ReprFileLocation(path, line, text)
    trace = code.ReprTraceback([code.ReprEntryNative([text + "\n"])], None, style="native")
    return code.ExceptionChainRepr([(trace, crash, None)])


def deepest(tb, counts=lambda name: True):
    """Path and line of the deepest frame that is not the machinery's, of files that count."""
    site = ("", 0)
    while tb is not None:
        name = tb.tb_frame.f_code.co_filename
        if not name.startswith(MACHINERY) and counts(name):
            site = (name, tb.tb_lineno)
        tb = tb.tb_next
    return site


def crash_site(tb, rootdir):
    """"path:line", relative to rootdir where it can be. A line of the standard library is the same
    for whoever calls it, and another in the next Python: the line that called it is taken."""
    path, line = deepest(tb, lambda name: not is_standard(name))
    if not path:
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

    muted = False  # while tests run that only come before the one under diagnosis

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
        if self.muted:
            return
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

    def before_test(self, item, nextitem):
        """Called when a test has its turn."""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        self.before_test(item, nextitem)
        self.random_state = None
        self.phases = 0
        os.putenv("FD_CTL", "own:1")
        outcome = yield
        os.putenv("FD_CTL", "own:0")
        if self.muted:
            return
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


class Worker(Trial):
    """A worker of pytest-xdist: its reports carry what failed to the process that tells it."""

    def pytest_runtest_logreport(self, report):
        pass

    def pytest_runtest_protocol(self, item):
        pass


class FreshRun(Trial):
    """One run in a process of its own; a witness run has an observer as well. One of several copies
    waits before its first test until all of them are there."""

    observer = stack = config = reports = gate = None
    collect_failure = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        if _ORDER:
            _before.pick(items, _before.read(_ORDER))

    def before_test(self, item, nextitem):
        self.muted = bool(_ORDER) and nextitem is not None
        if self.muted:
            return
        if _ORDER:
            self.events.say("begin", id=item.nodeid)
        if self.observer is not None and _WITNESS == "test":
            self.observer.start()

    # What modules and conftests do while they are imported, the test does.
    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection(self):
        if faulthandler.is_enabled() and not _REPLAY:  # by pytest, which was configured after us
            faulthandler.enable(file=self.stack)
        os.putenv("FD_CTL", "collect")
        os.putenv("FD_CTL", "own:1")
        yield
        os.putenv("FD_CTL", "own:0")

    def pytest_runtest_logreport(self, report):
        super().pytest_runtest_logreport(report)
        if self.reports:  # pytest itself reads them, in the session that has our mark in it
            data = self.config.hook.pytest_report_to_serializable(
                config=self.config, report=report)
            with open(self.reports, "a", encoding="utf-8") as out:
                out.write(json.dumps(data, default=str) + "\n")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session):
        if _COLLECT:  # asked only for what there is
            session.items.clear()
        if self.gate is not None:
            os.write(self.gate, b"r")
            os.read(self.gate, 1)
            os.close(self.gate)
        yield

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
        config = session.config
        broken = session.testsfailed and not config.option.continue_on_collection_errors
        if broken or not session.items:
            return True
        trial = Trial(str(config.rootpath))
        config.pluginmanager.register(trial)
        _isolate.silence(config)
        for item in session.items:
            item.location  # worked out once and kept
        state = random.getstate()
        # What exists now is the children's common past: keep collections from touching, and so
        # copying, its pages.
        gc.collect()
        gc.freeze()
        past = self.past(session, trial, state)
        for line in iter(self.requests.readline, ""):
            self.say("done", **past.answer(json.loads(line)))
        return True

    def past(self, session, trial, state):
        """How this process answers requests; all of it runs in forked children too."""
        items = {item.nodeid: item for item in session.items}

        def prepare(request, folder):
            os.setpgid(0, 0)
            self.leave_channel()
            # CPython seeds anew after a fork: the common past has its own state.
            random.setstate(state)
            trial.muted = True
            _isolate.renew(session.config, os.path.join(folder, "t"))
            register_stack(folder)
            os.putenv("FD_CTL", "attach:" + request["page"])

        def last(request):
            pid = os.fork()
            if pid == 0:
                leave = os._exit  # a test may replace it
                try:
                    self.child(trial, request, items[request["id"]], prepare)
                finally:
                    leave(0)
            return pid

        return _before.Past(items, self.say, prepare, last)

    def leave_channel(self):
        if self.channel is not None:
            self.requests.close()
            os.close(self.channel)
            self.channel = None

    def child(self, trial, request, item, prepare):
        went_on = self.channel is None  # tests came before it, in this process
        drawn = random.getstate()
        prepare(request, request["dir"])
        trial.muted = False
        trial.events = Events(request["dir"])
        if went_on:
            random.setstate(drawn)
            _before.settle(item)
            trial.events.say("begin", id=item.nodeid)
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)


def pytest_addoption(parser, pluginmanager):
    """The project's configuration may ask for a diagnosis: known here, and without effect."""
    from flaky_repro import plugin
    plugin.pytest_addoption(parser, pluginmanager)
    # The runner sets it in every run; where its plugin is turned off nobody knows it.
    if pluginmanager.is_blocked("cacheprovider"):
        parser.addini("cache_dir", "without effect")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    if any(str(arg).count("::") > 2 for arg in session.config.args):
        from flaky_repro import plugin
        plugin.pytest_collection(session)


def pytest_collect_file(file_path, parent):
    """A benchmark's case runs once in a trial, by the name of the case."""
    if parent.config.pluginmanager.has_plugin("probability"):  # pytest-probability itself
        return None
    from flaky_repro import _bench
    return _bench.file_node(file_path, parent, _bench.begin_in_trial)


def pytest_configure(config):
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Worker(str(config.rootpath)), "flaky_repro.worker")
    elif _CHANNEL:
        config.pluginmanager.register(WarmProcess(int(_CHANNEL)), "flaky_repro.warm")
    elif _TRIAL:
        run = FreshRun(str(config.rootpath), Events(_TRIAL))
        run.stack = register_stack(_TRIAL)
        run.config, run.reports = config, _REPORTS
        config.pluginmanager.register(run, "flaky_repro.fresh")
        run.gate = int(_GATE) if _GATE else None
        if _WITNESS:
            from flaky_repro import _witness
            run.observer = _witness.Draws() if _WITNESS == "draws" else _witness.Values(_TRIAL)
            if _WITNESS != "test":
                run.observer.start()


@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests():
    os.putenv("FD_CTL", "own:1")
    yield
    os.putenv("FD_CTL", "own:0")


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_cmdline_main(config):
    _isolate.switch_off(config, watched=_REPLAY == "seen",
                        spread=bool(_SPREAD) or hasattr(config, "workerinput"))
    yield


_CHANNEL = os.environ.pop("FR_CHANNEL", None)
_TRIAL = os.environ.pop("FR_TRIAL", None)
_GATE = os.environ.pop("FR_GATE", None)  # the descriptor at which copies wait for each other
_SPREAD = os.environ.pop("FR_SPREAD", None)  # pytest-xdist's workers run the tests
_REPLAY = os.environ.pop("FR_REPLAY", None)  # somebody reads the traceback
_WATCH = os.environ.pop("FR_WATCH", None)
_REPORTS = os.environ.pop("FR_REPORTS", None)
_WITNESS = os.environ.pop("FR_WITNESS", None)
_ORDER = os.environ.pop("FR_ORDER", None)
_COLLECT = os.environ.pop("FR_COLLECT", None)
os.environ.pop("FR_PAD", None)  # it has done its work: it moved the stack
if _WATCH:
    from flaky_repro import _environ
    _environ.watch()
