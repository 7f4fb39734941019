// SPDX-License-Identifier: BSD-3-Clause
// The info object.
#include "ompi_lite/mpi/info.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ompi_lite/include/mpi.h"

namespace ompi_lite::mpi {
namespace {

Error check_info(const Info* info) {
  if (info == nullptr) return Error(ErrorClass::info, "info is MPI_INFO_NULL");
  return {};
}

Error check_key(const char* key) {
  if (key == nullptr) return Error(ErrorClass::info_key, "key is a null pointer");
  const std::size_t length = std::strlen(key);
  if (length == 0) return Error(ErrorClass::info_key, "key is empty");
  if (length >= MPI_MAX_INFO_KEY)
    return make_error(ErrorClass::info_key, "key has %zu characters, the most is %d", length, MPI_MAX_INFO_KEY - 1);
  return {};
}

Error check_info_and_key(const Info* info, const char* key) {
  if (Error error = check_info(info)) return error;
  return check_key(key);
}

// Copies as much of text as fits into room bytes, ending it with a 0.
void copy_text(char* out, std::size_t room, const std::string& text) {
  if (room == 0) return;
  const std::size_t length = std::min(room - 1, text.size());
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

}  // namespace

Error info_create(Info*& info) {
  info = new Info;
  return {};
}

Error info_dup(Info* info, Info*& newinfo) {
  if (Error error = check_info(info)) return error;
  newinfo = new Info;
  newinfo->entries = info->entries;
  return {};
}

Error info_free(Info*& info) {
  if (Error error = check_info(info)) return error;
  if (info->predefined) return Error(ErrorClass::info, "info is MPI_INFO_ENV, which cannot be freed");
  release(std::exchange(info, nullptr));
  return {};
}

Error info_set(Info* info, const char* key, const char* value) {
  if (Error error = check_info_and_key(info, key)) return error;
  if (info->predefined) return Error(ErrorClass::info, "info is MPI_INFO_ENV, which cannot be changed");
  if (value == nullptr) return Error(ErrorClass::info_value, "value is a null pointer");
  const std::size_t length = std::strlen(value);
  if (length >= MPI_MAX_INFO_VAL)
    return make_error(ErrorClass::info_value, "value of key \"%s\" has %zu characters, the most is %d", key, length, MPI_MAX_INFO_VAL - 1);
  info->set(key, value);
  return {};
}

Error info_delete(Info* info, const char* key) {
  if (Error error = check_info_and_key(info, key)) return error;
  if (info->predefined) return Error(ErrorClass::info, "info is MPI_INFO_ENV, which cannot be changed");
  if (!info->erase(key)) return make_error(ErrorClass::info_nokey, "key \"%s\" is not in the info", key);
  return {};
}

Error info_get(Info* info, const char* key, int valuelen, char* value, bool& flag) {
  if (Error error = check_info_and_key(info, key)) return error;
  if (valuelen < 0) return make_error(ErrorClass::arg, "valuelen is %d", valuelen);
  const std::string* found = info->find(key);
  flag = found != nullptr;
  if (found == nullptr) return {};
  if (value == nullptr) return Error(ErrorClass::info_value, "value is a null pointer");
  copy_text(value, static_cast<std::size_t>(valuelen) + 1, *found);
  return {};
}

Error info_get_string(Info* info, const char* key, int& buflen, char* value, bool& flag) {
  if (Error error = check_info_and_key(info, key)) return error;
  if (buflen < 0) return make_error(ErrorClass::arg, "buflen is %d", buflen);
  const std::string* found = info->find(key);
  flag = found != nullptr;
  if (found == nullptr) return {};
  if (buflen > 0) {
    if (value == nullptr) return Error(ErrorClass::info_value, "value is a null pointer");
    copy_text(value, static_cast<std::size_t>(buflen), *found);
  }
  buflen = static_cast<int>(found->size()) + 1;
  return {};
}

Error info_get_valuelen(Info* info, const char* key, int& valuelen, bool& flag) {
  if (Error error = check_info_and_key(info, key)) return error;
  const std::string* found = info->find(key);
  flag = found != nullptr;
  if (found != nullptr) valuelen = static_cast<int>(found->size());
  return {};
}

Error info_get_nkeys(Info* info, int& nkeys) {
  if (Error error = check_info(info)) return error;
  nkeys = static_cast<int>(info->entries.size());
  return {};
}

Error info_get_nthkey(Info* info, int n, char* key) {
  if (Error error = check_info(info)) return error;
  if (key == nullptr) return Error(ErrorClass::info_key, "key is a null pointer");
  if (n < 0 || static_cast<std::size_t>(n) >= info->entries.size())
    return make_error(ErrorClass::arg, "n is %d, but the info has %zu keys", n, info->entries.size());
  copy_text(key, MPI_MAX_INFO_KEY, info->entries[static_cast<std::size_t>(n)].key);
  return {};
}

Error info_create_env(int argc, char** argv, Info*& info) {
  info = new Info;
  info->entries = environment_info().entries;
  if (argc > 0 && argv != nullptr && argv[0] != nullptr && info->find("command") == nullptr) info->set("command", argv[0]);
  return {};
}

}  // namespace ompi_lite::mpi
