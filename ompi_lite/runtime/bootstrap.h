// SPDX-License-Identifier: BSD-3-Clause
// How the processes of a job find each other before they can send messages.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/wait.h"

namespace ompi_lite {

// Who this process is in its job.
struct JobInfo {
  std::string name;  // of the job; the same for its processes, unique on their hosts
  int rank = 0;
  int size = 1;
  std::vector<int> local_ranks{0};  // ranks on this node, ascending, this process included
  int app_number = 0;               // which of the program's parts (MPMD)
  bool app_known = false;
  int universe_size = 1;          // 0: not known
  std::vector<int> node_of_rank;  // empty: all on one node
};

// Owned by the Process; used by the thread that initializes or finalizes. Keys and values are ours alone.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual const JobInfo& job() const = 0;
  // Publishes a value; the others can get it after the next fence.
  virtual Error put(std::string_view key, std::span<const std::byte> value) = 0;
  // Returns when every process of the job has called it. Turns nothing: what others may still need must be done.
  virtual Error fence() = 0;
  // A fence that returns at once. When every process has called it, `over` is set and the bell rung, by any thread.
  virtual Error begin_fence(std::atomic<bool>& over, Doorbell& bell) = 0;
  virtual Result<std::vector<std::byte>> get(int rank, std::string_view key) = 0;
  // Tells the launcher that this process ends in good order.
  virtual Error finish() = 0;
  // Ends the whole job.
  [[noreturn]] virtual void abort(int code, const char* why) = 0;
};

// The bootstrap that the environment calls for: PMIx or PMI-1 under a launcher that offers it, else a job of one. An Error if
// the process was started as one of several by something that we cannot talk to.
Result<std::unique_ptr<Bootstrap>> find_bootstrap();

std::unique_ptr<Bootstrap> make_singleton_bootstrap();
Result<std::unique_ptr<Bootstrap>> make_pmix_bootstrap();
Result<std::unique_ptr<Bootstrap>> make_pmi1_bootstrap();

}  // namespace ompi_lite
