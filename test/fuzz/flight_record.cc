// SPDX-License-Identifier: BSD-3-Clause
// The flight record of a rank, as the launcher finds it: whole, or after the rank has written anywhere.
#include <atomic>
#include <cstring>
#include <memory>

#include "launcher/hang_report.h"
#include "ompi_lite/base/flight_reader.h"
#include "ompi_lite/base/flight_recorder.h"
#include "ompi_lite/base/macros.h"
#include "test/fuzz/targets.h"

namespace ompi_lite::test {
namespace {

constexpr int kCallsPerLane = 4;
constexpr std::size_t kAlign = 64;

struct Free {
  void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{kAlign}); }
};
using Memory = std::unique_ptr<std::byte, Free>;

// What a rank leaves behind that is waiting in a receive within a collective.
void fill(std::byte* memory) {
  const std::atomic<std::int64_t> clock{1000};
  const std::atomic<std::uint64_t> moves{5};
  std::uint32_t calls = 3;
  const auto recorder = std::make_unique<flight::Recorder>(memory, kCallsPerLane, &clock);
  recorder->count_moves(moves);
  recorder->communicator_opened(2, 4, 1, 0, "MPI_COMM_WORLD");
  for (int i = 0; i < 6; ++i)
    recorder->leave(recorder->enter({.function = "MPI_Send", .context = 2, .count = 1, .peer = 3, .tag = 7}), false);
  static_cast<void>(recorder->enter({.function = "MPI_Allreduce",
                                     .context = 2,
                                     .count = 100,
                                     .collective_calls = &calls,
                                     .type = "MPI_INT",
                                     .op = "MPI_SUM",
                                     .shape = flight::Shape::collective}));
  static_cast<void>(recorder->enter({.function = "MPI_Wait", .shape = flight::Shape::completion}));
  recorder->waits_for({.context = 2, .peer = 3, .tag = 7, .world = 3, .shape = flight::Shape::receive});
  recorder->idle(2000);
}

}  // namespace

// Each group of bytes goes to a place of its own: three bytes say where and how many.
void fuzz_flight_record(std::span<const std::byte> input) {
  const std::size_t bytes = flight::Record::bytes(kCallsPerLane);
  const Memory memory(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlign})));
  std::memset(memory.get(), 0, bytes);
  fill(memory.get());
  while (input.size() > 3) {
    const std::size_t at =
        (std::to_integer<std::size_t>(input[0]) << 8 | std::to_integer<std::size_t>(input[1])) * 4 % bytes;
    const std::size_t most = std::min(1 + std::to_integer<std::size_t>(input[2]) % 16, bytes - at);
    const std::span<const std::byte> these = input.subspan(3, std::min(most, input.size() - 3));
    std::memcpy(memory.get() + at, these.data(), these.size());
    input = input.subspan(3 + these.size());
  }
  launcher::RankSight sight{launcher::RankStage::active, flight::read(memory.get(), bytes)};
  for (int lane = -1; lane <= flight::kLanes; ++lane) {
    const std::size_t calls = flight::history(memory.get(), bytes, lane).size();
    OL_CHECK(calls <= kCallsPerLane, calls);
  }
  OL_CHECK(!launcher::place_of(sight, 1'000'000).empty(), bytes);
  static_cast<void>(launcher::last_call_text(sight));
  const std::size_t lines = launcher::report_lines({sight, {}, sight, sight}, 1'000'000).size();
  OL_CHECK(lines > 0 && lines < 100, lines);
}

}  // namespace ompi_lite::test
