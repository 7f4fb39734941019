// SPDX-License-Identifier: BSD-3-Clause
// Errors are values: a class that MPI knows and a sentence that we wrote.
#pragma once

#include <optional>
#include <utility>

namespace ompi_lite {

// The error classes of MPI 5.0, section 9.4, under their ABI values (checked against mpi.h in abi/). Any other int is a
// code that the application made with MPI_Add_error_code or returned from one of its callbacks.
enum class ErrorClass : int {
    success = 0, buffer, count, type, tag, comm, rank, request, root, group, op, topology, dims, arg, unknown, truncate,
  other, intern, pending, in_status, access, amode, assertion, bad_file, base, conversion, disp, dup_datarep, file_exists,
  file_in_use, file, info_key, info_nokey, info_value, info, io, keyval, locktype, name, no_mem, not_same, no_space,
  no_such_file, port, quota, read_only, rma_attach, rma_conflict, rma_range, rma_shared, rma_sync, service, size, spawn,
  unsupported_datarep, unsupported_operation, win, rma_flavor, proc_aborted, value_too_large, session, errhandler, abi,
};

// Success is empty. Two words, trivially copyable; the sentence is either static or lives in a buffer of the calling thread
// that the next make_error() on that thread overwrites: raise it or copy it before making another.
class [[nodiscard]] Error {
 public:
  constexpr Error() = default;
  constexpr Error(ErrorClass error_class, const char* sentence) : class_(error_class), sentence_(sentence) {}
  constexpr explicit operator bool() const { return class_ != ErrorClass::success; }
  constexpr ErrorClass error_class() const { return class_; }
  constexpr int code() const { return static_cast<int>(class_); }
  constexpr const char* sentence() const { return sentence_; }

 private:
  ErrorClass class_ = ErrorClass::success;
  const char* sentence_ = "";
};

// Formats the sentence into the thread's buffer (512 bytes, cut at the end).
[[gnu::format(printf, 2, 3)]] Error make_error(ErrorClass error_class, const char* format, ...);

// T or Error; our std::expected until C++23.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT: implicit on purpose
  Result(Error error) : error_(error) {}                 // NOLINT: implicit on purpose
  explicit operator bool() const { return value_.has_value(); }
  T& value() & { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() { return *value_; }
  T* operator->() { return &*value_; }
  Error error() const { return error_; }

 private:
  std::optional<T> value_;
  Error error_;
};

}  // namespace ompi_lite
