"""What the tests of pytest's own side share: a pytest of the user's with our plugin in it, and
repros as another hand could write them."""
import base64
import json
import os
import subprocess
import time
import zlib

from world import check


def pytest(w, *words, env=None, path=(), cwd=None, timeout=200):
    """As a user would call it; the plugin is named, since nothing is installed."""
    search = os.pathsep.join([*map(str, path), w.plugin])
    more = {"FLAKY_REPRO": w.program, "PYTHONPATH": search, "PYTHONDONTWRITEBYTECODE": "1"}
    began = time.monotonic()
    p = subprocess.Popen([w.python, "-m", "pytest", "-p", "flaky_repro.plugin", "-p",
                          "no:cacheprovider", *words], cwd=cwd or w.project,
                         env=w.env(**{**more, **(env or {})}), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return w.finish(p, began, timeout)


def findings(path):
    data = json.loads(path.read_text(encoding="utf-8"))
    return data["findings"] if "findings" in data else [data]


def report(w, *words, **how):
    path = w.folder / "o.json"
    path.unlink(missing_ok=True)
    r = pytest(w, *words, "--doctor", f"--doctor-json={path}", **how)
    check(path.exists(), r)
    return r, findings(path)


def node_hash(nodeid):  # FNV-1a
    h = 0xcbf29ce484222325
    for byte in nodeid.encode():
        h = (h ^ byte) * 0x100000001b3 % 2 ** 64
    return f"{h:016x}"


def plain(data):
    """As json-c prints it: the checksum is over that."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("/", "\\/").encode()


def blob(nodeid, axes, type_="AssertionError", site="test_a.py:1", phase="call", **more):
    data = {"v": 1, "tool": "flaky-repro", "version": "0.1.0", "py": "3.11",
            "node": node_hash(nodeid), "test": nodeid,
            "axes": {a: {"v": 1, "value": v} if isinstance(v, str) else v
                     for a, v in axes.items()} if isinstance(axes, dict) else axes,
            "order": [], "print": {"phase": phase, "type": type_, "site": site}}
    data.update(more)
    data["sum"] = zlib.crc32(plain(data))
    packed = base64.urlsafe_b64encode(zlib.compress(plain(data), 9)).decode().rstrip("=")
    return "fd1:" + packed
