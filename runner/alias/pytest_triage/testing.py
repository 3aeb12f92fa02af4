"""For the tests of a provider."""
from flaky_repro._contract import CATEGORIES, CONFIDENCES, assert_conforms

__all__ = ["CATEGORIES", "CONFIDENCES", "assert_conforms"]
