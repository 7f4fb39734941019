# SPDX-License-Identifier: BSD-3-Clause
# The public headers.
include_HEADERS += ompi_lite/include/mpi.h ompi_lite/include/mpi_removed.h ompi_lite/include/mpix.h ompi_lite/include/mpi-ext.h
