// SPDX-License-Identifier: BSD-3-Clause
// The table of options, its reader and the search for the nearest known name.
#include "launcher/options.h"

#include <array>
#include <charconv>

#include "launcher/nearest.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/text.h"

namespace ompi_lite::launcher {
namespace {

// Up to two values of an option, as they were typed.
using Values = std::span<const std::string>;

// The state of one reading: the job and the app whose part of the line is being read.
struct Reader {
  Options& options;
  App& app;
  std::string_view spelled;  // the option as it was typed, with its dashes
};

using Handler = MaybeFailure (*)(Reader&, Values);

struct OptionRow {
  std::string_view names;    // without dashes, the first is the one that help shows: "n np c"
  int values;                // words that belong to it
  std::string_view meaning;  // placeholder of the values for help
  std::string_view help;     // empty: accepted, not shown
  Handler handle;
};

std::string in_quotes(std::string_view word) { return "\"" + std::string(word) + "\""; }

Failure bad_value(const Reader& reader, std::string_view value, std::string_view wanted) {
  return usage_error("option " + std::string(reader.spelled) + ": " + in_quotes(value) + " is not " + std::string(wanted));
}

MaybeFailure read_int(const Reader& reader, const std::string& text, int least, int& out) {
  const std::optional<int> value = parse_number<int>(text);
  if (!value) return bad_value(reader, text, "a whole number");
  if (*value < least) return bad_value(reader, text, "a number of at least " + std::to_string(least));
  out = *value;
  return std::nullopt;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    const std::string_view part = text.substr(0, at);
    if (!part.empty()) parts.emplace_back(part);
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// "core:overload-allowed" and "socket:PE=2" carry qualifiers that decide nothing here; the word before the colon does.
std::string before_colon(const std::string& text) { return text.substr(0, text.find(':')); }

MaybeFailure ignore(Reader&, Values) { return std::nullopt; }

MaybeFailure ignore_with_notice(Reader& reader, Values values) {
  std::string option(reader.spelled);
  for (const std::string& value : values) option += " " + value;
  reader.options.notices.push_back(option + " has no meaning here and is ignored");
  return std::nullopt;
}

MaybeFailure set_ranks(Reader& reader, Values values) { return read_int(reader, values[0], 1, reader.app.ranks); }

MaybeFailure set_ranks_per_host(Reader& reader, Values values) {
  return read_int(reader, values[0], 1, reader.options.ranks_per_host);
}

MaybeFailure add_hosts(Reader& reader, Values values) {
  const std::vector<std::string> hosts = split(values[0], ',');
  if (hosts.empty()) return bad_value(reader, values[0], "a list of hosts");
  reader.options.hosts.insert(reader.options.hosts.end(), hosts.begin(), hosts.end());
  return std::nullopt;
}

MaybeFailure set_host_file(Reader& reader, Values values) {
  if (!reader.options.host_file.empty() && reader.options.host_file != values[0]) {
    return usage_error("option " + std::string(reader.spelled) + ": a host file was given already (" +
                       reader.options.host_file + ")");
  }
  reader.options.host_file = values[0];
  return std::nullopt;
}

MaybeFailure check_variable_name(const Reader& reader, std::string_view name) {
  if (name.empty() || name.find('=') != std::string_view::npos) return bad_value(reader, name, "the name of a variable");
  return std::nullopt;
}

MaybeFailure export_variable(Reader& reader, Values values) {
  const std::size_t equals = values[0].find('=');
  EnvChange change{values[0].substr(0, equals), std::nullopt};
  if (MaybeFailure failure = check_variable_name(reader, change.name)) return failure;
  if (equals != std::string::npos) change.value = values[0].substr(equals + 1);
  reader.app.env.changes.push_back(std::move(change));
  return std::nullopt;
}

template <EnvPlan& (*plan)(Reader&)>
MaybeFailure set_variable(Reader& reader, Values values) {
  if (MaybeFailure failure = check_variable_name(reader, values[0])) return failure;
  plan(reader).changes.push_back(EnvChange{values[0], values[1]});
  return std::nullopt;
}

template <EnvPlan& (*plan)(Reader&)>
MaybeFailure list_variables(Reader& reader, Values values) {
  plan(reader).base = EnvBase::listed;
  for (std::string& name : split(values[0], ',')) plan(reader).listed.push_back(std::move(name));
  return std::nullopt;
}

template <EnvPlan& (*plan)(Reader&), EnvBase base>
MaybeFailure set_env_base(Reader& reader, Values) {
  plan(reader).base = base;
  return std::nullopt;
}

EnvPlan& of_app(Reader& reader) { return reader.app.env; }
EnvPlan& of_all(Reader& reader) { return reader.options.all_apps_env; }

MaybeFailure set_binding(Reader& reader, Values values) {
  const std::string word = before_colon(values[0]);
  BindTo& bind_to = reader.options.bind_to;
  if (word == "none")
    bind_to = BindTo::none;
  else if (word == "core")
    bind_to = BindTo::core;
  else if (word == "socket" || word == "package")
    bind_to = BindTo::socket;
  else if (word == "numa")
    bind_to = BindTo::numa;
  else if (word == "hwthread" || word == "cpu")
    bind_to = BindTo::hwthread;
  else
    return bad_value(reader, values[0], "one of none, core, socket, numa, hwthread");
  return std::nullopt;
}

// "ppr:2:node": two ranks on each host.
MaybeFailure set_ranks_per_resource(Reader& reader, const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  Options& options = reader.options;
  int count = 0;
  if (parts.size() < 3) return bad_value(reader, text, "of the form ppr:N:node");
  if (MaybeFailure failure = read_int(reader, parts[1], 1, count)) return failure;
  if (parts[2] == "node" || parts[2] == "host") {
    options.host_map = HostMap::fixed;
    options.ranks_on_node = count;
    return std::nullopt;
  }
  const bool known = parts[2] == "socket" || parts[2] == "package" || parts[2] == "numa" || parts[2] == "core" ||
                     parts[2] == "hwthread" || parts[2] == "slot";
  if (!known) return bad_value(reader, text, "of the form ppr:N:node");
  options.notices.push_back(std::string(reader.spelled) + " " + text + ": the number has a meaning for nodes alone");
  if (parts[2] == "socket" || parts[2] == "package") options.map_by = MapBy::socket;
  if (parts[2] == "numa") options.map_by = MapBy::numa;
  return std::nullopt;
}

MaybeFailure set_rank_file(Reader& reader, Values values) {
  if (!reader.options.rank_file.empty() && reader.options.rank_file != values[0]) {
    return usage_error("option " + std::string(reader.spelled) + ": a rank file was given already (" +
                       reader.options.rank_file + ")");
  }
  if (values[0].empty()) return bad_value(reader, values[0], "a file");
  reader.options.rank_file = values[0];
  return std::nullopt;
}

MaybeFailure set_mapping(Reader& reader, Values values) {
  Options& options = reader.options;
  const std::string word = before_colon(values[0]);
  if (word == "rankfile") {
    constexpr std::string_view kForm = "rankfile:file=";
    if (!values[0].starts_with(kForm)) return bad_value(reader, values[0], "of the form rankfile:file=FILE");
    const std::string file = values[0].substr(kForm.size());
    return set_rank_file(reader, Values(&file, 1));
  }
  for (const std::string& qualifier : split(std::string_view(values[0]).substr(word.size()), ':')) {
    if (qualifier == "OVERSUBSCRIBE" || qualifier == "oversubscribe") options.no_oversubscribe = false;
    if (qualifier == "NOOVERSUBSCRIBE" || qualifier == "nooversubscribe") options.no_oversubscribe = true;
  }
  if (word.empty()) return std::nullopt;  // ":OVERSUBSCRIBE" alone: more ranks than cores just run
  if (word == "ppr") return set_ranks_per_resource(reader, values[0]);
  options.host_map = word == "node" ? HostMap::node : HostMap::slot;
  if (word == "core" || word == "slot" || word == "node" || word == "seq")
    options.map_by = MapBy::core;
  else if (word == "socket" || word == "package")
    options.map_by = MapBy::socket;
  else if (word == "numa")
    options.map_by = MapBy::numa;
  else if (word == "hwthread")
    options.map_by = MapBy::hwthread;
  else
    return bad_value(reader, values[0], "one of slot, node, ppr:N:node, core, socket, numa, hwthread");
  return std::nullopt;
}

MaybeFailure set_ranking(Reader& reader, Values values) {
  const std::string word = before_colon(values[0]);
  for (const std::string_view known : {"slot", "core", "node", "socket", "package", "numa", "hwthread", "fill", "span"}) {
    if (word != known) continue;
    reader.options.rank_by = word == "node" || word == "span" ? RankBy::node : RankBy::slot;
    return std::nullopt;
  }
  return bad_value(reader, values[0], "one of slot, node, core, socket, numa, hwthread");
}

MaybeFailure set_folder(Reader& reader, Values values) {
  if (values[0].empty()) return bad_value(reader, values[0], "a folder");
  reader.app.working_folder = values[0];
  return std::nullopt;
}

MaybeFailure set_stdin(Reader& reader, Values values) {
  StdinTarget& target = reader.options.stdin_target;
  if (values[0] == "all") {
    target = StdinTarget{true, 0};
  } else if (values[0] == "none") {
    target = StdinTarget{false, -1};
  } else {
    int rank = 0;
    if (read_int(reader, values[0], 0, rank)) return bad_value(reader, values[0], "all, none or a rank");
    target = StdinTarget{false, rank};
  }
  return std::nullopt;
}

MaybeFailure set_timeout(Reader& reader, Values values) {
  return parse_seconds("option " + std::string(reader.spelled), values[0], reader.options.timeout_seconds);
}

// Plain seconds, or with a unit as knobs take them.
MaybeFailure set_report_hang(Reader& reader, Values values) {
  Result<double> parsed = parse_real(values[0], Unit::seconds);
  if (!parsed || !(*parsed > 0)) return bad_value(reader, values[0], "a time such as 30s or 2m");
  reader.options.report_hang_seconds = *parsed;
  return std::nullopt;
}

MaybeFailure set_report(Reader& reader, Values values) {
  if (values[0] != "traffic") return bad_value(reader, values[0], "traffic");
  reader.options.settings.push_back(Setting{"report_traffic", "1"});
  return std::nullopt;
}

MaybeFailure set_knob(Reader& reader, Values values) {
  const std::size_t equals = values[0].find('=');
  if (equals == std::string::npos || equals == 0) return bad_value(reader, values[0], "of the form name=value");
  reader.options.settings.push_back(Setting{values[0].substr(0, equals), values[0].substr(equals + 1)});
  return std::nullopt;
}

MaybeFailure set_output_name(Reader& reader, Values values) {
  reader.options.output_name = values[0];
  return std::nullopt;
}

// Open MPI 5 gathers these under two options: --output tag,file=NAME and --display map,bind.
MaybeFailure set_output(Reader& reader, Values values) {
  for (const std::string& word : split(values[0], ',')) {
    if (word == "tag" || word == "rank" || word == "tag-detailed" || word == "tag-fullname") {
      reader.options.tag_output = true;
    } else if (word.starts_with("file=") && word.size() > 5) {
      reader.options.output_name = before_colon(word.substr(5));
    } else {
      return bad_value(reader, word, "one of tag, file=NAME");
    }
  }
  return std::nullopt;
}

MaybeFailure set_display(Reader& reader, Values values) {
  for (const std::string& word : split(values[0], ',')) {
    if (word == "map" || word == "map-devel" || word == "allocation")
      reader.options.display_map = true;
    else if (word == "bind" || word == "bindings")
      reader.options.report_bindings = true;
    else
      return bad_value(reader, word, "one of map, allocation, bind");
  }
  return std::nullopt;
}

template <bool Options::*flag, bool value = true>
MaybeFailure set_flag(Reader& reader, Values) {
  reader.options.*flag = value;
  return std::nullopt;
}

template <std::string Options::*text>
MaybeFailure set_text(Reader& reader, Values values) {
  if (values[0].empty()) return bad_value(reader, values[0], "a value");
  reader.options.*text = values[0];
  return std::nullopt;
}

// Of Open MPI's settings those that say how and where daemons are started.
MaybeFailure set_mca(Reader& reader, Values values) {
  Options& options = reader.options;
  if (values[0] == "plm_rsh_agent" || values[0] == "plm_ssh_agent") {
    options.agent = values[1];
  } else if (values[0] == "plm_rsh_args" || values[0] == "plm_ssh_args") {
    options.agent_arguments = values[1];
  } else if (values[0] == "orte_default_hostfile" || values[0] == "prte_default_hostfile") {
    if (options.host_file.empty()) options.host_file = values[1];
  } else {
    return ignore_with_notice(reader, values);
  }
  return std::nullopt;
}

// Hydra's kinds of launchers: only those that are programs like ssh.
MaybeFailure set_launcher(Reader& reader, Values values) {
  if (values[0] != "ssh" && values[0] != "rsh") return ignore_with_notice(reader, values);
  if (reader.options.agent.empty()) reader.options.agent = values[0];
  return std::nullopt;
}

constexpr auto option_table = std::to_array<OptionRow>({
    {"n np c", 1, "N", "start N ranks of the program that follows (default: one a slot, else one a core)", set_ranks},
    {"host H hosts", 1, "A[:S],B[:S]", "hosts, each with its number of slots", add_hosts},
    {"hostfile default-hostfile f machinefile machine", 1, "FILE",
     "hosts from a file: \"name slots=2\" or \"name:2\", # comments", set_host_file},
    {"ppn perhost N npernode", 1, "N", "ranks on each host", set_ranks_per_host},
    {"rankfile rf", 1, "FILE", "the host and the cores of each rank (Open MPI's form)", set_rank_file},
    {"map-by", 1, "WHAT", "spread ranks by slot, node, ppr:N:node, core, socket, numa or hwthread", set_mapping},
    {"rank-by", 1, "WHAT", "number ranks by slot (consecutive on a host) or by node (round the hosts)", set_ranking},
    {"bind-to", 1, "WHAT", "pin ranks to none, core, socket, numa or hwthread", set_binding},
    {"report-bindings", 0, "", "say on stderr where each rank is pinned", set_flag<&Options::report_bindings>},
    {"display-map display-allocation", 0, "", "print which rank goes where, then run", set_flag<&Options::display_map>},
    {"do-not-launch dry-run", 0, "", "with --display-map: print and do not run", set_flag<&Options::dry_run>},
    {"oversubscribe", 0, "", "more ranks than slots just run (default)", set_flag<&Options::no_oversubscribe, false>},
    {"nooversubscribe", 0, "", "refuse more ranks than slots", set_flag<&Options::no_oversubscribe>},
    {"allow-run-as-root", 0, "", "accepted: root may always run jobs", ignore},
    {"x", 1, "NAME[=VALUE]", "hand a variable to the ranks of this program", export_variable},
    {"env", 2, "NAME VALUE", "the same", set_variable<of_app>},
    {"envlist", 1, "A,B", "hand over these variables only", list_variables<of_app>},
    {"envall", 0, "", "hand over all variables (default)", set_env_base<of_app, EnvBase::all>},
    {"envnone", 0, "", "hand over no variables", set_env_base<of_app, EnvBase::none>},
    {"genv", 2, "NAME VALUE", "as -env, for every program of the job", set_variable<of_all>},
    {"genvlist", 1, "A,B", "as -envlist, for every program", list_variables<of_all>},
    {"genvall", 0, "", "as -envall, for every program", set_env_base<of_all, EnvBase::all>},
    {"genvnone", 0, "", "as -envnone, for every program", set_env_base<of_all, EnvBase::none>},
    {"wdir wd cwd", 1, "FOLDER", "start the program in this folder", set_folder},
    {"stdin s", 1, "all|none|N", "who reads our stdin (default: rank 0)", set_stdin},
    {"tag-output l prepend-rank", 0, "", "begin each line of output with its rank: \"[3] text\"",
     set_flag<&Options::tag_output>},
    {"output-filename", 1, "NAME", "write each rank's output to NAME.RANK.out and NAME.RANK.err", set_output_name},
    {"output", 1, "tag,file=NAME", "the two above in one", set_output},
    {"display", 1, "map,bind", "the map and the bindings in one", set_display},
    {"timeout", 1, "SECONDS", "end the job after this time with exit code 124 (also: MPIEXEC_TIMEOUT)", set_timeout},
    {"report-hang", 1, "TIME", "when no rank has got on for so long (30s, 2m), report who waits for whom", set_report_hang},
    {"report", 1, "traffic", "say at the end what each rank has sent and received (knob report_traffic)", set_report},
    {"get-stack-traces", 0, "", "at the time limit, print each rank's stacks first", set_flag<&Options::stack_traces>},
    {"set", 1, "NAME=VALUE", "set a knob of the library (see ompi_lite_info --knobs)", set_knob},
    {"allow-other-mpi", 0, "", "run programs that are linked with another MPI, each rank alone in its world",
     set_flag<&Options::allow_other_mpi>},
    {"q quiet", 0, "", "no notices", set_flag<&Options::quiet>},
    {"v d verbose", 0, "", "say what is being done", set_flag<&Options::verbose>},
    {"rsh-agent launcher-exec", 1, "COMMAND", "start daemons on other hosts by this (default: ssh -x)",
     set_text<&Options::agent>},
    {"launch-agent", 1, "COMMAND", "run this on other hosts in place of our ompi_lite_daemon",
     set_text<&Options::launch_agent>},
    {"prefix", 1, "FOLDER", "where the installation is on other hosts (default: where it is here)",
     set_text<&Options::prefix>},
    {"mca gmca prtemca pmixmca", 2, "", "", set_mca},
    {"launcher bootstrap", 1, "", "", set_launcher},
    {"iface rmk", 1, "", "", ignore_with_notice},
    {"use-hwthread-cpus enable-recovery", 0, "", "", ignore_with_notice},
});

// Calls `visit(name)` for each name of a row; stops when it returns true.
template <class Visit>
bool any_name(std::string_view names, Visit visit) {
  while (!names.empty()) {
    const std::size_t blank = names.find(' ');
    if (visit(names.substr(0, blank))) return true;
    names.remove_prefix(blank == std::string_view::npos ? names.size() : blank + 1);
  }
  return false;
}

const OptionRow* find_option(std::string_view name) {
  for (const OptionRow& row : option_table) {
    if (any_name(row.names, [&](std::string_view candidate) { return candidate == name; })) return &row;
  }
  return nullptr;
}

std::string with_dashes(std::string_view name) { return (name.size() == 1 ? "-" : "--") + std::string(name); }

Failure unknown_option(std::string_view spelled, std::string_view name) {
  Nearest nearest(name);
  const auto consider = [&](std::string_view candidate) {
    nearest.consider(candidate);
    return false;
  };
  for (const OptionRow& row : option_table) any_name(row.names, consider);
  any_name("version help", consider);
  std::string text = "unknown option " + std::string(spelled);
  if (!nearest.word().empty()) text += " (did you mean " + with_dashes(nearest.word()) + "?)";
  return usage_error(text + "; mpirun --help lists the options");
}

// Reads one option and its values; `at` moves behind them.
MaybeFailure read_option(std::span<const std::string> words, std::size_t& at, Options& options, App& app) {
  const std::string& word = words[at];
  const std::size_t dashes = word.starts_with("--") ? 2 : 1;
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(dashes, equals == std::string::npos ? equals : equals - dashes);
  const OptionRow* row = find_option(name);
  if (row == nullptr) return unknown_option(word.substr(0, equals), name);
  Reader reader{options, app, std::string_view(word).substr(0, equals)};
  ++at;
  std::vector<std::string> values;
  if (equals != std::string::npos) {
    if (row->values == 0) return usage_error("option " + std::string(reader.spelled) + " takes no value");
    values.push_back(word.substr(equals + 1));
  }
  while (values.size() < static_cast<std::size_t>(row->values)) {
    if (at == words.size()) {
      return usage_error("option " + std::string(reader.spelled) + " needs " +
                         (row->values == 1 ? "a value" : "two values: " + std::string(row->meaning)));
    }
    values.push_back(words[at++]);
  }
  return row->handle(reader, values);
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

// Reads the part of one app: its options, its program and the program's arguments, up to ":" or the end.
MaybeFailure read_app(std::span<const std::string> words, std::size_t& at, Parsed& parsed) {
  App app;
  while (at < words.size() && is_option(words[at])) {
    const std::string& word = words[at];
    if (word == "--help" || word == "-help" || word == "-h") {
      parsed.request = Request::help;
      return std::nullopt;
    }
    if (word == "--version" || word == "-version" || word == "-V") {
      parsed.request = Request::version;
      return std::nullopt;
    }
    if (word == "--") {
      ++at;
      break;
    }
    if (MaybeFailure failure = read_option(words, at, parsed.options, app)) return failure;
  }
  while (at < words.size() && words[at] != ":") app.argv.push_back(words[at++]);
  if (app.argv.empty()) return usage_error("no program was named; mpirun --help shows how");
  parsed.options.apps.push_back(std::move(app));
  return std::nullopt;
}

}  // namespace

MaybeFailure parse_seconds(std::string_view what, std::string_view text, double& seconds) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc() && end == text.data() + text.size();
  if (!whole || !(value > 0) || !(value < 1e9)) {
    return usage_error(std::string(what) + ": " + in_quotes(text) + " is not a number of seconds above 0");
  }
  seconds = value;
  return std::nullopt;
}

MaybeFailure parse_command_line(std::span<const std::string> words, Parsed& parsed) {
  Parsed result;
  std::size_t at = 0;
  while (true) {
    if (MaybeFailure failure = read_app(words, at, result)) return failure;
    if (result.request != Request::run || at == words.size()) break;
    ++at;  // the colon
  }
  parsed = std::move(result);
  return std::nullopt;
}

std::string help_text() {
  std::string text =
      "usage: mpirun [options] program [arguments] [: [options] program [arguments]]...\n"
      "Starts the ranks of an MPI job. Long options take one dash or two, and --option=value as well as --option value.\n\n";
  for (const OptionRow& row : option_table) {
    if (row.help.empty()) continue;
    std::string left = "  ";
    any_name(row.names, [&](std::string_view name) {
      left += (left.size() > 2 ? ", " : "") + with_dashes(name);
      return false;
    });
    if (row.values > 0) left += " " + std::string(row.meaning);
    text += left + (left.size() < 34 ? std::string(34 - left.size(), ' ') : "\n" + std::string(34, ' ')) +
            std::string(row.help) + "\n";
  }
  return text + "  --version, --help\n";
}

}  // namespace ompi_lite::launcher
