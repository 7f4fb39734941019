// SPDX-License-Identifier: BSD-3-Clause
// Progress: the one list of what has to be looked at while a rank waits. An explicit array, filled at start-up.
#pragma once

#include <array>
#include <cstddef>

namespace ompi_lite {

// Looks once for work; true if it found some.
struct Poller {
  bool (*poll)(void* context) = nullptr;
  void* context = nullptr;
};

// One per Process. Not locked: the caller holds what guards the Process.
class Progress {
 public:
  static constexpr std::size_t kMost = 16;

  void add(Poller poller);
  void remove(void* context);

  // Turns every poller once; true if any found work.
  bool turn() {
    bool found = false;
    for (std::size_t i = 0; i < size_; ++i) found |= pollers_[i].poll(pollers_[i].context);
    return found;
  }

 private:
  std::array<Poller, kMost> pollers_{};
  std::size_t size_ = 0;
};

}  // namespace ompi_lite
