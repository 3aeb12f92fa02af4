"""A network namespace for a program of the tests, with or without a way out, which leads nowhere: no
packet of a test ever leaves the machine."""
import os
import shutil
import subprocess

from shim_case import Skip

LO = "ip link set lo up\n"
ROUTED = LO + """
ip link add v0 type veth peer name v1
ip addr add 10.9.9.1/24 dev v0
ip -6 addr add fd00:9::1/64 dev v0 nodad
ip link set v0 up
ip link set v1 up
ip neigh add 10.9.9.2 lladdr 02:00:00:00:00:01 dev v0
ip -6 neigh add fd00:9::2 lladdr 02:00:00:00:00:01 dev v0
ip route add default via 10.9.9.2
ip -6 route add default via fd00:9::2
"""
HOSTS = "127.0.0.1 localhost near # more\n# 10.0.0.1 no\n\n10.9.9.7\tdb.internal db\n::1 six.internal\nbad line\n"
SERVER = "nameserver 10.9.9.3\noptions timeout:1 attempts:1\n"
FILES = {"/etc/hosts": HOSTS, "/etc/resolv.conf": SERVER, "/etc/nsswitch.conf": "hosts: files dns\n"}


def namespace(bench, *argv, routed=True, files=FILES, shim=True, **more):
    """Runs argv in a network namespace of its own, and with files of its own in /etc."""
    script = ROUTED if routed else LO
    for path, text in files.items():
        if not os.path.exists(path):
            raise Skip(f"no {path}")
        ours = bench.dir / (os.path.basename(path) + str(abs(hash(text))))
        ours.write_text(text)
        script += f"mount --bind {ours} {path}\n"
    if not shutil.which("ip") or subprocess.run(["unshare", "-rnm", "sh", "-ec", ROUTED],
                                                capture_output=True).returncode:
        raise Skip("no network namespaces")
    preload = [f"LD_PRELOAD={bench.lib}"] if shim else []
    return bench.run("unshare", "-rnm", "sh", "-ec", script + 'exec "$@"', "sh", "env", *preload,
                     *argv, shim=False, **more)
