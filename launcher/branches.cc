// SPDX-License-Identifier: BSD-3-Clause
// Starts daemons through agents, talks to them, notices when one is gone.
#include "launcher/branches.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "launcher/signals.h"

namespace ompi_lite::launcher {
namespace {

constexpr std::size_t most_words = 4096;
// After its connection has ended: for the agent's last words and its exit code.
constexpr std::chrono::milliseconds last_words_patience{500};
// A quarter of the silence that counts as loss, so that one late turn is no loss.
constexpr int signs_of_life = 4;

Clock::duration seconds(double value) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string indented(const std::string& text) {
  std::string result = "\n  ";
  for (const char c : text) {
    if (c == '\r') continue;
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

std::string seconds_text(double value) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%g s", value);
  return text.data();
}

}  // namespace

Branches::Branches(const JobSpec& spec, int host)
    : spec_(spec), host_(host), shape_{static_cast<int>(spec.hosts.size()), spec.fan_out} {}

Branches::~Branches() {
  for (const Branch& branch : branches_) {
    if (branch.error_fd >= 0) ::close(branch.error_fd);
  }
}

MaybeFailure Branches::start(const std::string& job) {
  for (const int host : shape_.below(host_)) {
    const std::string& name = spec_.hosts[static_cast<std::size_t>(host)];
    RunningAgent agent;
    if (MaybeFailure failure = start_agent(spec_, name, agent)) return failure;
    Branch branch;
    branch.host = host;
    branch.pid = agent.pid;
    branch.link = std::make_unique<Link>(agent.from_fd, agent.to_fd, true);
    branch.error_fd = agent.error_fd;
    branch.command = agent_text(spec_, name);
    branch.begun = Clock::now();
    (void)fcntl(branch.error_fd, F_SETFL, O_NONBLOCK);
    branches_.push_back(std::move(branch));
    branches_.back().link->send(
        Message{MessageKind::job, static_cast<std::uint32_t>(host), static_cast<std::uint32_t>(host_), job});
  }
  return std::nullopt;
}

void Branches::collect(std::vector<pollfd>& wanted) const {
  for (const Branch& branch : branches_) {
    branch.link->collect(wanted);
    if (branch.error_fd >= 0) wanted.push_back({branch.error_fd, POLLIN, 0});
  }
}

void Branches::read_errors(Branch& branch) {
  std::array<char, 4096> block;
  while (branch.error_fd >= 0) {
    const ssize_t got = read(branch.error_fd, block.data(), block.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      ::close(branch.error_fd);
      branch.error_fd = -1;
      return;
    }
    branch.words.append(block.data(), static_cast<std::size_t>(got));
    if (branch.words.size() > most_words) branch.words.erase(0, branch.words.size() - most_words);
    if (!branch.link->greeted()) continue;  // it goes into the message if the daemon does not come up
    branch.unsaid.append(block.data(), static_cast<std::size_t>(got));
    for (std::size_t end = branch.unsaid.find('\n'); end != std::string::npos; end = branch.unsaid.find('\n')) {
      remarks_.push_back("host " + spec_.hosts[static_cast<std::size_t>(branch.host)] + ": " +
                         trimmed(branch.unsaid.substr(0, end)));
      branch.unsaid.erase(0, end + 1);
    }
  }
}

void Branches::handle(const std::vector<pollfd>& ready) {
  const Clock::time_point now = Clock::now();
  for (Branch& branch : branches_) {
    branch.link->handle(ready);
    read_errors(branch);
    check(branch, now);
  }
}

void Branches::check(Branch& branch, Clock::time_point now) {
  if (spec_.silent_seconds > 0 && !paused_ && branch.link->greeted() && !branch.link->ended() &&
      now - branch.link->sent() >= seconds(spec_.silent_seconds) / signs_of_life) {
    branch.link->send(
        Message{MessageKind::alive, static_cast<std::uint32_t>(branch.host), static_cast<std::uint32_t>(host_), {}});
  }
  if (branch.told || dismissed_) return;
  if (!branch.link->stranger().empty()) {
    return lose(branch, "its daemon is another one than ours: " + branch.link->stranger(), ExitCode::failure);
  }
  const bool over = branch.link->ended() || branch.status;
  if (over && !branch.ended) branch.ended = now;
  if (branch.ended) {
    const bool all_said = branch.status && branch.error_fd < 0 && branch.link->ended();
    if (!all_said && now < *branch.ended + last_words_patience) return;
    return lose(branch, branch.link->greeted() ? "the connection to its daemon is lost" : "its daemon does not start",
                ExitCode::failure);
  }
  if (!branch.link->greeted() && now >= branch.begun + seconds(spec_.start_seconds)) {
    return lose(branch, "it has not answered for " + seconds_text(spec_.start_seconds) + " (knob launch_timeout)",
                ExitCode::failure);
  }
  if (spec_.silent_seconds > 0 && !paused_ && branch.link->greeted() &&
      now >= branch.link->heard() + seconds(spec_.silent_seconds)) {
    lose(branch,
         "nothing has been heard from its daemon for " + seconds_text(spec_.silent_seconds) + " (knob lost_host_time)",
         ExitCode::failure);
  }
}

std::string Branches::end_text(const Branch& branch) const {
  if (!branch.status) return "";
  if (WIFSIGNALED(*branch.status)) return " was killed by " + signal_text(WTERMSIG(*branch.status));
  return " ended with code " + std::to_string(WEXITSTATUS(*branch.status));
}

void Branches::lose(Branch& branch, const std::string& what, ExitCode code) {
  branch.told = true;
  std::string text = "host " + spec_.hosts[static_cast<std::size_t>(branch.host)] + ": " + what +
                     "; the agent that starts it, " + branch.command + "," + end_text(branch);
  std::string said = trimmed(trimmed(branch.link->chatter()) + "\n" + branch.words);
  said.erase(0, std::min(said.find_first_not_of('\n'), said.size()));
  text += said.empty() ? (branch.status ? " and said nothing" : " says nothing") : (branch.status ? " and said:" : " says:");
  if (!said.empty()) text += indented(said);
  losses_.push_back(Loss{branch.host, Failure{text, code}});
}

std::optional<Clock::time_point> Branches::next_time() const {
  std::optional<Clock::time_point> first;
  const auto consider = [&](Clock::time_point when) {
    if (!first || when < *first) first = when;
  };
  for (const Branch& branch : branches_) {
    if (branch.told || dismissed_) continue;
    if (branch.ended) consider(*branch.ended + last_words_patience);
    if (!branch.link->greeted()) consider(branch.begun + seconds(spec_.start_seconds));
    if (spec_.silent_seconds > 0 && !paused_ && branch.link->greeted()) {
      consider(branch.link->sent() + seconds(spec_.silent_seconds) / signs_of_life);
      consider(branch.link->heard() + seconds(spec_.silent_seconds));
    }
  }
  return first;
}

bool Branches::reaped(pid_t pid, int status) {
  const auto branch = std::ranges::find_if(branches_, [&](const Branch& each) { return each.pid == pid && !each.status; });
  if (branch == branches_.end()) return false;
  branch->status = status;
  return true;
}

void Branches::send(int host, const Message& message) {
  for (Branch& branch : branches_) {
    if (shape_.towards(host_, host) == branch.host) branch.link->send(message);
  }
}

void Branches::send_all(const Message& message) {
  for (Branch& branch : branches_) branch.link->send(message);
}

std::vector<Message> Branches::take() {
  std::vector<Message> all;
  for (Branch& branch : branches_) {
    for (Message& message : branch.link->take()) all.push_back(std::move(message));
  }
  return all;
}

std::vector<std::string> Branches::take_remarks() { return std::exchange(remarks_, {}); }

std::vector<Branches::Loss> Branches::take_losses() { return std::exchange(losses_, {}); }

void Branches::dismiss() {
  dismissed_ = true;
  for (const Branch& branch : branches_) {
    if (!branch.status && (branch.told || !branch.link->greeted())) (void)kill(-branch.pid, SIGKILL);
  }
}

void Branches::pause(bool paused) {
  paused_ = paused;
  Writer writer;
  const std::string body = writer.put(paused).take();
  for (Branch& branch : branches_) {
    branch.link->forgive_silence();
    branch.link->send(
        Message{MessageKind::pause, static_cast<std::uint32_t>(branch.host), static_cast<std::uint32_t>(host_), body});
  }
}

void Branches::close() {
  for (Branch& branch : branches_) branch.link->close_output();
}

bool Branches::all_gone() const {
  return std::ranges::all_of(branches_, [](const Branch& branch) { return branch.status.has_value(); });
}

void Branches::kill_agents() {
  for (const Branch& branch : branches_) {
    if (!branch.status) (void)kill(-branch.pid, SIGKILL);
  }
}

}  // namespace ompi_lite::launcher
