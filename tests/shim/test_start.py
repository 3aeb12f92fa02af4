"""How the library starts: what it refuses and in which words, settings by hand, pages."""
import os
import subprocess

from shim_case import AXES, Skip, bare, case, main


TIME_HINT = "; write it like 2024-02-29T23:59:59Z, @1709251199.5, now, +3d or -90s\n"


def refused(b, want, **env):
    got = b.run("/bin/true", status=125, **env)
    assert got.stdout == "" and got.stderr == "libfd: " + want, (got.stderr, want)


@case
def refusals_of_text(b):
    refused(b, "FD_TIME=garbage is not a time" + TIME_HINT, FD_TIME="garbage")
    refused(b, "FD_TIME= is not a time" + TIME_HINT, FD_TIME="")
    refused(b, "FD_TIME_FLOW=slow is not a flow; write run, freeze, step:1ms or at:3\n",
            FD_TIME="now", FD_TIME_FLOW="slow")
    refused(b, "FD_RNG=x is not a seed; write a number from 0 to 18446744073709551615\n", FD_RNG="x")
    refused(b, "FD_RNG=18446744073709551616 is not a seed; write a number from 0 to"
               " 18446744073709551615\n", FD_RNG="18446744073709551616")
    refused(b, f'FD_SETTING: unknown axis "tide"; known are: {" ".join(AXES)}\n',
            FD_SETTING="rng=1,tide=2")
    refused(b, "FD_SETTING: workers=copies:4 is several processes at once; start it with flaky-repro replay\n",
            FD_SETTING="workers=copies:4")
    refused(b, "FD_SETTING: order=0-3 is which tests run, and when; name them to pytest in that order\n",
            FD_SETTING="order=0-3")
    refused(b, 'FD_SETTING: "rng" is not axis=value; write time=...,rng=...\n', FD_SETTING="rng")
    refused(b, "FD_SETTING ends in a comma; remove it\n", FD_SETTING="rng=1,")
    refused(b, "FD_SETTING: time=x is not a time" + TIME_HINT, FD_SETTING="time=x")
    refused(b, "FD_SETTING: hashseed=-1 is not a hash seed; write a number from 0 to 4294967295\n",
            FD_SETTING="hashseed=-1")
    refused(b, "FD_LISTING=up is not an order; write sorted, reverse, oldest, newest or a number\n",
            FD_LISTING="up")
    refused(b, "FD_NET=off is not a state of the network; "
            "write block, refuse, nxdomain, nohost, delay:200ms, chunk:1, segment, whole, reset, "
            "busy:8080 or open\n", FD_NET="off")
    refused(b, "FD_SETTING: network=off is not a state of the network; "
            "write block, refuse, nxdomain, nohost, delay:200ms, chunk:1, segment, whole, reset, "
            "busy:8080 or open\n",
            FD_SETTING="network=off")
    allow = '" is not a host; write db.example.com, *.example.com, 10.1.2.3:5432, 10.0.0.0/8, [fd00::1]:80\n'
    for text, part in (("", ""), ("a,10.0.0,b", "10.0.0"), ("10.0.0.0/33", "10.0.0.0/33"), ("a:0", "a:0")):
        refused(b, f'FD_NET_ALLOW: "{part}{allow}', FD_NET="block", FD_NET_ALLOW=text)
    refused(b, f'FD_NET_ALLOW: "a b{allow}', FD_NET_ALLOW="a b")
    refused(b, "FD_LOG is empty; name a file\n", FD_LOG="")
    refused(b, "FD_INTERLEAVE is not served by this version of libfd.so; unset FD_INTERLEAVE\n",
            FD_INTERLEAVE="x20")


SETTERS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
bad = (ctypes.c_long * 32)(0, -1)  # no time at all: whoever may set the clock gets EINVAL
timex = (ctypes.c_long * 64)(1 << 14)  # ADJ_TICK, to a tick of 0: never valid
for call in (lambda: libc.clock_settime(0, bad), lambda: libc.settimeofday(bad, None),
             lambda: libc.clock_adjtime(0, timex), lambda: libc.adjtimex(timex)):
    ctypes.set_errno(0)
    print(call(), os.strerror(ctypes.get_errno()))
print(libc.adjtimex((ctypes.c_long * 64)(0)) >= 0)  # only asking
"""


@case
def the_machines_clock_cannot_be_set(b):
    """A test that sets what it read from a shifted clock would move the clock for everybody."""
    refused_all = "-1 Operation not permitted\n" * 4 + "True\n"
    for env in ({"FD_TIME": "+1d"}, {"FD_RNG": "1"}, {"FD_PAGE": str(b.page())}):
        got = b.run(b.python, "-c", SETTERS, **env)
        assert got.stdout == refused_all, got.stdout
    without = b.run(b.python, "-c", SETTERS, shim=False)
    assert "Invalid argument" in without.stdout or os.getuid() != 0, without.stdout


@case
def refusals_of_pages(b):
    refused(b, "FD_PAGE names /nowhere/page, which cannot be opened (errno 2); unset FD_PAGE or"
               " start the run again\n", FD_PAGE="/nowhere/page")
    short = b.dir / "short"
    short.write_bytes(b"x" * 12)
    refused(b, f"{short} is too short to be a page (12 bytes); unset FD_PAGE or start the run"
               " again\n", FD_PAGE=short)
    other = b.page(magic=1)
    refused(b, f"FD_PAGE names {other}, which is not a page of flaky-repro; unset FD_PAGE\n",
            FD_PAGE=other)
    newer = b.page(version=9)
    refused(b, f"{newer} is a page of version 9, this libfd.so speaks 6; install both from one"
               " flaky-repro\n", FD_PAGE=newer)
    for release, words in (("9.9.9", "9.9.9"), ("", "(no release)"), ("x" * 16, "x" * 16)):
        other = b.page(release=release)
        refused(b, f"{other} was written by flaky-repro {words}, this libfd.so is of"
                   f" {b.release()}; install both from one release\n", FD_PAGE=other)
    axes = b.page(axes=99)
    refused(b, f"{axes} has 99 axes, this libfd.so has {len(AXES)}; install both from one flaky-repro\n",
            FD_PAGE=axes)
    flow = b.page(flow=17)
    refused(b, f"{flow} holds settings that this libfd.so does not know; install both from one"
               " flaky-repro\n", FD_PAGE=flow)


@case
def a_bad_page_stops_an_attach(b):
    text = "import os\nos.putenv('FD_CTL', 'attach:/nowhere/page')\nprint('still here')"
    got = b.run(b.python, "-c", text, status=125)
    assert "libfd: FD_CTL names /nowhere/page" in got.stderr and not got.stdout
    got = b.run(b.python, "-c", "import os; os.putenv('FD_CTL', 'dance')", status=125)
    assert got.stderr == "libfd: FD_CTL=dance is not understood; write attach:PATH\n"


@case
def nothing_held_changes_nothing(b):
    show = "import os, sys; print(sorted(k for k in os.environ if k.startswith(('FD_', 'PYTHONHASH'))))"
    assert b.code(show) == "[]\n"
    assert b.run("/bin/sh", "-c", "env | grep -c FD_", status=1).stdout == "0\n"


@case
def settings_by_hand(b):
    show = "import os, time; print(int(time.time()), os.urandom(4).hex(), hash('a'))"
    one = b.code(show, FD_SETTING="time=2024-02-29T23:59:59Z/freeze,rng=7,hashseed=2")
    two = b.code(show, FD_TIME="2024-02-29T23:59:59Z", FD_TIME_FLOW="freeze", FD_RNG="0x7",
                 PYTHONHASHSEED=2)
    assert one == two and one.startswith("1709251199 "), (one, two)
    over = b.code(show, FD_SETTING="time=@5,rng=9,hashseed=2", FD_TIME="2024-02-29T23:59:59Z/freeze",
                  FD_RNG=7)
    assert over == one, (over, one)
    kept = b.code("import os; print(os.environ['PYTHONHASHSEED'])", FD_SETTING="hashseed=2",
                  PYTHONHASHSEED=5)
    assert kept == "5\n"


@case
def page_counts_touches(b):
    page = b.page()  # nothing held: counted all the same
    b.code("import time, os\nfor _ in range(100): time.time()\nos.urandom(4)", FD_PAGE=page,
           PYTHONHASHSEED=0)
    got = b.counters(page)
    assert got["touched.time"] >= 100 and 1 <= got["touched.rng"] <= 2, got  # an allocator may draw once
    assert (got["attached"], got["windows"], got["processes"]) == (1, 1, 1), got
    many = b.page(rng=1)
    b.code("""
import os, threading
def draw():
    for _ in range(50): os.urandom(1)
for _ in range(100):
    t = threading.Thread(target=draw); t.start(); t.join()
""", FD_PAGE=many, PYTHONHASHSEED=0)
    got = b.counters(many)
    assert 5000 <= got["touched.rng"] <= 5001 and got["slots"] >= 100, got


@case
def hash_secret_is_not_rng(b):
    pages = b.page(rng=1), b.page(rng=1)
    b.code("import sys", FD_PAGE=pages[0])
    b.code("import sys", FD_PAGE=pages[1], PYTHONHASHSEED=0)
    assert b.counters(pages[0])["touched.rng"] == b.counters(pages[1])["touched.rng"] <= 1
    seen = {b.code("print(hash('a'))", FD_RNG=1) for _ in range(4)}
    assert len(seen) == 4


@case
def zones_are_remembered(b):
    text = """
import os, time, zoneinfo
for name in ('Europe/Paris', 'Asia/Tokyo', 'Europe/Paris'):
    try: zoneinfo.ZoneInfo.no_cache(name)
    except zoneinfo.ZoneInfoNotFoundError: raise SystemExit(77)
open('/usr/share/zoneinfo/tzdata.zi').close()
"""
    page = b.page()
    if b.run(b.python, "-c", text, FD_PAGE=page, status=None).returncode == 77:
        raise Skip("no zone files")
    assert b.counters(page)["zones"] == ["Europe/Paris", "Asia/Tokyo"]
    late = b.page()
    b.code(text + "import sys; os.putenv('FD_CTL', 'attach:' + sys.argv[1])", late)
    assert b.counters(late)["zones"] == ["Europe/Paris", "Asia/Tokyo"]
    named = b.page()
    b.code("import os\nfor tz in ('America/New_York', ':Asia/Tokyo', 'EST5EDT,M3.2.0,M11.1.0', '',"
           " '/usr/share/zoneinfo/Europe/Paris'): os.environ['TZ'] = tz", FD_PAGE=named)
    assert b.counters(named)["zones"] == ["America/New_York", "Asia/Tokyo", "Europe/Paris"]


@case
def attach_swaps_the_page(b):
    first, second = b.page(time="@1000000000"), b.page(time="@1100000000", rng=5, pytest=0)
    text = """
import os, subprocess, sys, time
assert 1000000000 <= time.time() < 1000000060
pid = os.fork()
if not pid:
    os.putenv('FD_CTL', 'attach:' + sys.argv[1])
    now = time.time()
    print(int(now), os.urandom(4).hex(), flush=True)
    show = 'import os, time; print(int(time.time()), "FD_CTL" in os.environ, os.environ["FD_PAGE"])'
    subprocess.run([sys.executable, '-c', show], check=True)
    subprocess.run([sys.executable, '-c', show], check=True, close_fds=False, env=dict(os.environ))
    os._exit(0)
os.waitpid(pid, 0)
print(int(time.time()))
"""
    lines = b.code(text, second, FD_PAGE=first, PYTHONHASHSEED=0).split("\n")
    assert lines[0].startswith("110000000"), lines
    assert lines[0].split()[1] == b.code("import os; print(os.urandom(4).hex())", FD_RNG=5,
                                         PYTHONHASHSEED=0).strip()
    for line in lines[1:3]:
        now, there, page = line.split()
        assert now.startswith("110000000") and there == "False" and page == str(second), line
    assert lines[3].startswith("100000000"), lines
    assert b.counters(second)["processes"] == 3


@case
def attach_dies_with_its_parent(b):
    page = b.page(time="now", die=1)
    text = """
import os, signal, sys, time
r, w = os.pipe()
pid = os.fork()
if not pid:
    child = os.fork()
    if not child:
        os.putenv('FD_CTL', 'attach:' + sys.argv[1]); os.write(w, b'x'); time.sleep(60); os._exit(0)
    os.write(w, str(child).encode().zfill(10)); time.sleep(0.1); os.read(r, 0); time.sleep(0.3)
    os._exit(0)
os.waitpid(pid, 0)
got = os.read(r, 99).replace(b'x', b'')
time.sleep(0.2)
try: state = open(f'/proc/{int(got)}/stat').read().split(')')[1].split()[0]
except FileNotFoundError: state = 'gone'
print(state)
"""
    assert b.code(text, page).strip() in ("gone", "Z")


@case
def ordinary_programs_run(b):
    for command in ("ls -l / >/dev/null", "date >/dev/null", "find /usr/include -maxdepth 1 >/dev/null",
                    "tar cf - /etc/passwd 2>/dev/null | tar tf - >/dev/null", "git --version >/dev/null",
                    "perl -e 'print time' >/dev/null", "bash -c 'echo $RANDOM' >/dev/null",
                    "gcc --version >/dev/null", "make --version >/dev/null"):
        if b.run("/bin/sh", "-c", command, shim=False, status=None).returncode:
            continue
        got = b.run("/bin/sh", "-c", command, FD_TIME="+3d", FD_RNG=1)
        assert got.stderr == "", (command, got.stderr)


@case
def children_that_ignore_the_hash_seed_have_it(b):
    """With a cleared environment, and with -I, which does not read PYTHONHASHSEED."""
    text = "print([hash(s) for s in ('', 'a', 'hello')])"
    child = ("import subprocess, sys; "
             "subprocess.run([sys.executable, '-S', '-c', %r], env={}); "
             "subprocess.run([sys.executable, '-I', '-S', '-c', %r])" % (text, text))
    for seed in (0, 1, 42, 4294967295):
        want = b.code(text, PYTHONHASHSEED=seed, shim=False)
        assert b.code(child, FD_SETTING=f"hashseed={seed}") == 2 * want, seed
    assert len(set(b.code(child, shim=False).splitlines())) == 2, "the negative twin"


if __name__ == "__main__":
    main()
