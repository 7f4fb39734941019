# SPDX-License-Identifier: BSD-3-Clause
"""L04 (two hosts): where ranks go is what the documentation says, and the map is what then happens."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import TESTDIR, expect

hosts = Hosts(2)
FILES = {"plain": "n0\nn1\n", "slots": "n0 slots=2\nn1 slots=2\n", "colon": "n0:2\nn1:2\n", "many": "n0 slots=100\nn1 slots=100\n",
         "most": "n0 slots=1 max_slots=1\nn1\n"}
for name, text in FILES.items():
    (TESTDIR / name).write_text(text)
EXPECTED = [  # arguments, hosts of ranks 0, 1 ...
    (["-n", 2, "--hostfile", "plain"], "01"), (["--hostfile", "plain"], "01"), (["-n", 4, "--hostfile", "plain"], "0011"),
    (["-n", 4, "--hostfile", "slots"], "0011"), (["--hostfile", "colon"], "0011"), (["-n", 6, "--hostfile", "slots"], "000011"),
    (["-n", 2, "--hostfile", "many"], "00"), (["-n", 2, "--hostfile", "many", "--map-by", "node"], "01"),
    (["-n", 5, "--hostfile", "slots", "--map-by", "node"], "01010"), (["-n", 4, "--hostfile", "slots", "--rank-by", "node"], "0101"),
    (["-n", 4, "--hostfile", "slots", "--map-by", "node", "--rank-by", "slot"], "0011"),
    (["--hostfile", "many", "--map-by", "ppr:2:node"], "0011"), (["-n", 2, "-ppn", 1, "--hostfile", "many"], "01"),
    (["-n", 3, "--hostfile", "most"], "011"), (["-n", 3, "--host", "n1,n0:2"], "100"),
]
for arguments, places in EXPECTED:
    plan = hosts.mpirun(*arguments, "--display-map", "--do-not-launch", "hostname")
    lines = [f"map: rank {rank} on n{host}: hostname" for rank, host in enumerate(places)]
    expect(plan.code == 0 and [line.split(",")[0] for line in plan.out.splitlines()] == lines, plan, "the map")
    ran = hosts.mpirun(*arguments, "--tag-output", "hostname")
    told = sorted(f"[{rank}] n{host}" for rank, host in enumerate(places))
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == told, ran, "where the ranks are")
for arguments in (["-n", 5, "--hostfile", "slots", "--nooversubscribe"], ["-n", 5, "--host", "n0:2,n1:2", "--map-by", "slot:NOOVERSUBSCRIBE"]):
    ran = hosts.mpirun(*arguments, "hostname")
    expect(ran.code == 1 and "4 slots: n0:2 n1:2" in ran.err, ran, "too many ranks are refused with the slots that there are")
ran = hosts.mpirun("-n", 5, "--hostfile", "slots", "--map-by", "ppr:2:node", "hostname")
expect(ran.code == 1 and "gives 4 ranks on 2 hosts" in ran.err, ran, "more than ppr gives")
# What Kubernetes' operator and Hydra's users set.
for env in ({"OMPI_MCA_orte_default_hostfile": "plain", "OMPI_MCA_orte_set_default_slots": "2"}, {"HYDRA_HOST_FILE": "colon"},
            {"I_MPI_HYDRA_HOST_FILE": "many", "I_MPI_PERHOST": "2"}):
    ran = hosts.mpirun("-n", 4, "--tag-output", "hostname", env=env)
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == ["[0] n0", "[1] n0", "[2] n1", "[3] n1"], ran, "hosts by variable")
hosts.close()
