// SPDX-License-Identifier: BSD-3-Clause
// fork and exec of one rank.
#include "launcher/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "launcher/hosts.h"
#include "launcher/signals.h"

namespace ompi_lite::launcher {
namespace {

rlimit inherited_limit{};
bool limit_was_raised = false;

// What the child needs, as plain data: it shares our memory until exec (vfork), so it may not touch the heap.
struct ChildPlan {
  const char* path;
  char* const* argv;
  char* const* envp;
  const char* folder;
  const cpu_set_t* cpus;
  std::size_t cpus_bytes;
  int fds[3];
  int inherited_fd;
  bool own_session;
  pid_t parent;
  const SignalState* signals;
  // Written by the child, read by us after it has gone.
  volatile int error;
  const char* volatile failed_step;
};

void give_up(ChildPlan& plan, const char* step) {
  plan.error = errno;
  plan.failed_step = step;
  _exit(127);
}

[[noreturn]] void run_child(ChildPlan& plan) {
  (void)(plan.own_session ? setsid() : setpgid(0, 0));
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);  // mpirun died before the line above
  for (int i = 0; i < 3; ++i) {
    // The sources are above 2 (mpirun makes sure of it), so no dup2 overwrites a later one.
    if (dup2(plan.fds[i], i) < 0) give_up(plan, "dup2");
  }
  // Nothing else is handed on: not our pipes, not what our own caller left open.
  if (syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) != 0) {
    for (int fd = 3; fd < 4096; ++fd) (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  if (plan.inherited_fd >= 0 && fcntl(plan.inherited_fd, F_SETFD, 0) != 0) give_up(plan, "fcntl");
  if (plan.folder != nullptr && chdir(plan.folder) != 0) give_up(plan, "its working folder");
  // A CPU set that no longer holds (hotplug, a shrunken cgroup) is no reason not to run.
  if (plan.cpus != nullptr) (void)sched_setaffinity(0, plan.cpus_bytes, plan.cpus);
  if (limit_was_raised) (void)setrlimit(RLIMIT_NOFILE, &inherited_limit);
  restore_signals(*plan.signals);
  execve(plan.path, plan.argv, plan.envp);
  give_up(plan, nullptr);
  _exit(127);
}

// Kept apart, so that the compiler does not mix the child's frame with ours: vfork returns twice on this one.
[[gnu::noinline]] pid_t start_child(ChildPlan& plan) {
  const pid_t pid = vfork();
  if (pid == 0) run_child(plan);
  return pid;
}

struct CpuSet {
  explicit CpuSet(const std::vector<int>& cpus) {
    int most = 0;
    for (const int cpu : cpus) most = cpu > most ? cpu : most;
    const auto count = static_cast<std::size_t>(most) + 1;
    bytes = CPU_ALLOC_SIZE(count);
    set = CPU_ALLOC(count);
    CPU_ZERO_S(bytes, set);
    for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  }
  ~CpuSet() { CPU_FREE(set); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;
  cpu_set_t* set;
  std::size_t bytes;
};

}  // namespace

void raise_descriptor_limit() {
  if (getrlimit(RLIMIT_NOFILE, &inherited_limit) != 0 || inherited_limit.rlim_cur == inherited_limit.rlim_max) return;
  const rlimit raised{inherited_limit.rlim_max, inherited_limit.rlim_max};
  limit_was_raised = setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

MaybeFailure spawn_rank(SpawnPlan& plan, pid_t& pid) {
  std::vector<std::string> words = plan.program->argv;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::vector<char*> envp = plan.environment.pointers();
  const CpuSet cpus(plan.cpus);
  ChildPlan child{plan.program->path.c_str(),
                  argv.data(),
                  envp.data(),
                  plan.working_folder.empty() ? nullptr : plan.working_folder.c_str(),
                  plan.cpus.empty() ? nullptr : cpus.set,
                  cpus.bytes,
                  {plan.stdin_fd, plan.stdout_fd, plan.stderr_fd},
                  plan.inherited_fd,
                  plan.own_session,
                  getpid(),
                  &inherited_signals(),
                  0,
                  nullptr};
  const pid_t started = start_child(child);
  if (started < 0) {
    return Failure{std::string("cannot start another process on host ") + own_host_name() + ": " + std::strerror(errno),
                   ExitCode::failure};
  }
  if (child.error != 0) {
    const char* step = child.failed_step;
    return Failure{"cannot start " + plan.program->argv[0] + " on host " + own_host_name() + ": " +
                       (step == nullptr ? "" : std::string(step) + ": ") + std::strerror(child.error),
                   child.error == ENOENT ? ExitCode::not_found : ExitCode::not_executable};
  }
  pid = started;
  return std::nullopt;
}

}  // namespace ompi_lite::launcher
