"""The run by which flaky-ci confirms: pytest as the user runs it, but of the tests only those that
passed when they were run again. What becomes of each is noted, and nothing that the run before it
wrote is written over."""
import os

import pytest

from flaky_repro._text import plain

# Files of the run that would be of these few tests now; what pytest has without the option.
WRITTEN = {"xmlpath": None, "htmlpath": None, "report_log": None, "json_report": False,
           "allure_report_dir": None, "log_file": os.devnull}


def start(config, path, ids):
    """A worker of xdist has the ids of its controller, which notes what becomes of them."""
    if not ids:
        with open(path, encoding="utf-8") as file:
            ids = file.read().split("\0")[:-1]
    config.pluginmanager.register(Only(ids), "flaky_repro.only")
    if path:
        config.pluginmanager.register(Noting(ids, path + ".ran"), "flaky_repro.noting")


def keep_files(config):
    for name, nothing in WRITTEN.items():
        if hasattr(config.option, name):
            setattr(config.option, name, nothing)
    coverage = getattr(config.pluginmanager.get_plugin("_cov"), "options", None)
    if coverage is not None:  # of pytest-cov: it measures, and reports nothing
        coverage.cov_report, coverage.cov_fail_under = {}, None


class Only:
    """After all others have chosen: the last word is that of the outermost wrapper."""

    def __init__(self, ids):
        self.ids = ids

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, config, items):
        yield
        wanted = set(self.ids)
        gone = [item for item in items if plain(item.nodeid) not in wanted]
        if gone:
            items[:] = [item for item in items if plain(item.nodeid) in wanted]
            config.hook.pytest_deselected(items=gone)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        node.workerinput["flaky_repro_only"] = self.ids


class Noting:
    """A line for each: its number among the ids, and what became of it. There may be several, of
    which a failure counts."""

    def __init__(self, ids, path):
        self.number = {nodeid: i for i, nodeid in enumerate(ids)}
        self.called = set()
        self.pid = os.getpid()
        self.path = path

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        number = self.number.get(plain(str(report.nodeid)))
        if number is None or os.getpid() != self.pid:  # a child that a test forked
            return
        outcome, when = getattr(report, "outcome", ""), getattr(report, "when", "")
        if outcome == "failed":
            self.note(number, "failed")
        elif outcome == "passed" and when == "call":
            self.called.add(number)
        elif outcome == "passed" and when == "teardown" and number in self.called:
            self.note(number, "passed")

    def note(self, number, what):
        try:
            with open(self.path, "a", encoding="ascii") as file:
                file.write(f"{number} {what}\n")
        except OSError:  # what is not noted did not run
            pass
