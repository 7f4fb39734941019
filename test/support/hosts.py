# SPDX-License-Identifier: BSD-3-Clause
"""Emulated hosts: network, host name, System V objects and /dev/shm of their own, joined by veth.

Each is held by a process that reads from a pipe of ours. When the test ends, however that may be, the pipe ends, the holders go,
and with them the namespaces and the interfaces in them: nothing has a name outside. Names of hosts are known to login.sh alone;
nothing resolves them.
"""

import os
import pathlib
import subprocess

from launching import TESTDIR, command, run, skip

HERE = pathlib.Path(__file__).resolve().parent.parent / "hosts"
LOGIN, RELAY_LOGIN = HERE / "login.sh", HERE / "relay_login.py"
NAMESPACES = ["--net", "--uts", "--ipc", "--mount"]


def need_namespaces():
    """Skips the test where hosts cannot be emulated."""
    if os.geteuid() != 0 or subprocess.run(["unshare", *NAMESPACES, "sh", "-c", "ip link set lo up && mount --make-rprivate / && "
                                            "ip link add veth0 type veth peer name veth1"], capture_output=True).returncode != 0:
        skip("needs namespaces, veth and ip: root, and a kernel that lets it")


class Hosts:
    """n0, n1 ... with addresses NET.1, NET.2 ... on eth0. Two are joined directly, more by a bridge in n0."""

    def __init__(self, count=2, net="10.77.0", connect=True):
        need_namespaces()
        self.folder = TESTDIR / f"hosts.{net}"
        self.folder.mkdir()
        self.names = [f"n{i}" for i in range(count)]
        self.holders = {name: self._hold(name) for name in self.names}
        if connect and count > 1:
            self._join(net)

    def _hold(self, name):
        script = ('hostname "$1"; mount --make-rprivate /; mount -t tmpfs -o size=1g shm /dev/shm; ip link set lo up; echo ready; '
                  'exec cat >/dev/null')
        holder = subprocess.Popen(["unshare", *NAMESPACES, "sh", "-c", script, "host", name], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, start_new_session=True)
        holder.stdout.readline()
        (self.folder / name).write_text(str(holder.pid))
        return holder

    def _join(self, net):
        pids = [self.holders[name].pid for name in self.names]
        if len(pids) == 2:
            self.sh("n0", f"ip link add eth0 type veth peer name eth0 netns {pids[1]}")
        else:
            self.sh("n0", "ip link add eth0 type bridge; " + "".join(
                f"ip link add v{i} type veth peer name eth0 netns {pid}; ip link set v{i} master eth0; ip link set v{i} up; "
                for i, pid in enumerate(pids) if i > 0))
        for i, name in enumerate(self.names):
            self.sh(name, f"ip addr add {net}.{i + 1}/24 dev eth0; ip link set eth0 up")
        self.wait_until_up()

    def wait_until_up(self, device="eth0"):
        """The kernel takes up to a second to notice that both ends of a veth are up."""
        for name in self.names:
            self.sh(name, f"for i in $(seq 100); do ip link show {device} | grep -q LOWER_UP && ip link show {device} | grep -q 'state UP' && "
                          "exit 0; sleep 0.05; done; exit 1")

    def enter(self, name, *words):
        """The words of a command that runs on the host, in our working folder."""
        pid = self.holders[name].pid
        return ["nsenter", "--target", str(pid), *NAMESPACES, f"--wd={TESTDIR}", *[str(word) for word in words]]

    def sh(self, name, script):
        """Runs a shell script on the host; an error is an error of the test."""
        done = subprocess.run(self.enter(name, "sh", "-ec", script), capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {script}\n{done.stderr}")
        return done.stdout

    def environment(self, login=LOGIN, more=None):
        return {"HOSTS_DIR": str(self.folder), "OMPI_MCA_plm_rsh_agent": str(login), **(more or {})}

    def mpirun(self, *arguments, host="n0", login=LOGIN, env=None, **more):
        """mpirun, started on a host, to its end."""
        return run(self.enter(host, *command("MPIRUN"), *arguments), env=self.environment(login, env), **more)

    def start(self, *arguments, host="n0", login=LOGIN, env=None, **more):
        """mpirun, started on a host, as a running process."""
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        more.setdefault("cwd", TESTDIR)
        return subprocess.Popen(self.enter(host, *command("MPIRUN"), *arguments),
                                env={**os.environ, **self.environment(login, env)}, **more)

    def close(self):
        for holder in self.holders.values():
            holder.stdin.close()
            holder.wait()
