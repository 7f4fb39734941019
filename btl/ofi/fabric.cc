// SPDX-License-Identifier: BSD-3-Clause
// Opening an endpoint of libfabric, and each of its calls that we use.
#include "btl/ofi/fabric.h"

#include <algorithm>
#include <cstdio>

#include "btl/tcp/socket.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::ofi {

namespace {

constexpr std::size_t kName = 256;              // bytes of an address, at most
constexpr std::int64_t kBlindSleepNs = 50'000;  // where a provider has no descriptor to wait for
constexpr std::size_t kDepth = 128;             // of the queues of the endpoint
constexpr std::uint64_t kOurKey = 0x6f6c;       // of the one registration, where we have to name it
constexpr int kPortTries = 4;                   // somebody may take the port that was free

}  // namespace

Error Fabric::failed(const char* what, std::int64_t rc) const {
  return make_error(ErrorClass::other, "libfabric, provider %s on %s: %s: %s", info().fabric_attr->prov_name,
                    info().domain_attr->name, what, text(rc).c_str());
}

Result<std::unique_ptr<Fabric>> Fabric::open(const Library& library, Choice choice, const tcp::PortRange& ports, int self) {
  std::unique_ptr<Fabric> made(new Fabric(library, std::move(choice)));
  const SignalsAsTheyWere guard;
  OL_TRY(made->open_domain());
  for (int i = 1;; ++i) {
    if (made->sockets() && ports.first != 0) {
      auto listener = tcp::listen_anywhere(ports, self);  // closed again at once: which one is free?
      if (!listener) return listener.error();
      set_port(*made->choice_.info, listener->port);
    }
    const Error error = made->open_endpoint();
    if (!error) break;
    if (!made->sockets() || ports.first == 0 || i == kPortTries) return error;
  }
  OL_TRY(made->make_buffers());
  made->post_receives();
  return made;
}

Fabric::~Fabric() {
  endpoint_.reset();  // before the buffers that it may still fill
}

Error Fabric::open_domain() {
  fi_info& want = *choice_.info;
  want.tx_attr->size = std::min(want.tx_attr->size, kDepth);
  want.rx_attr->size = std::min(want.rx_attr->size, kDepth);
  fid_fabric* fabric = nullptr;
  if (const int rc = library_.fabric(want.fabric_attr, &fabric, nullptr)) return failed("opening it", rc);
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  if (const int rc = fi_domain(fabric, &want, &domain, nullptr)) return failed("opening the device", rc);
  domain_.reset(domain);
  return {};
}

Error Fabric::open_endpoint() {
  endpoint_.reset();
  peers_.reset();
  completions_.reset();
  fi_cq_attr queue{};
  queue.size = 2 * (kReceives + kSends);
  queue.format = FI_CQ_FORMAT_MSG;
  queue.wait_obj = FI_WAIT_FD;
  fid_cq* completions = nullptr;
  int rc = fi_cq_open(domain_.get(), &queue, &completions, nullptr);
  if (rc != 0) {
    queue.wait_obj = FI_WAIT_NONE;
    rc = fi_cq_open(domain_.get(), &queue, &completions, nullptr);
  }
  if (rc != 0) return failed("making a completion queue", rc);
  completions_.reset(completions);
  descriptor_ = -1;
  if (queue.wait_obj == FI_WAIT_FD && fi_control(&completions->fid, FI_GETWAIT, &descriptor_) != 0) descriptor_ = -1;

  fi_av_attr vector{};
  vector.type = FI_AV_TABLE;
  fid_av* peers = nullptr;
  if ((rc = fi_av_open(domain_.get(), &vector, &peers, nullptr)) != 0) return failed("making an address vector", rc);
  peers_.reset(peers);

  fid_ep* endpoint = nullptr;
  if ((rc = fi_endpoint(domain_.get(), choice_.info.get(), &endpoint, nullptr)) != 0)
    return failed("making an endpoint", rc);
  endpoint_.reset(endpoint);
  rc = fi_ep_bind(endpoint, &completions->fid, FI_TRANSMIT | FI_RECV);
  if (rc == 0) rc = fi_ep_bind(endpoint, &peers->fid, 0);
  if (rc == 0) rc = fi_enable(endpoint);
  if (rc != 0) return failed("enabling the endpoint", rc);
  std::byte name[kName];
  std::size_t bytes = sizeof name;
  if ((rc = fi_getname(&endpoint->fid, name, &bytes)) != 0) return failed("asking for the own address", rc);
  name_.assign(name, name + bytes);
  return {};
}

Error Fabric::make_buffers() {
  most_ = std::min(kBuffer, info().ep_attr->max_msg_size);
  // ofi_rxm says nothing when what was injected is lost with its connection, and goes on over a new one.
  if (place_in("ofi_rxm", info().fabric_attr->prov_name) < 0) inject_ = info().tx_attr->inject_size;
  auto memory = os::map_anonymous((kReceives + kSends) * kBuffer);
  if (!memory) return memory.error();
  memory_ = std::move(memory).value();
  if ((info().domain_attr->mr_mode & FI_MR_LOCAL) != 0) {
    fid_mr* registration = nullptr;
    int rc =
        fi_mr_reg(domain_.get(), memory_.data(), memory_.size(), FI_SEND | FI_RECV, 0, kOurKey, 0, &registration, nullptr);
    if (rc != 0) return failed("registering the buffers", rc);
    registration_.reset(registration);
    if ((info().domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
      rc = fi_mr_bind(registration, &endpoint_->fid, 0);
      if (rc == 0) rc = fi_mr_enable(registration);
      if (rc != 0) return failed("binding the buffers", rc);
    }
  }
  receives_.resize(kReceives);
  sends_.resize(kSends);
  std::byte* at = memory_.data();
  for (Slot& slot : receives_) {
    slot.data = at;
    at += kBuffer;
    unposted_.push_back(&slot);
  }
  for (Slot& slot : sends_) {
    slot.data = at;
    at += kBuffer;
    free_.push_back(&slot);
  }
  return {};
}

std::int64_t Fabric::insert(std::span<const std::byte> name, fi_addr_t& number) {
  const int rc = fi_av_insert(peers_.get(), name.data(), 1, &number, 0, nullptr);
  return rc == 1 ? 0 : rc < 0 ? rc : -FI_EADDRNOTAVAIL;
}

void Fabric::remove(fi_addr_t number) { fi_av_remove(peers_.get(), &number, 1, 0); }

std::int64_t Fabric::inject(fi_addr_t to, std::span<const std::byte> bytes) {
  return fi_inject(endpoint_.get(), bytes.data(), bytes.size(), to);
}

Slot* Fabric::take_slot() {
  if (free_.empty()) return nullptr;
  Slot* slot = free_.back();
  free_.pop_back();
  return slot;
}

std::int64_t Fabric::send(fi_addr_t to, Slot& slot, std::size_t bytes) {
  return fi_send(endpoint_.get(), slot.data, bytes, mr_description(), to, &slot.notes);
}

void Fabric::post_receives() {
  while (!unposted_.empty()) {
    Slot& slot = *unposted_.back();
    if (fi_recv(endpoint_.get(), slot.data, kBuffer, mr_description(), FI_ADDR_UNSPEC, &slot.notes) != 0) return;
    unposted_.pop_back();
  }
}

std::int64_t Fabric::completions(std::span<fi_cq_msg_entry> into) {
  return fi_cq_read(completions_.get(), into.data(), into.size());
}

std::int64_t Fabric::error(fi_cq_err_entry& into) {
  into = {};
  return fi_cq_readerr(completions_.get(), &into, 0);
}

std::string Fabric::error_text(const fi_cq_err_entry& error) const {
  char room[128] = "";
  const char* own = fi_cq_strerror(completions_.get(), error.prov_errno, error.err_data, room, sizeof room);
  std::string all = text(-error.err);
  if (own != nullptr && *own != 0 && all != own) all += std::string(" (") + own + ")";
  return all;
}

int Fabric::sleep_on(std::int64_t& at_most_ns) {
  if (descriptor_ < 0) {
    at_most_ns = std::min(at_most_ns, kBlindSleepNs);
    return -1;
  }
  fid* queue = &completions_->fid;
  if (fi_trywait(fabric_.get(), &queue, 1) == 0) return descriptor_;
  at_most_ns = 0;  // something has come meanwhile
  return -1;
}

}  // namespace ompi_lite::btl::ofi
