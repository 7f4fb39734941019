# SPDX-License-Identifier: BSD-3-Clause
"""Interfaces that are up but have no carrier yet when a job starts: it waits for them, and says so where they do not come."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from foreign import build_who, lines
from launching import TESTDIR, expect, wait_for_files

program = build_who()
hosts = Hosts(3)
ready = 'echo > up.$PMIX_RANK; exec "$@"'
PLACES = ["--host", "n1:2,n2:1", "-n", 3]


def cut(state):
    hosts.sh("n0", f"ip link set v1 {state}; ip link set v2 {state}")


cut("down")
for other in (False, True):
    if other:  # a bridge that does have a carrier, and the same address everywhere, is no reason not to wait
        for name in hosts.names:
            hosts.sh(name, "ip link add docker0 type bridge; ip addr add 172.17.0.1/16 dev docker0; ip link add da type veth peer name db; "
                           "ip link set da master docker0; ip link set da up; ip link set db up; ip link set docker0 up")
        hosts.wait_until_up("docker0")
    job = hosts.start(*PLACES, "sh", "-c", ready, "sh", program)
    expect(wait_for_files([TESTDIR / f"up.{rank}" for rank in range(3)]), "", "the ranks do not start")
    hosts.sh("n0", "sleep 1")
    cut("up")
    out, err = job.communicate(timeout=60)
    expect(job.returncode == 0 and sorted(out.decode().splitlines()) == lines([2, 2, 1], 0) and err == b"", (job.returncode, out, err),
           "the carrier comes a second late")
    cut("down")
    for rank in range(3):
        (TESTDIR / f"up.{rank}").unlink()
ran = hosts.mpirun(*PLACES, "--set", "tcp_connect_timeout=2s", program)
expect(ran.code != 0 and ran.seconds < 40 and "10.77.0." in ran.err and "no connection from n" in ran.err, ran, "no carrier at all")
hosts.close()
