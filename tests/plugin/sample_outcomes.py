"""Tests of every kind of ending. The line above each says what a trial of it must come to:
`kind [phase type]`, in both tiers alike; `~TIER` leaves one out, with the reason beside it."""
import asyncio
import ctypes
import json
import logging
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import pytest


# pass
def test_pass():
    pass


# fail call AssertionError
def test_fail():
    assert 1 == 2


# fail call ValueError
def test_raises_in_a_library():
    json.loads("{").keys()


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no text")


# fail call Odd
def test_exception_without_text():
    raise Odd


# fail call Failed
def test_pytest_fail():
    pytest.fail("told so", pytrace=False)


@pytest.fixture
def broken():
    raise OSError("no setup")


@pytest.fixture
def breaks_after():
    yield
    raise OSError("no teardown")


# error setup OSError
def test_setup_error(broken):
    pass


# error teardown OSError
def test_teardown_error(breaks_after):
    pass


# fail call AssertionError
def test_fails_then_teardown_fails(breaks_after):
    assert False


# error setup FixtureLookupError
def test_missing_fixture(nobody_has_this):
    pass


class TestSetupClass:
    @classmethod
    def setup_class(cls):
        raise KeyError("class")

    # error setup KeyError
    def test_one(self):
        pass


class TestTeardownClass:
    @classmethod
    def teardown_class(cls):
        raise KeyError("class")

    # error teardown KeyError
    def test_one(self):
        pass


# skipped
def test_skip():
    pytest.skip("not today")


# skipped
@pytest.mark.skipif(True, reason="never")
def test_skipif():
    pass


# skipped
def test_importorskip():
    pytest.importorskip("no_such_module_anywhere")


# pass
@pytest.mark.xfail
def test_xfail():
    assert False


# pass
@pytest.mark.xfail
def test_xpass():
    pass


# fail call XPASS(strict)
@pytest.mark.xfail(strict=True)
def test_xpass_strict():
    pass


# fail call KeyError
@pytest.mark.xfail(raises=ValueError)
def test_xfail_by_another():
    raise KeyError


class TestUnit(unittest.TestCase):
    # pass
    def test_pass(self):
        self.assertTrue(True)

    # fail call AssertionError
    def test_fail(self):
        self.assertEqual(1, 2)

    # skipped
    def test_skip(self):
        self.skipTest("later")

    # pass
    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    # fail call *
    @unittest.expectedFailure
    def test_unexpected(self):
        pass


class TestUnitSetup(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise KeyError("class")

    # error setup KeyError
    def test_one(self):
        pass


# crash call <exit 0>
def test_exits_zero():
    os._exit(0)


# crash call <exit 7>
def test_exits_seven():
    os._exit(7)


# crash call <SIGABRT>
def test_abort():
    os.abort()


# crash call <SIGSEGV>
def test_segfault():
    ctypes.string_at(0)


# crash call <SIGTERM>
def test_terminated():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)


@pytest.fixture
def dies_in_setup():
    os._exit(9)


@pytest.fixture
def dies_in_teardown():
    yield
    os._exit(9)


# crash setup <exit 9>
def test_dies_in_setup(dies_in_setup):
    pass


# crash teardown <exit 9>
def test_dies_in_teardown(dies_in_teardown):
    pass


# fail call SystemExit
def test_sys_exit():
    sys.exit(3)


# fail call Exit
def test_pytest_exit():
    pytest.exit("enough")


# fail call KeyboardInterrupt
def test_keyboard_interrupt():
    raise KeyboardInterrupt


@pytest.fixture
def interrupts():
    raise KeyboardInterrupt


# error setup KeyboardInterrupt
def test_interrupt_in_setup(interrupts):
    pass


# hang call <hang>
def test_hang():
    time.sleep(3600)


# hang call <hang>
def test_hang_ignoring_sigterm():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(3600)


# hang call <hang>
def test_hang_with_a_child():
    subprocess.run(["sleep", "3600"])


# hang call <hang>
def test_hang_without_descriptors():
    os.closerange(3, 512)
    time.sleep(3600)


@pytest.fixture
def hangs_after():
    yield
    time.sleep(3600)


# hang teardown <hang>
def test_hang_in_teardown(hangs_after):
    pass


# pass
def test_non_daemon_thread():
    threading.Thread(target=time.sleep, args=(0.5,)).start()


# pass
def test_daemon_thread():
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()


# pass
def test_double_fork():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
    os.wait()


# fail call AssertionError
def test_forked_child_comes_back():
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
    assert pid == 0


# pass
def test_child_holds_the_pipe():
    subprocess.Popen(["sleep", "3600"], start_new_session=True)


# pass
def test_multiprocessing():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(abs, [-1, -2]) == [1, 2]


# fail call OSError
def test_closes_all():
    os.closerange(3, 512)  # pytest's own capture stumbles over it


# fail call AssertionError
def test_takes_our_descriptors(tmp_path):
    os.closerange(3, 512)
    kept = [open(str(tmp_path / "own"), "w+") for _ in range(600)]
    for n in range(3, 512):
        assert os.path.realpath("/proc/self/fd/%d" % n).startswith(str(tmp_path)), kept[0]
    globals()["kept"] = kept
    assert False


# pass
def test_closes_the_standard_three():
    os.closerange(0, 3)


# fail call AssertionError
def test_replaces_what_the_plugin_needs(monkeypatch):
    def boom(*args, **kwargs):
        raise RuntimeError("patched")
    for module, names in ((os, "write open getpid _exit setpgid"), (json, "dumps"),
                          (random, "getstate setstate"), (time, "time")):
        for name in names.split():
            monkeypatch.setattr(module, name, boom)
    assert False


# pass
def test_clears_environ():
    os.environ.clear()


# pass
def test_moves_away(tmp_path):
    os.chdir(tmp_path)
    shutil.rmtree(tmp_path)


# pass
def test_changes_home(tmp_path):
    os.environ["HOME"] = os.environ["TMPDIR"] = str(tmp_path)
    tempfile.tempdir = None
    assert tempfile.gettempdir() == str(tmp_path)


# pass
def test_tmp_path(tmp_path, tmp_path_factory):
    assert not list(tmp_path.iterdir())
    (tmp_path / "x").write_text("x")
    assert tmp_path_factory.mktemp("more").is_dir()


# pass
def test_capfd(capfd):
    os.write(1, b"\xff\xfe")
    print("text")
    subprocess.run(["echo", "child"])
    assert "child" in capfd.readouterr().out


# pass
def test_capsys(capsys):
    print("text")
    assert capsys.readouterr().out == "text\n"


# pass
def test_caplog(caplog):
    logging.getLogger("a").warning("w")
    assert caplog.messages == ["w"]


# pass
def test_cache(request):
    assert request.config.cache.get("fr/none", 5) == 5
    request.config.cache.set("fr/one", 1)
    assert request.config.cache.get("fr/one", 0) == 1


# pass
def test_recwarn(recwarn):
    warnings.warn("x")
    assert len(recwarn) == 1


# fail call UserWarning
@pytest.mark.filterwarnings("error")
def test_warning_is_error():
    warnings.warn("x")


@pytest.fixture(scope="session")
def shared():
    return []


@pytest.fixture(scope="module")
def module_wide(shared):
    shared.append(1)
    yield shared
    shared.clear()


# pass
def test_session_fixture(shared, module_wide):
    assert shared == [1]


# pass
def test_async():
    async def one():
        await asyncio.sleep(0)
        return 1
    assert asyncio.run(one()) == 1


# fail call AssertionError
def test_much_output():
    for _ in range(64):
        os.write(1, b"\xff\x1b[31m\x00" * 8192)
    print("\x1b]0;title\x07" * 100)
    assert False


# fail call AssertionError
def test_odd_message():
    raise AssertionError("\x1b[31m\udc80 caf\u00e9 \u2028 \x00 tab\t")


# fail call AssertionError
def test_alarm():
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    time.sleep(0.05)
    assert False


# fail call AssertionError
def test_recursion_limit():
    sys.setrecursionlimit(150)
    assert False


# fail call RecursionError
def test_recursion():
    def deeper(n):
        return deeper(n + 1)
    deeper(0)
