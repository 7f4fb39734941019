# SPDX-License-Identifier: BSD-3-Clause
"""G06: messages between device buffers go in pieces through pinned memory, or from device to device; which way shows in counters."""
# run: timeout=240
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from fake_driver import environment
from launching import TESTDIR, command, expect, mpirun, run

source = TESTDIR / "messages.c"
source.write_text(r"""
#include "check.h"
#include "counters.h"
#include "device.h"

static int left, right;
// The types of the test: `span` ints hold `data` ints of data, in the order that `at` says.
static MPI_Datatype types[6];
static const char *const type_names[] = {"contiguous", "every other one", "rows of a box", "scattered", "loop of structs", "backwards"};
static void make_types(int n) {
  MPI_Type_contiguous(n, MPI_INT, &types[0]);
  MPI_Type_vector(n, 1, 2, MPI_INT, &types[1]);
  int sizes[3] = {n / 16 + 2, 6, 8}, part[3] = {n / 16, 4, 4}, starts[3] = {1, 1, 2};
  MPI_Type_create_subarray(3, sizes, part, starts, MPI_ORDER_C, MPI_INT, &types[2]);
  int *lengths = must_alloc(sizeof(int) * (size_t)n), *places = must_alloc(sizeof(int) * (size_t)n), blocks = 0;
  for (int done = 0, at = 0; done < n; ++blocks) {
    lengths[blocks] = blocks % 7 + 1 < n - done ? blocks % 7 + 1 : n - done;
    places[blocks] = at;
    at += lengths[blocks] + blocks % 3;
    done += lengths[blocks];
  }
  MPI_Type_indexed(blocks, lengths, places, MPI_INT, &types[3]);
  MPI_Datatype one, padded;
  MPI_Type_create_struct(2, (int[]){1, 3}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_INT}, &one);
  MPI_Type_create_resized(one, 0, 24, &padded);
  MPI_Type_contiguous(n / 4, padded, &types[4]);
  MPI_Type_create_hvector(n, 1, -8, MPI_INT, &types[5]);
  for (int i = 0; i < 6; ++i) MPI_Type_commit(&types[i]);
  MPI_Type_free(&one);
  MPI_Type_free(&padded);
  free(lengths);
  free(places);
}

// A buffer that holds the type: whole image in host memory, copied to and from the space.
struct box { enum space space; char *base; void *data; char *image; size_t bytes; };
static struct box make_box(enum space space, MPI_Datatype type, int salt) {
  MPI_Aint lb, extent;
  MPI_Type_get_true_extent(type, &lb, &extent);
  struct box made = {space, NULL, NULL, NULL, (size_t)extent + 1024};
  made.base = space_alloc(space, made.bytes);
  made.data = made.base + 512 - lb;
  made.image = must_alloc(made.bytes);
  for (size_t i = 0; i < made.bytes; ++i) made.image[i] = (char)mix(i * 31 + (size_t)salt);
  space_copy(made.base, made.image, made.bytes);
  return made;
}
static void end_box(struct box box) {
  space_free(box.space, box.base);
  free(box.image);
}
static void *image_data(struct box *box) { return box->image + ((char *)box->data - box->base); }

// What `box` must hold after a receive of `type` of what `from` held as `from_type`, by packing on the host.
static void expect_box(struct box *box, MPI_Datatype type, struct box *from, MPI_Datatype from_type, const char *what) {
  int bytes, position = 0;
  MPI_Type_size(type, &bytes);
  char *packed = must_alloc((size_t)bytes), *got = must_alloc(box->bytes);
  MPI_Pack(image_data(from), 1, from_type, packed, bytes, &position, MPI_COMM_SELF);
  position = 0;
  MPI_Unpack(packed, bytes, &position, image_data(box), 1, type, MPI_COMM_SELF);
  space_copy(got, box->base, box->bytes);
  for (size_t i = 0; i < box->bytes; ++i)
    CHECK(got[i] == box->image[i], "%s: byte %zu of %zu is %d, expected %d", what, i, box->bytes, got[i], box->image[i]);
  free(packed);
  free(got);
}

// All pairs of types and of spaces around the ring.
static void all_pairs(int n) {
  static const enum space spaces_of[][2] = {{in_device, in_device}, {in_host, in_device}, {in_device, in_host}, {in_pool, in_device}};
  make_types(n);
  for (int pair = 0; pair < 4; ++pair)
    for (int s = 0; s < 6; ++s)
      for (int r = 0; r < 6; ++r) {
        if (n > 1000 && s != 0 && r != 0 && (s + r) % 4 != pair) continue;
        if (n > 100000 && (s * r) % 3 != pair % 3) continue;
        char what[100];
        snprintf(what, sizeof what, "%d ints, %s to %s, pair %d", n, type_names[s], type_names[r], pair);
        struct box out = make_box(spaces_of[pair][0], types[s], world_rank), in = make_box(spaces_of[pair][1], types[r], 77 + world_rank);
        struct box theirs = make_box(in_host, types[s], left);
        MPI_Sendrecv(out.data, 1, types[s], right, 1, in.data, 1, types[r], left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect_box(&in, types[r], &theirs, types[s], what);
        end_box(out);
        end_box(in);
        end_box(theirs);
      }
  for (int i = 0; i < 6; ++i) MPI_Type_free(&types[i]);
}

// Messages that come before their receives, of each mode; one that is cut; to oneself; persistent ones.
static void modes(int n) {
  struct box out, in, theirs;
  make_types(n);
  for (int mode = 0; mode < 6; ++mode) {
    out = make_box(in_device, types[0], world_rank + mode), in = make_box(in_device, types[0], 5), theirs = make_box(in_host, types[0], left + mode);
    MPI_Request request, receive;
    MPI_Status status;
    MPI_Message message;
    int bytes = n * 4 + 1000;
    void *space = malloc((size_t)bytes);
    MPI_Buffer_attach(space, bytes);
    switch (mode) {
      case 0: MPI_Isend(out.data, 1, types[0], right, 1, MPI_COMM_WORLD, &request); break;
      case 1: MPI_Issend(out.data, n, MPI_INT, right, 1, MPI_COMM_WORLD, &request); break;
      case 2: MPI_Ibsend(out.data, 1, types[0], right, 1, MPI_COMM_WORLD, &request); break;
      default: MPI_Send_init(out.data, 1, types[0], right, 1, MPI_COMM_WORLD, &request); MPI_Start(&request); break;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (mode == 4) {
      MPI_Mprobe(left, 1, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(in.data, n, MPI_INT, &message, &status);
    } else if (mode == 5) {
      MPI_Recv_init(in.data, 1, types[0], left, 1, MPI_COMM_WORLD, &receive);
      for (int round = 0; round < 3; ++round) {
        if (round > 0) MPI_Start(&request);
        MPI_Start(&receive);
        MPI_Wait(&receive, &status);
        if (round < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      MPI_Request_free(&receive);
    } else {
      MPI_Recv(in.data, 1, types[0], left, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    }
    int count;
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == n, "mode %d: %d", mode, count);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (mode >= 3) MPI_Request_free(&request);
    MPI_Buffer_detach(&space, &bytes);
    free(space);
    expect_box(&in, types[0], &theirs, types[0], "a mode");
    end_box(out);
    end_box(in);
    end_box(theirs);
  }
  out = make_box(in_device, types[1], 1), in = make_box(in_device, types[4], 2), theirs = make_box(in_host, types[1], 1);
  MPI_Request request;
  MPI_Isend(out.data, 1, types[1], 0, 1, MPI_COMM_SELF, &request);
  CHECK_CLASS(MPI_Recv(in.data, n / 2, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out.data, 1, types[1], 0, 1, in.data, 1, types[4], 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  end_box(in);
  in = make_box(in_device, types[4], 2);
  MPI_Sendrecv(out.data, 1, types[1], 0, 1, in.data, 1, types[4], 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  expect_box(&in, types[4], &theirs, types[1], "to oneself");
  end_box(out);
  end_box(in);
  end_box(theirs);
  for (int i = 0; i < 6; ++i) MPI_Type_free(&types[i]);
}

// Work in the default stream that nobody has waited for is done before the message leaves, whoever reads it.
static void default_stream(int n) {
  int (*copy_async)(device_address, device_address, size_t, void *);
  *(void **)&copy_async = device_function("cuMemcpyAsync");
  int *image = must_alloc(sizeof(int) * (size_t)n), *out = space_alloc(in_device, sizeof(int) * (size_t)n), *stale = space_alloc(in_device, sizeof(int) * (size_t)n);
  int *in = space_alloc(in_device, sizeof(int) * (size_t)n);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < n; ++i) image[i] = world_rank * 100 + round + i;
    space_copy(stale, image, sizeof(int) * (size_t)n);
    for (int i = 0; i < 8; ++i) copy_async((device_address)(size_t)out, (device_address)(size_t)stale, sizeof(int) * (size_t)n, NULL);
    MPI_Sendrecv(out, n, MPI_INT, right, 1, in, n, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    space_copy(image, in, sizeof(int) * (size_t)n);
    for (int i = 0; i < n; ++i) CHECK(image[i] == left * 100 + round + i, "round %d: [%d] is %d", round, i, image[i]);
  }
  space_free(in_device, in);
  space_free(in_device, out);
  space_free(in_device, stale);
  free(image);
}

// Addresses that are given again, parts of one allocation, more allocations than stay mapped.
static void addresses(int n) {
  int *image = must_alloc(sizeof(int) * (size_t)n), *in = space_alloc(in_device, sizeof(int) * (size_t)n), *kept[12];
  for (int round = 0; round < 12; ++round) {
    int *out = space_alloc(in_device, sizeof(int) * (size_t)n);
    for (int i = 0; i < n; ++i) image[i] = world_rank * 1000 + round * 17 + i;
    space_copy(out, image, sizeof(int) * (size_t)n);
    MPI_Sendrecv(out + round, n - round, MPI_INT, right, 1, in, n, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    space_copy(image, in, sizeof(int) * (size_t)n);
    for (int i = 0; i + round < n; ++i) CHECK(image[i] == left * 1000 + round * 18 + i, "allocation %d: [%d] is %d", round, i, image[i]);
    if (round % 2)
      kept[round / 2] = out;
    else
      space_free(in_device, out);
  }
  for (int i = 0; i < 6; ++i) space_free(in_device, kept[i]);
  space_free(in_device, in);
  free(image);
}

int main(int argc, char **argv) {
  check_start(&argc, &argv);
  CHECK(device_begin(world_rank), "no device");
  static const char *const names[] = {"device_staged_buffers", "device_piped_messages", "device_peer_messages", "device_peer_opened", "device_peer_closed"};
  for (int i = 0; i < 5; ++i) count_from_here(names[i]);
  errors_return(MPI_COMM_SELF);
  left = (world_rank + world_size - 1) % world_size;
  right = (world_rank + 1) % world_size;
  if (argc < 2) all_pairs(64);
  all_pairs(16 * 1024);
  if (argc < 2) all_pairs(16 * 12 * 1024);
  modes(64);
  modes(16 * 4096);
  default_stream(64);
  default_stream(16 * 16 * 1024);
  addresses(100);
  addresses(50000);
  const unsigned long long staged = counted("device_staged_buffers"), piped = counted("device_piped_messages"), peer = counted("device_peer_messages"),
                           opened = counted("device_peer_opened"), closed = counted("device_peer_closed");
  if (world_rank == 0) printf("%llu staged, %llu in pieces, %llu from device to device, %llu mapped, %llu closed\n", staged, piped, peer, opened, closed);
  const int peers = !getenv("OMPI_LITE_DEVICE_PEERS"), pipeline = !getenv("OMPI_LITE_DEVICE_PIPELINE");
  CHECK(pipeline ? piped > 100 && staged == 0 : piped == 0 && staged > 100, "%llu messages in pieces, %llu buffers staged", piped, staged);
  CHECK(peers && pipeline ? peer > 20 : peer == 0, "%llu messages from device to device", peer);
  CHECK(opened - closed <= (getenv("OMPI_LITE_DEVICE_PEERS_MAPPED") ? (unsigned)atoi(getenv("OMPI_LITE_DEVICE_PEERS_MAPPED")) : 64u), "%llu %llu", opened, closed);
  return check_finish();
}
""")
program = TESTDIR / "messages"
built = run([*command("MPICC"), "-g", "-O1", f"-I{os.path.dirname(os.path.abspath(__file__))}/../support", source, "-ldl", "-o", program])
expect(built.code == 0, built, "does not compile")
for np, more in ((2, {}), (3, {"FAKE_CUDA_DEVICES": "1", "OMPI_LITE_DEVICE_PIECE_BYTES": "64k"}), (2, {"OMPI_LITE_DEVICE_PEERS": "0", "OMPI_LITE_DEVICE_PIECES": "2"}),
                 (2, {"OMPI_LITE_DEVICE_PEERS_MAPPED": "2"}), (2, {"OMPI_LITE_DEVICE_PEERS_MAPPED": "0", "OMPI_LITE_DEVICE_PEERS_FROM": "1"}),
                 (2, {"OMPI_LITE_TRANSPORTS": "self,tcp"}), (2, {"OMPI_LITE_DEVICE_PIPELINE": "0"})):
    if "OMPI_LITE_TRANSPORTS" in more:
        more = more | {"OMPI_LITE_DEVICE_PEERS": "0"}  # for the program: no process is near
    ran = mpirun("-n", np, program, *(["short"] if np == 2 and more else []), env=environment(**more))
    print(np, more, ran.out, flush=True)
    expect(ran.code == 0 and ran.out.endswith("ok\n"), ran, f"{np} ranks, {more}")
