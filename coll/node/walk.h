// SPDX-License-Identifier: BSD-3-Clause
// A larger collective of a node on its way: its data walk through the rings of the ranks in pieces.
//
//   each piece   show      copy into my cell what others need of me, and publish
//                collect   when another rank has published, copy out of its cell what I need of it
//   reductions   show      copy in the shares of the others
//                fold      when all have published, reduce my share straight out of all cells, and publish again
//                collect   when another rank has published again, copy its share out
#pragma once

#include "coll/node/cells.h"
#include "coll/node/one_shot.h"
#include "coll/node/region.h"

namespace ompi_lite::coll::node {

// One call of one rank; no other collective of the region begins before it is over. It may be waited for, or advanced now
// and then. All ranks make the same pieces, each with one or two numbers of the region. The buffers, the op and the types
// are the caller's. Guarded like the region.
class Walk {
 public:
  Walk(Region& region, const Call& call);

  // To the end, waiting for others.
  Error run();
  // As far as it gets without waiting; `moved`: it got on. The first error ends it.
  Error advance(bool& moved);
  bool over() const { return stage_ == Stage::over; }
  int awaited() const { return first_; }  // the rank without which it does not get on

 private:
  enum class Stage : std::uint8_t { open, fold, open_again, collect, over };

  template <bool waits>
  Error go(bool& moved);
  template <bool waits>
  bool may_open(Count bytes);
  template <bool waits>
  Result<bool> here(int first, int end);

  Buffer sent_to(int rank) const;
  Buffer received_from(int rank) const;
  Count elements(int rank) const;
  Count first_element(int rank) const;
  Count pieces_bytes(Count n) const;
  bool scatters() const {
    return call_.operation == Operation::reduce_scatter || call_.operation == Operation::reduce_scatter_block;
  }

  void plan();
  void show();
  Error fold();
  void collect(int rank);
  Error copy_own();
  int collected_from(int step) const;

  Region& region_;
  const Call call_;
  const int me_, p_;
  const Count size_;  // of an element that is reduced; else 1
  const bool reduces_;
  Count total_ = 0;             // that each rank has, in elements or bytes: of the longest block where there are several
  Count piece_ = 0;             // of them walk together
  Count at_ = 0, now_ = 0;      // the piece that is under way
  std::size_t place_ = 0;       // where it lies in the rings
  int sources_ = 0, step_ = 0;  // how many ranks there are to collect from, and with how many it is done
  Stage stage_ = Stage::open;
  Region::Ticket ticket_;
  int first_ = 0;  // of the ranks that have not come
  Error own_;      // of copy_own()
};

}  // namespace ompi_lite::coll::node
