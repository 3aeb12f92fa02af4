"""The order in which directories are read: the axis `listing`."""
import os
import pathlib
import shutil

from shim_case import Skip, case, main

NAMES = [*"abcdefgh", ".hidden", "Upper", "z", "long" * 40, "caf\u00e9"]
ALL = ("readdir", "readdir64", "readdir_r", "readdir64_r", "fdopendir", "scandir", "scandir64",
       "scandirat", "scandirat64")
NO_DOTS = ("fts", "fts64", "nftw", "nftw64", "ftw", "ftw64")
VISIBLE = ("glob", "glob64", "scandir_filter")
WHERE = ("main", "thread", "fork", "exec")
M = (1 << 64) - 1


def finish(z):
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & M
    z = (z ^ z >> 27) * 0x94d049bb133111eb & M
    return z ^ z >> 31


def seeded(seed, names):
    """What a seed means: a second account of it, so that no change goes unnoticed."""
    def key(name):
        h = 0xcbf29ce484222325
        for byte in os.fsencode(name):
            h = (h ^ byte) * 0x100000001b3 & M
        golden = 0x9e3779b97f4a7c15
        return finish(finish(seed + golden & M) ^ (h * 0xd1342543de82ef95 + golden & M))
    return sorted(names, key=key)


def ordered(setting, names):
    if setting in ("sorted", "reverse"):
        return sorted(names, key=os.fsencode, reverse=setting == "reverse")
    return seeded(int(setting, 0), names)


SETTINGS = ("sorted", "reverse", "1", "18446744073709551615")


def folder(b, names=NAMES, at=None):
    path = pathlib.Path(at or b.dir / f"folder{len(os.listdir(b.dir))}")
    path.mkdir(parents=True)
    for name in names:
        (path / name).touch()
    return path


def natural(path):
    return [n for n in os.listdir(path)]


def pythons(bench):
    others = map(str, pathlib.Path.home().glob(".pyenv/versions/3*/bin/python3"))
    found = {os.path.realpath(p): p for p in ("/usr/bin/python3", *others, bench.python)
             if os.path.exists(p)}
    return found.values()


@case
def every_reader_shows_the_order(b):
    here = folder(b)
    for setting in SETTINGS:
        want = ordered(setting, NAMES)
        visible = [n for n in want if not n.startswith(".")]
        for how in (*ALL, *NO_DOTS, *VISIBLE):
            got = b.out(b.probe("probe_listing"), how, here, FD_LISTING=setting).splitlines()
            expect = ([".", ".."] + want if how in ALL else want if how in NO_DOTS else visible)
            assert got == expect, (setting, how, got)
        for how in ("scandir_alpha", "glob_sorted"):
            got = b.out(b.probe("probe_listing"), how, here, FD_LISTING=setting)
            assert got == b.out(b.probe("probe_listing"), how, here, shim=False), how
        got = b.out(b.probe("probe_listing"), "scandir_tied", here, FD_LISTING=setting).splitlines()
        assert got == [n for n in visible if n != "z"] + ["z"], got


@case
def in_threads_and_children(b):
    here = folder(b)
    page = b.page(listing="7")
    for where in WHERE:
        for how in ("readdir", "readdir64_r", "scandir", "nftw"):
            want = ([".", ".."] if how != "nftw" else []) + seeded(7, NAMES)
            for env in ({"FD_LISTING": "0x7"}, {"FD_PAGE": page}, {"FD_SETTING": "listing=7"}):
                got = b.out(b.probe("probe_listing"), how, here, where, **env).splitlines()
                assert got == want, (where, how, got)


@case
def without_the_library_the_order_is_the_file_systems(b):
    here = folder(b)
    for how in (*ALL, *NO_DOTS, *VISIBLE):
        bare = b.out(b.probe("probe_listing"), how, here, shim=False)
        assert [n for n in bare.splitlines() if n not in (".", "..") and (n[0] != "." or how not in VISIBLE)] \
            == [n for n in natural(here) if n[0] != "." or how not in VISIBLE], how
        for env in ({}, {"FD_RNG": 1}, {"FD_PAGE": b.page()}):
            assert b.out(b.probe("probe_listing"), how, here, **env) == bare, (how, env)


@case
def the_order_comes_from_the_names_alone(b):
    one, two = folder(b), folder(b, list(reversed(NAMES)), b.dir / "deeper" / "elsewhere")
    show = "import os, sys; print(os.listdir(sys.argv[1]))"
    assert b.code(show, one, FD_LISTING=5) == b.code(show, two, FD_LISTING=5)
    assert len({b.code(show, one, FD_LISTING=n) for n in range(6)}) == 6
    (one / "c").unlink()  # the others keep their places
    assert eval(b.code(show, one, FD_LISTING=5)) == [n for n in seeded(5, NAMES) if n != "c"]


@case
def streams_keep_their_contract(b):
    for env in ({"FD_LISTING": "sorted"}, {"FD_LISTING": "reverse"}, {"FD_LISTING": 3}, {"FD_RNG": 1},
                {"shim": False}):
        here = b.dir / f"contract{len(os.listdir(b.dir))}"
        here.mkdir()
        got = b.run(b.probe("probe_listing"), "contract", here, status=None, **env)
        assert (got.returncode, got.stdout) == (0, ""), (env, got)
        assert not os.listdir(here)


@case
def a_huge_directory(b):
    names = [f"entry-{i:05}-{'x' * (i % 90)}" for i in range(20000)]
    here = folder(b, names)
    for setting in ("sorted", "11"):
        got = b.out(b.probe("probe_listing"), "readdir", here, FD_LISTING=setting).splitlines()
        assert got == [".", "..", *ordered(setting, names)]
    b.run("/bin/rm", "-r", here, FD_LISTING=11)
    assert not here.exists()


PYTHON = """
import os, sys, glob, pathlib, shutil, tempfile
here, want = sys.argv[1], eval(sys.argv[2])
visible = [n for n in want if n[0] != '.']
def same(got, expect=want): assert list(got) == expect, got
same(os.listdir(here))
fd = os.open(here, os.O_RDONLY)
same(os.listdir(fd)); same(os.listdir(fd))
with os.scandir(here) as found: same(e.name for e in found)
if sys.version_info > (3, 7):
    with os.scandir(fd) as found: same(e.name for e in found)
os.close(fd)
same(next(os.walk(here))[2])
same(next(os.fwalk(here))[2])
same([os.path.basename(p) for p in glob.glob(here + '/*')], visible)
same([p.name for p in pathlib.Path(here).iterdir()])
same(sorted(p.name for p in pathlib.Path(here).glob('*')), sorted(want))
os.chdir(here); same(os.listdir()); same(os.listdir(b'.'), [os.fsencode(n) for n in want])
with tempfile.TemporaryDirectory() as there:
    copy = os.path.join(there, 'copy')
    shutil.copytree(here, copy); same(os.listdir(copy))
    deep = os.path.join(there, *'abcdefghij'); os.makedirs(deep)
    for n in range(300): open(os.path.join(deep, str(n)), 'w').close()
    shutil.rmtree(os.path.join(there, 'a')); assert not os.path.exists(deep)
    with open(os.path.join(there, 'module38.py'), 'w') as f: f.write('X = 38')
    sys.path.insert(0, there); import module38; assert module38.X == 38
assert not os.path.exists(there)
"""


@case
def python_of_each_version(b):
    here = folder(b)
    for python in pythons(b):
        for setting in ("reverse", "4"):
            b.code(PYTHON, here, repr(ordered(setting, NAMES)), python=python, FD_LISTING=setting,
                   PYTHONUTF8=1)


@case
def tools_show_it_too(b):
    here = folder(b)
    want = ordered("9", NAMES)
    tools = {"find": ("find . -mindepth 1 -printf '%f\\n'", want),
             "ls": ("ls -U", [n for n in want if n[0] != "."]),
             "perl": ("perl -e 'opendir D, q(.); print qq($_\\n) for readdir D'", [".", "..", *want]),
             "bash": ("bash -c 'printf \"%s\\n\" *'", sorted(n for n in NAMES if n[0] != "."))}
    for tool, (command, expect) in tools.items():
        if not shutil.which(tool):
            continue
        got = b.out("/bin/sh", "-c", command, cwd=here, FD_LISTING=9, LC_ALL="C.UTF-8").splitlines()
        assert got == expect or tool == "bash" and sorted(got) == sorted(expect), (tool, got)
    copy = b.dir / "copy"
    b.run("/bin/cp", "-r", here, copy, FD_LISTING=9)
    assert sorted(os.listdir(copy)) == sorted(NAMES)
    b.run("/bin/rm", "-r", copy, FD_LISTING=9)
    assert not copy.exists()


@case
def the_systems_own_directories_are_left_alone(b):
    show = "import os, sys; print(os.listdir(sys.argv[1]))"
    lib = os.path.dirname(os.__file__)
    kept = [p for p in ("/usr/bin", "/bin", "/etc", "/dev", lib) if os.path.isdir(p)]
    for part in ("site-packages", "dist-packages/deeper", "__pycache__", "lib/python3.99"):
        kept.append(folder(b, at=b.dir / "venv" / part))
    link = b.dir / "link"
    link.symlink_to(kept[-1])
    for path in (*kept, link):
        page = b.page(listing="reverse")
        assert eval(b.code(show, path, FD_PAGE=page)) == natural(path), path
        assert b.counters(page)["touched.listing"] == 0, path
        page = b.page()
        b.code(show, path, FD_PAGE=page)
        assert b.counters(page)["touched.listing"] == 0, path
    for near in ("site-packages-not", "usr", "lib/python2"):
        path = folder(b, at=b.dir / near)
        assert eval(b.code(show, path, FD_LISTING="reverse")) == ordered("reverse", NAMES), near


@case
def a_touch_for_each_directory_read(b):
    empty, single, full = folder(b, []), folder(b, ["a"]), folder(b)
    text = """
import os, sys
for path in sys.argv[1:]:
    os.listdir(path)
    for name in os.scandir(path): pass
    os.close(os.open(path, os.O_RDONLY))
with os.scandir(sys.argv[-1]) as found: next(found, None)
"""
    for held in ({}, {"listing": "3"}):
        for paths, want in (((empty,), 0), ((single,), 0), ((full,), 2), ((empty, full, full), 4)):
            page = b.page(**held)
            b.code(text, *paths, FD_PAGE=page)
            got = b.counters(page)["touched.listing"]
            # the last scandir counts where it is read whole or its two first entries are names
            assert want <= got <= want + 1, (held, want, got)
    for how in (*ALL, *NO_DOTS, *VISIBLE):
        for held in ({}, {"listing": "3"}):
            page = b.page(**held)
            b.out(b.probe("probe_listing"), how, full, FD_PAGE=page)
            assert b.counters(page)["touched.listing"] == 1, how


@case
def by_age(b):
    """Two folders of the same names, made in another order."""
    names = ("b", "a", "d", "c")
    one, two = folder(b, names), folder(b, sorted(names))
    made = [[os.stat(path / name).st_ino for name in order]
            for path, order in ((one, names), (two, sorted(names)))]
    if made != [sorted(inodes) for inodes in made]:
        raise Skip("this file system does not count inodes up")
    show = {"main": "import os, sys; print(os.listdir(sys.argv[1]))",
            "scandir": "import os, sys; print([e.name for e in os.scandir(sys.argv[1])])",
            "thread": "import os, sys, threading\n"
                      "t = threading.Thread(target=lambda: print(os.listdir(sys.argv[1])))\n"
                      "t.start(); t.join()",
            "fork": "import os, sys\nif not os.fork():\n    print(os.listdir(sys.argv[1]), flush=True)"
                    "\n    os._exit(0)\nos.wait()",
            "exec": "import os, sys; os.execv(sys.executable, [sys.executable, '-S', '-c',"
                    " 'import os, sys; print(os.listdir(sys.argv[1]))', sys.argv[1]])",
            "signal": "import os, signal, sys\n"
                      "signal.signal(signal.SIGUSR1, lambda *_: print(os.listdir(sys.argv[1])))\n"
                      "os.kill(os.getpid(), signal.SIGUSR1)"}
    for where, text in show.items():
        for path, order in ((one, list(names)), (two, sorted(names))):
            assert eval(b.code(text, path, FD_LISTING="oldest")) == order, (where, path)
            assert eval(b.code(text, path, FD_LISTING="newest")) == order[::-1], (where, path)
            got = eval(b.code(text, path, FD_PAGE=b.page(listing="newest")))
            assert got == order[::-1], (where, path)
            assert eval(b.code(text, path, FD_LISTING="sorted")) == sorted(names), (where, path)
            got = eval(b.code(text, path, shim=False, FD_LISTING="newest"))
            assert got == natural(path), (where, path)
    for how in (*ALL, "nftw", "ftw64"):  # fts, told to look at no file, knows no inode
        got = b.out(b.probe("probe_listing"), how, one, FD_LISTING="newest").split()
        assert [n for n in got if n in names] == list(names)[::-1], (how, got)


@case
def a_witness_of_listing(b):
    here = folder(b)
    script = b.dir / "test_it.py"
    script.write_text("import os, sys\nos.environ['PYTEST_CURRENT_TEST'] = 'a (setup)'\n"
                      "def look():\n    return os.listdir(sys.argv[1])\nlook()\n")
    page = b.page(witness=1, pytest=1)
    b.run(b.python, script, here, FD_PAGE=page)
    sites = b.counters(page)["sites"]
    if not sites:
        raise Skip("no trace function in this Python")
    assert [s[:4] for s in sites] == [["listing", "readdir", "test_it.py:4", "look"]], sites


if __name__ == "__main__":
    main()
