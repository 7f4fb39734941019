// SPDX-License-Identifier: BSD-3-Clause
// What the flight recorder learns about a call from its arguments: one overload per kind that says something.
#pragma once

#include <type_traits>

#include "ompi_lite/abi/payload.h"
#include "ompi_lite/abi/write.h"
#include "ompi_lite/base/flight_recorder.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/runtime/life.h"

namespace ompi_lite::abi {

// Recorded is what communicates, waits or concerns others. Calls that only ask or describe cost too little to be worth it.
template <class A>
inline constexpr bool kTellsOfOthers = false;
template <Use use, Blocks blocks>
inline constexpr bool kTellsOfOthers<Payload<use, blocks>> = true;
template <Use use, Blocks blocks>
inline constexpr bool kTellsOfOthers<Operand<use, blocks>> = true;
template <Use use, class C, class D>
inline constexpr bool kTellsOfOthers<PayloadV<use, C, D>> = true;
template <Use use, class C, class D>
inline constexpr bool kTellsOfOthers<PayloadW<use, C, D>> = true;
template <Use use, class C>
inline constexpr bool kTellsOfOthers<BlockOperand<use, C>> = true;
template <>
inline constexpr bool kTellsOfOthers<Tag> = true;
template <>
inline constexpr bool kTellsOfOthers<Requests> = true;
template <>
inline constexpr bool kTellsOfOthers<Handle<MPI_Request>> = true;
template <>
inline constexpr bool kTellsOfOthers<Changed<MPI_Request>> = true;
template <>
inline constexpr bool kTellsOfOthers<Changed<MPI_Message>> = true;
template <>
inline constexpr bool kTellsOfOthers<Changed<MPI_Comm>> = true;
template <>
inline constexpr bool kTellsOfOthers<NewHandle<MPI_Comm>> = true;

template <auto function>
inline constexpr bool kIsLastCall = false;
template <>
inline constexpr bool kIsLastCall<&coll::barrier> = true;
template <>
inline constexpr bool kIsLastCall<&runtime::finalize> = true;

// Barrier and Finalize have no argument that tells.
template <auto function, class... A>
inline constexpr bool kRecorded = kIsLastCall<function> || (kTellsOfOthers<std::remove_cvref_t<A>> || ...);

inline void describe_type(flight::CallFacts& facts, Count count, const Datatype* type) {
  if (type == nullptr || facts.type != nullptr) return;  // the first buffer that counts
  facts.count = count;
  facts.type_bytes = static_cast<std::uint32_t>(type->size());
  facts.type = type->basic() != nullptr ? type->basic()->name : type->how_made();
}

template <class A>
void describe(flight::CallFacts&, const Site&, const A&) {}
template <Use use, Blocks blocks>
void describe(flight::CallFacts& facts, const Site&, const Payload<use, blocks>& data) {
  describe_type(facts, data.count, data.type);
}
template <Use use, Blocks blocks>
void describe(flight::CallFacts& facts, const Site&, const Operand<use, blocks>& data) {
  describe_type(facts, data.count, data.type);
}
template <Use use, class C, class D>
void describe(flight::CallFacts& facts, const Site&, const PayloadV<use, C, D>& data) {
  describe_type(facts, -1, data.type);
}
inline void describe(flight::CallFacts& facts, const Site&, const Handle<MPI_Op>& op) {
  if (op.object != nullptr) facts.op = static_cast<const Op*>(op.object)->name;
}
inline void describe(flight::CallFacts& facts, const Site&, const Rank& rank) {
  using flight::Shape;
  if (rank.who == Who::member) return;
  const bool second = facts.peer != flight::kNoRank;
  (second ? facts.second : facts.peer) = rank.value;
  facts.shape = second ? Shape::exchange : rank.who == Who::dest ? Shape::send : Shape::receive;
}
inline void describe(flight::CallFacts& facts, const Site&, const Tag& tag) {
  if (facts.tag == flight::kNoRank) facts.tag = tag.value;
}
inline void describe(flight::CallFacts& facts, const Site&, const Requests&) { facts.shape = flight::Shape::completion; }
inline void describe(flight::CallFacts& facts, const Site&, const Handle<MPI_Request>&) {
  facts.shape = flight::Shape::completion;
}
inline void describe(flight::CallFacts& facts, const Site&, const Changed<MPI_Request>&) {
  facts.shape = flight::Shape::completion;
}

// A flag or count of a test or probe.
template <class A>
bool says_nothing(const A&) {
  return false;
}
inline bool says_nothing(const Out<int>& out) { return out.place != nullptr && *out.place == 0; }

}  // namespace ompi_lite::abi
