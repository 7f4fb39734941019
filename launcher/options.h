// SPDX-License-Identifier: BSD-3-Clause
// The command line of mpirun: one table of options in the spellings that users of Open MPI and MPICH type.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/failure.h"

namespace ompi_lite::launcher {

// One change to the environment of ranks; without a value the launcher's own value is handed over.
struct EnvChange {
  std::string name;
  std::optional<std::string> value;
};

// What the environment of ranks starts from, before changes.
enum class EnvBase { all, none, listed };

struct EnvPlan {
  EnvBase base = EnvBase::all;
  std::vector<std::string> listed;
  std::vector<EnvChange> changes;
};

// One program of the job: `-n 2 -x A=1 prog arg` between two colons.
struct App {
  int ranks = 0;  // 0: not given
  std::vector<std::string> argv;
  std::string working_folder;
  EnvPlan env;
};

enum class BindTo { automatic, none, hwthread, core, socket, numa };
enum class MapBy { core, hwthread, socket, numa };  // on one host
enum class HostMap { slot, node, fixed };           // over hosts; fixed: ppr:N:node
enum class RankBy { as_mapped, slot, node };

struct StdinTarget {
  bool all = false;
  int rank = 0;  // -1: nobody
};

struct Setting {
  std::string name;
  std::string value;
};

struct Options {
  std::vector<App> apps;
  EnvPlan all_apps_env;            // -genv and its kin: for every app, under the app's own
  std::vector<std::string> hosts;  // words of --host, still unparsed: "name" or "name:slots"
  std::string host_file;
  std::string rank_file;
  BindTo bind_to = BindTo::automatic;
  MapBy map_by = MapBy::core;
  HostMap host_map = HostMap::slot;
  int ranks_on_node = 0;  // of HostMap::fixed
  RankBy rank_by = RankBy::as_mapped;
  int ranks_per_host = 0;  // -ppn; 0: not given
  int default_slots = 0;   // of hosts without a number; 0: 1
  bool no_oversubscribe = false;
  std::string agent;            // what is run in place of ssh
  std::string agent_arguments;  // behind the agent's own words
  std::string launch_agent;     // what is run on other hosts in place of our daemon
  std::string prefix;           // where the installation is on other hosts
  StdinTarget stdin_target;
  bool tag_output = false;
  bool report_bindings = false;
  bool display_map = false;
  bool dry_run = false;  // --do-not-launch
  bool quiet = false;
  bool verbose = false;
  bool stack_traces = false;
  bool allow_other_mpi = false;
  std::string output_name;
  double timeout_seconds = 0;      // 0: none
  double report_hang_seconds = 0;  // 0: not asked for
  std::vector<Setting> settings;
  std::vector<std::string> notices;  // options that were accepted without a meaning, one sentence each
};

// What the command line asks for besides running a job.
enum class Request { run, help, version };

struct Parsed {
  Request request = Request::run;
  Options options;
};

// Reads the words after the program's name.
MaybeFailure parse_command_line(std::span<const std::string> words, Parsed& parsed);

// The help text of --help, made from the table.
std::string help_text();

// Seconds as a positive decimal number; `what` names the option or variable in the sentence.
MaybeFailure parse_seconds(std::string_view what, std::string_view text, double& seconds);

}  // namespace ompi_lite::launcher
