// SPDX-License-Identifier: BSD-3-Clause
// MPI_Pack and MPI_Unpack: packed data is the plain bytes; their portable relatives convert to external32.
#include <cstring>
#include <memory>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/external32.h"
#include "ompi_lite/core/pack.h"
#include "ompi_lite/mpi/types.h"

namespace ompi_lite::mpi {
namespace {

// Whether `needed` bytes from `position` on lie within a packed buffer.
Error check_packed_room(const char* what, Count position, Count needed, Count bytes) {
  if (position < 0 || bytes < 0 || position > bytes) {
    return make_error(ErrorClass::arg, "position %lld is not inside a packed buffer of %lld bytes",
                      static_cast<long long>(position), static_cast<long long>(bytes));
  }
  if (needed <= bytes - position) return {};
  return make_error(ErrorClass::truncate, "%s needs %lld bytes from position %lld on, the packed buffer has %lld", what,
                    static_cast<long long>(needed), static_cast<long long>(position), static_cast<long long>(bytes));
}

Error check_representation(const char* representation) {
  if (std::strcmp(representation, "external32") == 0) return {};
  return make_error(ErrorClass::arg, "the data representation '%s' is not known, only 'external32' is", representation);
}

}  // namespace

Error pack(const Buffer& in, void* out, Count out_bytes, Count& position, Communicator&) {
  OL_TRY(check_packed_room("packing", position, ompi_lite::pack_size(in), out_bytes));
  PackCursor cursor(in);
  position += static_cast<Count>(
      cursor.pack(static_cast<std::byte*>(out) + position, static_cast<std::size_t>(out_bytes - position)));
  return {};
}

Error unpack(const void* in, Count in_bytes, Count& position, const Buffer& out, Communicator&) {
  OL_TRY(check_packed_room("unpacking", position, ompi_lite::pack_size(out), in_bytes));
  PackCursor cursor(out);
  const auto* from = static_cast<const std::byte*>(in) + position;
  position += static_cast<Count>(cursor.unpack(from, static_cast<std::size_t>(in_bytes - position)));
  return {};
}

Error pack_size(Count count, Datatype& type, Communicator&, Count& size) {
  if (!__builtin_mul_overflow(count, type.size(), &size)) return {};
  return make_error(ErrorClass::arg, "%lld elements of %lld bytes are more than 2^63 bytes", static_cast<long long>(count),
                    static_cast<long long>(type.size()));
}

Error pack_external(const char* representation, const Buffer& in, void* out, Count out_bytes, Count& position) {
  Count needed = 0;
  OL_TRY(pack_external_size(representation, in.count, *in.type, needed));
  OL_TRY(check_packed_room("packing", position, needed, out_bytes));
  const auto bytes = static_cast<std::size_t>(ompi_lite::pack_size(in));
  const auto native = std::make_unique_for_overwrite<std::byte[]>(bytes);
  PackCursor(in).pack(native.get(), bytes);
  to_external(in.type->signature(), in.count, native.get(), static_cast<std::byte*>(out) + position);
  position += needed;
  return {};
}

Error unpack_external(const char* representation, const void* in, Count in_bytes, Count& position, const Buffer& out) {
  Count needed = 0;
  OL_TRY(pack_external_size(representation, out.count, *out.type, needed));
  OL_TRY(check_packed_room("unpacking", position, needed, in_bytes));
  const auto bytes = static_cast<std::size_t>(ompi_lite::pack_size(out));
  const auto native = std::make_unique_for_overwrite<std::byte[]>(bytes);
  from_external(out.type->signature(), out.count, static_cast<const std::byte*>(in) + position, native.get());
  PackCursor(out).unpack(native.get(), bytes);
  position += needed;
  return {};
}

Error pack_external_size(const char* representation, Count count, Datatype& type, Count& size) {
  OL_TRY(check_representation(representation));
  size = count * external_bytes(type.signature());
  return {};
}

}  // namespace ompi_lite::mpi
