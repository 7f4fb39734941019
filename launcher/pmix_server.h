// SPDX-License-Identifier: BSD-3-Clause
// The OpenPMIx server inside mpirun and each daemon: how ranks meet each other and how we learn what they are doing.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "launcher/environment.h"
#include "launcher/failure.h"
#include "launcher/job_spec.h"
#include "launcher/placement.h"

struct hwloc_topology;

namespace ompi_lite::launcher {

// What a rank told the server.
enum class RankNews { connected, finalized, aborted };

struct RankEvent {
  RankNews news{};
  int rank = 0;
  int abort_code = 0;
  std::string abort_text;
  int world = 0;  // that the rank is of: 0, or the number of a spawned one
};

// A rank wants to start processes.
struct SpawnedApp {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // NAME=VALUE, on top of the rank's
  std::string folder;
  std::string search_path;
  std::string hosts;
  int processes = 0;
};
struct SpawnCall {
  int world = 0;
  int rank = 0;
  std::vector<SpawnedApp> apps;
  std::uint64_t ticket = 0;
  std::string job = {};          // name of the first world's
  std::string output_name = {};  // of the job
};

// All participants on this host have come to a fence (or to PMIx_Connect and its kin); those on other hosts have to as well.
struct FenceCall {
  std::string key;         // the same on every host that takes part, and nowhere else
  std::vector<int> ranks;  // empty: all
  std::string data;
  std::uint64_t ticket = 0;
};

// What a rank of another host has published is asked for.
struct FetchCall {
  int rank = 0;
  std::uint64_t ticket = 0;
};

// The answer to fetch().
struct Fetched {
  std::uint64_t ticket = 0;
  bool good = false;
  std::string data;
};

using ServerEvent = std::variant<RankEvent, FenceCall, FetchCall, Fetched, SpawnCall>;

// One for the process: OpenPMIx keeps its state in globals. Its call-backs come on PMIx's own thread; they only put an event
// into the queue and wake the owner's loop by event_fd(). All functions are called from the main thread.
class PmixServer {
 public:
  PmixServer() = default;
  ~PmixServer();
  PmixServer(const PmixServer&) = delete;
  PmixServer& operator=(const PmixServer&) = delete;

  // Call with all signals blocked, so that PMIx's threads take none. Serves the ranks of one host of the job. The spec must
  // stay.
  MaybeFailure start(const JobSpec& job, int host, const Placement& placement, hwloc_topology* topology);
  // Adds what a rank's PMIx client needs to find us.
  MaybeFailure add_to_environment(const std::string& job, int rank, Environment& environment);
  // Worlds that are spawned: `world` has a name that begins with the job's.
  MaybeFailure add_world(const JobSpec& world, const Placement& placement);
  void remove_world(const std::string& name);
  // `status` as PMIx has it.
  void finish_spawn(std::uint64_t ticket, int status);
  // Readable when events wait.
  int event_fd() const { return event_fd_; }
  std::vector<ServerEvent> take_events();
  // Ends a fence: `data` is what the participants of all hosts have brought.
  void finish_fence(std::uint64_t ticket, bool good, const std::string& data);
  void finish_fetch(std::uint64_t ticket, bool good, const std::string& data);
  // What a rank of this host has published; answered by an event, as soon as the rank has.
  void fetch(int rank, std::uint64_t ticket);
  void stop();

  // For the call-backs.
  void post(ServerEvent event);
  const JobSpec& job() const { return *job_; }
  int host() const { return host_; }

 private:
  MaybeFailure register_job(const JobSpec& job, int host, const Placement& placement);
  bool running_ = false;
  int event_fd_ = -1;
  const JobSpec* job_ = nullptr;
  int host_ = 0;
  std::mutex mutex_;
  std::vector<ServerEvent> events_;  // guarded by mutex_
};

}  // namespace ompi_lite::launcher
