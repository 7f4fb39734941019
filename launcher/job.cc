// SPDX-License-Identifier: BSD-3-Clause
// The loop of mpirun.
#include "launcher/job.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "launcher/hosts.h"
#include "launcher/signals.h"
#include "launcher/spawn.h"
#include "launcher/stacks.h"
#include "launcher/strays.h"

namespace ompi_lite::launcher {
namespace {

// From the polite signal to the next, harder one.
constexpr std::chrono::milliseconds grace{1200};
// How long output may still come after the last rank has gone, from a child of a rank that holds the pipe open.
constexpr std::chrono::milliseconds late_output{2000};
// After a kill nobody writes any more; what is not out by then is stuck behind a reader that does not read.
constexpr std::chrono::milliseconds last_flush{10000};
// How often a job in the background looks whether it has come to the front.
constexpr std::chrono::milliseconds foreground_check{300};
// Shell scripts use the low numbers for their own redirections.
constexpr int lowest_node_fd = 100;

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> raw(bytes);
  (void)getrandom(raw.data(), raw.size(), 0);
  std::string text;
  constexpr char digits[] = "0123456789abcdef";
  for (const unsigned char byte : raw) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Failure system_failure(const std::string& what) { return Failure{what + ": " + std::strerror(errno), ExitCode::failure}; }

// The memory in which the ranks of this machine will build their shared segment; they size it themselves.
int make_node_memory() {
  const int fd = memfd_create("ompi_lite_node", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, lowest_node_fd);
  if (high < 0) return fd;
  close(fd);
  return high;
}

struct Fd {
  int value = -1;
  ~Fd() {
    if (value > 2) close(value);
  }
};

}  // namespace

Job::Job(JobPlan plan, PmixServer& server, Watcher& watcher)
    : plan_(std::move(plan)),
      server_(server),
      watcher_(watcher),
      verdict_(plan_.host_name),
      output_(plan_.options.tag_output),
      ranks_(plan_.app_of_rank.size()),
      started_(Clock::now()) {
  if (plan_.options.timeout_seconds > 0) {
    limit_ =
        started_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(plan_.options.timeout_seconds));
  }
}

int Job::run() {
  if (const MaybeFailure failure = start_ranks()) {
    verdict_.end_job(static_cast<int>(failure->code), failure->text);
    speak_messages();
    begin_ending(SIGTERM);
  }
  serve_until_gone();
  if (const std::string problem = output_.write_problem(); !problem.empty() && verdict_.exit_code() == 0) {
    verdict_.end_job(static_cast<int>(ExitCode::failure), "output of the ranks is lost: " + problem);
    speak_messages();
  }
  return verdict_.exit_code();
}

bool Job::wants_stdin(std::size_t rank) const {
  const StdinTarget& target = plan_.options.stdin_target;
  return target.all || (target.rank >= 0 && static_cast<std::size_t>(target.rank) == rank);
}

MaybeFailure Job::open_output(std::size_t rank, int& out, int& err) {
  std::array<int*, 2> targets{&out, &err};
  constexpr std::array<const char*, 2> suffixes{".out", ".err"};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!plan_.options.output_name.empty()) {
      const std::string path = plan_.options.output_name + "." + std::to_string(rank) + suffixes[i];
      std::error_code ignored;
      std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
      *targets[i] = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
      if (*targets[i] < 0) return system_failure("option --output-filename: " + path);
      continue;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return system_failure("cannot make a pipe for rank " + std::to_string(rank));
    output_.add_stream(static_cast<int>(rank), ends[0],
                       i == 0 ? OutputForwarder::Channel::out : OutputForwarder::Channel::err);
    *targets[i] = ends[1];
  }
  return std::nullopt;
}

MaybeFailure Job::start_rank(std::size_t rank, int null_fd, int node_fd, const std::string& secret) {
  const auto app = static_cast<std::size_t>(plan_.app_of_rank[rank]);
  SpawnPlan spawn;
  spawn.program = &plan_.programs[app];
  spawn.environment = plan_.environments[app];
  spawn.working_folder = plan_.options.apps[app].working_folder;
  spawn.cpus = plan_.placement.cpus_of_rank[rank];
  spawn.inherited_fd = node_fd;
  const auto number = static_cast<int>(rank);
  const auto size = static_cast<int>(ranks_.size());
  if (MaybeFailure failure = server_.add_to_environment(number, spawn.environment)) return failure;
  set_identity(Identity{number, size, number, size, plan_.universe_size}, spawn.environment);
  spawn.environment.set("OMPI_LITE_LAUNCHER_PID", std::to_string(getpid()));
  spawn.environment.set("OMPI_LITE_JOB_SECRET", secret);
  if (node_fd >= 0) spawn.environment.set("OMPI_LITE_NODE_FD", std::to_string(node_fd));

  Fd in;
  Fd out;
  Fd err;
  spawn.stdin_fd = null_fd;
  if (wants_stdin(rank)) {
    // A file or pipe is simply inherited: nothing is read ahead, so a shell loop around us keeps the rest of its input.
    if (!plan_.options.stdin_target.all && isatty(STDIN_FILENO) == 0) {
      spawn.stdin_fd = STDIN_FILENO;
    } else {
      int ends[2];
      if (pipe2(ends, O_CLOEXEC) != 0) return system_failure("cannot make a pipe for rank " + std::to_string(rank));
      in.value = ends[0];
      input_.add_target(ends[1]);
      spawn.stdin_fd = in.value;
    }
  }
  if (MaybeFailure failure = open_output(rank, out.value, err.value)) return failure;
  spawn.stdout_fd = out.value;
  spawn.stderr_fd = err.value;
  Rank& state = ranks_[rank];
  if (MaybeFailure failure = spawn_rank(spawn, state.pid)) return failure;
  state.running = true;
  state.group_gone = false;
  watcher_.add_group(state.pid);
  if (plan_.options.verbose) output_.say("mpirun: rank " + std::to_string(rank) + " has pid " + std::to_string(state.pid));
  return std::nullopt;
}

MaybeFailure Job::start_ranks() {
  Fd null_fd{open("/dev/null", O_RDWR | O_CLOEXEC)};
  if (null_fd.value < 0) return system_failure("/dev/null");
  // Without this memory the ranks make an unlinked file instead.
  Fd node_fd{make_node_memory()};
  const std::string secret = random_hex(16);
  watcher_.name_job(server_.job_name());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (MaybeFailure failure = start_rank(rank, null_fd.value, node_fd.value, secret)) return failure;
  }
  watch_.begin(node_fd.value, static_cast<int>(ranks_.size()), plan_.options.report_hang_seconds);
  node_fd.value = -1;  // stays open: a rank whose descriptor was closed on its way finds the memory at /proc/<mpirun>/fd
  return std::nullopt;
}

bool Job::any_running() const {
  return std::ranges::any_of(ranks_, [](const Rank& rank) { return rank.running; });
}

bool Job::any_group_left() const {
  return has_strays_ || std::ranges::any_of(ranks_, [](const Rank& rank) { return !rank.group_gone; });
}

void Job::serve_until_gone() {
  std::vector<pollfd> wanted;
  while (true) {
    const bool gone = !any_running() && (ending_ == Ending::no || !any_group_left());
    if (gone && all_is_out()) return;
    wanted.clear();
    wanted.push_back({plan_.signal_fd, POLLIN, 0});
    wanted.push_back({server_.event_fd(), POLLIN, 0});
    output_.collect(wanted);
    input_.collect(wanted);
    (void)poll(wanted.data(), wanted.size(), poll_timeout_ms());
    input_.look_again();
    handle_server_events();
    output_.handle(wanted);
    input_.handle(wanted);
    handle_signals();
    handle_time();
    speak_messages();
  }
}

// After the last rank: true when there is nothing more to wait for.
bool Job::all_is_out() {
  const Clock::time_point now = Clock::now();
  // A slow reader gets all it wants to read; only silence counts as the end of late output.
  if (!last_rank_gone_ || (ending_ == Ending::no && !output_.is_flushed())) last_rank_gone_ = now;
  if (!finished_ && (output_.all_ended() || now >= *last_rank_gone_ + late_output)) {
    output_.finish();
    speak_messages();
    finished_ = true;
  }
  if (!finished_) return false;
  return output_.is_flushed() || impatient_ || (ending_ != Ending::no && now >= *last_rank_gone_ + last_flush);
}

int Job::poll_timeout_ms() const {
  std::optional<Clock::time_point> first;
  const auto consider = [&](Clock::time_point when) {
    if (!first || when < *first) first = when;
  };
  if (limit_ && ending_ == Ending::no) consider(*limit_);
  if (ending_ == Ending::no && any_running() && watch_.next() != Clock::time_point::max()) consider(watch_.next());
  if (ending_ != Ending::no) {
    consider(next_step_);
    if (!any_running()) consider(Clock::now() + std::chrono::milliseconds(20));  // groups vanish without telling us
  }
  if (last_rank_gone_) consider(*last_rank_gone_ + (finished_ ? last_flush : late_output));
  if (input_.is_held_back()) consider(Clock::now() + foreground_check);
  Clock::time_point piece;
  if (output_.next_deadline(piece)) consider(piece);
  if (!first) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - Clock::now()).count();
  return static_cast<int>(std::clamp<long>(left, 0, 60'000));
}

void Job::handle_server_events() {
  for (const RankEvent& event : server_.take_events()) {
    if (event.rank < 0 || static_cast<std::size_t>(event.rank) >= ranks_.size()) continue;
    Rank& rank = ranks_[static_cast<std::size_t>(event.rank)];
    switch (event.news) {
      case RankNews::connected:
        rank.connected = true;
        rank.ever_connected = true;
        verdict_.connected(event.rank);
        break;
      case RankNews::finalized:
        rank.connected = false;
        break;
      case RankNews::aborted:
        rank.aborted = true;
        output_.drain_rank(event.rank);  // its last words come before ours
        verdict_.aborted(event.rank, rank.pid, event.abort_code, event.abort_text);
        break;
    }
  }
  if (verdict_.must_end_job()) begin_ending(SIGTERM);
}

void Job::handle_signals() {
  bool child_ended = false;
  while (const int signal = next_signal(plan_.signal_fd)) {
    if (signal == SIGCHLD)
      child_ended = true;
    else
      handle_signal(signal);
  }
  if (child_ended) reap_ranks();
  if (ending_ != Ending::no) look_after_groups();
}

void Job::handle_signal(int signal) {
  switch (signal) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
      impatient_ = !any_running();
      if (ending_ == Ending::no) {
        verdict_.end_job(128 + signal, "got " + signal_text(signal) + ", the job ends");
        begin_ending(signal);
      } else {
        // Whoever asks twice does not want to wait.
        ending_ = Ending::terminated;
        next_step_ = Clock::now();
      }
      break;
    case SIGUSR2:
      output_.say(watch_.report("mpirun: where the ranks are:", running()));
      break;
    case SIGTSTP:
      signal_groups(SIGTSTP);
      (void)kill(getpid(), SIGSTOP);
      break;
    case SIGCONT:
      signal_groups(SIGCONT);
      break;
    default:
      signal_groups(signal);
  }
}

void Job::reap_ranks() {
  int status = 0;
  for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
    const auto rank = std::ranges::find_if(ranks_, [&](const Rank& each) { return each.running && each.pid == pid; });
    if (rank != ranks_.end()) rank_ended(static_cast<std::size_t>(rank - ranks_.begin()), status);
  }
}

void Job::rank_ended(std::size_t index, int status) {
  // The server had the rank's last call before the rank could exit, so its events are in the queue by now.
  handle_server_events();
  Rank& rank = ranks_[index];
  rank.running = false;
  const bool by_signal = WIFSIGNALED(status);
  const int code = by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
  if (by_signal || code != 0 || rank.connected) output_.drain_rank(static_cast<int>(index));
  if (!rank.aborted) {
    verdict_.ended(RankEnd{static_cast<int>(index), rank.pid, by_signal, code, rank.connected, rank.ever_connected,
                           last_call(index)});
  }
  look_after_groups();
  if (verdict_.must_end_job()) begin_ending(SIGTERM);
}

// A group whose last process has gone must not be signalled again: its number may come to belong to someone else.
void Job::look_after_groups() {
  for (Rank& rank : ranks_) {
    if (rank.running || rank.group_gone || rank.pid < 0) continue;
    if (kill(-rank.pid, 0) == 0 || errno == EPERM) continue;
    rank.group_gone = true;
    watcher_.forget_group(rank.pid);
  }
  if (has_strays_ && ending_ != Ending::no) has_strays_ = !processes_of_job(server_.job_name()).empty();
}

void Job::signal_groups(int signal) {
  for (const Rank& rank : ranks_) {
    if (rank.group_gone) continue;
    if (kill(-rank.pid, signal) != 0 && rank.running) (void)kill(rank.pid, signal);  // it has changed its group
  }
}

// `timeout`, job-control shells and daemons make groups of their own.
void Job::signal_strays(int signal) {
  has_strays_ = false;
  for (const pid_t pid : processes_of_job(server_.job_name())) {
    const pid_t group = getpgid(pid);
    const bool is_ours =
        std::ranges::any_of(ranks_, [&](const Rank& rank) { return !rank.group_gone && rank.pid == group; });
    if (is_ours) continue;
    has_strays_ = true;
    (void)kill(pid, signal);
  }
}

void Job::begin_ending(int signal) {
  if (ending_ != Ending::no) return;
  ending_ = signal == SIGTERM ? Ending::terminated : Ending::asked;
  signal_groups(signal);
  signal_strays(signal);
  signal_groups(SIGCONT);  // one that is stopped would not hear it
  next_step_ = Clock::now() + grace;
}

void Job::escalate() {
  if (ending_ == Ending::asked) {
    ending_ = Ending::terminated;
    signal_groups(SIGTERM);
    signal_strays(SIGTERM);
  } else {
    ending_ = Ending::killed;
    signal_groups(SIGKILL);
    signal_strays(SIGKILL);
  }
  next_step_ = Clock::now() + grace;
}

void Job::handle_time() {
  const Clock::time_point now = Clock::now();
  output_.show_idle_pieces();
  if (ending_ == Ending::no && now >= watch_.next()) watch_for_hangs();
  if (ending_ == Ending::no && limit_ && now >= *limit_) time_limit_reached();
  if (ending_ != Ending::no && any_group_left() && now >= next_step_) escalate();
}

void Job::time_limit_reached() {
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "the time limit of %g s is over, the job ends",
                      plan_.options.timeout_seconds);
  if (plan_.options.stack_traces) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!ranks_[rank].running) continue;
      output_.say("mpirun: stacks of rank " + std::to_string(rank) + ":");
      output_.say(stacks_of_group(ranks_[rank].pid));
    }
  }
  verdict_.end_job(static_cast<int>(ExitCode::timed_out), watch_.report(text.data(), running()));
  begin_ending(SIGTERM);
}

std::vector<bool> Job::running() const {
  std::vector<bool> result;
  for (const Rank& rank : ranks_) result.push_back(rank.running);
  return result;
}

void Job::watch_for_hangs() {
  if (!watch_.look(running())) return;
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "mpirun: nothing has moved for %g s:", plan_.options.report_hang_seconds);
  output_.say(watch_.report(text.data(), running()));
}

// Where it was when it died; it was in no call of interest if it had finalized.
std::string Job::last_call(std::size_t rank) {
  return ranks_[rank].connected ? last_call_text(watch_.sight(static_cast<int>(rank), false)) : std::string();
}

void Job::speak_messages() {
  for (const std::string& message : verdict_.take_messages()) output_.say("mpirun: " + message);
}

}  // namespace ompi_lite::launcher
