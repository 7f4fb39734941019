// SPDX-License-Identifier: BSD-3-Clause
// How connections come about. If both sides connect at the same time the attempt of the lower id wins: the lower one answers
// "busy" to the other, the higher one drops its own attempt when it welcomes. Frames flow only on a welcomed connection, so
// none can overtake another.
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "btl/tcp/transport.h"
#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::tcp {

extern constinit Knob<const char*> wanted_interfaces, unwanted_interfaces, ports;
constinit Knob<double> connect_timeout{"tcp_connect_timeout", 30.0, Unit::seconds,
                                       "how long all addresses of a peer are tried before it counts as lost"};
constinit Knob<double> lost_time{
    "tcp_lost_time", 60.0, Unit::seconds,
    "how long a peer's machine may leave what is sent to it unacknowledged until the peer counts as lost; 0: for ever"};

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kAttemptNs = 3 * kSecond;    // for one address, at most
constexpr std::int64_t kAnswerNs = 10 * kSecond;    // for a peer that may be busy, before another of its addresses is tried
constexpr int kRounds = 5;                          // through all addresses, before a peer is given up
constexpr std::int64_t kStrangerNs = 10 * kSecond;  // for whoever connects, to prove who it is
constexpr std::int64_t kRoundNs = kSecond / 5;      // between two rounds through the addresses
constexpr std::int64_t kBusyNs = kSecond;           // for the peer that said busy, to come itself
constexpr int kMostStrangers = 64;

std::int64_t timeout_ns() { return static_cast<std::int64_t>(connect_timeout.value() * 1e9); }

// What was tried from here, and how each address of the peer answered.
std::string attempts_text(const Peer& to) {
  std::string text = "no connection from " + os::host_name() + " to it";
  for (std::size_t i = 0; i < to.addresses.size(); ++i) {
    const std::string& failure = i < to.failures.size() ? to.failures[i] : std::string();
    text += (i == 0 ? " at " : "; ") + text_of(to.addresses[i], to.port) + ": " + (failure.empty() ? "no answer" : failure);
  }
  return text;
}

template <class Message>
std::span<const std::byte> bytes_of(const Message& message) {
  return std::as_bytes(std::span(&message, 1));
}

}  // namespace

Connection& TcpTransport::adopt(os::Fd fd, Connection::State state, std::int64_t limit_ns) {
  connections_.push_back(std::make_unique<Connection>(std::move(fd), state, now_ns() + limit_ns));
  Connection& connection = *connections_.back();
  update_live();
  epoll_event event{.events = EPOLLIN, .data = {.ptr = &connection}};
  if (state == Connection::State::connecting) event.events |= EPOLLOUT;
  connection.watched_for_write = state == Connection::State::connecting;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection.fd(), &event) != 0) {
    OL_LOG(error, "epoll_ctl: %s", strerror(errno));
  }
  ++undecided_;
  return connection;
}

void TcpTransport::accept_all() {
  for (os::Fd fd = accept_one(listener_.fd.get()); fd; fd = accept_one(listener_.fd.get())) {
    drop_oldest_stranger();
    adopt(std::move(fd), Connection::State::hello_awaited, kStrangerNs);
  }
}

void TcpTransport::drop_oldest_stranger() {
  auto stranger = [](const auto& each) { return each->accepted_but_unproven(); };
  if (std::count_if(connections_.begin(), connections_.end(), stranger) < kMostStrangers) return;
  auto oldest = std::find_if(connections_.begin(), connections_.end(), stranger);
  (*oldest)->close();
  --undecided_;
}

void TcpTransport::start_attempt(Peer& to) {
  if (to.give_up_at_ns == 0) to.give_up_at_ns = now_ns() + timeout_ns();
  while (to.next_address < to.addresses.size()) {
    const HostAddress& address = to.addresses[to.next_address];
    OL_LOG(debug, "peer %d: connecting to %s", to.id, text_of(address, to.port).c_str());
    auto fd = start_connect(address, to.port);
    if (fd) {
      Connection& connection =
          adopt(std::move(fd).value(), Connection::State::connecting, std::min(kAttemptNs, timeout_ns() / kRounds));
      connection.peer = &to;
      to.attempt = &connection;
      return;
    }
    to.failures[to.next_address] = fd.error().sentence();
    ++to.next_address;
  }
  to.next_address = 0;  // the next round
  ++to.rounds_failed;
  to.retry_at_ns = now_ns() + kRoundNs;
}

void TcpTransport::attempt_failed(Peer& to, const std::string& why) {
  to.failures[to.next_address] = why;
  OL_LOG(debug, "peer %d: %s: %s", to.id, text_of(to.addresses[to.next_address], to.port).c_str(), why.c_str());
  if (to.attempt) {
    to.attempt->close();
    --undecided_;
    to.attempt = nullptr;
  }
  ++to.next_address;
  start_attempt(to);
}

// A port that is closed by now, or was never there.
void TcpTransport::refuse(Connection& connection) {
  connection.queue(bytes_of(kNoSuchPort));
  connection.flush();
  connection.close();
  --undecided_;
}

// Connected, but no answer: the peer computes and does not look. That may take hours, and is no reason to give it up.
void TcpTransport::still_silent(Peer& to) {
  OL_LOG(debug, "peer %d does not answer at %s", to.id, text_of(to.addresses[to.next_address], to.port).c_str());
  to.rounds_failed = 0;
  to.give_up_at_ns = now_ns() + timeout_ns();
  if (to.addresses.size() == 1) {
    to.attempt->deadline_ns = now_ns() + kAnswerNs;
    return;
  }
  attempt_failed(to, "no answer");
}

void TcpTransport::give_up(Peer& to, const std::string& why) {
  if (to.attempt) {
    to.attempt->close();
    --undecided_;
    to.attempt = nullptr;
  }
  if (to.wanted) --undecided_;
  to.wanted = false;
  to.lost = true;
  to.waiting.clear();
  to.why_lost = why;
  newly_lost_.push_back(&to);
}

void TcpTransport::check_times() {
  std::int64_t now = now_ns();
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    Connection& connection = *connections_[i];
    if (connection.state == Connection::State::open || connection.state == Connection::State::closed) continue;
    if (connection.proven) {
      const PeerId caller = directory_.find(connection.hello.from);
      if (caller >= 0 && !peer(caller).open) {
        connection.proven = false;
        decide(connection, peer(caller));
        continue;
      }
    }
    if (now < connection.deadline_ns) continue;
    bool reached = connection.state == Connection::State::hello_sent || connection.state == Connection::State::answer_sent;
    if (reached) {
      still_silent(*connection.peer);
    } else {
      broken(connection, "no answer");
    }
  }
  for (auto& [id, entry] : peers_) {
    Peer& to = *entry;
    if (!to.wanted) continue;
    if (!to.attempt && now >= to.give_up_at_ns && to.rounds_failed >= kRounds) {
      give_up(to, attempts_text(to));
    } else if (!to.attempt && now >= to.retry_at_ns) {
      start_attempt(to);
    }
  }
}

// A machine that has gone, or to which the way is cut, says nothing at all.
void TcpTransport::check_health() {
  const std::int64_t now = now_ns();
  if (lost_time.value() <= 0 || now < next_health_ns_) return;
  const auto limit_ns = static_cast<std::int64_t>(lost_time.value() * 1e9);
  next_health_ns_ = now + std::min(kSecond, limit_ns / 4);
  for (auto& entry : connections_) {
    Connection& connection = *entry;
    if (connection.state != Connection::State::open) continue;
    if (!unanswered(connection.fd())) {
      connection.unanswered_since_ns = 0;
    } else if (connection.unanswered_since_ns == 0) {
      connection.unanswered_since_ns = now;
    } else if (now - connection.unanswered_since_ns >= limit_ns) {
      char text[96];
      std::snprintf(text, sizeof text, "its machine has not answered for %g s (knob tcp_lost_time)", lost_time.value());
      broken(connection, text);
    }
  }
}

bool TcpTransport::advance(Connection& connection, bool readable, Receiver& receiver) {
  bool found = false;
  if (connection.state == Connection::State::connecting) {
    hello(connection);
    return true;
  }
  if (readable) {
    switch (connection.state) {
      case Connection::State::hello_sent:
        on_challenge(connection);
        break;
      case Connection::State::answer_sent:
        on_verdict(connection);
        break;
      case Connection::State::hello_awaited:
        on_hello(connection);
        break;
      case Connection::State::answer_awaited:
        if (!connection.proven) on_answer(connection);
        break;
      default:
        break;
    }
    if (connection.state == Connection::State::open) found = read_frames(connection, receiver);
  }
  if (connection.state == Connection::State::closed) return true;
  if (connection.unsent()) found = true;
  connection.flush();  // a broken stream shows when it is read
  watch(connection);
  close_if_parted(connection);
  return found;
}

void TcpTransport::hello(Connection& connection) {
  if (int why = connect_result(connection.fd())) return broken(connection, strerror(why));
  const PeerId to = connection.peer->id;
  connection.hello = Hello{kMagic, directory_.name(self_), directory_.name(to), directory_.port_of(to), fresh_nonce()};
  connection.secret = connection.hello.port != 0 ? directory_.secret_of_call(to) : directory_.secret(to);
  connection.queue(bytes_of(connection.hello));
  connection.flush();
  connection.state = Connection::State::hello_sent;
  connection.deadline_ns = now_ns() + kAnswerNs;
  watch(connection);
}

void TcpTransport::on_challenge(Connection& connection) {
  Challenge challenge;
  std::int64_t rc = connection.receive(challenge);
  if (rc < 0) broken(connection, rc == -EPIPE ? "it hung up: not the peer" : strerror(static_cast<int>(-rc)));
  if (rc != 1) return;
  if (connection.hello.port != 0 && challenge.nonce == kNoSuchPort.nonce && challenge.proof == kNoSuchPort.proof) {
    Peer& to = *connection.peer;
    return give_up(to, "it has no such port open");
  }
  if (challenge.proof != proof_of(Side::listener, connection.secret, connection.hello, challenge.nonce)) {
    return broken(connection, "whoever listens there does not know the job's secret");
  }
  connection.queue(bytes_of(Answer{proof_of(Side::connector, connection.secret, connection.hello, challenge.nonce)}));
  connection.state = Connection::State::answer_sent;
}

void TcpTransport::on_verdict(Connection& connection) {
  Verdict verdict;
  std::int64_t rc = connection.receive(verdict);
  if (rc < 0) broken(connection, rc == -EPIPE ? "it hung up" : strerror(static_cast<int>(-rc)));
  if (rc != 1) return;
  Peer& to = *connection.peer;
  if (verdict == Verdict::welcome) return opened(connection, to);
  connection.close();  // the peer's own attempt is on its way
  --undecided_;
  to.attempt = nullptr;
  to.retry_at_ns = now_ns() + kBusyNs;
}

void TcpTransport::on_hello(Connection& connection) {
  std::int64_t rc = connection.receive(connection.hello);
  if (rc < 0) broken(connection, "it left without a word");
  if (rc != 1) return;
  const Hello& theirs = connection.hello;
  if (theirs.magic != kMagic || theirs.to != directory_.name(self_) || theirs.from == theirs.to) {
    return broken(connection, "not for this process");
  }
  if (theirs.port != 0) {
    const Secret* secret = directory_.port_secret(theirs.port);
    if (secret == nullptr) return refuse(connection);
    connection.secret = *secret;
  } else {
    const PeerId from = directory_.find(theirs.from);
    if (from < 0 || from == self_) return broken(connection, "of a process that we do not know");
    connection.secret = directory_.secret(from);
  }
  connection.listener_nonce = fresh_nonce();
  connection.queue(bytes_of(
      Challenge{connection.listener_nonce, proof_of(Side::listener, connection.secret, theirs, connection.listener_nonce)}));
  connection.state = Connection::State::answer_awaited;
}

void TcpTransport::on_answer(Connection& connection) {
  Answer answer;
  std::int64_t rc = connection.receive(answer);
  if (rc < 0) broken(connection, "it left without an answer");
  if (rc != 1) return;
  if (answer.proof != proof_of(Side::connector, connection.secret, connection.hello, connection.listener_nonce)) {
    return broken(connection, "it does not know the job's secret");
  }
  const Hello& theirs = connection.hello;
  const PeerId caller = theirs.port != 0 ? directory_.admit(theirs.from, theirs.port) : directory_.find(theirs.from);
  if (caller < 0) return broken(connection, "it may not call here any more");
  Peer& from = peer(caller);
  if (from.open && from.open->parting) {
    connection.proven = true;  // the other side has closed the earlier one, and we have not read all of it yet
    return;
  }
  decide(connection, from);
}

void TcpTransport::decide(Connection& connection, Peer& from) {
  bool ours_wins = from.attempt && connection.hello.to < connection.hello.from;
  if (from.open || from.lost || ours_wins) {
    connection.queue(bytes_of(Verdict::busy));
    connection.flush();
    connection.close();
    --undecided_;
    return;
  }
  if (from.attempt) {
    from.attempt->close();
    --undecided_;
    from.attempt = nullptr;
  }
  connection.queue(bytes_of(Verdict::welcome));
  connection.flush();
  opened(connection, from);
}

void TcpTransport::opened(Connection& connection, Peer& with) {
  OL_LOG(debug, "peer %d is connected", with.id);
  connection.open();
  watch_idle(connection.fd(), lost_time.value());
  --undecided_;
  connection.peer = &with;
  with.attempt = nullptr;
  with.open = &connection;
  if (with.wanted) --undecided_;
  with.wanted = false;
  connection.queue(with.waiting);
  with.waiting = {};
}

KnobGroup knobs() {
  static constexpr KnobBase* kKnobs[] = {&wanted_interfaces, &unwanted_interfaces, &ports, &connect_timeout, &lost_time};
  return {"btl/tcp", kKnobs};
}

void TcpTransport::broken(Connection& connection, const std::string& why) {
  Connection::State state = connection.state;
  Peer* with = connection.peer;
  if (state == Connection::State::open) {
    connection.close();
    with->open = nullptr;
    if (with->left || with->lost || connection.parting) return connect_again(*with);
    return give_up(*with, why);
  }
  if (with && with->attempt == &connection) return attempt_failed(*with, why);
  OL_LOG(debug, "a connection is refused: %s", why.c_str());
  connection.close();
  --undecided_;
}

}  // namespace ompi_lite::btl::tcp
