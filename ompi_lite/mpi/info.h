// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, chapter 10: the info object.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/info.h"

namespace ompi_lite::mpi {

Error info_create(Info*& info);
Error info_dup(Info* info, Info*& newinfo);
Error info_free(Info*& info);
Error info_set(Info* info, const char* key, const char* value);
Error info_delete(Info* info, const char* key);                                          // MPI_ERR_INFO_NOKEY if absent
Error info_get(Info* info, const char* key, int valuelen, char* value, bool& flag);      // value holds valuelen + 1 bytes
Error info_get_string(Info* info, const char* key, int& buflen, char* value, bool& flag);  // buflen in and out counts the 0
Error info_get_valuelen(Info* info, const char* key, int& valuelen, bool& flag);
Error info_get_nkeys(Info* info, int& nkeys);
Error info_get_nthkey(Info* info, int n, char* key);  // key holds MPI_MAX_INFO_KEY bytes
// What the standard lets a library tell about the start of the program, section 10.
Error info_create_env(int argc, char** argv, Info*& info);

}  // namespace ompi_lite::mpi
