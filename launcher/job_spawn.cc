// SPDX-License-Identifier: BSD-3-Clause
// What mpirun does about worlds that ranks spawn.
#include <pmix_common.h>
#include <signal.h>

#include <algorithm>

#include "launcher/job.h"

namespace ompi_lite::launcher {

const JobSpec* Job::spec_of_world(int number) const {
  if (number == 0) return &spec_;
  const auto found = std::ranges::find_if(worlds_, [&](const auto& world) { return world->number() == number; });
  return found == worlds_.end() ? nullptr : &(*found)->spec();
}

int Job::start_world(SpawnCall& call) {
  const JobSpec* parent = spec_of_world(call.world);
  if (parent == nullptr || ending_ || hosts_.size() > 1) return PMIX_ERR_NOT_SUPPORTED;
  call.job = spec_.name;
  call.output_name = spec_.output_name;
  JobSpec spec;
  const int number = ++last_world_;
  if (const int problem = plan_world(*parent, call, number, spec); problem != PMIX_SUCCESS) return problem;
  int running = 0;
  for (const Rank& rank : ranks_) running += rank.running ? 1 : 0;
  for (const auto& world : worlds_) running += world->spec().size();
  if (spec.most_ranks > 0 && running + spec.size() > spec.most_ranks) return PMIX_ERR_OUT_OF_RESOURCE;
  const int first_stream = next_stream_;
  next_stream_ += spec.size();
  worlds_.push_back(std::make_unique<SpawnedWorld>(std::move(spec), number, first_stream, server_, watcher_, output_));
  return worlds_.back()->start(*options_.machine);
}

void Job::spawn(SpawnCall call) {
  const int status = start_world(call);
  server_.finish_spawn(call.ticket, status);
}

void Job::hand_to_world(const RankEvent& event) {
  for (const auto& world : worlds_)
    if (world->number() == event.world) world->crew().handle_event(event);
}

bool Job::reaped_in_world(pid_t pid, int status) {
  return std::ranges::any_of(worlds_, [&](const auto& world) { return world->crew().reaped(pid, status); });
}

// What the ends of their ranks mean for the whole, and whose last rank has gone.
void Job::look_after_worlds() {
  for (const auto& world : worlds_) {
    Verdict& verdict = world->verdict();
    std::vector<std::string> messages = verdict.take_messages();
    if (!world->counts() || (messages.empty() && verdict.exit_code() == 0)) continue;
    verdict_.of_other_world(verdict.exit_code(), std::move(messages), verdict.must_end_job());
  }
  if (verdict_.must_end_job()) begin_ending(SIGTERM);
  std::erase_if(worlds_, [](const auto& world) { return world->over(); });
}

}  // namespace ompi_lite::launcher
