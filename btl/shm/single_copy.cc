// SPDX-License-Identifier: BSD-3-Clause
// process_vm_readv, after a proof that the process id names the rank we mean: in containers with process namespaces of their
// own it may name a stranger.
#include "btl/shm/single_copy.h"

#include <algorithm>
#include <cstring>

#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::shm {

constinit Knob<bool> single_copy{"single_copy", true, Unit::none, "read large messages out of the sender's memory"};

namespace {

constexpr std::size_t kMostPerCall = 64 << 20;

std::int64_t read_peer(const NodeRank& peer, void* to, std::uint64_t address, std::size_t bytes) {
  return os::read_process(peer.pid, to, reinterpret_cast<const void*>(address), bytes);
}

}  // namespace

Error SingleCopy::try_access() {
  constexpr Error refused(ErrorClass::unsupported_operation, "the peer's memory cannot be read");
  if (access_ == Access::granted) return {};
  if (access_ == Access::refused || !single_copy.value()) return refused;
  std::uint64_t token = 0;
  std::int64_t got = read_peer(*peer_, &token, peer_->token_address, sizeof token);
  if (got == sizeof token && token == peer_->token) {
    access_ = Access::granted;
    return {};
  }
  access_ = Access::refused;
  OL_LOG(debug, "process %d cannot be read: %s", peer_->pid, got < 0 ? strerror(static_cast<int>(-got)) : "not the peer");
  return refused;
}

Error SingleCopy::read(std::uint64_t address, std::byte* to, std::size_t bytes, Error& result) {
  OL_TRY(try_access());
  std::size_t done = 0;
  while (done < bytes) {
    std::int64_t got = read_peer(*peer_, to + done, address + done, std::min(bytes - done, kMostPerCall));
    if (got <= 0) {
      result = make_error(ErrorClass::buffer, "reading %zu bytes at %#llx of process %d: %s", bytes - done,
                          static_cast<unsigned long long>(address + done), peer_->pid,
                          got == 0 ? "nothing read" : strerror(static_cast<int>(-got)));
      OL_LOG(error, "%s", result.sentence());
      return {};
    }
    done += static_cast<std::size_t>(got);
  }
  result = {};
  return {};
}

}  // namespace ompi_lite::btl::shm
