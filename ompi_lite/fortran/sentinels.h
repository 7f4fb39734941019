// SPDX-License-Identifier: BSD-3-Clause
// The variables that Fortran programs hand over in place of data: MPI_BOTTOM and its kin are recognized by their address. In
// mpif.h each is a common block, in module mpi a variable that is bound to the symbol of that block. Those of mpi_f08 have
// names of their own, as a file may use both modules.
#pragma once

#include "ompi_lite/include/mpi.h"

extern "C" {
extern MPI_Fint mpi_fort_bottom_[1];
extern MPI_Fint mpi_fort_in_place_[1];
extern MPI_Fint mpi_fort_buffer_automatic_[1];
extern MPI_Fint mpi_fort_status_ignore_[MPI_F_STATUS_SIZE];
extern MPI_Fint mpi_fort_statuses_ignore_[MPI_F_STATUS_SIZE];
extern MPI_Fint mpi_fort_errcodes_ignore_[1];
extern MPI_Fint mpi_fort_unweighted_[1];
extern MPI_Fint mpi_fort_weights_empty_[1];
extern char mpi_fort_argv_null_[1];
extern char mpi_fort_argvs_null_[1];
extern MPI_Fint mpi_f08_bottom_[1];
extern MPI_Fint mpi_f08_in_place_[1];
extern MPI_Fint mpi_f08_buffer_automatic_[1];
extern MPI_Fint mpi_f08_status_ignore_[MPI_F_STATUS_SIZE];
extern MPI_Fint mpi_f08_statuses_ignore_[MPI_F_STATUS_SIZE];
extern MPI_Fint mpi_f08_errcodes_ignore_[1];
extern MPI_Fint mpi_f08_unweighted_[1];
extern MPI_Fint mpi_f08_weights_empty_[1];
extern char mpi_f08_argv_null_[1];
extern char mpi_f08_argvs_null_[1];
}
