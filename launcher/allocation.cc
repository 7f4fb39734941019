// SPDX-License-Identifier: BSD-3-Clause
// Reads what batch systems say about the hosts of a job.
#include "launcher/allocation.h"

#include <algorithm>
#include <optional>

#include "launcher/words.h"
#include "ompi_lite/base/text.h"

namespace ompi_lite::launcher {
namespace {

constexpr std::size_t kMostHosts = 1'000'000;

const char* value_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = environment.get(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

// The parts between commas that are not in brackets.
std::vector<std::string_view> split_outside_brackets(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '[') ++depth;
    if (at < text.size() && text[at] == ']') --depth;
    if (at < text.size() && (text[at] != ',' || depth > 0)) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  return parts;
}

// "0-2" or "05": the numbers with as many digits as the first has.
bool expand_range(std::string_view range, std::vector<std::string>& numbers) {
  const std::size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash);
  const std::optional<int> first = whole_number(low);
  const std::optional<int> last = dash == std::string_view::npos ? first : whole_number(range.substr(dash + 1));
  if (!first || !last || *last < *first || static_cast<std::size_t>(*last - *first) >= kMostHosts) return false;
  for (int number = *first; number <= *last; ++number) {
    std::string digits = std::to_string(number);
    if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
    numbers.push_back(std::move(digits));
  }
  return true;
}

// One name with any number of brackets in it.
bool expand_name(std::string_view text, std::vector<std::string>& names) {
  std::vector<std::string> begun{""};
  while (!text.empty()) {
    const std::size_t open = text.find('[');
    for (std::string& each : begun) each += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) return false;
    std::vector<std::string> numbers;
    for (const std::string_view range : split_outside_brackets(text.substr(open + 1, close - open - 1)))
      if (!expand_range(range, numbers)) return false;
    if (begun.size() * numbers.size() > kMostHosts) return false;
    std::vector<std::string> longer;
    for (const std::string& each : begun)
      for (const std::string& number : numbers) longer.push_back(each + number);
    begun = std::move(longer);
    text.remove_prefix(close + 1);
  }
  for (std::string& each : begun) {
    if (each.empty() || each.find_first_of("[]") != std::string::npos || names.size() >= kMostHosts) return false;
    names.push_back(std::move(each));
  }
  return true;
}

Failure cannot_read(const char* variable, const char* value, const std::string& why) {
  return usage_error(std::string(variable) + " is \"" + value + "\": " + why +
                     "; --host or --hostfile say where to start ranks");
}

MaybeFailure read_slurm(const Environment& environment, Allocation& allocation) {
  const char* list = value_of(environment, {"SLURM_JOB_NODELIST", "SLURM_NODELIST"});
  if (value_of(environment, {"SLURM_JOB_ID", "SLURM_JOBID"}) == nullptr || list == nullptr) return std::nullopt;
  const std::vector<std::string> names = expand_node_list(list);
  if (names.empty()) return cannot_read("SLURM_JOB_NODELIST", list, "not a list of nodes");
  std::vector<int> counts;
  if (const char* text = value_of(environment, {"SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE"})) {
    counts = expand_counts(text);
    if (counts.size() != names.size())
      return cannot_read("SLURM_TASKS_PER_NODE", text,
                         "not a number for each of the " + std::to_string(names.size()) + " nodes " + list);
  }
  // Slurm may have another name for a host than it has itself; in a batch script it tells which one is ours.
  const char* own = value_of(environment, {"SLURMD_NODENAME"});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool here = own != nullptr && names[i] == own;
    allocation.hosts.push_back(Host{here ? own_host_name() : names[i], counts.empty() ? 1 : counts[i], 0});
  }
  allocation.system = "Slurm";
  return std::nullopt;
}

// A file with a line for each slot.
MaybeFailure read_slot_file(const char* variable, const char* file, Allocation& allocation) {
  if (MaybeFailure failure = read_host_file(file, allocation.hosts)) {
    failure->text = std::string(variable) + ": " + failure->text;
    return failure;
  }
  for (Host& host : allocation.hosts) host.slots = std::max(host.slots, 1);
  return std::nullopt;
}

MaybeFailure read_pbs(const Environment& environment, Allocation& allocation) {
  const char* file = value_of(environment, {"PBS_NODEFILE"});
  if (value_of(environment, {"PBS_JOBID"}) == nullptr || file == nullptr) return std::nullopt;
  if (MaybeFailure failure = read_slot_file("PBS_NODEFILE", file, allocation)) return failure;
  allocation.system = "PBS";
  return std::nullopt;
}

// "hostA 2 hostB 4", or a file with a line for each slot where that would be too long for a variable.
MaybeFailure read_lsf(const Environment& environment, Allocation& allocation) {
  if (value_of(environment, {"LSB_JOBID"}) == nullptr) return std::nullopt;
  if (const char* text = value_of(environment, {"LSB_MCPU_HOSTS"})) {
    const std::vector<std::string> words = split_words(text);
    for (std::size_t i = 0; i < words.size(); i += 2) {
      const std::optional<int> slots = i + 1 < words.size() ? whole_number(words[i + 1]) : std::nullopt;
      if (!slots || *slots < 1 || parse_host_word(words[i] + ":" + std::to_string(*slots), allocation.hosts))
        return cannot_read("LSB_MCPU_HOSTS", text, "not \"HOST SLOTS HOST SLOTS ...\"");
    }
  } else if (const char* file = value_of(environment, {"LSB_DJOB_HOSTFILE"})) {
    if (MaybeFailure failure = read_slot_file("LSB_DJOB_HOSTFILE", file, allocation)) return failure;
  }
  if (!allocation.hosts.empty()) allocation.system = "LSF";
  return std::nullopt;
}

}  // namespace

std::vector<std::string> expand_node_list(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view part : split_outside_brackets(text))
    if (!expand_name(part, names)) return {};
  return names;
}

std::vector<int> expand_counts(std::string_view text) {
  std::vector<int> counts;
  for (std::string_view part : split_outside_brackets(text)) {
    int times = 1;
    if (const std::size_t open = part.find("(x"); open != std::string_view::npos) {
      if (!part.ends_with(')')) return {};
      times = whole_number(part.substr(open + 2, part.size() - open - 3)).value_or(0);
      part = part.substr(0, open);
    }
    const int count = whole_number(part).value_or(0);
    if (count < 1 || times < 1 || counts.size() + static_cast<std::size_t>(times) > kMostHosts) return {};
    counts.insert(counts.end(), static_cast<std::size_t>(times), count);
  }
  return counts;
}

MaybeFailure find_allocation(const Environment& environment, Allocation& allocation) {
  Allocation found;
  for (const auto read : {read_slurm, read_pbs, read_lsf}) {
    if (MaybeFailure failure = read(environment, found)) return failure;
    if (!found.system.empty()) break;
  }
  allocation = std::move(found);
  return std::nullopt;
}

}  // namespace ompi_lite::launcher
