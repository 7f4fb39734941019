// SPDX-License-Identifier: BSD-3-Clause
// Reads what is communicated: an address with count and datatype, or with arrays of them. A buffer is checked only where the
// standard calls it significant; elsewhere its arguments may hold anything.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "coll/coll.h"
#include "ompi_lite/abi/read.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/device_data.h"
#include "ompi_lite/core/grid.h"
#include "ompi_lite/core/staging.h"

namespace ompi_lite::abi {

// What a buffer is for; decides where it is significant and where MPI_IN_PLACE may stand.
enum class Use : std::uint8_t {
  single,          // point to point, packing, files: always significant, never in place
  window,          // one-sided: the same, but in use until a later call synchronizes
  everyone,        // a collective without in place for this buffer
  to_neighbors,    // the same, with a block for each neighbor that this rank sends to
  from_neighbors,  // and for each that it receives from
  in_place,        // a collective with in place, in intracommunicators
  leaf,            // what each rank gives to the root, or gets from it; in place at the root of an intracommunicator
  at_root,         // only the root has it
  bcast,           // everyone, but for the ranks beside the root in its group of an intercommunicator
};

// What `count` elements of a buffer are for where the use does not say: for all together, or for each rank (or neighbor)
// anew.
enum class Blocks : bool { one, per_rank };

// What a C prototype says about it: const void* is only read.
template <class V>
inline constexpr Flow kFlow = std::is_const_v<V> ? Flow::in : Flow::out;

inline bool significant(Use use, const Site& site) {
  if (!site.rooted || use < Use::leaf) return true;
  const bool is_root = site.comm->is_inter() ? site.root == MPI_ROOT : site.root == site.comm->rank();
  if (use == Use::at_root) return is_root;
  if (!site.comm->is_inter()) return true;
  return use == Use::leaf ? site.root >= 0 : site.root != MPI_PROC_NULL;
}

inline bool in_place_allowed(Use use, const Site& site) {
  if (use != Use::in_place && use != Use::leaf) return false;
  if (site.comm->is_inter()) return false;
  return use == Use::in_place || site.root == site.comm->rank();
}

// A stand-in ends with the call or with its request. What is used longer has to be memory of the host.
inline Error in_reach(const Buffer& buffer, const char* name) {
  device::Location found;
  OL_TRY(locate_buffer(buffer, name, found));
  if (!found.out_of_reach()) return {};
  return make_error(ErrorClass::buffer, "%s %p lies in device memory, which one-sided communication does not take yet", name,
                    static_cast<const void*>(buffer.data));
}

// Of how many blocks a buffer consists. None without a topology, which the semantic function reports.
inline int blocks_in(Use use, const Communicator& comm) {
  if (use != Use::to_neighbors && use != Use::from_neighbors) return comm.remote_size();
  if (comm.topology == nullptr) return 0;
  const Neighborhood& around = comm.topology->neighborhood;
  return static_cast<int>(use == Use::to_neighbors ? around.destinations.size() : around.sources.size());
}

// `type` for `count` elements that shall be transferred: live and committed.
inline Error find_type(const Site& site, MPI_Datatype handle, const char* name, Datatype*& type) {
  Object* object = nullptr;
  if (Error error = find(handle, name, Null::refused, object)) return error;
  type = static_cast<Datatype*>(object);
  return type->committed || !site.checked ? Error() : not_committed(name, *type);
}

// Null is MPI_BOTTOM too: right for a type whose displacements are addresses, wrong if the first byte is in the zero page.
inline bool is_null_buffer(const void* data, Count count, const Datatype& type) {
  return data == nullptr && count > 0 && type.size() > 0 && type.true_lb() >= 0 && type.true_lb() < 4096;
}

// A receive buffer that is the send buffer of the same call. Types with gaps may be laced into each other, so different
// derived types are trusted.
// `own_block`: where in the receive buffer this rank's block lands, whose use as send buffer is the old spelling of in
// place.
inline Error compare_with_sent(Site& site, Use use, const char* name, const void* data, const Datatype* type,
                               const void* own_block = nullptr) {
  if (use == Use::single || use == Use::window || data == nullptr || type == nullptr || type->size() == 0) return {};
  if (site.sent_from == nullptr) {
    site.sent_from = data;
    site.sent_type = type;
    return {};
  }
  const auto* sent_type = static_cast<const Datatype*>(site.sent_type);
  const bool comparable = sent_type == type || (sent_type->basic() != nullptr && type->basic() != nullptr);
  if (!comparable || (data != site.sent_from && own_block != site.sent_from)) return {};
  return same_buffer(site, name, site.sent_from);
}

// Buffers of a collective that receive a block from each rank of an intracommunicator.
inline bool gathers(Use use, const Site& site) {
  return (use == Use::everyone || use == Use::at_root) && !site.comm->is_inter();
}
inline const void* moved(const void* data, Count elements, const Datatype& type) {
  return static_cast<const std::byte*>(data) + elements * type.extent();
}

// (buf, count, datatype).
template <Use use = Use::single, Blocks blocks = Blocks::one>
struct Payload {
  const void* data;
  Count count;
  MPI_Datatype handle;
  const char* data_name;
  const char* count_name;
  const char* type_name;
  Flow flow;
  Datatype* type = nullptr;
  MemorySpace space = MemorySpace::host;  // where the operation finds it
  bool reachable = false;                 // found to be all in host memory

  Error read(Site& site) {
    if constexpr (use >= Use::leaf) {
      site.scatters = use == Use::leaf && site.sent_from != nullptr;
      if (!significant(use, site)) {
        count = 0;
        return {};
      }
    }
    if (is_in_place(data)) {
      count = 0;  // count and type beside MPI_IN_PLACE are ignored
      return in_place_allowed(use, site) || !site.checked ? Error() : in_place_not_allowed(site, data_name);
    }
    if (count < 0 && site.checked) return negative(ErrorClass::count, count_name, count);
    if (Error error = find_type(site, handle, type_name, type)) return error;
    if (!site.checked || count == 0) return {};
    if constexpr (use == Use::to_neighbors || use == Use::from_neighbors) {
      if (blocks_in(use, *site.comm) == 0) return {};  // no block of `count` elements
    }
    if (is_null_buffer(data, count, *type)) return null_buffer(data_name, count);
    if constexpr (use == Use::everyone || use == Use::at_root) {
      if (gathers(use, site))
        return compare_with_sent(site, use, data_name, data, type, moved(data, site.comm->rank() * count, *type));
    }
    return compare_with_sent(site, use, data_name, data, type);
  }
  // Nobody has to be asked where it lies.
  bool surely_host() const {
    return is_in_place(data) || type == nullptr || (type->basic() != nullptr && device::surely_host(data));
  }
  // All that the call may use of it; no elements where it uses nothing.
  Buffer whole(const Site& site) const {
    if (is_in_place(data) || type == nullptr || count <= 0) return {};
    constexpr bool kEach =
        blocks == Blocks::per_rank || use == Use::everyone || use == Use::at_root || use == Use::from_neighbors;
    return Buffer(data, kEach ? count * blocks_in(use, *site.comm) : count, type);
  }
  Error stage(const Site& site, Staging& staging) {
    const Buffer block = whole(site);
    if (block.count <= 0 || space != MemorySpace::host || reachable) return {};
    if constexpr (use == Use::window) return in_reach(block, data_name);
    const bool root = use == Use::bcast && site.root == (site.comm->is_inter() ? MPI_ROOT : site.comm->rank());
    return staging.add(data, {&block, 1}, root ? Flow::in : flow, data_name);
  }
  // The operation takes it where it lies, if that is possible: else it will be staged.
  Error offer() {
    device::Location found;
    const Buffer buffer(data, count, type);
    if (type == nullptr || count <= 0) return {};
    OL_TRY(locate_buffer(buffer, data_name, found));
    reachable = !found.out_of_reach();
    if (DeviceData::fits(buffer, found)) space = MemorySpace::device;
    return {};
  }
  template <class P>
  Buffer as() {
    Buffer buffer(data, count, type);
    buffer.space = space;
    return buffer;
  }
  void store(bool) {}
};

// One of the two buffers of a reduction: they share count and datatype, which stay significant beside MPI_IN_PLACE.
// With a block for each rank the result has all of them only if it is what was sent too.
template <Use use, Blocks blocks = Blocks::one>
struct Operand {
  const void* data;
  Count count;
  MPI_Datatype handle;
  const char* data_name;
  const char* count_name;
  const char* type_name;
  Flow flow;
  Datatype* type = nullptr;

  Error read(Site& site) {
    if (is_in_place(data)) site.in_place = true;
    if (site.rooted && site.root == MPI_PROC_NULL) {
      count = 0;
      return {};
    }
    if (count < 0 && site.checked) return negative(ErrorClass::count, count_name, count);
    if (Error error = find_type(site, handle, type_name, type)) return error;
    if (!site.checked) return {};
    if constexpr (use >= Use::leaf) {
      if (!significant(use, site)) return {};
    }
    if (is_in_place(data)) return in_place_allowed(use, site) ? Error() : in_place_not_allowed(site, data_name);
    if (count == 0) return {};
    if (is_null_buffer(data, count, *type)) return null_buffer(data_name, count);
    return compare_with_sent(site, use, data_name, data, type);
  }
  // Nobody has to be asked where it lies.
  bool surely_host() const {
    return is_in_place(data) || type == nullptr || (type->basic() != nullptr && device::surely_host(data));
  }
  Buffer whole(const Site& site) const {
    if (is_in_place(data) || type == nullptr || count <= 0 || !significant(use, site)) return {};
    const bool each = blocks == Blocks::per_rank && (flow == Flow::in || site.in_place);
    return Buffer(data, each ? count * site.comm->size() : count, type);
  }
  Error stage(const Site& site, Staging& staging) {
    const Buffer block = whole(site);
    if (block.count <= 0) return {};
    return staging.add(data, {&block, 1}, flow, data_name);
  }
  template <class P>
  Buffer as() {
    return Buffer(data, count, type);
  }
  void store(bool) {}
};

template <class T>
Error check_counts(const T* counts, Count length, const char* name, bool& any) {
  if (length > 0 && counts == nullptr) return null_pointer(ErrorClass::arg, name);
  any = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
    if (counts[i] < 0) return negative_element(ErrorClass::count, name, i, counts[i]);
    any = any || counts[i] > 0;
  }
  return {};
}

// (buf, counts[], displs[], datatype): one block for each rank that the communicator names.
template <Use use, class C, class D>
struct PayloadV {
  const void* data;
  const C* counts;
  const D* displacements;
  MPI_Datatype handle;
  const char* data_name;
  const char* counts_name;
  const char* displacements_name;
  const char* type_name;
  Flow flow;
  Datatype* type = nullptr;
  Count length = 0;

  Error read(Site& site) {
    if (!significant(use, site)) return {};
    if (is_in_place(data)) {
      return in_place_allowed(use, site) || !site.checked ? Error() : in_place_not_allowed(site, data_name);
    }
    if (Error error = find_type(site, handle, type_name, type)) return error;
    length = blocks_in(use, *site.comm);
    if (!site.checked) return {};
    bool any = false;
    if (Error error = check_counts(counts, length, counts_name, any)) return error;
    if (!any) return {};
    if (displacements == nullptr) return null_pointer(ErrorClass::arg, displacements_name);
    if constexpr (use == Use::everyone || use == Use::at_root) {
      const auto own = static_cast<std::size_t>(site.comm->rank());
      if (gathers(use, site) && counts[own] > 0)
        return compare_with_sent(site, use, data_name, data, type, moved(data, displacements[own], *type));
    }
    return compare_with_sent(site, use, data_name, data, type);
  }
  // Nobody has to be asked where it lies.
  bool surely_host() const {
    return is_in_place(data) || type == nullptr || (type->basic() != nullptr && device::surely_host(data));
  }
  Error stage(const Site&, Staging& staging) {
    if (is_in_place(data) || type == nullptr || length <= 0) return {};
    std::vector<Buffer> blocks;
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i)
      if (counts[i] > 0) blocks.emplace_back(moved(data, displacements[i], *type), counts[i], type);
    return staging.add(data, blocks, flow, data_name);
  }
  template <class P>
  coll::BufferV as() {
    const auto size = static_cast<std::size_t>(length);
    return {static_cast<std::byte*>(const_cast<void*>(data)), CountSpan(counts, size), CountSpan(displacements, size), type};
  }
  void store(bool) {}
};

// (buf, counts[], displs[], datatypes[]): displacements are in bytes.
template <Use use, class C, class D>
struct PayloadW {
  const void* data;
  const C* counts;
  const D* displacements;
  const MPI_Datatype* handles;
  const char* data_name;
  const char* counts_name;
  const char* displacements_name;
  const char* types_name;
  Flow flow;
  Count length = 0;

  Error read(Site& site) {
    if (is_in_place(data)) {
      return in_place_allowed(use, site) || !site.checked ? Error() : in_place_not_allowed(site, data_name);
    }
    length = blocks_in(use, *site.comm);
    if (!site.checked) return {};
    bool any = false;
    if (Error error = check_counts(counts, length, counts_name, any)) return error;
    if (any && displacements == nullptr) return null_pointer(ErrorClass::arg, displacements_name);
    if (handles == nullptr) return null_pointer(ErrorClass::arg, types_name);
    const Datatype* first = nullptr;
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
      Datatype* type = nullptr;
      if (counts[i] == 0 && handles[i] == MPI_DATATYPE_NULL) continue;  // widely used for "nothing to this rank"
      if (Error error = find_type(site, handles[i], types_name, type)) return error;
      if (counts[i] > 0 && first == nullptr) first = type;
    }
    return compare_with_sent(site, use, data_name, data, first);
  }
  Error stage(const Site&, Staging& staging) {
    if (is_in_place(data) || length <= 0) return {};
    std::vector<Buffer> blocks;
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i)
      if (counts[i] > 0)
        blocks.emplace_back(static_cast<const std::byte*>(data) + displacements[i], counts[i], &datatype_of(handles[i]));
    return staging.add(data, blocks, flow, data_name);
  }
  template <class P>
  coll::BufferW as() {
    const auto size = static_cast<std::size_t>(length);
    return {static_cast<std::byte*>(const_cast<void*>(data)), CountSpan(counts, size), CountSpan(displacements, size),
            DatatypeSpan(handles, size)};
  }
  void store(bool) {}
};

// A buffer of MPI_Reduce_scatter, whose elements are those of all counts together (sent) or of one of them (received).
template <Use use, class C>
struct BlockOperand {
  const void* data;
  const C* counts;
  MPI_Datatype handle;
  const char* name;
  Flow flow;

  Error read(Site& site) {
    if (is_in_place(data)) site.in_place = true;
    if (!site.checked) return {};
    if (is_in_place(data)) return in_place_allowed(use, site) ? Error() : in_place_not_allowed(site, name);
    Object* object = nullptr;
    if (counts == nullptr || find(handle, name, Null::refused, object)) return {};  // whose turn to complain is next
    const int size = site.comm->size();
    const auto* type = static_cast<const Datatype*>(object);
    const Count largest = *std::max_element(counts, counts + size);
    const Count here = use == Use::in_place ? largest : counts[site.comm->rank()];
    if (is_null_buffer(data, here, *type)) return null_buffer(name, here);
    return largest > 0 ? compare_with_sent(site, use, name, data, type) : Error();
  }
  Error stage(const Site& site, Staging& staging) {
    if (is_in_place(data)) return {};
    const bool all = flow == Flow::in || site.in_place;
    const Count here = all ? std::accumulate(counts, counts + site.comm->size(), Count{0}) : counts[site.comm->rank()];
    const Buffer block(data, here, &datatype_of(handle));
    return staging.add(data, {&block, 1}, flow, name);
  }
  template <class P>
  P as() {
    return const_cast<P>(data);
  }
  void store(bool) {}
};
template <Use use, class V, class C>
BlockOperand<use, C> block_operand(V* data, const C* counts, MPI_Datatype type, const char* name) {
  return {data, counts, type, name, kFlow<V>};
}

// A datatype that stands apart from its buffers.
struct CommittedType {
  MPI_Datatype handle;
  const char* name;
  Datatype* type = nullptr;

  Error read(Site& site) { return find_type(site, handle, name, type); }
  template <class P>
  P as() {
    return static_cast<P>(*type);
  }
  void store(bool) {}
};

template <Use use = Use::single, class V>
Payload<use> payload(V* data, Count count, MPI_Datatype type, const char* data_name, const char* count_name,
                     const char* type_name) {
  return {data, count, type, data_name, count_name, type_name, kFlow<V>};
}
template <Use use, Blocks blocks, class V>
Payload<use, blocks> payload(V* data, Count count, MPI_Datatype type, const char* data_name, const char* count_name,
                             const char* type_name) {
  return {data, count, type, data_name, count_name, type_name, kFlow<V>};
}
template <Use use, Blocks blocks = Blocks::one, class V>
Operand<use, blocks> operand(V* data, Count count, MPI_Datatype type, const char* data_name, const char* count_name,
                             const char* type_name) {
  return {data, count, type, data_name, count_name, type_name, kFlow<V>};
}
template <Use use, class V, class C, class D>
PayloadV<use, C, D> payload(V* data, const C* counts, const D* displacements, MPI_Datatype type, const char* data_name,
                            const char* counts_name, const char* displacements_name, const char* type_name) {
  return {data, counts, displacements, type, data_name, counts_name, displacements_name, type_name, kFlow<V>};
}
template <Use use, class V, class C, class D>
PayloadW<use, C, D> payload(V* data, const C* counts, const D* displacements, const MPI_Datatype* types,
                            const char* data_name, const char* counts_name, const char* displacements_name,
                            const char* types_name) {
  return {data, counts, displacements, types, data_name, counts_name, displacements_name, types_name, kFlow<V>};
}

}  // namespace ompi_lite::abi
