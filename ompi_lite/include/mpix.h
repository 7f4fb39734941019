/* SPDX-License-Identifier: BSD-3-Clause
 * Extensions of ompi-lite to MPI: callbacks that carry a context pointer, and questions about devices.
 * The _x forms take the function of the plain form with one more last argument, the context that was given here. */
#ifndef OMPI_LITE_MPIX_H
#define OMPI_LITE_MPIX_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 if buffers in CUDA device memory may be given to MPI functions in this process, else 0; callable at any time. */
int MPIX_Query_cuda_support(void);

#ifdef __cplusplus
}
#endif

#endif /* OMPI_LITE_MPIX_H */
