// SPDX-License-Identifier: BSD-3-Clause
// Plans, starts and watches a spawned world.
#include "launcher/spawned_world.h"

#include <pmix_common.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "launcher/hosts.h"

namespace ompi_lite::launcher {
namespace {

bool is_here(std::string_view hosts) {
  while (!hosts.empty()) {
    const std::size_t comma = hosts.find(',');
    std::vector<Host> named;
    if (parse_host_word(hosts.substr(0, comma), named) || named.empty() || !is_this_machine(named.front().name))
      return false;
    hosts.remove_prefix(comma == std::string_view::npos ? hosts.size() : comma + 1);
  }
  return true;
}

bool is_folder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

int pmix_code(const Failure& failure) {
  if (failure.code == ExitCode::not_found) return PMIX_ERR_JOB_EXE_NOT_FOUND;
  if (failure.code == ExitCode::not_executable) return PMIX_ERR_EXE_NOT_ACCESSIBLE;
  return PMIX_ERR_JOB_FAILED_TO_LAUNCH;
}

// Who was chosen by the info of the spawn that made the parent, not for its children.
constexpr std::array of_parent_alone{"OMPI_LITE_PARENT_PORT", "OMPI_LITE_APPNUM", "OMPI_LITE_INITIAL_ERRHANDLER"};

}  // namespace

int plan_world(const JobSpec& parent, const SpawnCall& call, int number, JobSpec& spec) {
  spec = parent;
  spec.name = call.job + "." + std::to_string(number);
  spec.spawned = number;
  spec.bind_to = BindTo::none;  // the cores are taken, by those who wait for it
  spec.stdin_target.all = false;
  spec.stdin_target.rank = -1;
  if (!spec.output_name.empty()) spec.output_name = call.output_name + ".world" + std::to_string(number);
  spec.apps.clear();
  spec.app_of_rank.clear();
  const auto asking = static_cast<std::size_t>(parent.app_of_rank[static_cast<std::size_t>(call.rank)]);
  for (const SpawnedApp& app : call.apps) {
    if (!is_here(app.hosts)) return PMIX_ERR_NOT_FOUND;
    AppSpec planned = parent.apps[asking];
    planned.argv = app.argv;
    planned.search_first = app.search_path;
    if (!app.folder.empty()) {
      if (!is_folder(app.folder)) return PMIX_ERR_JOB_WDIR_NOT_FOUND;
      planned.working_folder = app.folder;
    }
    for (const char* name : of_parent_alone) planned.environment.unset(name);
    for (const std::string& entry : app.environment) {
      const std::size_t equals = entry.find('=');
      if (equals != std::string::npos)
        planned.environment.set(std::string_view(entry).substr(0, equals), std::string_view(entry).substr(equals + 1));
    }
    planned.environment.set("OMPI_LITE_APP_SIZE", std::to_string(app.processes));
    spec.app_of_rank.insert(spec.app_of_rank.end(), static_cast<std::size_t>(std::max(app.processes, 0)),
                            static_cast<int>(spec.apps.size()));
    spec.apps.push_back(std::move(planned));
  }
  spec.host_of_rank.assign(spec.app_of_rank.size(), 0);
  spec.universe_size = std::max(spec.universe_size, 2 * spec.size());  // room for as many again, as in the first world
  return spec.size() > 0 ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;
}

SpawnedWorld::SpawnedWorld(JobSpec spec, int number, int first_stream, PmixServer& server, Watcher& watcher,
                           OutputForwarder& output)
    : spec_(std::make_unique<JobSpec>(std::move(spec))),
      number_(number),
      first_stream_(first_stream),
      server_(server),
      output_(output),
      verdict_(spec_->hosts, spec_->host_of_rank, " of spawned world " + std::to_string(number)),
      crew_(*spec_, 0, server, watcher, *this) {
  verdict_.awaited();
}

SpawnedWorld::~SpawnedWorld() {
  if (registered_) server_.remove_world(spec_->name);
}

int SpawnedWorld::start(const Machine& machine) {
  HostSetup setup;
  MaybeFailure failure = set_up_host(*spec_, 0, machine, setup);
  if (!failure) {
    failure = server_.add_world(*spec_, setup.placement);
    registered_ = !failure;
  }
  if (!failure) failure = crew_.start(setup);
  if (!failure) return PMIX_SUCCESS;
  failed_ = true;
  crew_.begin_ending(SIGKILL);
  return pmix_code(*failure);
}

void SpawnedWorld::on_started(int rank, pid_t pid) {
  if (!spec_->verbose) return;
  output_.say("mpirun: rank " + std::to_string(rank) + " of spawned world " + std::to_string(number_) + " has pid " +
              std::to_string(pid));
}

void SpawnedWorld::on_output(int rank, int fd, OutputForwarder::Channel channel) {
  output_.add_stream(first_stream_ + rank, fd, channel, std::to_string(number_) + ":" + std::to_string(rank));
}

void SpawnedWorld::on_input(int, int fd) { close(fd); }  // nobody reads stdin there

void SpawnedWorld::on_last_words(int rank) { output_.drain_rank(first_stream_ + rank); }

void SpawnedWorld::on_event(const RankEvent& event, pid_t pid) {
  if (event.news == RankNews::connected) verdict_.connected(event.rank);
  if (event.news == RankNews::aborted) verdict_.aborted(event.rank, pid, event.abort_code, event.abort_text);
}

void SpawnedWorld::on_end(const RankEnd& end, bool aborted) {
  if (!aborted) verdict_.ended(end);
}

}  // namespace ompi_lite::launcher
