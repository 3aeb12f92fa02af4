"""What a watched run does to the world outside: programs by every way to start one, files, machines."""
import os
import pathlib
import tempfile
import time

from namespace import namespace
from shim_case import case, main

WAYS = {  # each starts /bin/date
    "subprocess": "subprocess.run(['date'], stdout=-3)",
    "a thread": "t = threading.Thread(target=subprocess.run, args=(['date'],), kwargs={'stdout': -3}); t.start(); t.join()",
    "a fork": "pid = os.fork()\nif not pid: os.execvp('date', ['date'])\nos.waitpid(pid, 0)",
    "execv": "pid = os.fork()\nif not pid: os.execv('/bin/date', ['date'])\nos.waitpid(pid, 0)",
    "execve": "pid = os.fork()\nif not pid: os.execve('/bin/date', ['date'], {})\nos.waitpid(pid, 0)",
    "fexecve": "pid = os.fork()\nif not pid: os.execve(os.open('/bin/date', os.O_RDONLY), ['date'], {})\nos.waitpid(pid, 0)",
    "posix_spawn": "os.waitpid(os.posix_spawn('/bin/date', ['date'], {}), 0)",
    "posix_spawnp": "os.waitpid(os.posix_spawnp('date', ['date'], {}), 0)",
    "spawnvp": "os.spawnvp(os.P_WAIT, 'date', ['date'])",
    "a handler": "signal.signal(signal.SIGALRM, lambda *a: subprocess.run(['date'], stdout=-3)); os.kill(os.getpid(), 14); time.sleep(0)",
    "a child Python": "subprocess.run([sys.executable, '-S', '-c', 'import os; os.spawnvp(os.P_WAIT, \"date\", [\"date\"])'])",
    "a child without its environment": "subprocess.run([sys.executable, '-S', '-c', 'import os; os.spawnvp(os.P_WAIT, \"date\", [\"date\"])'], env={'PATH': '/bin'})",
}
IMPORTS = "import os, pathlib, signal, socket, subprocess, sys, threading, time\n"


def acts(b, text, shim=True, watch=1, **settings):
    page = b.page(watch=watch, newer=time.time_ns(), **settings)
    b.code(IMPORTS + text, FD_PAGE=page, shim=shim)
    return b.counters(page)["acts"]


def programs(found):
    return {text.split("\x1f")[0].rsplit("/", 1)[1] for kind, text in found if kind == "program"}


@case
def every_way_to_start_a_program(b):
    for name, text in WAYS.items():
        found = acts(b, text)
        assert "date" in programs(found), (name, found)
        assert not acts(b, text, shim=False), name
        assert not acts(b, text, watch=0), name


@case
def shells_are_noted_with_their_words(b):
    for text in ("os.system('exit 0')", "os.popen('exit 0').close()", "subprocess.run('exit 0', shell=True)"):
        found = acts(b, text)
        assert found == [("program", "/bin/sh\x1f-c\x1fexit 0")], (text, found)
    found = acts(b, "os.system('echo a; date > /dev/null')")
    assert [t for _, t in found] == ["/bin/sh\x1f-c\x1fecho a; date > /dev/null"] + [t for _, t in found[1:]]
    assert programs(found) == {"sh", "date"}, found


@case
def what_cannot_be_run_is_not_started(b):
    assert acts(b, "try: subprocess.run(['no-such-program'])\nexcept OSError: pass") == []
    found = acts(b, "subprocess.run(['date'], stdout=-3, env={'PATH': '/nowhere:/bin'})")
    assert len(found) == 1, found  # one folder of PATH after another is looked at


@case
def arguments_are_kept_as_far_as_they_fit(b):
    found = acts(b, "subprocess.run(['/bin/true', 'two words', '-x'])\n"
                    "subprocess.run(['/bin/true', 'y' * 500])\n"
                    "for _ in range(9): subprocess.run(['/bin/true'])")
    assert [t[:25] for _, t in found] == ["/bin/true\x1ftwo words\x1f-x", "/bin/true\x1f" + "y" * 15, "/bin/true"], found
    assert all(len(t) < 160 for _, t in found)


@case
def a_table_that_is_full_says_so(b):
    page = b.page(watch=1)
    b.code(IMPORTS + "for i in range(60): subprocess.run(['/bin/true', str(i)])", FD_PAGE=page)
    assert len(b.counters(page)["acts"]) == 48


@case
def only_the_test_s_own_counts_under_pytest(b):
    run = "subprocess.run(['/bin/true', '%s'])\n"
    text = (run % "before" + "os.putenv('FD_CTL', 'own:1')\n" + run % "own" +
            "os.putenv('FD_CTL', 'own:0')\n" + run % "after")
    assert acts(b, text, pytest=1) == [("program", "/bin/true\x1fown")]
    assert len(acts(b, text)) == 3  # another program is its own from the first call
    assert b.code(IMPORTS + "os.putenv('FD_CTL', 'own:1'); os.system('echo $FD_CTL')", FD_TIME="now") == "\n"


FILES = [  # what is done in `out`, what is noted there
    ("open(out + '/new', 'w')", ("writes", "new")),
    ("open(out + '/new', 'x')", ("writes", "new")),
    ("open(out + '/old', 'a')", ("writes", "old")),
    ("open(out + '/old', 'r+')", ("writes", "old")),
    ("os.chdir(out); open('old', 'w')", ("writes", "old")),
    ("os.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=os.open(out, 0))", ("writes", "new")),
    ("os.mkdir(out + '/new')", ("writes", "new")),
    ("os.symlink('x', out + '/new')", ("writes", "new")),
    ("os.link(out + '/old', out + '/new')", ("writes", "new")),
    ("os.mkfifo(out + '/new')", ("writes", "new")),
    ("os.truncate(out + '/old', 0)", ("writes", "old")),
    ("os.chmod(out + '/old', 0o600)", ("writes", "old")),
    ("os.utime(out + '/old')", ("writes", "old")),
    ("os.unlink(out + '/old')", ("removes", "old")),
    ("os.rmdir(out + '/dir')", ("removes", "dir")),
    ("os.remove('old', dir_fd=os.open(out, 0))", ("removes", "old")),
    ("subprocess.run('echo > %s/new' % out, shell=True)", ("writes", "new")),
    ("__import__('sqlite3').connect(out + '/new').execute('create table t(x)')", ("writes", "new")),
    ("__import__('tempfile').mkdtemp(dir=out)", ("writes", None)),
]
IDLE = ["open(out + '/old').read()", "open(out + '/no/new', 'w')", "os.unlink(out + '/no')", "os.mkdir(out + '/dir')",
        "open(out + '/old', 'x')", "os.listdir(out)", "os.rmdir(out + '/no')", "os.stat(out + '/old')", "os.rename(out + '/no', out + '/x/y')",
        "open('/dev/null', 'w')", "open('/tmp/fd-acts', 'w'); os.unlink('/tmp/fd-acts')", "os.makedirs(out + '/dir', exist_ok=True)",
        "open(out + '/dir/own/x', 'w'); os.unlink(out + '/dir/own/x')", "open('/proc/self/comm', 'w')"]


def world(bench):
    """A folder that is no temporary one, where the library lies."""
    out = tempfile.mkdtemp(prefix="acts-", dir=bench.programs)
    pathlib.Path(out, "old").write_text("x")
    pathlib.Path(out, "dir").mkdir()
    return out


def clear(out):
    import shutil
    shutil.rmtree(out)


def act_on(b, text, own=False):
    out = world(b)
    if own:
        pathlib.Path(out, "dir", "own").mkdir()
    code = f"out = {out!r}\ntry:\n    {text}\nexcept Exception: pass"
    found = [(k, t) for k, t in acts(b, code, may=out + "/dir/own") if k != "program"]
    assert not acts(b, code, shim=False), text
    clear(out)
    return [(k, t[len(out) + 1:] if t.startswith(out + "/") else t) for k, t in found]


@case
def files_that_are_changed(b):
    for text, (kind, name) in FILES:
        found = act_on(b, text)
        assert found and found[0][0] == kind and (name is None or found[0][1] == name), (text, found)
    found = act_on(b, "os.rename(out + '/old', out + '/new')")
    assert found == [("removes", "old"), ("writes", "new")], found
    found = act_on(b, "open(out + '/new', 'w').close(); os.unlink(out + '/new')")
    assert found == [("writes", "new"), ("removes", "new")], found


@case
def files_that_are_not(b):
    for text in IDLE:
        found = act_on(b, text, own="own" in text)
        assert found == [], (text, found)


@case
def machines_reached_for(b):
    page = b.page(watch=1)
    namespace(b, b.python, "-S", "-c", IMPORTS + "s = socket.socket(); s.setblocking(False); s.connect_ex(('10.1.2.3', 443))\n"
              "s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())\n"
              "try: socket.gethostbyname('www.example.com')\nexcept OSError: pass", FD_PAGE=page)
    assert b.counters(page)["acts"] == [("outside", "10.1.2.3:443"), ("outside", "www.example.com")]


if __name__ == "__main__":
    main()
