"""The network: what is blocked and with which errors, what keeps working, what is allowed.

The measure is a real network namespace with nothing but lo. The library is tried in one that has a
way out, which leads nowhere: no packet of a test ever leaves the machine."""
import os
import pathlib
import shutil
import subprocess

from namespace import FILES, HOSTS, namespace
from shim_case import AXES, Skip, case, main

WHERE = ("main", "thread", "fork", "vfork", "exec", "signal")
def probe(bench, *argv, **more):
    return namespace(bench, bench.probe("probe_net"), *argv, **more).stdout.splitlines()


def differ(have, want):
    return [f"{h!r}, want {w!r}" for h, w in zip(have, want) if h != w] or len(have) != len(want)


@case
def calls_fail_as_in_a_namespace_of_their_own(b):
    page = b.page(network="block")
    for where in WHERE:
        want = probe(b, "calls", where, routed=False, shim=False)
        assert len(want) > 300, want
        for env in ({"FD_NET": "block"}, {"FD_SETTING": "network=block"}, {"FD_PAGE": page}):
            got = probe(b, "calls", where, **env)
            assert got == want, (where, env, differ(got, want))


@case
def a_free_network_is_left_alone(b):
    for env in ({}, {"FD_RNG": 1}, {"FD_NET": "open"}, {"FD_PAGE": b.page()}):
        namespace(b, b.probe("probe_net"), "reach", **env)
    namespace(b, b.probe("probe_net"), "reach", shim=False)
    namespace(b, b.probe("probe_net"), "reach", status=1, FD_NET="block")


@case
def lookups_fail_as_in_a_namespace_of_their_own(b):
    page = b.page(network="block")
    for where in WHERE:
        want = probe(b, "names", where, routed=False, shim=False)
        assert "getaddrinfo db.internal 0:  10.9.9.7" in want
        for env in ({"FD_NET": "block"}, {"FD_PAGE": page}):
            got = probe(b, "names", where, **env, timeout=10)
            assert got == want, (where, env, differ(got, want))


RESOLVER = """
import ctypes
libc = ctypes.CDLL(None)
answer, state = ctypes.create_string_buffer(512), ctypes.create_string_buffer(1024)
name, domain = b'example.com', b'org'
calls = {'query': (name, 1, 1, answer, 512), 'search': (name, 1, 1, answer, 512),
         'querydomain': (name, domain, 1, 1, answer, 512), 'nquery': (state, name, 1, 1, answer, 512),
         'nsearch': (state, name, 1, 1, answer, 512), 'nquerydomain': (state, name, domain, 1, 1, answer, 512),
         'send': (answer, 12, answer, 512), 'nsend': (state, answer, 12, answer, 512)}
for prefix in ('res_', '__res_'):
    for word, args in calls.items():
        print(prefix + word, libc[prefix + word](*args))
"""


@case
def the_resolver_has_two_names_for_each_function(b):
    """Whatever libc and whether libresolv is loaded: nothing is asked."""
    page = b.page(network="block")
    got = namespace(b, b.python, "-c", RESOLVER, FD_PAGE=page).stdout.splitlines()
    assert len(got) == 16 and all(line.endswith(" -1") for line in got), got
    assert b.counters(page)["injected"] == 16


SENT = ('"$@" >/dev/null; awk \'/^Udp: [0-9]/ {print "udp", $5} /^Tcp: [0-9]/ {print "tcp", $6}\''
        ' /proc/net/snmp')


@case
def no_lookup_sends_a_packet(b):
    """Whatever the order of sources: libc itself is told to use its files alone."""
    for order in ("files dns", "dns files", "dns [!UNAVAIL=return] files", "files myhostname dns"):
        files = {**FILES, "/etc/nsswitch.conf": f"hosts: {order}\n"}
        got = namespace(b, "sh", "-c", SENT, "sh", b.probe("probe_net"), "names", files=files,
                        FD_NET="block").stdout
        assert got == "tcp 0\nudp 0\n", (order, got)
    one = (b.python, "-c", "import socket\ntry: socket.getaddrinfo('example.com', 80)\nexcept OSError: pass")
    assert namespace(b, "sh", "-c", SENT, "sh", *one, shim=False).stdout > "tcp 0\nudp 0\n"
    assert namespace(b, "sh", "-c", SENT, "sh", *one, FD_NET="block").stdout == "tcp 0\nudp 0\n"


@case
def the_machines_own_name(b):
    text = """
import socket, time
began = time.monotonic()
name = socket.gethostname()
try: print(socket.gethostbyname(name))
except socket.gaierror as e: print(e.errno)
socket.getfqdn()
assert time.monotonic() - began < 1
"""
    name = os.uname().nodename
    known = {**FILES, "/etc/hosts": HOSTS + f"127.0.1.1 {name}\n"}
    unknown = {**FILES, "/etc/hosts": "127.0.0.1 localhost\n"}
    assert namespace(b, b.python, "-c", text, files=known, FD_NET="block").stdout == "127.0.1.1\n"
    assert namespace(b, b.python, "-c", text, files=unknown, FD_NET="block").stdout == "-3\n"


WORKS = """
import asyncio, errno, http.server, multiprocessing, os, socket, ssl, subprocess, sys, tempfile
import threading, time, urllib.request

class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *a): pass

async def talk():
    async def echo(r, w): w.write(await r.read(4)); await w.drain(); w.close()
    server = await asyncio.start_server(echo, 'localhost', 0)
    port = server.sockets[0].getsockname()[1]
    r, w = await asyncio.open_connection('127.0.0.1', port)
    w.write(b'ping'); assert await r.read(4) == b'ping'; w.close(); server.close()
    for where in (('10.1.2.3', 80), ('fd99::1', 80)):
        try: await asyncio.wait_for(asyncio.open_connection(*where), 5); assert False
        except OSError as e: assert e.errno == errno.ENETUNREACH, e
    try: await asyncio.open_connection('example.com', 80); assert False
    except socket.gaierror as e: assert e.errno == socket.EAI_AGAIN, e

def refused(call, number):
    try: call()
    except OSError as e: assert e.errno == number, (e, number)
    else: assert False

def outside():
    refused(lambda: socket.create_connection(('8.8.8.8', 53), timeout=5), errno.ENETUNREACH)
    refused(lambda: socket.create_connection(('2001:db8::1', 53), timeout=5), errno.ENETUNREACH)
    for family, to in ((socket.AF_INET, '8.8.8.8'), (socket.AF_INET6, '2001:db8::1')):
        with socket.socket(family, socket.SOCK_DGRAM) as u:
            refused(lambda: u.sendto(b'x', (to, 53)), errno.ENETUNREACH)
            refused(lambda: u.sendmsg([b'x'], [], 0, (to, 53)), errno.ENETUNREACH)
    for look in (lambda: socket.getaddrinfo('example.com', 80), lambda: socket.gethostbyname('example.com'),
                 lambda: socket.gethostbyname_ex('example.com'), lambda: socket.getnameinfo(('8.8.8.8', 53), 0)):
        refused(look, socket.EAI_AGAIN)
    try: socket.gethostbyaddr('8.8.8.8'); assert False
    except socket.herror as e: assert e.errno == 2, e
    assert socket.getfqdn('example.com') == 'example.com'

def main():
    began = time.monotonic()
    asyncio.run(asyncio.sleep(0))
    a, b = socket.socketpair(); a.sendall(b'x'); assert b.recv(1) == b'x'
    with multiprocessing.Manager() as m:
        d = m.dict(); d['a'] = 1; assert d['a'] == 1
    q = multiprocessing.Queue(); q.put(1); assert q.get(timeout=5) == 1
    path = tempfile.mkdtemp() + '/s'
    for name in (path, '\\0abstract of test_net'):
        with socket.socket(socket.AF_UNIX) as l, socket.socket(socket.AF_UNIX) as c:
            l.bind(name); l.listen(1); c.connect(name)
    os.unlink(path)
    if hasattr(socket, 'AF_NETLINK'):
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as n: n.bind((0, 0))
    server = http.server.HTTPServer(('127.0.0.1', 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for host in ('127.0.0.1', 'localhost'):
        assert opener.open('http://%s:%d/' % (host, server.server_port)).status == 200
    if sys.version_info > (3, 7): asyncio.run(talk())
    outside()
    ssl.create_default_context()
    assert socket.gethostname() and socket.getfqdn()
    assert socket.getservbyname('http') == 80
    p = multiprocessing.Process(target=outside); p.start(); p.join(); assert p.exitcode == 0
    t = threading.Thread(target=outside); t.start(); t.join()
    if len(sys.argv) < 2: subprocess.run([sys.executable, __file__, 'again'], env={}, check=True)
    assert time.monotonic() - began < 15

if __name__ == '__main__': main()
"""


@case
def python_of_each_version_keeps_working(b):
    script = b.dir / "works.py"
    script.write_text(WORKS.replace("asyncio.run(", "getattr(asyncio, 'run', lambda c: None)("))
    others = map(str, pathlib.Path.home().glob(".pyenv/versions/3*/bin/python3"))
    found = {os.path.realpath(p): p for p in ("/usr/bin/python3", *others, b.python) if os.path.exists(p)}
    for python in found.values():
        if b.run(python, "-c", "import ssl, asyncio, multiprocessing", status=None, shim=False).returncode:
            continue
        namespace(b, python, script, FD_NET="block", cwd=b.dir)


@case
def every_blocked_call_is_recorded(b):
    text = """
import socket, sys
def quietly(call):
    try: call()
    except OSError: pass
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
quietly(lambda: u.connect(('127.0.0.1', 9)))
quietly(lambda: socket.getaddrinfo('localhost', 80))
if sys.argv[1] != 'near':
    quietly(lambda: u.sendmsg([b'x'], [], 0, ('8.8.8.8', 53)))
    quietly(lambda: socket.gethostbyname('example.com'))
    quietly(lambda: u.sendto(b'x', ('8.8.8.8', 53)))
    quietly(lambda: u.connect(('8.8.8.8', 53)))
"""
    for held, where, touched, injected in (({"network": "block"}, "far", 4, 4), ({"network": "open"}, "far", 4, 0),
                                           ({}, "far", 4, 0), ({"network": "block"}, "near", 0, 0), ({}, "near", 0, 0)):
        page = b.page(**held)
        namespace(b, b.python, "-S", "-c", text, where, FD_PAGE=page)
        got = b.counters(page)
        assert (got["touched.network"], got["injected"]) == (touched, injected), (held, where, got)
        if injected:
            assert (AXES[got["injected_axis"]], got["injected_errno"]) == ("network", 101), got


@case
def a_page_that_is_attached_blocks_too(b):
    text = """
import os, socket, sys
def look():
    try: return socket.getaddrinfo(sys.argv[2], 80)[0][4][0]
    except socket.gaierror as e: return e.errno
print(look())
os.putenv('FD_CTL', 'attach:' + sys.argv[1])
print(look())
try: socket.create_connection(('8.8.8.8', 53), timeout=1)
except OSError as e: print(e.errno)
"""
    page = b.page(network="block")
    got = namespace(b, b.python, "-c", text, page, "db.internal").stdout.split()
    assert got == ["10.9.9.7", "10.9.9.7", "101"], got


ALLOWED = """
import errno, socket, sys, threading
def serve(address):
    s = socket.create_server((address, int(sys.argv[1]))); s.listen()
    return s
servers = serve('10.9.9.1'), socket.create_server(('fd00:9::1', int(sys.argv[1])), family=socket.AF_INET6)
for host in sys.argv[2:]:
    try: socket.create_connection((host, int(sys.argv[1])), timeout=5).close(); print('yes')
    except socket.gaierror as e: print('unknown')
    except OSError as e: print('no' if e.errno == errno.ENETUNREACH else e)
"""


@case
def allowed_hosts_are_reached(b):
    files = {**FILES, "/etc/hosts": HOSTS + "10.9.9.1 srv.internal\n"}
    hosts = ("10.9.9.1", "fd00:9::1", "srv.internal")
    for allow, want in (("10.9.9.1", "yes no yes"), ("10.9.9.1:8101", "yes no yes"), ("10.9.9.1:8102", "no no no"),
                        ("10.9.9.0/24", "yes no yes"), ("10.9.8.0/24", "no no no"), ("[fd00:9::1]:8101", "no yes no"),
                        ("fd00::/16,1.2.3.4", "no yes no"), ("*.internal", "no no yes"),
                        ("srv.internal:8101", "no no yes"), ("srv.internal:1", "no no no"),
                        ("elsewhere.com", "no no no")):
        for argv in ((), ("sh", "-c", '"$@"; exit $?', "sh")):  # settings travel by exec as well
            got = namespace(b, *argv, b.python, "-c", ALLOWED, "8101", *hosts, files=files,
                            FD_NET="block", FD_NET_ALLOW=allow)
            assert got.stdout.split() == want.split(), (allow, got.stdout)
    got = namespace(b, b.python, "-c", ALLOWED, "8101", *hosts, files=files, FD_NET="open",
                    FD_NET_ALLOW="1.2.3.4").stdout.split()
    assert got == ["yes"] * 3, got
    got = namespace(b, b.python, "-c", ALLOWED, "8101", "srv.internal", "10.9.9.1", files=files, FD_NET="block",
                    FD_NET_ALLOW="srv.internal").stdout.split()
    assert got == ["yes", "yes"], got  # what the name was found to be may be reached


DNS = """
import socket, struct, subprocess, sys, threading
asked = []
def answer(s):
    while True:
        q, who = s.recvfrom(512)
        name, at = [], 12
        while q[at]: name.append(q[at + 1:at + 1 + q[at]].decode()); at += q[at] + 1
        kind = struct.unpack('!H', q[at + 1:at + 3])[0]
        asked.append('.'.join(name))
        a = b'\\xc0\\x0c' + struct.pack('!HHIH', 1, 1, 60, 4) + socket.inet_aton('10.9.9.1') if kind == 1 else b''
        s.sendto(q[:2] + b'\\x81\\x80' + struct.pack('!HHHH', 1, len(a) > 0, 0, 0) + q[12:at + 5] + a, who)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('127.0.0.1', 53))
threading.Thread(target=answer, args=(s,), daemon=True).start()
import os
env = {**os.environ, 'LD_PRELOAD': sys.argv[1]}
sys.stdout.write(subprocess.run(sys.argv[2:], env=env, stdout=subprocess.PIPE, universal_newlines=True, timeout=20).stdout)
print(*sorted(set(asked)))
"""


@case
def allowed_names_are_looked_up_and_no_others(b):
    files = {**FILES, "/etc/resolv.conf": "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n"}
    script = b.dir / "dns.py"
    script.write_text(DNS)
    client = (b.python, "-c", ALLOWED, "8102", "ext.example.com", "other.example.com", "10.9.9.1")
    for allow, want in (("ext.example.com", "yes unknown yes ext.example.com"), ("*.example.com:8102",
                         "yes yes yes ext.example.com other.example.com"), ("10.9.9.1", "unknown unknown yes"),
                        ("ext.example.com:1", "no unknown no ext.example.com")):
        got = namespace(b, b.python, script, b.lib, *client, files=files, shim=False, FD_NET="block",
                        FD_NET_ALLOW=allow, timeout=60).stdout.split()
        assert got == want.split(), (allow, got)


@case
def a_static_program_is_reported(b):
    source, program = b.dir / "still.c", b.dir / "still_net"
    source.write_text("int main(void){return 0;}")
    if not shutil.which("cc") or subprocess.run(["cc", "-static", source, "-o", program], capture_output=True).returncode:
        raise Skip("cannot link statically")
    for env, what in (({"FD_NET": "block"}, "the network"), ({"FD_LISTING": "1"}, "the order of directories"),
                      ({"FD_TIME": "+1d", "FD_NET": "block"}, "time and randomness, the network")):
        got = b.run("/bin/sh", "-c", f"{program}; exit $?", **env)
        assert got.stderr == f"libfd: {program} (static executable) is not covered; real there: {what}\n", got.stderr
    assert b.run("/bin/sh", "-c", f"{program}; exit $?", FD_NET="open").stderr == ""


@case
def a_witness_of_the_network(b):
    script = b.dir / "test_net_witness.py"
    script.write_text("import os, socket\nos.environ['PYTEST_CURRENT_TEST'] = 'a (setup)'\n"
                      "def look():\n    try: socket.getaddrinfo('example.com', 80)\n    except OSError: pass\nlook()\n")
    page = b.page(witness=1, pytest=1, network="block")
    namespace(b, b.python, script, FD_PAGE=page)
    sites = b.counters(page)["sites"]
    if not sites:
        raise Skip("no trace function in this Python")
    assert ["network", "getaddrinfo", "test_net_witness.py:4", "look"] in [s[:4] for s in sites], sites


if __name__ == "__main__":
    main()
