// SPDX-License-Identifier: BSD-3-Clause
// The space that the application lends for buffered sends (MPI 5.0, section 3.6).
#pragma once

#include <cstddef>
#include <vector>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"

namespace ompi_lite::pml {

// Hands out parts of an attached buffer, first fit, and takes them back in any order. Keeps its books elsewhere, so all of
// the application's bytes hold messages. Not thread safe: the process lock.
class BsendBuffer {
 public:
  bool attached() const { return attached_; }
  bool automatic() const { return automatic_; }
  bool empty() const { return parts_.empty(); }  // every message has left

  void attach(void* buffer, Count bytes);
  void attach_automatic();
  void detach(void*& buffer, Count& bytes);  // only when empty

  std::byte* take(Count bytes);  // null: no gap is large enough
  void give_back(std::byte* place);

 private:
  struct Part {
    std::byte* place;
    Count bytes;
  };
  std::byte* base_ = nullptr;
  Count bytes_ = 0;
  bool attached_ = false, automatic_ = false;
  std::vector<Part> parts_;  // by address
};

}  // namespace ompi_lite::pml
