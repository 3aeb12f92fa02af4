"""A private HOME (FD_FS, FD_FS_MAP): what is found elsewhere, what stays, what children know."""
import os
import pathlib
import shutil
import subprocess
import time

from shim_case import Skip, case, main
from test_start import refused
from test_traps import WHERE, compile_c, need


class Home:
    """A home, the folder that takes its place, a project: all new."""

    def __init__(self, b):
        Home.count = getattr(Home, "count", 0) + 1
        self.b, self.top = b, b.dir / f"top{Home.count}"
        self.home, self.private = self.top / "home", self.top / "private"
        self.project, self.kept = self.top / "project", self.top / "kept"
        for folder in (self.home, self.private, self.project, self.kept):
            folder.mkdir(parents=True)
        (self.home / "old").write_text("real")
        (self.kept / "x").write_text("")
        self.env = {"HOME": self.home, "FD_FS": f"private:{self.private}"}

    def run(self, *argv, **more):
        more.setdefault("cwd", self.project)
        return self.b.run(*argv, **{**self.env, **more})

    def out(self, *argv, **more):
        return self.run(*argv, **more).stdout

    def code(self, text, *args, python=None, **more):
        return self.out(python or self.b.python, "-S", "-c", text, *args, **more)

    def untouched(self):
        """The real HOME holds what it held."""
        seen = {p.relative_to(self.home).as_posix() for p in self.home.rglob("*")}
        return seen == {"old"} and (self.home / "old").read_text() == "real"


def pythons(bench):
    found = [bench.python, "/usr/bin/python3"]
    versions = pathlib.Path("~/.pyenv/versions").expanduser()
    if versions.is_dir():
        found += [str(p) for p in sorted(versions.glob("3.[89].*/bin/python3"))]
        found += [str(p) for p in sorted(versions.glob("3.1?.*/bin/python3"))]
    return [p for p in dict.fromkeys(found) if os.path.exists(p)]


@case
def every_function_reaches_the_private_home(b):
    probe = b.probe("probe_path")
    for where in WHERE:
        h = Home(b)
        assert h.out(probe, where, h.home, h.private) == "", where
        assert h.untouched(), where
        assert h.out(probe, where, h.home, h.private, FD_FS=f"private:{h.private}/../private/") == ""
        assert h.out(probe, where, h.home, h.private, HOME=f"/.{h.home}//./") == ""
        page = b.page(fs=f"private:{h.private}")
        assert h.out(probe, where, h.home, h.private, FD_FS="real", FD_PAGE=page) == "", where
        assert h.untouched(), where
        counted = b.page()
        assert h.out(probe, where, h.home, h.home, FD_PAGE=counted) == "", where
        assert b.counters(counted)["touched.fs"] > 90, where
    h = Home(b)
    assert h.out(probe, "main", h.home, h.home, shim=False) == "" and not h.untouched()
    h = Home(b)
    missed = b.run(probe, "main", h.home, h.private, shim=False, status=1, HOME=h.home)
    assert len(missed.stdout.split("\n")) > 100, missed.stdout  # they all depend on the preload


@case
def a_home_behind_a_link(b):
    h = Home(b)
    link = h.top / "link"
    link.symlink_to(h.home)
    assert h.out("/usr/bin/readlink", link, HOME=link) == f"{h.home}\n"
    probe = b.probe("probe_path")
    text = """
import os, sys
home, real = sys.argv[1:]
open(home + '/a', 'w').write('1'); assert open(real + '/a').read() == '1'
os.chdir(home); assert os.getcwd() == real == os.path.realpath('.'), os.getcwd()
assert os.path.realpath(home + '/a') == real + '/a'
"""
    h.code(text, link, h.home, HOME=link)
    h.code(text, link, h.home, HOME=link, shim=False)
    (h.home / "a").unlink()
    other = h.top / "other"
    other.symlink_to(h.private)
    assert h.out(probe, "main", h.home, h.private, FD_FS=f"private:{other}") == ""
    assert h.untouched()


@case
def a_page_without_a_folder_means_the_one_beside_it(b):
    h = Home(b)
    (h.top / "run" / "h").mkdir(parents=True)
    page = b.page(fs="private")
    page = page.rename(h.top / "run" / "page")
    env = {"FD_FS": "real", "FD_PAGE": page}
    h.code("import os; open(os.path.expanduser('~/x'), 'w')", **env)
    assert (h.top / "run" / "h" / "x").exists() and h.untouched()
    (h.top / "run" / "h" / "x").unlink()
    (h.top / "run" / "h").rmdir()
    got = h.run("/bin/true", status=125, **env)
    assert got.stderr == (f"libfd: {h.top}/run/h is not a folder, so HOME cannot be private there;"
                          " make it first\n"), got.stderr


@case
def a_warm_child_is_given_its_own_home(b):
    h = Home(b)
    page = b.page(fs=f"private:{h.private}")
    text = """
import os, sys
home = os.path.expanduser('~')
assert os.path.exists(home + '/old')
os.environ['HOME'] = '/elsewhere'
os.chdir('/')
if not os.fork():
    os.putenv('FD_CTL', 'attach:' + sys.argv[1])
    assert not os.path.exists(home + '/old')
    open(home + '/x', 'w')
    assert os.path.exists(sys.argv[2] + '/kept/x')
    os._exit(0)
assert os.waitpid(-1, 0)[1] == 0
assert os.path.exists(home + '/old') and not os.path.exists(home + '/x')
"""
    h.code(text, page, h.top, FD_FS="real")
    assert h.untouched() and (h.private / "x").exists()


@case
def refusals_of_private_homes(b):
    h = Home(b)
    make = " is not a folder, so HOME cannot be private there; make it first\n"
    refused(b, "/nowhere/h" + make, FD_FS="private:/nowhere/h", HOME="/root")
    refused(b, f"{h.home}/old" + make, FD_FS=f"private:{h.home}/old", HOME="/root")
    refused(b, "/nowhere/h" + make, FD_SETTING="fs=private:/nowhere/h", HOME="/root")
    refused(b, "/nowhere/h" + make, FD_PAGE=b.page(fs="private:/nowhere/h"), HOME="/root")
    refused(b, "FD_FS=private names no folder; write private:/absolute/folder\n", FD_FS="private",
            HOME="/root")
    refused(b, "FD_FS=private:h is not a way to hold files; write "
            "private:/absolute/folder, mtime:2s, plant:empty:PATH, plant:unreadable:PATH, "
            "plant:malformed:PATH, ro, full:1M or real\n",
            FD_FS="private:h")
    for home in ("", "/", "here", "/x/.."):
        refused(b, f"HOME={home} cannot be private; set it to an absolute folder below /\n",
                FD_FS=f"private:{h.private}", HOME=home)
    for inside in (h.top, h.home):
        refused(b, f"{inside} holds HOME itself ({h.home}); name another folder\n",
                FD_FS=f"private:{inside}", HOME=h.home)
    refused(b, "FD_FS_MAP=/a is not a map of folders; write /a=/b or /a=/b,/c=/d\n", FD_FS_MAP="/a")
    refused(b, "FD_FS_MAP= is not a map of folders; write /a=/b or /a=/b,/c=/d\n", FD_FS_MAP="")
    many = ",".join(f"/x{i}=/y" for i in range(17))
    refused(b, f"FD_FS_MAP={many} maps more than 16 folders; shorten it\n", FD_FS_MAP=many)


@case
def a_map_by_hand(b):
    h = Home(b)
    for name in "abc":
        (h.top / name / "deep").mkdir(parents=True)
        (h.top / name / "who").write_text(name)
    a, b_, c = (h.top / x for x in "abc")
    text = "import os, sys\nfor p in sys.argv[1:]: print(open(p).read())"
    maps = f"{a}={b_},{b_}={c},{a}/deep={c}"
    paths = (f"{a}/who", f"{b_}/who", f"{a}/deep/who", f"{c}/who", f"{a}/./deep/../who")
    assert h.code(text, *paths, FD_FS="real", FD_FS_MAP=maps) == "b\nc\nc\nc\nb\n"
    assert h.code(text, *paths[:2], *paths[3:], shim=False) == "a\nb\nc\na\n"
    # a library below us serves one of the names with another, and copies the text
    other = compile_c(b, "libcopies.so", """
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
int open64(const char *p, int flags, ...) { char c[4096]; strcpy(c, p); return openat(AT_FDCWD, c, flags, 0600); }
int stat64(const char *p, struct stat64 *s) { char c[4096]; strcpy(c, p); return fstatat64(AT_FDCWD, c, s, 0); }
""", "-shared", "-fPIC")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("FD_", "LD_"))}
    env.update(FD_FS_MAP=maps, LD_PRELOAD=f"{b.lib}:{other}")
    got = subprocess.run([b.python, "-S", "-c", text, *paths[:3]], env=env, capture_output=True,
                         text=True)
    assert got.stdout == "b\nc\nc\n", got
    # HOME private and a map below it: the longer prefix wins
    maps = f"{h.home}/a={a}"
    text = "import os; print(open(os.path.expanduser('~/a/who')).read(), os.listdir(os.path.expanduser('~')))"
    assert h.code(text, FD_FS_MAP=maps) == "a []\n"


@case
def temporary_files_follow_a_map_of_tmp(b):
    h = Home(b)
    p = compile_c(b, "tmpfile", """
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int c, char **v) {
    char link[64], at[PATH_MAX] = ""; FILE *f = tmpfile();
    snprintf(link, 64, "/proc/self/fd/%d", fileno(f));
    if (readlink(link, at, PATH_MAX - 1) < 0) return 1;
    puts(at);
    return fputs("x", f) == EOF || fclose(f);
}
""")
    plain = h.top.parent / "elsewhere"
    plain.mkdir(exist_ok=True)
    where = h.out(p, FD_FS="real", FD_FS_MAP=f"/tmp={plain}")
    assert where.startswith(("/tmp/tmpf", "/tmp/#")), where  # by the name that the program knows
    assert h.out(p, shim=False).startswith("/tmp/")
    assert not list(plain.iterdir())


@case
def too_long_and_errno(b):
    h = Home(b)
    text = """
import ctypes, errno, os
home = os.path.expanduser('~')
libc = ctypes.CDLL(None, use_errno=True)
def err(f, *a):
    try: f(*a)
    except OSError as e: return e.errno
for n in (4096 - len(home) - 2, 4095, 4096, 9000):
    long = home + '/' + 'x/' * (n // 2)
    for f in (os.stat, os.mkdir, os.open):
        want = errno.ENAMETOOLONG
        got = err(f, long[:n + len(home)], 0) if f is os.open else err(f, long[:n + len(home)])
        assert got == want, (n, f, got)
name = ctypes.create_string_buffer(os.fsencode(home + '/x'))
open(home + '/x', 'w').close()
for call in (lambda: libc.access(name, 0), lambda: libc.chmod(name, 0o600), lambda: libc.truncate(name, 0),
             lambda: libc.close(libc.open(name, 0))):
    ctypes.set_errno(77)
    assert call() == 0 and ctypes.get_errno() == 77
assert libc.access(None, 0) == -1
"""
    h.code(text)
    assert h.untouched()


@case
def what_a_process_is_made_of_stays(b):
    h = Home(b)
    made = ("proj/data", "v/lib/python3.9/site-packages/m", ".local/lib/x", ".local/bin/x", "bin/x",
            "pp/x", "base/x", "tmp/x", "pyenv/shims/x", "pyenv/versions/x", "other/lib/python3.9/os",
            "other/dist-packages/x", "run/h/.keep")
    gone = ("other/x", ".local/share/x", "pyenvx/x", "projx/x")
    (h.home / "d").mkdir()
    for name in made + gone:
        path = h.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("here")
    text = """
import os, sys
os.chdir('/')
home = os.path.expanduser('~')
for name in sys.argv[1:]:
    print(name, *[int(os.path.exists(home + form + name)) for form in ('/', '/./', '//', '/d/../')])
"""
    env = {"PATH": f"/usr/bin:/bin:{h.home}/bin:{h.home}/pyenv/shims", "PYTHONPATH": f"{h.home}/pp",
           "PYTHONUSERBASE": h.home / "base", "TMPDIR": h.home / "tmp",
           "VIRTUAL_ENV": h.home / "v", "FD_FS": f"private:{h.home}/run/h"}
    got = h.code(text, *made, *gone, cwd=h.home / "proj", **env)
    want = "".join(f"{n} 1 1 1 1\n" for n in made) + "".join(f"{n} 0 0 0 0\n" for n in gone)
    assert got == want, got
    # whoever stands in HOME itself has no project there
    got = h.code(text, "proj/data", cwd=h.home, FD_FS=f"private:{h.home}/run/h")
    assert got == "proj/data 0 0 0 0\n", got
    got = h.code("print(open('new', 'w').name)", cwd=h.home, FD_FS=f"private:{h.home}/run/h")
    assert got == "new\n" and not (h.home / "new").exists() and (h.home / "run/h/new").exists()


@case
def a_programs_own_prefix_stays(b):
    h = Home(b)
    tool = h.home / "tool"
    (tool / "bin").mkdir(parents=True)
    (tool / "share").write_text("mine")
    shutil.copy(need("cat"), tool / "bin" / "cat")
    assert h.out(tool / "bin" / "cat", tool / "share") == "mine"
    got = h.run("/bin/cat", tool / "share", status=1)
    assert "No such file" in got.stderr
    script = tool / "bin" / "script"
    script.write_text(f"#!/bin/sh\ncat {tool}/share; cd {h.home}; cat tool/share")
    script.chmod(0o755)
    (h.home / "linked").symlink_to(script)
    for how in (script, h.home / "linked"):  # its children know it too
        assert h.out(how) == "minemine"
    bare = h.home / "a.out"
    shutil.copy(need("cat"), bare)
    got = h.run(bare, h.home / "old", status=1)  # HOME is nobody's folder of programs
    assert "No such file" in got.stderr


@case
def children_know_the_same_home_and_project(b):
    h = Home(b)
    project = h.home / "proj"
    project.mkdir()
    (project / "data").write_text("mine")
    (h.home / "elsewhere").mkdir()
    (h.home / "elsewhere" / "data").write_text("not")
    show = "for f in proj/data elsewhere/data old; do test -e {0}/$f && echo $f; done; true"
    show = show.format(h.home)
    for page in (False, True):
        env = {"FD_FS": "real", "FD_PAGE": b.page(fs=f"private:{h.private}")} if page else {}
        for text in ("import os, subprocess; os.chdir('/'); subprocess.run(['/bin/sh', '-c', {0}], env={{}})",
                     "import os, subprocess; subprocess.run(['/bin/sh', '-c', {0}], env={{'HOME': '/tmp'}}, cwd='/')",
                     "import os, subprocess; subprocess.run({0}, shell=True, cwd=os.path.dirname(os.getcwd()))",
                     "import os; os.environ['HOME'] = '/'; os.chdir('/'); os.system({0})",
                     "import os; os.environ.clear(); os.popen({0}).read() == 'proj/data\\n' and print('proj/data')",
                     "import os; os.posix_spawn('/bin/sh', ['sh', '-c', {0}], {{}}); os.wait()"):
            got = h.code(text.format(repr(show)), cwd=project, **env)
            assert got == "proj/data\n", (text, got)
    assert h.code("import subprocess; subprocess.run(['env'])", FD_FS="real", FD_TIME="now") \
        .count("FD_HOME=") == 1
    only_time = b.out("/usr/bin/env", "/usr/bin/env", FD_TIME="now", HOME=h.home)
    assert "FD_HOME" not in only_time and "FD_STAY" not in only_time


@case
def programs_that_lie_in_the_private_home_only(b):
    h = Home(b)
    (h.private / "bin").mkdir()
    shutil.copy(b.probe("probe_time"), h.private / "bin" / "tool")
    for how in ("execve", "execv", "execvp", "execvpe", "execl", "execle", "execlp", "execveat",
                "posix_spawn", "posix_spawnp", "vfork"):
        assert h.out(b.probe("probe_start"), how, h.home / "bin" / "tool").strip().isdigit(), how
        assert not b.run(b.probe("probe_start"), how, h.home / "bin" / "tool", shim=False, status=None,
                         HOME=h.home).stdout, how
    path = f"/usr/bin:/bin:{h.home}/bin"
    for how in ("execvp", "execvpe", "execlp", "posix_spawnp"):
        assert h.out(b.probe("probe_start"), how, "tool", PATH=path).strip().isdigit(), how
    text = "import subprocess; print(subprocess.run(['tool'], capture_output=True, text=True).stdout)"
    for python in pythons(b):
        assert h.code(text, PATH=path, python=python).strip().isdigit(), python
    # one that is really there is the one that starts
    (h.home / "bin").mkdir()
    (h.home / "bin" / "tool").write_text("#!/bin/sh\necho real\n")
    (h.home / "bin" / "tool").chmod(0o755)
    assert h.out(b.probe("probe_start"), "execv", h.home / "bin" / "tool") == "real\n"


@case
def a_library_that_lies_in_the_private_home_only(b):
    h = Home(b)
    lib = compile_c(b, "libonly.so", "int only(void) { return 42; }", "-shared", "-fPIC")
    shutil.copy(lib, h.private / "libonly.so")
    text = "import ctypes, os; print(ctypes.CDLL(os.path.expanduser('~/libonly.so')).only())"
    assert h.code(text) == "42\n"
    b.run(b.python, "-S", "-c", text, HOME=h.home, shim=False, status=1)
    # by its bare name it is found as ever, by the RUNPATH of who asks
    folder = b.dir / "plugins"
    folder.mkdir()
    shutil.copy(lib, folder / "libplugin.so")
    p = compile_c(b, "loads", """
#include <dlfcn.h>
int main(void) { int (*f)(void); void *h = dlopen("libplugin.so", RTLD_NOW);
    return !h || !(f = dlsym(h, "only")) || f() != 42 || !dlopen(0, RTLD_NOW) || dlopen("/nowhere/x.so", 1); }
""", f"-Wl,-rpath,{folder},--enable-new-dtags", "-ldl")
    h.run(p)
    b.run(p)
    b.run(p, shim=False)


FILES = """
import json, os, pathlib, shutil, sqlite3, sys, tempfile
home = pathlib.Path.home()
(home / 'a' / 'b').mkdir(parents=True)
(home / 'a' / 'b' / 'x.txt').write_text('x')
(home / 'conf.json').write_text(json.dumps({'n': 1}))
assert json.loads((home / 'conf.json').read_text()) == {'n': 1}
assert [sorted(d + f) for _, d, f in os.walk(home)] == [['a', 'conf.json'], ['b'], ['x.txt']]
assert sorted(p.name for p in home.rglob('*')) == ['a', 'b', 'conf.json', 'x.txt']
shutil.copytree(home / 'a', home / 'c')
assert (home / 'c' / 'b' / 'x.txt').read_text() == 'x'
shutil.move(str(home / 'c'), str(home / 'd'))
shutil.rmtree(home / 'd')
assert sorted(os.listdir(home)) == ['a', 'conf.json']
with tempfile.TemporaryDirectory(dir=home) as t:
    assert pathlib.Path(t).parent == home and pathlib.Path(t).exists()
with tempfile.NamedTemporaryFile(dir=home) as f:
    assert os.path.samefile(f.name, f.fileno()) and pathlib.Path(f.name).parent == home
db = sqlite3.connect(home / 'my.db')
db.execute('create table t (n)'); db.execute('insert into t values (5)'); db.commit(); db.close()
assert sqlite3.connect(home / 'my.db').execute('select n from t').fetchall() == [(5,)]
os.chdir(home / 'a')
assert pathlib.Path.cwd() == home / 'a' and pathlib.Path('../conf.json').resolve() == home / 'conf.json'
assert os.path.realpath('b') == str(home / 'a' / 'b')
os.symlink(home / 'a', home / 'link')
assert (home / 'link' / 'b' / 'x.txt').read_text() == 'x' and os.readlink(home / 'link') == str(home / 'a')
fd = os.open(home, os.O_RDONLY)
assert os.stat('a', dir_fd=fd).st_ino == os.stat(home / 'a').st_ino
os.mkdir('e', dir_fd=fd); os.rename('e', 'f', src_dir_fd=fd, dst_dir_fd=fd)
assert sorted(os.listdir(fd)) == ['a', 'conf.json', 'f', 'link', 'my.db']
assert os.readlink(f'/proc/self/fd/{fd}') == str(home)
shutil.disk_usage(home); os.utime(home / 'a', (1, 2)); os.access(home / 'a', os.R_OK)
print(os.stat(home / 'a').st_mtime)
"""


@case
def python_in_a_private_home(b):
    for python in pythons(b):
        h = Home(b)
        if b.run(python, "-c", "import sqlite3", shim=False, status=None).returncode:
            continue
        assert h.code(FILES, python=python) == "2.0\n", python
        assert h.untouched() and (h.private / "a" / "b" / "x.txt").exists(), python
        (h.home / "old").unlink()
        assert h.code(FILES, python=python, shim=False) == "2.0\n", python
        assert not h.untouched()


@case
def tools_in_a_private_home(b):
    h = Home(b)
    for command, want in (
            ("cd ~ && pwd && pwd -P && ls", f"{h.home}\n{h.home}\n"),
            ("mkdir ~/d && echo hi > ~/d/x && cat ~/d/x", "hi\n"),
            ("realpath ~/d/../d/x; readlink -f ~/d/x", f"{h.home}/d/x\n" * 2),
            ("find ~ -type f", f"{h.home}/d/x\n"),
            ("cp -r ~/d ~/e && cat ~/e/x && rm -r ~/e && ls ~", "hi\nd\n"),
            ("mv ~/d/x ~/y && ls ~ && mv ~/y ~/d/x", "d\ny\n"),
            ("ln -s ~/d/x ~/l && readlink ~/l && cat ~/l && rm ~/l", f"{h.home}/d/x\nhi\n"),
            ("cd ~/d && cd .. && pwd && ls; cd ~/d && cat ../d/x", f"{h.home}\nd\nhi\n"),
            ("cd -P ~/d/.. && pwd; test -e ~/old || echo none", f"{h.home}\nnone\n"),
            ("for f in ~/d/*; do echo $f; done", f"{h.home}/d/x\n"),
            ("tar cf - -C ~ d | tar tf -", "d/\nd/x\n"),
            ("stat -c %s ~/d/x; du -b ~/d/x | cut -f1", "3\n3\n"),
            ("touch -d @5 ~/d/x && stat -c %Y ~/d/x; chmod 600 ~/d/x && stat -c %a ~/d/x", "5\n600\n"),
            ("sed -i s/hi/ho/ ~/d/x && cat ~/d/x && grep -r ho ~ | wc -l", "ho\n1\n")):
        for shell in ("bash", "sh"):
            if shell == "sh" and command.startswith("mkdir"):
                continue
            assert h.out(need(shell), "-c", command) == want, (shell, command, want)
    assert h.untouched()
    other = Home(b)
    other.run(need("bash"), "-c", "mkdir ~/d && echo hi > ~/d/x", shim=False)
    assert not other.untouched()


@case
def git_in_a_private_home(b):
    h = Home(b)
    git = need("git")
    (h.home / ".gitconfig").write_text("[user]\n\tname = real\n")
    assert h.run(git, "config", "--global", "user.name", status=1).stdout == ""
    h.run(git, "config", "--global", "user.name", "private")
    assert h.out(git, "config", "--global", "user.name") == "private\n"
    assert "real" in (h.home / ".gitconfig").read_text() and (h.private / ".gitconfig").exists()
    assert h.out(git, "config", "--global", "user.name", shim=False) == "real\n"
    h.run("/bin/sh", "-c", "cd ~ && git init -q r && cd r && echo x > f && git add f &&"
          " git -c user.email=e commit -qm m && git status --short && git rev-parse --show-toplevel"
          f" | grep -qx {h.home}/r")
    assert (h.private / "r" / ".git").is_dir() and not (h.home / "r").exists()


TEST = """
import os, pathlib, sys
import helper
def test_home(tmp_path):
    home = pathlib.Path.home()
    assert not (home / 'old').exists()
    (home / 'made').write_text(helper.TEXT)
    assert (home / 'made').read_text() == 'help'
    assert pathlib.Path(__file__).exists() and pathlib.Path(sys.prefix).exists()
"""


def with_pytest(bench):
    found = []
    for python in pythons(bench):
        got = bench.run(python, "-c", "import pytest, os; print(os.path.dirname(os.path.dirname(pytest.__file__)))",
                    shim=False, status=None)
        if not got.returncode:
            found.append((python, got.stdout.strip()))
    if not found:
        raise Skip("no pytest")
    return found


@case
def a_project_and_its_environment_below_home(b):
    """Everything lies below HOME: the project, the virtual environment, a user's site."""
    for python, site in with_pytest(b)[:2]:
        h = Home(b)
        project, venv = h.home / "src" / "proj", h.home / "venvs" / "v"
        project.mkdir(parents=True)
        (project / "test_it.py").write_text(TEST)
        (project / "helper.py").write_text("TEXT = 'help'\n")
        b.run(python, "-m", "venv", "--without-pip", venv, shim=False)
        [packages] = venv.glob("lib/python3*/site-packages")
        (packages / "site.pth").write_text(site + "\n")
        before = {p for p in h.home.rglob("*") if "__pycache__" not in p.parts}
        argv = (venv / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                f"--basetemp={h.top}/bt")
        for page in (None, b.page(fs=f"private:{h.private}", pytest=1)):
            env = {"FD_FS": "real", "FD_PAGE": page} if page else {}
            got = h.run(*argv, cwd=project, **env)
            assert "1 passed" in got.stdout, got.stdout
            (h.private / "made").unlink()
        assert b.counters(page)["touched.fs"] >= 3
        after = {p for p in h.home.rglob("*") if "__pycache__" not in p.parts}
        assert after == before, after - before
        got = h.run(*argv, cwd=project, shim=False, status=1)
        assert "1 failed" in got.stdout


@case
def an_environment_that_the_test_makes(b):
    """What it installs lies in the private home, though its folders are named like packages."""
    h = Home(b)
    text = """
import subprocess, sys, os, pathlib
home = pathlib.Path.home()
subprocess.run([sys.executable, '-m', 'venv', '--without-pip', home / 'v'], check=True)
[site] = (home / 'v').glob('lib/python3*/site-packages')
(site / 'mine.py').write_text('X = 1')
out = subprocess.run([home / 'v/bin/python', '-c', 'import mine, sys; print(mine.X, sys.prefix)'],
                     capture_output=True, text=True)
assert out.stdout.split() == ['1', str(home / 'v')], out
"""
    for python in pythons(b)[:3]:
        h = Home(b)
        h.run(python, "-c", text)
        assert h.untouched() and (h.private / "v" / "pyvenv.cfg").exists()


@case
def a_users_own_packages_stay(b):
    h = Home(b)
    version = b.out(b.python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
    site = h.home / ".local" / "lib" / f"python{version}" / "site-packages"
    site.mkdir(parents=True)
    (site / "users_own.py").write_text("X = 7\n")
    got = h.out(b.python, "-c", "import users_own, os; print(users_own.X, os.path.exists(os.path.expanduser('~/old')))")
    assert got == "7 False\n", got


@case
def touches_are_counted_held_or_not(b):
    h = Home(b)
    (h.home / "proj").mkdir()
    (h.home / "proj" / "x").write_text("")
    looks = "import os\nfor _ in range(100): os.path.exists(os.path.expanduser('{}'))"
    for held in ({}, {"fs": f"private:{h.private}"}):
        for name, least, most in (("~/old", 100, 130), ("~/none", 100, 130), ("~", 0, 30),
                                  ("~/proj/x", 0, 30), ("/etc", 0, 30)):
            page = b.page(newer=time.time_ns(), **held)
            h.code(looks.format(name), cwd=h.home / "proj", FD_FS="real", FD_PAGE=page)
            assert least <= b.counters(page)["touched.fs"] <= most, (held, name)
    page = b.page(witness=1, pytest=0)
    script = h.project / "look.py"
    script.write_text("import os\nos.path.exists(os.path.expanduser('~/old'))\n")
    h.run(b.python, script, FD_FS="real", FD_PAGE=page)


@case
def what_a_watched_run_reads_of_home_and_tmp(b):
    import time
    h = Home(b)
    (h.home / "proj").mkdir()
    (h.home / "proj" / "x").write_text("")
    for name in ("opened", "asked", "listed/x", "linked", "entered/x", "run", "mapped"):
        (h.home / name).parent.mkdir(exist_ok=True)
        (h.home / name).write_text("")
    (h.home / "link").symlink_to("linked")
    shutil.copy("/bin/true", h.home / "run")
    tmp = pathlib.Path("/tmp") / f"fd-before-{os.getpid()}"
    tmp.write_text("")
    time.sleep(0.02)
    newer = time.time_ns()
    time.sleep(0.02)
    text = """
import os, subprocess, sys
home, tmp = os.path.expanduser('~'), sys.argv[1]
os.chdir('/')
os.path.exists(home); os.path.exists('/tmp'); os.path.exists('/tmp/none'); os.path.exists(home + '/none')
os.path.exists(home + '/proj/x'); os.path.exists('/etc/passwd')
open(home + '/new', 'w'); os.path.exists(home + '/new'); os.mkdir(home + '/made'); os.listdir(home + '/made')
open('/tmp/new' + str(os.getpid()), 'w').close(); os.unlink('/tmp/new' + str(os.getpid()))
open(home + '/opened'); open(home + '/opened'); os.access(home + '/asked', 0); os.listdir(home + '/listed')
os.readlink(home + '/link'); os.chdir(home + '/entered'); open('x'); os.path.exists(tmp)
subprocess.run([home + '/run'])
"""
    try:
        page = b.page(watch=1, newer=newer)
        h.code(text, tmp, cwd=h.home / "proj", FD_FS="real", FD_PAGE=page)
        got = b.counters(page)
        want = [f"{h.home}/{n}" for n in ("opened", "asked", "listed", "link", "entered", "entered/x")]
        assert got["paths"] == want + [str(tmp), f"{h.home}/run"], got["paths"]
        assert got["needs"] == {"home": f"{h.home}/opened", "tmp": str(tmp)}, got["needs"]
        for more in ({"watch": 0}, {"watch": 1, "fs": f"private:{h.private}"}):
            page = b.page(newer=newer, **more)
            h.code(text, h.project, cwd=h.home / "proj", FD_FS="real", FD_PAGE=page, status=None)
            assert b.counters(page)["needs"] == {}, more
        (h.home / "new").unlink()
        (h.home / "made").rmdir()
        page = b.page(watch=1, newer=1)  # nothing is that old
        h.code(text, tmp, cwd=h.home / "proj", FD_FS="real", FD_PAGE=page)
        assert b.counters(page)["needs"] == {} and b.counters(page)["paths"] == []
    finally:
        tmp.unlink()


@case
def more_paths_than_the_page_holds(b):
    h = Home(b)
    for i in range(40):
        (h.home / f"f{i:02}").write_text("")
    page = b.page(watch=1, newer=1 << 62)
    text = """
import os, threading
def look(): [os.path.exists(os.path.expanduser(f'~/f{i:02}')) for i in range(40) for _ in range(3)]
for _ in range(2):
    if not os.fork(): look(); os._exit(0)
ts = [threading.Thread(target=look) for _ in range(3)]
[t.start() for t in ts]; [t.join() for t in ts]; os.wait(); os.wait()
"""
    h.code(text, FD_FS="real", FD_PAGE=page)
    got = b.counters(page)["paths"]
    assert len(got) == 32 and all(p.startswith(str(h.home)) and len(p) == len(got[0]) for p in got), got
    assert len(set(got)) >= 28, got  # a race may note one twice


@case
def programs_that_a_watched_run_starts(b):
    static = compile_c(b, "watched_static", "int main(void){return 0;}", "-static")
    small = b.dir / "watched_small"
    small.write_bytes(b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x02\x00\x03\x00" + bytes(60))
    other = b.dir / "watched_other"
    other.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xf3\x00" + bytes(60))
    for p in (small, other):
        p.chmod(0o755)
    privileged = need("su")
    for program, want in ((static, {"unwatched": str(static)}), (small, {"foreign": str(small)}),
                          (other, {"foreign": str(other)}), ("/bin/true", {})):
        for how in ("execv", "posix_spawn", "system", "popen"):
            page = b.page(watch=1, newer=1)
            b.run(b.probe("probe_start"), how, program, FD_PAGE=page, status=None)
            assert b.counters(page)["needs"] == want, (how, program, b.counters(page)["needs"])
    if os.getuid() == 0:
        return  # nobody gains rights
    page = b.page(watch=1, newer=1)
    b.run(b.probe("probe_start"), "execv", privileged, "--version", FD_PAGE=page, status=None)
    assert b.counters(page)["needs"] == {"privileged": privileged}


@case
def a_program_that_is_not_covered_is_told(b):
    h = Home(b)
    p = compile_c(b, "still_home", "int main(void){return 0;}", "-static")
    got = h.run("/bin/sh", "-c", f"{p}; exit $?")
    assert got.stderr == (f"libfd: {p} (static executable) is not covered; real there: the"
                          " files of HOME\n"), got.stderr
    got = h.run("/bin/sh", "-c", f"{p}; exit $?", FD_RNG=1)
    assert got.stderr == (f"libfd: {p} (static executable) is not covered; real there: time"
                          " and randomness, the files of HOME\n"), got.stderr


@case
def the_order_of_directories_in_a_private_home(b):
    text = """
import glob, os
home = os.path.expanduser('~')
for name in 'bcade': os.makedirs(home + '/d/' + name)
print(*os.listdir(home + '/d'), *[os.path.basename(p) for p in glob.iglob(home + '/d/*')])
"""
    for order, want in (("sorted", "a b c d e"), ("reverse", "e d c b a")):
        h = Home(b)
        assert h.code(text, FD_LISTING=order) == f"{want} {want}\n", order
        h = Home(b)
        assert h.out(b.probe("probe_path"), "main", h.home, h.private, FD_LISTING=order) == "", order
        assert h.untouched()


@case
def hooks_of_paths_are_cheap(b):
    """Over functions below us that do nothing, so that the hook is all there is."""
    stub = compile_c(b, "libstub.so", """
#include <sys/stat.h>
int stat(const char *p, struct stat *s) { return 0; }
int access(const char *p, int m) { return 0; }
int open(const char *p, int f, ...) { return 5; }
""", "-shared", "-fPIC", "-O2")
    p = compile_c(b, "path_cost", """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(1, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
#define BEST(call) do { double best = 1e9; for (int k = 0; k < 300; k++) { \
    double a = now(); for (int i = 0; i < 1000; i++) call; \
    a = (now() - a) / 1000; best = a < best ? a : best; } printf("%f ", best); } while (0)
int main(int c, char **v) {
    struct stat s;
    BEST(stat(v[1], &s)); BEST(access(v[1], 0)); BEST(open(v[1], 0));
    return 0;
}
""", "-O2", "-fno-builtin")

    def cost(lib, path="/usr/lib/x86_64-linux-gnu/libc.so.6", **env):
        full = {k: v for k, v in os.environ.items() if not k.startswith(("FD_", "LD_"))}
        full.update({k: str(v) for k, v in env.items()}, LD_PRELOAD=":".join(lib))
        runs = [subprocess.run([p, path], env=full, capture_output=True, text=True, check=True,
                               cwd="/tmp").stdout.split() for _ in range(3)]
        return [min(map(float, column)) for column in zip(*runs)]

    h = Home(b)
    bare, idle = cost([str(stub)]), cost([b.lib, str(stub)])
    time_held = cost([b.lib, str(stub)], FD_RNG=1)
    paged = cost([b.lib, str(stub)], FD_PAGE=b.page(), HOME=h.home)
    private = cost([b.lib, str(stub)], HOME=h.home, FD_FS=f"private:{h.private}")
    print("stat access open, ns:", bare, idle, time_held, paged, private)
    for other in (idle, time_held):  # open also looks for zone files and devices
        assert all(x - y < 10 for x, y in zip(other[:2], bare)), (bare, other)
    assert all(x - y < 120 for x, y in zip(paged[:2] + private[:2], bare * 2)), (paged, private)


@case
def sockets_below_a_private_home(b):
    h = Home(b)
    text = """
import os, socket, sys
path = os.path.expanduser('~/s')
server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen()
client = socket.socket(socket.AF_UNIX); client.connect(path)
server.accept()[0].send(b'hello'); assert client.recv(9) == b'hello'
box = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); box.bind(path + 'd')
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', path + 'd'); assert box.recv(9) == b'x'
if os.fork() == 0:
    socket.socket(socket.AF_UNIX).connect(path); os._exit(7)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
try:
    socket.socket(socket.AF_UNIX).connect(path + 'x' * 60)
except OSError as e:
    print(e.errno == __import__('errno').ENOENT or e.strerror)
print(os.path.exists(path), sorted(os.listdir(os.path.expanduser('~'))))
"""
    assert h.code(text).endswith("True ['s', 'sd']\n")
    assert sorted(p.name for p in h.private.iterdir()) == ["s", "sd"] and h.untouched()
    assert h.code(text, shim=False).endswith("True ['old', 's', 'sd']\n"), "the negative twin"


if __name__ == "__main__":
    main()
