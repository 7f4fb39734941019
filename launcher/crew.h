// SPDX-License-Identifier: BSD-3-Clause
// The ranks of one host: starting them, watching them, ending them. mpirun has a crew for its own host, each daemon has one.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "launcher/hang_watch.h"
#include "launcher/host_setup.h"
#include "launcher/io_forward.h"
#include "launcher/job_spec.h"
#include "launcher/pmix_server.h"
#include "launcher/verdict.h"
#include "launcher/watcher.h"

namespace ompi_lite::launcher {

// What a crew tells its owner. Called from within functions of the crew.
class CrewOwner {
 public:
  virtual void on_started(int rank, pid_t pid) = 0;
  // The read end of a rank's pipe, which the owner takes over.
  virtual void on_output(int rank, int fd, OutputForwarder::Channel channel) = 0;
  // The write end of a rank's stdin, which the owner takes over.
  virtual void on_input(int rank, int fd) = 0;
  // Its last words come before ours: what the rank has written up to now is to be read.
  virtual void on_last_words(int rank) = 0;
  virtual void on_event(const RankEvent& event, pid_t pid) = 0;
  // `aborted`: it has said so itself before.
  virtual void on_end(const RankEnd& end, bool aborted) = 0;

 protected:
  ~CrewOwner() = default;
};

// Lives on the main thread, which alone may start ranks.
class Crew {
 public:
  Crew(const JobSpec& spec, int host, PmixServer& server, Watcher& watcher, CrewOwner& owner);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  MaybeFailure start(const HostSetup& setup);
  // Each when the loop of the owner finds that it is time.
  void handle_event(const RankEvent& event);
  bool reaped(pid_t pid, int status);  // false: not one of ours
  void handle_time();
  std::optional<Clock::time_point> next_time() const;

  bool any_running() const;
  // After the ending has begun: something of the ranks is left.
  bool any_left() const;
  bool ending() const { return ending_ != Ending::no; }
  void begin_ending(int signal);
  void hurry();  // whoever asks twice does not want to wait
  void signal_all(int signal);
  void look_after_groups();

  // With a limit of --report-hang: whether our ranks get on. A host whose ranks have all ended does not move and waits not.
  Standing standing() const;
  // What is known of each rank of ours, in the order of the ranks.
  const std::vector<int>& ranks() const { return numbers_; }
  std::vector<RankSight> sights();
  // The stacks of the ranks that run, a text each.
  std::vector<std::string> stacks();

 private:
  struct Member {
    pid_t pid = -1;
    bool running = false;
    bool group_gone = true;  // nothing of its process group is left
    bool connected = false;
    bool ever_connected = false;
    bool aborted = false;
  };
  enum class Ending { no, asked, terminated, killed };

  MaybeFailure start_rank(std::size_t index, const HostSetup& setup, int null_fd, int node_fd);
  MaybeFailure open_output(int rank, int& out, int& err);
  bool wants_stdin(int rank) const;
  void ended(std::size_t index, int status);
  void escalate();
  void signal_strays(int signal);
  std::vector<bool> running() const;
  std::string last_call(std::size_t index);

  const JobSpec& spec_;
  int host_;
  PmixServer& server_;
  Watcher& watcher_;
  CrewOwner& owner_;
  std::vector<int> numbers_;  // ranks of the job
  std::vector<Member> members_;
  HangWatch watch_;
  int node_fd_ = -1;         // the memory of the node
  bool has_strays_ = false;  // processes of the job outside of the ranks' groups
  Ending ending_ = Ending::no;
  Clock::time_point next_step_;  // of the ending
};

}  // namespace ompi_lite::launcher
