// SPDX-License-Identifier: BSD-3-Clause
// process_vm_readv and process_vm_writev, after a proof that the process id names the rank we mean: in containers with
// process namespaces of their own it may name a stranger.
#include "btl/shm/single_copy.h"

#include <algorithm>
#include <cstring>

#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::shm {

constinit Knob<bool> single_copy{"single_copy", true, Unit::none,
                                 "copy large messages from one process's memory to the other's directly"};

namespace {

constexpr std::size_t kMostPerCall = 64 << 20;
constexpr Error kRefused(ErrorClass::unsupported_operation, "the peer's memory cannot be reached");

std::int64_t read_peer(const NodeRank& peer, void* to, std::uint64_t address, std::size_t bytes) {
  return os::read_process(peer.pid, to, reinterpret_cast<const void*>(address), bytes);
}

std::int64_t write_peer(const NodeRank& peer, const void* from, std::uint64_t address, std::size_t bytes) {
  return os::write_process(peer.pid, reinterpret_cast<void*>(address), from, bytes);
}

const char* reason(std::int64_t got, const char* otherwise) {
  return got < 0 ? strerror(static_cast<int>(-got)) : otherwise;
}

// `move(done, bytes)` copies at most so many bytes from there on and returns how many, or -errno.
Error move_all(const NodeRank& peer, const char* what, std::uint64_t address, std::size_t bytes, auto move) {
  std::size_t done = 0;
  while (done < bytes) {
    const std::int64_t got = move(done, std::min(bytes - done, kMostPerCall));
    if (got <= 0) {
      const Error error =
          make_error(ErrorClass::buffer, "%s %zu bytes at %#llx of process %d: %s", what, bytes - done,
                     static_cast<unsigned long long>(address + done), peer.pid, reason(got, "nothing moved"));
      OL_LOG(error, "%s", error.sentence());
      return error;
    }
    done += static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace

Error SingleCopy::try_reading() {
  if (reading_ == Access::granted) return {};
  if (reading_ == Access::refused || !single_copy.value()) return kRefused;
  std::uint64_t token = 0;
  const std::int64_t got = read_peer(*peer_, &token, peer_->token_address, sizeof token);
  if (got == sizeof token && token == peer_->token) {
    reading_ = Access::granted;
    return {};
  }
  reading_ = Access::refused;
  OL_LOG(debug, "process %d cannot be read: %s", peer_->pid, reason(got, "not the peer"));
  return kRefused;
}

// Only a process that was read and is the peer is written, and first with what lies there already.
Error SingleCopy::try_writing() {
  if (writing_ == Access::granted) return {};
  if (writing_ == Access::refused) return kRefused;
  writing_ = Access::refused;
  OL_TRY(try_reading());
  const std::int64_t got = write_peer(*peer_, &peer_->token, peer_->token_address, sizeof peer_->token);
  if (got == sizeof peer_->token) {
    writing_ = Access::granted;
    return {};
  }
  OL_LOG(debug, "process %d cannot be written: %s", peer_->pid, reason(got, "nothing moved"));
  return kRefused;
}

Error SingleCopy::read(std::uint64_t address, std::byte* to, std::size_t bytes, Error& result) {
  OL_TRY(try_reading());
  result = move_all(*peer_, "reading", address, bytes,
                    [&](std::size_t done, std::size_t most) { return read_peer(*peer_, to + done, address + done, most); });
  return {};
}

Error SingleCopy::write(std::uint64_t address, const std::byte* from, std::size_t bytes, Error& result) {
  OL_TRY(try_writing());
  result = move_all(*peer_, "writing", address, bytes, [&](std::size_t done, std::size_t most) {
    return write_peer(*peer_, from + done, address + done, most);
  });
  return {};
}

}  // namespace ompi_lite::btl::shm
