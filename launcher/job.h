// SPDX-License-Identifier: BSD-3-Clause
// A running job: its ranks, the loop that serves them, and the way it ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hang_watch.h"
#include "launcher/io_forward.h"
#include "launcher/options.h"
#include "launcher/placement.h"
#include "launcher/pmix_server.h"
#include "launcher/program.h"
#include "launcher/verdict.h"
#include "launcher/watcher.h"

namespace ompi_lite::launcher {

// The job as it was decided before anything is started.
struct JobPlan {
  Options options;
  std::vector<Program> programs;          // one an app
  std::vector<Environment> environments;  // one an app
  std::vector<int> app_of_rank;
  Placement placement;
  int universe_size = 1;
  std::string host_name;
  int signal_fd = -1;
};

// Lives on the main thread, which does all the work but PMIx's own.
class Job {
 public:
  Job(JobPlan plan, PmixServer& server, Watcher& watcher);
  // Starts the ranks and stays until they are gone and all that they wrote is out. Returns the exit code.
  int run();

 private:
  struct Rank {
    pid_t pid = -1;
    bool running = false;
    bool group_gone = true;  // nothing of its process group is left
    bool connected = false;
    bool ever_connected = false;
    bool aborted = false;
  };
  enum class Ending { no, asked, terminated, killed };

  MaybeFailure start_ranks();
  MaybeFailure start_rank(std::size_t rank, int null_fd, int node_fd, const std::string& secret);
  MaybeFailure open_output(std::size_t rank, int& out, int& err);
  bool wants_stdin(std::size_t rank) const;

  void serve_until_gone();
  bool all_is_out();
  int poll_timeout_ms() const;
  void handle_server_events();
  void handle_signals();
  void handle_signal(int signal);
  void reap_ranks();
  void rank_ended(std::size_t rank, int status);
  void handle_time();
  void time_limit_reached();
  std::vector<bool> running() const;
  void watch_for_hangs();
  std::string last_call(std::size_t rank);
  void speak_messages();

  void begin_ending(int signal);
  void escalate();
  void signal_groups(int signal);
  void signal_strays(int signal);
  void look_after_groups();
  bool any_running() const;
  bool any_group_left() const;

  JobPlan plan_;
  PmixServer& server_;
  Watcher& watcher_;
  Verdict verdict_;
  HangWatch watch_;
  OutputForwarder output_;
  InputForwarder input_;
  std::vector<Rank> ranks_;
  Ending ending_ = Ending::no;
  bool has_strays_ = false;  // processes of the job outside of the ranks' groups
  bool impatient_ = false;   // asked to end when only output was left to deliver
  bool finished_ = false;    // the ranks' streams are closed
  Clock::time_point started_;
  Clock::time_point next_step_;  // of the ending
  std::optional<Clock::time_point> limit_;
  std::optional<Clock::time_point> last_rank_gone_;
};

}  // namespace ompi_lite::launcher
