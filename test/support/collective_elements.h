// SPDX-License-Identifier: BSD-3-Clause
// What the checks of collectives share: elements whose product does not commute, the forms they take in memory, and how an
// algorithm is forced.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "coll/coll.h"
#include "coll/select.h"
#include "coll/state.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/type_constructors.h"

namespace ompi_lite::test {

using coll::Choice;
using coll::Operation;

// The element of all checks: two numbers, read as the map x -> a x + b. Composition of maps is associative and does not
// commute.
struct Map {
  std::uint32_t a = 1, b = 0;
  bool operator==(const Map&) const = default;
};
inline Map operator*(const Map& left, const Map& right) { return {left.a * right.a, left.a * right.b + left.b}; }

// One way to lay a Map out in memory. All have the signature of two MPI_UNSIGNED.
struct Form {
  const char* name;
  Datatype* type;
  Count per;     // elements of type for one Map
  Count extent;  // from one Map to the next
  Count offset_a, offset_b;
};

inline Datatype& committed(Error error, Datatype*& type) {  // by reference: the call that makes it is the other argument
  if (error) std::abort();
  type->committed = true;
  return *type;
}
inline Datatype& spread_type(Count a, Count b, Count lb, Count extent) {
  const Count lengths[] = {1, 1}, displacements[] = {a, b};
  Datatype *pair = nullptr, *resized = nullptr;
  committed(make_hindexed(TypeForm::large, 2, lengths, displacements, datatype_of(MPI_UNSIGNED), pair), pair);
  return committed(make_resized(TypeForm::large, *pair, lb, extent, resized), resized);
}

// Made once for the process: rank threads share them.
inline const std::vector<Form>& forms() {
  static const std::vector<Form> list = [] {
    Datatype* contiguous = nullptr;
    committed(make_contiguous(TypeForm::large, 2, datatype_of(MPI_UNSIGNED), contiguous), contiguous);
    return std::vector<Form>{
        {"contiguous", contiguous, 1, 8, 0, 4},
        {"strided", &spread_type(0, 8, 0, 16), 1, 16, 0, 8},
        {"shifted", &spread_type(8, 20, -4, 32), 1, 32, 8, 20},      // begins after its address, lb before it
        {"before", &spread_type(-12, -4, -16, 20), 1, 20, -12, -4},  // lies wholly before its address
        {"flat", &datatype_of(MPI_UNSIGNED), 2, 8, 0, 4},
    };
  }();
  return list;
}
constexpr int kReducible = 4;  // "flat" cannot be the type of a reduction: a Map is two of it

inline void compose(void* in, void* inout, int* n, MPI_Datatype* handle) {
  for (const Form& form : forms()) {
    if (form.type->handle() != *handle || form.per != 1) continue;
    for (Count i = 0; i < *n; ++i) {
      Map left, right;
      auto* x = static_cast<std::byte*>(in) + i * form.extent;
      auto* y = static_cast<std::byte*>(inout) + i * form.extent;
      std::memcpy(&left.a, x + form.offset_a, 4);
      std::memcpy(&left.b, x + form.offset_b, 4);
      std::memcpy(&right.a, y + form.offset_a, 4);
      std::memcpy(&right.b, y + form.offset_b, 4);
      const Map product = left * right;
      std::memcpy(y + form.offset_a, &product.a, 4);
      std::memcpy(y + form.offset_b, &product.b, 4);
    }
    return;
  }
  std::abort();  // called with a type that is not ours
}

// n Maps in one form, with gaps and margins filled so that a stray write shows.
class Maps {
 public:
  Maps(const Form& form, Count n)
      : form_(form), n_(n), memory_(static_cast<std::size_t>(n * form.extent + 2 * kMargin), kFill) {}
  std::byte* data() { return n_ == 0 ? nullptr : memory_.data() + kMargin; }
  Buffer buffer() { return Buffer(data(), n_ * form_.per, form_.type); }
  Count count() const { return n_ * form_.per; }
  void set(Count i, const Map& map) {
    std::memcpy(at(i) + form_.offset_a, &map.a, 4);
    std::memcpy(at(i) + form_.offset_b, &map.b, 4);
  }
  Map get(Count i) {
    Map map;
    std::memcpy(&map.a, at(i) + form_.offset_a, 4);
    std::memcpy(&map.b, at(i) + form_.offset_b, 4);
    return map;
  }
  // True if no byte but those of the Maps was written. Overwrites the Maps.
  bool gaps_untouched() {
    std::uint32_t fill;
    std::memset(&fill, static_cast<int>(kFill), sizeof fill);
    for (Count i = 0; i < n_; ++i) set(i, {fill, fill});
    return std::ranges::all_of(memory_, [](std::byte byte) { return byte == kFill; });
  }

 private:
  static constexpr Count kMargin = 64;
  static constexpr std::byte kFill{0xa5};
  std::byte* at(Count i) { return memory_.data() + kMargin + i * form_.extent; }
  const Form& form_;
  Count n_;
  std::vector<std::byte> memory_;
};

// What rank `rank` has for rank `to` at place i.
inline Map value(int rank, Count i, int to = 0) {
  const auto mixed = static_cast<std::uint32_t>(rank * 7919 + to * 104729 + i * 31 + 5);
  return {mixed * 2654435761u | 1u, mixed ^ (mixed << 7)};
}
inline Map product(int first, int last, Count i) {  // of the ranks first..last
  Map result = value(first, i);
  for (int r = first + 1; r <= last; ++r) result = result * value(r, i);
  return result;
}

inline std::vector<Count> counts(int p) { return {0, 1, p - 1, p, p + 1, 37, 1000, 6000}; }
inline std::vector<int> roots(int p) {
  if (p <= 3) {
    std::vector<int> all;
    for (int r = 0; r < p; ++r) all.push_back(r);
    return all;
  }
  return {0, p / 2, p - 1};
}

// Forces one algorithm while it lives.
class Forced {
 public:
  Forced(Communicator& comm, Operation operation, const Choice& algorithm)
      : state_(coll::state_of(comm)), before_(state_.forced()) {
    coll::ForcedAlgorithms forced = before_;
    forced[static_cast<std::size_t>(operation)] = algorithm;
    state_.force(forced);
  }
  ~Forced() { state_.force(before_); }

 private:
  coll::State& state_;
  coll::ForcedAlgorithms before_;
};

// The algorithms of an operation, those with a parameter twice, and the one that selection takes.
inline std::vector<Choice> algorithms(Operation operation) {
  std::vector<Choice> all;
  for (const coll::AlgorithmRow& row : coll::operation_table()[static_cast<std::size_t>(operation)].algorithms) {
    all.push_back({row.number, 0});
    if (row.parameter.name != nullptr) all.push_back({row.number, row.parameter.most > 1000 ? Count{100} : Count{3}});
  }
  all.push_back(Choice());
  return all;
}

inline std::string name_of(Operation operation, const Choice& algorithm) {
  return std::string(coll::mpi_name(operation)) + " by " + coll::choice_text(operation, algorithm);
}
inline std::string describe(Operation operation, const Choice& algorithm, const Form& form, Count n, bool in_place,
                            int root, int rank) {
  return name_of(operation, algorithm) + ", type " + form.name + ", count " + std::to_string(n) +
         (in_place ? ", in place" : "") + ", root " + std::to_string(root) + ", rank " + std::to_string(rank) + ": ";
}

inline void* const kInPlace = reinterpret_cast<void*>(1);

}  // namespace ompi_lite::test
