/* SPDX-License-Identifier: BSD-3-Clause
 * Under this name programs look for MPIX_Query_cuda_support and for what is known of it when they are compiled: the library
 * can always be given device buffers where a driver is, so the answer that counts is that of the function. */
#ifndef OMPI_LITE_MPI_EXT_H
#define OMPI_LITE_MPI_EXT_H

#include <mpix.h>

#define MPIX_CUDA_AWARE_SUPPORT 1

#endif /* OMPI_LITE_MPI_EXT_H */
