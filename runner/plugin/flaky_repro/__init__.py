"""The thin part of flaky-repro that has to be Python: pytest hooks that talk to the runner.

Nothing here decides anything. A trial reports what happened, one JSON object a line, and the
runner (a C program) counts, compares and concludes.
"""

__version__ = "0.1.0"
PROTOCOL = 1
