// SPDX-License-Identifier: BSD-3-Clause
// Monotonic time.
#pragma once

#include <cstdint>
#include <ctime>

namespace ompi_lite {

inline std::int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

inline double now_seconds() { return static_cast<double>(now_ns()) * 1e-9; }

// A point in time after which waiting ends.
class Deadline {
 public:
  static Deadline in_ms(std::int64_t ms) { return Deadline(now_ns() + ms * 1'000'000); }
  bool passed() const { return now_ns() >= at_ns_; }
  std::int64_t left_ns() const {
    std::int64_t left = at_ns_ - now_ns();
    return left > 0 ? left : 0;
  }

 private:
  explicit Deadline(std::int64_t at_ns) : at_ns_(at_ns) {}
  std::int64_t at_ns_;
};

}  // namespace ompi_lite
