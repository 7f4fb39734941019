// SPDX-License-Identifier: BSD-3-Clause
// A model of Steps for some of the ranks: an algorithm that is run on it takes place among them.
#pragma once

#include <utility>

#include "coll/host_map.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

// Made by members only. A value on the algorithm's stack.
template <Steps S>
class Subgroup {
 public:
  // The first `size` ranks of a host.
  static Subgroup inside(S& steps, const HostMap& map, int host, int size) {
    return Subgroup(steps, map, host, -1, size, map.place(steps.rank()));
  }
  // The ranks at one place of every host.
  static Subgroup lane(S& steps, const HostMap& map, int place) {
    return Subgroup(steps, map, -1, place, map.hosts(), map.host(steps.rank()));
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  const HostMap* hosts() const { return nullptr; }
  void send(const Part& part, int peer) { steps_->send(part, outside(peer)); }
  void recv(const Part& part, int peer) { steps_->recv(part, outside(peer)); }
  void sendrecv(const Part& out, int dest, const Part& in, int source) {
    steps_->sendrecv(out, outside(dest), in, outside(source));
  }
  void end_round() { steps_->end_round(); }
  void copy(const Part& from, const Part& to) { steps_->copy(from, to); }
  void reduce(const Part& a, const Part& b) { steps_->reduce(a, b); }
  void reduce_copy(const Part& a, const Part& b, const Part& c) { steps_->reduce_copy(a, b, c); }
  Part scratch(Count count) { return steps_->scratch(count); }
  Count* numbers(Count n) { return steps_->numbers(n); }
  Part slice(const Part& part, Count first, Count count) const { return steps_->slice(part, first, count); }
  Count bytes(const Part& part) const { return steps_->bytes(part); }
  template <class Body>
  void loop(Count n, Body&& body) {
    steps_->loop(n, std::forward<Body>(body));
  }

 private:
  Subgroup(S& steps, const HostMap& map, int host, int place, int size, int rank)
      : steps_(&steps), map_(&map), host_(host), place_(place), size_(size), rank_(rank) {}
  int outside(int peer) const { return host_ >= 0 ? map_->member(host_, peer) : map_->member(peer, place_); }

  S* steps_;
  const HostMap* map_;
  int host_, place_;  // one of them is -1: it is what counts the members
  int size_, rank_;
};

}  // namespace ompi_lite::coll
