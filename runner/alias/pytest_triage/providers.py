"""What a provider is written with."""
from flaky_repro._contract import (PROVIDER_API_VERSION, BaseTriageClient, TriageClient, Verdict,
                                   redact_nodeid, render_sections)

__all__ = ["PROVIDER_API_VERSION", "BaseTriageClient", "TriageClient", "Verdict", "redact_nodeid",
           "render_sections"]
