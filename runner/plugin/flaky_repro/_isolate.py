"""What a trial switches off, and what a forked child has to make anew."""
import os
import pathlib

# Plugins that reorder, rerun, seed or time out tests: a trial is one test, once, as it is. Their
# options may stand in the project's configuration, so they are loaded and then taken out.
REMOVED = ("randomly", "random_order", "random-order", "rerunfailures", "flaky", "timeout",
           "pytest_timeout", "reverse", "flakefinder")
# Taken out, they no longer declare their marks, and --strict-markers would complain.
MARKS = ("flaky", "timeout", "random_order", "no_flaky", "flakedoctor_repro",
         "probability")
# Plugins that other tests need for their fixtures stay, but do nothing; and no report of the
# project's is written over by ours.
OPTIONS = {"numprocesses": None, "dist": "no", "tx": [], "distload": False, "looponfail": False,
           "forked": False, "boxed": False, "count": 1, "lf": False, "failedfirst": False,
           "newfirst": False, "stepwise": False, "stepwise_skip": False, "usepdb": False,
           "trace": False, "maxfail": 0, "shuffle": False, "xmlpath": None, "log_file": os.devnull,
           "pastebin": None, "report_log": None, "htmlpath": None, "json_report": False,
           "allure_report_dir": None}

DEBUGGER = ("usepdb", "trace")  # of use where somebody looks on
SPREAD = ("numprocesses", "dist", "tx", "distload")


def switch_off(config, watched=False, spread=False):
    """`watched`: somebody looks on. `spread`: pytest-xdist's workers run it, its options stay."""
    kept = (DEBUGGER if watched else ()) + (SPREAD if spread else ())
    for name in REMOVED:
        plugin = config.pluginmanager.get_plugin(name)
        if plugin is not None:
            config.pluginmanager.unregister(plugin)
    for mark in MARKS:
        config.addinivalue_line("markers", f"{mark}: declared by a plugin that trials leave out")
    for name, value in OPTIONS.items():
        if hasattr(config.option, name) and name not in kept:
            setattr(config.option, name, value)
    stop_coverage(config)


def stop_coverage(config):
    """It has started by now. It would write its reports over the project's and slow every line."""
    coverage = config.pluginmanager.get_plugin("_cov")
    if coverage is None:
        return
    config.pluginmanager.unregister(coverage)
    try:
        coverage.cov_controller.finish()
    except Exception:  # of another version, or never started: then there is nothing to stop
        pass


def renew(config, basetemp):
    """Each was found the hard way: shared with the parent, it would couple the trials."""
    factory = getattr(config, "_tmp_path_factory", None)
    if factory is not None:
        factory._given_basetemp = pathlib.Path(basetemp)
        factory._basetemp = None
    capture = config.pluginmanager.get_plugin("capturemanager")
    streams = getattr(capture, "_global_capturing", None)
    for stream in (getattr(streams, "out", None), getattr(streams, "err", None)):
        own_file(getattr(stream, "tmpfile", None))


def own_file(captured):
    """The files of capture share one offset after a fork, and what a child that was killed left in
    them. Starting capture again would do, at the price of the rest of the run; another file under
    the same descriptor does it too."""
    try:
        fd = captured.fileno()
    except Exception:  # kept in memory, or no capture at all
        return
    new = os.memfd_create("capture")
    os.dup2(new, fd, inheritable=False)
    os.close(new)


def silence(config):
    """Nobody reads what a forked child's terminal says, and saying it costs as much as a test. The
    reporter stays where tests and fixtures look for it."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    for name in ("logstart", "logreport", "logfinish"):
        hook = getattr(config.hook, f"pytest_runtest_{name}")
        try:
            hook._remove_plugin(reporter)
        except Exception:  # another pluggy, or no reporter: then it speaks
            pass
