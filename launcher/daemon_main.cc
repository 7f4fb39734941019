// SPDX-License-Identifier: BSD-3-Clause
// ompi_lite_daemon: started by mpirun on each other host of a job, through ssh. Its stdin and stdout are the connection.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "launcher/daemon.h"
#include "launcher/job_message.h"
#include "launcher/signals.h"
#include "launcher/spawn.h"
#include "ompi_lite/config.h"

namespace ompi_lite::launcher {
namespace {

void print(int fd, const std::string& text) { (void)!write(fd, text.data(), text.size()); }

// The descriptors of the connection under numbers that no rank gets, and something harmless in their place.
int move_away(int fd) {
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  const int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null_fd >= 0 && null_fd != fd) {
    (void)dup2(null_fd, fd);
    close(null_fd);
  }
  return moved;
}

// The first message is the job.
bool await_job(Link& up, Message& job) {
  std::vector<pollfd> wanted;
  while (!up.ended()) {
    wanted.clear();
    up.collect(wanted);
    (void)poll(wanted.data(), wanted.size(), -1);
    up.handle(wanted);
    if (up.holds_message()) {
      job = up.take_first();
      return job.kind == MessageKind::job;
    }
  }
  return false;
}

int run(char* const* environ_entries) {
  if (isatty(STDIN_FILENO) == 1) {
    print(STDERR_FILENO, "ompi_lite_daemon (" PACKAGE_NAME ") " PACKAGE_VERSION
                         " is started by mpirun on the other hosts of a job, not by hand\n");
    return static_cast<int>(ExitCode::usage);
  }
  const int in_fd = move_away(STDIN_FILENO);
  const int out_fd = move_away(STDOUT_FILENO);
  if (in_fd < 0 || out_fd < 0) {
    print(STDERR_FILENO, std::string("ompi_lite_daemon: its stdin or stdout is closed: ") + std::strerror(errno) + "\n");
    return static_cast<int>(ExitCode::failure);
  }
  raise_descriptor_limit();
  const int signal_fd = take_over_signals();
  static Watcher watcher;
  watcher.start();
  static Link up(in_fd, out_fd, false);
  up.send_text(greeting());
  Message job;
  static JobSpec spec;
  if (!await_job(up, job) || !decode_job(job.body, spec) || job.to >= spec.hosts.size()) {
    print(STDERR_FILENO, "ompi_lite_daemon: what came is not a job\n");
    return static_cast<int>(ExitCode::failure);
  }
  add_variables_of_host(Environment::without_outer_job(environ_entries), spec);
  static Machine machine;
  if (const MaybeFailure failure = machine.discover()) {
    print(STDERR_FILENO, "ompi_lite_daemon: " + failure->text + "\n");
    return static_cast<int>(failure->code);
  }
  static PmixServer server;
  Daemon daemon(spec, job.body, static_cast<int>(job.to), up, server, watcher, signal_fd);
  const int code = daemon.run(machine);
  watcher.dismiss();
  return code;
}

}  // namespace
}  // namespace ompi_lite::launcher

int main() {
  const int code = ompi_lite::launcher::run(environ);
  _exit(code);  // as mpirun does: PMIx's long good-bye is not waited for
}
