// SPDX-License-Identifier: BSD-3-Clause
// The exit rules: what each rank's end means for the job, the exit code and the one message. Pure, no system calls.
#pragma once

#include <string>
#include <vector>

namespace ompi_lite::launcher {

// How a rank ended, as waitpid says it, with what it had told the PMIx server before.
struct RankEnd {
  int rank = 0;
  int pid = 0;
  bool by_signal = false;
  int code = 0;            // exit code or signal number
  bool connected = false;  // it is (again) between MPI_Init and MPI_Finalize
  bool ever_connected = false;
  std::string last_call;  // "in MPI_Recv ..." or "after MPI_Barrier ...", empty if it is not known
};

// Collects the ends of ranks and decides. The first failure decides the exit code; what happens to the others after the job
// has begun to be ended is a consequence and counts no more.
class Verdict {
 public:
  // The hosts and which of them each rank is on.
  // `of_world` is said behind the number of a rank.
  Verdict(std::vector<std::string> hosts, std::vector<int> host_of_rank, std::string of_world = {})
      : hosts_(std::move(hosts)), host_of_rank_(std::move(host_of_rank)), of_world_(std::move(of_world)) {}

  // A rank called MPI_Abort.
  void aborted(int rank, int pid, int code, const std::string& text);
  void ended(const RankEnd& end);
  // A rank called MPI_Init.
  void connected(int rank);
  // Others wait for the ranks, whether or not one of them calls MPI_Init.
  void awaited() { someone_connected_ = true; }
  // What another world's verdict has come to.
  void of_other_world(int exit_code, std::vector<std::string> messages, bool end_all);
  // Our own reasons to end the job: a signal to mpirun, the time limit. `message` may be empty.
  void end_job(int exit_code, std::string message);

  bool must_end_job() const { return must_end_; }
  int exit_code() const { return exit_code_; }
  // The messages that have come up since the last call.
  std::vector<std::string> take_messages();

 private:
  void fail(int exit_code, std::string message, bool end_all);
  std::string who(int rank, int pid) const;

  std::vector<std::string> hosts_;
  std::vector<int> host_of_rank_;
  std::string of_world_;
  bool must_end_ = false;
  int exit_code_ = 0;
  int left_early_ = -1;  // a rank that exited with 0 and never called MPI_Init
  int left_early_pid_ = 0;
  bool someone_connected_ = false;
  std::vector<std::string> messages_;
};

}  // namespace ompi_lite::launcher
