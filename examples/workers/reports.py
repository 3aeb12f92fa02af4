import pathlib
import tempfile
import time

SCRATCH = pathlib.Path(tempfile.gettempdir()) / "report.tmp"


def render(customer):
    SCRATCH.write_text(f"report for {customer}")
    time.sleep(0.05)  # what turns it into a PDF takes a moment
    return SCRATCH.read_text()
