# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm cluster on emulated hosts: slurmctld on the first, slurmd on each, without authentication and without any file of
the machine's own configuration. Everything lies in a folder of the test and ends with it."""

import atexit
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from hosts import Hosts
from launching import TESTDIR, run, skip

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={names[0]}({net}.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdLogFile={folder}/slurmd.%n.log
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ProctrackType=proctrack/linuxproc
MailProg=/bin/true
ReturnToService=2
SlurmdParameters=config_overrides
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """Runs srun, salloc ... on the first host. `cpus` are claimed for each host, whatever the machine has."""

    def __init__(self, count=2, cpus=4, net="10.78.0"):
        for tool in ("slurmctld", "slurmd", "srun", "salloc", "sinfo"):
            if shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
                skip(f"needs Slurm: there is no {tool} (Debian: slurm-wlm, slurm-wlm-basic-plugins)")
        self.hosts = Hosts(count, net)
        self.names = self.hosts.names
        self.folder = TESTDIR / "slurm"
        self.folder.mkdir()
        for name in ["state", *[f"{kind}.{host}" for kind in ("tmp", "spool") for host in self.names]]:
            (self.folder / name).mkdir()
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(names=self.names, net=net, folder=self.folder) + "".join(
            f"NodeName={host} NodeAddr={net}.{i + 1} CPUs={cpus} State=UNKNOWN\n" for i, host in enumerate(self.names)))
        self.env = {"SLURM_CONF": str(self.configuration), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        self.daemons = []
        atexit.register(self.close)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        self._start("n0", "slurmctld", "-c", "-D")
        for host in self.names:
            self._start(host, "slurmd", "-D")
        self._wait_until_idle()

    def _start(self, host, *words):
        self.daemons.append(subprocess.Popen(self.hosts.enter(host, *words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL, env={**os.environ, **self.env}, start_new_session=True))

    def _wait_until_idle(self):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            ran = self.run("sinfo", "-h", "-N", "-o", "%T")
            if ran.out.split() == ["idle"] * len(self.names):
                return
            if any(daemon.poll() is not None for daemon in self.daemons):
                break
            time.sleep(0.1)
        logs = "".join(path.read_text()[-1000:] for path in sorted(self.folder.glob("*.log")))
        print(logs)
        skip(f"Slurm does not start here: {logs.strip().splitlines()[-1] if logs.strip() else 'no word why'}")

    def run(self, *words, host="n0", env=None, **more):
        return run(self.hosts.enter(host, *words), env={**self.env, **(env or {})}, **more)

    def close(self):
        if self.daemons:
            self.run("scancel", "-u", "root", timeout=10)
            for daemon in self.daemons:
                daemon.terminate()
            for daemon in self.daemons:
                try:
                    daemon.wait(5)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
            self.daemons = []
            self._end_steps()
        self.hosts.close()

    def _end_steps(self):
        """slurmstepd of steps that were killed may outlive slurmd."""
        word = f"SLURM_CONF={self.configuration}".encode()
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (folder / "comm").read_text().strip() == "slurmstepd" and word in (folder / "environ").read_bytes().split(b"\0"):
                    os.kill(int(folder.name), signal.SIGKILL)
            except OSError:
                pass
