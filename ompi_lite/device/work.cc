// SPDX-License-Identifier: BSD-3-Clause
// Copies that go on by themselves.
#include "ompi_lite/device/work.h"

#include <array>

#include "ompi_lite/base/macros.h"

namespace ompi_lite::device {

constinit unsigned Work::running_everywhere = 0;

Error settle(const Location& near) {
  std::array<char, 256> text{};
  OmpiLiteReason reason{text.data(), text.size()};
  if (operations()->settle(&near.facts, &reason) == 0) return {};
  return make_error(ErrorClass::buffer, "device memory at %p: %s", near.facts.base, text.data());
}

Error Work::begin(std::span<const OmpiLiteCopy> copies, const Location& near, bool pinned) {
  OL_CHECK(running_ == nullptr, copies.size());
  if (copies.empty()) return {};
  std::array<char, 256> text{};
  OmpiLiteReason reason{text.data(), text.size()};
  const OmpiLiteCopies all{copies.data(), copies.size(), pinned};
  if (operations()->begin(&all, &near.facts, &running_, &reason) != 0) {
    running_ = nullptr;
    return make_error(ErrorClass::buffer, "a copy from or to device memory at %p cannot begin: %s", near.facts.base,
                      text.data());
  }
  ++running_everywhere;
  return {};
}

Error Work::poll(bool wait) {
  if (running_ == nullptr) return {};
  std::array<char, 256> text{};
  OmpiLiteReason reason{text.data(), text.size()};
  const int result = operations()->poll(running_, wait, &reason);
  if (result == 1) return {};
  running_ = nullptr;
  --running_everywhere;
  if (result == 0) return {};
  return make_error(ErrorClass::buffer, "a copy from or to device memory failed: %s", text.data());
}

}  // namespace ompi_lite::device
