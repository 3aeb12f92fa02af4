"""Trials live in a sandbox that does not change the question: what they leave, and what is let go
where the watched run needed it."""
import glob
import json
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import time

from world import check, main, skip

USER = "nobody"
REFUSE = pathlib.Path("faults", "refuse")  # beside the tools of plugin/
SIDE_EFFECTS = """
import os, pathlib
def test_x():
    home = pathlib.Path.home()
    with open(home / ".history", "a") as f:
        f.write("x\\n")
    (home / ".cache").mkdir(exist_ok=True)
    pathlib.Path("export.txt").write_text("x")
    pathlib.Path("/tmp/{tmp}").write_text("x")
    with open("{outside}/namespaces", "a") as f:
        f.write(os.readlink("/proc/self/ns/mnt") + "\\n" + os.readlink("/proc/self/ns/net") + "\\n")
    assert (home / ".history").read_text().splitlines()[-1] == "x"
"""
FACTS = """
import json, os, pathlib, tempfile
def test_x(tmp_path):
    status = dict(line.split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
    facts = {{"HOME": os.environ["HOME"], "TMPDIR": os.environ.get("TMPDIR"),
             "temp": tempfile.gettempdir(), "tmp_path": str(tmp_path), "cwd": os.getcwd(),
             "home": sorted(os.listdir(os.environ["HOME"])), "tmp": sorted(os.listdir("/tmp")),
             "interfaces": sorted(os.listdir("/proc/self/net/dev_snmp6")),
             "net": os.readlink("/proc/self/ns/net"), "mnt": os.readlink("/proc/self/ns/mnt"),
             "user": os.readlink("/proc/self/ns/user"), "uid": os.getuid(),
             "caps": int(status["CapEff"], 16), "bound": int(status["CapBnd"], 16),
             "nnp": int(status["NoNewPrivs"]), "seccomp": int(status["Seccomp"])}}
    with open("{outside}/facts", "a") as f:
        f.write(json.dumps(facts) + "\\n")
"""
KEPT = sum(1 << n for n in (0, 1, 3, 4, 5, 6, 7, 10))  # chown … net_bind_service
HASH = """
def test_x():
{body}
    assert list({{"a", "b", "c", "d", "e"}})[0] in "abc"
"""


def hash_test(*lines):
    return HASH.format(body="\n".join("    " + line for line in lines))


def as_user(w):
    """From here on the program runs as an ordinary user, the world's folders its own."""
    if os.geteuid() != 0:
        return
    user = pwd.getpwnam(USER)
    python = "/usr/bin/python3"
    seen = subprocess.run(["setpriv", "--reuid", USER, "--regid", str(user.pw_gid), "--clear-groups",
                           "sh", "-c", f"test -x '{w.program}' && test -r '{w.lib}' && "
                           f"test -r '{w.plugin}' && {python} -m pytest --version"],
                          capture_output=True, text=True)
    if seen.returncode:
        skip(f"{USER} can reach neither the program nor a pytest: {seen.stderr[-200:]}")
    for path in (w.folder, *w.folder.rglob("*")):
        os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)
    w.python = python
    w.program = ["setpriv", "--reuid", USER, "--regid", str(user.pw_gid), "--clear-groups",
                 w.program]
    plain = w.words
    w.words = lambda *a, **k: [*w.program, *plain(*a, **k)[1:]]


def under(w, what):
    """From here on the program runs in a system that refuses something."""
    refuse = pathlib.Path(w.options.tool).parents[1] / REFUSE
    if not refuse.exists():
        skip("the tool `refuse` was not built")
    plain = w.words
    w.words = lambda *a, **k: [str(refuse), what, "--", *plain(*a, **k)]


# A trial that holds another HOME, say, or counts descriptors, tells nothing of the sandbox.
AXES = "address,hashseed,rng,listing,time,fs,network"


def diagnose(w, target="test_a.py", budget=60, axes=AXES, **how):
    path = w.folder / f"report{time.monotonic_ns()}.json"
    # What these tests write, connect to and start tells what they live in: it is not to hold them.
    r = w.run(target, "--format", "json", "--allow-side-effects", "--axes", axes,
              "--log", "none", budget=budget, **how)
    try:
        report = json.loads(r.out)
    except ValueError:
        check(False, "no report", r)
    report["layers"] = " · ".join(report["env"]["layers"])
    return report


def is_named(report, verdict, *words):
    check(report["verdict"] == verdict, report["verdict"], report)
    for word in words:
        check(word in report["layers"], word, report["layers"])


def in_tmp(w):
    return pathlib.Path(f"/tmp/left-{w.folder.name}")


def write_side_effects(w):
    w.write("test_a.py", SIDE_EFFECTS.format(tmp=in_tmp(w).name, outside=w.outside))


def left(w):
    found = [str(p.relative_to(w.home)) for p in w.home.rglob("*")]
    found += [p.name for p in w.project.iterdir() if p.name not in ("test_a.py", "__pycache__")]
    return found + [str(p) for p in (in_tmp(w),) if p.exists()]


def mounts():
    return pathlib.Path("/proc/self/mountinfo").read_text()


def dwellers(w, were):
    """Processes that stand in our folders, in one of these namespaces. (A namespace's number is
    given to another as soon as it is free.)"""
    found = []
    for process in glob.glob("/proc/[0-9]*"):
        try:
            there = {os.readlink(f"{process}/ns/{kind}") for kind in ("mnt", "net")}
            if there & were and str(w.folder) in os.readlink(f"{process}/cwd"):
                found.append(process)
        except OSError:
            pass
    return found


def nothing_is_left(w):
    before = mounts()
    write_side_effects(w)
    report = diagnose(w, budget=8)
    is_named(report, report["verdict"], "HOME copy-on-write", "project copy-on-write", "/tmp private",
             "network cut off", "rights dropped")
    check(report["baseline"]["failed"] == 0 and report["baseline"]["runs"] >= 8, report)
    check(not left(w), left(w))
    w.check_clean()
    check(mounts() == before, "mounts", mounts())
    were = set((w.outside / "namespaces").read_text().split())
    own = {os.readlink(f"/proc/self/ns/{kind}") for kind in ("mnt", "net")}
    # The watched run alone shares the network: what it needs of it has to be seen.
    check(len(were) > 4 and len(were & own) <= 1, "trials lived in namespaces of their own", were)
    check(not dwellers(w, were - own), "namespaces are left", dwellers(w, were - own))


def facts(w, **how):
    """What trials found around them: the watched run first, then the others."""
    (w.home / ".was-there").write_text("x")
    os.utime(w.home / ".was-there", (1, 1))
    w.write("test_a.py", FACTS.format(outside=w.outside))
    report = diagnose(w, budget=6, axes="address,hashseed,rng,listing,time", **how)
    rows = [json.loads(line) for line in (w.outside / "facts").read_text().splitlines()]
    check(len(rows) > 10, report)
    return report, rows[0], rows[1:]


def every_trial_lives_in_it(w, root):
    report, first, trials = facts(w)
    own = {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "mnt", "user")}
    check(first["net"] == own["net"] and first["mnt"] != own["mnt"] and first["nnp"] == 0,
          "the watched run has the network and its rights", first)
    for t in trials:
        check(t["mnt"] != own["mnt"] and t["net"] != own["net"], t)
        check((t["user"] == own["user"]) == root, t)
        check(t["uid"] == first["uid"] and t["cwd"] == str(w.project), t)
        check(t["HOME"] == str(w.home) and ".was-there" in t["home"], t)
        check(set(t["interfaces"]) <= {"lo"}, t)
        check(t["nnp"] == 1 and t["seccomp"] == 2, t)
        check(t["caps"] & ~KEPT == 0 and (not root or t["bound"] & ~KEPT == 0), hex(t["caps"]), t)
        check(not root or t["caps"] == KEPT, hex(t["caps"]))
        # In a /tmp of its own there is the way to our folders, which lie there in this test.
        check(t["tmp"] == [w.folder.name], t["tmp"])
    return report


def case_what_trials_find(w):
    if os.geteuid() != 0:
        skip("for an ordinary user there is a case of its own")
    every_trial_lives_in_it(w, root=True)


def case_what_trials_of_an_ordinary_user_find(w):
    w.write("test_a.py", "")
    as_user(w)
    every_trial_lives_in_it(w, root=False)


def nothing_but_folders(w, what):
    """Without namespaces: HOME, TMPDIR and --basetemp are set, nothing else."""
    under(w, what)
    report, first, trials = facts(w)
    own = {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "mnt", "user")}
    for t in [first, *trials]:
        check(all(t[kind] == own[kind] for kind in own), t)
        check(t["HOME"] != str(w.home) and t["home"] == [], t)
        check(t["TMPDIR"] and t["TMPDIR"] != str(w.tmp) and t["temp"] == t["TMPDIR"], t)
        check(t["tmp_path"].startswith(str(w.tmp)) and "/t/" in t["tmp_path"], t)
        check(t["caps"] == first["caps"] and t["cwd"] == str(w.project), t)
        check(t["seccomp"] == first["seccomp"], "no filter of ours", t)
    if os.geteuid() == 0 and not isinstance(w.program, list):
        check(first["caps"] & ~KEPT, "root keeps its rights", hex(first["caps"]))


def case_without_namespaces_only_folders_are_set(w):
    nothing_but_folders(w, "unshare")


def case_without_a_uid_map_only_folders_are_set(w):
    w.write("test_a.py", "")
    as_user(w)
    nothing_but_folders(w, "uid_map")


def case_nothing_is_left(w):
    nothing_is_left(w)


def case_nothing_is_left_by_an_ordinary_user(w):
    w.write("test_a.py", "")
    as_user(w)
    nothing_is_left(w)


def case_without_the_sandbox_it_is_left(w):
    """The negative twin: what the cases above look for is there to be seen."""
    write_side_effects(w)
    try:
        is_named(diagnose(w, budget=1, env={"FLAKY_REPRO_SANDBOX": "off"}), "incomplete",
                 "no sandbox, as asked")
        check(set(left(w)) == {".history", ".cache", "export.txt", str(in_tmp(w))}, left(w))
    finally:
        in_tmp(w).unlink(missing_ok=True)


def refused(w, what):
    under(w, what)
    write_side_effects(w)
    try:
        report = diagnose(w, budget=8)
        is_named(report, report["verdict"], "no namespaces (", "HOME empty", "TMPDIR empty")
        check(report["baseline"]["failed"] == 0 and report["baseline"]["runs"] >= 8, report)
        check(not [p for p in left(w) if p not in ("export.txt", str(in_tmp(w)))], left(w))
        w.write("test_a.py", hash_test("pass"))
        is_named(diagnose(w), "flaky-hashseed", "no namespaces (")
    finally:
        in_tmp(w).unlink(missing_ok=True)


def case_namespaces_refused(w):
    refused(w, "unshare")


def case_namespaces_refused_to_an_ordinary_user(w):
    w.write("test_a.py", "")
    as_user(w)
    refused(w, "unshare")


def case_uid_map_refused(w):
    w.write("test_a.py", "")
    as_user(w)
    refused(w, "uid_map")


def case_degraded_home_is_let_go_where_it_is_read(w):
    under(w, "unshare")
    (w.home / ".shop.ini").write_text("currency = EUR\n")
    w.write("test_a.py", hash_test("import pathlib",
                                   "assert 'EUR' in (pathlib.Path.home() / '.shop.ini').read_text()"))
    is_named(diagnose(w), "flaky-hashseed", "HOME as it is (it reads ", ".shop.ini)")


def case_a_file_in_home(w):
    (w.home / ".shop.ini").write_text("currency = EUR\n")
    w.write("test_a.py", hash_test("import pathlib",
                                   "assert 'EUR' in (pathlib.Path.home() / '.shop.ini').read_text()"))
    inside = diagnose(w)
    is_named(inside, "flaky-hashseed", "what HOME holds can be read (it reads ", ".shop.ini)")
    outside = diagnose(w, env={"FLAKY_REPRO_SANDBOX": "off"})
    check(outside["verdict"] == inside["verdict"], outside)


def case_a_file_in_home_is_a_requirement(w):
    (w.home / ".shop.ini").write_text("currency = EUR\n")
    w.write("test_a.py", "import pathlib\n\ndef test_x():\n"
                         "    assert 'EUR' in (pathlib.Path.home() / '.shop.ini').read_text()\n")
    report = diagnose(w, budget=60)
    is_named(report, "not-flaky")
    check([r["axis"] for r in report["requirements"]] == ["fs"], report["requirements"])
    check(report["requirements"][0]["exception"] == "FileNotFoundError", report["requirements"])


def case_a_file_in_tmp(w):
    note = pathlib.Path(f"/tmp/fr-test-{os.getpid()}")
    note.write_text("x")
    os.utime(note, (1, 1))
    try:
        w.write("test_a.py", hash_test(f"assert open({str(note)!r}).read() == 'x'",
                                       f"open({str(note)!r}, 'a').write('')"))
        is_named(diagnose(w), "flaky-hashseed", "/tmp copy-on-write", "what /tmp holds can be read")
    finally:
        note.unlink()


def case_a_virtualenv_in_home(w):
    venv = w.home / "envs" / "shop"
    made = subprocess.run([w.python, "-m", "venv", "--system-site-packages", str(venv)],
                          capture_output=True, text=True)
    if made.returncode:
        skip(f"no venv: {made.stdout[-200:]}{made.stderr[-200:]}")
    w.write("test_a.py", hash_test("import sys", f"assert sys.prefix == {str(venv)!r}"))
    report = diagnose(w, python=venv / "bin" / "python")
    is_named(report, "flaky-hashseed", "HOME copy-on-write")
    check("HOME holds" not in report["layers"], "its own interpreter is no need", report["layers"])


def case_a_module_of_the_user_site(w):
    version = subprocess.run([w.python, "-c", "import sys; print('python%d.%d' % sys.version_info[:2])"],
                             capture_output=True, text=True, check=True).stdout.strip()
    site = w.home / ".local" / "lib" / version / "site-packages"
    site.mkdir(parents=True)
    (site / "shopkit.py").write_text("RATE = 5\n")
    w.write("test_a.py", "import shopkit\n" + hash_test("assert shopkit.RATE == 5"))
    is_named(diagnose(w), "flaky-hashseed")
    under(w, "unshare")
    is_named(diagnose(w), "flaky-hashseed", "no namespaces (")


def case_a_project_in_home(w):
    project = w.home / "src" / "shop"
    project.mkdir(parents=True)
    (project / "test_a.py").write_text(
        hash_test("import pathlib", "assert pathlib.Path.cwd().parent.parent == pathlib.Path.home()",
                  "pathlib.Path('made.txt').write_text('x')"))
    report = diagnose(w, cwd=project)
    is_named(report, "flaky-hashseed", "HOME copy-on-write")
    check("HOME holds" not in report["layers"], report["layers"])
    check(not (project / "made.txt").exists(), "the project was written to")


def case_a_checkout_of_another_user(w):
    if os.geteuid() != 0:
        skip("only root has files of two users")
    w.write("test_a.py", hash_test("import pathlib", "pathlib.Path('made.txt').write_text('x')"))
    as_user(w)
    for path in (w.project, w.project / "test_a.py"):
        os.chown(path, 0, 0)
    w.project.chmod(0o777)
    report = diagnose(w)
    is_named(report, "flaky-hashseed", "the project as it is (some of ")


def case_root_over_a_checkout_of_another_user(w):
    if os.geteuid() != 0:
        skip("only root has files of two users")
    w.write("test_a.py", hash_test("import pathlib", "pathlib.Path('made.txt').write_text('x')"))
    for path in (w.project, w.project / "test_a.py"):
        os.chown(path, 12345, 12345)
    is_named(diagnose(w), "flaky-hashseed", "project copy-on-write")
    check(not (w.project / "made.txt").exists(), "the project was written to")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Postgres:
    """Debian's PostgreSQL, in a folder of its own. It refuses to be root's."""

    def __init__(self, folder):
        binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not binaries or not shutil.which("psql"):
            skip("PostgreSQL is not installed (apt-get install postgresql)")
        self.bin, self.port, self.folder = binaries[-1], free_port(), folder
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")

    def run(self, *words):
        user = ["setpriv", f"--reuid={self.user}", "--clear-groups"] if os.geteuid() == 0 else []
        done = subprocess.run([*user, *words], capture_output=True, text=True, cwd="/",
                              env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, timeout=60)
        check(done.returncode == 0, words, done.stdout, done.stderr)

    def __enter__(self):
        self.run(f"{self.bin}/initdb", "-D", f"{self.folder}/db", "-A", "trust", "-U", "shop")
        self.run(f"{self.bin}/pg_ctl", "-D", f"{self.folder}/db", "-w", "-l", f"{self.folder}/log",
                 "-o", f"-p {self.port} -k {self.folder} -c fsync=off", "start")
        return self

    def __exit__(self, *ignored):
        self.run(f"{self.bin}/pg_ctl", "-D", f"{self.folder}/db", "-w", "-m", "immediate", "stop")


def database_test(where, port):
    return hash_test(
        "import subprocess",
        f"rows = subprocess.run(['psql', '-h', {where!r}, '-p', '{port}', '-U', 'shop', '-Atc',",
        "                       'select 6 * 7', 'postgres'], capture_output=True, text=True)",
        "assert rows.stdout == '42\\n', rows")


def case_postgres_on_localhost(w):
    w.folder.chmod(0o755)
    with Postgres(w.folder / "pg") as db:
        w.write("test_a.py", database_test("127.0.0.1", db.port))
        inside = diagnose(w, budget=60)
        is_named(inside, "flaky-hashseed", f"the network as it is (it uses 127.0.0.1:{db.port})")
        outside = diagnose(w, budget=60, env={"FLAKY_REPRO_SANDBOX": "off"})
        check(outside["verdict"] == inside["verdict"], outside)


def case_postgres_by_its_socket(w):
    """The socket lies below /tmp, where trials see a copy: a copy of a socket leads nowhere."""
    w.folder.chmod(0o755)
    with Postgres(w.folder / "pg") as db:
        w.write("test_a.py", database_test(str(db.folder), db.port))
        is_named(diagnose(w, budget=60), "flaky-hashseed",
                 f"{db.folder} as it is (it connects to {db.folder}/.s.PGSQL.{db.port})")


def case_a_server_of_the_test_s_own_is_no_need(w):
    w.write("test_a.py", hash_test(
        "import http.server, threading, urllib.request",
        "server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)",
        "threading.Thread(target=server.serve_forever, daemon=True).start()",
        "url = 'http://127.0.0.1:%d/' % server.server_port",
        "assert urllib.request.urlopen(url).status == 200",
        "server.shutdown()"))
    is_named(diagnose(w, budget=60), "flaky-hashseed", "network cut off")


def case_another_machine_is_reached_for(w):
    """The name is of the kind that never exists: looking it up is enough."""
    w.write("test_a.py", hash_test(
        "import socket",
        "try: socket.getaddrinfo('shop.invalid', 80)",
        "except OSError: pass"))
    is_named(diagnose(w, budget=60), "flaky-hashseed",
             "the network as it is (it reaches for shop.invalid")


def case_a_rename_between_folders(w):
    """Between two folders that are shown copy-on-write the kernel renames nothing."""
    w.write("test_a.py", hash_test("import os, tempfile",
                                   "fd, path = tempfile.mkstemp(dir='/tmp'); os.close(fd)",
                                   "os.replace(path, 'out.json')"))
    is_named(diagnose(w, budget=60), "flaky-hashseed",
             "files as they are (in a copy it fails: [Errno 18] Invalid cross-device link)")


def case_files_that_are_real_are_not_shared(w):
    """Trials that write the same real file come one at a time."""
    w.write("test_a.py", "import os, pathlib, time\n\ndef test_x():\n"
                         "    p = pathlib.Path('once')\n    p.touch(exist_ok=False)\n"
                         "    time.sleep(.02)\n    p.unlink()\n")
    report = diagnose(w, budget=15, env={"FLAKY_REPRO_SANDBOX": "off"})
    check(report["baseline"]["failed"] == 0 and report["baseline"]["runs"] > 20, report["baseline"])


def case_layers_refused(w):
    under(w, "overlay")
    w.write("test_a.py", hash_test("pass"))
    is_named(diagnose(w), "flaky-hashseed", "no namespaces (layers over ", "HOME empty")


def case_tmp_as_home(w):
    w.write("test_a.py", hash_test("pass"))
    report = diagnose(w, env={"HOME": "/tmp"})
    is_named(report, "flaky-hashseed", "HOME copy-on-write", "/tmp copy-on-write")


class Server:
    """Listens at a path, and answers as long as it lives."""

    def __init__(self, path):
        path.parent.mkdir(exist_ok=True)
        code = ("import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\n"
                "s.listen(50)\nprint('up', flush=True)\nwhile True:\n"
                "    s.accept()[0].sendall(b'hello')\n")
        self.process = subprocess.Popen([sys.executable, "-c", code, str(path)],
                                        stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.process.kill()
        self.process.wait()


def case_a_socket_by_a_relative_path(w):
    w.write("test_a.py", hash_test("import socket", "s = socket.socket(socket.AF_UNIX)",
                                   "s.connect('run/s')", "assert s.recv(9) == b'hello'"))
    with Server(w.project / "run" / "s"):
        is_named(diagnose(w, budget=60), "flaky-hashseed",
                 f"{w.project}/run as it is (it connects to {w.project}/run/s)")


def case_a_project_kept_for_its_socket_is_not_shared(w):
    """It is the real one for every trial, wherever it lies: trials come one at a time."""
    w.write("test_a.py", "import os, pathlib, socket, time\n\ndef test_x():\n"
                         "    s = socket.socket(socket.AF_UNIX)\n    s.connect('s')\n    s.recv(9)\n"
                         "    p = pathlib.Path('once')\n    p.touch(exist_ok=False)\n"
                         "    time.sleep(.02)\n    p.unlink()\n")
    with Server(w.project / "s"):
        report = diagnose(w, budget=15)
    check(f"{w.project} as it is" in report["layers"], report["layers"])
    check(report["baseline"]["failed"] == 0 and report["baseline"]["runs"] > 20, report["baseline"])


def case_a_socket_in_a_home_that_is_a_link(w):
    link = w.folder / "link"
    link.symlink_to(w.home)
    w.write("test_a.py", hash_test("import os, socket", "s = socket.socket(socket.AF_UNIX)",
                                   "s.connect(os.path.realpath(os.path.expanduser('~/run/s')))",
                                   "assert s.recv(9) == b'hello'"))
    with Server(w.home / "run" / "s"):
        is_named(diagnose(w, budget=60, env={"HOME": link}), "flaky-hashseed", "(it connects to ")


def own_address():
    """One of this machine's that is not loopback; a blocked network does not reach it either."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))  # sends nothing: it asks for the way
            return s.getsockname()[0]
        except OSError:
            skip("this machine has no address but loopback")


def case_a_test_that_needs_the_network(w):
    w.write("test_a.py", "import socket\n\ndef test_x():\n"
                         "    server = socket.create_server(('0.0.0.0', 0))\n"
                         f"    at = ({own_address()!r}, server.getsockname()[1])\n"
                         "    socket.create_connection(at, timeout=5).close()\n")
    report = diagnose(w, budget=60)
    is_named(report, "flaky-network", "the network as it is (it reaches for ")
    check(report["claim"] == "latent" and report["cause"][0]["value"] == "block", report["cause"])
    check("FD_NET=block" in report["repro"]["command"], report["repro"])
    check(report["failure"]["exception"] == "OSError", report["failure"])


def case_what_only_works_outside_is_let_go(w):
    """A right that no hook sees being used: trials differ from the first run until it is back."""
    if os.geteuid() != 0:
        skip("only root has rights to lose")
    w.write("test_a.py", hash_test("import os", "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))",
                                   "os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))"))
    report = diagnose(w, budget=60)
    is_named(report, "flaky-hashseed",
             "rights and system calls as they are (trials differ from the first run otherwise)")


def case_a_privileged_program_is_started(w):
    """Nobody gains rights inside a user namespace, so an ordinary user's trials live in none."""
    su = shutil.which("mount")
    if not su or not os.stat(su).st_mode & 0o4000:
        skip("no set-uid program here")
    w.write("test_a.py", hash_test("import subprocess",
                                   f"subprocess.run([{su!r}, '--version'], check=True)"))
    as_user(w)
    report = diagnose(w)
    is_named(report, "flaky-hashseed", f"(it starts {su})")


def case_two_at_once(w):
    """Two diagnoses of one project do not meet."""
    w.write("test_a.py", hash_test("import pathlib", "p = pathlib.Path('once.txt')",
                                   "assert not p.exists()", "p.write_text('x')"))
    both = [w.start("test_a.py", "--format", "json", budget=150) for _ in range(2)]
    for p in both:
        out, err = p.communicate(timeout=240)
        report = json.loads(out)
        check(report["verdict"] == "flaky-hashseed", report["verdict"], err)
    check(not (w.project / "once.txt").exists(), "the project was written to")


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    main(globals())
