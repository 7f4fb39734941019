// SPDX-License-Identifier: BSD-3-Clause
// A small process that outlives mpirun for an instant: when mpirun disappears without a word (kill -9), it kills the
// process groups of the ranks, so that the children of a rank that is a shell script go too.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace ompi_lite::launcher {

// mpirun's end of the watcher. Without it (fork failed) a job still runs; only the last safety is missing.
class Watcher {
 public:
  Watcher() = default;
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // Forks; call early, while the process is small and has one thread.
  void start();
  // The job's PMIx name, by which the watcher finds what has left the ranks' process groups.
  void name_job(std::string_view job);
  void add_group(pid_t leader);
  void forget_group(pid_t leader);
  // The job ended well or all its groups are dead: the watcher leaves without doing anything.
  void dismiss();
  // For SIGCHLD: true if this child was the watcher.
  bool is(pid_t pid) const { return pid == pid_; }

 private:
  void tell(char what, pid_t leader, std::string_view job = {});
  int pipe_fd_ = -1;
  pid_t pid_ = -1;
};

}  // namespace ompi_lite::launcher
