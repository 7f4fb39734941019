// SPDX-License-Identifier: BSD-3-Clause
// Type maps without their displacements: which basic elements, in which order. Counts elements, converts representations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ompi_lite/base/count_span.h"

namespace ompi_lite {

class Signature;

// `count` times one basic type or, if there is a body, the body.
struct SignatureItem {
  Count count = 0;
  int basic = -1;                   // index of the row in basic_types()
  const Signature* body = nullptr;  // owned by the Signature that holds the item
  Count bytes = 0;                  // of one copy
  Count elements = 0;               // basic elements in one copy
  Count bytes_before = 0, elements_before = 0;
};

// Immutable, shared like layouts. A pair type counts as its two elements.
class Signature {
 public:
  Count bytes() const { return bytes_; }
  Count elements() const { return elements_; }
  std::span<const SignatureItem> items() const { return items_; }

  // Basic elements in the first `bytes` bytes of any number of types; nothing if they end inside an element.
  std::optional<Count> elements_in(Count bytes) const;
  // Bytes that the first `elements` basic elements take.
  Count bytes_of(Count elements) const;

  // Of which basic elements it consists, in a small number: types whose data may be exchanged have the same, however often and
  // in which order the elements come. 1 + Representation where all are of one; from 64 on a hash of several; 0 where some are
  // plain bytes or packed, which go with anything.
  std::uint8_t kind() const { return kind_; }

 private:
  friend class SignatureBuilder;
  std::vector<SignatureItem> items_;
  std::vector<std::shared_ptr<const Signature>> bodies_;
  Count bytes_ = 0;
  Count elements_ = 0;
  std::uint64_t representations_ = 0;  // a bit each; bit 0: bytes among them
  std::uint8_t kind_ = 0;
};

class SignatureBuilder {
 public:
  SignatureBuilder() : signature_(std::make_shared<Signature>()) {}
  void add_basic(int basic, Count bytes, Count count);
  void add(const std::shared_ptr<const Signature>& body, Count count);
  std::shared_ptr<const Signature> finish();

 private:
  void append(const SignatureItem& item);
  std::shared_ptr<Signature> signature_;
};

}  // namespace ompi_lite
