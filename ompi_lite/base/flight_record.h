// SPDX-License-Identifier: BSD-3-Clause
// The flight record: the last MPI calls of a rank in memory that the launcher can read at any time, also after the rank has
// died. This page is its layout; flight_recorder.h writes it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ompi_lite::flight {

// One value that a rank writes while another process may read it. Relaxed: whether a group of them belongs together is told
// by the numbers around them (Call::stamp, Communicator::context).
template <class T>
class Field {
 public:
  T get() const { return value_.load(std::memory_order_relaxed); }       // partner: set
  void set(T value) { value_.store(value, std::memory_order_relaxed); }  // partner: get
 private:
  std::atomic<T> value_;
};

inline constexpr std::uint64_t kMagic = 0x6f6c666c69676801;  // changes when this layout does
inline constexpr int kLanes = 8;                             // calls that are open at once: threads, calls within calls
inline constexpr int kWords = 512;                           // names of functions, types and operations
inline constexpr int kWordBytes = 40;
inline constexpr int kCommunicators = 64;
inline constexpr std::int32_t kNoRank = -1000;  // "not given", where the negative ranks of MPI have a meaning

enum class Shape : std::uint16_t { other, send, receive, exchange, rooted, collective, probe, completion };

// One call. `stamp` is odd while it is written, else twice the call's number in its lane, counted from 1; 0: never used.
struct alignas(64) Call {
  std::atomic<std::uint64_t> stamp;
  Field<std::int64_t> began_ns;  // by the clock word of the node, so to a quarter of a second; 0: nobody winds that clock
  Field<std::uint64_t> context;  // of the communicator; 0: none
  Field<std::int64_t> count;     // elements; -1: none given, or one for each rank
  // Pairs and fours of small numbers, low half first, because the number of stores is what a call pays for.
  Field<std::uint64_t> peer_tag;         // dest, source or root, as the call names it; tag
  Field<std::uint64_t> second_bytes;     // exchange: the source; bytes of an element
  Field<std::uint64_t> sequence_unused;  // which of the collective calls on its communicator, from 1; 0: no collective
  Field<std::uint64_t> words;            // of function, type, op (0: none); shape
};
static_assert(sizeof(Call) == 64);

constexpr std::uint64_t join(std::int32_t low, std::int32_t high) {
  return static_cast<std::uint32_t>(low) | std::uint64_t{static_cast<std::uint32_t>(high)} << 32;
}
constexpr std::int32_t low_half(std::uint64_t pair) { return static_cast<std::int32_t>(pair & 0xffffffff); }
constexpr std::int32_t high_half(std::uint64_t pair) { return static_cast<std::int32_t>(pair >> 32); }

// What a lane is doing, in the two low bits of Lane::state; above them is the number of its newest call.
enum class Phase : std::uint8_t { outside, inside, polling };

// A lane holds calls one after the other: a thread's, and lane by lane those that are made within calls.
struct alignas(64) Lane {
  Field<std::uint64_t> state;
  Field<std::int64_t> left_ns;      // when the newest call was left, by the node's clock word
  Field<std::uint64_t> polls;       // `polling`: how often a test or probe has found nothing since
  Field<std::uint64_t> waits_call;  // number of the call for which the next fields hold: the request that it waits for
  Field<std::uint64_t> waits_context;
  Field<std::int32_t> waits_peer, waits_tag, waits_world;
  Field<Shape> waits_shape;
  Field<std::uint16_t> waits_word;  // of a collective: its name
};
static_assert(sizeof(Lane) == 64);

struct alignas(64) Communicator {
  std::atomic<std::uint64_t> context;  // 0: free. Written last when it comes, first when it goes
  Field<std::int32_t> size, rank;      // of the rank's own group
  Field<std::int32_t> side;            // 0; of an intercommunicator a number that its two groups do not share
  std::atomic<char> name[44];
};
static_assert(sizeof(Communicator) == 64);

struct Word {
  std::atomic<char> text[kWordBytes];
};

// The whole record; `calls_per_lane` calls for each lane follow it. All zero is its initial state.
struct alignas(64) Record {
  std::atomic<std::uint64_t> magic;  // set last
  Field<std::int32_t> calls_per_lane;
  Field<std::uint32_t> words;
  Field<std::int64_t> idle_since_ns;  // monotonic clock: the rank found nothing to do and sleeps; 0: it does not sleep
  Field<std::uint64_t> moves;         // frames of messages that had come and gone when it went to sleep
  Lane lanes[kLanes];
  Communicator communicators[kCommunicators];
  Word word_list[kWords];

  Call* calls(int lane) {
    return reinterpret_cast<Call*>(this + 1) + static_cast<std::ptrdiff_t>(lane) * calls_per_lane.get();
  }
  const Call* calls(int lane) const { return const_cast<Record*>(this)->calls(lane); }
  static std::uint64_t bytes(int calls_per_lane) {
    return sizeof(Record) + static_cast<std::uint64_t>(calls_per_lane) * kLanes * sizeof(Call);
  }
};
static_assert(sizeof(Record) % alignof(Call) == 0);

}  // namespace ompi_lite::flight
