// SPDX-License-Identifier: BSD-3-Clause
// Distance between words.
#include "launcher/nearest.h"

#include <algorithm>
#include <vector>

namespace ompi_lite::launcher {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& best = cost[i * width + j];
      if (i == 0 || j == 0) {
        best = i + j;
        continue;
      }
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      best = std::min({cost[(i - 1) * width + j] + 1, cost[i * width + j - 1] + 1, cost[(i - 1) * width + j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best = std::min(best, cost[(i - 2) * width + j - 2] + 1);
    }
  }
  return cost.back();
}

// A word of which more than about half would have to change is no help.
Nearest::Nearest(std::string_view word) : wanted_(word), least_(1 + std::max<std::size_t>(1, word.size() / 2)) {}

void Nearest::consider(std::string_view candidate) {
  const std::size_t distance = edit_distance(wanted_, candidate);
  if (distance >= least_) return;
  least_ = distance;
  nearest_ = candidate;
}

}  // namespace ompi_lite::launcher
