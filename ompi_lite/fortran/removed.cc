// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI-1 that MPI-3.0 removed, for programs of that age: extents and displacements are default INTEGERs. Not
// there: MPI_ADDRESS, as no address fits into four bytes, and MPI_LB and MPI_UB.
#include <limits>
#include <vector>

#include "ompi_lite/fortran/convert.h"
#include "ompi_lite/fortran/hand.h"

namespace ompi_lite::fortran {
namespace {

std::vector<MPI_Aint> widened(const int* values, int count) { return {values, values + std::max(count, 0)}; }

// The bounds of a datatype, each as an INTEGER; MPI_ERR_VALUE_TOO_LARGE if it is none.
enum class Bound { lower, upper, extent };
int bound_of(int datatype, Bound wanted, int* place) {
  MPI_Aint lb = 0, extent = 0;
  if (const int code = OLMPI_Type_get_extent(handle<MPI_Datatype>(datatype), &lb, &extent)) return code;
  const MPI_Aint value = wanted == Bound::lower ? lb : wanted == Bound::extent ? extent : lb + extent;
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) return MPI_ERR_VALUE_TOO_LARGE;
  *place = static_cast<int>(value);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace ompi_lite::fortran

using namespace ompi_lite::fortran;

extern "C" {
#pragma GCC visibility push(default)

void mpi_type_extent_(const int* datatype, int* extent, int* ierror) {
  finish(ierror, bound_of(*datatype, Bound::extent, extent));
}
void mpi_type_lb_(const int* datatype, int* displacement, int* ierror) {
  finish(ierror, bound_of(*datatype, Bound::lower, displacement));
}
void mpi_type_ub_(const int* datatype, int* displacement, int* ierror) {
  finish(ierror, bound_of(*datatype, Bound::upper, displacement));
}
void mpi_type_hvector_(const int* count, const int* blocklength, const int* stride, const int* oldtype, int* newtype,
                       int* ierror) {
  finish(ierror, OLMPI_Type_create_hvector(*count, *blocklength, *stride, handle<MPI_Datatype>(*oldtype),
                                           NewHandle<MPI_Datatype>(newtype)));
}
void mpi_type_hindexed_(const int* count, const int* blocklengths, const int* displacements, const int* oldtype,
                        int* newtype, int* ierror) {
  finish(ierror, OLMPI_Type_create_hindexed(*count, blocklengths, widened(displacements, *count).data(),
                                            handle<MPI_Datatype>(*oldtype), NewHandle<MPI_Datatype>(newtype)));
}
void mpi_type_struct_(const int* count, const int* blocklengths, const int* displacements, const int* types, int* newtype,
                      int* ierror) {
  finish(ierror, OLMPI_Type_create_struct(*count, blocklengths, widened(displacements, *count).data(),
                                          Handles<MPI_Datatype>(types, *count), NewHandle<MPI_Datatype>(newtype)));
}
void mpi_errhandler_create_(Procedure* function, int* errhandler, int* ierror) {
  finish(ierror, comm_create_errhandler(function, errhandler));
}
void mpi_errhandler_get_(const int* comm, int* errhandler, int* ierror) {
  finish(ierror, OLMPI_Comm_get_errhandler(handle<MPI_Comm>(*comm), NewHandle<MPI_Errhandler>(errhandler)));
}
void mpi_errhandler_set_(const int* comm, const int* errhandler, int* ierror) {
  finish(ierror, OLMPI_Comm_set_errhandler(handle<MPI_Comm>(*comm), handle<MPI_Errhandler>(*errhandler)));
}
#pragma GCC visibility pop
}
