"""The names by which users of pytest-probability know ours, so that their benchmark files run
unchanged.

Not beside the package flaky_repro: that folder is on the path of every trial, where a
pytest-probability that is really installed must keep its name.
"""
from flaky_repro._record import (CurtailmentWarning, InfeasibleGateWarning, TokenUsage,
                                 record_cost, record_usage)

__all__ = ["CurtailmentWarning", "InfeasibleGateWarning", "TokenUsage", "record_cost",
           "record_usage"]
