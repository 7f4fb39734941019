// SPDX-License-Identifier: BSD-3-Clause
// What this machine can do, in a few measured numbers: from them the choice among algorithms is made. They are measured once
// (measure.h) and kept in a small file.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"

namespace ompi_lite {

// One number: its place in MachineNumbers. New ones are added at the end, before kNumbers; a file without them is not
// complete, one with more is read all the same. Levels of the machine, such as links between hosts, are rows of their own.
enum class Number : std::uint8_t {
  step,              // a load that waits for the one before it, first cache: the unit in which the library's own code counts
  line,              // a cache line from one core to another, one way
  copy_cached,       // a byte copied by one core that has source and destination in its caches
  copy_memory,       // the same, both sides larger than the caches of a core
  fetch,             // a byte copied by one core out of lines that another core has just written
  shared_copy,       // a byte that goes through shared memory, while one core copies in and another copies out
  reduce_cached,     // a byte of one input of a sum of floats, in the caches of a core
  reduce_memory,     // the same, larger than them
  yield,             // sched_yield with nobody to yield to
  handover,          // from one thread to another on the same core, by sched_yield
  wake,              // until a thread that sleeps runs on another core, from the call that wakes it
  single_copy_call,  // process_vm_readv, apart from its bytes
  single_copy,       // a byte moved by it
  host_hop,          // a small message from host to host, all the way
  host_message,      // what it costs the sender, and the receiver
  host_byte,         // a byte from host to host
};
inline constexpr std::size_t kNumbers = 16;

struct NumberInfo {
  const char* name;  // in the file
  const char* unit;  // ns, or GB/s for what is kept as seconds a byte
  double preset;     // seconds, or seconds a byte: of a usual machine
  bool two_cores;    // cannot be measured on one
  bool hosts;        // cannot be measured on one host
  const char* help;
};
std::span<const NumberInfo, kNumbers> number_infos();

// A value. Seconds, or seconds a byte.
struct MachineNumbers {
  std::array<double, kNumbers> values;
  std::uint32_t measured = 0;  // bit by bit: which are not presets

  MachineNumbers();  // presets
  double operator[](Number number) const { return values[static_cast<std::size_t>(number)]; }
  bool has(Number number) const { return (measured >> static_cast<unsigned>(number) & 1u) != 0; }
  // A number out of all reason is left out: then the preset holds.
  void set(Number number, double value);
  // All numbers are there that one host with so many processors can have.
  bool complete(int processors) const;
  bool operator==(const MachineNumbers&) const = default;
};

// Which machine, as far as its speed depends on it, and which library: processor model, caches, processors, version.
std::string machine_key();

// The numbers as the lines of a file, with the key and a check sum; and back. Reading an own text gives equal numbers if
// they had been read from one before. Errors say "damaged", or "of another machine or version".
std::string numbers_text(const MachineNumbers& numbers, std::string_view key);
Result<MachineNumbers> parse_numbers(std::string_view text, std::string_view key);
// As people read them: name, value, unit, what it is.
std::string numbers_table(const MachineNumbers& numbers);

// Where the file is: the knob machine_file, else below $XDG_CACHE_HOME or $HOME/.cache; empty: nowhere.
std::string machine_file_path(std::string_view key);
// What the file holds. An error if there is none that counts: not there, damaged, of another machine or user, not a file.
Result<MachineNumbers> load_numbers();
// Replaces the file at once, so that whoever reads finds the old or the new one. Folders are made as needed.
Error store_numbers(const MachineNumbers& numbers);

// Where the ranks of a node leave each other the numbers by which they choose: written once, by whoever needs them first, so
// that all see the same for as long as the job runs. All zero is the empty board.
struct NumbersBoard {
  std::atomic<std::uint32_t> state;
  std::atomic<std::uint32_t> measuring;  // not 0: a rank of the node measures now
  std::uint64_t measured;
  double values[kNumbers];
};
// What is on the board; the first one puts there what load() gives.
MachineNumbers numbers_of_board(NumbersBoard& board, MachineNumbers (*load)());
// From the file if it counts, else presets.
MachineNumbers loaded_or_presets();

extern constinit Knob<const char*> machine_file;

}  // namespace ompi_lite
