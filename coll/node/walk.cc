// SPDX-License-Identifier: BSD-3-Clause
// The larger collectives of one node, in pieces through the rings of its ranks.
#include "coll/node/walk.h"

#include <algorithm>

#include "coll/direct.h"
#include "coll/select.h"
#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite::coll::node {

namespace {

constexpr Count kLine = 64;
constexpr Count kBite = 8192;  // bytes that are reduced and copied while they are in the first cache
constexpr Count kLeastPiece = 16 << 10, kUsualPiece = 64 << 10;  // of what flows one way: the reader follows the writer

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

// Pieces of a stream of `bytes` through cells that hold `blocks` of them side by side.
Count piece_of(const Cells& cells, Count bytes, int blocks) {
  const Count most = cells.most() / blocks / kLine * kLine;
  return std::clamp<Count>(bytes / 4 / kBite * kBite, std::min(kLeastPiece, most), std::min(kUsualPiece, most));
}

// Elements of a piece as the ranks share them: whole lines each, the last ones what is left.
struct Shares {
  Count count, each;
  Shares(Count elements, int ranks, Count size) : count(elements) {
    const Count unit = std::max<Count>(1, kLine / size);
    each = ((elements + ranks - 1) / ranks + unit - 1) / unit * unit;
  }
  Count begin(int rank) const { return std::min(count, rank * each); }
  Count size(int rank) const { return begin(rank + 1) - begin(rank); }
};

// to = the product of the `n` elements at source(rank) of all ranks, in rank order, bite by bite; after(first, m) is called
// for each. `to` is none of the sources.
template <class Source, class After>
Error fold_bites(int p, const Call& call, Count n, Source&& source, std::byte* to, After&& after) {
  Datatype& type = *call.receive.type;
  const Count size = type.size(), bite = std::max<Count>(1, kBite / size);
  for (Count first = 0; first < n; first += bite) {
    const Count m = std::min(bite, n - first), at = first * size;
    OL_TRY(reduce3(*call.op, type, source(p - 2) + at, source(p - 1) + at, to + at, m));
    for (int rank = p - 3; rank >= 0; --rank) OL_TRY(ompi_lite::reduce(*call.op, type, source(rank) + at, to + at, m));
    after(at, m * size);
  }
  return {};
}

}  // namespace

Walk::Walk(Region& region, const Call& call)
    : region_(region),
      call_(call),
      me_(region.rank()),
      p_(region.size()),
      size_(call.op != nullptr ? call.receive.type->size() : 1),
      reduces_(call.op != nullptr) {
  plan();
}

// The blocks of the buffers by rank.
Buffer Walk::sent_to(int rank) const {
  const bool received = call_.in_place && call_.operation == Operation::alltoall;
  return block_of(call_, received ? call_.receive : call_.send, rank);
}
Buffer Walk::received_from(int rank) const { return block_of(call_, call_.receive, rank); }

// Of the vector that reduce-scatter shares out: how many elements rank `rank` gets, and where they begin.
Count Walk::elements(int rank) const { return call_.counts ? call_.counts[rank] : call_.send.count / p_; }
Count Walk::first_element(int rank) const {
  if (!call_.counts) return rank * elements(rank);
  Count sum = 0;
  for (int i = 0; i < rank; ++i) sum += call_.counts[i];
  return sum;
}

// How long what each rank has is, and the pieces that it is cut into.
void Walk::plan() {
  const bool at_root = me_ == call_.root;
  const Cells& cells = region_.cells();
  sources_ = p_ - 1;
  switch (call_.operation) {
    case Operation::bcast:
      total_ = pack_size(call_.receive);
      piece_ = piece_of(cells, total_, 1);
      sources_ = at_root ? 0 : 1;
      break;
    case Operation::gather:
      total_ = pack_size(at_root ? call_.receive : call_.send);
      piece_ = piece_of(cells, total_, 1);
      if (!at_root) sources_ = 0;
      break;
    case Operation::scatter:
      total_ = pack_size(at_root ? call_.send : call_.receive);
      piece_ = piece_of(cells, total_, p_);
      sources_ = at_root ? 0 : 1;
      break;
    case Operation::allgather:
      total_ = pack_size(call_.receive);
      piece_ = piece_of(cells, total_, 1);
      break;
    case Operation::allgatherv:
      for (int rank = 0; rank < p_; ++rank) total_ = std::max(total_, pack_size(received_from(rank)));
      piece_ = piece_of(cells, total_, 1);
      break;
    case Operation::alltoall:
      total_ = pack_size(call_.receive);
      piece_ = piece_of(cells, total_, p_);
      break;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      for (int rank = 0; rank < p_; ++rank) total_ = std::max(total_, elements(rank));
      piece_ = std::max<Count>(1, cells.most() / p_ / size_);
      sources_ = 0;
      break;
    default:  // reduce, allreduce
      total_ = call_.receive.count;
      piece_ = std::max<Count>(1, cells.most() / size_);
      if (call_.operation == Operation::reduce && !at_root) sources_ = 0;
      break;
  }
}

// What a piece of n elements takes of each ring.
Count Walk::pieces_bytes(Count n) const {
  switch (call_.operation) {
    case Operation::scatter:
    case Operation::alltoall:
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return n * size_ * p_;
    default:
      return n * size_;
  }
}

void Walk::show() {
  std::byte* mine = region_.cells().of(me_, place_);
  const bool at_root = me_ == call_.root;
  switch (call_.operation) {
    case Operation::bcast:
      if (at_root) copy_in(mine, call_.receive, at_, now_);
      break;
    case Operation::gather:
      if (!at_root) copy_in(mine, call_.send, at_, now_);
      break;
    case Operation::allgather:
    case Operation::allgatherv:
      copy_in(mine, call_.in_place ? received_from(me_) : call_.send, at_, now_);
      break;
    case Operation::scatter:
      if (!at_root) break;
      [[fallthrough]];
    case Operation::alltoall:
      for (int rank = 0; rank < p_; ++rank)
        if (rank != me_) copy_in(mine + rank * now_, sent_to(rank), at_, now_);
      break;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      for (int rank = 0; rank < p_; ++rank) {
        const Count n = std::min(now_, elements(rank) - at_);
        if (rank == me_ || n <= 0) continue;
        copy_bytes(mine + rank * now_ * size_, call_.send.data + (first_element(rank) + at_) * size_,
                   static_cast<std::size_t>(n * size_));
      }
      break;
    default: {  // reduce, allreduce: what is not my share
      const Shares shares(now_, p_, size_);
      const std::byte* input = call_.send.data + at_ * size_;
      const Count before = shares.begin(me_) * size_, behind = shares.begin(me_ + 1) * size_;
      copy_bytes(mine, input, static_cast<std::size_t>(before));
      copy_bytes(mine + behind, input + behind, static_cast<std::size_t>(now_ * size_ - behind));
      break;
    }
  }
  region_.publish();
  // While the others show theirs. The root of a scatter lets nobody wait.
  const bool gathers_all = call_.operation == Operation::allgather || call_.operation == Operation::allgatherv;
  if (gathers_all && !call_.in_place) copy_out(received_from(me_), at_, mine, now_);
  if (at_ == 0 && call_.operation != Operation::scatter) own_ = copy_own();
}

// All have shown: my share of the piece is reduced.
Error Walk::fold() {
  const Cells& cells = region_.cells();
  const auto of = [&](int rank) { return cells.of(rank, place_); };
  if (scatters()) {
    const Count n = std::min(now_, elements(me_) - at_), mine = me_ * now_ * size_;
    if (n <= 0) return {};
    const std::byte* own = call_.send.data + (first_element(me_) + at_) * size_;
    std::byte* output = call_.receive.data + at_ * size_;
    const bool overlap = call_.in_place && first_element(me_) < n;
    std::byte* to = overlap ? of(me_) + mine : output;
    return fold_bites(
        p_, call_, n, [&](int rank) -> const std::byte* { return rank == me_ ? own : of(rank) + mine; }, to,
        [&](Count at, Count bytes) {
          if (to != output) copy_bytes(output + at, to + at, static_cast<std::size_t>(bytes));
        });
  }
  const Shares shares(now_, p_, size_);
  const Count mine = shares.begin(me_) * size_;
  const bool wanted = call_.operation == Operation::allreduce || me_ == call_.root;
  const std::byte* input = call_.send.data + at_ * size_;
  std::byte* result = of(me_) + mine;  // where my own share would be in my cell: nobody needs that
  return fold_bites(
      p_, call_, shares.size(me_), [&](int rank) { return (rank == me_ ? input : of(rank)) + mine; }, result,
      [&](Count at, Count bytes) {
        if (wanted) copy_bytes(call_.receive.data + at_ * size_ + mine + at, result + at, static_cast<std::size_t>(bytes));
      });
}

int Walk::collected_from(int step) const {
  const bool from_root = call_.operation == Operation::bcast || call_.operation == Operation::scatter;
  return from_root ? call_.root : (me_ + 1 + step) % p_;
}

void Walk::collect(int rank) {
  const std::byte* theirs = region_.cells().of(rank, place_);
  switch (call_.operation) {
    case Operation::bcast:
      return copy_out(call_.receive, at_, theirs, now_);
    case Operation::scatter:
      return copy_out(call_.receive, at_, theirs + me_ * now_, now_);
    case Operation::gather:
    case Operation::allgather:
    case Operation::allgatherv:
      return copy_out(received_from(rank), at_, theirs, now_);
    case Operation::alltoall:
      return copy_out(received_from(rank), at_, theirs + me_ * now_, now_);
    default: {  // reduce, allreduce
      const Shares shares(now_, p_, size_);
      const Count begin = shares.begin(rank) * size_;
      copy_bytes(call_.receive.data + at_ * size_ + begin, theirs + begin,
                 static_cast<std::size_t>(shares.size(rank) * size_));
    }
  }
}

// What a rank has for itself; tells whether it gave two sizes.
Error Walk::copy_own() {
  const bool at_root = me_ == call_.root;
  switch (call_.operation) {
    case Operation::gather:
      return at_root && !call_.in_place ? copy_checked(call_.operation, me_, call_.send, received_from(me_)) : Error();
    case Operation::scatter:
      return at_root && !call_.in_place ? copy_checked(call_.operation, me_, sent_to(me_), call_.receive) : Error();
    case Operation::alltoall:
      return call_.in_place ? Error() : copy_checked(call_.operation, me_, sent_to(me_), received_from(me_));
    case Operation::allgather:
    case Operation::allgatherv: {  // piece by piece, but for an error
      const Buffer own = received_from(me_);
      const bool differs = !call_.in_place && pack_size(call_.send) != pack_size(own);
      return differs ? copy_checked(call_.operation, me_, call_.send, own) : Error();
    }
    default:
      return {};
  }
}

// Whether the next piece may be begun: its place and its number are free.
template <bool waits>
bool Walk::may_open(Count bytes) {
  if constexpr (!waits) {
    if (!region_.may_begin() || !region_.cells().may_next(region_, bytes)) return false;
  }
  return true;
}

// Whether these ranks have published.
template <bool waits>
Result<bool> Walk::here(int first, int end) {
  if constexpr (waits) {
    if (first == 0 && end == p_) {
      OL_TRY(region_.await_all());
    } else {
      OL_TRY(region_.await(first, end));
    }
  } else {
    first_ = std::max(first_, first);
    if (!region_.arrived(ticket_, first_, end)) return false;
    OL_TRY(region_.compare(ticket_, first, end));
  }
  return true;
}

template <bool waits>
Error Walk::go(bool& moved) {
  for (;; moved = true) {
    switch (stage_) {
      case Stage::open:
        if (at_ >= total_) {
          stage_ = Stage::over;
          return call_.operation == Operation::scatter ? copy_own() : own_;
        }
        now_ = std::min(piece_, total_ - at_);
        if (!may_open<waits>(pieces_bytes(now_))) return {};
        place_ = region_.cells().next(region_, pieces_bytes(now_));
        region_.begin();
        show();
        ticket_ = region_.ticket();
        stage_ = reduces_ ? Stage::fold : Stage::collect;
        step_ = first_ = 0;
        break;
      case Stage::fold: {
        Result<bool> all = here<waits>(0, p_);
        if (!all) return all.error();
        if (!*all) return {};
        OL_TRY(fold());
        stage_ = scatters() ? Stage::collect : Stage::open_again;
        break;
      }
      case Stage::open_again:
        if constexpr (!waits) {
          if (!region_.may_begin()) return {};
        }
        region_.begin();
        region_.publish();
        ticket_ = region_.ticket();
        stage_ = Stage::collect;
        break;
      case Stage::collect: {
        if (step_ == sources_) {
          at_ += now_;
          stage_ = Stage::open;
          break;
        }
        const int rank = collected_from(step_);
        first_ = rank;
        Result<bool> there = here<waits>(rank, rank + 1);
        if (!there) return there.error();
        if (!*there) return {};
        collect(rank);
        ++step_;
        break;
      }
      case Stage::over:
        return {};
    }
  }
}

Error Walk::run() {
  bool moved = false;
  return go<true>(moved);
}

Error Walk::advance(bool& moved) {
  const Error error = go<false>(moved);
  if (error) stage_ = Stage::over;
  return error;
}

}  // namespace ompi_lite::coll::node
