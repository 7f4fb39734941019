// SPDX-License-Identifier: BSD-3-Clause
// Reads rank files.
#include "launcher/rank_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "ompi_lite/base/text.h"

namespace ompi_lite::launcher {
namespace {

constexpr int kMostRanks = 4'000'000;
constexpr std::string_view kBlanks = " \t\r\v\f";

// One item of slots.
struct Slot {
  bool by_os = false;
  int socket = -1;  // -1: of the whole machine
  int first = 0;
  int last = -1;  // -1: all
};

// A socket holds for the items behind it too: 1:0,2 are two cores of socket 1.
bool parse_slots(std::string_view text, std::vector<Slot>& slots) {
  Slot common;
  if (text.starts_with('p') || text.starts_with('P')) {
    common.by_os = true;
    text.remove_prefix(1);
  }
  while (true) {
    const std::size_t end = text.find_first_of(",;");
    std::string_view item = text.substr(0, end);
    if (const std::size_t colon = item.find(':'); colon != std::string_view::npos) {
      const std::optional<int> socket = whole_number(item.substr(0, colon));
      if (!socket || common.by_os) return false;
      common.socket = *socket;
      item.remove_prefix(colon + 1);
    }
    Slot slot = common;
    if (item != "*") {
      const std::size_t dash = item.find('-');
      const std::optional<int> first = whole_number(item.substr(0, dash));
      const std::optional<int> last = dash == std::string_view::npos ? first : whole_number(item.substr(dash + 1));
      if (!first || !last || *last < *first) return false;
      slot.first = *first;
      slot.last = *last;
    }
    slots.push_back(slot);
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

// Reads one line from left to right; the first thing that does not fit stays in `word`.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text.substr(0, text.find('#'))) { skip_blanks(); }
  bool empty() const { return text_.empty(); }
  const std::string& word() const { return word_; }

  // Up to a blank or an equals sign.
  std::string_view take() {
    const std::string_view taken = text_.substr(0, text_.find_first_of(" \t\r\v\f="));
    text_.remove_prefix(taken.size());
    skip_blanks();
    word_ = taken.empty() ? std::string(text_) : std::string(taken);
    return taken;
  }
  bool take_equals() {
    word_ = text_;
    if (!text_.starts_with('=')) return false;
    text_.remove_prefix(1);
    skip_blanks();
    return true;
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(kBlanks), text_.size())); }
  std::string_view text_;
  std::string word_;
};

// What is wrong with the line, or nothing.
std::string parse_line(LineReader& reader, int& rank, RankLine& line) {
  constexpr const char* kForm = "expected \"rank N=HOST slot=SLOTS\"";
  if (reader.take() != "rank") return kForm;
  const std::optional<int> number = whole_number(reader.take());
  if (!number || *number >= kMostRanks) return "not the number of a rank";
  rank = *number;
  if (!reader.take_equals()) return kForm;
  const std::string_view host = reader.take();
  if (host.starts_with("+n")) {
    const std::optional<int> relative = whole_number(host.substr(2));
    if (!relative) return "expected +nK, where K counts the hosts from 0";
    line.relative = static_cast<std::size_t>(*relative);
  } else {
    std::vector<Host> checked;
    if (host.find(':') != std::string_view::npos || parse_host_word(host, checked)) return "not a host name";
    line.host = host;
  }
  if (reader.empty()) return "";
  const std::string_view key = reader.take();
  if ((key != "slot" && key != "slots") || !reader.take_equals()) return "expected slot=SLOTS";
  line.slots = reader.take();
  std::vector<Slot> slots;
  if (!parse_slots(line.slots, slots)) return "not cores, such as 2 or 0-3 or 0:1,2 (socket 0) or p5";
  if (reader.empty()) return "";
  reader.take();
  return "nothing may follow";
}

std::string place_text(std::string_view path, int line) {
  return "rank file " + std::string(path) + ", line " + std::to_string(line);
}

}  // namespace

MaybeFailure parse_rank_file(std::string_view path, std::string_view text, RankFile& file) {
  std::map<int, RankLine> found;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    LineReader reader(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (reader.empty()) continue;
    int rank = 0;
    RankLine line;
    line.line = number;
    if (const std::string problem = parse_line(reader, rank, line); !problem.empty())
      return usage_error(place_text(path, number) + ": \"" + reader.word() + "\": " + problem);
    const auto [known, is_new] = found.try_emplace(rank, line);
    if (!is_new)
      return usage_error(place_text(path, number) + ": \"" + std::to_string(rank) + "\": line " +
                         std::to_string(known->second.line) + " has this rank already");
  }
  if (found.empty()) return usage_error("rank file " + std::string(path) + " names no rank");
  RankFile result{std::string(path), {}};
  for (auto& [rank, line] : found) {
    if (rank != static_cast<int>(result.ranks.size()))
      return usage_error("rank file " + std::string(path) + ": there is no rank " + std::to_string(result.ranks.size()) +
                         ", but a rank " + std::to_string(rank) + " (line " + std::to_string(line.line) + ")");
    result.ranks.push_back(std::move(line));
  }
  file = std::move(result);
  return std::nullopt;
}

MaybeFailure read_rank_file(const std::string& path, RankFile& file) {
  const auto cannot = [&] { return usage_error("rank file " + path + " cannot be read: " + std::strerror(errno)); };
  std::unique_ptr<FILE, int (*)(FILE*)> stream(std::fopen(path.c_str(), "re"), std::fclose);
  if (!stream) return cannot();
  std::string text;
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), stream.get())) text.append(block.data(), got);
  if (std::ferror(stream.get()) != 0) return cannot();
  return parse_rank_file(path, text, file);
}

std::vector<Host> hosts_of(const RankFile& file) {
  std::vector<Host> hosts;
  for (const RankLine& line : file.ranks) {
    if (line.host.empty()) continue;
    const auto known = std::ranges::find(hosts, line.host, &Host::name);
    if (known == hosts.end())
      hosts.push_back(Host{line.host, 1, 0});
    else
      ++known->slots;
  }
  return hosts;
}

MaybeFailure names_of_hosts(const RankFile& file, std::span<const Host> given, std::vector<std::string>& names) {
  for (const RankLine& line : file.ranks) {
    if (line.host.empty() && line.relative >= given.size())
      return usage_error(place_text(file.path, line.line) + ": \"+n" + std::to_string(line.relative) + "\": there are " +
                         std::to_string(given.size()) + " hosts in the list, counted from 0");
    const std::string& name = line.host.empty() ? given[line.relative].name : line.host;
    const auto same = [&](const Host& host) {
      return host.name == name || (is_this_machine(host.name) && is_this_machine(name));
    };
    if (!given.empty() && std::ranges::none_of(given, same))
      return usage_error(place_text(file.path, line.line) + ": \"" + name + "\": this host is not among those of the job");
    names.push_back(name);
  }
  return std::nullopt;
}

std::string find_cpus(std::string_view text, const std::vector<Cpu>& cpus, std::vector<int>& found) {
  std::vector<Slot> slots;
  if (!parse_slots(text, slots)) return "slot=" + std::string(text) + ": not cores";
  std::vector<int> result;
  for (const Slot& slot : slots) {
    std::map<int, std::vector<int>> threads_of_core;  // cores in the order of their numbers
    for (const Cpu& cpu : cpus) {
      if (slot.by_os || slot.socket < 0 || cpu.socket == slot.socket)
        threads_of_core[slot.by_os ? cpu.os_index : cpu.core].push_back(cpu.os_index);
    }
    const std::string where = slot.socket < 0 ? "" : " in socket " + std::to_string(slot.socket);
    if (threads_of_core.empty()) return "slot=" + std::string(text) + ": there is no socket " + std::to_string(slot.socket);
    const int last = slot.last >= 0 ? slot.last
                     : slot.by_os   ? threads_of_core.rbegin()->first
                                    : static_cast<int>(threads_of_core.size()) - 1;
    for (int number = slot.first; number <= last; ++number) {
      const auto core = slot.by_os                                          ? threads_of_core.find(number)
                        : number < static_cast<int>(threads_of_core.size()) ? std::next(threads_of_core.begin(), number)
                                                                            : threads_of_core.end();
      if (core != threads_of_core.end()) {
        result.insert(result.end(), core->second.begin(), core->second.end());
      } else if (slot.last >= 0) {
        return "slot=" + std::string(text) + ": there is no " + (slot.by_os ? "hardware thread " : "core ") +
               std::to_string(number) + where +
               (slot.by_os ? "" : "; there are " + std::to_string(threads_of_core.size()) + ", counted from 0");
      }
    }
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  found = std::move(result);
  return "";
}

}  // namespace ompi_lite::launcher
