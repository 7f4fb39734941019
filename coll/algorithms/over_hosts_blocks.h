// SPDX-License-Identifier: BSD-3-Clause
// Collectives over several hosts whose data are a block for each rank: see over_hosts.h.
#pragma once

#include "coll/algorithms/over_hosts.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  hosts   A: 0 2 4   B: 1 3      lanes 2:  lane 0 carries 0 4 | 1     lane 1 carries 2 | 3      The blocks in this order.
//  A rank's block belongs to the lane of its place; places beyond the lanes share them in turn. By lane, then by host, then
//  by place: so what a lane has lies in one piece, and in it what each host has.
template <Steps S>
class LaneOrder {
 public:
  // size_of(rank): elements of its block. made() is false where there is no memory.
  template <class SizeOf>
  LaneOrder(S& steps, const HostMap& map, int lanes, SizeOf&& size_of)
      : hosts_(map.hosts()),
        begins_(steps.numbers(map.ranks())),
        groups_(steps.numbers(lanes * map.hosts() + 1)),
        lanes_(steps.numbers(lanes + 1)) {
    if (!made()) return;
    Count end = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      lanes_[lane] = end;
      for (int host = 0; host < hosts_; ++host) {
        groups_[lane * hosts_ + host] = end;
        for (int place = lane; place < map.size(host); place += lanes) {
          const int rank = map.member(host, place);
          begins_[rank] = end;
          end += size_of(rank);
        }
      }
    }
    groups_[lanes * hosts_] = lanes_[lanes] = end;
  }
  // Whether the blocks stand in the order of ranks.
  static bool is_of_ranks(const HostMap& map, int lanes) {
    int next = 0;
    for (int lane = 0; lane < lanes; ++lane)
      for (int host = 0; host < map.hosts(); ++host)
        for (int place = lane; place < map.size(host); place += lanes)
          if (map.member(host, place) != next++) return false;
    return true;
  }

  bool made() const { return begins_ != nullptr && groups_ != nullptr && lanes_ != nullptr; }
  Count begin(int rank) const { return begins_[rank]; }
  Count total(int lanes) const { return lanes_[lanes]; }
  Split lanes() const { return Split(lanes_); }
  Split hosts_of(int lane) const { return Split(groups_ + lane * hosts_); }

 private:
  int hosts_;
  Count *begins_, *groups_, *lanes_;
};

// What the all-gathers, the reduce-scatters and the all-to-all have in common.
struct BlocksOverHosts : HostsForm {
  // More lanes drive the network better and cost more messages inside.
  static constexpr Count lanes_for(const Question& q, Count bytes_of_host) {
    constexpr Count kLeastOfLane = 16384;
    return std::clamp<Count>(bytes_of_host / kLeastOfLane, 1, q.least_on_host);
  }
  static constexpr double followers_of(const Question& q, double lanes) { return (on_host(q) - lanes) / lanes; }
  static constexpr double lanes_of(const Question& q, Count lanes) {
    return static_cast<double>(std::min<Count>(lanes, q.least_on_host));
  }
};

// Inside, followers give their blocks to their lanes; the lanes all-gather across; then inside.
struct AllgatherHosts : BlocksOverHosts {
  static constexpr Count usual(const Question& q) { return lanes_for(q, q.bytes * on_host(q)); }
  static constexpr Cost cost(const Question& q, Count wanted) {
    const double lanes = lanes_of(q, wanted), all = static_cast<double>(q.bytes) * q.ranks, far = rounds_of(q.hosts);
    const double across = all / lanes * (q.hosts - 1) / q.hosts, followers = followers_of(q, lanes);
    const double near = 2 * followers + (lanes == 1 ? rounds_of(on_host(q)) : rounds_of(static_cast<int>(lanes)));
    Cost cost;
    cost.rounds = far + near * kNearHop;
    cost.messages = 3 * far + 2 * near * kNearHop;
    cost.bytes = 2 * across + 2 * all * (1 + followers) * kNearByte;
    cost.handled = all;
    cost.all_messages = q.hosts * lanes * 1.5 * far;
    cost.all_bytes = q.ranks * cost.bytes / 2;
    cost.all_handled = q.ranks * all;
    return cost;
  }
  template <Steps S>
  static void run(S& steps, const AllgatherCall& call) {
    OverHosts<S> over(steps, call.parameter);
    const HostMap& map = *steps.hosts();
    const int p = map.ranks(), rank = steps.rank(), host = map.host(rank), place = map.place(rank);
    const bool in_place = call.blocks.uniform() && LaneOrder<S>::is_of_ranks(map, over.lanes());
    const LaneOrder<S> order(steps, map, over.lanes(),
                             [&](int r) { return in_place ? call.blocks[r].count : steps.bytes(call.blocks[r]); });
    if (!order.made()) return;
    const Part vector = in_place ? call.blocks.run(0, p) : steps.scratch(order.total(over.lanes()));
    const auto block = [&](int r) {
      return steps.slice(vector, order.begin(r), in_place ? call.blocks[r].count : steps.bytes(call.blocks[r]));
    };
    if (!in_place) steps.copy(call.blocks[rank], block(rank));
    over.give_to_lane(block(rank), block);
    if (over.in_lane()) {
      Subgroup<S> lane = over.lane();
      circulant_allgather(lane, host, 0,
                          [&](int first, int n) { return block_of(steps, vector, order.hosts_of(place), first, n); });
    }
    over.collect(vector, order.lanes());
    if (in_place) return;
    for (int r = 0; r < p; ++r)
      if (r != rank) steps.copy(block(r), call.blocks[r]);
  }
};

// The same backwards: inside each lane gets the host's reduction of the blocks that it carries; the lanes reduce-scatter
// across; each rank gets its block from its lane.
struct ReduceScatterHosts : BlocksOverHosts {
  static constexpr bool commutative_only = true;
  static constexpr Count usual(const Question& q) { return lanes_for(q, q.bytes / q.hosts); }
  static constexpr Cost cost(const Question& q, Count wanted) {
    const double lanes = lanes_of(q, wanted), m = static_cast<double>(q.bytes), far = rounds_of(q.hosts);
    const double across = m / lanes * (q.hosts - 1) / q.hosts, followers = followers_of(q, lanes);
    const double near = 2 * followers + (lanes == 1 ? rounds_of(on_host(q)) : rounds_of(static_cast<int>(lanes)));
    Cost cost;
    cost.rounds = far + near * kNearHop;
    cost.messages = 3 * far + 2 * near * kNearHop;
    cost.bytes = 2 * across + 2 * m * (lanes == 1 ? rounds_of(on_host(q)) : (lanes - 1) / lanes + followers) * kNearByte;
    cost.handled = 3 * m;
    cost.all_messages = q.hosts * lanes * 1.5 * far;
    cost.all_bytes = q.ranks * cost.bytes / 2;
    cost.all_handled = q.ranks * cost.handled;
    return cost;
  }
  template <Steps S>
  static void run(S& steps, const ReduceScatterCall& call) {
    OverHosts<S> over(steps, call.parameter);
    const HostMap& map = *steps.hosts();
    const int rank = steps.rank(), place = map.place(rank);
    const LaneOrder<S> order(steps, map, over.lanes(), [&](int r) { return call.split.size(r); });
    if (!order.made()) return;
    const Part vector = steps.scratch(order.total(over.lanes()));
    const auto block = [&](int r) { return steps.slice(vector, order.begin(r), call.split.size(r)); };
    const bool as_it_lies = LaneOrder<S>::is_of_ranks(map, over.lanes());
    for (int r = 0; r < map.ranks() && !as_it_lies; ++r)
      if (call.split.size(r) > 0) steps.copy(block_of(steps, call.input, call.split, r), block(r));
    over.reduce_scatter(as_it_lies ? call.input : vector, vector, order.lanes());
    if (over.in_lane()) {
      Subgroup<S> lane = over.lane();
      circulant_reduce_scatter(lane, vector, vector, order.hosts_of(place));
      steps.copy(block(rank), call.output);
    }
    over.take_from_lane(call.output, block);
  }
};

// Small blocks: inside, the lanes collect what goes to the ranks that they carry; they exchange it across in one message
// for each pair of hosts and lane; then it is dealt out. What stays on the host goes straight.
struct AlltoallHosts : BlocksOverHosts {
  static constexpr Count usual(const Question& q) { return lanes_for(q, q.bytes * on_host(q) * on_host(q)); }
  static constexpr Cost cost(const Question& q, Count wanted) {
    const double lanes = lanes_of(q, wanted), s = on_host(q), b = static_cast<double>(q.bytes), h = q.hosts - 1;
    const double of_lane = h * s * s * b / lanes;  // through a lane, each way
    const double near = 2 * (s - 1) / std::min<double>(s, kWindow) + lanes + s / lanes;
    Cost cost;
    cost.rounds = 1 + near * kNearHop;
    cost.messages = 2 * h + 4 * s * kNearHop;
    cost.bytes = 2 * of_lane + (4 * of_lane + 2 * s * b) * kNearByte;
    cost.handled = 4 * of_lane;
    cost.all_messages = q.hosts * lanes * h;
    cost.all_bytes = q.ranks * cost.bytes / 2;
    cost.all_handled = q.ranks * cost.handled;
    return cost;
  }

  template <Steps S>
  class Exchange {
   public:
    Exchange(S& steps, const AlltoallCall& call)
        : steps_(steps),
          call_(call),
          map_(*steps.hosts()),
          over_(steps, call.parameter),
          lanes_(over_.lanes()),
          rank_(steps.rank()),
          host_(map_.host(rank_)),
          place_(map_.place(rank_)),
          size_(map_.size(host_)) {}

    void run() {
      inside();
      collect();
      if (over_.in_lane()) across();
      deal_out();
    }

   private:
    // Ranks of a host that a lane carries.
    int carried(int host, int lane) const { return (map_.size(host) - lane + lanes_ - 1) / lanes_; }
    // Blocks that a rank of this host has for others that the lane carries.
    Count far_blocks(int lane) const {
      Count blocks = 0;
      for (int h = 0; h < map_.hosts(); ++h)
        if (h != host_) blocks += carried(h, lane);
      return blocks;
    }
    Part blocks(const Part& packed, Count first, Count n) const {
      return steps_.slice(packed, first * call_.block, n * call_.block);
    }

    void inside() {
      for (int k = 1; k < size_; ++k) {
        const int to = map_.member(host_, around(place_, k, size_)), from = map_.member(host_, around(place_, -k, size_));
        steps_.sendrecv(call_.send[to], to, call_.receive[from], from);
        if (k % kWindow == 0) steps_.end_round();
      }
      steps_.end_round();
    }

    // What this rank has for the lane's ranks elsewhere, by host and place.
    void pack(int lane, const Part& packed) {
      Count at = 0;
      for (int h = 0; h < map_.hosts(); ++h)
        for (int place = lane; h != host_ && place < map_.size(h); place += lanes_)
          steps_.copy(call_.send[map_.member(h, place)], blocks(packed, at++, 1));
    }

    // A lane then has, one behind the other, what each place of its host has for it.
    void collect() {
      if (over_.in_lane()) {
        collected_ = steps_.scratch(far_blocks(place_) * size_ * call_.block);
        pack(place_, blocks(collected_, far_blocks(place_) * place_, far_blocks(place_)));
      }
      for (int k = 1; k < size_; ++k) {
        const int to = around(place_, k, size_), from = around(place_, -k, size_);
        if (to < lanes_) {
          const Part packed = steps_.scratch(far_blocks(to) * call_.block);
          pack(to, packed);
          steps_.send(packed, map_.member(host_, to));
        }
        if (over_.in_lane())
          steps_.recv(blocks(collected_, far_blocks(place_) * from, far_blocks(place_)), map_.member(host_, from));
        if (k % kWindow == 0) steps_.end_round();
      }
      steps_.end_round();
    }

    // To each host what all places here have for it; from it the like.
    void across() {
      const int hosts = map_.hosts(), mine = carried(host_, place_);
      const Count each = far_blocks(place_);
      const Part out = steps_.scratch(each * size_ * call_.block);
      arrived_ = steps_.scratch((map_.ranks() - size_) * Count{mine} * call_.block);
      Count at = 0;
      for (int h = 0, before = 0; h < hosts; ++h) {
        if (h == host_) continue;
        const int n = carried(h, place_);
        for (int place = 0; place < size_; ++place, at += n)
          steps_.copy(blocks(collected_, each * place + before, n), blocks(out, at, n));
        before += n;
      }
      for (int k = 1; k < hosts; ++k) {
        const int to = around(host_, k, hosts), from = around(host_, -k, hosts);
        steps_.sendrecv(blocks(out, begin_of(to) * size_, Count{carried(to, place_)} * size_), map_.member(to, place_),
                        blocks(arrived_, ranks_before(from) * mine, Count{map_.size(from)} * mine),
                        map_.member(from, place_));
        if (k % kWindow == 0) steps_.end_round();
      }
      steps_.end_round();
    }
    // Ranks that the own lane carries on other hosts before this one; ranks of other hosts before it.
    Count begin_of(int host) const {
      Count blocks = 0;
      for (int h = 0; h < host; ++h)
        if (h != host_) blocks += carried(h, place_);
      return blocks;
    }
    Count ranks_before(int host) const {
      Count ranks = 0;
      for (int h = 0; h < host; ++h)
        if (h != host_) ranks += map_.size(h);
      return ranks;
    }

    // What has come from host h, place i, for carried rank number c is block (ranks_before(h) + i) * mine + c.
    void deal_out() {
      const int far = map_.ranks() - size_;
      if (!over_.in_lane()) {
        const Part packed = steps_.scratch(far * call_.block);
        steps_.recv(packed, map_.member(host_, place_ % lanes_));
        steps_.end_round();
        return unpack([&](Count number) { return blocks(packed, number, 1); });
      }
      const Count mine = carried(host_, place_);
      unpack([&](Count number) { return blocks(arrived_, number * mine, 1); });
      for (Count c = 1; c < mine; ++c) {
        const Part packed = steps_.scratch(far * call_.block);
        for (int number = 0; number < far; ++number)
          steps_.copy(blocks(arrived_, number * mine + c, 1), blocks(packed, number, 1));
        steps_.send(packed, map_.member(host_, place_ + static_cast<int>(c) * lanes_));
        if (c % kWindow == 0) steps_.end_round();
      }
      steps_.end_round();
    }
    template <class From>
    void unpack(From&& from) {
      Count number = 0;
      for (int h = 0; h < map_.hosts(); ++h)
        for (int i = 0; h != host_ && i < map_.size(h); ++i) steps_.copy(from(number++), call_.receive[map_.member(h, i)]);
    }

    S& steps_;
    const AlltoallCall& call_;
    const HostMap& map_;
    OverHosts<S> over_;
    const int lanes_, rank_, host_, place_, size_;
    Part collected_, arrived_;
  };

  template <Steps S>
  static void run(S& steps, const AlltoallCall& call) {
    if (call.block > 0) Exchange<S>(steps, call).run();
  }
};

template <>
struct AlgorithmOf<Operation::allgather, 20> : AllgatherHosts {};
template <>
struct AlgorithmOf<Operation::allgatherv, 20> : AllgatherHosts {};
template <>
struct AlgorithmOf<Operation::reduce_scatter, 20> : ReduceScatterHosts {};
template <>
struct AlgorithmOf<Operation::reduce_scatter_block, 20> : ReduceScatterHosts {};
template <>
struct AlgorithmOf<Operation::alltoall, 20> : AlltoallHosts {};

}  // namespace ompi_lite::coll
