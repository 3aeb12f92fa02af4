"""What programs do with files, in the folder given: each has to work as on a plain disk."""
import errno
import fcntl
import mmap
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

os.chdir(sys.argv[1])

# A database with a write-ahead log, and a second process that looks at it.
db = sqlite3.connect("db", isolation_level=None)
assert db.execute("pragma journal_mode=wal").fetchone() == ("wal",)
db.execute("create table t (x)")
db.execute("insert into t values (1)")
look = "import sqlite3; print(sqlite3.connect('db').execute('select x from t').fetchone()[0])"
assert subprocess.check_output([sys.executable, "-c", look]) == b"1\n"
db.execute("begin immediate")
busy = "import sqlite3; sqlite3.connect('db', timeout=0).execute('begin immediate')"
p = subprocess.run([sys.executable, "-c", busy], stderr=subprocess.PIPE)
assert b"database is locked" in p.stderr, p.stderr
db.execute("commit")

# Locks on a file that was there before, of both kinds.
for name, lock in (("flock", fcntl.flock), ("lockf", fcntl.lockf)):
    f = open("data/one", "r+")
    lock(f, fcntl.LOCK_EX)
    other = (f"import fcntl; fcntl.{name}(open('data/one', 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)")
    p = subprocess.run([sys.executable, "-c", other], stderr=subprocess.PIPE)
    assert b"BlockingIOError" in p.stderr, p.stderr
    f.close()
    subprocess.check_call([sys.executable, "-c", other])

# Hard links: to a file that was there, to a new one; a change shows under both names.
for old in ("data/one", "new"):
    open(old, "a").close()
    os.link(old, "linked")
    with open("linked", "w") as f:
        f.write("through the link")
    assert open(old).read() == "through the link"
    assert os.stat(old).st_nlink == 2
    # A user namespace cannot tell that the new name belongs to the file that was there.
    if os.getuid() == 0 or old == "new":
        assert os.path.samefile(old, "linked")
    os.unlink("linked")

# Renames: files over files, folders made here, and folders that were there before.
os.replace("new", "data/two")
assert open("data/two").read() == "through the link"
os.makedirs("made/below")
os.rename("made", "moved")
assert os.listdir("moved") == ["below"]
os.mkdir("empty")
os.rename("moved", "empty")
try:
    os.rename("data", "renamed")
except OSError as e:
    # Not in a user namespace: shutil.move() and mv copy then.
    assert e.errno == errno.EXDEV and os.getuid() != 0, e
    shutil.move("data", "renamed")
assert sorted(os.listdir("renamed")) == ["one", "two"] and not os.path.exists("data")

# A folder deleted and made again is empty.
os.mkdir("data")
assert os.listdir("data") == []

# Memory that is a file; a file without a name; a pipe; a sparse file; times; modes; links.
with open("test_a.py", "r+b") as f, mmap.mmap(f.fileno(), 4) as m:
    m[:] = b"TEST"
assert open("test_a.py").read() == "TEST"
with tempfile.TemporaryFile(dir=".") as f:
    f.write(b"x")
os.mkfifo("fifo")
with open("sparse", "wb") as f:
    f.truncate(1 << 30)
assert os.stat("sparse").st_blocks == 0
os.utime("old", ns=(1, 2))
assert os.stat("old").st_mtime_ns == 2
os.chmod("old", 0o640)
assert os.stat("old").st_mode & 0o777 == 0o640
os.symlink("old", "link")
assert open("link").read() == "old"
