// SPDX-License-Identifier: BSD-3-Clause
// Chooses and starts agents.
#include "launcher/agent.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "launcher/install_dirs.h"
#include "launcher/program.h"
#include "launcher/spawn.h"
#include "launcher/words.h"

namespace ompi_lite::launcher {
namespace {

const char* first_set(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = environment.get(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

const char* search_path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "/usr/bin:/bin" : path;
}

// "ssh : rsh" is a list of agents to choose from, as Open MPI has it; a blank is on both sides of such a colon.
MaybeFailure first_that_exists(std::string text, std::vector<std::string>& words) {
  MaybeFailure first_failure;
  while (true) {
    const std::size_t colon = text.find(" : ");
    const std::vector<std::string> candidate = split_words(std::string_view(text).substr(0, colon));
    Program program;
    if (candidate.empty()) return usage_error("the agent that starts daemons on other hosts has an empty name");
    MaybeFailure failure = find_program({candidate[0]}, "", search_path(), program);
    if (!failure) {
      words = candidate;
      return std::nullopt;
    }
    if (!first_failure) first_failure = std::move(failure);
    if (colon == std::string::npos) break;
    text.erase(0, colon + 3);
  }
  first_failure->text = "the agent that starts daemons on other hosts: " + first_failure->text;
  return first_failure;
}

// A step of one daemon that has all of the host and shares it with other steps, this one's parent among them. The count of
// tasks must be given: that of the whole job is the default.
constexpr std::string_view kSrun =
    "srun --mpi=none --overlap --kill-on-bad-exit=1 --cpu-bind=none -N1 -n1 --ntasks-per-node=1 -w";

// Whether srun can start daemons on all hosts of the job.
bool is_slurms(const Allocation& allocation, const JobSpec& spec) {
  Program program;
  if (allocation.system != "Slurm" || find_program({"srun"}, "", search_path(), program)) return false;
  return std::all_of(spec.hosts.begin() + 1, spec.hosts.end(), [&](const std::string& host) {
    return std::ranges::find(allocation.hosts, host, &Host::name) != allocation.hosts.end();
  });
}

// The folder of this program, and so of the daemon, unless it is run out of a build tree.
std::string own_folder() {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  return problem ? std::string(install_bindir) : self.parent_path().string();
}

std::vector<std::string> agent_words(const JobSpec& spec, const std::string& host) {
  std::vector<std::string> words = spec.agent;
  words.push_back(host);
  words.insert(words.end(), spec.agent_tail.begin(), spec.agent_tail.end());
  words.push_back(spec.daemon);
  return words;
}

void close_all(std::initializer_list<int> fds) {
  for (const int fd : fds) {
    if (fd >= 0) close(fd);
  }
}

}  // namespace

MaybeFailure find_agent(const Options& options, const Environment& environment, const Allocation& allocation,
                        JobSpec& spec) {
  std::string text = options.agent;
  if (text.empty()) {
    const char* set = first_set(environment, {"OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent", "PRTE_MCA_plm_rsh_agent",
                                              "HYDRA_LAUNCHER_EXEC", "I_MPI_HYDRA_BOOTSTRAP_EXEC"});
    if (set != nullptr) text = set;
  }
  if (text.empty() && is_slurms(allocation, spec)) {
    spec.agent = split_words(kSrun);
    spec.agent_tail = {"sh", "-c"};
    return std::nullopt;
  }
  std::vector<std::string> chosen;
  if (MaybeFailure failure = first_that_exists(text.empty() ? "ssh : rsh" : text, chosen)) return failure;
  if (text.empty() && chosen[0] == "ssh") chosen.emplace_back("-x");
  std::string more = options.agent_arguments;
  if (more.empty()) {
    const char* set = first_set(environment, {"OMPI_MCA_plm_rsh_args", "PRTE_MCA_plm_ssh_args", "HYDRA_LAUNCH_EXTRA_ARGS",
                                              "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS"});
    if (set != nullptr) more = set;
  }
  for (std::string& word : split_words(more)) chosen.push_back(std::move(word));
  spec.agent = std::move(chosen);
  return std::nullopt;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string daemon_command(const Options& options) {
  if (!options.launch_agent.empty()) return options.launch_agent;
  const std::string folder = options.prefix.empty() ? own_folder() : options.prefix + "/bin";
  return "exec " + shell_word(folder + "/ompi_lite_daemon");
}

MaybeFailure start_agent(const JobSpec& spec, const std::string& host, RunningAgent& agent) {
  SpawnPlan spawn;
  Program program;
  const std::vector<std::string> argv = agent_words(spec, host);
  if (MaybeFailure failure = find_program(argv, "", search_path(), program)) return failure;
  spawn.program = &program;
  for (char** entry = environ; *entry != nullptr; ++entry) spawn.environment.add(*entry);
  spawn.own_session = true;
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
    const std::string reason = std::strerror(errno);
    close_all({in[0], in[1], out[0], out[1], err[0], err[1]});
    return Failure{"cannot make a pipe for the agent of host " + host + ": " + reason, ExitCode::failure};
  }
  spawn.stdin_fd = in[0];
  spawn.stdout_fd = out[1];
  spawn.stderr_fd = err[1];
  MaybeFailure failure = spawn_rank(spawn, agent.pid);
  close_all({in[0], out[1], err[1]});
  if (failure) {
    close_all({in[1], out[0], err[0]});
    return failure;
  }
  agent.to_fd = in[1];
  agent.from_fd = out[0];
  agent.error_fd = err[0];
  return std::nullopt;
}

std::string agent_text(const JobSpec& spec, const std::string& host) {
  std::string text;
  for (const std::string& word : agent_words(spec, host)) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

}  // namespace ompi_lite::launcher
