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

class Blocking;

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

// Processes of one program that are to be started: MPI_Comm_spawn.
struct SpawnedProgram {
  std::string command;
  std::vector<std::string> arguments;  // without the command
  int processes = 0;
  std::string folder;                    // to run in; empty: the launcher's
  std::string search_path;               // for the command; empty: the launcher's
  std::string host;                      // empty: any
  std::vector<std::string> environment;  // NAME=VALUE, on top of what this process was given
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
  // Starts a world of its own; returns when its processes have been started, turning progress meanwhile. An Error of class
  // spawn if one cannot be: then none is left.
  virtual Error spawn(std::span<const SpawnedProgram>, Blocking&) {
    return Error(ErrorClass::spawn, "the launcher of this job starts no processes while it runs");
  }
  // Whether what was spawned has ended before it has come to this process. Under a launcher that ends the job then: never.
  virtual Error trouble_of_spawned() { return {}; }
  // The names of ports that all worlds of the launcher can look up.
  virtual Error publish(const std::string&, const std::string&) {
    return Error(ErrorClass::service, "the launcher of this job keeps no names");
  }
  virtual Error unpublish(const std::string&) {
    return Error(ErrorClass::service, "the launcher of this job keeps no names");
  }
  virtual Result<std::string> look_up(const std::string&) {
    return Error(ErrorClass::name, "the launcher of this job keeps no names");
  }
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
