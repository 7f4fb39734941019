// SPDX-License-Identifier: BSD-3-Clause
// What mpirun does about the other hosts of its job.
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>

#include "launcher/job.h"
#include "launcher/job_message.h"
#include "launcher/sight_message.h"
#include "launcher/signals.h"
#include "ompi_lite/base/clock.h"

namespace ompi_lite::launcher {
namespace {

// For the agents to go after their daemons have said good-bye.
constexpr std::chrono::seconds leave_patience{3};

}  // namespace

std::string Job::encode_for_hosts() const { return encode_job(spec_); }

// A rank of another host is about to be started.
void Job::await_rank(int rank) {
  ranks_[static_cast<std::size_t>(rank)].running = true;
  if (spec_.output_name.empty()) {
    output_.add_remote_stream(rank, OutputForwarder::Channel::out);
    output_.add_remote_stream(rank, OutputForwarder::Channel::err);
  }
  if (spec_.stdin_target.all || spec_.stdin_target.rank == rank) input_.add_remote_target(rank);
}

void Job::route(Message message) { branches_.send(static_cast<int>(message.to), message); }

void Job::tell_all(MessageKind kind, std::string body) {
  if (!branches_.none()) branches_.send_all(Message{kind, kEveryHost, 0, std::move(body)});
}

void Job::handle_branches() {
  for (const Message& message : branches_.take()) {
    if (message.to == 0)
      handle_message(message);
    else
      route(message);
  }
  for (const std::string& remark : branches_.take_remarks()) output_.say("mpirun: " + remark);
  for (const Branches::Loss& loss : branches_.take_losses()) lose_hosts(loss);
  send_streams();
  start_when_ready();
}

// The host and all that were reached through it.
void Job::lose_hosts(const Branches::Loss& loss) {
  for (std::size_t host = 1; host < hosts_.size(); ++host) {
    const bool behind = exchange_.shape().towards(0, static_cast<int>(host)) == loss.host;
    if (!behind) continue;
    hosts_[host].quiet = true;
    hosts_[host].standing = Standing{true, false};
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (spec_.host_of_rank[rank] != static_cast<int>(host)) continue;
      ranks_[rank].running = false;
      output_.end_remote_stream(static_cast<int>(rank), OutputForwarder::Channel::out);
      output_.end_remote_stream(static_cast<int>(rank), OutputForwarder::Channel::err);
      input_.remote_took(static_cast<int>(rank), 0);
    }
  }
  if (!ending_) fail(loss.failure);
}

void Job::handle_message(const Message& message) {
  if (message.from == 0 || message.from >= hosts_.size()) return;
  RemoteHost& host = hosts_[message.from];
  Reader reader(message.body);
  switch (message.kind) {
    case MessageKind::ready:
      host.ready = true;
      break;
    case MessageKind::quiet:
      host.quiet = true;
      break;
    case MessageKind::failed: {
      const auto code = reader.next<ExitCode>();
      const auto text = reader.next<std::string>();
      if (!ending_) fail(Failure{text, code});
      break;
    }
    case MessageKind::standing:
      reader.get(host.standing.unmoved);
      reader.get(host.standing.waits);
      break;
    case MessageKind::sighted:
      add_sights(message);
      break;
    case MessageKind::say:
      output_.say("mpirun: " + message.body);
      break;
    default:
      if (!exchange_.on_message(message)) handle_rank_message(message);
  }
}

void Job::add_sights(const Message& message) {
  std::vector<int> ranks;
  std::vector<RankSight> sights;
  if (!report_ || report_->awaited == 0 || !decode_sights(message.body, now_ns(), ranks, sights)) return;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] >= 0 && ranks[i] < spec_.size()) report_->sights[static_cast<std::size_t>(ranks[i])] = std::move(sights[i]);
  }
  --report_->awaited;
}

void Job::handle_rank_message(const Message& message) {
  Reader reader(message.body);
  const auto known = [&](int rank) {
    return rank >= 0 && rank < spec_.size() &&
           spec_.host_of_rank[static_cast<std::size_t>(rank)] == static_cast<int>(message.from);
  };
  switch (message.kind) {
    case MessageKind::started: {
      const auto rank = reader.next<int>();
      const auto pid = reader.next<pid_t>();
      if (known(rank)) on_started(rank, pid);
      break;
    }
    case MessageKind::output: {
      const auto rank = reader.next<int>();
      const auto channel = reader.next<OutputForwarder::Channel>();
      if (known(rank)) output_.feed(rank, channel, reader.rest());
      break;
    }
    case MessageKind::output_ended: {
      const auto rank = reader.next<int>();
      const auto channel = reader.next<OutputForwarder::Channel>();
      if (known(rank)) output_.end_remote_stream(rank, channel);
      break;
    }
    case MessageKind::input_taken: {
      const auto rank = reader.next<int>();
      const auto bytes = reader.next<std::uint64_t>();
      if (known(rank)) input_.remote_took(rank, bytes);
      break;
    }
    case MessageKind::rank_news: {
      RankEvent event;
      pid_t pid = -1;
      if (!decode_event(message.body, event, pid) || !known(event.rank)) break;
      if (event.news == RankNews::aborted) output_.drain_rank(event.rank);
      on_event(event, pid);
      if (verdict_.must_end_job()) begin_ending(SIGTERM);
      break;
    }
    case MessageKind::rank_ended: {
      RankEnd end;
      bool aborted = false;
      if (!decode_end(message.body, end, aborted) || !known(end.rank)) break;
      if (end.by_signal || end.code != 0 || end.connected) output_.drain_rank(end.rank);
      on_end(end, aborted);
      break;
    }
    default:
      break;  // alive
  }
}

// What the streams want to say to the hosts of their ranks.
void Job::send_streams() {
  const auto send = [&](int rank, MessageKind kind, std::string body) {
    const int host = spec_.host_of_rank[static_cast<std::size_t>(rank)];
    route(Message{kind, static_cast<std::uint32_t>(host), 0, std::move(body)});
  };
  for (const OutputForwarder::Credit& credit : output_.take_credits()) {
    Writer writer;
    send(credit.rank, MessageKind::output_taken, writer.put(credit.rank).put(credit.channel).put(credit.bytes).take());
  }
  for (const InputForwarder::Piece& piece : input_.take_pieces()) {
    Writer writer;
    send(piece.rank, MessageKind::input, writer.put(piece.rank).take().append(piece.bytes));
  }
}

// All is over. The daemons go by themselves; what does not is ended.
void Job::take_leave() {
  tell_all(MessageKind::leave);
  branches_.dismiss();
  const Clock::time_point until = Clock::now() + leave_patience;
  std::vector<pollfd> wanted;
  while (!branches_.all_gone() && Clock::now() < until) {
    wanted.assign(1, {options_.signal_fd, POLLIN, 0});
    branches_.collect(wanted);
    (void)poll(wanted.data(), wanted.size(), 100);
    branches_.handle(wanted);
    while (const int signal = next_signal(options_.signal_fd)) {
      if (signal == SIGINT || signal == SIGTERM) branches_.kill_agents();
    }
    reap_children();
  }
  branches_.kill_agents();
}

}  // namespace ompi_lite::launcher
