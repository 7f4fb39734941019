# SPDX-License-Identifier: BSD-3-Clause
"""G07: drivers that are too old, buffers of other contexts, devices without memory: a way that works, or an error that says so."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from fake_driver import environment
from launching import TESTDIR, build_c, command, expect, mpirun, run

# ---- a driver without the functions that we need ----
hello = build_c("hello", """
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
int main(int c, char **v) {
  MPI_Init(&c, &v);
  printf("%d\\n", MPIX_Query_cuda_support());
  MPI_Finalize();
  return 0;
}
""")
with_driver = build_c("with_driver", """
#include <dlfcn.h>
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
int main(int c, char **v) {
  if (!dlopen("libcuda.so.1", RTLD_NOW)) return 77;
  MPI_Init(&c, &v);
  printf("%d\\n", MPIX_Query_cuda_support());
  MPI_Finalize();
  return 0;
}
""")
ABSENT = "int cuInit(unsigned flags) { return (int)flags; }"
PARTIAL = ABSENT + """
#include <string.h>
int cuGetProcAddress_v2(const char *name, void **place, int version, unsigned long long flags, int *status) {
  *place = strcmp(name, "cuPointerGetAttributes") ? (void *)cuInit : 0;
  return *place ? 0 : 500;
}"""
for name, text, words in (("old", ABSENT, "too old: it must be of CUDA 11.4 or newer"), ("partial", PARTIAL, "has no cuPointerGetAttributes")):
    folder = TESTDIR / name
    folder.mkdir()
    (folder / "driver.c").write_text(text)
    built = run([os.environ.get("CC", "cc").split()[-1], "-shared", "-fPIC", folder / "driver.c", "-o", folder / "libcuda.so.1"])
    expect(built.code == 0, built, "does not compile")
    env = {"LD_LIBRARY_PATH": f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    ran = mpirun("-n", 2, with_driver, env=env | {"OMPI_LITE_DEVICE": "auto"})
    expect(ran.code == 0 and ran.out == "0\n" * 2 and ran.err == "", ran, f"{name}: not as if there were no driver")
    ran = mpirun("-n", 1, hello, env=env | {"OMPI_LITE_DEVICE": "cuda"})
    expect(ran.code != 0 and words in ran.err, ran, f"{name}: a driver that is asked for does not say what it lacks")

# ---- contexts, devices, memory ----
source = TESTDIR / "contexts.c"
source.write_text(r"""
#include "check.h"
#include "device.h"
static int (*create)(void **, unsigned, int), (*destroy)(void *), (*current)(void **), (*pop)(void **);
static int left, right;

static void exchange(int *out, int *in, int n, const char *what) {
  int *image = must_alloc(sizeof(int) * (size_t)n);
  for (int i = 0; i < n; ++i) image[i] = world_rank * 10 + i;
  space_copy(out, image, sizeof(int) * (size_t)n);
  void *before = NULL, *after = NULL;
  current(&before);
  MPI_Sendrecv(out, n, MPI_INT, right, 1, in, n, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  current(&after);
  CHECK(before == after, "%s: another context is current", what);
  space_copy(image, in, sizeof(int) * (size_t)n);
  for (int i = 0; i < n; ++i) CHECK(image[i] == (world_size - 1) * 10 + i, "%s: [%d] is %d", what, i, image[i]);
  free(image);
}

int main(int argc, char **argv) {
  enum { n = 40000 };
  check_start(&argc, &argv);
  CHECK(device_begin(world_rank), "no device");
  *(void **)&create = device_function("cuCtxCreate_v2");
  *(void **)&destroy = device_function("cuCtxDestroy_v2");
  *(void **)&current = device_function("cuCtxGetCurrent");
  *(void **)&pop = device_function("cuCtxPopCurrent_v2");
  errors_return(MPI_COMM_WORLD);
  left = (world_rank + world_size - 1) % world_size;
  right = (world_rank + 1) % world_size;
  void *other = NULL, *popped = NULL;
  int *here = space_alloc(in_device, n * sizeof(int));
  device_check(create(&other, 0, (world_rank + 1) % 2), "cuCtxCreate");
  int *there = space_alloc(in_device, n * sizeof(int)), *pooled = space_alloc(in_pool, n * sizeof(int));
  exchange(there, there + n / 2, n / 2, "another context is current");
  exchange(here, there, n, "one buffer is of another context");
  exchange(pooled, here, n, "memory of a pool of another device");
  device_check(pop(&popped), "cuCtxPopCurrent");
  exchange(there, here, n, "another context");
  CHECK_CLASS(MPI_Sendrecv(here, n, MPI_INT, right, 1, pooled, n, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  space_free(in_pool, pooled);
  device_check(destroy(other), "cuCtxDestroy");
  CHECK_CLASS(MPI_Send(there, n, MPI_INT, right, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Send(there, 1, MPI_INT, right, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Recv(there, n, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  /* No byte of the device is left: nothing of this needs any. */
  device_address made = 0;
  for (size_t bytes = 1 << 20; bytes >= 256;)
    if (device_driver.alloc(&made, bytes) != 0) bytes /= 2;
  exchange(here, here + n / 2, n / 2, "a device without memory");
  return check_finish();
}
""")
program = TESTDIR / "contexts"
built = run([*command("MPICC"), "-g", f"-I{os.path.dirname(os.path.abspath(__file__))}/../support", source, "-ldl", "-o", program])
expect(built.code == 0, built, "does not compile")
for more in ({}, {"OMPI_LITE_DEVICE_PEERS": "0"}, {"OMPI_LITE_DEVICE_PIPELINE": "0"}):
    ran = mpirun("-n", 2, program, env=environment(FAKE_CUDA_ROOM=str(16 << 20), **more))
    expect(ran.code == 0 and ran.out.endswith("ok\n"), ran, str(more))
