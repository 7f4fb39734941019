// SPDX-License-Identifier: BSD-3-Clause
// Reads buffers whose count and datatype do not stand beside them: partitions, packed data, memory for the library.
#pragma once

#include <algorithm>

#include "ompi_lite/abi/payload.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/staging.h"

namespace ompi_lite::abi {

// All partitions of a partitioned operation.
struct Partitions {
  const void* data;
  int partitions;
  Count count;
  MPI_Datatype handle;
  const char* name;
  Flow flow;

  Error read(Site&) { return {}; }
  Error stage(const Site&, Staging& staging) {
    Count elements = 0;
    if (count <= 0 || __builtin_mul_overflow(Count{partitions}, count, &elements)) return {};
    const Buffer block(data, elements, &datatype_of(handle));
    return staging.add(data, {&block, 1}, flow, name);
  }
  template <class P>
  P as() {
    return const_cast<P>(data);
  }
  void store(bool) {}
};
template <class V>
Partitions partitions_of(V* data, int partitions, Count count, MPI_Datatype type, const char* name) {
  return {data, partitions, count, type, name, kFlow<V>};
}

// Where packed data go, from `position` on; how far is known when they are there.
template <class T>
struct PackedOut {
  void* data;
  Count bytes;
  const T* position;
  const char* name;
  Count begin = 0;
  StandIn* stand_in = nullptr;

  Error read(Site&) { return {}; }
  Error stage(const Site&, Staging& staging) {
    begin = *position;
    if (begin < 0 || begin >= bytes) return {};
    const void* base = data;
    const Buffer block(static_cast<std::byte*>(data) + begin, bytes - begin, &datatype_of(MPI_BYTE));
    OL_TRY(staging.add(base, {&block, 1}, Flow::fill, name));
    if (base != data) stand_in = staging.last();
    data = const_cast<void*>(base);
    return {};
  }
  void settle() {
    if (stand_in != nullptr) stand_in->cut(*position - begin);
  }
  template <class P>
  P as() {
    return static_cast<P>(data);
  }
  void store(bool) {}
};
template <class T>
PackedOut(void*, Count, T*, const char*) -> PackedOut<T>;

// Where packed data come from, for `count` elements. The external form of an element may be longer than its own.
template <class T>
struct PackedIn {
  const void* data;
  Count bytes;
  const T* position;
  Count count;
  MPI_Datatype handle;
  const char* name;

  Error read(Site&) { return {}; }
  Error stage(const Site&, Staging& staging) {
    const Count begin = *position;
    Count needed = 0;
    if (begin < 0 || begin >= bytes || count <= 0) return {};
    if (__builtin_mul_overflow(count, 2 * datatype_of(handle).size(), &needed)) needed = bytes;
    const Buffer block(static_cast<const std::byte*>(data) + begin, std::min(bytes - begin, needed), &datatype_of(MPI_BYTE));
    return staging.add(data, {&block, 1}, Flow::in, name);
  }
  template <class P>
  P as() {
    return static_cast<P>(data);
  }
  void store(bool) {}
};
template <class T>
PackedIn(const void*, Count, T*, Count, MPI_Datatype, const char*) -> PackedIn<T>;

// Memory that the library works in on its own.
struct HostBytes {
  void* data;
  const char* name;

  Error read(Site&) { return {}; }
  Error stage(const Site&, Staging&) {
    if (data == MPI_BUFFER_AUTOMATIC) return {};
    const device::Location here = device::locate(data);
    if (here.out_of_reach())
      return make_error(ErrorClass::buffer, "%s %p lies in device memory, but the library needs it in host memory", name,
                        data);
    return device::check_host(data, name);
  }
  template <class P>
  P as() {
    return data;
  }
  void store(bool) {}
};

}  // namespace ompi_lite::abi
