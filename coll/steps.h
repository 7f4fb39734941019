// SPDX-License-Identifier: BSD-3-Clause
// The concept Steps: the vocabulary in which every collective algorithm is written, once. A model of it does the steps now
// (direct.h), or plays them for all ranks in one thread (simulate.h).
#pragma once

#include <concepts>
#include <cstdint>

#include "ompi_lite/base/count_span.h"

namespace ompi_lite::coll {

class HostMap;

// Buffers have names, not addresses, so that a recorded algorithm can run again on others. Whoever runs the algorithm
// binds each slot to memory and to a datatype; scratch is bound to the type of the reduction, or to bytes where nothing
// is reduced.
enum class Slot : std::uint8_t { send, receive, scratch };

// `count` elements of the slot's datatype, from `offset` bytes on. `type` counts through the types of a slot that has
// many (the w-forms), else 0.
struct Part {
  Slot slot = Slot::send;
  std::int32_t type = 0;
  Count offset = 0;
  Count count = 0;

  bool operator==(const Part&) const = default;
};

// Algorithms proceed in rounds. The messages of a round are under way together: what was received may be read, and what
// was sent may be changed, only after end_round(). Messages between two ranks arrive in the order in which they were
// sent. Local steps (copy, reduce) are done where they stand. A step that fails is remembered by the model, and the
// algorithm goes on, so that no other rank waits for ever.
template <class S>
concept Steps = requires(S& steps, const S& constant, Part a, Part b, Part c, int peer, Count n) {
  { constant.rank() } -> std::same_as<int>;
  { constant.size() } -> std::same_as<int>;
  { constant.hosts() } -> std::same_as<const HostMap*>;  // null: all on one, or nobody knows

  steps.send(a, peer);               // joins the round
  steps.recv(a, peer);               // joins the round
  steps.sendrecv(a, peer, b, peer);  // sends a, receives b: joins the round
  steps.end_round();

  steps.copy(a, b);            // b = a; the types may differ, the bytes without their gaps agree
  steps.reduce(a, b);          // b = a op b
  steps.reduce_copy(a, b, c);  // c = a op b, c overlaps neither

  { steps.scratch(n) } -> std::same_as<Part>;         // n elements of scratch memory until the algorithm ends
  { steps.numbers(n) } -> std::same_as<Count*>;       // memory for n numbers until the algorithm ends; null: there is none
  { constant.slice(a, n, n) } -> std::same_as<Part>;  // n elements of a from the n-th on
  { constant.bytes(a) } -> std::same_as<Count>;       // without gaps

  steps.loop(n, [](Count) {});  // body(0) ... body(n - 1), not unrolled by models that record
};

// Rounds of linear algorithms hold at most this many messages; no round of any algorithm holds more than kRoundMost.
inline constexpr int kWindow = 16;
inline constexpr int kRoundMost = 2 * kWindow;

}  // namespace ompi_lite::coll
