# SPDX-License-Identifier: BSD-3-Clause
"""D11: files of another user under our names, anywhere we might look, do not matter."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import pathlib

from launching import TESTDIR, build_c, expect, mpirun, shared_objects, skip

program = build_c("sum", r"""
#include <mpi.h>
int main(int argc, char **argv) {
  int x = 1, sum = 0, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == size ? 0 : 5;
}
""")
# Nothing that a job makes has a name: after each kind of end there is nothing new.
folder = TESTDIR / "tmp"
folder.mkdir()
before = shared_objects()
for words, good in ((["-n", 4, program], True), (["-n", 4, "sh", "-c", "[ $PMIX_RANK = 1 ] && kill -9 $$; sleep 60"], False),
                    (["--timeout", 1, "-n", 2, "sleep", 60], False)):
    ran = mpirun(*words, env={"TMPDIR": str(folder)})
    expect((ran.code == 0) == good, ran, "the job")
    expect(os.listdir(folder) == [], os.listdir(folder), "litter in TMPDIR")
left = [n for n in shared_objects() - before if "ompi" in n]
expect(not left, left, "litter in shared memory")
if os.geteuid() != 0:
    skip("files of another user: needs uid 0")
foreign = [pathlib.Path(place) / name for place in ("/dev/shm", "/tmp") for name in ("ompi_lite", "ompi-lite", "ompi_lite_node", "ompi-lite-0")]
foreign = [path for path in foreign if not path.exists()]
try:
    for path in foreign:
        path.write_text("stale")
        os.chown(path, 65534, 65534)
    ran = mpirun("-n", 4, program)
    expect(ran.code == 0 and ran.err == "", ran, "foreign files matter")
finally:
    for path in foreign:
        path.unlink(missing_ok=True)
