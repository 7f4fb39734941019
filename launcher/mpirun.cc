// SPDX-License-Identifier: BSD-3-Clause
// mpirun: reads the command line, decides where everything goes, starts the job.
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "launcher/agent.h"
#include "launcher/allocation.h"
#include "launcher/environment.h"
#include "launcher/host_setup.h"
#include "launcher/hosts.h"
#include "launcher/job.h"
#include "launcher/mapping.h"
#include "launcher/nearest.h"
#include "launcher/options.h"
#include "launcher/placement.h"
#include "launcher/pmix_server.h"
#include "launcher/rank_file.h"
#include "launcher/signals.h"
#include "launcher/spawn.h"
#include "launcher/watcher.h"
#include "ompi_lite/base/launcher_knobs.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/text.h"
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

const char* first_variable(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = environment.get(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

// What batch systems and Kubernetes' operator hand over in the variables of other products, where the command line says
// nothing.
MaybeFailure options_from_environment(const Environment& environment, Options& options) {
  if (options.hosts.empty() && options.host_file.empty()) {
    const char* file = first_variable(environment, {"OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile",
                                                    "HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"});
    if (file != nullptr) options.host_file = file;
  }
  const auto number = [&](const char* name, int& value) -> MaybeFailure {
    const char* text = environment.get(name);
    if (text == nullptr || *text == '\0') return std::nullopt;
    const auto [end, problem] = std::from_chars(text, text + std::strlen(text), value);
    if (problem == std::errc() && *end == '\0' && value > 0) return std::nullopt;
    return usage_error(std::string(name) + ": \"" + text + "\" is not a whole number of at least 1");
  };
  if (options.ranks_per_host == 0) {
    if (MaybeFailure failure = number("I_MPI_PERHOST", options.ranks_per_host)) return failure;
  }
  return number("OMPI_MCA_orte_set_default_slots", options.default_slots);
}

MaybeFailure collect_hosts(const Options& options, const Environment& environment, Allocation& allocation,
                           RankFile& rank_file, std::vector<Host>& hosts) {
  for (const std::string& word : options.hosts) {
    if (MaybeFailure failure = parse_host_word(word, hosts)) return failure;
  }
  if (hosts.empty() && !options.host_file.empty()) {
    if (MaybeFailure failure = read_host_file(options.host_file, hosts)) return failure;
  }
  if (!options.rank_file.empty()) {
    if (MaybeFailure failure = read_rank_file(options.rank_file, rank_file)) return failure;
  }
  // Whoever names hosts need not care about what a batch system says, right or wrong.
  if (MaybeFailure failure = find_allocation(environment, allocation); failure && hosts.empty()) return failure;
  if (hosts.empty()) hosts = allocation.hosts;
  if (hosts.empty()) hosts = hosts_of(rank_file);
  for (Host& host : hosts) {
    if (host.slots == 0) host.slots = options.default_slots;
  }
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

// One an app. Nothing has been started yet, so whatever is wrong is said once.
void plan_apps(Options& options, const Environment& inherited, JobSpec& spec) {
  for (const App& app : options.apps) {
    std::vector<std::string> missing;
    AppSpec planned{app.argv, app.working_folder, plan_environment(inherited, options.all_apps_env, app.env, missing)};
    for (const std::string& name : missing) {
      options.notices.push_back("variable " + name + " is not set and cannot be handed to the ranks");
    }
    for (const EnvPlan* plan : {static_cast<const EnvPlan*>(&options.all_apps_env), &app.env}) {
      if (plan->base != EnvBase::all) planned.gets_all = false;
      planned.named.insert(planned.named.end(), plan->listed.begin(), plan->listed.end());
      for (const EnvChange& change : plan->changes) planned.named.push_back(change.name);
    }
    for (const Setting& each : options.settings) planned.environment.set(knob_variable(each.name), each.value);
    if (app.working_folder.starts_with('/')) planned.environment.set("PWD", app.working_folder);
    spec.apps.push_back(std::move(planned));
  }
  const char* path = inherited.get("PATH");
  spec.search_path = path == nullptr ? "/usr/bin:/bin" : path;
}

// Where the slots come from, for messages.
std::string slots_text(const std::vector<Host>& hosts, const Options& options, int slots) {
  if (hosts.empty()) return std::to_string(slots) + " slots, one for each core of " + own_host_name();
  std::string text = std::to_string(slots) + " slots:";
  for (const Host& host : hosts) text += " " + host.name + ":" + std::to_string(slots_of(host, options));
  return text;
}

// Hosts with names of this machine are one, which is number 0.
struct HostList {
  std::vector<Host> hosts;          // in the order in which they were given
  std::vector<int> number_of_host;  // in the job
  std::vector<std::string> names;   // by that number
};

HostList number_hosts(const std::vector<Host>& given, int cores) {
  HostList list;
  list.names.push_back(own_host_name());
  std::size_t own = given.size();
  for (const Host& host : given) {
    if (!is_this_machine(host.name)) {
      list.number_of_host.push_back(static_cast<int>(list.names.size()));
      list.names.push_back(host.name);
      list.hosts.push_back(host);
    } else if (own == given.size()) {
      own = list.hosts.size();
      list.number_of_host.push_back(0);
      list.hosts.push_back(host);
    } else {
      Host& merged = list.hosts[own];
      merged.slots = std::max(merged.slots, 1) + std::max(host.slots, 1);
      merged.max_slots = merged.max_slots > 0 && host.max_slots > 0 ? merged.max_slots + host.max_slots : 0;
    }
  }
  if (given.empty()) {
    list.hosts.push_back(Host{list.names[0], cores, 0});
    list.number_of_host.push_back(0);
  }
  return list;
}

// How many ranks the apps have: what each says, else 1 where there are several, else 0 for as many as there are slots.
MaybeFailure count_ranks(const Options& options, const HostList& list, int& ranks) {
  constexpr std::int64_t kMost = 4'000'000;  // in all; a host has its own limit
  std::int64_t all = 0;
  for (const App& app : options.apps) {
    all += app.ranks == 0 && options.apps.size() > 1 ? 1 : app.ranks;
    if (list.names.size() > 1) continue;
    if (MaybeFailure failure = check_descriptors(all, list.names[0])) return failure;
  }
  if (all > kMost)
    return Failure{"cannot start " + std::to_string(all) + " ranks: the most is " + std::to_string(kMost),
                   ExitCode::failure};
  ranks = static_cast<int>(all);
  return std::nullopt;
}

// The places of ranks as a rank file says them.
MaybeFailure map_by_file(const RankFile& file, const std::vector<Host>& given, const HostList& list, int asked,
                         std::vector<int>& place_of_rank, JobSpec& spec) {
  const auto size = static_cast<int>(file.ranks.size());
  if (asked > 0 && asked != size) {
    return usage_error("rank file " + file.path + " has " + std::to_string(size) + " ranks, but " + std::to_string(asked) +
                       " are asked for");
  }
  std::vector<std::string> names;
  if (MaybeFailure failure = names_of_hosts(file, given, names)) return failure;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    const auto same = [&](const Host& host) {
      return host.name == names[rank] || (is_this_machine(host.name) && is_this_machine(names[rank]));
    };
    place_of_rank.push_back(static_cast<int>(std::ranges::find_if(list.hosts, same) - list.hosts.begin()));
    spec.rank_slots.push_back(file.ranks[rank].slots);
  }
  spec.rank_file = "rank file " + file.path;
  return std::nullopt;
}

MaybeFailure decide_ranks(Options& options, const std::vector<Host>& given, const RankFile& file, int cores, JobSpec& spec) {
  HostList list = number_hosts(given, cores);
  int asked = 0;
  if (MaybeFailure failure = count_ranks(options, list, asked)) return failure;
  std::vector<int> place_of_rank;
  if (MaybeFailure failure = file.ranks.empty() ? map_ranks(list.hosts, options, asked, place_of_rank)
                                                : map_by_file(file, given, list, asked, place_of_rank, spec))
    return failure;
  const auto size = static_cast<int>(place_of_rank.size());
  int slots = 0;
  for (const Host& host : list.hosts)
    slots = static_cast<int>(std::min<std::int64_t>(std::int64_t{slots} + slots_of(host, options), INT_MAX));
  if (options.no_oversubscribe && size > slots) {
    return Failure{
        "there are " + slots_text(given, options, slots) + "; " + std::to_string(size) +
            " ranks are more, and --nooversubscribe forbids it (host:N, slots=N in the host file or --oversubscribe "
            "allow them)",
        ExitCode::failure};
  }
  if (options.ranks_per_host > 0 && list.hosts.size() == 1 && size > options.ranks_per_host) {
    options.notices.push_back("-ppn " + std::to_string(options.ranks_per_host) + ": there is one host, so all " +
                              std::to_string(size) + " ranks go there");
  }
  for (std::size_t app = 0; app < options.apps.size(); ++app) {
    const int ranks = options.apps.size() == 1 ? size : std::max(options.apps[app].ranks, 1);
    spec.apps[app].environment.set("OMPI_LITE_APP_SIZE", std::to_string(ranks));  // the `maxprocs` of MPI_INFO_ENV
    spec.app_of_rank.insert(spec.app_of_rank.end(), static_cast<std::size_t>(ranks), static_cast<int>(app));
  }
  // A host without ranks is not visited.
  std::vector<int> new_number(list.names.size(), -1);
  new_number[0] = 0;
  spec.hosts.push_back(list.names[0]);
  for (std::size_t i = 0; i < list.hosts.size(); ++i) {
    const auto number = static_cast<std::size_t>(list.number_of_host[i]);
    if (number == 0 || std::ranges::find(place_of_rank, static_cast<int>(i)) == place_of_rank.end()) continue;
    new_number[number] = static_cast<int>(spec.hosts.size());
    spec.hosts.push_back(list.names[number]);
  }
  for (const int place : place_of_rank) {
    spec.host_of_rank.push_back(new_number[static_cast<std::size_t>(list.number_of_host[static_cast<std::size_t>(place)])]);
  }
  const StdinTarget& target = options.stdin_target;
  if (!target.all && target.rank >= size) {
    return usage_error("option --stdin: rank " + std::to_string(target.rank) + " is not in a job of " +
                       std::to_string(size));
  }
  if (options.no_oversubscribe) spec.most_ranks = slots;
  // Programs spawn when the universe is larger than they are, so there is always room for as many again.
  spec.universe_size = std::max({cores, slots, 2 * size});
  return std::nullopt;
}

void report(const Options& options, const JobSpec& spec, const HostSetup& setup) {
  if (!options.quiet) {
    for (const std::string& notice : options.notices) print(STDERR_FILENO, "mpirun: note: " + notice + "\n");
  }
  const std::vector<std::string> own = binding_lines(spec, 0, setup);
  std::size_t next = 0;
  for (int rank = 0; rank < spec.size(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    const bool here = spec.host_of_rank[index] == 0;
    const std::string place = "rank " + std::to_string(rank) + " on " + spec.host_of(rank) + ": ";
    const std::string binding = here ? own[next++].substr(place.size()) : "bound there";
    // Other hosts report themselves.
    if (options.report_bindings && here) print(STDERR_FILENO, "mpirun: " + place + binding + "\n");
    if (options.display_map) {
      const std::string& name = spec.apps[static_cast<std::size_t>(spec.app_of_rank[index])].argv[0];
      print(STDOUT_FILENO, "map: " + place + name + ", " + binding + "\n");
    }
  }
}

std::string random_hex(std::size_t bytes) {
  std::vector<std::byte> raw(bytes);
  (void)getrandom(raw.data(), raw.size(), 0);
  return hex_of(raw);
}

// What the ranks of all hosts have in common, and how their daemons are watched.
void fill_spec(const Options& options, JobSpec& spec) {
  // The name must differ from that of every other job on the machine, also after pids have wrapped.
  spec.name = "ompi-lite-" + std::to_string(getpid()) + "-" + random_hex(4);
  spec.secret = random_hex(16);
  spec.bind_to = options.bind_to;
  spec.map_by = options.map_by;
  spec.stdin_target = options.stdin_target;
  spec.output_name = options.output_name;
  spec.report_hang_seconds = options.report_hang_seconds;
  spec.report_bindings = options.report_bindings;
  spec.allow_other_mpi = options.allow_other_mpi;
  spec.verbose = options.verbose;
  spec.fan_out = static_cast<int>(std::clamp<std::int64_t>(launch_fan_out.value(), 1, 100'000));
  spec.start_seconds = launch_timeout.value();
  spec.silent_seconds = lost_host_time.value();
}

MaybeFailure find_way_to_hosts(const Options& options, const Environment& inherited, const Allocation& allocation,
                               JobSpec& spec) {
  if (spec.hosts.size() == 1) return std::nullopt;
  std::error_code problem;
  spec.folder = std::filesystem::current_path(problem).string();
  spec.daemon = daemon_command(options);
  return find_agent(options, inherited, allocation, spec);
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
  Options& options = parsed.options;
  if (const MaybeFailure failure = limit_from_environment(options)) return give_up(*failure);
  if (const Error error = read_knobs(all_knobs())) OL_LOG(debug, "%s", error.sentence());  // the ranks will say it
  for (Setting& setting : options.settings) {
    if (const MaybeFailure failure = check_knob(setting)) return give_up(*failure);
  }
  if (options.report_hang_seconds == 0) options.report_hang_seconds = report_hang.value();
  const Environment inherited = Environment::without_outer_job(environ_entries);
  if (const MaybeFailure failure = options_from_environment(inherited, options)) return give_up(*failure);
  std::vector<Host> hosts;
  Allocation allocation;
  RankFile rank_file;
  if (const MaybeFailure failure = collect_hosts(options, inherited, allocation, rank_file, hosts)) return give_up(*failure);
  static JobSpec spec;
  plan_apps(options, inherited, spec);

  raise_descriptor_limit();
  JobOptions job_options{options.tag_output, options.stack_traces, options.timeout_seconds, take_over_signals(), nullptr};
  static Watcher watcher;
  watcher.start();
  static Machine machine;
  if (const MaybeFailure failure = machine.discover()) return give_up(*failure);
  const int cores = count_cores(machine.cpus());
  if (const MaybeFailure failure = decide_ranks(options, hosts, rank_file, cores, spec)) return give_up(*failure);
  fill_spec(options, spec);
  HostSetup setup;
  if (const MaybeFailure failure = set_up_host(spec, 0, machine, setup)) return give_up(*failure);
  report(options, spec, setup);
  if (options.dry_run) return 0;
  if (const MaybeFailure failure = find_way_to_hosts(options, inherited, allocation, spec)) return give_up(*failure);

  static PmixServer server;
  if (!spec.ranks_of(0).empty()) {
    if (const MaybeFailure failure = server.start(spec, 0, setup.placement, machine.topology())) return give_up(*failure);
  }
  job_options.machine = &machine;
  Job job(spec, job_options, std::move(setup), server, watcher);
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
