# SPDX-License-Identifier: BSD-3-Clause
"""L15: starting costs little: no scan of devices, well under half a second on an idle machine."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import resource

from launching import build_c, expect, mpirun, run

hello = build_c("hello", "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n")


def cpu_seconds(function, times=20):
    """CPU time per call: what the job costs, however busy the machine is."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    fastest = 1e9
    for _ in range(times):
        ran = function()
        expect(ran.code == 0, ran, "does not run")
        fastest = min(fastest, ran.seconds)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / times, fastest


for name, function in (("4 ranks of hostname", lambda: mpirun("-n", 4, "hostname")), ("4 ranks of hello", lambda: mpirun("-n", 4, hello)),
                       ("hello alone", lambda: run([hello]))):
    cpu, fastest = cpu_seconds(function)
    print(f"{name}: {cpu * 1000:.0f} ms CPU, fastest of 20 {fastest * 1000:.0f} ms")
    expect(cpu < 0.3 and fastest < 0.5, name, "too expensive")
