// SPDX-License-Identifier: BSD-3-Clause
// The data of one message that lie in device memory, for protocols that work on bytes in host memory: pieces of the packed
// message pass through pinned memory, and while one is being sent or received another one is being copied.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/device/peers.h"
#include "ompi_lite/device/work.h"

namespace ompi_lite {

// The runs of bytes that a part of a buffer consists of, in packed order, evenly spaced ones as one: [first, first + bytes)
// of the packed bytes, which lie at `packed`. `out`: from the buffer to there.
std::vector<OmpiLiteCopy> copies_of(const Buffer& buffer, Count first, Count bytes, std::byte* packed, bool out);

// Owned by a request, one way at a time. Guarded by the process lock. Holds at most `device_pieces` pieces of pinned memory,
// and none between two rounds of a persistent request.
class DeviceData {
 public:
  // Whether a buffer can be moved so: all of its data lie in one allocation of device memory.
  static bool fits(const Buffer& buffer, const device::Location& location);
  // The buffer fits, and stays with its type as long as this.
  explicit DeviceData(const Buffer& buffer);
  DeviceData(const DeviceData&) = delete;
  DeviceData& operator=(const DeviceData&) = delete;

  // A message begins: what the application's thread did to the buffer before is waited for.
  Error start();
  void end();                                // it has ended, in order or not
  bool refused() const { return refused_; }  // start() has failed: nothing was sent or asked for

  // Sending. The bytes from `position` on, at most `most`: none while they are on their way here. Positions only grow.
  // Nothing is read behind `limit`.
  Result<std::span<const std::byte>> read(Count position, Count most, Count limit);
  // The same for the first piece, of which it waits for all `bytes`.
  Result<std::span<const std::byte>> read_first(Count bytes);

  // All of them at once, to memory that is not pinned.
  Error pack(std::byte* to) const;

  // Receiving: the next bytes; they are in the buffer after flush(), which tells of what went wrong in between.
  void write(std::span<const std::byte> bytes);
  Error flush();

  // From process to process of one machine. The sender's side: whether the message is to be offered so, and what the
  // receiver has to know for it; empty: it is not. After start().
  bool offer(bool near);
  std::span<const std::byte> exported() const;
  // The receiver's: begins to copy `bytes`. False if they cannot be reached from here; nothing has happened then.
  static constexpr std::int32_t kOwnMemory = -1;  // the peer is this process
  bool fetch(const device::Export& place, std::int32_t peer, Count bytes);
  Error fetched(bool& done);

  static constexpr Count kLeastPiece = 64 << 10;

 private:
  struct Piece {
    device::Bounce memory;
    device::Work work;
    Count begin = 0, bytes = 0;  // no bytes: not in use
  };
  Error make_pieces();
  Error write_piece(std::span<const std::byte>& bytes);
  void fail(const Error& error);
  Error move(Piece& piece, bool out);
  Error read_ahead(Count position, Count limit);

  device::Import import_;  // outlives `fetching_`
  device::Work fetching_;
  device::Export exported_;
  bool offered_ = false;
  Buffer buffer_;
  device::Location location_;
  Count total_;
  Count next_ = 0;  // sending: where the next piece begins; receiving: how much has come
  std::vector<Piece> pieces_;
  std::size_t filling_ = 0;  // receiving: the piece that grows
  bool refused_ = false;
  ErrorClass failed_ = ErrorClass::success;
  std::string why_failed_;
};

}  // namespace ompi_lite
