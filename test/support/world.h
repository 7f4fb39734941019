// SPDX-License-Identifier: BSD-3-Clause
// Several ranks in one test process: a thread each, over btl/loopback with whatever faults the test wants.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "btl/loopback/transport.h"
#include "ompi_lite/base/blocking.h"
#include "ompi_lite/base/segment.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/context_id.h"
#include "ompi_lite/core/datatype.h"
#include "pml/pml.h"

namespace ompi_lite::test {

// One rank: what a Process owns, without bootstrap and machine. Used by one thread.
class Rank final : private pml::AddressBook {
 public:
  Rank(btl::loopback::Network& network, int rank, int size, bool several_threads);
  ~Rank();

  int rank() const { return rank_; }
  int size() const { return size_; }
  pml::Pml& pml() { return *pml_; }
  Communicator& comm() { return *comm_; }
  Communicator* make_comm(ContextId id);  // over the same ranks; release() it
  void share(Segment& memory);  // all ranks are on one node, which has this memory; it outlives the rank's use of it
  ProcessLock& lock() { return lock_; }
  Blocking& blocking() { return blocking_; }

  // Catch2 knows one thread only, so ranks collect what went wrong.
  void check(bool good, const char* what, long long a = 0, long long b = 0);
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  Result<std::vector<std::byte>> address(PeerId peer, const btl::Transport& transport) override;

  int rank_, size_;
  Doorbell bell_{};
  Waiter waiter_;
  Progress progress_;
  ProcessLock lock_;
  Blocking blocking_;
  std::vector<std::unique_ptr<btl::Transport>> transports_;
  std::unique_ptr<pml::Pml> pml_;
  ContextIds context_ids_;
  CommunicatorHome home_;
  Communicator* comm_ = nullptr;
  std::mutex complaints_mutex_;
  std::vector<std::string> complaints_;
};

// Runs the body once per rank, at the same time, and gives all complaints; empty means that all went well.
// `several_threads`: the ranks' process locks are on.
std::string run_ranks(int size, const btl::loopback::Faults& faults, const std::function<void(Rank&)>& body,
                      bool several_threads = false);

inline Buffer bytes_of(const void* data, Count bytes) { return {data, bytes, &datatype_of(MPI_BYTE)}; }

}  // namespace ompi_lite::test
