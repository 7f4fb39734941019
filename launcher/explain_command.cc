// SPDX-License-Identifier: BSD-3-Clause
// ompi_lite_info --explain: what selection answers, and with --measure what comes of it.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>

#include "launcher/info_commands.h"
#include "ompi_lite/base/explain.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/machine.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/base/text.h"

extern char** environ;

namespace ompi_lite::launcher {

namespace {

constexpr std::int64_t kMostMeasured = 1 << 20;  // bytes; more takes long, and little changes there
constexpr double kWinsBy = 1.1;

struct Wanted {
  std::string operation;
  ExplainedCall call;
  bool measure = false;
};

Result<Wanted> parse(const std::vector<std::string>& words) {
  Wanted wanted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--apart") {
      wanted.call.one_node = false;
    } else if (word == "--measure") {
      wanted.measure = true;
    } else if (word == "-n") {
      const std::string number = i + 1 < words.size() ? words[++i] : "";
      Result<std::int64_t> ranks = parse_integer(number, Unit::ranks);
      if (!ranks || *ranks < 1 || *ranks > 1 << 24)
        return make_error(ErrorClass::arg, "-n takes a number of ranks, and \"%s\" is none", number.c_str());
      wanted.call.ranks = static_cast<int>(*ranks);
    } else if (wanted.operation.empty() && !word.empty() && word[0] != '-') {
      wanted.operation = word;
    } else {
      return make_error(ErrorClass::arg, "what is \"%s\"?", word.c_str());
    }
  }
  if (wanted.operation.empty()) return Error(ErrorClass::arg, "no operation is named");
  if (wanted.measure && !wanted.call.one_node)
    return Error(ErrorClass::arg, "--measure starts its ranks on this node, which --apart excludes");
  if (wanted.measure && wanted.call.ranks < 2) return Error(ErrorClass::arg, "--measure needs two ranks at least");
  return wanted;
}

// Seconds by bytes.
using Times = std::map<std::int64_t, double>;

// Runs the program and reads what it writes, at most until it ends.
Result<std::string> output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return make_error(ErrorClass::other, "a pipe: %s", std::strerror(errno));
  os::Fd reading(ends[0]), writing(ends[1]);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t child = 0;
  const int problem = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  writing.reset();
  if (problem != 0) return make_error(ErrorClass::other, "%s: %s", arguments[0], std::strerror(problem));
  std::string text;
  char part[4096];
  for (ssize_t got = 1; got != 0;) {
    got = read(reading.get(), part, sizeof part);
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (status == 0) return text;
  return make_error(ErrorClass::other, "the job that measures did not end well: %s with %d",
                    WIFEXITED(status) ? "exit" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

// One job; keeps the best time of each size. `coll`: the knob's value in it.
Error run_job(const Wanted& wanted, const std::string& coll, const std::vector<std::int64_t>& sizes, Times& best) {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem) return Error(ErrorClass::other, "/proc/self/exe cannot be read");
  std::vector<std::string> words = {self.parent_path() / "mpirun", "-n", std::to_string(wanted.call.ranks)};
  if (!coll.empty()) words.insert(words.end(), {"--set", "coll=" + coll});
  words.insert(words.end(), {self, "--timed-job", wanted.operation});
  for (const std::int64_t bytes : sizes) words.push_back(std::to_string(bytes));
  Result<std::string> text = output_of(words);
  if (!text) return text.error();
  const char* at = text->c_str();
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    char* end = nullptr;
    const long long bytes = std::strtoll(at, &end, 10);
    const double seconds = std::strtod(end, &end);
    if (end == at || seconds <= 0)
      return Error(ErrorClass::other, "the job that measures printed something else than times");
    at = end;
    const auto [place, fresh] = best.try_emplace(bytes, seconds);
    if (!fresh) place->second = std::min(place->second, seconds);
  }
  return {};
}

// The two choices by turns, so that a slow spell of the machine meets both.
Error measure(const Wanted& wanted, const Explanation& answer, Times& chosen, Times& second) {
  constexpr int kRounds = 3;
  const KnobBase* knob = find_knob(all_knobs(), "coll");
  const std::string forced = knob == nullptr ? "" : knob->value_text();
  std::string others = forced;
  std::vector<std::int64_t> sizes, other_sizes;
  for (const ExplainedSize& size : answer.sizes) {
    if (size.bytes > kMostMeasured) continue;
    sizes.push_back(size.bytes);
    if (size.second.empty()) continue;
    other_sizes.push_back(size.bytes);
    others += (others.empty() ? "" : ",") + wanted.operation +
              (size.bytes > 0 ? ":" + std::to_string(size.bytes) : std::string()) + "=" + size.second;
  }
  for (int round = 0; round < kRounds; ++round) {
    OL_TRY(run_job(wanted, forced, sizes, chosen));
    if (!other_sizes.empty()) OL_TRY(run_job(wanted, others, other_sizes, second));
  }
  return {};
}

std::string microseconds(double seconds) {
  char text[24];
  std::snprintf(text, sizeof text, "%.2f", seconds * 1e6);
  return text;
}

void print(const Wanted& wanted, const Explanation& answer, const Times& chosen, const Times& second) {
  const auto time = [](const Times& times, std::int64_t bytes) {
    const auto found = times.find(bytes);
    return found == times.end() ? std::string("-") : microseconds(found->second);
  };
  const bool measured = wanted.measure;
  std::printf("%s, %d ranks, %s\n\n", answer.name.c_str(), wanted.call.ranks, answer.place.c_str());
  std::printf("%12s  %-26s %12s %s  %-26s %12s %s\n", "bytes", "algorithm", "predicted us", measured ? "measured us" : "",
              "next best", "predicted us", measured ? "measured us" : "");
  int lost = 0, compared = 0;
  for (const ExplainedSize& size : answer.sizes) {
    std::printf("%12lld  %-26s %12s ", static_cast<long long>(size.bytes),
                (size.algorithm + (size.tried ? "*" : "")).c_str(), microseconds(size.predicted).c_str());
    if (measured) std::printf("%11s", time(chosen, size.bytes).c_str());
    if (!size.second.empty()) std::printf("  %-26s %12s", size.second.c_str(), microseconds(size.second_predicted).c_str());
    if (measured && !size.second.empty()) std::printf(" %11s", time(second, size.bytes).c_str());
    const auto ours = chosen.find(size.bytes), theirs = second.find(size.bytes);
    if (ours != chosen.end() && theirs != second.end()) {
      ++compared;
      const double ratio = ours->second / theirs->second;
      if (ratio > kWinsBy) std::printf("  wins by %.0f %%", (ratio - 1) * 100);
      if (ratio > kWinsBy) ++lost;
    }
    std::printf("\n");
  }
  std::printf("\nBytes: of the vector in broadcasts and reductions, else of the block of one rank.\n");
  if (wanted.call.one_node && wanted.call.ranks > 1)
    std::printf("`node` needs a communicator that has made two small calls before.\n");
  if (std::ranges::any_of(answer.sizes, &ExplainedSize::tried))
    std::printf("*: the communicator tries shared cells and messages and keeps what proves faster.\n");
  if (measured)
    std::printf(
        "At %d of %d sizes the next best one was faster by more than 10 %%; both were measured by turns, best of 3.\n", lost,
        compared);
}

}  // namespace

int explain_command(const std::vector<std::string>& words) {
  Result<Wanted> wanted = parse(words);
  if (!wanted) {
    std::fprintf(stderr,
                 "ompi_lite_info: %s: --explain takes an operation, such as allreduce, -n RANKS, --apart and --measure\n",
                 wanted.error().sentence());
    return 2;
  }
  wanted->call.operation = wanted->operation;
  Result<Explanation> answer = explain_selection(wanted->call, loaded_or_presets());
  if (!answer) {
    std::fprintf(stderr, "ompi_lite_info: %s\n", answer.error().sentence());
    return 1;
  }
  Times chosen, second;
  if (wanted->measure) {
    Error error;
    if (!can_time(wanted->operation))
      error = make_error(ErrorClass::arg, "--measure does not know how to call %s", answer->name.c_str());
    else
      error = measure(*wanted, *answer, chosen, second);
    if (error) {
      std::fprintf(stderr, "ompi_lite_info: %s\n", error.sentence());
      return 1;
    }
  }
  print(*wanted, *answer, chosen, second);
  return 0;
}

int timed_job_command(const std::vector<std::string>& words) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto bytes = parse_number<std::int64_t>(words[i]);
    if (!bytes || *bytes < 0 || *bytes > kMostMeasured) sizes.clear();
    if (!bytes || *bytes < 0 || *bytes > kMostMeasured) break;
    sizes.push_back(*bytes);
  }
  if (words.empty() || !can_time(words[0]) || sizes.empty()) {
    std::fprintf(stderr, "ompi_lite_info: --timed-job takes an operation and numbers of bytes up to 1 MB\n");
    return 2;
  }
  return run_timed_job(words[0], sizes);
}

}  // namespace ompi_lite::launcher
