// SPDX-License-Identifier: BSD-3-Clause
// mpirun: reads the command line, decides where everything goes, starts the job.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "launcher/environment.h"
#include "launcher/hosts.h"
#include "launcher/job.h"
#include "launcher/nearest.h"
#include "launcher/options.h"
#include "launcher/placement.h"
#include "launcher/pmix_server.h"
#include "launcher/signals.h"
#include "launcher/spawn.h"
#include "launcher/watcher.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/config.h"

namespace ompi_lite::launcher {
namespace {

void print(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(fd, text.data() + at, text.size() - at);
    if (written <= 0 && errno != EINTR) return;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

int give_up(const Failure& failure) {
  print(STDERR_FILENO, "mpirun: " + failure.text + "\n");
  return static_cast<int>(failure.code);
}

// A caller may have closed 0, 1 or 2; what we open must not land there.
void fill_standard_descriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) close(fd);
}

MaybeFailure collect_hosts(const Options& options, std::vector<Host>& hosts) {
  for (const std::string& word : options.hosts) {
    if (MaybeFailure failure = parse_host_word(word, hosts)) return failure;
  }
  std::vector<Host> file_hosts;
  if (!options.host_file.empty()) {
    if (MaybeFailure failure = read_host_file(options.host_file, file_hosts)) return failure;
  }
  if (hosts.empty()) hosts = file_hosts;
  for (const Host& host : hosts) {
    if (!is_this_machine(host.name)) {
      return Failure{"host " + host.name + " is not this machine (" + own_host_name() +
                         "), and ranks on other hosts are not supported yet",
                     ExitCode::failure};
    }
  }
  return std::nullopt;
}

MaybeFailure check_folder(const std::string& folder) {
  struct stat status;
  if (folder.empty()) return std::nullopt;
  if (stat(folder.c_str(), &status) != 0)
    return Failure{"working folder " + folder + ": " + std::strerror(errno), ExitCode::failure};
  if (!S_ISDIR(status.st_mode)) return Failure{"working folder " + folder + " is not a folder", ExitCode::failure};
  return std::nullopt;
}

// The setting under the variable that the ranks read, checked against the knobs of the library.
MaybeFailure check_knob(Setting& setting) {
  std::string name;
  for (const char c : knob_variable(setting.name).substr(std::strlen("OMPI_LITE_"))) {
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  KnobBase* knob = find_knob(all_knobs(), name);
  if (knob == nullptr) {
    Nearest nearest(name);
    for (const KnobGroup& group : all_knobs()) {
      for (const KnobBase* each : group.knobs) nearest.consider(each->name());
    }
    std::string text = "option --set: there is no knob \"" + setting.name + "\"";
    if (!nearest.word().empty()) text += " (did you mean " + std::string(nearest.word()) + "?)";
    return usage_error(text + "; ompi_lite_info --knobs lists them");
  }
  if (const Error error = knob->set(setting.value)) return usage_error("option --set " + name + ": " + error.sentence());
  setting.name = name;
  return std::nullopt;
}

// Programs and environments, one an app. Nothing has been started yet, so whatever is wrong is said once.
MaybeFailure prepare_apps(JobPlan& plan, const Environment& inherited) {
  for (App& app : plan.options.apps) {
    if (MaybeFailure failure = check_folder(app.working_folder)) return failure;
    std::vector<std::string> missing;
    Environment environment = plan_environment(inherited, plan.options.all_apps_env, app.env, missing);
    for (const std::string& name : missing) {
      plan.options.notices.push_back("variable " + name + " is not set and cannot be handed to the ranks");
    }
    for (const Setting& each : plan.options.settings) environment.set(knob_variable(each.name), each.value);
    if (app.working_folder.starts_with('/')) environment.set("PWD", app.working_folder);
    const char* path = environment.get("PATH");
    if (path == nullptr) path = inherited.get("PATH");
    Program program;
    if (MaybeFailure failure =
            find_program(app.argv, app.working_folder, path == nullptr ? "/usr/bin:/bin" : path, program)) {
      return failure;
    }
    plan.programs.push_back(std::move(program));
    plan.environments.push_back(std::move(environment));
  }
  return std::nullopt;
}

// Each rank holds two pipes and a connection of ours open; better to say so than to stop in the middle of starting them.
MaybeFailure check_descriptors(const JobPlan& plan, std::int64_t ranks) {
  constexpr std::int64_t kOfRank = 3, kOwn = 64;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) limit.rlim_cur = 1 << 30;
  const auto most = (static_cast<std::int64_t>(limit.rlim_cur) - kOwn) / kOfRank;
  if (ranks <= most) return std::nullopt;
  return Failure{"cannot start " + std::to_string(ranks) + " ranks on host " + plan.host_name + ": mpirun may open " +
                     std::to_string(limit.rlim_cur) + " files (ulimit -n), which is enough for " +
                     std::to_string(std::max<std::int64_t>(most, 0)) + " ranks",
                 ExitCode::failure};
}

MaybeFailure decide_ranks(JobPlan& plan, const std::vector<Host>& hosts, int cores) {
  std::int64_t all = 0;
  for (std::size_t app = 0; app < plan.options.apps.size(); ++app) {
    int ranks = plan.options.apps[app].ranks;
    if (ranks == 0 && plan.options.apps.size() > 1) ranks = 1;
    if (ranks == 0 && plan.options.ranks_per_host > 0) ranks = plan.options.ranks_per_host;
    if (ranks == 0) ranks = hosts.empty() ? cores : total_slots(hosts);
    all += ranks;
    if (MaybeFailure failure = check_descriptors(plan, all)) return failure;
    plan.environments[app].set("OMPI_LITE_APP_SIZE", std::to_string(ranks));  // the `maxprocs` of MPI_INFO_ENV
    plan.app_of_rank.insert(plan.app_of_rank.end(), static_cast<std::size_t>(ranks), static_cast<int>(app));
  }
  const auto size = static_cast<int>(plan.app_of_rank.size());
  const bool limited = !hosts.empty() && std::ranges::all_of(hosts, [](const Host& host) { return host.max_slots > 0; });
  int most = 0;
  for (const Host& host : hosts) most += host.max_slots;
  if (limited && size > most) {
    return Failure{"the host file allows at most " + std::to_string(most) + " ranks (max_slots), but " +
                       std::to_string(size) + " are asked for",
                   ExitCode::failure};
  }
  if (plan.options.ranks_per_host > 0 && size > plan.options.ranks_per_host) {
    plan.options.notices.push_back("-ppn " + std::to_string(plan.options.ranks_per_host) + ": there is one host, so all " +
                                   std::to_string(size) + " ranks go there");
  }
  const StdinTarget& target = plan.options.stdin_target;
  if (!target.all && target.rank >= size) {
    return usage_error("option --stdin: rank " + std::to_string(target.rank) + " is not in a job of " +
                       std::to_string(size));
  }
  // Programs spawn when the universe is larger than they are, so there is always room for as many again.
  plan.universe_size = std::max({cores, hosts.empty() ? 0 : total_slots(hosts), 2 * size});
  return std::nullopt;
}

// Ranks of a program that is linked with another MPI would not find each other: each would be alone, and compute all.
MaybeFailure check_libraries(const JobPlan& plan) {
  if (plan.options.allow_other_mpi || plan.app_of_rank.size() < 2) return std::nullopt;
  for (std::size_t app = 0; app < plan.programs.size(); ++app) {
    const std::string& library = plan.programs[app].other_mpi;
    if (library.empty()) continue;
    return Failure{"cannot start " + plan.options.apps[app].argv[0] + " on host " + plan.host_name + ": it is linked with " +
                       library +
                       ", so its ranks would not find each other; compile it with the mpicc of " PACKAGE_NAME
                       ", start it with that MPI's own mpirun, or say --allow-other-mpi",
                   ExitCode::not_executable};
  }
  return std::nullopt;
}

std::string binding_text(const Placement& placement, std::size_t rank) {
  const std::vector<int>& cpus = placement.cpus_of_rank[rank];
  return cpus.empty() ? "not bound" : "bound to CPU " + cpu_list_text(cpus);
}

void report(const JobPlan& plan) {
  const Options& options = plan.options;
  if (!options.quiet) {
    for (const std::string& notice : options.notices) print(STDERR_FILENO, "mpirun: note: " + notice + "\n");
  }
  for (std::size_t rank = 0; rank < plan.app_of_rank.size(); ++rank) {
    const std::string begin = "rank " + std::to_string(rank) + " on " + plan.host_name + ": ";
    const std::string binding = binding_text(plan.placement, rank);
    if (options.report_bindings) print(STDERR_FILENO, "mpirun: " + begin + binding + "\n");
    if (options.display_map) {
      const std::string& name = options.apps[static_cast<std::size_t>(plan.app_of_rank[rank])].argv[0];
      print(STDOUT_FILENO, "map: " + begin + name + ", " + binding + "\n");
    }
  }
}

void place(JobPlan& plan, const Machine& machine, const Environment& inherited) {
  const auto size = static_cast<int>(plan.app_of_rank.size());
  BindTo bind_to = plan.options.bind_to;
  if (bind_to == BindTo::automatic) {
    const char* threads = inherited.get("OMP_NUM_THREADS");
    bind_to = decide_binding(machine, size, threads != nullptr && std::strcmp(threads, "1") != 0);
  }
  plan.placement = place_ranks(machine.cpus(), size, bind_to, plan.options.map_by);
}

std::string command_text(const App& app) {
  std::string text;
  for (const std::string& word : app.argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

MaybeFailure limit_from_environment(Options& options) {
  const char* limit = std::getenv("MPIEXEC_TIMEOUT");
  if (limit == nullptr || *limit == '\0' || options.timeout_seconds > 0) return std::nullopt;
  return parse_seconds("MPIEXEC_TIMEOUT", limit, options.timeout_seconds);
}

int run(std::vector<std::string> words, char* const* environ_entries) {
  fill_standard_descriptors();
  if (words.empty()) {
    print(STDERR_FILENO, help_text());
    return static_cast<int>(ExitCode::usage);
  }
  Parsed parsed;
  if (const MaybeFailure failure = parse_command_line(words, parsed)) return give_up(*failure);
  if (parsed.request == Request::version) {
    print(STDOUT_FILENO, "mpirun (" PACKAGE_NAME ") " PACKAGE_VERSION "\n");
    return 0;
  }
  if (parsed.request == Request::help) {
    print(STDOUT_FILENO, help_text());
    return 0;
  }
  JobPlan plan;
  plan.options = std::move(parsed.options);
  plan.host_name = own_host_name();
  if (const MaybeFailure failure = limit_from_environment(plan.options)) return give_up(*failure);
  if (const Error error = read_knobs(all_knobs())) OL_LOG(debug, "%s", error.sentence());  // the ranks will say it
  for (Setting& setting : plan.options.settings) {
    if (const MaybeFailure failure = check_knob(setting)) return give_up(*failure);
  }
  if (plan.options.report_hang_seconds == 0) plan.options.report_hang_seconds = report_hang.value();
  std::vector<Host> hosts;
  if (const MaybeFailure failure = collect_hosts(plan.options, hosts)) return give_up(*failure);
  const Environment inherited = Environment::without_outer_job(environ_entries);
  if (const MaybeFailure failure = prepare_apps(plan, inherited)) return give_up(*failure);

  raise_descriptor_limit();
  plan.signal_fd = take_over_signals();
  static Watcher watcher;
  watcher.start();
  static Machine machine;
  if (const MaybeFailure failure = machine.discover()) return give_up(*failure);
  if (const MaybeFailure failure = decide_ranks(plan, hosts, count_cores(machine.cpus()))) return give_up(*failure);
  if (const MaybeFailure failure = check_libraries(plan)) return give_up(*failure);
  place(plan, machine, inherited);
  report(plan);
  if (plan.options.dry_run) return 0;

  JobDescription description;
  description.host_name = plan.host_name;
  description.universe_size = plan.universe_size;
  description.app_of_rank = plan.app_of_rank;
  description.cpus_of_rank = plan.placement.cpus_of_rank;
  for (const App& app : plan.options.apps) description.commands.push_back(command_text(app));
  static PmixServer server;
  if (const MaybeFailure failure = server.start(description, machine.topology())) return give_up(*failure);
  Job job(std::move(plan), server, watcher);
  const int code = job.run();
  watcher.dismiss();
  return code;
}

}  // namespace
}  // namespace ompi_lite::launcher

int main(int argc, char** argv) {
  const int code = ompi_lite::launcher::run({argv + 1, argv + argc}, environ);
  // Everything is flushed and PMIx keeps no files, so its long good-bye and the destructors are not waited for.
  _exit(code);
}
