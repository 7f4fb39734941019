// SPDX-License-Identifier: BSD-3-Clause
// Error handlers, classes, codes and strings.
#include "ompi_lite/mpi/errors.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "ompi_lite/include/mpi.h"

namespace ompi_lite::mpi {
namespace {

struct ClassText {
  int error_class;
  const char* name;
  const char* text;
};

constexpr ClassText kClasses[] = {
    {MPI_SUCCESS, "MPI_SUCCESS", "no error"},
    {MPI_ERR_BUFFER, "MPI_ERR_BUFFER", "invalid buffer pointer"},
    {MPI_ERR_COUNT, "MPI_ERR_COUNT", "invalid count"},
    {MPI_ERR_TYPE, "MPI_ERR_TYPE", "invalid datatype"},
    {MPI_ERR_TAG, "MPI_ERR_TAG", "invalid tag"},
    {MPI_ERR_COMM, "MPI_ERR_COMM", "invalid communicator"},
    {MPI_ERR_RANK, "MPI_ERR_RANK", "invalid rank"},
    {MPI_ERR_REQUEST, "MPI_ERR_REQUEST", "invalid request"},
    {MPI_ERR_ROOT, "MPI_ERR_ROOT", "invalid root"},
    {MPI_ERR_GROUP, "MPI_ERR_GROUP", "invalid group"},
    {MPI_ERR_OP, "MPI_ERR_OP", "invalid reduction operation"},
    {MPI_ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY", "invalid topology"},
    {MPI_ERR_DIMS, "MPI_ERR_DIMS", "invalid dimensions"},
    {MPI_ERR_ARG, "MPI_ERR_ARG", "invalid argument"},
    {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN", "unknown error"},
    {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE", "message longer than the receive buffer"},
    {MPI_ERR_OTHER, "MPI_ERR_OTHER", "another error than the classes name"},
    {MPI_ERR_INTERN, "MPI_ERR_INTERN", "internal error of the library"},
    {MPI_ERR_PENDING, "MPI_ERR_PENDING", "operation not complete yet"},
    {MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS", "error code is in the status"},
    {MPI_ERR_ACCESS, "MPI_ERR_ACCESS", "permission denied"},
    {MPI_ERR_AMODE, "MPI_ERR_AMODE", "invalid access mode of a file"},
    {MPI_ERR_ASSERT, "MPI_ERR_ASSERT", "invalid assertion"},
    {MPI_ERR_BAD_FILE, "MPI_ERR_BAD_FILE", "invalid file name"},
    {MPI_ERR_BASE, "MPI_ERR_BASE", "invalid base address of memory"},
    {MPI_ERR_CONVERSION, "MPI_ERR_CONVERSION", "data conversion failed"},
    {MPI_ERR_DISP, "MPI_ERR_DISP", "invalid displacement"},
    {MPI_ERR_DUP_DATAREP, "MPI_ERR_DUP_DATAREP", "data representation is defined already"},
    {MPI_ERR_FILE_EXISTS, "MPI_ERR_FILE_EXISTS", "file exists"},
    {MPI_ERR_FILE_IN_USE, "MPI_ERR_FILE_IN_USE", "file is open elsewhere"},
    {MPI_ERR_FILE, "MPI_ERR_FILE", "invalid file handle"},
    {MPI_ERR_INFO_KEY, "MPI_ERR_INFO_KEY", "invalid info key"},
    {MPI_ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY", "info has no such key"},
    {MPI_ERR_INFO_VALUE, "MPI_ERR_INFO_VALUE", "invalid info value"},
    {MPI_ERR_INFO, "MPI_ERR_INFO", "invalid info object"},
    {MPI_ERR_IO, "MPI_ERR_IO", "input or output failed"},
    {MPI_ERR_KEYVAL, "MPI_ERR_KEYVAL", "invalid attribute key"},
    {MPI_ERR_LOCKTYPE, "MPI_ERR_LOCKTYPE", "invalid lock type"},
    {MPI_ERR_NAME, "MPI_ERR_NAME", "service name is not published"},
    {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM", "out of memory"},
    {MPI_ERR_NOT_SAME, "MPI_ERR_NOT_SAME", "argument differs between processes"},
    {MPI_ERR_NO_SPACE, "MPI_ERR_NO_SPACE", "no space left"},
    {MPI_ERR_NO_SUCH_FILE, "MPI_ERR_NO_SUCH_FILE", "no such file"},
    {MPI_ERR_PORT, "MPI_ERR_PORT", "invalid port name"},
    {MPI_ERR_QUOTA, "MPI_ERR_QUOTA", "quota exceeded"},
    {MPI_ERR_READ_ONLY, "MPI_ERR_READ_ONLY", "file or file system is read-only"},
    {MPI_ERR_RMA_ATTACH, "MPI_ERR_RMA_ATTACH", "memory cannot be attached"},
    {MPI_ERR_RMA_CONFLICT, "MPI_ERR_RMA_CONFLICT", "conflicting accesses to a window"},
    {MPI_ERR_RMA_RANGE, "MPI_ERR_RMA_RANGE", "target memory outside the window"},
    {MPI_ERR_RMA_SHARED, "MPI_ERR_RMA_SHARED", "memory cannot be shared"},
    {MPI_ERR_RMA_SYNC, "MPI_ERR_RMA_SYNC", "wrong synchronization of a window"},
    {MPI_ERR_SERVICE, "MPI_ERR_SERVICE", "invalid service name"},
    {MPI_ERR_SIZE, "MPI_ERR_SIZE", "invalid size"},
    {MPI_ERR_SPAWN, "MPI_ERR_SPAWN", "processes could not be started"},
    {MPI_ERR_UNSUPPORTED_DATAREP, "MPI_ERR_UNSUPPORTED_DATAREP", "data representation is not supported"},
    {MPI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION", "operation is not supported"},
    {MPI_ERR_WIN, "MPI_ERR_WIN", "invalid window"},
    {MPI_ERR_RMA_FLAVOR, "MPI_ERR_RMA_FLAVOR", "wrong flavor of window"},
    {MPI_ERR_PROC_ABORTED, "MPI_ERR_PROC_ABORTED", "a peer process has died"},
    {MPI_ERR_VALUE_TOO_LARGE, "MPI_ERR_VALUE_TOO_LARGE", "value does not fit its type"},
    {MPI_ERR_SESSION, "MPI_ERR_SESSION", "invalid session"},
    {MPI_ERR_ERRHANDLER, "MPI_ERR_ERRHANDLER", "invalid error handler"},
    {MPI_ERR_ABI, "MPI_ERR_ABI", "ABI mismatch"},
    {MPI_T_ERR_CANNOT_INIT, "MPI_T_ERR_CANNOT_INIT", "tool interface cannot be initialized"},
    {MPI_T_ERR_NOT_ACCESSIBLE, "MPI_T_ERR_NOT_ACCESSIBLE", "not accessible now"},
    {MPI_T_ERR_NOT_INITIALIZED, "MPI_T_ERR_NOT_INITIALIZED", "tool interface is not initialized"},
    {MPI_T_ERR_NOT_SUPPORTED, "MPI_T_ERR_NOT_SUPPORTED", "not supported by the tool interface"},
    {MPI_T_ERR_MEMORY, "MPI_T_ERR_MEMORY", "tool interface is out of memory"},
    {MPI_T_ERR_INVALID, "MPI_T_ERR_INVALID", "invalid use of the tool interface"},
    {MPI_T_ERR_INVALID_INDEX, "MPI_T_ERR_INVALID_INDEX", "invalid index"},
    {MPI_T_ERR_INVALID_ITEM, "MPI_T_ERR_INVALID_ITEM", "invalid item"},
    {MPI_T_ERR_INVALID_SESSION, "MPI_T_ERR_INVALID_SESSION", "invalid session of the tool interface"},
    {MPI_T_ERR_INVALID_HANDLE, "MPI_T_ERR_INVALID_HANDLE", "invalid handle of the tool interface"},
    {MPI_T_ERR_INVALID_NAME, "MPI_T_ERR_INVALID_NAME", "no variable of this name"},
    {MPI_T_ERR_OUT_OF_HANDLES, "MPI_T_ERR_OUT_OF_HANDLES", "no more handles"},
    {MPI_T_ERR_OUT_OF_SESSIONS, "MPI_T_ERR_OUT_OF_SESSIONS", "no more sessions"},
    {MPI_T_ERR_CVAR_SET_NOT_NOW, "MPI_T_ERR_CVAR_SET_NOT_NOW", "control variable cannot be set now"},
    {MPI_T_ERR_CVAR_SET_NEVER, "MPI_T_ERR_CVAR_SET_NEVER", "control variable cannot be set"},
    {MPI_T_ERR_PVAR_NO_WRITE, "MPI_T_ERR_PVAR_NO_WRITE", "performance variable cannot be written"},
    {MPI_T_ERR_PVAR_NO_STARTSTOP, "MPI_T_ERR_PVAR_NO_STARTSTOP", "performance variable cannot be started or stopped"},
    {MPI_T_ERR_PVAR_NO_ATOMIC, "MPI_T_ERR_PVAR_NO_ATOMIC", "performance variable cannot be read and reset at once"},
};

const ClassText* find_class(int error_class) {
  for (const ClassText& row : kClasses)
    if (row.error_class == error_class) return &row;
  return nullptr;
}

// What the application added. Numbers rise from MPI_ERR_LASTCODE + 1 and are not used again, so that an old code never
// changes its meaning.
struct AddedCodes {
  struct Entry {
    int error_class;  // its own number if it is a class
    std::string text;
    bool has_text = false;
  };
  std::mutex mutex;
  std::map<int, Entry> entries;
  int last = MPI_ERR_LASTCODE;
};

AddedCodes& added() {
  static AddedCodes& codes = *new AddedCodes;  // never destroyed: error strings may be asked for at exit
  return codes;
}

// With the mutex held: MPI_LASTUSEDCODE of section 9.5 rises with what is added and falls back when the last is removed.
void publish_last_used(const AddedCodes& codes) {
  define_attribute(MPI_LASTUSEDCODE, codes.entries.empty() ? MPI_ERR_LASTCODE : codes.entries.rbegin()->first);
}

Error not_added(const char* what, int code) {
  return make_error(ErrorClass::arg, "%s %d was not added by the application", what, code);
}

Error create_handler(ObjectKind kind, Callback function, Errhandler*& errhandler) {
  if (function.function == nullptr) return Error(ErrorClass::arg, "the error handler function is a null pointer");
  errhandler = new Errhandler(kind, function);
  return {};
}

}  // namespace

const char* error_class_name(int error_class) {
  const ClassText* row = find_class(error_class);
  return row == nullptr ? nullptr : row->name;
}

Error comm_create_errhandler(Callback function, Errhandler*& errhandler) {
  return create_handler(ObjectKind::communicator, function, errhandler);
}
Error win_create_errhandler(Callback function, Errhandler*& errhandler) {
  return create_handler(ObjectKind::window, function, errhandler);
}
Error file_create_errhandler(Callback function, Errhandler*& errhandler) {
  return create_handler(ObjectKind::file, function, errhandler);
}
Error session_create_errhandler(Callback function, Errhandler*& errhandler) {
  return create_handler(ObjectKind::session, function, errhandler);
}

Error comm_set_errhandler(Communicator& comm, Errhandler& errhandler) {
  if (errhandler.handler_kind == ErrhandlerKind::user && errhandler.object_kind != ObjectKind::communicator)
    return Error(ErrorClass::arg, "errhandler was not created for communicators");
  comm.set_errhandler(errhandler);
  return {};
}

Error comm_get_errhandler(Communicator& comm, Errhandler*& errhandler) {
  errhandler = retain(&comm.errhandler());
  return {};
}

Error errhandler_free(Errhandler*& errhandler) {
  release(std::exchange(errhandler, nullptr));  // predefined ones too: MPI_Comm_get_errhandler gave a reference to free
  return {};
}

Error error_class(int code, int& error_class) {
  if (find_class(code) != nullptr) {
    error_class = code;
    return {};
  }
  AddedCodes& codes = added();
  std::lock_guard lock(codes.mutex);
  auto found = codes.entries.find(code);
  if (found == codes.entries.end()) return make_error(ErrorClass::arg, "errorcode %d is not an error code", code);
  error_class = found->second.error_class;
  return {};
}

Error error_string(int code, char* text, int& length) {
  int written;
  if (const ClassText* row = find_class(code)) {
    written = std::snprintf(text, MPI_MAX_ERROR_STRING, "%s: %s", row->name, row->text);
  } else {
    AddedCodes& codes = added();
    std::lock_guard lock(codes.mutex);
    auto found = codes.entries.find(code);
    if (found == codes.entries.end()) return make_error(ErrorClass::arg, "errorcode %d is not an error code", code);
    written = std::snprintf(text, MPI_MAX_ERROR_STRING, "%s", found->second.text.c_str());
  }
  length = std::min(written, MPI_MAX_ERROR_STRING - 1);
  return {};
}

Error add_error_class(int& error_class) {
  AddedCodes& codes = added();
  std::lock_guard lock(codes.mutex);
  error_class = ++codes.last;
  codes.entries[error_class] = {error_class, {}, false};
  publish_last_used(codes);
  return {};
}

Error add_error_code(int error_class, int& code) {
  AddedCodes& codes = added();
  std::lock_guard lock(codes.mutex);
  auto found = codes.entries.find(error_class);
  if (find_class(error_class) == nullptr && (found == codes.entries.end() || found->second.error_class != error_class))
    return make_error(ErrorClass::arg, "errorclass %d is not an error class", error_class);
  code = ++codes.last;
  codes.entries[code] = {error_class, {}, false};
  publish_last_used(codes);
  return {};
}

Error add_error_string(int code, const char* text) {
  AddedCodes& codes = added();
  std::lock_guard lock(codes.mutex);
  auto found = codes.entries.find(code);
  if (found == codes.entries.end()) return not_added("errorcode", code);
  if (text == nullptr) return Error(ErrorClass::arg, "string is a null pointer");
  found->second.text.assign(text, std::min(std::strlen(text), std::size_t{MPI_MAX_ERROR_STRING - 1}));
  found->second.has_text = true;
  return {};
}

Error remove_error_class(int error_class) {
  AddedCodes& codes = added();
  std::lock_guard lock(codes.mutex);
  auto found = codes.entries.find(error_class);
  if (found == codes.entries.end() || found->second.error_class != error_class) return not_added("errorclass", error_class);
  for (const auto& [code, entry] : codes.entries)
    if (code != error_class && entry.error_class == error_class)
      return make_error(ErrorClass::other, "errorclass %d still has code %d", error_class, code);
  if (found->second.has_text) return make_error(ErrorClass::other, "errorclass %d still has a string", error_class);
  codes.entries.erase(found);
  publish_last_used(codes);
  return {};
}

Error remove_error_code(int code) {
  AddedCodes& codes = added();
  std::lock_guard lock(codes.mutex);
  auto found = codes.entries.find(code);
  if (found == codes.entries.end() || found->second.error_class == code) return not_added("errorcode", code);
  if (found->second.has_text) return make_error(ErrorClass::other, "errorcode %d still has a string", code);
  codes.entries.erase(found);
  publish_last_used(codes);
  return {};
}

Error remove_error_string(int code) {
  AddedCodes& codes = added();
  std::lock_guard lock(codes.mutex);
  auto found = codes.entries.find(code);
  if (found == codes.entries.end() || !found->second.has_text) return not_added("the string of errorcode", code);
  found->second.text.clear();
  found->second.has_text = false;
  return {};
}

}  // namespace ompi_lite::mpi
