// SPDX-License-Identifier: BSD-3-Clause
// The OpenPMIx server inside mpirun: how ranks meet each other and how we learn what they are doing.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "launcher/environment.h"
#include "launcher/failure.h"

struct hwloc_topology;

namespace ompi_lite::launcher {

// What a rank told the server.
enum class RankNews { connected, finalized, aborted };

struct RankEvent {
  RankNews news;
  int rank;
  int abort_code = 0;
  std::string abort_text;
};

// What the server tells the ranks about their job.
struct JobDescription {
  std::string host_name;
  int universe_size = 1;
  std::vector<int> app_of_rank;                // also gives the size
  std::vector<std::string> commands;           // one an app, for PMIX_APP_ARGV
  std::vector<std::vector<int>> cpus_of_rank;  // empty lists: not bound
};

// One for the process: OpenPMIx keeps its state in globals. Its call-backs come on PMIx's own thread; they only put an event
// into the queue and wake the owner's loop by event_fd(). All functions are called from the main thread.
class PmixServer {
 public:
  PmixServer() = default;
  ~PmixServer();
  PmixServer(const PmixServer&) = delete;
  PmixServer& operator=(const PmixServer&) = delete;

  // Call with all signals blocked, so that PMIx's threads take none.
  MaybeFailure start(const JobDescription& job, hwloc_topology* topology);
  const std::string& job_name() const { return job_name_; }
  // Adds what a rank's PMIx client needs to find us.
  MaybeFailure add_to_environment(int rank, Environment& environment);
  // Readable when events wait.
  int event_fd() const { return event_fd_; }
  std::vector<RankEvent> take_events();
  void stop();

  // For the call-backs.
  void post(RankEvent event);

 private:
  MaybeFailure register_job(const JobDescription& job);
  bool running_ = false;
  int event_fd_ = -1;
  std::string job_name_;
  std::mutex mutex_;
  std::vector<RankEvent> events_;  // guarded by mutex_
};

}  // namespace ompi_lite::launcher
