// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with an argument, in words: its name, its value, what would be right.
#include "ompi_lite/abi/call.h"

namespace ompi_lite::abi {
namespace {

struct KindWords {
  ErrorClass error_class;
  const char* null_name;  // of the NULL handle
  const char* words;
};

KindWords words_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::communicator:
      return {ErrorClass::comm, "MPI_COMM_NULL", "communicator"};
    case ObjectKind::group:
      return {ErrorClass::group, "MPI_GROUP_NULL", "group"};
    case ObjectKind::datatype:
      return {ErrorClass::type, "MPI_DATATYPE_NULL", "datatype"};
    case ObjectKind::op:
      return {ErrorClass::op, "MPI_OP_NULL", "reduction operation"};
    case ObjectKind::request:
      return {ErrorClass::request, "MPI_REQUEST_NULL", "request"};
    case ObjectKind::info:
      return {ErrorClass::info, "MPI_INFO_NULL", "info object"};
    case ObjectKind::errhandler:
      return {ErrorClass::errhandler, "MPI_ERRHANDLER_NULL", "error handler"};
    case ObjectKind::message:
      return {ErrorClass::request, "MPI_MESSAGE_NULL", "message"};
    case ObjectKind::session:
      return {ErrorClass::session, "MPI_SESSION_NULL", "session"};
    case ObjectKind::window:
      return {ErrorClass::win, "MPI_WIN_NULL", "window"};
    case ObjectKind::file:
      return {ErrorClass::file, "MPI_FILE_NULL", "file"};
    case ObjectKind::none:
      break;
  }
  return {ErrorClass::arg, "a null handle", "object"};
}

const char* name_of(const Communicator& comm) { return comm.name.empty() ? "the communicator" : comm.name.c_str(); }

}  // namespace

Error null_handle(ObjectKind kind, const char* name) {
  const KindWords words = words_of(kind);
  return make_error(words.error_class, "%s is %s", name, words.null_name);
}

Error dead_handle(ObjectKind kind, const char* name, std::uintptr_t handle) {
  const KindWords words = words_of(kind);
  if (handle < kPredefinedHandles) {
    return make_error(words.error_class, "%s is 0x%zx, which is not a predefined %s", name, std::size_t{handle},
                      words.words);
  }
  const Object* object = kind == ObjectKind::message ? message_of(handle) : object_of(handle);
  if (object != nullptr && object->magic == kFreedMagic) {
    return make_error(words.error_class, "%s is 0x%zx, a %s that was freed", name, std::size_t{handle}, words.words);
  }
  if (object != nullptr && object->magic == kLiveMagic) {
    return make_error(words.error_class, "%s is 0x%zx, a %s, not a %s", name, std::size_t{handle},
                      words_of(object->kind).words, words.words);
  }
  return make_error(words.error_class, "%s is 0x%zx, which is no %s", name, std::size_t{handle}, words.words);
}

Error null_pointer(ErrorClass error_class, const char* name) {
  return make_error(error_class, "%s is a null pointer", name);
}

Error negative(ErrorClass error_class, const char* name, Count value) {
  return make_error(error_class, "%s is %lld, it must not be negative", name, static_cast<long long>(value));
}

Error negative_element(ErrorClass error_class, const char* name, std::size_t index, Count value) {
  return make_error(error_class, "%s[%zu] is %lld, it must not be negative", name, index, static_cast<long long>(value));
}

Error bad_rank(const Site& site, const char* name, int value, int size) {
  return make_error(ErrorClass::rank, "%s is %d, but %s has %d rank%s%s", name, value, name_of(*site.comm), size,
                    size == 1 ? "" : "s", site.comm->is_inter() ? " in its remote group" : "");
}

Error bad_tag(const char* name, int value) {
  return make_error(ErrorClass::tag, "%s is %d, it must be from 0 to MPI_TAG_UB, which is 2147483647", name, value);
}

Error not_committed(const char* name, const Datatype& type) {
  return make_error(ErrorClass::type, "%s is a %s type that was not committed", name, type.name_or_combiner());
}

Error null_buffer(const char* name, Count count) {
  return make_error(ErrorClass::buffer, "%s is a null pointer, but the count is %lld", name, static_cast<long long>(count));
}

Error in_place_not_allowed(const Site& site, const char* name) {
  const char* hint = "";
  if (site.comm != nullptr && site.comm->is_inter()) {
    hint = ": an intercommunicator has no in place";
  } else if (site.rooted) {
    hint = ": only the root may use it, in a gather or reduce as sendbuf, in a scatter as recvbuf";
  } else if (site.raised == Raised::communicator) {
    hint = ": use MPI_IN_PLACE as sendbuf, in collectives that have it";
  }
  return make_error(ErrorClass::buffer, "%s is MPI_IN_PLACE, which is not allowed here%s", name, hint);
}

Error same_buffer(const Site& site, const char* name, const void* address) {
  return make_error(ErrorClass::buffer, "%s is %p, which is the other buffer too; use MPI_IN_PLACE as %s%s", name, address,
                    site.scatters ? "recvbuf" : "sendbuf", site.rooted ? " at the root" : "");
}

Error bad_comm(const Site& site) {
  if (site.handle == MPI_COMM_NULL) return null_handle(ObjectKind::communicator, site.comm_name);
  return dead_handle(ObjectKind::communicator, site.comm_name, reinterpret_cast<std::uintptr_t>(site.handle));
}

Error bad_root(const Site& site) {
  const Communicator& comm = *site.comm;
  if (comm.is_inter() && (site.root == MPI_ROOT || site.root == MPI_PROC_NULL)) return {};
  return make_error(
      ErrorClass::root, "root is %d, but %s has %d rank%s%s", site.root, name_of(comm), comm.remote_size(),
      comm.remote_size() == 1 ? "" : "s",
      comm.is_inter() ? " in its remote group, and MPI_ROOT and MPI_PROC_NULL are for the root's own group" : "");
}

Error out_of_turn(const Site& site) {
  return make_error(ErrorClass::other,
                    "another thread of this process is in %s on the same communicator, %s: which of the two comes first is not "
                    "defined, so collective calls of several threads need a communicator for each, or an order",
                    site.comm->collective_now, name_of(*site.comm));
}

}  // namespace ompi_lite::abi
