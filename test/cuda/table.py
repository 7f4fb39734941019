#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function with a buffer argument, with buffers in every kind of memory.

Writes a C program with one row for each such function of mpi.h that is built, found as the generator of the entry points finds
buffers. A row makes the call; the program compares what it leaves in all buffers with what the same call leaves in host memory.
A function for which no row can be written fails the test. Runs it on the driver double (TOP_BUILDDIR/test/fake), or with
--real on the driver that is here.
"""

import argparse
import importlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(os.environ.get("TOP_SRCDIR", pathlib.Path(__file__).resolve().parents[2]))
SKIPPED = 77

HEAD = r"""
#include <mpi.h>
#include "device.h"

#define MOST_RANKS 8
static int rank, size, left, right, elements, failures, bytes;
static MPI_Comm comm, ring;
static MPI_Datatype type;
static int counts[MOST_RANKS], displs[MOST_RANKS], byte_displs[MOST_RANKS];
static MPI_Count counts_c[MOST_RANKS];
static MPI_Aint displs_c[MOST_RANKS], byte_displs_c[MOST_RANKS];
static MPI_Datatype types[MOST_RANKS];
struct row { const char *name; void (*call)(void *s, void *r); int reduces, in_place; };
static void done(int code) { if (code != MPI_SUCCESS) { fprintf(stderr, "error %d\n", code); MPI_Abort(MPI_COMM_WORLD, 1); } }
static void finish(MPI_Request *request, int persistent) {
  for (int round = 0; round < 1 + persistent; ++round) {
    if (persistent) done(MPI_Start(request));
    done(MPI_Wait(request, MPI_STATUS_IGNORE));
  }
  if (persistent) done(MPI_Request_free(request));
}
"""

MAIN = r"""
static const struct { enum space s, r; } pairs[] = {{in_device, in_device}, {in_host, in_device}, {in_device, in_host},
  {in_pinned, in_managed}, {in_managed, in_device}, {in_pool, in_pinned}, {in_device, in_pool}};
enum { pairs_number = sizeof pairs / sizeof pairs[0], most = 3000 };

static void fill(int *image, int salt) {
  for (int i = 0; i < bytes / (int)sizeof(int); ++i) image[i] = (i * 7 + salt * 13 + rank * 5) % 1000;
}
static void run(const struct row *row, enum space s_space, enum space r_space, int *s_image, int *r_image) {
  void *s = space_alloc(s_space, bytes), *r = space_alloc(r_space, bytes);
  fill(s_image, 1);
  fill(r_image, 2);
  space_copy(s, s_image, bytes);
  space_copy(r, r_image, bytes);
  row->call(s, r);
  space_copy(s_image, s, bytes);
  space_copy(r_image, r, bytes);
  space_free(s_space, s);
  space_free(r_space, r);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!device_begin(rank)) { printf("no device\n"); MPI_Finalize(); return 77; }
  comm = MPI_COMM_WORLD;
  bytes = most * 3 * 4 * (size + 1);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  MPI_Cart_create(comm, 1, &size, (int[]){1}, 0, &ring);
  MPI_Datatype vector;
  MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  MPI_Buffer_attach(malloc((size_t)bytes + 100000), bytes + 100000);
  int *expected_s = malloc(bytes), *expected_r = malloc(bytes), *s_image = malloc(bytes), *r_image = malloc(bytes);
  int cells = 0;
  for (int shape = 0; shape < 4; ++shape) {
    int derived = shape & 1;
    elements = shape & 2 ? most / 2 : 3;
    type = derived ? vector : MPI_INT;
    MPI_Aint lb, extent;
    MPI_Type_get_extent(type, &lb, &extent);
    for (int i = 0; i < size; ++i) {
      counts[i] = elements;
      displs[i] = i * elements;
      byte_displs[i] = (int)(i * elements * extent);
      counts_c[i] = counts[i];
      displs_c[i] = displs[i];
      byte_displs_c[i] = byte_displs[i];
      types[i] = type;
    }
    for (const struct row *row = rows; row->name; ++row) {
      if (derived && row->reduces) {
        type = MPI_INT;
      } else {
        type = derived ? vector : MPI_INT;
      }
      if (rank == 0 && getenv("SHOW_ROWS")) fprintf(stderr, "%s\n", row->name);
      run(row, in_host, in_host, expected_s, expected_r);
      for (int pair = 0; pair <= pairs_number; ++pair) {
        int mixed = pair == pairs_number;  /* other memory on every rank */
        if (pair > 0 && !mixed && pair != 1 + (row - rows) % (pairs_number - 1)) continue;  /* each row another one */
        enum space s = pairs[mixed ? rank % pairs_number : pair].s, r = pairs[mixed ? rank % pairs_number : pair].r;
        run(row, s, r, s_image, r_image);
        ++cells;
        if (memcmp(s_image, expected_s, (size_t)bytes) == 0 && memcmp(r_image, expected_r, bytes) == 0) continue;
        int at = 0, which = memcmp(r_image, expected_r, bytes) != 0;
        const int *got = which ? r_image : s_image, *wanted = which ? expected_r : expected_s;
        while (got[at] == wanted[at]) ++at;
        fprintf(stderr, "rank %d: %s from %s to %s memory, %d elements of the %s type: word %d of the %s buffer is %d, not %d\n", rank, row->name,
                space_names[s], space_names[r], elements, derived ? "vector" : "int", at, which ? "second" : "first", got[at], wanted[at]);
        ++failures;
      }
    }
  }
  void *released;
  int ignored;
  MPI_Buffer_detach(&released, &ignored);
  free(released);
  MPI_Type_free(&vector);
  MPI_Comm_free(&ring);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d cells on each of %d ranks\n%s\n", cells, size, failures ? "FAILED" : "ok");
  MPI_Finalize();
  return failures != 0;
}
"""

# How a parameter is spelled in a call; the first that fits. `@` is for the form with MPI_Count.
PARAMETERS = [
    ("*", "op", "MPI_SUM"), ("*", "root", "0"), ("*", "dest", "right"), ("*", "source", "left"), ("*", "tag sendtag recvtag", "7"),
    ("*", "info", "MPI_INFO_NULL"), ("*", "status", "MPI_STATUS_IGNORE"), ("*", "request", "&request"), ("*", "message", "&message"),
    ("*", "datarep", '"external32"'), ("*", "position", "&position"), ("*", "outsize insize", "bytes"), ("*", "partitions", "3"),
    ("Neighbor_* Ineighbor_*", "comm", "ring"), ("*", "comm", "comm"),
    ("*", "sendbuf inbuf", "s"), ("*", "recvbuf outbuf inoutbuf buffer", "r"),
    ("Neighbor_alltoallw* Ineighbor_alltoallw*", "sdispls rdispls", "byte_displs_c"), ("*lltoallw*", "sdispls rdispls", "byte_displs@"), ("*", "sdispls rdispls displs", "displs@"),
    ("*", "sendcounts recvcounts", "counts@"), ("*", "sendtypes recvtypes", "types"),
    ("*", "datatype sendtype recvtype", "type"), ("Psend* Precv*", "count", "elements / 3"), ("*", "*count", "elements"),
]
# Functions of one side need the other; `call` stands for the call. Sends go to the right, receives come from the left.
OTHER_SIDE = [
    ("*recv_replace* *ecvreplace*", "call"),
    ("Send* Bsend* Ssend* Isend Isend_c Ibsend* Issend* Rsend* Irsend*",
     "done(MPI_Irecv(r, elements, type, left, 7, comm, &other)); done(MPI_Barrier(comm)); call done(MPI_Wait(&other, MPI_STATUS_IGNORE));"),
    ("Mrecv* Imrecv*", "done(MPI_Isend(s, elements, type, right, 7, comm, &other)); done(MPI_Mprobe(left, 7, comm, &message, MPI_STATUS_IGNORE)); "
     "call done(MPI_Wait(&other, MPI_STATUS_IGNORE));"),
    ("Recv* Irecv*", "done(MPI_Isend(s, elements, type, right, 7, comm, &other)); call done(MPI_Wait(&other, MPI_STATUS_IGNORE));"),
]
# Whole rows.
WRITTEN = {
    "partitioned": """  MPI_Request both[2];
  done({send}(s, 3, elements / 3, type, right, 7, comm, MPI_INFO_NULL, &both[0]));
  done({receive}(r, 3, elements / 3, type, left, 7, comm, MPI_INFO_NULL, &both[1]));
  for (int round = 0; round < 2; ++round) {{
    int here = 0;
    done(MPI_Startall(2, both));
    done(MPI_Pready(2, both[0]));
    done(MPI_Pready_range(0, 1, both[0]));
    while (!here) done(MPI_Parrived(both[1], 1, &here));
    done(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
  }}
  done(MPI_Request_free(&both[0]));
  done(MPI_Request_free(&both[1]));
""",
    "unpack": """  MPI_Count c_position = 0;
  int i_position = 0;
  (void)c_position, (void)i_position;
  void *packed = calloc(1, bytes), *image = malloc(bytes);
  space_copy(image, s, bytes);
  {pack}
  space_copy(s, packed, bytes / 2);
  {position} = 0;
  {unpack}
  free(packed);
  free(image);
""",
}
PERSISTENT_IN_PLACE = ("Alltoall", "Allgather", "Allreduce", "Scan", "Exscan", "Reduce_scatter")


def generator():
    sys.path.insert(0, str(TOP / "ompi_lite/abi"))
    return importlib.import_module("generate")


def spelled(gen, function, parameter):
    for functions, names, text in PARAMETERS:
        if gen.matches(function, functions.split()) and gen.matches(parameter, names.split()):
            return text.replace("@", "_c" if function.endswith("_c") else "")
    return None


def plain_call(gen, one, changes=None):
    words = []
    for parameter in one.parameters:
        text = (changes or {}).get(parameter.name) or spelled(gen, one.name, parameter.name)
        if parameter.name == "buf":
            text = "s" if parameter.type == "const void*" else "r"
        if text is None:
            raise SystemExit(f"table.py knows no value for {parameter.name} of MPI_{one.name}")
        words.append(text)
    return f"done(MPI_{one.name}({', '.join(words)}));"


def row(gen, one, changes=None):
    """The text of a row's function."""
    name, large = one.name, one.name.endswith("_c")
    if name.startswith(("Psend", "Precv")):
        suffix = "_c" if large else ""
        return WRITTEN["partitioned"].format(send="MPI_Psend_init" + suffix, receive="MPI_Precv_init" + suffix)
    if name.startswith("Unpack"):
        position = "c_position" if "external" in name or large else "i_position"
        pack = plain_call(gen, gen.by_name[name.replace("Unpack", "Pack")], {"inbuf": "image", "outbuf": "packed", "position": "&" + position})
        return WRITTEN["unpack"].format(pack=pack, unpack=plain_call(gen, one, {"position": "&" + position}), position=position)
    text = plain_call(gen, one, changes)
    if any(parameter.type == "MPI_Request*" for parameter in one.parameters):
        text += f" finish(&request, {1 if '_init' in name else 0});"
    for functions, around in OTHER_SIDE:
        if not gen.matches(name, functions.split()) or name.startswith("Sendrecv"):
            continue
        if "_init" in name:  # a message of the other side in each round
            call = plain_call(gen, one, changes)
            again = around.replace("call", "done(MPI_Start(&request)); done(MPI_Wait(&request, MPI_STATUS_IGNORE));", 1)
            text = f"{call} for (int round = 0; round < 2; ++round) {{ {again} }} done(MPI_Request_free(&request));"
        elif around != "call":
            text = around.replace("call", text, 1)
        break
    position = next((parameter for parameter in one.parameters if parameter.name == "position"), None)
    kind = position.type.rstrip("*") if position else "int"
    return (f"  MPI_Request request, other;\n  MPI_Message message;\n  {kind} position = 0;\n"
            f"  (void)request, (void)other, (void)message, (void)position;\n  {text}\n")


def buffer_names(gen, one):
    return [parameter.name for parameter in one.parameters
            if parameter.type in ("void*", "const void*") and parameter.name in ("buf", "buffer", "sendbuf", "recvbuf", "inbuf", "outbuf", "inoutbuf")]


def wanted(gen, rules, semantics):
    """The prototypes with a buffer of the application's data behind which something stands."""
    for one in gen.by_name.values():
        if one.name.startswith("T_") or semantics.behind(rules, one.name) is None or not buffer_names(gen, one):
            continue
        if gen.matches(one.name, ["*ttach*"]):  # memory for the library: a case of its own
            continue
        yield one


def program(gen):
    rules = gen.Rules((gen.ABI / "kinds.rules").read_text())
    semantics = gen.Semantics()
    gen.by_name = {one.name: one for one in gen.read_prototypes()}
    texts, entries = [], []
    for one in wanted(gen, rules, semantics):
        reduces = int(any(parameter.name == "op" for parameter in one.parameters))
        variants = [("", None)]
        use = rules.use(one.name, "sendbuf") if "sendbuf" in buffer_names(gen, one) else ""
        if use.startswith("in_place"):
            variants.append(("_in_place", {"sendbuf": "MPI_IN_PLACE"}))
        elif use == "leaf":  # gather and reduce, in place at the root
            variants.append(("_in_place", {"sendbuf": "rank == 0 ? MPI_IN_PLACE : s"}))
        elif rules.use(one.name, "recvbuf") == "leaf":
            variants.append(("_in_place", {"recvbuf": "rank == 0 ? MPI_IN_PLACE : r"}))
        for suffix, changes in variants:
            texts.append(f"static void call_{one.name}{suffix}(void *s, void *r) {{\n  (void)s, (void)r;\n{row(gen, one, changes)}}}\n")
            entries.append(f'  {{"MPI_{one.name}{suffix.replace("_", " ")}", call_{one.name}{suffix}, {reduces}, {int(bool(suffix))}}},\n')
    table = "static const struct row rows[] = {\n" + "".join(entries) + "  {0, 0, 0, 0}};\n"
    return HEAD + "\n".join(texts) + table + MAIN, len(entries)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prefix", default=os.environ.get("PREFIX", ""))
    parser.add_argument("--real", action="store_true", help="on the driver that is here")
    parser.add_argument("--np", default="2,3,4")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for each number of ranks")
    parser.add_argument("--keep", help="leave the program here")
    given = parser.parse_args()
    text, number = program(generator())
    print(f"{number} rows", flush=True)
    bin_folder, environment = pathlib.Path(given.prefix) / "bin", dict(os.environ)
    if not given.real:
        fake = pathlib.Path(os.environ["TOP_BUILDDIR"]) / "test/fake"
        environment["LD_LIBRARY_PATH"] = f"{fake}:{environment.get('LD_LIBRARY_PATH', '')}"
        environment["OMPI_LITE_DEVICE_PLUGIN"] = str(fake / "libtest_cuda.so")
        environment["OMPI_LITE_DEVICE"] = "cuda"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(given.keep or folder) / "table.c"
        source.write_text(text)
        subprocess.run([bin_folder / "mpicc", "-g", "-O1", "-Wall", f"-I{TOP}/test/support", source, "-ldl", "-o", source.with_suffix("")], check=True)
        for np in given.np.split(","):
            ended = subprocess.run([bin_folder / "mpirun", "-n", np, source.with_suffix("")], env=environment, timeout=given.timeout)
            if ended.returncode:
                print(f"at {np} ranks: exit status {ended.returncode}")
                return ended.returncode if ended.returncode == SKIPPED else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
