# SPDX-License-Identifier: BSD-3-Clause
"""G04: pretended device memory, where any touch by the host is a SIGSEGV: what the table of all functions does not try."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from fake_driver import environment
from launching import TESTDIR, command, expect, mpirun, run

source = TESTDIR / "pretend.c"
source.write_text(r"""
#include "check.h"
#include "device.h"
#include <mpix.h>
#include <pthread.h>
#include <unistd.h>

static int left, right;
static void *in(enum space space, const int *values, int n) {
  void *made = space_alloc(space, (size_t)n * sizeof(int));
  space_copy(made, values, (size_t)n * sizeof(int));
  return made;
}
static void expect_ints(const void *place, const int *wanted, int n, const char *what) {
  int got[64];
  space_copy(got, place, (size_t)n * sizeof(int));
  for (int i = 0; i < n; ++i) CHECK(got[i] == wanted[i], "%s: [%d] is %d, expected %d", what, i, got[i], wanted[i]);
}

// One type with blocks in the heap, on the stack and in device memory: each goes where it belongs.
static void mixed_type(void) {
  int on_stack = 10 + world_rank, *on_heap = malloc(sizeof(int)), there[2] = {30 + world_rank, 31 + world_rank}, from[4];
  int *on_device = in(in_device, there, 2);
  *on_heap = 20 + world_rank;
  MPI_Aint places[3];
  MPI_Get_address(&on_stack, &places[0]);
  MPI_Get_address(on_heap, &places[1]);
  MPI_Get_address(on_device, &places[2]);
  MPI_Datatype mixed;
  MPI_Type_create_hindexed(3, (int[]){1, 1, 2}, places, MPI_INT, &mixed);
  MPI_Type_commit(&mixed);
  MPI_Sendrecv(MPI_BOTTOM, 1, mixed, right, 1, from, 4, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(from[0] == 10 + left && from[1] == 20 + left && from[2] == 30 + left && from[3] == 31 + left, "%d %d %d %d", from[0], from[1], from[2], from[3]);
  int back[4] = {1, 2, 3, 4};
  MPI_Sendrecv(back, 4, MPI_INT, right, 1, MPI_BOTTOM, 1, mixed, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(on_stack == 1 && *on_heap == 2, "%d %d", on_stack, *on_heap);
  expect_ints(on_device, (int[]){3, 4}, 2, "mixed type");
  MPI_Type_free(&mixed);
  space_free(in_device, on_device);
  free(on_heap);
}

// A receive leaves alone what it does not write: gaps, and elements beyond a short message. Two receives laced into one buffer.
static void gaps(void) {
  int before[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[4] = {11, 12, 13, 14};
  int *there = in(in_device, before, 8);
  MPI_Datatype even;
  MPI_Type_vector(4, 1, 2, MPI_INT, &even);
  MPI_Type_commit(&even);
  MPI_Request both[2];
  MPI_Irecv(there, 1, even, left, 1, MPI_COMM_WORLD, &both[0]);
  MPI_Irecv(there + 1, 1, even, left, 2, MPI_COMM_WORLD, &both[1]);
  MPI_Send(out, 4, MPI_INT, right, 2, MPI_COMM_WORLD);
  MPI_Wait(&both[1], MPI_STATUS_IGNORE);
  expect_ints(there, (int[]){1, 11, 3, 12, 5, 13, 7, 14}, 8, "the odd ones");
  MPI_Barrier(MPI_COMM_WORLD);  // the other receive may deliver as soon as its message comes
  MPI_Send(before, 2, MPI_INT, right, 1, MPI_COMM_WORLD);
  MPI_Status status;
  int count;
  MPI_Wait(&both[0], &status);
  MPI_Get_elements(&status, even, &count);
  CHECK(count == 2, "%d", count);
  expect_ints(there, (int[]){1, 11, 2, 12, 5, 13, 7, 14}, 8, "the first even ones");
  MPI_Type_free(&even);
  space_free(in_device, there);
}

// An address that was a device's, then another's, then the host's.
static void addresses_again(void) {
  int one = world_rank, two = 100 + world_rank, got;
  int *first = in(in_device, &one, 1);
  MPI_Sendrecv(first, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(got == left, "%d", got);
  space_free(in_device, first);
  CHECK_CLASS(MPI_Send(first, 1, MPI_INT, right, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  int *second = in(in_managed, &two, 1);
  CHECK(second == first, "the driver double gives freed addresses again");
  MPI_Sendrecv(second, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(got == 100 + left, "%d", got);
  space_free(in_managed, second);
  second = in(in_pool, &two, 1);
  MPI_Sendrecv(second, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(got == 100 + left, "%d", got);
  space_free(in_pool, second);
}

// What the application changes after it knows that a request is complete stays as it is.
static void once_only(void) {
  int five = 5, six = 6, flag = 0;
  int *there = in(in_device, &five, 1);
  MPI_Request request;
  MPI_Irecv(there, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
  MPI_Send(&five, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
  while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  space_copy(there, &six, sizeof six);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_ints(there, &six, 1, "after get_status and wait");
  // Freed before it is complete: the data come all the same.
  MPI_Irecv(there, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Send(&five, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0, now = 0; i < 1000 && now != 5; ++i) {
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    space_copy(&now, there, sizeof now);
    if (now != 5) usleep(1000);
    CHECK(now == 5 || i < 999, "%d", now);
  }
  space_free(in_device, there);
}

static void product(void *a, void *b, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int *)b)[i] *= ((int *)a)[i];
}

// The application's own operation gets addresses that it can read. A thread without a context of its own.
static void *elsewhere(void *unused) {
  int mine[2] = {world_rank + 1, 2}, *a = unused, wanted = 1;
  MPI_Op op;
  MPI_Op_create(product, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  for (int i = 1; i <= world_size; ++i) wanted *= i;
  MPI_Reduce(world_rank == 0 ? MPI_IN_PLACE : a, world_rank == 0 ? a : NULL, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Recv(mine, 2, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(a, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_WORLD);
  *(int *)&wanted = wanted;
  return (void *)(size_t)wanted;
}

static void other_thread(enum space space) {
  int mine = world_rank + 1, wanted;
  void *there = in(space, &mine, 1), *result;
  pthread_t thread;
  pthread_create(&thread, NULL, elsewhere, there);
  pthread_join(thread, &result);
  wanted = (int)(size_t)result;
  expect_ints(there, &wanted, 1, "from a thread without context");
  space_free(space, there);
}

// Every predefined operation on every type: in device memory the same bytes as in host memory. Says how many there are.
static int all_reductions(void) {
  static const struct { MPI_Op op; const char *name; } ops[] = {{MPI_SUM, "sum"}, {MPI_MIN, "min"}, {MPI_MAX, "max"}, {MPI_PROD, "prod"},
    {MPI_BAND, "band"}, {MPI_BOR, "bor"}, {MPI_BXOR, "bxor"}, {MPI_LAND, "land"}, {MPI_LOR, "lor"}, {MPI_LXOR, "lxor"},
    {MPI_MINLOC, "minloc"}, {MPI_MAXLOC, "maxloc"}};
  const MPI_Datatype types[] = {MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T,
    MPI_FLOAT, MPI_DOUBLE, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT,
    MPI_2INT, MPI_SHORT_INT, MPI_C_BOOL, MPI_BYTE, MPI_AINT, MPI_COUNT, MPIX_FLOAT16, MPIX_BFLOAT16};
  enum { n = 37, room = n * 32 };
  static unsigned char a[room], b[room], wanted[room], got[room];
  int pairs = 0;
  for (int i = 0; i < room; ++i) a[i] = (unsigned char)(i * 37 % 60), b[i] = (unsigned char)(i * 11 % 60);
  for (unsigned t = 0; t < sizeof types / sizeof types[0]; ++t) {
    for (unsigned o = 0; o < sizeof ops / sizeof ops[0]; ++o) {
      memcpy(wanted, b, room);
      const int on_host = MPI_Reduce_local(a, wanted, n, types[t], ops[o].op);
      void *in_there = space_alloc(in_device, room), *there = space_alloc(in_device, room);
      space_copy(in_there, a, room);
      space_copy(there, b, room);
      const int on_device = MPI_Reduce_local(in_there, there, n, types[t], ops[o].op);
      CHECK(error_class(on_device) == error_class(on_host), "%s on type %u: %s", ops[o].name, t, error_text(on_device));
      space_copy(got, there, room);
      const int wide = types[t] == MPI_DOUBLE_INT || types[t] == MPI_LONG_INT, narrow = types[t] == MPI_SHORT_INT;
      for (int i = 0; i < room; ++i)  /* what lies between the members may be anything */
        if ((wide && i % 16 >= 12) || (narrow && (i % 8) / 2 == 1)) got[i] = wanted[i];
      CHECK(memcmp(got, wanted, room) == 0, "%s on type %u differs", ops[o].name, t);
      pairs += on_host == MPI_SUCCESS;
      space_free(in_device, in_there);
      space_free(in_device, there);
    }
  }
  return pairs;
}

// Larger than what is pinned and kept.
static void large(void) {
  const int n = 17 << 20;
  int *image = malloc((size_t)n * sizeof *image), *there = space_alloc(in_device, (size_t)n * sizeof *image);
  for (int i = 0; i < n; ++i) image[i] = world_rank == 0 ? i : -1;
  space_copy(there, image, (size_t)n * sizeof *image);
  MPI_Bcast(there, n, MPI_INT, 0, MPI_COMM_WORLD);
  space_copy(image, there, (size_t)n * sizeof *image);
  for (int i = 0; i < n; ++i) CHECK(image[i] == i, "[%d] is %d", i, image[i]);
  space_free(in_device, there);
  free(image);
}

static unsigned long long counting_from;
static unsigned long long counted(const char *name, int variable_class) {
  static MPI_T_pvar_session session;
  static MPI_T_pvar_handle handle;
  static int begun;
  unsigned long long value;
  int index, count;
  if (!begun++) {
    MPI_T_pvar_get_index(name, variable_class, &index);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
    MPI_T_pvar_start(session, handle);
  }
  MPI_T_pvar_read(session, handle, &value);
  return value;
}

static unsigned long long pvar(const char *name) {
  int index, count;
  unsigned long long value;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_AGGREGATE, &index);
  MPI_T_pvar_session_create(&session);
  MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
  int big = world_rank;
  void *there = in(in_device, &big, 1);
  MPI_T_pvar_start(session, handle);
  MPI_Bcast(there, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_T_pvar_read(session, handle, &value);
  MPI_T_pvar_session_free(&session);
  space_free(in_device, there);
  return value;
}

int main(int argc, char **argv) {
  int provided;
  check_start(&argc, &argv);
  (void)provided;
  CHECK(device_begin(world_rank), "no device");
  left = (world_rank + world_size - 1) % world_size;
  right = (world_rank + 1) % world_size;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  mixed_type();
  gaps();
  addresses_again();
  once_only();
  large();
  other_thread(in_device);
  other_thread(in_pool);
  void *there = space_alloc(in_device, 100);
  CHECK_CLASS(MPI_Buffer_attach(there, 100), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Send(there, -1, MPI_INT, right, 1, MPI_COMM_WORLD), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Send(there, 1000, MPI_INT, right, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  space_free(in_device, there);
  MPI_Info info;
  char kinds[100] = "";
  int length = sizeof kinds, flag;
  MPI_Comm_get_info(MPI_COMM_WORLD, &info);
  MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &length, kinds, &flag);
  MPI_Info_free(&info);
  CHECK(flag && strcmp(kinds, "system,mpi,cuda,cuda:host,cuda:device,cuda:managed") == 0, "%s", kinds);
  CHECK(MPIX_Query_cuda_support() == 1, "device buffers are taken, but it is denied");
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  CHECK(pvar("device_staged_bytes") >= sizeof(int), "staging is not counted");
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  counting_from = counted("device_kernel_reductions", MPI_T_PVAR_CLASS_COUNTER);
  const int pairs = all_reductions();
  const unsigned long long kernels = counted("device_kernel_reductions", MPI_T_PVAR_CLASS_COUNTER) - counting_from;
  if (world_rank == 0) printf("%d pairs of operation and type, %llu by kernels\n", pairs, kernels);
  CHECK(getenv("OMPI_LITE_DEVICE_KERNELS") ? kernels == 0 : kernels >= 100, "%llu of %d reductions by kernels", kernels, pairs);
  MPI_T_finalize();
  unsigned long long (*contexts)(void);
  *(void **)&contexts = device_function("fake_cuda_contexts");
  CHECK(contexts() == 1, "%llu contexts, one was made by the program", contexts());
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) puts("ok");
  MPI_Finalize();
  return 0;
}
""")
program = TESTDIR / "pretend"
built = run([*command("MPICC"), "-g", f"-I{os.path.dirname(os.path.abspath(__file__))}/../support", source, "-ldl", "-lpthread", "-o", program])
expect(built.code == 0, built, "does not compile")
for np in (2, 3):
    for more in ({}, {"FAKE_CUDA_DEVICES": "1"}, {"OMPI_LITE_DEVICE_KERNELS": "0"}):
        ran = mpirun("-n", np, program, env=environment(**more))
        expect(ran.code == 0 and ran.out.endswith("ok\n"), ran, f"{np} ranks, {more}")
