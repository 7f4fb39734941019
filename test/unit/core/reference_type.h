// SPDX-License-Identifier: BSD-3-Clause
// Datatypes written out entry by entry, as the standard defines them: what the real ones are compared with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/core/type_constructors.h"

namespace ompi_lite::test {

// One basic element of a type map.
struct Entry {
  Count displacement;
  Count bytes;
};

// A type map with its bounds. Everything is enumerated, nothing computed by rule.
struct ReferenceType {
  std::vector<Entry> entries;
  std::vector<Count> lbs, ubs;  // of each copy of each part, as far as they count
  bool lb_marked = false, ub_marked = false;
  Count alignment = 1;

  Count lb() const { return lbs.empty() ? 0 : *std::min_element(lbs.begin(), lbs.end()); }
  Count ub() const { return ubs.empty() ? 0 : *std::max_element(ubs.begin(), ubs.end()); }
  Count extent() const { return ub() - lb(); }
  Count size() const {
    Count sum = 0;
    for (const Entry& one : entries) sum += one.bytes;
    return sum;
  }
  Count true_lb() const {
    Count least = entries.empty() ? 0 : entries[0].displacement;
    for (const Entry& one : entries) least = std::min(least, one.displacement);
    return least;
  }
  Count true_ub() const {
    Count most = entries.empty() ? 0 : entries[0].displacement + entries[0].bytes;
    for (const Entry& one : entries) most = std::max(most, one.displacement + one.bytes);
    return most;
  }

  // One copy of `part`, moved by `displacement`.
  void add(const ReferenceType& part, Count displacement) {
    if (part.entries.empty() && !part.lb_marked && !part.ub_marked) return;
    for (const Entry& one : part.entries) entries.push_back({one.displacement + displacement, one.bytes});
    bound(lbs, lb_marked, part.lb() + displacement, part.lb_marked);
    bound(ubs, ub_marked, part.ub() + displacement, part.ub_marked);
    alignment = std::max(alignment, part.alignment);
  }
  void round_up_extent() {
    if (ub_marked || lbs.empty()) return;
    const Count rest = extent() % alignment;
    if (rest != 0) ubs.push_back(ub() + alignment - rest);
  }

 private:
  static void bound(std::vector<Count>& bounds, bool& marked, Count value, bool value_marked) {
    if (marked && !value_marked) return;
    if (value_marked && !marked) bounds.clear();
    marked = value_marked;
    bounds.push_back(value);
  }
};

inline ReferenceType reference_of(const BasicType& basic) {
  ReferenceType result;
  if (basic.kind == BasicKind::pair) {
    const auto bytes_of = [](std::uintptr_t handle) { return static_cast<Datatype*>(predefined_objects[handle])->size(); };
    result.entries = {{0, bytes_of(basic.first)}, {basic.second_offset, bytes_of(basic.second)}};
  } else {
    result.entries = {{0, basic.size}};
  }
  result.lbs = {0};
  result.ubs = {basic.extent};
  result.alignment = basic.alignment;
  return result;
}

// A type and its reference; the type is given back at the end.
struct BothTypes {
  Ref<Datatype> type;
  ReferenceType reference;
  std::string text;  // how it was made
};

// Grows random types from smaller ones. The same seed gives the same types.
class TypeGenerator {
 public:
  explicit TypeGenerator(unsigned seed) : random_(seed) {}

  Count number(Count least, Count most) { return std::uniform_int_distribution<Count>(least, most)(random_); }
  BothTypes basic() {
    const auto types = basic_types();
    const BasicType& row = types[static_cast<std::size_t>(number(0, static_cast<Count>(types.size()) - 1))];
    return {Ref<Datatype>::share(static_cast<Datatype*>(predefined_objects[row.handle])), reference_of(row), row.name};
  }
  BothTypes derived(int depth) {
    if (depth == 0) return basic();
    for (;;) {
      BothTypes result = once(depth);
      if (result.reference.entries.size() <= 600) return result;
    }
  }

 private:
  BothTypes once(int depth);
  BothTypes strided(BothTypes old, bool in_bytes);
  BothTypes indexed(BothTypes old, bool in_bytes, bool equal_blocks);
  BothTypes structure(int depth);
  BothTypes resized(BothTypes old);
  BothTypes subarray(BothTypes old);

  std::mt19937 random_;
};

}  // namespace ompi_lite::test
