// SPDX-License-Identifier: BSD-3-Clause
// The functions whose arguments fit no kind of convert.h. Parameters as Fortran passes them, without ierror; each gives
// MPI's error code.
#pragma once

#include <cstddef>

#include "ompi_lite/include/mpi.h"

namespace ompi_lite::fortran {

using Procedure = void();  // of the application; its arguments are those that chapter 19 gives it

// ---- callbacks.cc ----
int op_create(Procedure* user_fn, const int* commute, int* op);
int op_create_c(Procedure* user_fn, const int* commute, int* op);
int comm_create_errhandler(Procedure* function, int* errhandler);
int file_create_errhandler(Procedure* function, int* errhandler);
int session_create_errhandler(Procedure* function, int* errhandler);
int win_create_errhandler(Procedure* function, int* errhandler);
int grequest_start(Procedure* query_fn, Procedure* free_fn, Procedure* cancel_fn, const MPI_Aint* extra_state, int* request);
int register_datarep(const char* datarep, Procedure* read_conversion_fn, Procedure* write_conversion_fn,
                     Procedure* dtype_file_extent_fn, const MPI_Aint* extra_state, std::size_t datarep_length);
int register_datarep_c(const char* datarep, Procedure* read_conversion_fn, Procedure* write_conversion_fn,
                       Procedure* dtype_file_extent_fn, const MPI_Aint* extra_state, std::size_t datarep_length);

// ---- attributes.cc ----
int comm_create_keyval(Procedure* copy_fn, Procedure* delete_fn, int* keyval, const MPI_Aint* extra_state);
int type_create_keyval(Procedure* copy_fn, Procedure* delete_fn, int* keyval, const MPI_Aint* extra_state);
int win_create_keyval(Procedure* copy_fn, Procedure* delete_fn, int* keyval, const MPI_Aint* extra_state);
int keyval_create(Procedure* copy_fn, Procedure* delete_fn, int* keyval, const int* extra_state);
int comm_get_attr(const int* comm, const int* keyval, MPI_Aint* attribute_val, int* flag);
int type_get_attr(const int* datatype, const int* keyval, MPI_Aint* attribute_val, int* flag);
int win_get_attr(const int* win, const int* keyval, MPI_Aint* attribute_val, int* flag);
int attr_get(const int* comm, const int* keyval, int* attribute_val, int* flag);

// ---- strings.cc ----
int info_get(const int* info, const char* key, const int* valuelen, char* value, int* flag, std::size_t key_length,
             std::size_t value_length);
int info_get_string(const int* info, const char* key, int* buflen, char* value, int* flag, std::size_t key_length,
                    std::size_t value_length);
int session_get_nth_pset(const int* session, const int* info, const int* n, int* pset_len, char* pset_name,
                         std::size_t pset_name_length);
int comm_spawn(const char* command, const char* argv, const int* maxprocs, const int* info, const int* root, const int* comm,
               int* intercomm, int* array_of_errcodes, std::size_t command_length, std::size_t argv_length);
int comm_spawn_multiple(const int* count, const char* array_of_commands, const char* array_of_argv,
                        const int* array_of_maxprocs, const int* array_of_info, const int* root, const int* comm,
                        int* intercomm, int* array_of_errcodes, std::size_t commands_length, std::size_t argv_length);
int status_f2f08(const void* f_status, void* f08_status);
int status_f082f(const void* f08_status, void* f_status);

}  // namespace ompi_lite::fortran
