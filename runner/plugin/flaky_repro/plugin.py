"""pytest plugin of a user's session: --doctor, --doctor-repro and the mark flakedoctor_repro;
--prob-… and benchmark files; --ai-….

It hands over to the program (`flaky-repro session`): what to diagnose, what to refuse and what to
say is decided there. In the runs that the program itself starts it does nothing.
"""
import fnmatch
import os
import sys

import pytest

MARK = ("flakedoctor_repro(blob): apply a recorded repro to this test alone; it fails as recorded "
        "on every run until its cause is gone")
INERT = os.environ.pop("FR_INERT", None) is not None
ONLY = os.environ.pop("FR_CI_ONLY", "")  # a file with node ids, where flaky-ci confirms a run
CONFIRMS = []
SAMPLED = ("probability(min_rate, min_passes, runs, confidence, method, prior, compare, baseline, "
           "margin, equivalence, latency_quantile, max_latency): what the runs of a benchmark are "
           "held to")
ABSENT = []  # another plugin has our options: it is the one to use them
NO_SAMPLES = []  # the same, of --prob-…
NO_TRIAGE = []  # and of --ai-…
# What asks for something else than running tests.
OTHERWISE = ("help", "version", "collectonly", "showfixtures", "show_fixtures_per_test", "markers",
             "cacheshow", "setuponly", "setupplan")


def taken(parser):
    """pytest-flakedoctor has options of the same names, or a trial has declared them already."""
    groups = [*parser._groups, parser._anonymous]
    if any("--doctor" in option.names() for group in groups for option in group.options):
        return True
    # It may come after us. Its file is looked for: to ask for its metadata takes 15 ms.
    theirs = os.path.join("flakedoctor", "_probe.py")
    return any(os.path.isfile(os.path.join(folder, theirs)) for folder in sys.path)


def done_by_another(parser, option, package, blocked):
    """The plugin in this package is there, or has declared its options."""
    if any(option in known.names() for group in parser._groups for known in group.options):
        return True
    if blocked or "PYTEST_DISABLE_PLUGIN_AUTOLOAD" in os.environ:
        return False
    theirs = os.path.join(package, "plugin.py")
    return any(os.path.isfile(os.path.join(folder, theirs)) for folder in sys.path)


class Hooks:
    def pytest_triage_report(self, failures, verdicts, duration, model, triage_config):
        """What became of the triage: a FailureContext for each failure, in the order of the report,
        beside each its Verdict or None; the seconds it took and the model asked, or None."""


def pytest_addoption(parser, pluginmanager):
    from flaky_repro import _options
    if done_by_another(parser, "--prob-runs", "pytest_probability",
                       pluginmanager.is_blocked("probability")):
        NO_SAMPLES.append(True)
    else:
        _options.add(parser)
    if done_by_another(parser, "--ai-triage", "pytest_triage",
                       pluginmanager.is_blocked("pytest_triage")):
        NO_TRIAGE.append(True)
    else:
        _options.add_triage(parser)
        pluginmanager.add_hookspecs(Hooks)  # a conftest may have it: it must be known
    if taken(parser):
        ABSENT.append(True)
        return
    group = parser.getgroup("doctor", "diagnosis of flaky tests (flaky-repro)")
    group.addoption("--doctor", action="store_true", default=False, help=(
        "diagnose the test named, or, on several tests, each that fails"))
    group.addoption("--doctor-repro", metavar="BLOB", help=(
        "play a recorded failure (fd1:...): exit 1 if it fails as recorded, 3 if it does not"))
    for name, metavar, text in (
            ("runs", "N", "the least size of the baseline [10]"),
            ("budget", "SECS", "how long the diagnosis may take, for all tests together [300]"),
            ("json", "PATH", "also write the report as JSON"),
            ("max", "N", "how many failing tests are diagnosed [5]")):
        group.addoption(f"--doctor-{name}", metavar=metavar, help=text)
        parser.addini(f"doctor_{name}", text, default=None)
    text = "go on with a test that acts on the world outside"
    group.addoption("--doctor-allow-side-effects", action="store_true", default=None, help=text)
    parser.addini("doctor_allow_side_effects", text, type="bool", default=False)


def in_a_trial():
    return "flaky_repro._trial" in sys.modules or "FD_PAGE" in os.environ or INERT


def typed(config):
    return any(str(word).startswith("--doctor") for word in config.invocation_params.args)


def active(config):
    """A session inside a test is not the one that was asked for by a variable or the project."""
    if ABSENT or in_a_trial() or hasattr(config, "workerinput"):
        return False
    return typed(config) or "PYTEST_CURRENT_TEST" not in os.environ


def pytest_configure(config):
    config.addinivalue_line("markers", MARK)
    if not NO_SAMPLES:
        config.addinivalue_line("markers", SAMPLED)
    if in_a_trial():
        return
    if samples(config):
        from flaky_repro import _options
        if _options.typed(config):
            sampling(config)
        elif getattr(config.option, "tx", None):
            config.pluginmanager.register(Listener(config), "flaky_repro.listener")
    ids = getattr(config, "workerinput", {}).get("flaky_repro_only")
    if confirms(config) or ids:
        from flaky_repro import _again
        _again.start(config, "" if ids else ONLY, ids)
    elif not NO_TRIAGE and not any(getattr(config.option, x, False) for x in OTHERWISE
                                   if x != "collectonly"):
        triage(config)
    from flaky_repro import _session  # not in a trial, where every millisecond counts
    doctor = not ABSENT and config.option.doctor
    if doctor and active(config):
        config.pluginmanager.register(_session.Suite(config), "flaky_repro.suite")
    elif not doctor:
        config.pluginmanager.register(_session.Marks(config), "flaky_repro.marks")


def confirms(config):
    """The first session of the process is the one: another in it is one that a test starts."""
    if ONLY and not CONFIRMS:
        CONFIRMS.append(config)
    return bool(CONFIRMS) and CONFIRMS[0] is config


def samples(config):
    return not NO_SAMPLES and not in_a_trial() and not any(
        getattr(config.option, x, False) for x in OTHERWISE if x != "collectonly")


def triage(config):
    from flaky_repro import _options
    given = _options.given_of_triage(config)
    inner = "PYTEST_CURRENT_TEST" in os.environ and not any(
        str(word).startswith("--ai-") for word in config.invocation_params.args)
    if given and not inner:
        from flaky_repro import _triage
        _triage.start(config, given)


def sampling(config):
    from flaky_repro import _sampling
    return _sampling.start(config)


def begin(config):
    """A benchmark file makes a session one that samples, whatever was typed."""
    if not config.pluginmanager.has_plugin("flaky_repro.refused"):
        try:
            return sampling(config)
        except pytest.UsageError as why:  # in a file's collection it would be no usage error
            config.pluginmanager.register(Refused(why), "flaky_repro.refused")
    return None


class Listener:
    """A controller of xdist learns from its workers' reports that there are benchmarks."""

    def __init__(self, config):
        self.config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if any(name == "probability" for name, _ in report.user_properties):
            self.config.pluginmanager.unregister(self)
            started = begin(self.config)
            if started is not None:
                started.pytest_runtest_logreport(report)


class Refused:
    def __init__(self, why):
        self.why = why

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self):
        raise self.why


def pytest_collect_file(file_path, parent):
    name, config = file_path.name, parent.config
    if NO_SAMPLES or not name.endswith(".py") or "flaky_repro._trial" in sys.modules:
        return None
    if not fnmatch.fnmatch(name, config.getini("prob_pattern")):
        return None
    from flaky_repro import _bench
    return _bench.file_node(file_path, parent, _bench.begin_in_trial if in_a_trial() else begin)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    config = session.config
    if NO_SAMPLES or not (samples(config) or in_a_trial()):
        return
    if any(arg.count("::") > 2 or (not in_a_trial() and ("[" in arg or arg.endswith("::gate")))
           for arg in config.args):
        from flaky_repro import _select
        _select.widen(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """For a worker of xdist, which is not told how tests are spread."""
    node.workerinput["flaky_repro_dist"] = node.config.option.dist


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    if confirms(config):
        from flaky_repro import _again
        _again.keep_files(config)
    if ABSENT or not active(config) or any(getattr(config.option, x, False) for x in OTHERWISE):
        return None
    if not config.option.doctor and config.option.doctor_repro is None:
        return None
    from flaky_repro import _session
    if config.option.doctor:
        _session.ask(config, "check", repro_too=config.option.doctor_repro is not None)
        if not _session.one_test(config):
            return None
        answer = _session.diagnose(config)
        _session.show(answer["text"], config)
        return answer["status"]
    _session.become_replay(config, config.option.doctor_repro)
    return None
