// SPDX-License-Identifier: BSD-3-Clause
// Process: everything that one rank owns.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "btl/btl.h"
#include "ompi_lite/base/blocking.h"
#include "ompi_lite/base/machine.h"
#include "ompi_lite/base/progress.h"
#include "ompi_lite/base/segment.h"
#include "ompi_lite/base/wait.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/context_id.h"
#include "ompi_lite/runtime/bootstrap.h"
#include "ompi_lite/runtime/flight_recorder.h"
#include "ompi_lite/runtime/worlds.h"
#include "pml/pml.h"

namespace ompi_lite {

// The object graph of one rank, in construction order; destroyed in reverse. There is no other mutable global, so a test can
// have several in one address space. Made and destroyed by one thread; in between guarded by the lock that it is given.
class Process final : private pml::AddressBook {
 public:
  // `lock` outlives the Process.
  static Result<std::unique_ptr<Process>> start(std::unique_ptr<Bootstrap> bootstrap, ProcessLock& lock);
  ~Process();

  // Lets everything leave that is on its way, waits for the others where that is needed, says goodbye to the launcher.
  // Nothing can come or complete after it.
  Error finish();
  [[noreturn]] void abort(int code, const char* why);

  const JobInfo& job() const { return bootstrap_->job(); }
  Bootstrap& bootstrap() { return *bootstrap_; }
  flight::Recorder* recorder() { return record_.recorder(); }  // null: calls are not recorded
  Segment* segment() { return segment_ ? &*segment_ : nullptr; }
  Blocking& blocking() { return *blocking_; }
  pml::Pml& pml() { return *pml_; }
  CommunicatorHome& home() { return home_; }
  Communicator& world() { return *world_; }
  Communicator& self() { return *self_; }
  Worlds& worlds() { return *worlds_; }
  // The transport to processes that share no memory with this one; made when it is needed first. Null until then.
  btl::Transport* network();
  Error open_network();
  // By which the ranks of this world choose among algorithms: the same at all of them.
  const MachineNumbers& numbers();

 private:
  explicit Process(std::unique_ptr<Bootstrap> bootstrap) : bootstrap_(std::move(bootstrap)) {}
  Error open_segment();
  Error open_transports();
  btl::Setup describe();
  void poll(btl::Transport& transport);
  void make_communicators();
  Error settle();
  Result<std::vector<std::byte>> address(PeerId peer, const btl::Transport& transport) override;

  std::unique_ptr<Bootstrap> bootstrap_;
  std::optional<Segment> segment_;  // none for a rank that is alone on its node
  Doorbell own_bell_{};             // ... which then sleeps on this
  FlightRecord record_;
  std::optional<Waiter> waiter_;
  std::atomic<bool> all_finalize_{false};
  Progress progress_;
  std::optional<Blocking> blocking_;
  std::vector<PeerId> local_peers_;
  Secret job_secret_{};  // known to the processes of the job alone
  std::optional<Worlds> worlds_;
  struct TransportPoller {
    btl::Transport* transport;
    pml::Pml* pml;
    static bool poll(void* context) {
      auto& self = *static_cast<TransportPoller*>(context);
      return self.transport->progress(*self.pml);
    }
  };

  std::vector<std::unique_ptr<btl::Transport>> transports_;
  bool addresses_published_ = false;
  std::optional<pml::Pml> pml_;
  std::list<TransportPoller> transport_pollers_;  // they must not move
  std::optional<ContextIds> context_ids_;
  CommunicatorHome home_;
  std::optional<MachineNumbers> numbers_;  // from when a collective first asks
  Communicator* world_ = nullptr;
  Communicator* self_ = nullptr;
};

}  // namespace ompi_lite
