"""The names by which providers written for pytest-triage know ours, so that they load unchanged.

Not beside the package flaky_repro: that folder is on the path of every trial, where a pytest-triage
that is really installed must keep its name.
"""
from flaky_repro import __version__

__all__ = ["__version__"]
