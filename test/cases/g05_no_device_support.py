# SPDX-License-Identifier: BSD-3-Clause
"""G05: a device pointer where device support is forbidden or missing: an error that says so, not a crash."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from fake_driver import environment
from launching import TESTDIR, command, expect, mpirun, run

source = TESTDIR / "pointer.c"
source.write_text(r"""
#include "check.h"
#include "device.h"
int main(int argc, char **argv) {
  if (!device_begin(0)) return 77;
  check_start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int *there = space_alloc(in_device, 1 << 20), here[4] = {0};
  MPI_Request request;
  CHECK_CLASS(MPI_Send(there, 2, MPI_INT, 0, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Irecv(there, 100000, MPI_INT, 0, 1, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Allreduce(here, there, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Buffer_attach(there, 1 << 20), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Allreduce(MPI_IN_PLACE, here, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
  if (argc > 1) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), MPI_Send(there, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
  puts("ok");
  MPI_Finalize();
  return 0;
}
""")
program = TESTDIR / "pointer"
built = run([*command("MPICC"), "-g", f"-I{os.path.dirname(__file__)}/../support", source, "-ldl", "-o", program])
expect(built.code == 0, built, "does not compile")
for name, env in (("forbidden", environment(OMPI_LITE_DEVICE="none")),
                  ("missing", environment(OMPI_LITE_DEVICE="auto", OMPI_LITE_DEVICE_PLUGIN="/nowhere/plugin.so"))):
    ran = mpirun("-n", 2, program, env=env)
    expect(ran.code == 0 and ran.out == "ok\n" * 2, ran, f"device support {name}")
    fatal = mpirun("-n", 1, program, "fatal", env=env)
    expect(fatal.code != 0 and "is it a device pointer?" in fatal.err, fatal, f"device support {name}, fatal errors")
