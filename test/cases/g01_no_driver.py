# SPDX-License-Identifier: BSD-3-Clause
"""G01: the library and its device plugin on a machine without driver: starts silently, says 0, needs nothing of CUDA to link."""
# run: timeout=60
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun, run

try:
    import ctypes

    ctypes.CDLL("libcuda.so.1")
    print("there is a driver here")
    sys.exit(77)
except OSError:
    pass

hello = build_c("hello", """
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <string.h>
int main(int c, char **v) {
  int before = MPIX_Query_cuda_support(), during;
  MPI_Init(&c, &v);
  during = MPIX_Query_cuda_support();
  MPI_Info info;
  char kinds[100] = "";
  int length = sizeof kinds, flag;
  MPI_Comm_get_info(MPI_COMM_WORLD, &info);
  MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &length, kinds, &flag);
  MPI_Info_free(&info);
  if (!flag || strcmp(kinds, "system,mpi") != 0) printf("kinds: %s\\n", kinds);
  MPI_Finalize();
  printf("%d %d %d\\n", before, during, MPIX_Query_cuda_support());
  return 0;
}
""")
for device in (None, "auto", "none"):
    ran = mpirun("-n", 2, hello, env={"OMPI_LITE_DEVICE": device})
    expect(ran.code == 0 and ran.out == "0 0 0\n" * 2 and ran.err == "", ran, f"device={device}: not silent, or not 0")

ran = mpirun("-n", 1, hello, env={"OMPI_LITE_DEVICE": "cuda"})
expect(ran.code != 0 and "there is no driver (libcuda.so.1)" in ran.err, ran, "a device that is asked for is not missed")
ran = mpirun("-n", 1, hello, env={"OMPI_LITE_DEVICE": "gpu"})
expect(ran.code != 0 and "auto, cuda or none" in ran.err, ran, "a wrong value of the knob passes")

libraries = pathlib.Path(os.environ["PREFIX"]) / "lib"
for library in ("libmpi_abi.so.1", "libompi_lite_cuda.so"):
    needed = run(["ldd", libraries / library])
    expect(needed.code == 0 and "cuda" not in needed.out.replace(library, ""), needed, f"{library} needs CUDA")
    unknown = run(["nm", "-D", "--undefined-only", libraries / library])
    expect(not [word for word in unknown.out.split() if word.startswith(("cu", "nv")) and word[2:3].isupper()], unknown,
           f"{library} has symbols of CUDA")
exported = run(["nm", "-D", "--defined-only", libraries / "libompi_lite_cuda.so"])
names = [line.split()[2] for line in exported.out.splitlines() if line.split()[1] == "T"]
expect(names == ["ompi_lite_device_ops"], exported, "the plugin exports more than its one symbol")

info = run([pathlib.Path(os.environ["PREFIX"]) / "bin/ompi_lite_info"])
expect("libompi_lite_cuda.so" in info.out, info, "ompi_lite_info does not name the plugin")
