"""Texts of others: whatever they are, they do no harm where they go."""
import re

SHOWN = 1 << 16  # characters
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\ud800-\udfff]")


def plain(text):
    """The text itself, of any kind of str, as it can go through any pipe."""
    if type(text) is str and text.isascii():
        return text  # no copy of what may be long
    return str.encode(text, "utf-8", "backslashreplace").decode()


def message(exception):
    try:
        return plain(str(exception))
    except BaseException:  # of the project's code, which pytest forgives all of this as well
        return f"<unprintable {type(exception).__name__}>"


def printable(text):
    """For a terminal: nothing steers it, and there is an end."""
    return CONTROL.sub("", text if isinstance(text, str) else "")[:SHOWN]
