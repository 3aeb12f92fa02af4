"""Files that are there by chance: what a watched run misses and makes, what is planted, coarse times,
a source tree and a folder for temporary files that take no more. Each in the main thread, in another,
in a child, after exec and in a signal handler; and without the library for comparison."""
import configparser
import json
import pathlib
import tempfile
import xml.etree.ElementTree

from shim_case import case, main

WHERE = ("main", "thread", "fork", "exec", "signal")
# `act` is what is done; it prints one line.
FRAME = """
import os, signal, subprocess, sys, threading
where = sys.argv[1]
def act():
{body}
if where == 'thread':
    t = threading.Thread(target=act); t.start(); t.join()
elif where == 'fork':
    if os.fork() == 0:
        act(); sys.stdout.flush(); os._exit(0)
    os.wait()
elif where == 'exec':
    os.execv(sys.executable, [sys.executable, '-S', '-c', open('/proc/self/cmdline').read().split(chr(0))[3], 'main', *sys.argv[2:]])
elif where == 'signal':
    signal.signal(signal.SIGUSR1, lambda *a: act())
    os.kill(os.getpid(), signal.SIGUSR1)
else:
    act()
"""


def frame(body):
    return FRAME.format(body="".join(f"    {line}\n" for line in body.strip().splitlines()))


def folders(bench):
    home, project = (pathlib.Path(tempfile.mkdtemp(dir=bench.dir)) for _ in range(2))
    return home, project


READ = frame("""
path = sys.argv[2]
try:
    text = open(path).read()
except OSError as e:
    text = type(e).__name__
print(os.path.exists(path), os.path.isfile(path), os.access(path, os.F_OK), os.path.islink(path),
      repr(text)[:30])
""")


@case
def a_planted_file_is_there_to_whoever_looks(b):
    home, project = folders(b)
    (project / "sub").mkdir()
    ways = {"~/.config/app.ini": [home / ".config/app.ini", f"{home}//.config/./x/../app.ini"],
            "app.ini": ["app.ini", "./sub/../app.ini", project / "app.ini"],
            str(project / "app.ini"): ["app.ini"]}
    for named, paths in ways.items():
        for path in paths:
            for where in WHERE:
                def look(value, **env):
                    env = env or {"FD_FS": value}
                    return b.code(READ, where, path, HOME=home, cwd=project, **env).strip()
                got = look(f"plant:empty:{named}")
                assert got == "True True True False ''", (named, path, where, got)
                got = look(f"plant:malformed:{named}")
                assert got.startswith("True True True False ']}"), (named, path, where, got)
                got = look(f"plant:unreadable:{named}")
                assert got == "True True True False 'PermissionError'", (named, path, where, got)
    page = b.page(fs="plant:unreadable:app.ini")
    got = b.code(READ, "main", "app.ini", HOME=home, cwd=project, FD_PAGE=page)
    assert "PermissionError" in got and b.counters(page)["injected_errno"] == 13
    for env in ({"shim": False, "FD_FS": "plant:empty:app.ini"}, {"FD_FS": "real"},
                {"FD_FS": "plant:empty:other.ini"}, {"FD_FS": "plant:empty:sub/app.ini"}):
        got = b.code(READ, "main", "app.ini", HOME=home, cwd=project, **env)
        assert got == "False False False False 'FileNotFoundError'\n", (env, got)
    assert not list(home.iterdir()) and list(project.iterdir()) == [project / "sub"]


@case
def a_file_of_ones_own_wins_over_a_planted_one(b):
    home, project = folders(b)
    text = ("open('a.json', 'w').write('own'); print(open('a.json').read()); "
            "import os; os.unlink('a.json'); print(os.path.exists('a.json'))")
    got = b.code(text, HOME=home, cwd=project, FD_FS="plant:malformed:a.json")
    assert got == "own\nTrue\n", got
    text = "import os\ntry: os.unlink('a.json')\nexcept FileNotFoundError: print('none')"
    assert b.code(text, HOME=home, cwd=project, FD_FS="plant:malformed:a.json") == "none\n"
    text = "import os; before = len(os.listdir('/proc/self/fd'))\n" \
           "for i in range(50): open('a.json').close(); os.stat('a.json')\n" \
           "print(len(os.listdir('/proc/self/fd')) - before)"
    assert b.code(text, HOME=home, cwd=project, FD_FS="plant:empty:a.json") == "0\n"


@case
def no_parser_takes_what_is_malformed(b):
    home, project = folders(b)
    text = b.code("print(end=open('a.x').read())", HOME=home, cwd=project,
                  FD_FS="plant:malformed:a.x")
    parsers = [json.loads, int, float, lambda t: configparser.ConfigParser().read_string(t),
               xml.etree.ElementTree.fromstring,
               lambda t: dict(line.split("=", 1) for line in t.splitlines())]
    for module, name in (("tomllib", "loads"), ("yaml", "safe_load")):
        try:
            parsers.append(getattr(__import__(module), name))
        except ImportError:
            pass
    assert text and text.isascii()
    for parse in parsers:
        try:
            parse(text)
        except Exception:
            continue
        raise AssertionError(parse)


TIMES = frame("""
import time
path = sys.argv[2]
seen = []
for i in range(3):
    with open(path, 'w') as f:
        f.write(str(i))
    with open(path) as f:
        by_fd = os.fstat(f.fileno())
    s = os.stat(path)
    seen.append((s.st_mtime_ns, s.st_ctime_ns, by_fd.st_mtime_ns, os.lstat(path).st_mtime_ns,
                 os.stat(os.path.basename(path), dir_fd=os.open(os.path.dirname(path), 0)).st_mtime_ns))
    time.sleep(0.02)
print(*sorted({t for row in seen for t in row}))
""")


@case
def writes_within_a_tick_leave_one_time(b):
    path = b.dir / "stamped"
    for where in WHERE:
        for tick in (1, 2):
            for env in ({"FD_FS": f"mtime:{tick}s"}, {"FD_PAGE": b.page(fs=f"mtime:{tick}s")}):
                got = [int(n) for n in b.code(TIMES, where, path, **env).split()]
                assert len(got) == 1 and got[0] % (tick * 10**9) == 0, (where, env, got)
        assert len(b.code(TIMES, where, path, FD_FS="real").split()) > 2
        assert len(b.code(TIMES, where, path, shim=False, FD_FS="mtime:2s").split()) > 2


@case
def the_next_tick_shows_and_old_files_keep_their_times(b):
    path, old = b.dir / "stamped", b.dir / "old"
    old.write_text("")
    text = ("import os, time\nseen = []\n"
            f"for i in range(4):\n    open({str(path)!r}, 'w').write('x')\n"
            f"    seen.append(os.stat({str(path)!r}).st_mtime); time.sleep(.11)\n"
            f"print(len(set(seen)), os.stat({str(old)!r}).st_mtime_ns)")
    now = old.stat().st_mtime_ns
    got = b.code(text, FD_PAGE=b.page(fs="mtime:100ms", newer=now + 1)).split()
    assert got == ["4", str(now)], (got, now)


WRITES = frame("""
def attempt(f, *a):
    try:
        f(*a)
        return 'done'
    except OSError as e:
        return e.errno
tmp = sys.argv[2]
print(attempt(open, 'new', 'w'), attempt(open, 'old', 'a'), attempt(os.mkdir, 'folder'),
      attempt(os.unlink, 'old'), attempt(os.rename, 'old', tmp + '/moved'), attempt(open, 'old'),
      attempt(os.rename, tmp + '/here', 'there'),
      attempt(open, tmp + '/own', 'w'), attempt(os.listdir, '.'))
""")


@case
def a_source_tree_that_is_read_only(b):
    for where in WHERE:
        home, project = folders(b)
        tmp = pathlib.Path(tempfile.mkdtemp(dir=b.dir))
        (project / "old").write_text("x")
        (tmp / "here").write_text("x")
        page = b.page(fs="ro")
        got = b.code(WRITES, where, tmp, HOME=home, cwd=project, FD_PAGE=page).split()
        assert got == ["30"] * 5 + ["done", "30", "done", "done"], (where, got)
        assert b.counters(page)["injected_errno"] == 30
        assert [p.name for p in project.iterdir()] == ["old"]
        got = b.code(WRITES, where, tmp, HOME=home, cwd=project, shim=False, FD_FS="ro").split()
        assert got[:3] == ["done"] * 3, got


FULL = frame("""
import tempfile
with tempfile.TemporaryFile(buffering=0, dir=sys.argv[2]) as f:
    try:
        for i in range(8):
            f.write(b'x' * 1000)
        print('room')
    except OSError as e:
        print(i, e.errno)
""")


@case
def a_folder_for_temporary_files_that_is_full(b):
    for where in WHERE:
        home, project = folders(b)
        tmp = tempfile.mkdtemp(dir=b.dir)
        page = b.page(fs="full:4K")
        got = b.code(FULL, where, tmp, HOME=home, cwd=project, FD_PAGE=page)
        assert got == "4 28\n", (where, got)
        assert b.counters(page)["injected_errno"] == 28
        for other in ({"FD_FS": "full:1M"}, {"FD_FS": "full:4K", "shim": False}):
            assert b.code(FULL, where, tmp, HOME=home, cwd=project, **other) == "room\n"


HOW_TO_FILL = {
    "write": "os.write(f, b'x' * 1000)",
    "writev": "os.writev(f, [b'x' * 600, b'x' * 400])",
    "pwrite": "os.pwrite(f, b'x' * 1000, i * 1000)",
    "pwritev": "os.pwritev(f, [b'x' * 600, b'x' * 400], i * 1000)",
    "sendfile": "os.sendfile(f, source, 0, 1 << 23)",
    "copy_file_range": "os.copy_file_range(source, f, 1 << 23, 0)",
    "posix_fallocate": "os.posix_fallocate(f, i * 1000, 1000)",
    "child": "subprocess.run([sys.executable, '-c', 'import os; os.write(%d, b\"x\" * 1000)' % f],"
             " pass_fds=[f], check=True, stderr=subprocess.DEVNULL)",
}
FILL = """
import errno, os, subprocess, sys, tempfile
source = os.open(os.path.join(sys.argv[1], 'source'), os.O_RDWR | os.O_CREAT)
os.write(source, b'x' * 1000)
f = os.open(os.path.join(sys.argv[1], 'filled'), os.O_RDWR | os.O_CREAT)
again = b'y' * 500
try:
    for i in range(9):
        HOW
        os.pwrite(f, again, 0)  # what is written over needs no more room
    print('room')
except OSError as e:
    print(i, errno.errorcode[e.errno])
except subprocess.CalledProcessError:
    print(i, 'child')
"""


@case
def every_way_to_write_finds_a_full_folder(b):
    """Counted is by how much files grow, in all processes; not what was asked for."""
    home, project = folders(b)
    for name, how in HOW_TO_FILL.items():
        tmp = tempfile.mkdtemp(dir=b.dir)
        code = FILL.replace("HOW", how)
        page = b.page(fs="full:5000")
        got = b.code(code, tmp, HOME=home, cwd=project, FD_PAGE=page)
        # 1000 bytes for the source, four times as many for the file, then there is no room.
        assert got == ("4 child\n" if name == "child" else "4 ENOSPC\n"), (name, got)
        assert pathlib.Path(tmp, "filled").stat().st_size == 4000, name
        tmp = tempfile.mkdtemp(dir=b.dir)
        assert b.code(code, tmp, HOME=home, cwd=project, FD_FS="full:1M") == "room\n", name


SQLITE = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1] + "/a.db")
db.execute('pragma synchronous = off')
db.execute('create table t (x)')
try:
    for i in range(500):
        db.execute('insert into t values (?)', ('x' * 4000,))
        db.commit()
    print('room')
except sqlite3.OperationalError as e:
    print(e)
"""


@case
def a_database_finds_its_disk_full(b):
    home, project = folders(b)
    tmp = tempfile.mkdtemp(dir=b.dir)
    got = b.code(SQLITE, tmp, HOME=home, cwd=project, FD_FS="full:256K")
    assert got == "database or disk is full\n", got
    tmp = tempfile.mkdtemp(dir=b.dir)
    assert b.code(SQLITE, tmp, HOME=home, cwd=project, FD_FS="full:8M") == "room\n"


LOOKS = """
import os, pathlib
home = pathlib.Path.home()
os.path.exists(home / '.config' / 'app' / 'a.ini')
os.path.exists('settings.toml')
try: open('data/x.json')
except FileNotFoundError: pass
os.path.exists('/etc/fd-test.conf')
os.path.exists('/nowhere/else')
os.path.exists('module.py')
os.path.exists('later.json'); open('later.json', 'w').close()
open('sooner.lock', 'w').close(); os.unlink('sooner.lock'); os.path.exists('sooner.lock')
os.path.exists('folder'); os.makedirs('folder')
try: os.unlink('gone')
except FileNotFoundError: pass
os.path.exists('there')
"""


@case
def a_watched_run_tells_what_it_missed_from_what_it_makes(b):
    home, project = folders(b)
    (project / "there").write_text("")
    page = b.page(watch=1)
    b.code(LOOKS, HOME=home, cwd=project, FD_PAGE=page)
    found = b.counters(page)
    assert found["missed"] == ["~/.config/app/a.ini", "settings.toml", "data/x.json",
                               "/etc/fd-test.conf"], found["missed"]
    assert found["made"] == ["later.json", "folder"], found["made"]
    page = b.page(watch=1)
    b.code("import os\nfor i in range(200): os.path.exists(f'x{i}.json')", HOME=home, cwd=project,
           FD_PAGE=page)
    assert len(b.counters(page)["missed"]) == 24
    plain = b.page()
    b.code(LOOKS, HOME=home, cwd=folders(b)[1], FD_PAGE=plain)
    assert not b.counters(plain)["missed"]


@case
def only_the_tests_own_code_misses_something(b):
    home, project = folders(b)
    text = ("import os\nos.path.exists('start.ini')\nos.putenv('FD_CTL', 'own:1')\n"
            "os.path.exists('own.ini')\nos.putenv('FD_CTL', 'own:0')\nos.path.exists('end.ini')")
    page = b.page(watch=1, pytest=1)
    b.code(text, HOME=home, cwd=project, FD_PAGE=page)
    assert b.counters(page)["missed"] == ["own.ini"]


@case
def a_value_that_cannot_be_held_is_refused(b):
    for value in ("plant", "plant:empty:", "plant:gone:x", "mtime:2", "mtime:0s", "full:x", "ro:x"):
        done = b.run(b.python, "-c", "", FD_FS=value, status=125)
        assert "is not a way to hold files" in done.stderr, (value, done.stderr)
    for env in ({"FD_FS": "leftovers"}, {"FD_SETTING": "fs=leftovers"}):
        assert "run the command twice" in b.run(b.python, "-c", "", status=125, **env).stderr


if __name__ == "__main__":
    main()
