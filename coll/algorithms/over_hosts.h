// SPDX-License-Identifier: BSD-3-Clause
// Collectives over several hosts: inside the hosts by their memory, across by as little as can be.
#pragma once

#include <algorithm>

#include "coll/algorithms/allreduce_circulant.h"
#include "coll/algorithms/allreduce_multiplying.h"
#include "coll/algorithms/barrier_dissemination.h"
#include "coll/algorithms/bcast_knomial.h"
#include "coll/algorithms/bcast_scatter_allgather.h"
#include "coll/algorithms/divide.h"
#include "coll/algorithms/reduce_knomial.h"
#include "coll/algorithms/subgroup.h"

namespace ompi_lite::coll {

//  hosts   A: 0 1 2   B: 3 4       The vector is cut into as many blocks as there are lanes, here 2; lane i is the ranks at
//  lanes      0-----------3        place i of each host. Inside each host the lanes' ranks reduce one block each
//               1-----------4      (others, here 2, have given theirs to one of them before); then each lane works on its
//                                  block across, all lanes at the same time; then the blocks are collected inside.
//  One lane is a leader for each host: the fewest messages across. As many lanes as the smallest host has ranks: all of a
//  host's ranks drive its network, and each byte passes it once. Any mapping of ranks to hosts, any number on each.
template <Steps S>
class OverHosts {
 public:
  OverHosts(S& steps, Count lanes)
      : steps_(steps),
        map_(*steps.hosts()),
        host_(map_.host(steps.rank())),
        place_(map_.place(steps.rank())),
        size_(map_.size(host_)),
        lanes_(static_cast<int>(std::min<Count>(lanes, map_.least()))) {}

  int lanes() const { return lanes_; }
  bool in_lane() const { return place_ < lanes_; }
  bool on_host_of(int rank) const { return host_ == map_.host(rank); }
  Subgroup<S> inside() { return Subgroup<S>::inside(steps_, map_, host_, size_); }
  Subgroup<S> lane() { return Subgroup<S>::lane(steps_, map_, place_); }
  int place_of(int rank) const { return map_.place(rank); }
  int host_of(int rank) const { return map_.host(rank); }
  // The block of the own lane.
  Part own_block(const Part& vector) const { return block(vector, place_); }
  Part block(const Part& vector, int lane) const {
    const EvenSplit split(vector.count, lanes_);
    return steps_.slice(vector, split.begin(lane), split.size(lane));
  }

  // Afterwards own_block(vector) is the reduction of the host's ranks; the rest of `vector` is spoilt.
  void reduce_scatter(const Part& input, const Part& vector) {
    reduce_scatter(input, vector, EvenSplit(input.count, lanes_));
  }
  // The same for lanes that have these parts of the vector.
  template <class Split>
  void reduce_scatter(const Part& input, const Part& vector, const Split& lanes) {
    if (lanes_ == 1) {
      Subgroup<S> all = inside();
      return ReduceKnomial::run(all, {input, vector, 0, true, 2});
    }
    if (!in_lane()) {
      steps_.send(input, map_.member(host_, place_ % lanes_));
      return steps_.end_round();
    }
    Part sum = input, arrived;
    for (int follower = place_ + lanes_; follower < size_; follower += lanes_) {
      if (follower == place_ + lanes_) arrived = steps_.scratch(input.count);
      steps_.recv(arrived, map_.member(host_, follower));
      steps_.end_round();
      combine(steps_, arrived, sum, vector);
      sum = vector;
    }
    Subgroup<S> first = Subgroup<S>::inside(steps_, map_, host_, lanes_);
    circulant_reduce_scatter(first, sum, vector, lanes);
  }

  // From the lanes' blocks the whole vector at every rank of the host.
  void collect(const Part& vector) { collect(vector, EvenSplit(vector.count, lanes_)); }
  template <class Split>
  void collect(const Part& vector, const Split& split) {
    if (lanes_ == 1) {
      Subgroup<S> all = inside();
      return BcastKnomial::run(all, {vector, 0, 2});
    }
    if (in_lane()) {
      Subgroup<S> first = Subgroup<S>::inside(steps_, map_, host_, lanes_);
      circulant_allgather(first, place_, 0, [&](int from, int n) { return block_of(steps_, vector, split, from, n); });
    }
    follow(vector);
  }

  // Ranks without a lane get the vector of one that has one.
  void follow(const Part& vector) {
    if (!in_lane()) {
      steps_.recv(vector, map_.member(host_, place_ % lanes_));
      return steps_.end_round();
    }
    int sent = 0;
    for (int follower = place_ + lanes_; follower < size_; follower += lanes_) {
      steps_.send(vector, map_.member(host_, follower));
      if (++sent % kWindow == 0) steps_.end_round();
    }
    steps_.end_round();
  }

  // Of ranks without a lane: each gives `own` to its lane, which puts it at block(rank).
  template <class BlockOf>
  void give_to_lane(const Part& own, BlockOf&& block) {
    if (!in_lane()) {
      steps_.send(own, map_.member(host_, place_ % lanes_));
      return steps_.end_round();
    }
    int taken = 0;
    for (int follower = place_ + lanes_; follower < size_; follower += lanes_) {
      const int other = map_.member(host_, follower);
      steps_.recv(block(other), other);
      if (++taken % kWindow == 0) steps_.end_round();
    }
    steps_.end_round();
  }
  // The way back: each gets block(rank) of its lane as `own`.
  template <class BlockOf>
  void take_from_lane(const Part& own, BlockOf&& block) {
    if (!in_lane()) {
      steps_.recv(own, map_.member(host_, place_ % lanes_));
      return steps_.end_round();
    }
    int given = 0;
    for (int follower = place_ + lanes_; follower < size_; follower += lanes_) {
      const int other = map_.member(host_, follower);
      steps_.send(block(other), other);
      if (++given % kWindow == 0) steps_.end_round();
    }
    steps_.end_round();
  }

  // All ranks of the host say something to the first one, or, back, are told something by it.
  void meet(bool back) {
    const Part nothing{};
    if (place_ > 0) {
      const int first = map_.member(host_, 0);
      back ? steps_.recv(nothing, first) : steps_.send(nothing, first);
      return steps_.end_round();
    }
    for (int place = 1; place < size_; ++place) {
      const int other = map_.member(host_, place);
      back ? steps_.send(nothing, other) : steps_.recv(nothing, other);
      if (place % kWindow == 0) steps_.end_round();
    }
    steps_.end_round();
  }

  // From the lanes' blocks the whole vector at one rank of its host, given by its place.
  void gather(const Part& vector, int root_place) {
    for (int lane = 0; lane < lanes_; ++lane) {
      if (block(vector, lane).count == 0) continue;
      if (root_place == place_ && lane != place_) {
        steps_.recv(block(vector, lane), map_.member(host_, lane));
      } else if (root_place != place_ && lane == place_) {
        steps_.send(block(vector, lane), map_.member(host_, root_place));
      }
      if ((lane + 1) % kWindow == 0) steps_.end_round();
    }
    steps_.end_round();
  }

 private:
  S& steps_;
  const HostMap& map_;
  const int host_, place_, size_, lanes_;
};

// What all forms have in common.
struct HostsForm {
  static constexpr const char* name = "hosts";
  static constexpr ParameterRange parameter{"lanes", 1, 1024};
  static constexpr bool legal(const Question& q, Count) { return q.hosts > 1 && q.hosts < q.ranks; }
  // A lane more is a message more; that is worth it from a few KB on.
  static constexpr Count usual(const Question& q) {
    constexpr Count kLeastBlock = 8192;
    return std::clamp<Count>(q.bytes / kLeastBlock, 1, q.least_on_host);
  }

  // Selection reckons with the network's speed throughout; inside a host a message takes a small part of its time.
  static constexpr double kNearHop = 1.0 / 16, kNearByte = 1.0 / 8;
  static constexpr int on_host(const Question& q) { return (q.ranks + q.hosts - 1) / q.hosts; }
  struct Ways {
    double inside_rounds, inside_bytes;  // one way: reduce-scatter, or collect
    double block;                        // bytes of a lane
  };
  static constexpr Ways ways(const Question& q, Count wanted) {
    const double lanes = static_cast<double>(std::min<Count>(wanted, q.least_on_host)), m = static_cast<double>(q.bytes);
    const int s = on_host(q);
    if (lanes == 1) return {static_cast<double>(rounds_of(s)), m * rounds_of(s), m};
    const double followers = (s - lanes) / lanes;
    return {rounds_of(static_cast<int>(lanes)) + followers, 2 * m * (lanes - 1) / lanes + followers * m, m / lanes};
  }
  // `rounds` across, `bytes` sent and received there by a rank of a lane, `passes` through the inside.
  static constexpr Cost cost_of(const Question& q, Count lanes, double rounds, double bytes, double passes) {
    const Ways way = ways(q, lanes);
    const double near = passes * way.inside_rounds * kNearHop;
    Cost cost;
    cost.rounds = rounds + near;
    cost.messages = 2 * rounds + 2 * near;
    cost.bytes = bytes + passes * way.inside_bytes * kNearByte;
    cost.handled = bytes;
    cost.all_messages = q.hosts * static_cast<double>(std::min<Count>(lanes, q.least_on_host)) * rounds;
    cost.all_bytes = q.ranks * cost.bytes / 2;
    cost.all_handled = q.ranks * bytes;
    return cost;
  }
  // Two ways to all-reduce a block across: whole blocks in few rounds, or the fewest bytes.
  static constexpr Count kWhole = 32768;
  static constexpr bool whole_blocks(int hosts, double block) { return hosts == 2 || block <= kWhole; }
};

struct AllreduceHosts : HostsForm {
  static constexpr bool commutative_only = true;
  static constexpr Cost cost(const Question& q, Count lanes) {
    const double block = ways(q, lanes).block, rounds = rounds_of(q.hosts);
    const bool whole = whole_blocks(q.hosts, block);
    return cost_of(q, lanes, whole ? rounds : 2 * rounds, whole ? 2 * rounds * block : 4 * block * (q.hosts - 1) / q.hosts,
                   2);
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    OverHosts<S> over(steps, call.parameter);
    over.reduce_scatter(call.input, call.output);
    if (over.in_lane()) {
      Subgroup<S> lane = over.lane();
      const Part block = over.own_block(call.output);
      if (whole_blocks(lane.size(), static_cast<double>(steps.bytes(block))))
        AllreduceMultiplying::run(lane, {block, block, 0, true, 2});
      else
        AllreduceCirculant::run(lane, {block, block, 0, true, 0});
    }
    over.collect(call.output);
  }
};

//  A: 0 <-> 1   B: 2 <-> 3   then  0 <-> 2   1 <-> 3    Every rank has its host's sum, and with one rank of each host makes
//  that of all: no way back, as in recursive doubling of ranks that follow each other, but for any mapping. For small
//  vectors.
struct AllreduceHostsEach {
  static constexpr const char* name = "hosts_each";
  static constexpr bool commutative_only = true;
  static constexpr bool legal(const Question& q, Count) { return HostsForm::legal(q, 0); }
  static constexpr Cost cost(const Question& q, Count) {
    const double m = static_cast<double>(q.bytes), across = rounds_of(q.hosts), s = HostsForm::on_host(q);
    const double inside = rounds_of(static_cast<int>(s)) + (q.least_on_host < s ? 1 : 0);
    Cost cost;
    cost.rounds = across + inside * HostsForm::kNearHop;
    cost.messages = 2 * cost.rounds;
    cost.bytes = 2 * m * (across * std::min(s, 4.0) + inside * HostsForm::kNearByte);  // the ranks share the host's network
    cost.handled = m * (across + inside);
    cost.all_messages = q.ranks * cost.rounds;
    cost.all_bytes = cost.all_messages * m;
    cost.all_handled = q.ranks * cost.handled;
    return cost;
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    OverHosts<S> over(steps, steps.size());
    Subgroup<S> inside = over.inside();
    AllreduceMultiplying::run(inside, {call.input, call.output, 0, true, 2});
    if (over.in_lane()) {
      Subgroup<S> lane = over.lane();
      AllreduceMultiplying::run(lane, {call.output, call.output, 0, true, 2});
    }
    over.follow(call.output);
  }
};

struct ReduceHosts : HostsForm {
  static constexpr bool commutative_only = true;
  static constexpr Cost cost(const Question& q, Count lanes) {
    const double rounds = rounds_of(q.hosts);
    return cost_of(q, lanes, rounds, rounds * ways(q, lanes).block, 2);
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    OverHosts<S> over(steps, call.parameter);
    const bool root = steps.rank() == call.root;
    const Part vector = root ? call.output : steps.scratch(call.input.count);
    over.reduce_scatter(call.input, vector);
    if (over.in_lane()) {
      Subgroup<S> lane = over.lane();
      const Part block = over.own_block(vector);
      ReduceKnomial::run(lane, {block, block, over.host_of(call.root), true, 2});
    }
    if (over.on_host_of(call.root)) over.gather(vector, over.place_of(call.root));
  }
};

// The root's host gets all from the root, so that nothing comes back to it.
struct BcastHosts : HostsForm {
  static constexpr bool bytes_only = true;
  static constexpr Cost cost(const Question& q, Count lanes) {
    const double rounds = rounds_of(q.hosts);
    return cost_of(q, lanes, rounds, rounds * ways(q, lanes).block, 2);
  }
  template <Steps S>
  static void run(S& steps, const BcastCall& call) {
    OverHosts<S> over(steps, call.parameter);
    const bool at_root = over.on_host_of(call.root);
    if (at_root) {
      Subgroup<S> inside = over.inside();
      BcastKnomial::run(inside, {call.data, over.place_of(call.root), 2});
    }
    if (over.in_lane()) {
      Subgroup<S> lane = over.lane();
      BcastKnomial::run(lane, {over.own_block(call.data), over.host_of(call.root), 2});
    }
    if (!at_root) over.collect(call.data);
  }
};

struct BarrierHosts : HostsForm {
  static constexpr ParameterRange parameter{};
  static constexpr Count usual(const Question&) { return 0; }
  static constexpr Cost cost(const Question& q, Count) { return cost_of(q, 1, rounds_of(q.hosts), 0, 2); }
  template <Steps S>
  static void run(S& steps, const BarrierCall&) {
    OverHosts<S> over(steps, 1);
    over.meet(false);
    if (over.in_lane()) {
      Subgroup<S> lane = over.lane();
      BarrierDissemination::run(lane, {2});
    }
    over.meet(true);
  }
};

template <>
struct AlgorithmOf<Operation::allreduce, 20> : AllreduceHosts {};
template <>
struct AlgorithmOf<Operation::allreduce, 21> : AllreduceHostsEach {};
template <>
struct AlgorithmOf<Operation::reduce, 20> : ReduceHosts {};
template <>
struct AlgorithmOf<Operation::bcast, 20> : BcastHosts {};
template <>
struct AlgorithmOf<Operation::barrier, 20> : BarrierHosts {};

}  // namespace ompi_lite::coll
