// SPDX-License-Identifier: BSD-3-Clause
// The small collectives of one node.
#include "coll/node/one_shot.h"

#include <cstring>

#include "coll/select.h"
#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite::coll::node {

namespace {

// The n blocks of a buffer from block `first` on.
Buffer blocks_of(const Buffer& each, int first, int n = 1) {
  return Buffer(each.data + first * each.count * each.type->extent(), each.count * n, each.type);
}

// Fills the slot with `expected` bytes and shows it; also if the sender has others than it expects to receive, which is
// an error.
Error put_and_publish(Region& region, Operation operation, const Buffer& from, std::byte* slot, Count expected) {
  const Count bytes = pack_size(from);
  if (bytes == expected) {
    if (const std::byte* start = contiguous_start(from)) {
      copy_bytes(slot, start, static_cast<std::size_t>(bytes));
    } else {
      PackCursor(from).pack(slot, static_cast<std::size_t>(bytes));
    }
  }
  region.publish();
  if (bytes == expected) return {};
  return make_error(ErrorClass::truncate,
                    "%s: rank %d sends %lld bytes to itself and receives %lld: the counts or types differ",
                    mpi_name(operation), region.rank(), static_cast<long long>(bytes), static_cast<long long>(expected));
}

void get(const std::byte* slot, const Buffer& to) {
  const auto bytes = static_cast<std::size_t>(pack_size(to));
  if (std::byte* start = contiguous_start(to)) return copy_bytes(start, slot, bytes);
  PackCursor(to).unpack(slot, bytes);
}

// The slots of one collective.
struct Slots {
  const Region& region;
  std::uint64_t number;
  const std::byte* operator[](int rank) const { return region.slot_of(rank, number); }
};

// output = the product of the elements from `offset` bytes on of the ranks first .. last, in rank order.
Error fold(const Slots& slots, int first, int last, Count offset, const Call& call, Count count) {
  const auto from = [&](int rank) { return slots[rank] + offset; };
  Datatype& type = *call.receive.type;
  std::byte* output = call.receive.data;
  if (first == last) {
    copy_bytes(output, from(first), static_cast<std::size_t>(count * type.size()));
    return {};
  }
  OL_TRY(reduce3(*call.op, type, from(last - 1), from(last), output, count));
  for (int rank = last - 2; rank >= first; --rank) OL_TRY(ompi_lite::reduce(*call.op, type, from(rank), output, count));
  return {};
}

// The three parts, into which the compiler folds the operation where it is known. Every rank shows its slot, also one that
// has nothing in it or finds an error: others wait for it.
[[gnu::always_inline]] inline Error show_slot(Region& region, Operation operation, const Call& call) {
  const bool at_root = region.rank() == call.root;
  std::byte* slot = region.begin();
  switch (operation) {
    case Operation::bcast:
      if (at_root) return put_and_publish(region, operation, call.receive, slot, pack_size(call.receive));
      break;
    case Operation::gather:
      if (!call.in_place) {
        const Count block = pack_size(at_root ? call.receive : call.send);
        return put_and_publish(region, operation, call.send, slot, block);
      }
      break;
    case Operation::scatter:
      if (at_root) {
        const Buffer all = blocks_of(call.send, 0, region.size());
        return put_and_publish(region, operation, all, slot, pack_size(all));
      }
      break;
    case Operation::allgather: {
      const Buffer own = call.in_place ? blocks_of(call.receive, region.rank()) : call.send;
      return put_and_publish(region, operation, own, slot, pack_size(call.receive));
    }
    case Operation::allgatherv: {
      const Buffer to = block_of(call, call.receive, region.rank());
      return put_and_publish(region, operation, call.in_place ? to : call.send, slot, pack_size(to));
    }
    case Operation::alltoall: {
      const Buffer all = blocks_of(call.in_place ? call.receive : call.send, 0, region.size());
      return put_and_publish(region, operation, all, slot, pack_size(call.receive) * region.size());
    }
    case Operation::barrier:
      break;
    default:  // reductions
      copy_bytes(slot, call.send.data, static_cast<std::size_t>(call.send.count * call.send.type->size()));
      break;
  }
  region.publish();
  return {};
}

[[gnu::always_inline]] inline RankRun ranks_awaited(const Region& region, Operation operation, const Call& call) {
  const bool at_root = region.rank() == call.root;
  const RankRun nobody, root{call.root, call.root + 1}, all{0, region.size()};
  switch (operation) {
    case Operation::bcast:
      return at_root ? nobody : root;
    case Operation::scatter:
      return call.in_place ? nobody : root;
    case Operation::gather:
    case Operation::reduce:
      return at_root ? all : nobody;
    case Operation::scan:
      return {0, region.rank() + 1};
    case Operation::exscan:
      return {0, region.rank()};
    default:
      return all;
  }
}

[[gnu::always_inline]] inline Error take_slots(const Region& region, std::uint64_t number, Operation operation,
                                               const Call& call) {
  const Slots slots{region, number};
  const int rank = region.rank(), p = region.size();
  const bool at_root = rank == call.root;
  switch (operation) {
    case Operation::barrier:
      return {};
    case Operation::bcast:
      if (!at_root) get(slots[call.root], call.receive);
      return {};
    case Operation::scatter: {
      if (call.in_place) return {};
      const Count block = pack_size(at_root ? call.send : call.receive), room = pack_size(call.receive);
      if (room != block)
        return make_error(ErrorClass::truncate, "MPI_Scatter: rank %d sends %lld bytes to itself and receives %lld",
                          call.root, static_cast<long long>(block), static_cast<long long>(room));
      get(slots[call.root] + rank * block, call.receive);
      return {};
    }
    case Operation::gather:
      for (int i = 0; at_root && i < p; ++i)
        if (i != rank || !call.in_place) get(slots[i], blocks_of(call.receive, i));
      return {};
    case Operation::allgather:
      for (int i = 0; i < p; ++i)
        if (i != rank || !call.in_place) get(slots[i], blocks_of(call.receive, i));
      return {};
    case Operation::allgatherv:
      for (int i = 0; i < p; ++i)
        if (i != rank || !call.in_place) get(slots[i], block_of(call, call.receive, i));
      return {};
    case Operation::alltoall: {
      const Count block = pack_size(call.receive);
      for (int i = 0; i < p; ++i) get(slots[i] + rank * block, blocks_of(call.receive, i));
      return {};
    }
    case Operation::reduce_scatter_block: {
      const Count each = call.send.count / p;
      return fold(slots, 0, p - 1, each * rank * call.send.type->size(), call, each);
    }
    case Operation::reduce_scatter: {
      Count before = 0;
      for (int i = 0; i < rank; ++i) before += call.counts[i];
      const Count count = call.counts[rank];
      return count == 0 ? Error() : fold(slots, 0, p - 1, before * call.send.type->size(), call, count);
    }
    case Operation::reduce:
      return at_root ? fold(slots, 0, p - 1, 0, call, call.send.count) : Error();
    case Operation::scan:
      return fold(slots, 0, rank, 0, call, call.send.count);
    case Operation::exscan:
      return rank == 0 ? Error() : fold(slots, 0, rank - 1, 0, call, call.send.count);
    default:
      return fold(slots, 0, p - 1, 0, call, call.send.count);
  }
}

}  // namespace

Error show(Region& region, const Call& call) { return show_slot(region, call.operation, call); }
RankRun awaited(const Region& region, const Call& call) { return ranks_awaited(region, call.operation, call); }
Error take(const Region& region, std::uint64_t number, const Call& call) {
  return take_slots(region, number, call.operation, call);
}

template <Operation operation>
Error run(Region& region, const Call& call) {
  OL_TRY(show_slot(region, operation, call));
  const RankRun ranks = ranks_awaited(region, operation, call);
  if (ranks.first == 0 && ranks.end == region.size()) {
    OL_TRY(region.await_all());
  } else if (ranks.first < ranks.end) {
    OL_TRY(region.await(ranks.first, ranks.end));
  }
  return take_slots(region, region.number(), operation, call);
}
template Error run<Operation::barrier>(Region&, const Call&);
template Error run<Operation::bcast>(Region&, const Call&);
template Error run<Operation::gather>(Region&, const Call&);
template Error run<Operation::scatter>(Region&, const Call&);
template Error run<Operation::allgather>(Region&, const Call&);
template Error run<Operation::allgatherv>(Region&, const Call&);
template Error run<Operation::alltoall>(Region&, const Call&);
template Error run<Operation::reduce>(Region&, const Call&);
template Error run<Operation::allreduce>(Region&, const Call&);
template Error run<Operation::reduce_scatter>(Region&, const Call&);
template Error run<Operation::reduce_scatter_block>(Region&, const Call&);
template Error run<Operation::scan>(Region&, const Call&);
template Error run<Operation::exscan>(Region&, const Call&);

}  // namespace ompi_lite::coll::node
