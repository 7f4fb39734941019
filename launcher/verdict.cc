// SPDX-License-Identifier: BSD-3-Clause
// What the end of a rank means for its job.
#include "launcher/verdict.h"

#include <utility>

#include "launcher/signals.h"

namespace ompi_lite::launcher {
namespace {

// A job that was aborted must not look well: codes that the shell would see as 0 become 1.
int visible_code(int code) { return (code & 0xff) == 0 ? 1 : code & 0xff; }

}  // namespace

std::string Verdict::who(int rank, int pid) const {
  const std::string& host = hosts_[static_cast<std::size_t>(host_of_rank_[static_cast<std::size_t>(rank)])];
  return "rank " + std::to_string(rank) + of_world_ + " (host " + host + ", pid " + std::to_string(pid) + ")";
}

void Verdict::fail(int exit_code, std::string message, bool end_all) {
  if (must_end_) return;
  if (exit_code_ == 0) exit_code_ = exit_code;
  must_end_ = end_all;
  if (!message.empty()) messages_.push_back(std::move(message));
}

void Verdict::aborted(int rank, int pid, int code, const std::string& text) {
  std::string message = who(rank, pid) + " ended the job with code " + std::to_string(code);
  if (!text.empty()) message += ": " + text;
  fail(visible_code(code), std::move(message), true);
}

void Verdict::connected(int rank) {
  someone_connected_ = true;
  if (left_early_ < 0 || left_early_ == rank) return;
  fail(1, who(left_early_, left_early_pid_) + " left without MPI_Init, which other ranks wait for", true);
}

void Verdict::ended(const RankEnd& end) {
  const std::string where = end.last_call.empty() ? "" : ", " + end.last_call;
  if (end.by_signal) {
    fail(128 + end.code, who(end.rank, end.pid) + " was killed by " + signal_text(end.code) + where, true);
  } else if (end.code != 0 && end.connected) {
    fail(end.code,
         who(end.rank, end.pid) + " exited with code " + std::to_string(end.code) + " without MPI_Finalize" + where, true);
  } else if (end.code != 0) {
    // After MPI_Finalize nobody waits for this rank: the others may end as they like.
    fail(end.code, who(end.rank, end.pid) + " exited with code " + std::to_string(end.code), !end.ever_connected);
  } else if (end.connected) {
    fail(1, who(end.rank, end.pid) + " left without MPI_Finalize (exit code 0)" + where, true);
  } else if (!end.ever_connected && left_early_ < 0) {
    left_early_ = end.rank;
    left_early_pid_ = end.pid;
    if (someone_connected_) connected(-1);
  }
}

void Verdict::of_other_world(int exit_code, std::vector<std::string> messages, bool end_all) {
  if (must_end_) return;
  if (exit_code_ == 0) exit_code_ = exit_code;
  must_end_ = end_all;
  for (std::string& message : messages) messages_.push_back(std::move(message));
}

void Verdict::end_job(int exit_code, std::string message) { fail(exit_code, std::move(message), true); }

std::vector<std::string> Verdict::take_messages() { return std::exchange(messages_, {}); }

}  // namespace ompi_lite::launcher
