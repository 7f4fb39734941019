// SPDX-License-Identifier: BSD-3-Clause
// The fuzzed functions with a few inputs of a fixed seed, and with those that once broke something.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "test/fuzz/targets.h"

namespace ompi_lite::test {
namespace {

using Target = void (*)(std::span<const std::byte>);

void play_random(Target target, int inputs, std::size_t most_bytes) {
  std::mt19937 random(20);
  for (int i = 0; i < inputs; ++i) {
    std::vector<std::byte> input(random() % most_bytes);
    for (std::byte& each : input) each = static_cast<std::byte>(random());
    target(input);
  }
}

}  // namespace

TEST_CASE("damaged frames end a connection and nothing else", "[fuzz]") { play_random(fuzz_pml_frames, 3000, 600); }

TEST_CASE("damaged frames about memory end a connection and nothing else", "[fuzz]") {
  play_random(fuzz_pml_copies, 3000, 600);
}

TEST_CASE("a published address may be any bytes", "[fuzz]") { play_random(fuzz_addresses, 1000, 200); }

TEST_CASE("a flight record may hold any bytes", "[fuzz]") { play_random(fuzz_flight_record, 300, 600); }

TEST_CASE("a program may be any bytes", "[fuzz]") { play_random(fuzz_elf, 1000, 100); }

TEST_CASE("a command line may hold any bytes", "[fuzz]") { play_random(fuzz_command_line, 3000, 100); }

TEST_CASE("a file of knobs may hold any bytes", "[fuzz]") { play_random(fuzz_knob_file, 1000, 2000); }

TEST_CASE("a connection takes any bytes", "[fuzz]") { play_random(fuzz_tcp_stream, 40, 2000); }

TEST_CASE("a host file may hold any bytes", "[fuzz]") { play_random(fuzz_host_file, 5000, 100); }

TEST_CASE("a daemon's connection takes any bytes", "[fuzz]") { play_random(fuzz_launcher_messages, 20000, 300); }

}  // namespace ompi_lite::test
