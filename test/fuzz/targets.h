// SPDX-License-Identifier: BSD-3-Clause
// What is fuzzed: one function per wire format, which plays whatever bytes it is given against the code that reads them.
// Each returns when every request that it made is complete; the sanitizers and OL_CHECK judge. The unit tests call them with
// bytes of a fixed seed, test/fuzz/run.sh with those of libFuzzer.
#pragma once

#include <cstddef>
#include <span>

namespace ompi_lite::test {

// Frames of the point-to-point layer, from a peer that answers what it likes.
void fuzz_pml_frames(std::span<const std::byte> input);
// The same where large messages are copied by the receiver, or by both sides, out of memory that frames give the address of.
void fuzz_pml_copies(std::span<const std::byte> input);
// The bytes of a connection: heads of frames, as they come in pieces.
void fuzz_tcp_stream(std::span<const std::byte> input);
// The addresses that processes publish for each other.
void fuzz_addresses(std::span<const std::byte> input);
// The record of a rank's last calls, which the launcher reads in memory that the rank writes.
void fuzz_flight_record(std::span<const std::byte> input);
// The programs that the launcher looks into.
void fuzz_elf(std::span<const std::byte> input);
// The words of mpirun's command line, a line each, and numbers with units.
void fuzz_command_line(std::span<const std::byte> input);
// Files of knobs.
void fuzz_knob_file(std::span<const std::byte> input);
// Lists of hosts and host files.
void fuzz_host_file(std::span<const std::byte> input);
// The messages between mpirun and the daemons of hosts.
void fuzz_launcher_messages(std::span<const std::byte> input);

}  // namespace ompi_lite::test
