"""Whose code a frame runs: the project's own, the machinery's, or a library's."""
import os
import unittest

import _pytest
import pluggy

# Frames below these are the machinery's, not the test's.
MACHINERY = tuple(os.path.dirname(os.path.abspath(path)) + os.sep
                  for path in (_pytest.__file__, pluggy.__file__, unittest.__file__, __file__))
STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
NOT_THE_TESTS_OWN = ("/site-packages/", "/dist-packages/", "/lib/python3", "/flaky_repro/")


def is_own(filename):
    return (filename.endswith(".py")  # scripts such as bin/pytest have no suffix
            and not any(part in filename for part in NOT_THE_TESTS_OWN))


def is_standard(filename):
    """The standard library's: not what is installed below it."""
    return filename.startswith("<frozen ") or (
        filename.startswith(STANDARD) and "-packages" + os.sep not in filename)


def own_frame(frame):
    while frame is not None and not is_own(frame.f_code.co_filename):
        frame = frame.f_back
    return frame
