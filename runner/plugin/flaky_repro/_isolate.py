"""What a trial switches off, and what a forked child has to make anew."""
import pathlib

# Plugins that reorder, rerun, seed or time out tests: a trial is one test, once, as it is. Their
# options may stand in the project's configuration, so they are loaded and then taken out.
REMOVED = ("randomly", "random_order", "random-order", "rerunfailures", "flaky", "timeout",
           "pytest_timeout", "reverse", "flakefinder")
# Taken out, they no longer declare their marks, and --strict-markers would complain.
MARKS = ("flaky", "timeout", "random_order", "no_flaky")
# Plugins that other tests need for their fixtures stay, but do nothing.
OPTIONS = {"numprocesses": None, "dist": "no", "tx": [], "distload": False, "looponfail": False,
           "forked": False, "boxed": False, "count": 1, "lf": False, "failedfirst": False,
           "newfirst": False, "stepwise": False, "stepwise_skip": False, "usepdb": False,
           "trace": False, "maxfail": 0, "shuffle": False}


def switch_off(config):
    for name in REMOVED:
        plugin = config.pluginmanager.get_plugin(name)
        if plugin is not None:
            config.pluginmanager.unregister(plugin)
    for mark in MARKS:
        config.addinivalue_line("markers", f"{mark}: declared by a plugin that trials leave out")
    for name, value in OPTIONS.items():
        if hasattr(config.option, name):
            setattr(config.option, name, value)


def renew(config, basetemp):
    """Each was found the hard way: shared with the parent, it would couple the trials."""
    factory = getattr(config, "_tmp_path_factory", None)
    if factory is not None:
        factory._given_basetemp = pathlib.Path(basetemp)
        factory._basetemp = None
    capture = config.pluginmanager.get_plugin("capturemanager")
    if capture is not None and capture._global_capturing is not None:
        capture.stop_global_capturing()  # its files share one offset after a fork
        capture.start_global_capturing()
        capture.suspend_global_capture()
