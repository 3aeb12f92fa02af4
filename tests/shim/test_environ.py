"""What a run reads of its surroundings: counted, noted in a watched run, and left alone."""

from shim_case import case, main

WHERE = ("main", "thread", "fork", "exec", "signal")


def answers(b, what, where, **env):
    """With the library and without, and what the library counted."""
    page = b.page(watch=1)
    probe = b.probe("probe_env")
    held = b.out(probe, where, what, FD_PAGE=page, **env)
    return held, b.out(probe, where, what, shim=False, **env), b.counters(page)


@case
def local_time_is_counted_by_every_door(b):
    for where in WHERE:
        held, bare, seen = answers(b, "zone", where, TZ="<-03>3")
        assert held == bare and "21 -10800" in held, (where, held, bare)
        assert seen["touched.zone"] == 7, (where, seen)
        assert seen["reads"] & 1 << seen["axis.zone"], (where, seen)


@case
def what_pytest_does_before_it_collects_is_not_the_projects(b):
    text = """
import os, sys, time
time.localtime()
if len(sys.argv) > 1: os.putenv('FD_CTL', 'collect'); time.localtime()
"""
    for more, want in (((), 0), (("x",), 1)):
        page = b.page(watch=1, pytest=1)
        b.code(text, *more, FD_PAGE=page)
        seen = b.counters(page)
        assert bool(seen["reads"] & 1 << seen["axis.zone"]) == want, (more, seen)


@case
def the_machines_own_zone_is_read_in_its_file(b):
    page = b.page(watch=1)
    b.code("import os\ntry: os.close(os.open('/etc/localtime', os.O_RDONLY))\nexcept OSError: pass",
           FD_PAGE=page)
    seen = b.counters(page)
    assert seen["touched.zone"] > 0 and seen["reads"] & 1 << seen["axis.zone"], seen


@case
def python_says_what_reaches_no_hook(b):
    for watch in (1, 0):
        page = b.page(watch=watch)
        b.code("import os; os.putenv('FD_CTL', 'seen:zone'); print('FD_CTL' in os.environ)", FD_PAGE=page)
        seen = b.counters(page)
        assert bool(seen["reads"] & 1 << seen["axis.zone"]) == watch, seen
    got = b.run(b.python, "-S", "-c", "import os; os.putenv('FD_CTL', 'jump')", FD_PAGE=b.page(), status=125)
    assert "FD_CTL=jump is not understood" in got.stderr, got.stderr


@case
def a_zone_by_hand_is_put_into_the_environment(b):
    text = "import os, time; print(os.environ.get('TZ'), time.localtime(0).tm_hour)"
    assert b.code(text, FD_SETTING="zone=<-03>3") == "<-03>3 21\n"
    assert b.code(text, FD_SETTING="zone=<-03>3", TZ="UTC0") == "<-03>3 21\n"
    assert b.code(text, TZ="UTC0", shim=False) == "UTC0 0\n"
    # a program that gives its child another zone is obeyed
    child = f"import os, subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {text!r}], env=dict(os.environ, TZ='UTC0'))"
    assert b.code(child, FD_SETTING="zone=<-03>3") == "UTC0 0\n"


@case
def variables_are_noted_by_every_door(b):
    for where in WHERE:
        held, bare, seen = answers(b, "env", where, SHOP_MODE="x")
        assert held == bare == "x - 77\n", (where, held, bare)
        assert seen["touched.env"] >= 2, (where, seen)
        assert {"oSHOP_MODE", "oSHOP_COLOR"} <= set(seen["variables"]), (where, seen)
        assert seen["reads"] & 1 << seen["axis.env"], (where, seen)


@case
def plumbing_is_no_variable_of_the_projects(b):
    names = ("FD_PAGE", "LD_PRELOAD", "PYTHONPATH", "PYTEST_CURRENT_TEST", "PATH", "FR_TRIAL", "X" * 60)
    text = "import ctypes, sys\nlibc = ctypes.CDLL(None)\nfor n in sys.argv[1:]: libc.getenv(n.encode())"
    page = b.page(watch=1)
    b.code(text, *names, "TZ", "SHOP_MODE", FD_PAGE=page)
    seen = b.counters(page)
    assert "oSHOP_MODE" in seen["variables"], seen
    assert not {"o" + n for n in names + ("TZ",)} & set(seen["variables"]), seen
    assert seen["reads"] & 1 << seen["axis.zone"], seen
    quiet = b.page(watch=0)
    b.code(text, "SHOP_MODE", FD_PAGE=quiet)
    assert b.counters(quiet)["variables"] == [], "only a watched run notes them"


@case
def more_variables_than_there_is_room_for(b):
    text = "import ctypes\nlibc = ctypes.CDLL(None)\nfor n in range(200): libc.getenv(b'SHOP_%d' % n)"
    page = b.page(watch=1)
    b.code(text, FD_PAGE=page)
    seen = b.counters(page)["variables"]
    assert len(seen) == len(set(seen)) == 64 and "oSHOP_1" in seen, seen


@case
def a_variable_by_hand_is_set_emptied_or_removed(b):
    text = "import os; print([os.environ.get(n) for n in ('SHOP_MODE', 'HOME')])"
    for value, want in (("SHOP_MODE=a=b", "['a=b', '/h']"), ("SHOP_MODE=", "['', '/h']"), ("-HOME", "[None, None]")):
        got = b.code(text, HOME="/h", FD_SETTING=f"rng=1,env={value}")
        assert got == want + "\n", (value, got)
    assert b.code(text, HOME="/h", shim=False) == "[None, '/h']\n"
    for bad in ("9=x", "-A=1", "NAME", "=x"):
        got = b.run(b.python, "-c", "0", FD_SETTING=f"env={bad}", status=125)
        assert "is not a variable" in got.stderr, (bad, got.stderr)


@case
def processors_are_told_by_every_door(b):
    for where in WHERE:
        for n in (1, 3, 64):
            page = b.page(watch=1, limits=f"cpus:{n}")
            got = b.out(b.probe("probe_env"), where, "cpus", FD_PAGE=page)
            assert got == f"{n} {n} {n} {n} {n} 1\n", (where, n, got)
            seen = b.counters(page)
            assert seen["touched.limits"] == 5 and seen["reads"] & 1 << seen["axis.limits"], seen
        held, bare, seen = answers(b, "cpus", where)
        assert held == bare and seen["touched.limits"] == 5, (where, held, bare, seen)


@case
def the_locale_is_counted_by_every_door(b):
    for where in WHERE:
        held, bare, seen = answers(b, "locale", where, LC_ALL="C")
        assert held == bare and held.startswith("C 1 ANSI_X3.4-1968 . 1 1 "), (where, held, bare)
        assert seen["touched.locale"] == 8, (where, seen)  # what only asks for a name is none
        assert seen["reads"] & 1 << seen["axis.locale"], (where, seen)


@case
def a_text_file_without_an_encoding_reads_the_locale(b):
    for text, want in (("open('/dev/null').close()", True), ("open('/dev/null', encoding='utf-8').close()", False),
                       ("open('/dev/null', 'rb').close()", False)):
        page = b.page(pytest=1)
        b.code("import os; os.environ['PYTEST_CURRENT_TEST'] = 'test_a.py::test_b (setup)'\n" + text, FD_PAGE=page,
               LC_ALL="C.UTF-8")
        seen = b.counters(page)
        assert (seen["touched.locale"] > seen["at_open.locale"]) == want, (text, seen)


@case
def a_locale_by_hand_is_put_into_the_environment(b):
    text = "import os, sys; print(os.environ.get('LC_ALL'), sys.flags.utf8_mode)"
    assert b.code(text, FD_SETTING="locale=C", LC_ALL="C.UTF-8") == "C 1\n"
    assert b.code(text, FD_SETTING="locale=C:ascii,zone=UTC,env=A=1", LC_ALL="C.UTF-8") == "C 0\n"
    assert b.code(text, LC_ALL="C.UTF-8", shim=False) == "C.UTF-8 0\n"


LIMITS = ("import resource, subprocess, sys\ndef now(): return [resource.getrlimit(r)[0] for r in "
          "(resource.RLIMIT_NOFILE, resource.RLIMIT_STACK)]\nprint(now(), flush=True)\n"
          "if len(sys.argv) > 1: subprocess.run([sys.executable, '-S', '-c', sys.argv[1]])")


@case
def limits_hold_in_a_process_and_its_children(b):
    bare = b.code(LIMITS, shim=False).strip()
    for value, want in (("nofile:256", "[256, "), ("stack:1M", ", 1048576]")):
        for how in ({"FD_PAGE": b.page(limits=value)}, {"FD_LIMITS": value}, {"FD_SETTING": f"limits={value}"}):
            lines = b.code(LIMITS, LIMITS, **how).splitlines()
            assert len(lines) == 2 and all(want in line for line in lines), (value, how, lines)
            assert want not in bare, bare


@case
def memory_is_granted_beyond_what_was_there(b):
    text = "print(len(bytearray(int(%r) << 20)))"
    assert b.code(text % 8, FD_LIMITS="memory:64M") == f"{8 << 20}\n"
    got = b.run(b.python, "-S", "-c", text % 128, FD_LIMITS="memory:64M", status=1)
    assert "MemoryError" in got.stderr, got.stderr
    assert b.code(text % 128, shim=False) == f"{128 << 20}\n", "the negative twin"


@case
def limits_that_are_none_are_refused(b):
    for bad in ("nofile:0", "nofile:", "cpus:x", "memory:1T", "stack:99999999999999G", "files:3", "nofile:1K"):
        got = b.run(b.python, "-c", "0", FD_LIMITS=bad, status=125)
        assert f"FD_LIMITS={bad} is not a limit" in got.stderr, (bad, got.stderr)


if __name__ == "__main__":
    main()
