// SPDX-License-Identifier: BSD-3-Clause
// The loop of mpirun.
#include "launcher/job.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "launcher/signals.h"
#include "ompi_lite/base/clock.h"

namespace ompi_lite::launcher {
namespace {

// How long output may still come after the last rank has gone, from a child of a rank that holds the pipe open.
constexpr std::chrono::milliseconds late_output{2000};
// After a kill nobody writes any more; what is not out by then is stuck behind a reader that does not read.
constexpr std::chrono::milliseconds last_flush{10000};
// How often a job in the background looks whether it has come to the front.
constexpr std::chrono::milliseconds foreground_check{300};
// For other hosts to end their ranks, which takes them at most three steps of a bit more than a second.
constexpr std::chrono::seconds quiet_patience{8};
constexpr std::chrono::seconds stacks_patience{60};
// For other hosts to say where their ranks are.
constexpr std::chrono::seconds report_patience{2};
// After which the standing of all hosts is that of one moment.
constexpr std::chrono::seconds standing_delay{1};

}  // namespace

Job::Job(const JobSpec& spec, const JobOptions& options, HostSetup setup, PmixServer& server, Watcher& watcher)
    : spec_(spec),
      options_(options),
      setup_(std::move(setup)),
      server_(server),
      watcher_(watcher),
      verdict_(spec.hosts, spec.host_of_rank),
      output_(options.tag_output),
      crew_(spec, 0, server, watcher, *this),
      next_stream_(spec.size()),
      branches_(spec, 0),
      exchange_(spec, 0, TreeShape{static_cast<int>(spec.hosts.size()), spec.fan_out}, server, *this),
      ranks_(static_cast<std::size_t>(spec.size())),
      hosts_(spec.hosts.size()),
      started_(Clock::now()) {
  hosts_[0] = RemoteHost{true, true};
  if (options_.timeout_seconds > 0) {
    limit_ = started_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.timeout_seconds));
  }
}

int Job::run() {
  if (hosts_.size() > 1) {
    if (const MaybeFailure failure = branches_.start(encode_for_hosts())) fail(*failure);
  }
  start_when_ready();
  serve_until_gone();
  if (const std::string problem = output_.write_problem(); !problem.empty() && verdict_.exit_code() == 0) {
    verdict_.end_job(static_cast<int>(ExitCode::failure), "output of the ranks is lost: " + problem);
    speak_messages();
  }
  if (!branches_.none()) take_leave();
  return verdict_.exit_code();
}

void Job::fail(const Failure& failure) {
  verdict_.end_job(static_cast<int>(failure.code), failure.text);
  speak_messages();
  begin_ending(SIGTERM);
}

// No rank is started before every host has found its programs and is ready.
void Job::start_when_ready() {
  if (begun_ || ending_ || !std::ranges::all_of(hosts_, &RemoteHost::ready)) return;
  begun_ = true;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (spec_.host_of_rank[rank] != 0) await_rank(static_cast<int>(rank));
  }
  tell_all(MessageKind::start);
  if (const MaybeFailure failure = crew_.start(setup_)) fail(*failure);
}

void Job::on_started(int rank, pid_t pid) {
  ranks_[static_cast<std::size_t>(rank)] = Rank{pid, true};
  if (!spec_.verbose) return;
  output_.say("mpirun: rank " + std::to_string(rank) + " on " + spec_.host_of(rank) + " has pid " + std::to_string(pid));
}

void Job::on_output(int rank, int fd, OutputForwarder::Channel channel) { output_.add_stream(rank, fd, channel); }

void Job::on_input(int, int fd) { input_.add_target(fd); }

void Job::on_last_words(int rank) { output_.drain_rank(rank); }

void Job::on_event(const RankEvent& event, pid_t pid) {
  if (event.news == RankNews::connected) verdict_.connected(event.rank);
  if (event.news == RankNews::aborted) verdict_.aborted(event.rank, pid, event.abort_code, event.abort_text);
}

void Job::on_end(const RankEnd& end, bool aborted) {
  ranks_[static_cast<std::size_t>(end.rank)].running = false;
  if (!aborted) verdict_.ended(end);
  if (verdict_.must_end_job()) begin_ending(SIGTERM);
}

bool Job::any_running() const {
  return std::ranges::any_of(ranks_, [](const Rank& rank) { return rank.running; }) ||
         std::ranges::any_of(worlds_, [](const auto& world) { return world->crew().any_running(); });
}

// In an ending: nothing is left anywhere, or the hosts have had their time.
bool Job::all_quiet() const {
  if (crew_.any_left()) return false;
  if (std::ranges::any_of(worlds_, [](const auto& world) { return world->crew().any_left(); })) return false;
  return std::ranges::all_of(hosts_, &RemoteHost::quiet) || Clock::now() >= *quiet_limit_;
}

void Job::serve_until_gone() {
  std::vector<pollfd> wanted;
  while (true) {
    const bool gone = ending_ ? all_quiet() : begun_ && !any_running();
    if (gone && all_is_out()) return;
    wanted.clear();
    wanted.push_back({options_.signal_fd, POLLIN, 0});
    wanted.push_back({server_.event_fd(), POLLIN, 0});
    output_.collect(wanted);
    input_.collect(wanted);
    branches_.collect(wanted);
    (void)poll(wanted.data(), wanted.size(), poll_timeout_ms());
    input_.look_again();
    handle_server_events();
    output_.handle(wanted);
    input_.handle(wanted);
    if (!branches_.none()) {
      branches_.handle(wanted);
      handle_branches();
    }
    handle_signals();
    handle_time();
    look_after_worlds();
    speak_messages();
  }
}

// After the last rank: true when there is nothing more to wait for.
bool Job::all_is_out() {
  const Clock::time_point now = Clock::now();
  // A slow reader gets all it wants to read; only silence counts as the end of late output.
  if (!last_rank_gone_ || (!ending_ && !output_.is_flushed())) last_rank_gone_ = now;
  if (!finished_ && (output_.all_ended() || now >= *last_rank_gone_ + late_output)) {
    output_.finish();
    speak_messages();
    finished_ = true;
  }
  if (!finished_) return false;
  return output_.is_flushed() || impatient_ || (ending_ && now >= *last_rank_gone_ + last_flush);
}

int Job::poll_timeout_ms() const {
  std::optional<Clock::time_point> first;
  const auto consider = [&](std::optional<Clock::time_point> when) {
    if (when && (!first || *when < *first)) first = when;
  };
  if (!ending_) consider(limit_);
  consider(crew_.next_time());
  for (const auto& world : worlds_) consider(world->crew().next_time());
  consider(branches_.next_time());
  if (ending_) consider(quiet_limit_);
  if (report_) consider(report_->until);
  if (unmoved_since_ && !ending_ && !hang_reported_)
    consider(std::max(*unmoved_since_ + standing_delay, Clock::now() + standing_delay / 4));
  if (last_rank_gone_) consider(*last_rank_gone_ + (finished_ ? last_flush : late_output));
  if (input_.is_held_back()) consider(Clock::now() + foreground_check);
  Clock::time_point piece;
  if (output_.next_deadline(piece)) consider(piece);
  if (!first) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - Clock::now()).count();
  return static_cast<int>(std::clamp<long>(left, 0, 60'000));
}

void Job::handle_server_events() {
  for (ServerEvent& event : server_.take_events()) {
    if (const auto* news = std::get_if<RankEvent>(&event))
      news->world == 0 ? crew_.handle_event(*news) : hand_to_world(*news);
    if (auto* call = std::get_if<SpawnCall>(&event)) spawn(std::move(*call));
    if (auto* call = std::get_if<FenceCall>(&event)) exchange_.on_call(std::move(*call));
    if (const auto* call = std::get_if<FetchCall>(&event)) exchange_.on_call(*call);
    if (const auto* fetched = std::get_if<Fetched>(&event)) exchange_.on_call(*fetched);
  }
  if (verdict_.must_end_job()) begin_ending(SIGTERM);
}

void Job::handle_signals() {
  bool child_ended = false;
  while (const int signal = next_signal(options_.signal_fd)) {
    if (signal == SIGCHLD)
      child_ended = true;
    else
      handle_signal(signal);
  }
  if (child_ended) reap_children();
  if (ending_) for_each_crew([](Crew& crew) { crew.look_after_groups(); });
}

void Job::handle_signal(int signal) {
  switch (signal) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
      impatient_ = !any_running();
      if (!ending_) {
        verdict_.end_job(128 + signal, "got " + signal_text(signal) + ", the job ends");
        begin_ending(signal);
      } else {
        for_each_crew([](Crew& crew) { crew.hurry(); });
        tell_all(MessageKind::hurry);
      }
      break;
    case SIGUSR2:
      if (!report_) begin_report("mpirun: where the ranks are:", false);
      break;
    case SIGTSTP:
      signal_ranks(SIGTSTP);
      branches_.pause(true);
      (void)kill(getpid(), SIGSTOP);
      break;
    case SIGCONT:
      branches_.pause(false);
      signal_ranks(SIGCONT);
      break;
    default:
      signal_ranks(signal);
  }
}

void Job::signal_ranks(int signal) {
  for_each_crew([&](Crew& crew) { crew.signal_all(signal); });
  Writer writer;
  tell_all(MessageKind::signal, writer.put(signal).take());
}

void Job::reap_children() {
  int status = 0;
  for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
    // The server had a rank's last call before the rank could exit, so its events are in the queue by now.
    handle_server_events();
    if (!crew_.reaped(pid, status) && !reaped_in_world(pid, status)) (void)branches_.reaped(pid, status);
  }
}

void Job::begin_ending(int signal) {
  if (ending_) return;
  ending_ = true;
  if (!begun_) {
    for (RemoteHost& host : hosts_) host.quiet = true;  // no rank has been started anywhere
  }
  for_each_crew([&](Crew& crew) { crew.begin_ending(signal); });
  Writer writer;
  tell_all(MessageKind::end, writer.put(signal).take());
  quiet_limit_ = Clock::now() + quiet_patience + (options_.stack_traces ? stacks_patience : std::chrono::seconds(0));
}

void Job::handle_time() {
  output_.show_idle_pieces();
  for_each_crew([](Crew& crew) { crew.handle_time(); });
  const Clock::time_point now = Clock::now();
  if (!ending_ && spec_.report_hang_seconds > 0) watch_for_hangs();
  if (report_ && (report_->awaited == 0 || now >= report_->until)) finish_report();
  if (!ending_ && limit_ && now >= *limit_) time_limit_reached();
}

void Job::watch_for_hangs() {
  hosts_[0].standing = crew_.standing();
  for (const auto& world : worlds_) {
    const Standing standing = world->crew().standing();
    hosts_[0].standing.unmoved = hosts_[0].standing.unmoved && standing.unmoved;
    hosts_[0].standing.waits = hosts_[0].standing.waits || standing.waits;
  }
  const bool unmoved = std::ranges::all_of(hosts_, [](const RemoteHost& host) { return host.standing.unmoved; });
  const bool waits = std::ranges::any_of(hosts_, [](const RemoteHost& host) { return host.standing.waits; });
  if (!unmoved || !any_running()) {
    hang_reported_ = false;
    unmoved_since_.reset();
    return;
  }
  // Hosts tell of their standing one after the other, and of a move late.
  if (!unmoved_since_) unmoved_since_ = Clock::now();
  const bool settled = hosts_.size() == 1 || Clock::now() >= *unmoved_since_ + standing_delay;
  if (!waits || !settled || hang_reported_ || report_) return;
  hang_reported_ = true;
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "mpirun: nothing has moved for %g s:", spec_.report_hang_seconds);
  begin_report(text.data(), false);
}

void Job::time_limit_reached() {
  limit_.reset();
  if (options_.stack_traces) {
    tell_all(MessageKind::stacks);
    for_each_crew([&](Crew& crew) {
      for (const std::string& stacks : crew.stacks()) output_.say("mpirun: " + stacks);
    });
  }
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "the time limit of %g s is over, the job ends", options_.timeout_seconds);
  begin_report(text.data(), true);
}

// Where the ranks of this host are is known at once; the others are asked.
void Job::begin_report(std::string title, bool ends_job) {
  Report report{std::move(title), ends_job, std::vector<RankSight>(ranks_.size()), 0, Clock::now() + report_patience};
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    report.sights[rank].stage = ranks_[rank].running || !begun_ ? RankStage::not_begun : RankStage::gone;
  }
  const std::vector<int>& own = crew_.ranks();
  std::vector<RankSight> seen = crew_.sights();
  for (std::size_t i = 0; begun_ && i < own.size(); ++i)
    report.sights[static_cast<std::size_t>(own[i])] = std::move(seen[i]);
  if (begun_) {
    tell_all(MessageKind::sights);
    report.awaited =
        static_cast<std::size_t>(std::ranges::count_if(hosts_, [](const RemoteHost& host) { return !host.quiet; }));
  }
  report_ = std::move(report);
  if (report_->awaited == 0) finish_report();
}

// Its lines are indented under the title.
void Job::finish_report() {
  std::string text = report_->title;
  for (const std::string& line : report_lines(report_->sights, now_ns())) text += "\n  " + line;
  const bool ends_job = report_->ends_job;
  report_.reset();
  if (!ends_job) return output_.say(text);
  verdict_.end_job(static_cast<int>(ExitCode::timed_out), text);
  begin_ending(SIGTERM);
}

void Job::speak_messages() {
  for (const std::string& message : verdict_.take_messages()) output_.say("mpirun: " + message);
}

}  // namespace ompi_lite::launcher
