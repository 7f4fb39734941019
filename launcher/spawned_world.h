// SPDX-License-Identifier: BSD-3-Clause
// Processes that ranks of the job have started (MPI_Comm_spawn): a world of their own under the same mpirun.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "launcher/crew.h"
#include "launcher/host_setup.h"
#include "launcher/io_forward.h"
#include "launcher/job_spec.h"
#include "launcher/pmix_server.h"
#include "launcher/verdict.h"
#include "launcher/watcher.h"

namespace ompi_lite::launcher {

// The job of a world that is to be spawned, in the surroundings of the rank that asks for it; `parent` is the job of that
// rank. An error as PMIx calls it.
int plan_world(const JobSpec& parent, const SpawnCall& call, int number, JobSpec& spec);

// Lives on the main thread. The ranks of one spawned world, all on mpirun's own host.
class SpawnedWorld final : private CrewOwner {
 public:
  // Its ranks' streams get numbers from `first_stream` on.
  SpawnedWorld(JobSpec spec, int number, int first_stream, PmixServer& server, Watcher& watcher, OutputForwarder& output);
  ~SpawnedWorld();

  // An error as PMIx calls it; then whatever has been started already is ended, and its end means nothing.
  int start(const Machine& machine);

  const JobSpec& spec() const { return *spec_; }
  int number() const { return number_; }
  Crew& crew() { return crew_; }
  const Crew& crew() const { return crew_; }
  Verdict& verdict() { return verdict_; }
  bool counts() const { return !failed_; }
  bool over() const { return !crew_.any_running() && (!crew_.ending() || !crew_.any_left()); }

 private:
  void on_started(int rank, pid_t pid) override;
  void on_output(int rank, int fd, OutputForwarder::Channel channel) override;
  void on_input(int rank, int fd) override;
  void on_last_words(int rank) override;
  void on_event(const RankEvent& event, pid_t pid) override;
  void on_end(const RankEnd& end, bool aborted) override;

  std::unique_ptr<JobSpec> spec_;  // the crew points to it
  int number_;
  int first_stream_;
  PmixServer& server_;
  OutputForwarder& output_;
  Verdict verdict_;
  Crew crew_;
  bool registered_ = false;
  bool failed_ = false;
};

}  // namespace ompi_lite::launcher
