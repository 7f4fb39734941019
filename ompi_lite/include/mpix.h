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

/* As MPI_Op_create and MPI_Comm_create_errhandler. The application keeps what the context points at for as long as the operation or
 * the handler may be used. The context of MPIX_Op_create_x must not be null. */
typedef void MPIX_User_function_x(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype, void *context);
typedef void MPIX_User_function_c_x(void *invec, void *inoutvec, MPI_Count *len, MPI_Datatype *datatype, void *context);
typedef void MPIX_Comm_errhandler_function_x(MPI_Comm *comm, int *error_code, ...);       /* the first of ... is the context */
typedef void MPIX_Win_errhandler_function_x(MPI_Win *win, int *error_code, ...);          /* the same */
typedef void MPIX_File_errhandler_function_x(MPI_File *file, int *error_code, ...);       /* the same */
typedef void MPIX_Session_errhandler_function_x(MPI_Session *session, int *error_code, ...); /* the same */
int MPIX_Op_create_x(MPIX_User_function_x *user_fn, void *context, int commute, MPI_Op *op);
int MPIX_Op_create_c_x(MPIX_User_function_c_x *user_fn, void *context, int commute, MPI_Op *op);
int MPIX_Comm_create_errhandler_x(MPIX_Comm_errhandler_function_x *function, void *context, MPI_Errhandler *errhandler);
int MPIX_Win_create_errhandler_x(MPIX_Win_errhandler_function_x *function, void *context, MPI_Errhandler *errhandler);
int MPIX_File_create_errhandler_x(MPIX_File_errhandler_function_x *function, void *context, MPI_Errhandler *errhandler);
int MPIX_Session_create_errhandler_x(MPIX_Session_errhandler_function_x *function, void *context, MPI_Errhandler *errhandler);

/* 1 if buffers in CUDA device memory may be given to MPI functions in this process, else 0; callable at any time. */
int MPIX_Query_cuda_support(void);

#ifdef __cplusplus
}
#endif

#endif /* OMPI_LITE_MPIX_H */
