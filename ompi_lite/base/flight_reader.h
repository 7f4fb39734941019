// SPDX-License-Identifier: BSD-3-Clause
// Reads a flight record while its rank goes on writing, or after it has died.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ompi_lite/base/flight_record.h"

namespace ompi_lite::flight {

// What an open call waits for beyond its own arguments: the request of an MPI_Wait.
struct SeenWait {
  std::uint64_t context = 0;
  std::int32_t peer = kNoRank, tag = kNoRank, world = kNoRank;
  Shape shape = Shape::other;
  std::string word;
};

// One call as it was found. Times are of the monotonic clock; 0: not known.
struct SeenCall {
  std::uint64_t number = 0;
  Phase phase = Phase::outside;
  std::int64_t began_ns = 0;
  std::int64_t left_ns = 0;  // of the newest call of a lane alone
  std::uint64_t polls = 0;
  std::uint64_t context = 0;
  std::int64_t count = -1;
  std::uint32_t type_bytes = 0;
  std::int32_t peer = kNoRank, tag = kNoRank, second = kNoRank;
  std::uint32_t sequence = 0;
  Shape shape = Shape::other;
  std::string function, type, op;
  std::optional<SeenWait> waits;
};

struct SeenCommunicator {
  std::uint64_t context = 0;
  int size = 0, rank = 0, side = 0;
  std::string name;
};

// A rank's record at one moment. Each call is whole; calls of different lanes may have been read at different moments.
struct Seen {
  std::vector<SeenCall> newest;  // of each lane that was used, lane 0 first
  std::vector<SeenCommunicator> communicators;
  std::int64_t idle_since_ns = 0;
  std::uint64_t moves = 0;
  std::uint64_t progress = 0;  // changes when a call is begun or left, but not with polls that find nothing
};

// Nothing if the bytes are no whole record. Every number in it is taken with suspicion: a dying rank may have written
// anywhere.
std::optional<Seen> read(const std::byte* memory, std::size_t bytes);

// The calls of a lane that the record still holds, oldest first.
std::vector<SeenCall> history(const std::byte* memory, std::size_t bytes, int lane);

}  // namespace ompi_lite::flight
