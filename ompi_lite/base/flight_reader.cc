// SPDX-License-Identifier: BSD-3-Clause
// Reading a flight record.
#include "ompi_lite/base/flight_reader.h"

#include <algorithm>
#include <bit>
#include <string>

namespace ompi_lite::flight {
namespace {

constexpr int kTries = 100;  // a call is written in some nanoseconds; a rank that died in the middle never ends it

template <std::size_t bytes>
std::string text(const std::atomic<char> (&from)[bytes]) {
  std::string result;
  for (std::size_t i = 0; i < bytes; ++i) {
    const char c = from[i].load(std::memory_order_relaxed);  // partner: store_text
    if (c == '\0') break;
    result += c >= ' ' && c < 127 ? c : '?';
  }
  return result;
}

std::string word(const Record& record, std::uint64_t number) {
  return number > 0 && number < std::min<std::uint32_t>(record.words.get(), kWords) ? text(record.word_list[number].text)
                                                                                    : std::string();
}

const Record* whole_record(const std::byte* memory, std::size_t bytes) {
  if (memory == nullptr || bytes < sizeof(Record)) return nullptr;
  const auto* record = reinterpret_cast<const Record*>(memory);
  if (record->magic.load(std::memory_order_acquire) != kMagic) return nullptr;  // partner: the store in Recorder
  const std::int32_t calls = record->calls_per_lane.get();
  const bool sane = calls > 0 && std::has_single_bit(static_cast<std::uint32_t>(calls)) && Record::bytes(calls) <= bytes;
  return sane ? record : nullptr;
}

// The call in its place, if it is still number `number`.
std::optional<SeenCall> read_call(const Record& record, int lane, std::uint64_t number) {
  const Call& call = record.calls(lane)[number & static_cast<std::uint64_t>(record.calls_per_lane.get() - 1)];
  if (call.stamp.load(std::memory_order_acquire) != 2 * number) return std::nullopt;  // partner: the stores in enter
  SeenCall seen;
  seen.number = number;
  seen.began_ns = call.began_ns.get();
  seen.context = call.context.get();
  seen.count = call.count.get();
  const std::uint64_t peer_tag = call.peer_tag.get(), second_bytes = call.second_bytes.get(), words = call.words.get();
  seen.peer = low_half(peer_tag);
  seen.tag = high_half(peer_tag);
  seen.second = low_half(second_bytes);
  seen.type_bytes = static_cast<std::uint32_t>(high_half(second_bytes));
  seen.sequence = static_cast<std::uint32_t>(low_half(call.sequence_unused.get()));
  seen.function = word(record, words & 0xffff);
  seen.type = word(record, words >> 16 & 0xffff);
  seen.op = word(record, words >> 32 & 0xffff);
  seen.shape = static_cast<Shape>(words >> 48);
  std::atomic_thread_fence(std::memory_order_acquire);  // partner: the release fence in enter
  if (call.stamp.load(std::memory_order_relaxed) != 2 * number) return std::nullopt;
  return seen;
}

std::optional<SeenWait> read_wait(const Record& record, const Lane& lane, std::uint64_t number) {
  if (lane.waits_call.get() != number) return std::nullopt;
  std::atomic_thread_fence(std::memory_order_acquire);  // partner: the fences in waits_for
  SeenWait seen;
  seen.context = lane.waits_context.get();
  seen.peer = lane.waits_peer.get();
  seen.tag = lane.waits_tag.get();
  seen.world = lane.waits_world.get();
  seen.shape = lane.waits_shape.get();
  seen.word = word(record, lane.waits_word.get());
  std::atomic_thread_fence(std::memory_order_acquire);  // as above
  if (lane.waits_call.get() != number) return std::nullopt;
  return seen;
}

std::optional<SeenCall> read_newest(const Record& record, int number_of_lane) {
  const Lane& lane = record.lanes[number_of_lane];
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::uint64_t state = lane.state.get();
    if (state == 0) return std::nullopt;
    std::optional<SeenCall> seen = read_call(record, number_of_lane, state >> 2);
    if (!seen) continue;
    seen->phase = static_cast<Phase>(std::min<std::uint64_t>(state & 3, static_cast<std::uint64_t>(Phase::polling)));
    if (seen->phase == Phase::outside) seen->left_ns = lane.left_ns.get();
    if (seen->phase == Phase::polling) seen->polls = lane.polls.get();
    seen->waits = read_wait(record, lane, state >> 2);
    if (lane.state.get() == state) return seen;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Seen> read(const std::byte* memory, std::size_t bytes) {
  const Record* record = whole_record(memory, bytes);
  if (record == nullptr) return std::nullopt;
  Seen seen;
  seen.idle_since_ns = record->idle_since_ns.get();
  seen.moves = record->moves.get();
  for (int lane = 0; lane < kLanes; ++lane) {
    seen.progress = seen.progress * 31 + record->lanes[lane].state.get();
    if (std::optional<SeenCall> call = read_newest(*record, lane)) seen.newest.push_back(std::move(*call));
  }
  for (const Communicator& each : record->communicators) {
    const std::uint64_t context = each.context.load(std::memory_order_acquire);  // partner: communicator_opened
    if (context == 0) continue;
    SeenCommunicator found{context, each.size.get(), each.rank.get(), each.side.get(), text(each.name)};
    if (each.context.load(std::memory_order_acquire) == context) seen.communicators.push_back(std::move(found));  // as above
  }
  return seen;
}

std::vector<SeenCall> history(const std::byte* memory, std::size_t bytes, int lane) {
  std::vector<SeenCall> calls;
  const Record* record = whole_record(memory, bytes);
  if (record == nullptr || lane < 0 || lane >= kLanes) return calls;
  const std::uint64_t newest = record->lanes[lane].state.get() >> 2;
  const auto kept = static_cast<std::uint64_t>(record->calls_per_lane.get());
  for (std::uint64_t number = newest > kept ? newest - kept + 1 : 1; number <= newest; ++number) {
    if (std::optional<SeenCall> call = read_call(*record, lane, number)) calls.push_back(std::move(*call));
  }
  return calls;
}

}  // namespace ompi_lite::flight
