// SPDX-License-Identifier: BSD-3-Clause
// Who is whose neighbour in the tree of hosts: pure index arithmetic.
//
//            0              fan_out 2: the hosts below h are 2h + 1 and 2h + 2
//        1       2
//      3   4   5   6
#pragma once

#include <vector>

namespace ompi_lite::launcher {

struct TreeShape {
  int hosts = 1;
  int fan_out = 1;

  int above(int host) const { return (host - 1) / fan_out; }
  std::vector<int> below(int host) const {
    std::vector<int> list;
    for (int i = 1; i <= fan_out; ++i) {
      const long child = static_cast<long>(host) * fan_out + i;
      if (child < hosts) list.push_back(static_cast<int>(child));
    }
    return list;
  }
  // The host below `from` that leads to `to`; -1: the way leads up.
  int towards(int from, int to) const {
    while (to > from) {
      const int next = above(to);
      if (next == from) return to;
      to = next;
    }
    return -1;
  }
};

}  // namespace ompi_lite::launcher
