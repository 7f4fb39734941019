// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, chapter 9: error handlers, classes, codes and strings.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::mpi {

Error comm_create_errhandler(Callback function, Errhandler*& errhandler);
Error win_create_errhandler(Callback function, Errhandler*& errhandler);
Error file_create_errhandler(Callback function, Errhandler*& errhandler);
Error session_create_errhandler(Callback function, Errhandler*& errhandler);
Error comm_set_errhandler(Communicator& comm, Errhandler& errhandler);
Error comm_get_errhandler(Communicator& comm, Errhandler*& errhandler);
Error errhandler_free(Errhandler*& errhandler);

// These may be called before MPI_Init and after MPI_Finalize, from any thread.
Error error_class(int code, int& error_class);
Error error_string(int code, char* text, int& length);  // text holds MPI_MAX_ERROR_STRING bytes
Error add_error_class(int& error_class);
Error add_error_code(int error_class, int& code);
Error add_error_string(int code, const char* text);
Error remove_error_class(int error_class);
Error remove_error_code(int code);
Error remove_error_string(int code);

// "MPI_ERR_RANK" for a class of the standard, else nullptr.
const char* error_class_name(int error_class);

}  // namespace ompi_lite::mpi
