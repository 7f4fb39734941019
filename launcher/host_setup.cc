// SPDX-License-Identifier: BSD-3-Clause
// Finds programs and places ranks on one host.
#include "launcher/host_setup.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "launcher/rank_file.h"
#include "ompi_lite/config.h"

namespace ompi_lite::launcher {
namespace {

MaybeFailure check_folder(const std::string& folder, const std::string& host) {
  struct stat status;
  if (folder.empty()) return std::nullopt;
  const std::string where = "working folder " + folder + " on host " + host;
  if (stat(folder.c_str(), &status) != 0) return Failure{where + ": " + std::strerror(errno), ExitCode::failure};
  if (!S_ISDIR(status.st_mode)) return Failure{where + " is not a folder", ExitCode::failure};
  return std::nullopt;
}

// Ranks of a program that is linked with another MPI would not find each other: each would be alone, and compute all.
MaybeFailure check_library(const JobSpec& spec, const std::string& host, const AppSpec& app, const Program& program) {
  if (spec.allow_other_mpi || spec.size() < 2 || program.other_mpi.empty()) return std::nullopt;
  return Failure{"cannot start " + app.argv[0] + " on host " + host + ": it is linked with " + program.other_mpi +
                     ", so its ranks would not find each other; compile it with the mpicc of " PACKAGE_NAME
                     ", start it with that MPI's own mpirun, or say --allow-other-mpi",
                 ExitCode::not_executable};
}

MaybeFailure find_app(const JobSpec& spec, const std::string& host, const AppSpec& app, Program& program) {
  if (MaybeFailure failure = check_folder(app.working_folder, host)) return failure;
  const char* path = app.environment.get("PATH");
  std::string searched = path == nullptr ? spec.search_path : path;
  if (!app.search_first.empty()) searched = app.search_first + ":" + searched;
  if (MaybeFailure failure = find_program(app.argv, app.working_folder, searched, program)) return failure;
  return check_library(spec, host, app, program);
}

MaybeFailure place_by_rank_file(const JobSpec& spec, const std::vector<int>& ranks, const std::string& host,
                                const Machine& machine, Placement& placement) {
  for (const int rank : ranks) {
    std::vector<int>& cpus = placement.cpus_of_rank.emplace_back();
    const std::string& slots = spec.rank_slots[static_cast<std::size_t>(rank)];
    if (slots.empty()) continue;
    if (const std::string problem = find_cpus(slots, machine.cpus(), cpus); !problem.empty())
      return Failure{spec.rank_file + ": rank " + std::to_string(rank) + " on host " + host + ": " + problem,
                     ExitCode::failure};
    placement.bound_to = BindTo::core;
  }
  return std::nullopt;
}

}  // namespace

// Each rank holds two pipes and a connection of ours open; better to say so than to stop in the middle of starting them.
MaybeFailure check_descriptors(std::int64_t ranks, const std::string& host) {
  constexpr std::int64_t kOfRank = 3, kOwn = 64;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) limit.rlim_cur = 1 << 30;
  const auto most = (static_cast<std::int64_t>(limit.rlim_cur) - kOwn) / kOfRank;
  if (ranks <= most) return std::nullopt;
  return Failure{"cannot start " + std::to_string(ranks) + " ranks on host " + host + ": a launcher may open " +
                     std::to_string(limit.rlim_cur) + " files (ulimit -n), which is enough for " +
                     std::to_string(std::max<std::int64_t>(most, 0)) + " ranks",
                 ExitCode::failure};
}

MaybeFailure set_up_host(const JobSpec& spec, int host, const Machine& machine, HostSetup& setup) {
  const std::vector<int> ranks = spec.ranks_of(host);
  const std::string& name = spec.hosts[static_cast<std::size_t>(host)];
  HostSetup result;
  result.programs.resize(spec.apps.size());
  bool threads = false;
  for (std::size_t app = 0; app < spec.apps.size(); ++app) {
    const bool here = std::ranges::any_of(
        ranks, [&](int rank) { return spec.app_of_rank[static_cast<std::size_t>(rank)] == static_cast<int>(app); });
    if (!here) continue;
    if (MaybeFailure failure = find_app(spec, name, spec.apps[app], result.programs[app])) return failure;
    const char* wanted = spec.apps[app].environment.get("OMP_NUM_THREADS");
    threads = threads || (wanted != nullptr && std::strcmp(wanted, "1") != 0);
  }
  if (MaybeFailure failure = check_descriptors(static_cast<std::int64_t>(ranks.size()), name)) return failure;
  const auto count = static_cast<int>(ranks.size());
  if (!spec.rank_slots.empty()) {
    if (MaybeFailure failure = place_by_rank_file(spec, ranks, name, machine, result.placement)) return failure;
    setup = std::move(result);
    return std::nullopt;
  }
  BindTo bind_to = spec.bind_to;
  if (bind_to == BindTo::automatic) bind_to = decide_binding(machine, count, threads);
  result.placement = place_ranks(machine.cpus(), count, bind_to, spec.map_by);
  setup = std::move(result);
  return std::nullopt;
}

std::vector<std::string> binding_lines(const JobSpec& spec, int host, const HostSetup& setup) {
  std::vector<std::string> lines;
  const std::vector<int> ranks = spec.ranks_of(host);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::vector<int>& cpus = setup.placement.cpus_of_rank[i];
    lines.push_back("rank " + std::to_string(ranks[i]) + " on " + spec.hosts[static_cast<std::size_t>(host)] + ": " +
                    (cpus.empty() ? "not bound" : "bound to CPU " + cpu_list_text(cpus)));
  }
  return lines;
}

}  // namespace ompi_lite::launcher
