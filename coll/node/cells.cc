// SPDX-License-Identifier: BSD-3-Clause
// The larger collectives of one node, in pieces through the rings of its ranks.
#include "coll/node/cells.h"

#include <unistd.h>

#include <algorithm>

#include "coll/select.h"
#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite::coll::node {

namespace {

constexpr std::size_t kLine = 64;
constexpr Count kBite = 8192;  // bytes that are reduced and copied while they are in the first cache
constexpr Count kLeastPiece = 16 << 10, kUsualPiece = 64 << 10;  // of what flows one way: the reader follows the writer

// The processor says 0 where it does not know, virtual machines do.
std::size_t second_cache_bytes() {
  static const long told = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return told > 0 ? static_cast<std::size_t>(told) : std::size_t{1} << 20;
}

// The blocks of a buffer, n elements each, by rank.
Buffer block_of(const Buffer& each, int rank) {
  return Buffer(each.data + rank * each.count * each.type->extent(), each.count, each.type);
}

// Bytes [at, at + n) of the buffer in packed order, into or out of a cell. What the buffer does not have is left out.
void copy_in(std::byte* cell, const Buffer& from, Count at, Count n) {
  n = std::min(n, pack_size(from) - at);
  if (n <= 0) return;
  if (const std::byte* start = contiguous_start(from)) return copy_bytes(cell, start + at, static_cast<std::size_t>(n));
  PackCursor cursor(from);
  cursor.seek(at);
  cursor.pack(cell, static_cast<std::size_t>(n));
}
void copy_out(const Buffer& to, Count at, const std::byte* cell, Count n) {
  n = std::min(n, pack_size(to) - at);
  if (n <= 0) return;
  if (std::byte* start = contiguous_start(to)) return copy_bytes(start + at, cell, static_cast<std::size_t>(n));
  PackCursor cursor(to);
  cursor.seek(at);
  cursor.unpack(cell, static_cast<std::size_t>(n));
}

Error own_sizes_differ(Operation operation, int rank, Count sent, Count received) {
  return make_error(ErrorClass::truncate,
                    "%s: rank %d sends %lld bytes to itself and receives %lld: the counts or types differ",
                    mpi_name(operation), rank, static_cast<long long>(sent), static_cast<long long>(received));
}

// Pieces of a stream of `bytes` through cells that hold `blocks` of them side by side.
Count piece_of(const Cells& cells, Count bytes, int blocks) {
  const Count most = cells.most() / blocks / static_cast<Count>(kLine) * static_cast<Count>(kLine);
  return std::clamp<Count>(bytes / 4 / kBite * kBite, std::min(kLeastPiece, most), std::min(kUsualPiece, most));
}

// One number of the region for one piece of the rings.
class Piece {
 public:
  Piece(Region& region, Count bytes) : region_(region), place_(region.cells().next(region, bytes)) { region.begin(); }
  std::byte* mine() const { return region_.cells().of(region_.rank(), place_); }
  std::byte* of(int rank) const { return region_.cells().of(rank, place_); }

 private:
  Region& region_;
  std::size_t place_;
};

// Elements of a piece as the ranks share them: whole lines each, the last ones what is left.
struct Shares {
  Count count, each;
  Shares(Count elements, int ranks, Count size) : count(elements) {
    const Count unit = std::max<Count>(1, static_cast<Count>(kLine) / size);
    each = ((elements + ranks - 1) / ranks + unit - 1) / unit * unit;
  }
  Count begin(int rank) const { return std::min(count, rank * each); }
  Count size(int rank) const { return begin(rank + 1) - begin(rank); }
};

// to = the product of the `n` elements at source(rank) of all ranks, in rank order, bite by bite; after(first, m) is called
// for each. `to` is none of the sources.
template <class Source, class After>
Error fold(const Region& region, const Vector& vector, Count n, Source&& source, std::byte* to, After&& after) {
  const Count size = vector.type.size(), bite = std::max<Count>(1, kBite / size);
  const int p = region.size();
  for (Count first = 0; first < n; first += bite) {
    const Count m = std::min(bite, n - first), at = first * size;
    OL_TRY(reduce3(vector.op, vector.type, source(p - 2) + at, source(p - 1) + at, to + at, m));
    for (int rank = p - 3; rank >= 0; --rank)
      OL_TRY(ompi_lite::reduce(vector.op, vector.type, source(rank) + at, to + at, m));
    after(at, m * size);
  }
  return {};
}

// Every rank reduces its share of each piece. root -1: all get the results, else root alone.
Error share_and_reduce(Region& region, const Vector& vector, int root) {
  const Count size = vector.type.size(), most = std::max<Count>(1, region.cells().most() / size);
  const int me = region.rank(), p = region.size();
  const bool wanted = root < 0 || root == me;
  for (Count done = 0; done < vector.count; done += most) {
    const Shares shares(std::min(most, vector.count - done), p, size);
    const std::byte* input = vector.input + done * size;
    std::byte* output = wanted ? vector.output + done * size : nullptr;
    const Piece piece(region, shares.count * size);
    const Count mine = shares.begin(me) * size;
    copy_bytes(piece.mine(), input, static_cast<std::size_t>(mine));
    const Count behind = shares.begin(me + 1) * size;
    copy_bytes(piece.mine() + behind, input + behind, static_cast<std::size_t>(shares.count * size - behind));
    region.publish();
    OL_TRY(region.await_all());
    // The result lies where my own share would be in my cell: nobody needs that.
    OL_TRY(fold(
        region, vector, shares.size(me), [&](int rank) { return (rank == me ? input : piece.of(rank)) + mine; },
        piece.mine() + mine,
        [&](Count at, Count bytes) {
          if (wanted) copy_bytes(output + mine + at, piece.mine() + mine + at, static_cast<std::size_t>(bytes));
        }));
    region.begin();
    region.publish();
    for (int step = 1; wanted && step < p; ++step) {
      const int other = (me + step) % p;
      OL_TRY(region.await(other));
      const Count at = shares.begin(other) * size;
      copy_bytes(output + at, piece.of(other) + at, static_cast<std::size_t>(shares.size(other) * size));
    }
  }
  return {};
}

}  // namespace

std::size_t Cells::ring_bytes(int ranks) {
  const std::size_t share = kMostBytes / static_cast<std::size_t>(ranks) / 4096 * 4096;
  return std::clamp(2 * second_cache_bytes() / 4096 * 4096, std::size_t{128} << 10, share);
}

std::size_t Cells::next(Region& region, Count bytes) {
  const std::size_t wanted = (static_cast<std::size_t>(bytes) + 2 * kLine - 1) / (2 * kLine) * (2 * kLine);
  const std::size_t part_bytes = ring_ / kParts;
  if (place_ + wanted > (part_ + 1) * part_bytes) {
    last_use_[part_] = region.number();
    part_ = (part_ + 1) % kParts;
    place_ = part_ * part_bytes;
    region.all_left(last_use_[part_]);
  }
  const std::size_t at = place_;
  place_ += wanted;
  return at;
}

namespace cells {

Error bcast(Region& region, const Buffer& data, int root) {
  const Count bytes = pack_size(data), n = piece_of(region.cells(), bytes, 1);
  for (Count at = 0; at < bytes; at += n) {
    const Piece piece(region, std::min(n, bytes - at));
    if (region.rank() == root) {
      copy_in(piece.mine(), data, at, n);
      region.publish();
    } else {
      region.publish();
      OL_TRY(region.await(root));
      copy_out(data, at, piece.of(root), std::min(n, bytes - at));
    }
  }
  return {};
}

Error gather(Region& region, const Buffer& send, const Buffer& receive, int root, bool in_place) {
  const bool at_root = region.rank() == root;
  const Count block = pack_size(at_root ? receive : send), n = piece_of(region.cells(), block, 1);
  if (at_root && !in_place) OL_TRY(copy_typed(send, block_of(receive, root)));
  for (Count at = 0; at < block; at += n) {
    const Piece piece(region, std::min(n, block - at));
    if (!at_root) copy_in(piece.mine(), send, at, n);
    region.publish();
    for (int step = 1; at_root && step < region.size(); ++step) {
      const int other = (root + step) % region.size();
      OL_TRY(region.await(other));
      copy_out(block_of(receive, other), at, piece.of(other), std::min(n, block - at));
    }
  }
  return {};
}

Error scatter(Region& region, const Buffer& send, const Buffer& receive, int root, bool in_place) {
  const bool at_root = region.rank() == root;
  const int p = region.size();
  const Count block = pack_size(at_root ? send : receive), n = piece_of(region.cells(), block, p);
  for (Count at = 0; at < block; at += n) {
    const Count m = std::min(n, block - at);
    const Piece piece(region, m * p);
    if (at_root) {
      for (int rank = 0; rank < p; ++rank)
        if (rank != root) copy_in(piece.mine() + rank * m, block_of(send, rank), at, m);
      region.publish();
    } else {
      region.publish();
      OL_TRY(region.await(root));
      copy_out(receive, at, piece.of(root) + region.rank() * m, m);
    }
  }
  return at_root && !in_place ? copy_typed(block_of(send, root), receive) : Error();
}

Error allgather(Region& region, const Buffer& send, const Buffer& receive, bool in_place) {
  const int me = region.rank(), p = region.size();
  const Count block = pack_size(receive), n = piece_of(region.cells(), block, 1);
  const Buffer own = in_place ? block_of(receive, me) : send;
  for (Count at = 0; at < block; at += n) {
    const Piece piece(region, std::min(n, block - at));
    copy_in(piece.mine(), own, at, n);
    region.publish();
    if (!in_place) copy_out(block_of(receive, me), at, piece.mine(), std::min(n, block - at));
    for (int step = 1; step < p; ++step) {
      const int other = (me + step) % p;
      OL_TRY(region.await(other));
      copy_out(block_of(receive, other), at, piece.of(other), std::min(n, block - at));
    }
  }
  if (pack_size(own) != block) return own_sizes_differ(Operation::allgather, me, pack_size(own), block);
  return {};
}

Error alltoall(Region& region, const Buffer& send, const Buffer& receive) {
  const int me = region.rank(), p = region.size();
  const bool in_place = is_in_place(send);
  const Count block = pack_size(receive), n = piece_of(region.cells(), block, p);
  const Buffer& outgoing = in_place ? receive : send;
  for (Count at = 0; at < block; at += n) {
    const Count m = std::min(n, block - at);
    const Piece piece(region, m * p);
    for (int rank = 0; rank < p; ++rank)
      if (rank != me) copy_in(piece.mine() + rank * m, block_of(outgoing, rank), at, m);
    region.publish();
    for (int step = 1; step < p; ++step) {
      const int other = (me + step) % p;
      OL_TRY(region.await(other));
      copy_out(block_of(receive, other), at, piece.of(other) + me * m, m);
    }
  }
  if (in_place) return {};
  if (pack_size(send) != block) return own_sizes_differ(Operation::alltoall, me, pack_size(send), block);
  return copy_typed(block_of(send, me), block_of(receive, me));
}

Error reduce(Region& region, const Vector& vector, int root) { return share_and_reduce(region, vector, root); }

Error allreduce(Region& region, const Vector& vector) { return share_and_reduce(region, vector, -1); }

Error reduce_scatter_block(Region& region, const Vector& vector) {
  const Count size = vector.type.size();
  const int me = region.rank(), p = region.size();
  const Count each = vector.count / p, most = std::max<Count>(1, region.cells().most() / p / size);
  for (Count done = 0; done < each; done += most) {
    const Count m = std::min(most, each - done);
    const Piece piece(region, m * p * size);
    for (int rank = 0; rank < p; ++rank) {
      if (rank == me) continue;
      copy_bytes(piece.mine() + rank * m * size, vector.input + (rank * each + done) * size,
                 static_cast<std::size_t>(m * size));
    }
    region.publish();
    OL_TRY(region.await_all());
    const std::byte* own = vector.input + (me * each + done) * size;
    std::byte* output = vector.output + done * size;
    std::byte* to = own == output ? piece.mine() + me * m * size : output;  // where input and output are one
    OL_TRY(fold(
        region, vector, m, [&](int rank) { return rank == me ? own : piece.of(rank) + me * m * size; }, to,
        [&](Count at, Count bytes) {
          if (to != output) copy_bytes(output + at, to + at, static_cast<std::size_t>(bytes));
        }));
  }
  return {};
}

}  // namespace cells

}  // namespace ompi_lite::coll::node
