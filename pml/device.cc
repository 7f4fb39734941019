// SPDX-License-Identifier: BSD-3-Clause
// Messages from device memory to device memory on one machine: the receiver maps the sender's and copies.
#include <cstring>

#include "ompi_lite/base/counters.h"
#include "ompi_lite/base/macros.h"
#include "pml/peer.h"

namespace ompi_lite::pml {

// False if that is not possible; nothing has happened then. After true the request may be gone.
bool Pml::fetch_from_device(ReceiveRequest& request, std::span<const std::byte> exported) {
  Peer& from = *request.peer;
  device::Export place;
  if (exported.size() != sizeof place || from.lost) return false;
  std::memcpy(&place, exported.data(), sizeof place);
  const bool own = from.id == self_;
  if (!request.device->fetch(place, own ? DeviceData::kOwnMemory : from.id, request.expected)) return false;
  device_fetches_.push_back(&request);
  return true;
}

bool Pml::poll_device_fetches() {
  bool any = false;
  for (std::size_t i = 0; i < device_fetches_.size();) {
    ReceiveRequest& request = *device_fetches_[i];
    bool done = false;
    Error error = request.device->fetched(done);
    if (!done) {
      ++i;
      continue;
    }
    any = true;
    device_fetches_.erase(device_fetches_.begin() + static_cast<std::ptrdiff_t>(i));
    Peer& from = *request.peer;
    reply(from, ReplyHeader{FrameKind::fetched, {}, request.send_request});
    if (!from.lost) finish_receive(request, error);  // else it has ended with the peer
  }
  return any;
}

}  // namespace ompi_lite::pml
