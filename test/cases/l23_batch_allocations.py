# SPDX-License-Identifier: BSD-3-Clause
"""The hosts and slots that PBS and LSF hand over, as they hand them over; ssh reaches the hosts."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from foreign import build_who, lines
from hosts import Hosts
from launching import TESTDIR, expect, mpirun

hosts = Hosts(2)
program = build_who()
slots = TESTDIR / "slots"
slots.write_text("n0\nn0\nn1\n")
systems = {
    "PBS": {"PBS_JOBID": "7.server", "PBS_NODEFILE": str(slots)},
    "LSF": {"LSB_JOBID": "7", "LSB_MCPU_HOSTS": "n0 2 n1 1"},
    "LSF, long": {"LSB_JOBID": "7", "LSB_DJOB_HOSTFILE": str(slots)},
}
for name, env in systems.items():
    ran = hosts.mpirun(program, env=env)
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines([2, 2, 1], 0), ran, f"the hosts of {name}")
ran = hosts.mpirun("--host", "n1", program, env=systems["PBS"])
expect(ran.code == 0 and ran.out.splitlines() == lines([1], 0), ran, "--host comes first")
slots.write_text("n0\nn1 what\n")
ran = hosts.mpirun(program, env=systems["PBS"])
expect(ran.code != 0 and "PBS_NODEFILE" in ran.err and "line 2" in ran.err and '"what"' in ran.err, ran, "file, line and word")
ran = hosts.mpirun("--host", "n0", program, env=systems["PBS"])
expect(ran.code == 0, ran, "who names hosts does not care")
for env in ({"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "n[0-"}, {"LSB_JOBID": "7", "LSB_MCPU_HOSTS": "n0"}):
    ran = mpirun(program, env=env)
    expect(ran.code == 2 and all(word in ran.err for word in list(env)[1:]) and ran.err.count("\n") == 1, ran, f"{env}: name the variable")
hosts.close()
