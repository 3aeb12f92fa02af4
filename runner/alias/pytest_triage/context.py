"""What a provider is asked about."""
from flaky_repro._contract import FailureContext

__all__ = ["FailureContext"]
