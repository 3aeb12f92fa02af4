import pathlib

LABELS = pathlib.Path(__file__).with_name("labels.txt")


def read_labels():
    return LABELS.read_text().splitlines()
