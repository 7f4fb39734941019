// SPDX-License-Identifier: BSD-3-Clause
// How a waiting process sleeps on two transports at once: one of them polls for both.
#pragma once

#include <cstdint>

namespace ompi_lite::btl {

class Beside {
 public:
  // Before a sleep: what becomes readable when there is something to look at; -1: nothing does. `at_most_ns`, how long the
  // sleep may be, can be made shorter: 0 if there is something already. Any thread.
  virtual int descriptor(std::int64_t& at_most_ns) = 0;
  virtual void look_next() = 0;  // as PollSet's

 protected:
  ~Beside() = default;
};

}  // namespace ompi_lite::btl
