// SPDX-License-Identifier: BSD-3-Clause
// The loop of a daemon.
#include "launcher/daemon.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "launcher/job_message.h"
#include "launcher/sight_message.h"
#include "launcher/signals.h"
#include "ompi_lite/base/clock.h"

namespace ompi_lite::launcher {
namespace {

// For the daemons below to go, and for what we have to say to leave.
constexpr std::chrono::seconds leave_patience{2};
constexpr int signs_of_life = 4;  // as Branches has it

Clock::duration seconds(double value) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
}

}  // namespace

Daemon::Daemon(const JobSpec& spec, std::string job, int host, Link& up, PmixServer& server, Watcher& watcher, int signal_fd)
    : spec_(spec),
      job_(std::move(job)),
      host_(host),
      up_(up),
      server_(server),
      signal_fd_(signal_fd),
      streams_([this](MessageKind kind, std::string body) { tell(kind, std::move(body)); }),
      crew_(spec, host, server, watcher, *this),
      branches_(spec, host),
      exchange_(spec, host, TreeShape{static_cast<int>(spec.hosts.size()), spec.fan_out}, server, *this) {}

void Daemon::tell(MessageKind kind, std::string body) {
  up_.send(Message{kind, 0, static_cast<std::uint32_t>(host_), std::move(body)});
}

void Daemon::tell_failure(const Failure& failure) {
  Writer writer;
  tell(MessageKind::failed, writer.put(failure.code).put(std::string_view(failure.text)).take());
}

MaybeFailure Daemon::prepare(const Machine& machine) {
  if (chdir(spec_.folder.c_str()) != 0) {
    // Relative names would mean something else in another folder.
    const bool needed =
        std::ranges::any_of(spec_.apps, [](const AppSpec& app) { return !app.working_folder.starts_with('/'); });
    if (needed) {
      return Failure{"working folder " + spec_.folder + " on host " + spec_.hosts[static_cast<std::size_t>(host_)] + ": " +
                         std::strerror(errno) + " (--wdir names another)",
                     ExitCode::failure};
    }
  }
  if (MaybeFailure failure = set_up_host(spec_, host_, machine, setup_)) return failure;
  if (MaybeFailure failure = server_.start(spec_, host_, setup_.placement, machine.topology())) return failure;
  if (!spec_.report_bindings) return std::nullopt;
  for (const std::string& line : binding_lines(spec_, host_, setup_)) tell(MessageKind::say, line);
  return std::nullopt;
}

int Daemon::run(const Machine& machine) {
  // The others start while we prepare.
  MaybeFailure failure = branches_.start(job_);
  if (!failure) failure = prepare(machine);
  if (failure)
    tell_failure(*failure);
  else
    tell(MessageKind::ready);
  std::vector<pollfd> wanted;
  while (true) {
    handle_server_events();
    handle_up();
    handle_branches();
    handle_signals();
    check_times();
    if (done()) break;
    wanted.assign(1, {signal_fd_, POLLIN, 0});
    wanted.push_back({server_.event_fd(), POLLIN, 0});
    up_.collect(wanted);
    streams_.collect(wanted);
    branches_.collect(wanted);
    (void)poll(wanted.data(), wanted.size(), poll_timeout_ms());
    streams_.handle(wanted);
    up_.handle(wanted);
    branches_.handle(wanted);
  }
  take_leave();
  return alone_ ? 1 : 0;
}

bool Daemon::done() const { return told_to_leave_ || (alone_ && !crew_.any_running() && !crew_.any_left()); }

void Daemon::on_started(int rank, pid_t pid) {
  Writer writer;
  tell(MessageKind::started, writer.put(rank).put(pid).take());
}

void Daemon::on_output(int rank, int fd, OutputForwarder::Channel channel) { streams_.add_output(rank, fd, channel); }

void Daemon::on_input(int rank, int fd) { streams_.add_input(rank, fd); }

void Daemon::on_last_words(int rank) { streams_.drain(rank); }

void Daemon::on_event(const RankEvent& event, pid_t pid) { tell(MessageKind::rank_news, encode_event(event, pid)); }

void Daemon::on_end(const RankEnd& end, bool aborted) {
  streams_.drain(end.rank);
  tell(MessageKind::rank_ended, encode_end(end, aborted));
}

void Daemon::route(Message message) {
  const auto to = static_cast<int>(message.to);
  if (exchange_.shape().towards(host_, to) >= 0)
    branches_.send(to, message);
  else
    up_.send(message);
}

int Daemon::poll_timeout_ms() const {
  std::optional<Clock::time_point> first;
  const auto consider = [&](std::optional<Clock::time_point> when) {
    if (when && (!first || *when < *first)) first = when;
  };
  consider(crew_.next_time());
  consider(branches_.next_time());
  if (spec_.silent_seconds > 0 && !alone_) {
    consider(up_.sent() + seconds(spec_.silent_seconds) / signs_of_life);
    if (!parent_paused_) consider(up_.heard() + seconds(spec_.silent_seconds));
  }
  if (!first) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - Clock::now()).count();
  return static_cast<int>(std::clamp<long>(left, 0, 60'000));
}

void Daemon::handle_up() {
  for (const Message& message : up_.take()) {
    if (message.to == kEveryHost) branches_.send_all(message);
    if (message.to == kEveryHost || static_cast<int>(message.to) == host_)
      handle_message(message);
    else
      branches_.send(static_cast<int>(message.to), message);
  }
  if (up_.ended() && !told_to_leave_) lost_parent("the connection to the host above is lost");
}

void Daemon::handle_message(const Message& message) {
  Reader reader(message.body);
  switch (message.kind) {
    case MessageKind::start:
      if (const MaybeFailure failure = crew_.start(setup_)) tell_failure(*failure);
      break;
    case MessageKind::signal:
      crew_.signal_all(reader.next<int>());
      break;
    case MessageKind::end:
      begin_ending(reader.next<int>());
      break;
    case MessageKind::hurry:
      if (crew_.ending()) crew_.hurry();
      break;
    case MessageKind::stacks:
      for (const std::string& stacks : crew_.stacks()) tell(MessageKind::say, stacks);
      break;
    case MessageKind::sights:
      tell(MessageKind::sighted, encode_sights(crew_.ranks(), crew_.sights(), now_ns()));
      break;
    case MessageKind::output_taken:
      streams_.output_taken(message.body);
      break;
    case MessageKind::input:
      streams_.input(message.body);
      break;
    case MessageKind::pause:
      parent_paused_ = reader.next<bool>();
      break;
    case MessageKind::leave:
      told_to_leave_ = true;
      break;
    default:
      (void)exchange_.on_message(message);
  }
}

void Daemon::handle_branches() {
  for (const Message& message : branches_.take()) {
    if (message.kind == MessageKind::alive) continue;
    if (static_cast<int>(message.to) == host_)
      handle_message(message);
    else
      route(message);
  }
  for (const std::string& remark : branches_.take_remarks()) tell(MessageKind::say, remark);
  for (const Branches::Loss& loss : branches_.take_losses()) tell_failure(loss.failure);
}

void Daemon::handle_server_events() {
  for (ServerEvent& event : server_.take_events()) {
    if (const auto* news = std::get_if<RankEvent>(&event)) crew_.handle_event(*news);
    if (auto* call = std::get_if<FenceCall>(&event)) exchange_.on_call(std::move(*call));
    if (const auto* call = std::get_if<FetchCall>(&event)) exchange_.on_call(*call);
    if (const auto* fetched = std::get_if<Fetched>(&event)) exchange_.on_call(*fetched);
  }
}

void Daemon::handle_signals() {
  bool child_ended = false;
  while (const int signal = next_signal(signal_fd_)) {
    if (signal == SIGCHLD) child_ended = true;
    // Whoever ends the daemon ends the host's part of the job; mpirun sees the connection end.
    if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP) lost_parent("");
  }
  if (child_ended) {
    int status = 0;
    for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
      handle_server_events();  // the server had a rank's last call before the rank could exit
      if (!crew_.reaped(pid, status)) (void)branches_.reaped(pid, status);
    }
  }
  if (crew_.ending()) crew_.look_after_groups();
}

void Daemon::check_times() {
  crew_.handle_time();
  if (spec_.report_hang_seconds > 0 && crew_.standing() != standing_) {
    standing_ = crew_.standing();
    Writer writer;
    tell(MessageKind::standing, writer.put(standing_.unmoved).put(standing_.waits).take());
  }
  if (crew_.ending() && !quiet_told_ && !crew_.any_running() && !crew_.any_left()) {
    quiet_told_ = true;
    tell(MessageKind::quiet);
  }
  if (spec_.silent_seconds <= 0 || alone_) return;
  const Clock::time_point now = Clock::now();
  if (now - up_.sent() >= seconds(spec_.silent_seconds) / signs_of_life) tell(MessageKind::alive);
  if (!parent_paused_ && now >= up_.heard() + seconds(spec_.silent_seconds))
    lost_parent("nothing is heard from the host above");
}

void Daemon::begin_ending(int signal) { crew_.begin_ending(signal); }

// Nobody is there to hear why; it goes where the agent's words go.
void Daemon::lost_parent(const char* why) {
  if (alone_) return;
  alone_ = true;
  if (*why != '\0') (void)!write(STDERR_FILENO, (std::string(why) + "\n").c_str(), std::strlen(why) + 1);
  branches_.dismiss();
  branches_.close();
  crew_.begin_ending(SIGTERM);
}

void Daemon::take_leave() {
  branches_.dismiss();
  streams_.close_all();
  const Clock::time_point until = Clock::now() + leave_patience;
  std::vector<pollfd> wanted;
  while ((!branches_.all_gone() || (!up_.flushed() && !alone_)) && Clock::now() < until) {
    wanted.assign(1, {signal_fd_, POLLIN, 0});
    branches_.collect(wanted);
    up_.collect(wanted);
    (void)poll(wanted.data(), wanted.size(), 100);
    branches_.handle(wanted);
    up_.handle(wanted);
    handle_signals();
  }
  branches_.kill_agents();
}

}  // namespace ompi_lite::launcher
