// SPDX-License-Identifier: BSD-3-Clause
// The job as it was decided before anything is started: what every host has to know to run its part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/environment.h"
#include "launcher/options.h"

namespace ompi_lite::launcher {

struct AppSpec {
  std::vector<std::string> argv;
  std::string working_folder;  // empty: the launcher's own
  Environment environment;
  bool gets_all = true;                 // variables, and not only those that the user lists
  std::vector<std::string> named = {};  // variables that the user has named; they travel whatever they are
  std::string search_first = {};        // folders to look for the program in before those of PATH; of spawned worlds
};

// Made by mpirun; each daemon gets a copy (job_message.h). Hosts go by number: 0 is mpirun's own, with ranks or without,
// then come the others, each with ranks.
struct JobSpec {
  std::string name;    // of the job, unique on every host
  std::string secret;  // 32 hexadecimal digits
  std::vector<std::string> hosts;
  std::vector<AppSpec> apps;
  std::vector<int> app_of_rank;
  std::vector<int> host_of_rank;
  int universe_size = 1;
  std::string folder;       // in which mpirun was started
  std::string search_path;  // for programs, where the ranks have no PATH
  BindTo bind_to = BindTo::automatic;
  MapBy map_by = MapBy::core;
  std::string rank_file;                // where the slots of ranks come from, for messages
  std::vector<std::string> rank_slots;  // of each rank, as rank_file.h has them; empty without a rank file
  StdinTarget stdin_target;
  std::string output_name;
  double report_hang_seconds = 0;
  bool report_bindings = false;
  bool allow_other_mpi = false;
  bool verbose = false;
  int spawned = 0;     // number of the world that ranks have spawned; 0: the first one, which mpirun was asked for
  int most_ranks = 0;  // that may run at the same time; 0: any number
  // How daemons start daemons.
  std::vector<std::string> agent;       // words before the name of the host
  std::vector<std::string> agent_tail;  // words between it and the command
  std::string daemon;                   // the command on the host, as its shell reads it
  int fan_out = 1;
  double start_seconds = 0;   // until a host must have answered
  double silent_seconds = 0;  // after which a host that says nothing is lost; 0: never

  int size() const { return static_cast<int>(app_of_rank.size()); }
  std::vector<int> ranks_of(int host) const {
    std::vector<int> ranks;
    for (int rank = 0; rank < size(); ++rank) {
      if (host_of_rank[static_cast<std::size_t>(rank)] == host) ranks.push_back(rank);
    }
    return ranks;
  }
  const std::string& host_of(int rank) const {
    return hosts[static_cast<std::size_t>(host_of_rank[static_cast<std::size_t>(rank)])];
  }
};

}  // namespace ompi_lite::launcher
