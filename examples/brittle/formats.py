"""Formats register themselves when somebody asks for the defaults."""
FORMATS = {}


def register_defaults():
    FORMATS.update(csv=",", tsv="\t")


def separator(name):
    return FORMATS[name]
