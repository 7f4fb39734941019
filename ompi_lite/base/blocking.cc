// SPDX-License-Identifier: BSD-3-Clause
// The slow half of looking for work once.
#include "ompi_lite/base/blocking.h"

namespace ompi_lite {

void Blocking::look_later(Waiter::Rest rest) {
  if (!lock_.enabled()) {
    waiter_.rest(rest, [this] { return progress_.turn(); });
    progress_.turn();
  } else {
    const int call = recorder_ != nullptr ? recorder_->current() : 0;
    const int depth = lock_.release_all();
    waiter_.rest(rest, [this] { return locked_turn(); });
    lock_.take_back(depth);
    if (recorder_ != nullptr) recorder_->set_current(call);
    turn();
  }
  waiter_.rested();
}

}  // namespace ompi_lite
