// SPDX-License-Identifier: BSD-3-Clause
// mpirun's hand on another host: its ranks, its PMIx server, and the daemons below it in the tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/branches.h"
#include "launcher/crew.h"
#include "launcher/exchange.h"
#include "launcher/host_setup.h"
#include "launcher/job_spec.h"
#include "launcher/link.h"
#include "launcher/pmix_server.h"
#include "launcher/stream_relay.h"
#include "launcher/watcher.h"

namespace ompi_lite::launcher {

// Lives on the main thread. When the connection to the host above is lost it ends its ranks and itself.
class Daemon final : private CrewOwner, private Router {
 public:
  // `up` is the connection to the host above, by which the job has come (encoded: `job`).
  Daemon(const JobSpec& spec, std::string job, int host, Link& up, PmixServer& server, Watcher& watcher, int signal_fd);
  // Stays until it is told to leave or the host above is gone. Returns the exit code.
  int run(const Machine& machine);

 private:
  void on_started(int rank, pid_t pid) override;
  void on_output(int rank, int fd, OutputForwarder::Channel channel) override;
  void on_input(int rank, int fd) override;
  void on_last_words(int rank) override;
  void on_event(const RankEvent& event, pid_t pid) override;
  void on_end(const RankEnd& end, bool aborted) override;
  void route(Message message) override;

  MaybeFailure prepare(const Machine& machine);
  void tell(MessageKind kind, std::string body = {});
  void tell_failure(const Failure& failure);
  bool done() const;
  int poll_timeout_ms() const;
  void handle_up();
  void handle_message(const Message& message);
  void handle_branches();
  void handle_server_events();
  void handle_signals();
  void check_times();
  void begin_ending(int signal);
  void lost_parent(const char* why);
  void take_leave();

  const JobSpec& spec_;
  std::string job_;
  int host_;
  Link& up_;
  PmixServer& server_;
  int signal_fd_;
  HostSetup setup_;
  StreamRelay streams_;
  Crew crew_;
  Branches branches_;
  Exchange exchange_;
  bool told_to_leave_ = false;
  bool alone_ = false;  // the host above is gone
  bool parent_paused_ = false;
  bool quiet_told_ = false;
  Standing standing_;  // as it was told last
};

}  // namespace ompi_lite::launcher
