"""Files that are there by chance, what an earlier run left, streams that come in pieces, ports that
are taken: found where a test depends on them, held against nobody who copes."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main  # noqa: E402


def diagnosed(w, target, axis, budget=110):
    path = w.folder / "o.json"
    r = w.run(target, "--json", path, "--axes", axis, budget=budget, timeout=200)
    check(path.exists(), r)
    return r, json.loads(path.read_text(encoding="utf-8"))


def fails_as_printed(w, found, exception):
    command = found["repro"]["command"]
    for _ in range(2):  # on the tree that the one before leaves, too
        done = subprocess.run(["sh", "-c", command], cwd=w.project, env=w.env(),
                              capture_output=True)
        check(done.returncode == 1 and exception.encode() in done.stdout, command, done.stdout,
              done.stderr)


def blames(w, target, axis, value, exception, line):
    r, found = diagnosed(w, target, axis)
    check(found["verdict"] == f"flaky-{axis}", r)
    cause = found["cause"][0]
    check(cause["value"] == value, value, r)
    check(found["verify"]["failed"] == found["verify"]["runs"], r)
    check(any(line in f"{s['file']}:{s['line']}" for s in cause["witness"]), cause, r)
    fails_as_printed(w, found, exception)


def clears(w, target, axis):
    r, found = diagnosed(w, target, axis)
    check(found["verdict"] == "not-flaky" and not found["cause"], r)
    return found


STATION = '''
import socket, struct, threading

def serve(server, parts):
    caller, _ = server.accept()
    with caller:
        caller.recv(1)
        for part in parts:
            caller.sendall(part)

def station(parts, where):
    server = socket.socket(socket.AF_UNIX)
    server.bind(where)
    server.listen()
    threading.Thread(target=serve, args=(server, parts), daemon=True).start()

def ask(where):
    caller = socket.socket(socket.AF_UNIX)
    caller.settimeout(5)
    caller.connect(where)
    caller.sendall(b"?")
    return caller
'''


def case_one_receive_for_two_sends_over_unix_sockets(w):  # campaign
    w.write("station.py", STATION)
    w.write("test_a.py", '''
from station import ask, station

def test_both_halves(tmp_path):
    where = str(tmp_path / "s")
    station([b"first ", b"second"], where)
    assert ask(where).recv(100) == b"first second"
''')
    blames(w, "test_a.py::test_both_halves", "network", "segment", "AssertionError", "test_a.py:7")


def case_who_reads_on_copes(w):  # campaign
    """All of it, with pieces, without its own port or its own name, and a file that may be bad."""
    w.write("station.py", STATION)
    w.write("test_a.py", '''
import json, pathlib, socket
from station import ask, station

def settings():
    try:
        return json.loads(pathlib.Path("settings.json").read_text())
    except (OSError, ValueError):
        return {}

def server():
    for port in (18651, 0):
        try:
            return socket.create_server(("127.0.0.1", port))
        except OSError:
            pass

def test_all(tmp_path):
    assert settings() == {}
    server().close()
    where = str(tmp_path / "s")
    station([b"first ", b"second"], where)
    caller, all = ask(where), b""
    while len(all) < 12:
        all += caller.recv(100)
    assert all == b"first second"
    note = tmp_path / "note"
    note.write_text("1")
    before = note.stat().st_mtime_ns
    note.write_text("2")
    assert note.stat().st_mtime_ns >= before
''')
    found = clears(w, "test_a.py::test_all", "network,fs")
    tried = {row["axis"] for row in found["evidence"]}
    check({"network", "fs"} <= tried, found["evidence"])


MENU = '''
import os

class Menu:
    stamp = None

    def __init__(self, path):
        self.path = path

    def dishes(self):
        with open(self.path) as file:
            stamp = %s
            if stamp != self.stamp:
                self.stamp, self.read = stamp, file.read()
        return self.read

def test_a_new_menu(tmp_path):
    path = tmp_path / "today"
    path.write_text("soup")
    menu = Menu(path)
    assert menu.dishes() == "soup"
    path.write_text("stew")
    assert menu.dishes() == "stew"
'''


def asks_for_times(w, expression, call):
    """Python asks for the state of each file that it opens: no line that only does that is named."""
    w.write("test_a.py", MENU % expression)
    r, found = diagnosed(w, "test_a.py", "fs")
    check(found["verdict"] == "flaky-fs" and found["cause"][0]["value"].startswith("mtime:"), r)
    lines = [(s["line"], s["call"]) for s in found["cause"][0]["witness"]]
    check(lines == [(12, call)], lines, r)


def case_the_line_that_asks_for_times(w):
    asks_for_times(w, "os.path.getmtime(self.path)", "stat")


def case_the_line_that_asks_for_times_of_an_open_file(w):  # campaign
    asks_for_times(w, "os.fstat(file.fileno()).st_mtime", "os.fstat")


def case_the_second_of_two_ports_is_taken(w):
    w.write("test_a.py", '''
import socket

def admin():
    try:
        return socket.create_server(("127.0.0.1", 18652))
    except OSError:
        return socket.create_server(("127.0.0.1", 0))

def test_two_servers():
    with admin(), socket.create_server(("127.0.0.1", 18653)):
        pass
''')
    blames(w, "test_a.py::test_two_servers", "network", "busy:18653", "OSError", "test_a.py:11")


def case_a_connection_that_breaks_off_is_a_requirement(w):  # campaign
    w.write("test_a.py", '''
import socket, threading

def serve(server):
    caller, _ = server.accept()
    for part in (b"ab", b"cd"):
        caller.sendall(part)
    caller.close()

def test_reads_all():
    server = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(server,), daemon=True).start()
    caller = socket.create_connection(server.getsockname(), timeout=5)
    assert b"".join(iter(lambda: caller.recv(2), b"")) == b"abcd"
''')
    found = clears(w, "test_a.py::test_reads_all", "network")
    check([r["value"] for r in found["requirements"]] == ["reset"], found["requirements"])


def case_a_file_that_is_read_at_import(w):  # campaign
    w.write("limits.py", '''
import pathlib

PATH = pathlib.Path(__file__).parent / "conf" / "limits.txt"
LINES = PATH.read_text().splitlines() if PATH.exists() else ["most 5"]
''')
    w.write("test_a.py", "from limits import LINES\n\ndef test_most():\n"
            "    assert LINES[0].split()[1] == '5'\n")
    r, found = diagnosed(w, "test_a.py::test_most", "fs")
    check(found["verdict"] == "flaky-fs", r)
    check(found["cause"][0]["value"] == "plant:empty:conf/limits.txt", r)
    fails_as_printed(w, found, "IndexError")


def case_a_module_that_cannot_be_read_then(w):
    """pytest ends in a collection error, which is how the test fails."""
    w.write("test_a.py", '''
import pathlib, xml.etree.ElementTree as tree

PATH = pathlib.Path(__file__).parent / "limits.xml"
MOST = int(tree.parse(PATH).getroot().get("most")) if PATH.exists() else 5

def test_most():
    assert MOST == 5
''')
    r, found = diagnosed(w, "test_a.py::test_most", "fs")
    check(found["verdict"] == "flaky-fs", r)
    check(found["cause"][0]["value"] == "plant:empty:limits.xml", r)
    check(found["failure"]["exception"] == "ParseError", found["failure"])
    command = found["repro"]["command"]
    done = subprocess.run(["sh", "-c", command], cwd=w.project, env=w.env(), capture_output=True)
    check(done.returncode in (1, 2) and b"ParseError" in done.stdout, command, done.stdout,
          done.stderr)


APP = '''
import configparser, pathlib

def env():
    path = pathlib.Path(".env")
    return dict(line.split("=") for line in path.open()) if path.exists() else {}

def cfg():
    p = configparser.ConfigParser()
    try:
        p.read_file(open(pathlib.Path.home() / ".apprc.cfg"))
    except FileNotFoundError:
        pass
    return p
'''


def case_a_dotenv_file_beside_the_project(w):  # campaign
    w.write("app.py", APP)
    w.write("test_a.py", "import app\n\ndef test_env():\n    assert app.env() == {}\n")
    blames(w, "test_a.py::test_env", "fs", "plant:malformed:.env", "ValueError", "app.py:6")


def case_a_file_of_home_and_one_that_cannot_be_read(w):  # campaign
    """The latter is a requirement; what is malformed is a cause."""
    w.write("app.py", APP)
    w.write("test_a.py", "import app\n\ndef test_cfg():\n    assert app.cfg().sections() == []\n")
    blames(w, "test_a.py::test_cfg", "fs", "plant:malformed:~/.apprc.cfg",
           "MissingSectionHeaderError", "app.py:11")
    found = json.loads((w.folder / "o.json").read_text(encoding="utf-8"))
    check("plant:unreadable:~/.apprc.cfg" in [r["value"] for r in found["requirements"]],
          found["requirements"])


def case_a_lock_that_stays(w):  # campaign
    w.write("test_a.py", '''
import os, pathlib

LOCK = pathlib.Path("work.lock")

def test_takes_the_lock():
    os.close(os.open(LOCK, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
''')
    blames(w, "test_a.py::test_takes_the_lock", "fs", "leftovers", "FileExistsError", "test_a.py:7")
    check((w.project / "work.lock").exists(), "the printed command left it")


def case_a_test_that_cleans_up_may_run_twice(w):  # campaign
    w.write("test_a.py", '''
import os, pathlib

LOCK = pathlib.Path("work.lock")

def test_takes_the_lock():
    os.close(os.open(LOCK, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    LOCK.unlink()
''')
    found = clears(w, "test_a.py::test_takes_the_lock", "fs")
    check([r["value"] for r in found["requirements"]] == ["ro"], found["requirements"])
    left = sorted(p.name for p in w.project.iterdir())
    check(left == [".flaky-repro", "test_a.py"], left)


def case_letters_that_some_file_systems_ignore(w):
    w.write("Data/names.txt", "a\n")
    w.write("test_a.py", "import os\n\ndef test_name():\n"
            "    assert not os.path.exists('data/names.txt')\n")
    r, found = diagnosed(w, "test_a.py::test_name", "network")
    check(any("data/names.txt" in x and "Data" in x for x in found["warnings"]), r)


if __name__ == "__main__":
    main(globals())
