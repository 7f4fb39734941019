// SPDX-License-Identifier: BSD-3-Clause
// One endpoint of libfabric with its queue of completions and its buffers: bytes go in and come out, peers are numbers.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "btl/btl.h"
#include "btl/ofi/provider.h"
#include "ompi_lite/base/os.h"

namespace ompi_lite::btl::ofi {

inline constexpr std::size_t kBuffer = 64 << 10;  // bytes that go out or come in at once, at most

struct Peer;

// A buffer. What a completion names: libfabric keeps its notes at the front while it has the buffer.
struct Slot {
  fi_context2 notes{};
  std::byte* data = nullptr;
  Peer* peer = nullptr;  // of what goes out; null: comes in
  bool greeting = false;
};

struct CloseFid {
  template <class Fid>
  void operator()(Fid* object) const {
    fi_close(&object->fid);
  }
};
template <class Fid>
using Owned = std::unique_ptr<Fid, CloseFid>;

// Owned by the transport, one thread at a time but for sleep_on(). Everything that is received lands in buffers as large as
// what is sent, so nothing is ever cut: that is an error after which some providers' endpoints are useless.
class Fabric {
 public:
  static Result<std::unique_ptr<Fabric>> open(const Library& library, Choice choice, const tcp::PortRange& ports, int self);
  ~Fabric();

  const fi_info& info() const { return *choice_.info; }
  const Library& library() const { return library_; }
  bool sockets() const { return choice_.sockets; }
  std::span<const std::byte> name() const { return name_; }  // our address
  std::size_t most() const { return most_; }                 // bytes of one message
  std::string text(std::int64_t rc) const { return library_.text(rc); }

  // The peer's number, or below 0 why there is none.
  std::int64_t insert(std::span<const std::byte> name, fi_addr_t& number);
  void remove(fi_addr_t number);

  // Small enough to be sent from where it lies: 0, or below 0 why not (-FI_EAGAIN: later).
  bool fits_inject(std::size_t bytes) const { return bytes <= inject_; }
  std::int64_t inject(fi_addr_t to, std::span<const std::byte> bytes);
  Slot* take_slot();  // null: all are out
  void give_back(Slot& slot) { free_.push_back(&slot); }
  std::size_t slots_out() const { return kSends - free_.size(); }
  std::int64_t send(fi_addr_t to, Slot& slot, std::size_t bytes);  // the slot comes back by a completion

  void post_receives();
  void receive_again(Slot& slot) { unposted_.push_back(&slot); }
  // Some of what has happened: how many, -FI_EAGAIN for nothing, -FI_EAVAIL: ask for the error.
  std::int64_t completions(std::span<fi_cq_msg_entry> into);
  std::int64_t error(fi_cq_err_entry& into);
  std::string error_text(const fi_cq_err_entry& error) const;

  // As PollSet::descriptor; any thread.
  int sleep_on(std::int64_t& at_most_ns);

 private:
  static constexpr std::size_t kReceives = 64, kSends = 64;
  Fabric(const Library& library, Choice choice) : library_(library), choice_(std::move(choice)) {}
  Error open_domain();
  Error open_endpoint();
  Error make_buffers();
  void* mr_description() const { return registration_ ? fi_mr_desc(registration_.get()) : nullptr; }
  Error failed(const char* what, std::int64_t rc) const;

  Library library_;
  Choice choice_;
  os::Mapping memory_;
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_mr> registration_;
  Owned<fid_cq> completions_;
  Owned<fid_av> peers_;
  Owned<fid_ep> endpoint_;
  int descriptor_ = -1;
  std::size_t most_ = kBuffer, inject_ = 0;
  std::vector<std::byte> name_;
  std::vector<Slot> receives_, sends_;
  std::vector<Slot*> free_, unposted_;
};

}  // namespace ompi_lite::btl::ofi
