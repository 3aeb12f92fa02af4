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
import signal
import sys

import pytest

from flaky_repro import PROTOCOL, _isolate, __version__

STACK_SIGNAL = signal.SIGRTMAX - 1  # the runner's: "say where you stand" before it ends a hang


class Events:
    """Appends events to a file, each with one write: what was said survives a crash."""

    def __init__(self, fd):
        self.fd = fd

    def say(self, event, **fields):
        line = json.dumps({"v": PROTOCOL, "event": event, **fields}) + "\n"
        os.write(self.fd, line.encode("ascii"))

    @classmethod
    def open(cls, folder):
        path = os.path.join(folder, "r")
        return cls(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600))


def register_stack(folder):
    """On STACK_SIGNAL the Python stack of every thread goes to the file `s`, GIL or no GIL."""
    stack = open(os.path.join(folder, "s"), "w")
    faulthandler.register(STACK_SIGNAL, file=stack, all_threads=True, chain=False)
    return stack


def plain_failure(excinfo, style=None):
    """Instead of a rendered traceback, which costs more than most tests: nobody reads it here."""
    return f"{type(excinfo.value).__name__}"


def crash_site(excinfo, rootdir):
    """Deepest frame that is not pytest's own: "path:line", relative to rootdir where it can be."""
    site = ("", 0)
    tb = excinfo.tb
    while tb is not None:
        name = tb.tb_frame.f_code.co_filename
        if not any(part in name for part in ("/_pytest/", "/pluggy/", "/unittest/")):
            site = (name, tb.tb_lineno)
        tb = tb.tb_next
    path, line = site
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

    def __init__(self, events, rootdir):
        self.events = events
        self.rootdir = rootdir
        self.random_state = None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        if not _REPLAY:
            item.repr_failure = item._repr_failure_py = plain_failure
        outcome = yield
        report = outcome.get_result()
        excinfo = call.excinfo
        if excinfo is not None and hasattr(excinfo, "tb"):
            report.flaky_repro = {
                "type": type(excinfo.value).__name__,
                "site": crash_site(excinfo, self.rootdir),
                "message": first_line(excinfo.value),
            }

    def pytest_runtest_logreport(self, report):
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
        yield
        drawn = self.random_state is not None and generator_states() != self.random_state
        self.events.say("end", id=item.nodeid, changed=["rng"] if drawn else [])


def generator_states():
    numpy = sys.modules.get("numpy.random")
    try:
        other = numpy.get_state(legacy=False)["state"]["key"].tobytes() if numpy else None
        position = numpy.get_state(legacy=False)["state"]["pos"] if numpy else None
    except Exception:  # a partly imported or replaced numpy is no reason to fail anybody's test
        other = position = None
    return random.getstate(), other, position


def describe(session):
    """What the runner wants to know once: which tests, which interpreter, which plugins."""
    config = session.config
    plugins = sorted({f"{d.project_name} {d.version}" for _, d in
                      config.pluginmanager.list_plugin_distinfo()})
    return dict(ids=[item.nodeid for item in session.items], rootdir=str(config.rootpath),
                python=".".join(map(str, sys.version_info[:3])), pytest=pytest.__version__,
                plugins=plugins, plugin=__version__, threads=len(os.listdir("/proc/self/task")),
                errors=session.testsfailed)


class FreshRun(Trial):
    """One run in a process of its own; a witness run has an observer as well."""

    observer = None

    def pytest_unconfigure(self):
        if self.observer is not None:
            self.observer.stop(self.events)

    def pytest_collection_finish(self, session):
        self.events.say("collected", **describe(session))

    def pytest_collectreport(self, report):
        if report.failed:
            self.events.say("collect-error", id=report.nodeid, text=str(report.longrepr)[-2000:])


class WarmProcess:
    """Collects once, then runs the test in a forked child as often as it is asked to."""

    def __init__(self, channel):
        self.channel = Events(channel)
        self.requests = os.fdopen(os.dup(channel), "r", encoding="utf-8")
        os.set_inheritable(channel, False)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        self.channel.say("collected", **describe(session))
        if session.testsfailed or not session.items:
            return True
        state = random.getstate()
        # What exists now is the children's common past: keep collections from touching, and so
        # copying, its pages.
        gc.collect()
        gc.freeze()
        for line in iter(self.requests.readline, ""):
            request = json.loads(line)
            pid = os.fork()
            if pid == 0:
                try:
                    self.child(session, request, state)
                finally:
                    os._exit(0)
            self.channel.say("forked", pid=pid)
            _, status = os.waitpid(pid, 0)
            self.channel.say("done", status=status)
        return True

    def child(self, session, request, state):
        folder = request["dir"]
        os.setpgid(0, 0)
        self.requests.close()
        os.close(self.channel.fd)
        random.setstate(state)  # CPython seeds anew after a fork: the common past has its own state
        _isolate.renew(session.config, os.path.join(folder, "t"))
        stack = register_stack(folder)
        events = Events.open(folder)
        session.config.pluginmanager.register(Trial(events, str(session.config.rootpath)))
        os.putenv("FD_CTL", "attach:" + request["page"])
        item = session.items[-1]
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        sys.stdout.flush()
        stack.close()


def pytest_configure(config):
    if _CHANNEL:
        config.pluginmanager.register(WarmProcess(int(_CHANNEL)), "flaky_repro.warm")
    elif _TRIAL:
        register_stack(_TRIAL)
        run = FreshRun(Events.open(_TRIAL), str(config.rootpath))
        config.pluginmanager.register(run, "flaky_repro.fresh")
        if _WITNESS:
            from flaky_repro import _witness
            run.observer = (_witness.Values(_TRIAL) if _WITNESS == "values"
                            else _witness.Draws())
            run.observer.start()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_cmdline_main(config):
    _isolate.switch_off(config)
    yield


_CHANNEL = os.environ.pop("FR_CHANNEL", None)
_TRIAL = os.environ.pop("FR_TRIAL", None)
_REPLAY = os.environ.pop("FR_REPLAY", None)  # somebody reads the traceback
_WITNESS = os.environ.pop("FR_WITNESS", None)
