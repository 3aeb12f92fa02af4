"""Reports go into an archive, each under the next number."""
import pathlib

ARCHIVE = pathlib.Path("archive")


def store(text):
    ARCHIVE.mkdir(exist_ok=True)
    path = ARCHIVE / f"report-{len(list(ARCHIVE.iterdir())) + 1}.txt"
    path.write_text(text)
    return path.name
