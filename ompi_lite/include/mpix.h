/* SPDX-License-Identifier: BSD-3-Clause
 * Extensions of ompi-lite to MPI: callbacks that carry a context pointer, and questions about devices.
 * The _x forms take the function of the plain form with one more last argument, the context that was given here. */
#ifndef OMPI_LITE_MPIX_H
#define OMPI_LITE_MPIX_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of 16 bits: IEEE binary16 (1 sign, 5 exponent and 10 fraction bits; _Float16 of C) and the upper half of a binary32
 * (1, 8 and 7). MPI_SUM, MPI_PROD, MPI_MIN and MPI_MAX are defined for them: two values are widened to binary32 and the result is
 * rounded to nearest, ties to even, after each operation, so all ranks get the same bits. */
#define MPIX_FLOAT16 ((MPI_Datatype)0xf0a)
#define MPIX_BFLOAT16 ((MPI_Datatype)0xf0b)

/* 1 if buffers in CUDA device memory may be given to MPI functions in this process, else 0; callable at any time. */
int MPIX_Query_cuda_support(void);

#ifdef __cplusplus
}
#endif

#endif /* OMPI_LITE_MPIX_H */
