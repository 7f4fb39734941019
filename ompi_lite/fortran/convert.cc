// SPDX-License-Identifier: BSD-3-Clause
// The variables that stand for something else, and the conversions that are too long for a header.
#include "ompi_lite/fortran/convert.h"

extern "C" {
#pragma GCC visibility push(default)
// As compilers align common blocks, which take the place of these.
alignas(16) MPI_Fint mpi_fort_bottom_[1];
alignas(16) MPI_Fint mpi_fort_in_place_[1];
alignas(16) MPI_Fint mpi_fort_buffer_automatic_[1];
alignas(16) MPI_Fint mpi_fort_status_ignore_[MPI_F_STATUS_SIZE];
alignas(16) MPI_Fint mpi_fort_statuses_ignore_[MPI_F_STATUS_SIZE];
alignas(16) MPI_Fint mpi_fort_errcodes_ignore_[1];
alignas(16) MPI_Fint mpi_fort_unweighted_[1];
alignas(16) MPI_Fint mpi_fort_weights_empty_[1];
alignas(16) char mpi_fort_argv_null_[1] = {' '};
alignas(16) char mpi_fort_argvs_null_[1] = {' '};
alignas(16) MPI_Fint mpi_f08_bottom_[1];
alignas(16) MPI_Fint mpi_f08_in_place_[1];
alignas(16) MPI_Fint mpi_f08_buffer_automatic_[1];
alignas(16) MPI_Fint mpi_f08_status_ignore_[MPI_F_STATUS_SIZE];
alignas(16) MPI_Fint mpi_f08_statuses_ignore_[MPI_F_STATUS_SIZE];
alignas(16) MPI_Fint mpi_f08_errcodes_ignore_[1];
alignas(16) MPI_Fint mpi_f08_unweighted_[1];
alignas(16) MPI_Fint mpi_f08_weights_empty_[1];
alignas(16) char mpi_f08_argv_null_[1] = {' '};
alignas(16) char mpi_f08_argvs_null_[1] = {' '};
#pragma GCC visibility pop
}

namespace ompi_lite::fortran {

int member_count(int comm, const void* buffer) {
  if (buffer == mpi_fort_in_place_ || buffer == mpi_f08_in_place_) return 0;
  const MPI_Comm asked = handle<MPI_Comm>(comm);
  int inter = 0, size = 0;
  if (asked == MPI_COMM_NULL || OLMPI_Comm_test_inter(asked, &inter) != MPI_SUCCESS) return 0;
  if ((inter != 0 ? OLMPI_Comm_remote_size(asked, &size) : OLMPI_Comm_size(asked, &size)) != MPI_SUCCESS) return 0;
  return size;
}

namespace {

struct Degrees {
  int in = 0, out = 0;
};

Degrees degrees_of(int comm) {
  const MPI_Comm asked = handle<MPI_Comm>(comm);
  Degrees degrees;
  int kind = MPI_UNDEFINED, rank = 0, weighted = 0;
  if (asked == MPI_COMM_NULL || OLMPI_Topo_test(asked, &kind) != MPI_SUCCESS) return degrees;
  if (kind == MPI_CART) {
    if (OLMPI_Cartdim_get(asked, &degrees.in) != MPI_SUCCESS) return {};
    degrees.in *= 2;
    degrees.out = degrees.in;
  } else if (kind == MPI_GRAPH) {
    if (OLMPI_Comm_rank(asked, &rank) != MPI_SUCCESS) return {};
    if (OLMPI_Graph_neighbors_count(asked, rank, &degrees.in) != MPI_SUCCESS) return {};
    degrees.out = degrees.in;
  } else if (kind == MPI_DIST_GRAPH) {
    if (OLMPI_Dist_graph_neighbors_count(asked, &degrees.in, &degrees.out, &weighted) != MPI_SUCCESS) return {};
  }
  return degrees;
}

}  // namespace

int source_count(int comm) { return degrees_of(comm).in; }
int destination_count(int comm) { return degrees_of(comm).out; }

void store_padded(const char* text, char* place, std::size_t length) {
  const std::size_t used = std::min(std::strlen(text), length);
  std::memcpy(place, text, used);
  std::memset(place + used, ' ', length - used);
}

}  // namespace ompi_lite::fortran
