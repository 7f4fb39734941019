// SPDX-License-Identifier: BSD-3-Clause
// Builds and asks signatures.
#include "ompi_lite/core/signature.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "ompi_lite/core/predefined_types.h"

namespace ompi_lite {
namespace {

constexpr std::size_t kWriteOutItems = 32;  // as for layouts: longer bodies are referred to

// Representation::none, the first, stands for bytes, characters and packed data.
std::uint64_t bit_of(int basic) {
  const BasicType& type = basic_types()[static_cast<std::size_t>(basic)];
  const bool plain = type.kind == BasicKind::byte || type.kind == BasicKind::none;
  return std::uint64_t{1} << (plain ? 0 : static_cast<int>(type.representation));
}
static_assert(static_cast<int>(Representation::count_of_them) < 63 && static_cast<int>(Representation::none) == 0);

std::uint8_t kind_of(std::uint64_t representations) {
  if (representations == 0 || (representations & 1) != 0) return 0;
  if (std::has_single_bit(representations)) return static_cast<std::uint8_t>(std::countr_zero(representations) + 1);
  return static_cast<std::uint8_t>(64 + representations % 191);
}

}  // namespace

void SignatureBuilder::append(const SignatureItem& item) {
  auto& items = signature_->items_;
  if (!items.empty() && items.back().basic == item.basic && items.back().body == item.body) {
    items.back().count += item.count;
  } else {
    items.push_back(item);
  }
}

void SignatureBuilder::add_basic(int basic, Count bytes, Count count) {
  if (count > 0) append({.count = count, .basic = basic, .bytes = bytes, .elements = 1});
}

void SignatureBuilder::add(const std::shared_ptr<const Signature>& body, Count count) {
  if (count == 0 || body->items_.empty()) return;
  const auto keep = [&] {
    auto& bodies = signature_->bodies_;
    if (bodies.empty() || bodies.back() != body) bodies.push_back(body);
  };
  if (body->items_.size() == 1) {
    SignatureItem item = body->items_[0];
    item.count *= count;
    if (item.body != nullptr) keep();
    append(item);
  } else if (count == 1 && body->items_.size() <= kWriteOutItems) {
    for (const SignatureItem& item : body->items_) append(item);
    keep();
  } else {
    keep();
    append({.count = count, .body = body.get(), .bytes = body->bytes_, .elements = body->elements_});
  }
}

std::shared_ptr<const Signature> SignatureBuilder::finish() {
  std::uint64_t& all = signature_->representations_;
  for (const SignatureItem& item : signature_->items_) all |= item.body != nullptr ? item.body->representations_ : bit_of(item.basic);
  signature_->kind_ = kind_of(all);
  Count bytes = 0, elements = 0;
  for (SignatureItem& item : signature_->items_) {
    item.bytes_before = bytes;
    item.elements_before = elements;
    bytes += item.count * item.bytes;
    elements += item.count * item.elements;
  }
  signature_->bytes_ = bytes;
  signature_->elements_ = elements;
  signature_->items_.shrink_to_fit();
  return std::exchange(signature_, nullptr);
}

std::optional<Count> Signature::elements_in(Count bytes) const {
  if (bytes_ == 0) return bytes == 0 ? std::optional<Count>(0) : std::nullopt;
  const Count whole = bytes / bytes_ * elements_;
  const Count rest = bytes % bytes_;
  if (rest == 0) return whole;
  const auto behind = std::upper_bound(items_.begin(), items_.end(), rest,
                                       [](Count wanted, const SignatureItem& item) { return wanted < item.bytes_before; });
  const SignatureItem& item = *(behind - 1);
  const Count inside = rest - item.bytes_before;
  const Count before = whole + item.elements_before;
  if (item.body == nullptr) {
    return inside % item.bytes == 0 ? std::optional<Count>(before + inside / item.bytes) : std::nullopt;
  }
  const auto part = item.body->elements_in(inside);
  return part ? std::optional<Count>(before + *part) : std::nullopt;
}

Count Signature::bytes_of(Count elements) const {
  if (elements_ == 0) return 0;
  const Count whole = elements / elements_ * bytes_;
  const Count rest = elements % elements_;
  if (rest == 0) return whole;
  const auto behind = std::upper_bound(items_.begin(), items_.end(), rest, [](Count wanted, const SignatureItem& item) {
    return wanted < item.elements_before;
  });
  const SignatureItem& item = *(behind - 1);
  const Count inside = rest - item.elements_before;
  const Count before = whole + item.bytes_before;
  return before + (item.body == nullptr ? inside * item.bytes : item.body->bytes_of(inside));
}

}  // namespace ompi_lite
