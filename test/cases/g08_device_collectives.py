# SPDX-License-Identifier: BSD-3-Clause
"""G08: collectives on device buffers run in device memory where they go by messages, whatever the other ranks' buffers are."""
# run: timeout=240
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from fake_driver import environment
from launching import TESTDIR, command, expect, mpirun, run

source = TESTDIR / "collectives.c"
source.write_text(r"""
#include "check.h"
#include "counters.h"
#include "device.h"

static const char *what;
static int mixed;  /* every other rank has host buffers */
struct pair { enum space space; int *data, *image; int n; };
static struct pair make(int n, int salt) {
  struct pair made = {mixed && world_rank % 2 ? in_host : in_device, NULL, must_alloc(sizeof(int) * (size_t)n), n};
  made.data = space_alloc(made.space, sizeof(int) * (size_t)n);
  for (int i = 0; i < n; ++i) made.image[i] = (int)(mix((uint64_t)(i * 64 + world_rank + salt)) % 1000);
  space_copy(made.data, made.image, sizeof(int) * (size_t)n);
  return made;
}
static void end(struct pair pair) {
  int *got = must_alloc(sizeof(int) * (size_t)pair.n);
  space_copy(got, pair.data, sizeof(int) * (size_t)pair.n);
  for (int i = 0; i < pair.n; ++i) CHECK(got[i] == pair.image[i], "%s, %d ints: [%d] is %d, expected %d", what, pair.n, i, got[i], pair.image[i]);
  space_free(pair.space, pair.data);
  free(got);
  free(pair.image);
}
// The call on the buffers, and on their images in host memory.
#define BOTH(name, ...)                       \
  do {                                        \
    what = #name;                             \
    struct pair s = make(n * world_size, 1), r = make(n * world_size, 2); \
    void *from = s.data, *to = r.data;        \
    (void)from;                               \
    name(__VA_ARGS__, MPI_COMM_WORLD);        \
    from = s.image, to = r.image;             \
    name(__VA_ARGS__, MPI_COMM_WORLD);        \
    end(s);                                   \
    end(r);                                   \
  } while (0)

static void all(int n, MPI_Datatype type, int count) {
  const int root = world_size - 1;
  BOTH(MPI_Bcast, to, count, type, root);
  BOTH(MPI_Gather, from, count, type, to, count, type, root);
  BOTH(MPI_Gather, world_rank == root ? MPI_IN_PLACE : from, count, type, to, count, type, root);
  BOTH(MPI_Scatter, from, count, type, to, count, type, root);
  BOTH(MPI_Allgather, from, count, type, to, count, type);
  BOTH(MPI_Allgather, MPI_IN_PLACE, 0, MPI_INT, to, count, type);
  BOTH(MPI_Alltoall, from, count, type, to, count, type);
  BOTH(MPI_Alltoall, MPI_IN_PLACE, 0, MPI_INT, to, count, type);
  if (type != MPI_INT) return;
  BOTH(MPI_Reduce, from, to, n, MPI_INT, MPI_SUM, root);
  BOTH(MPI_Reduce, world_rank == root ? MPI_IN_PLACE : from, to, n, MPI_INT, MPI_MAX, root);
  BOTH(MPI_Allreduce, from, to, n, MPI_INT, MPI_SUM);
  BOTH(MPI_Allreduce, MPI_IN_PLACE, to, n * world_size, MPI_INT, MPI_BXOR);
  BOTH(MPI_Reduce_scatter_block, from, to, n, MPI_INT, MPI_SUM);
  BOTH(MPI_Reduce_scatter_block, MPI_IN_PLACE, to, n, MPI_INT, MPI_MIN);
  BOTH(MPI_Scan, from, to, n, MPI_INT, MPI_SUM);
  BOTH(MPI_Exscan, from, to, n, MPI_INT, MPI_SUM);
}

static void product(void *a, void *b, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int *)b)[i] = ((int *)a)[i] * 3 + ((int *)b)[i];
}

int main(int argc, char **argv) {
  check_start(&argc, &argv);
  CHECK(device_begin(world_rank), "no device");
  count_from_here("device_collectives");
  count_from_here("device_kernel_reductions");
  count_from_here("device_staged_buffers");
  MPI_Datatype loose;
  MPI_Type_vector(2, 1, 2, MPI_INT, &loose);
  MPI_Type_create_resized(loose, 0, 16, &loose);
  MPI_Type_commit(&loose);
  for (mixed = 0; mixed < 2; ++mixed) {
    all(3, MPI_INT, 3);
    all(20000, MPI_INT, 20000);
    all(400, loose, 100);
    all(40000, loose, 10000);
  }
  mixed = 0;
  const unsigned long long done = counted("device_collectives"), kernels = counted("device_kernel_reductions"), staged = counted("device_staged_buffers");
  if (world_rank == 0) printf("%llu in device memory, %llu reductions by kernels, %llu buffers staged\n", done, kernels, staged);
  const int by_messages = getenv("OMPI_LITE_DEVICE_COLLECTIVES") != NULL, reduces = !getenv("OMPI_LITE_DEVICE_KERNELS");
  CHECK(by_messages ? done >= (reduces ? 48u : 32u) && (kernels > 10) == reduces : done == 0, "%llu %llu", done, kernels);
  if (by_messages && reduces) CHECK(staged == 0, "%llu buffers staged", staged);
  /* What the device has no kernel for. */
  MPI_Op op;
  MPI_Op_create(product, 0, &op);
  int n = 1000;
  BOTH(MPI_Allreduce, from, to, n, MPI_INT, op);
  MPI_Op_free(&op);
  MPI_Type_free(&loose);
  return check_finish();
}
""")
program = TESTDIR / "collectives"
built = run([*command("MPICC"), "-g", "-O1", "-w", f"-I{os.path.dirname(os.path.abspath(__file__))}/../support", source, "-ldl", "-o", program])
expect(built.code == 0, built, "does not compile")
for np, more in ((2, {"OMPI_LITE_DEVICE_COLLECTIVES": "1"}), (5, {"OMPI_LITE_DEVICE_COLLECTIVES": "1", "FAKE_CUDA_DEVICES": "1"}),
                 (4, {"OMPI_LITE_DEVICE_COLLECTIVES": "1", "OMPI_LITE_DEVICE_PEERS": "0"}),
                 (3, {"OMPI_LITE_DEVICE_COLLECTIVES": "1", "OMPI_LITE_COLL": "allreduce=ring,allgather=bruck,alltoall=bruck,reduce_scatter_block=pairwise"}),
                 (3, {"OMPI_LITE_DEVICE_COLLECTIVES": "1", "OMPI_LITE_DEVICE_KERNELS": "0"}), (3, {})):
    ran = mpirun("-n", np, program, env=environment(**more))
    print(np, more, ran.out, flush=True)
    expect(ran.code == 0 and ran.out.endswith("ok\n"), ran, f"{np} ranks, {more}")
