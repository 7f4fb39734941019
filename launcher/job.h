// SPDX-License-Identifier: BSD-3-Clause
// A running job: the ranks of all hosts, the loop that serves them, and the way it ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/branches.h"
#include "launcher/crew.h"
#include "launcher/exchange.h"
#include "launcher/host_setup.h"
#include "launcher/io_forward.h"
#include "launcher/job_spec.h"
#include "launcher/pmix_server.h"
#include "launcher/spawned_world.h"
#include "launcher/verdict.h"
#include "launcher/watcher.h"

namespace ompi_lite::launcher {

// What concerns mpirun alone.
struct JobOptions {
  bool tag_output = false;
  bool stack_traces = false;
  double timeout_seconds = 0;  // 0: none
  int signal_fd = -1;
  const Machine* machine = nullptr;  // mpirun's own host
};

// Lives on the main thread, which does all the work but PMIx's own. With one host nothing but a crew is at work; the others
// are reached through the branches.
class Job final : private CrewOwner, private Router {
 public:
  // The spec and the server outlive it. The server is not started where mpirun's own host has no ranks.
  Job(const JobSpec& spec, const JobOptions& options, HostSetup setup, PmixServer& server, Watcher& watcher);
  // Starts the ranks and stays until they are gone and all that they wrote is out. Returns the exit code.
  int run();

 private:
  // What is known of the ranks of all hosts, and of the hosts.
  struct Rank {
    pid_t pid = -1;
    bool running = false;
  };
  struct RemoteHost {
    bool ready = false;
    bool quiet = false;  // nothing of its ranks is left, or it is lost
    Standing standing = {};
  };
  // A report of where the ranks are, for which the other hosts have been asked.
  struct Report {
    std::string title;
    bool ends_job = false;  // at the time limit
    std::vector<RankSight> sights;
    std::size_t awaited = 0;  // hosts that have not answered
    Clock::time_point until;
  };

  void on_started(int rank, pid_t pid) override;
  void on_output(int rank, int fd, OutputForwarder::Channel channel) override;
  void on_input(int rank, int fd) override;
  void on_last_words(int rank) override;
  void on_event(const RankEvent& event, pid_t pid) override;
  void on_end(const RankEnd& end, bool aborted) override;
  void route(Message message) override;

  void start_when_ready();
  void fail(const Failure& failure);
  void serve_until_gone();
  bool all_is_out();
  int poll_timeout_ms() const;
  void handle_server_events();
  void handle_signals();
  void handle_signal(int signal);
  void reap_children();
  void handle_time();
  void time_limit_reached();
  void watch_for_hangs();
  void begin_report(std::string title, bool ends_job);
  void finish_report();
  void speak_messages();
  void begin_ending(int signal);
  bool any_running() const;
  bool all_quiet() const;

  void signal_ranks(int signal);

  // job_spawn.cc: worlds that ranks spawn.
  const JobSpec* spec_of_world(int number) const;
  void spawn(SpawnCall call);
  int start_world(SpawnCall& call);
  void hand_to_world(const RankEvent& event);
  bool reaped_in_world(pid_t pid, int status);
  void look_after_worlds();
  template <class Do>
  void for_each_crew(Do act) {
    act(crew_);
    for (const auto& world : worlds_) act(world->crew());
  }

  // job_hosts.cc: the other hosts.
  std::string encode_for_hosts() const;
  void await_rank(int rank);
  void handle_branches();
  void handle_message(const Message& message);
  void handle_rank_message(const Message& message);
  void add_sights(const Message& message);
  void lose_hosts(const Branches::Loss& loss);
  void send_streams();
  void tell_all(MessageKind kind, std::string body = {});
  void take_leave();

  const JobSpec& spec_;
  JobOptions options_;
  HostSetup setup_;
  PmixServer& server_;
  Watcher& watcher_;
  Verdict verdict_;
  OutputForwarder output_;
  InputForwarder input_;
  Crew crew_;
  std::vector<std::unique_ptr<SpawnedWorld>> worlds_;
  int last_world_ = 0;
  int next_stream_;  // numbers of spawned ranks' streams
  Branches branches_;
  Exchange exchange_;
  std::vector<Rank> ranks_;
  std::vector<RemoteHost> hosts_;
  bool begun_ = false;  // the ranks have been started
  bool ending_ = false;
  bool impatient_ = false;  // asked to end when only output was left to deliver
  bool finished_ = false;   // the ranks' streams are closed
  Clock::time_point started_;
  std::optional<Clock::time_point> limit_;
  std::optional<Clock::time_point> last_rank_gone_;
  std::optional<Report> report_;
  bool hang_reported_ = false;                      // this hang is known
  std::optional<Clock::time_point> unmoved_since_;  // all hosts
  std::optional<Clock::time_point> quiet_limit_;    // for the hosts to become quiet
};

}  // namespace ompi_lite::launcher
