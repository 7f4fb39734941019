// SPDX-License-Identifier: BSD-3-Clause
// The flight record: what is written is what is read, whole, at any moment.
#include "ompi_lite/base/flight_recorder.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "ompi_lite/base/flight_reader.h"

namespace ompi_lite::flight {
namespace {

// A record in memory of its own, with a clock that the test winds.
class Rig {
 public:
  explicit Rig(int calls_per_lane = 4) : bytes_(Record::bytes(calls_per_lane)), memory_(std::aligned_alloc(64, bytes_)) {
    std::memset(memory_.get(), 0, bytes_);
    recorder = std::make_unique<Recorder>(memory_.get(), calls_per_lane, &clock);
  }
  Seen look() const {
    const auto seen = read(data(), bytes_);
    REQUIRE(seen);
    return *seen;
  }
  const std::byte* data() const { return static_cast<const std::byte*>(memory_.get()); }
  std::size_t bytes() const { return bytes_; }

  std::atomic<std::int64_t> clock{1000};
  std::unique_ptr<Recorder> recorder;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::size_t bytes_;
  std::unique_ptr<void, Free> memory_;
};

constexpr char kSend[] = "MPI_Send", kAllreduce[] = "MPI_Allreduce", kTest[] = "MPI_Test", kIprobe[] = "MPI_Iprobe";
constexpr char kInt[] = "MPI_INT", kSum[] = "MPI_SUM";

TEST_CASE("an open call is seen with all its facts, and as left afterwards", "[flight]") {
  Rig rig;
  std::uint32_t calls = 50;
  const auto ticket = rig.recorder->enter({.function = kAllreduce,
                                           .context = 2,
                                           .count = 100,
                                           .type_bytes = 4,
                                           .collective_calls = &calls,
                                           .type = kInt,
                                           .op = kSum,
                                           .shape = Shape::collective});
  Seen seen = rig.look();
  REQUIRE(seen.newest.size() == 1);
  const SeenCall& call = seen.newest[0];
  CHECK(call.phase == Phase::inside);
  CHECK(call.function == "MPI_Allreduce");
  CHECK(call.type == "MPI_INT");
  CHECK(call.op == "MPI_SUM");
  CHECK(call.context == 2);
  CHECK(call.count == 100);
  CHECK(call.type_bytes == 4);
  CHECK(call.sequence == 51);
  CHECK(call.began_ns == 1000);
  CHECK(calls == 51);
  const std::uint64_t before = seen.progress;
  rig.clock = 2000;
  rig.recorder->leave(ticket, false);
  seen = rig.look();
  CHECK(seen.newest[0].phase == Phase::outside);
  CHECK(seen.newest[0].left_ns == 2000);
  CHECK(seen.progress != before);
}

TEST_CASE("ranks and tags keep their signs, and are not given where they are not", "[flight]") {
  Rig rig;
  rig.recorder->leave(rig.recorder->enter({.function = kSend, .peer = -1, .tag = -2, .shape = Shape::receive}), false);
  const SeenCall call = rig.look().newest[0];
  CHECK(call.peer == -1);
  CHECK(call.tag == -2);
  CHECK(call.second == kNoRank);
  CHECK(call.type.empty());
  CHECK(call.sequence == 0);
}

TEST_CASE("the last calls are kept, the oldest go", "[flight]") {
  Rig rig(4);
  for (int tag = 0; tag < 10; ++tag) rig.recorder->leave(rig.recorder->enter({.function = kSend, .tag = tag}), false);
  const auto calls = history(rig.data(), rig.bytes(), 0);
  REQUIRE(calls.size() == 4);
  for (int i = 0; i < 4; ++i) CHECK(calls[static_cast<std::size_t>(i)].tag == 6 + i);
}

TEST_CASE("polls that find nothing are one call, and no progress", "[flight]") {
  Rig rig;
  rig.recorder->leave(rig.recorder->enter({.function = kTest, .tag = 1}), true);
  const Seen first = rig.look();
  CHECK(first.newest[0].phase == Phase::polling);
  for (int i = 0; i < 100; ++i) rig.recorder->leave(rig.recorder->enter({.function = i % 2 ? kTest : kIprobe}), true);
  Seen later = rig.look();
  CHECK(later.progress == first.progress);
  CHECK(later.newest[0].polls == 101);
  CHECK(later.newest[0].tag == 1);
  rig.recorder->leave(rig.recorder->enter({.function = kTest}), false);
  later = rig.look();
  CHECK(later.progress != first.progress);
  CHECK(later.newest[0].phase == Phase::outside);
  // A zero that is no flag, of a call that is no poll.
  rig.recorder->leave(rig.recorder->enter({.function = kSend}), true);
  CHECK(rig.look().newest[0].phase == Phase::outside);
}

TEST_CASE("a call within a call has a lane of its own, and more than there are lanes are left out", "[flight]") {
  Rig rig;
  const auto outer = rig.recorder->enter({.function = kAllreduce});
  const auto inner = rig.recorder->enter({.function = kSend});
  Seen seen = rig.look();
  REQUIRE(seen.newest.size() == 2);
  CHECK(seen.newest[0].function == "MPI_Allreduce");
  CHECK(seen.newest[1].function == "MPI_Send");
  rig.recorder->leave(inner, false);
  CHECK(rig.recorder->current() == outer.lane);
  Recorder::Ticket more[kLanes];
  for (auto& ticket : more) ticket = rig.recorder->enter({.function = kSend});
  CHECK(more[kLanes - 1].lane == -1);
  for (auto& ticket : more) rig.recorder->leave(ticket, false);
  rig.recorder->leave(outer, false);
  for (const SeenCall& call : rig.look().newest) CHECK(call.phase == Phase::outside);
}

TEST_CASE("what a call waits for belongs to that call alone", "[flight]") {
  Rig rig;
  const auto ticket = rig.recorder->enter({.function = kTest, .shape = Shape::completion});
  rig.recorder->waits_for({.context = 2, .peer = 3, .tag = 7, .world = 5, .shape = Shape::receive});
  Seen seen = rig.look();
  REQUIRE(seen.newest[0].waits);
  CHECK(seen.newest[0].waits->peer == 3);
  CHECK(seen.newest[0].waits->world == 5);
  rig.recorder->leave(ticket, false);
  rig.recorder->leave(rig.recorder->enter({.function = kTest}), false);
  CHECK_FALSE(rig.look().newest[0].waits);
}

TEST_CASE("communicators are known by name until they go", "[flight]") {
  Rig rig;
  rig.recorder->communicator_opened(2, 4, 1, 0, "");
  rig.recorder->communicator_named(2, "rows");
  rig.recorder->communicator_opened(6, 2, 0, 3, "a name that is longer than the forty-three characters of the record");
  Seen seen = rig.look();
  REQUIRE(seen.communicators.size() == 2);
  CHECK(seen.communicators[0].name == "rows");
  CHECK(seen.communicators[0].rank == 1);
  CHECK(seen.communicators[1].side == 3);
  CHECK(seen.communicators[1].name.size() == 43);
  rig.recorder->communicator_closed(2);
  for (int i = 0; i < 2 * kCommunicators; ++i)
    rig.recorder->communicator_opened(static_cast<std::uint64_t>(8 + 2 * i), 1, 0, 0, "");
  seen = rig.look();
  CHECK(seen.communicators.size() == kCommunicators);
}

TEST_CASE("bytes that are no record are refused", "[flight]") {
  Rig rig;
  CHECK_FALSE(read(nullptr, 0));
  CHECK_FALSE(read(rig.data(), sizeof(Record) - 1));
  CHECK_FALSE(read(rig.data(), sizeof(Record)));  // without its calls
  std::vector<std::byte> empty(rig.bytes() + 64);
  CHECK_FALSE(read(reinterpret_cast<const std::byte*>((reinterpret_cast<std::uintptr_t>(empty.data()) + 63) / 64 * 64),
                   rig.bytes()));
}

TEST_CASE("a reader beside a writer sees whole calls", "[flight]") {
  Rig rig(1024);  // so that a call is still there when the reader comes to it
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; !stop.load(); ++i) {
      // The parts of a call agree with each other.
      rig.recorder->leave(rig.recorder->enter({.function = i % 2 ? kSend : kAllreduce,
                                               .context = static_cast<std::uint64_t>(i),
                                               .count = i,
                                               .peer = i,
                                               .tag = i,
                                               .second = i}),
                          false);
    }
  });
  int calls = 0;
  // The writer may get the processor late; a watchdog ends the wait for it.
  for (int i = 0; calls == 0 || (i < 2000 && calls <= 200000); ++i) {
    for (const SeenCall& call : history(rig.data(), rig.bytes(), 0)) {
      ++calls;
      const bool whole = call.count == call.peer && call.peer == call.tag && call.tag == call.second &&
                         call.context == static_cast<std::uint64_t>(call.count) &&
                         call.function == (call.count % 2 ? "MPI_Send" : "MPI_Allreduce");
      if (!whole) FAIL("torn: " << call.count << " " << call.peer << " " << call.tag << " " << call.function);
    }
  }
  stop = true;
  writer.join();
  CHECK(calls > 0);
}

}  // namespace
}  // namespace ompi_lite::flight
