// SPDX-License-Identifier: BSD-3-Clause
// Starts, reaps and signals the ranks of one host.
#include "launcher/crew.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "launcher/spawn.h"
#include "launcher/stacks.h"
#include "launcher/strays.h"

namespace ompi_lite::launcher {
namespace {

// From the polite signal to the next, harder one.
constexpr std::chrono::milliseconds grace{1200};
// Groups vanish without telling us.
constexpr std::chrono::milliseconds look_again{20};
// Shell scripts use the low numbers for their own redirections.
constexpr int lowest_node_fd = 100;

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

Crew::Crew(const JobSpec& spec, int host, PmixServer& server, Watcher& watcher, CrewOwner& owner)
    : spec_(spec),
      host_(host),
      server_(server),
      watcher_(watcher),
      owner_(owner),
      numbers_(spec.ranks_of(host)),
      members_(numbers_.size()) {}

Crew::~Crew() {
  if (node_fd_ >= 0) close(node_fd_);
}

bool Crew::wants_stdin(int rank) const { return spec_.stdin_target.all || spec_.stdin_target.rank == rank; }

MaybeFailure Crew::open_output(int rank, int& out, int& err) {
  std::array<int*, 2> targets{&out, &err};
  constexpr std::array<const char*, 2> suffixes{".out", ".err"};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!spec_.output_name.empty()) {
      const std::string path = spec_.output_name + "." + std::to_string(rank) + suffixes[i];
      std::error_code ignored;
      std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
      *targets[i] = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
      if (*targets[i] < 0) return system_failure("option --output-filename: " + path);
      continue;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return system_failure("cannot make a pipe for rank " + std::to_string(rank));
    owner_.on_output(rank, ends[0], i == 0 ? OutputForwarder::Channel::out : OutputForwarder::Channel::err);
    *targets[i] = ends[1];
  }
  return std::nullopt;
}

MaybeFailure Crew::start_rank(std::size_t index, const HostSetup& setup, int null_fd, int node_fd) {
  const int rank = numbers_[index];
  const auto app = static_cast<std::size_t>(spec_.app_of_rank[static_cast<std::size_t>(rank)]);
  SpawnPlan spawn;
  spawn.program = &setup.programs[app];
  spawn.environment = spec_.apps[app].environment;
  spawn.working_folder = spec_.apps[app].working_folder;
  spawn.cpus = setup.placement.cpus_of_rank[index];
  spawn.inherited_fd = node_fd;
  if (MaybeFailure failure = server_.add_to_environment(spec_.name, rank, spawn.environment)) return failure;
  set_identity(Identity{rank, spec_.size(), static_cast<int>(index), static_cast<int>(numbers_.size()), spec_.universe_size},
               spawn.environment);
  spawn.environment.set("OMPI_LITE_LAUNCHER_PID", std::to_string(getpid()));
  spawn.environment.set("OMPI_LITE_JOB_SECRET", spec_.secret);
  if (node_fd >= 0) spawn.environment.set("OMPI_LITE_NODE_FD", std::to_string(node_fd));

  Fd in;
  Fd out;
  Fd err;
  spawn.stdin_fd = null_fd;
  if (wants_stdin(rank)) {
    // A file or pipe is simply inherited: nothing is read ahead, so a shell loop around us keeps the rest of its input.
    if (host_ == 0 && !spec_.stdin_target.all && isatty(STDIN_FILENO) == 0) {
      spawn.stdin_fd = STDIN_FILENO;
    } else {
      int ends[2];
      if (pipe2(ends, O_CLOEXEC) != 0) return system_failure("cannot make a pipe for rank " + std::to_string(rank));
      in.value = ends[0];
      owner_.on_input(rank, ends[1]);
      spawn.stdin_fd = in.value;
    }
  }
  if (MaybeFailure failure = open_output(rank, out.value, err.value)) return failure;
  spawn.stdout_fd = out.value;
  spawn.stderr_fd = err.value;
  Member& state = members_[index];
  if (MaybeFailure failure = spawn_rank(spawn, state.pid)) return failure;
  state.running = true;
  state.group_gone = false;
  watcher_.add_group(state.pid);
  owner_.on_started(rank, state.pid);
  return std::nullopt;
}

MaybeFailure Crew::start(const HostSetup& setup) {
  if (members_.empty()) return std::nullopt;
  Fd null_fd{open("/dev/null", O_RDWR | O_CLOEXEC)};
  if (null_fd.value < 0) return system_failure("/dev/null");
  // Without this memory the ranks make an unlinked file instead.
  Fd node_fd{make_node_memory()};
  if (spec_.spawned == 0) watcher_.name_job(spec_.name);
  for (std::size_t index = 0; index < members_.size(); ++index) {
    if (MaybeFailure failure = start_rank(index, setup, null_fd.value, node_fd.value)) return failure;
  }
  watch_.begin(node_fd.value, static_cast<int>(members_.size()), spec_.report_hang_seconds);
  node_fd_ = std::exchange(
      node_fd.value,
      -1);  // stays open: a rank whose descriptor was closed on its way finds the memory at /proc/<launcher>/fd
  return std::nullopt;
}

bool Crew::any_running() const {
  return std::ranges::any_of(members_, [](const Member& member) { return member.running; });
}

bool Crew::any_left() const {
  return has_strays_ || std::ranges::any_of(members_, [](const Member& member) { return !member.group_gone; });
}

void Crew::handle_event(const RankEvent& event) {
  const auto found = std::ranges::lower_bound(numbers_, event.rank);
  if (found == numbers_.end() || *found != event.rank) return;
  Member& member = members_[static_cast<std::size_t>(found - numbers_.begin())];
  switch (event.news) {
    case RankNews::connected:
      member.connected = true;
      member.ever_connected = true;
      break;
    case RankNews::finalized:
      member.connected = false;
      break;
    case RankNews::aborted:
      member.aborted = true;
      owner_.on_last_words(event.rank);
      break;
  }
  owner_.on_event(event, member.pid);
}

bool Crew::reaped(pid_t pid, int status) {
  const auto member = std::ranges::find_if(members_, [&](const Member& each) { return each.running && each.pid == pid; });
  if (member == members_.end()) return false;
  ended(static_cast<std::size_t>(member - members_.begin()), status);
  return true;
}

void Crew::ended(std::size_t index, int status) {
  Member& member = members_[index];
  const int rank = numbers_[index];
  member.running = false;
  const bool by_signal = WIFSIGNALED(status);
  const int code = by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
  if (by_signal || code != 0 || member.connected) owner_.on_last_words(rank);
  owner_.on_end(RankEnd{rank, member.pid, by_signal, code, member.connected, member.ever_connected, last_call(index)},
                member.aborted);
  look_after_groups();
}

// A group whose last process has gone must not be signalled again: its number may come to belong to someone else.
void Crew::look_after_groups() {
  for (Member& member : members_) {
    if (member.running || member.group_gone || member.pid < 0) continue;
    if (kill(-member.pid, 0) == 0 || errno == EPERM) continue;
    member.group_gone = true;
    watcher_.forget_group(member.pid);
  }
  if (has_strays_ && ending()) has_strays_ = !processes_of_job(spec_.name, getpid()).empty();
}

void Crew::signal_all(int signal) {
  for (const Member& member : members_) {
    if (member.group_gone) continue;
    if (kill(-member.pid, signal) != 0 && member.running) (void)kill(member.pid, signal);  // it has changed its group
  }
}

// `timeout`, job-control shells and daemons make groups of their own.
void Crew::signal_strays(int signal) {
  has_strays_ = false;
  if (members_.empty()) return;
  for (const pid_t pid : processes_of_job(spec_.name, getpid())) {
    const pid_t group = getpgid(pid);
    const bool is_ours =
        std::ranges::any_of(members_, [&](const Member& member) { return !member.group_gone && member.pid == group; });
    if (is_ours) continue;
    has_strays_ = true;
    (void)kill(pid, signal);
  }
}

void Crew::begin_ending(int signal) {
  if (ending()) return;
  ending_ = signal == SIGTERM ? Ending::terminated : Ending::asked;
  signal_all(signal);
  signal_strays(signal);
  signal_all(SIGCONT);  // one that is stopped would not hear it
  next_step_ = Clock::now() + grace;
}

void Crew::hurry() {
  ending_ = Ending::terminated;
  next_step_ = Clock::now();
}

void Crew::escalate() {
  const int signal = ending_ == Ending::asked ? SIGTERM : SIGKILL;
  ending_ = ending_ == Ending::asked ? Ending::terminated : Ending::killed;
  signal_all(signal);
  signal_strays(signal);
  next_step_ = Clock::now() + grace;
}

void Crew::handle_time() {
  const Clock::time_point now = Clock::now();
  if (ending()) {
    if (any_left() && now >= next_step_) escalate();
    if (any_left()) look_after_groups();
  } else if (any_running() && now >= watch_.next()) {
    watch_.look(running());
  }
}

std::optional<Clock::time_point> Crew::next_time() const {
  if (!ending()) {
    if (any_running() && watch_.next() != Clock::time_point::max()) return watch_.next();
    return std::nullopt;
  }
  if (!any_left()) return std::nullopt;
  return any_running() ? next_step_ : std::min(next_step_, Clock::now() + look_again);
}

Standing Crew::standing() const { return any_running() ? watch_.standing() : Standing{true, false}; }

std::vector<bool> Crew::running() const {
  std::vector<bool> result;
  for (const Member& member : members_) result.push_back(member.running);
  return result;
}

std::vector<RankSight> Crew::sights() {
  std::vector<RankSight> result;
  for (std::size_t i = 0; i < members_.size(); ++i) result.push_back(watch_.sight(static_cast<int>(i), members_[i].running));
  return result;
}

// Where it was when it died; it was in no call of interest if it had finalized.
std::string Crew::last_call(std::size_t index) {
  return members_[index].connected ? last_call_text(watch_.sight(static_cast<int>(index), false)) : std::string();
}

std::vector<std::string> Crew::stacks() {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].running) continue;
    texts.push_back("stacks of rank " + std::to_string(numbers_[i]) + ":\n" + stacks_of_group(members_[i].pid));
  }
  return texts;
}

}  // namespace ompi_lite::launcher
