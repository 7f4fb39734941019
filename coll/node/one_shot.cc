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

// output = the product of the elements from `offset` bytes on of the ranks first .. last, in rank order.
Error fold(const Region& region, int first, int last, Count offset, const Vector& vector, Count count) {
  const auto from = [&](int rank) { return region.slot_of(rank) + offset; };
  if (first == last) {
    copy_bytes(vector.output, from(first), static_cast<std::size_t>(count * vector.type.size()));
    return {};
  }
  OL_TRY(reduce3(vector.op, vector.type, from(last - 1), from(last), vector.output, count));
  for (int rank = last - 2; rank >= first; --rank)
    OL_TRY(ompi_lite::reduce(vector.op, vector.type, from(rank), vector.output, count));
  return {};
}

// Shows the whole input.
void show(Region& region, const Vector& vector) {
  std::byte* slot = region.begin();
  copy_bytes(slot, vector.input, static_cast<std::size_t>(vector.bytes()));
  region.publish();
}

}  // namespace

Error barrier(Region& region) {
  region.begin();
  region.publish();
  return region.await_all();
}

Error bcast(Region& region, const Buffer& data, int root) {
  const Count bytes = pack_size(data);
  std::byte* slot = region.begin();
  if (region.rank() == root) return put_and_publish(region, Operation::bcast, data, slot, bytes);
  region.publish();
  OL_TRY(region.await(root));
  get(region.slot_of(root), data);
  return {};
}

Error gather(Region& region, const Buffer& send, const Buffer& receive, int root, bool in_place) {
  const bool at_root = region.rank() == root;
  const Count block = pack_size(at_root ? receive : send);
  std::byte* slot = region.begin();
  if (in_place) {
    region.publish();
  } else {
    OL_TRY(put_and_publish(region, Operation::gather, send, slot, block));
  }
  if (!at_root) return {};
  OL_TRY(region.await_all());
  for (int i = 0; i < region.size(); ++i) {
    if (i != root || !in_place) get(region.slot_of(i), blocks_of(receive, i));
  }
  return {};
}

Error scatter(Region& region, const Buffer& send, const Buffer& receive, int root, bool in_place) {
  const bool at_root = region.rank() == root;
  const Count block = pack_size(at_root ? send : receive);
  std::byte* slot = region.begin();
  if (at_root) {
    OL_TRY(put_and_publish(region, Operation::scatter, blocks_of(send, 0, region.size()), slot, block * region.size()));
  } else {
    region.publish();
  }
  if (in_place) return {};
  OL_TRY(region.await(root));
  if (pack_size(receive) != block)
    return make_error(ErrorClass::truncate, "MPI_Scatter: rank %d sends %lld bytes to itself and receives %lld", root,
                      static_cast<long long>(block), static_cast<long long>(pack_size(receive)));
  get(region.slot_of(root) + region.rank() * block, receive);
  return {};
}

Error allgather(Region& region, const Buffer& send, const Buffer& receive, bool in_place) {
  const Count block = pack_size(receive);
  std::byte* slot = region.begin();
  OL_TRY(put_and_publish(region, Operation::allgather, in_place ? blocks_of(receive, region.rank()) : send, slot, block));
  OL_TRY(region.await_all());
  for (int i = 0; i < region.size(); ++i) {
    if (i != region.rank() || !in_place) get(region.slot_of(i), blocks_of(receive, i));
  }
  return {};
}

Error alltoall(Region& region, const Buffer& send, const Buffer& receive) {
  const Count block = pack_size(receive);
  std::byte* slot = region.begin();
  const Buffer all = blocks_of(is_in_place(send) ? receive : send, 0, region.size());
  OL_TRY(put_and_publish(region, Operation::alltoall, all, slot, block * region.size()));
  OL_TRY(region.await_all());
  for (int i = 0; i < region.size(); ++i) get(region.slot_of(i) + region.rank() * block, blocks_of(receive, i));
  return {};
}

Error reduce(Region& region, const Vector& vector, int root) {
  show(region, vector);
  if (region.rank() != root) return {};
  OL_TRY(region.await_all());
  return fold(region, 0, region.size() - 1, 0, vector, vector.count);
}

Error allreduce(Region& region, const Vector& vector) {
  show(region, vector);
  OL_TRY(region.await_all());
  return fold(region, 0, region.size() - 1, 0, vector, vector.count);
}

Error reduce_scatter_block(Region& region, const Vector& vector) {
  show(region, vector);
  OL_TRY(region.await_all());
  const Count each = vector.count / region.size();
  return fold(region, 0, region.size() - 1, each * region.rank() * vector.type.size(), vector, each);
}

Error scan(Region& region, const Vector& vector) {
  show(region, vector);
  OL_TRY(region.await(0, region.rank() + 1));
  return fold(region, 0, region.rank(), 0, vector, vector.count);
}

Error exscan(Region& region, const Vector& vector) {
  show(region, vector);
  if (region.rank() == 0) return {};
  OL_TRY(region.await(0, region.rank()));
  return fold(region, 0, region.rank() - 1, 0, vector, vector.count);
}

}  // namespace ompi_lite::coll::node
