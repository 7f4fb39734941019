// SPDX-License-Identifier: BSD-3-Clause
// Adding and removing pollers; the turning itself is inline.
#include "ompi_lite/base/progress.h"

#include "ompi_lite/base/macros.h"

namespace ompi_lite {

void Progress::add(Poller poller) {
  OL_CHECK(size_ < kMost, size_);
  pollers_[size_++] = poller;
}

void Progress::remove(void* context) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (pollers_[i].context != context) pollers_[kept++] = pollers_[i];
  }
  size_ = kept;
}

}  // namespace ompi_lite
