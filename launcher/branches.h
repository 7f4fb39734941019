// SPDX-License-Identifier: BSD-3-Clause
// The daemons that this process has started on the hosts right below its own in the tree.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/agent.h"
#include "launcher/job_spec.h"
#include "launcher/link.h"
#include "launcher/tree_shape.h"

namespace ompi_lite::launcher {

// mpirun and each daemon have one, on the main thread. Tells of each branch that is lost once.
class Branches {
 public:
  Branches(const JobSpec& spec, int host);
  ~Branches();

  // Starts the agents and hands the job (encoded) to the daemons.
  MaybeFailure start(const std::string& job);
  bool none() const { return branches_.empty(); }

  void collect(std::vector<pollfd>& wanted) const;
  void handle(const std::vector<pollfd>& ready);
  std::optional<Clock::time_point> next_time() const;
  // For SIGCHLD: false if it was none of the agents.
  bool reaped(pid_t pid, int status);

  // To the branch that leads to the host, or to all.
  void send(int host, const Message& message);
  void send_all(const Message& message);
  // What has come, in order for each branch.
  std::vector<Message> take();
  // What agents and daemons have written to their stderr, a line each with its host.
  std::vector<std::string> take_remarks();
  // Why hosts are lost, and which.
  struct Loss {
    int host;
    Failure failure;
  };
  std::vector<Loss> take_losses();

  // From now on the daemons are expected to leave. Agents of those that have not come up or are lost are ended at once.
  void dismiss();
  // We shall be stopped and hear nothing for a while, or are continued.
  void pause(bool paused);
  void close();  // the daemons see that we are gone
  bool all_gone() const;
  // Ends the agents that are left.
  void kill_agents();

 private:
  struct Branch {
    int host = 0;
    pid_t pid = -1;
    std::unique_ptr<Link> link;
    int error_fd = -1;
    std::string words;   // on stderr, the last of them
    std::string unsaid;  // the part of a line that has not ended yet
    std::string command;
    Clock::time_point begun;
    std::optional<int> status;               // of the agent, when it has ended
    std::optional<Clock::time_point> ended;  // when its end was first noticed
    bool told = false;                       // that it is lost
  };
  void read_errors(Branch& branch);
  void check(Branch& branch, Clock::time_point now);
  void lose(Branch& branch, const std::string& what, ExitCode code);
  std::string end_text(const Branch& branch) const;

  const JobSpec& spec_;
  int host_;
  TreeShape shape_;
  std::vector<Branch> branches_;
  std::vector<std::string> remarks_;
  std::vector<Loss> losses_;
  bool dismissed_ = false;
  bool paused_ = false;
};

}  // namespace ompi_lite::launcher
