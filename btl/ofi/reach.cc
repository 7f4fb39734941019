// SPDX-License-Identifier: BSD-3-Clause
// How the way to a peer is found, and lost. libfabric connects by itself when something is sent, and says only "later" until
// it has: also for ever, to a process that does not exist. So nothing of the application's is sent before a greeting has
// left; over sockets a connection of our own shows before that whether anybody listens there.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "btl/ofi/settings.h"
#include "btl/ofi/transport.h"
#include "btl/tcp/socket.h"
#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::ofi {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kAttemptNs = 3 * kSecond;
constexpr std::int64_t kRoundNs = kSecond / 5;  // between two attempts
constexpr int kRounds = 5;                      // before a peer is given up

std::int64_t timeout_ns() { return static_cast<std::int64_t>(connect_timeout.value() * 1e9); }

constexpr std::int64_t kFirstCheckNs = kSecond;
constexpr std::int64_t kLastCheckNs = 60 * kSecond;  // between two checks of a peer that answers and sends nothing

}  // namespace

void OfiTransport::start(Peer& to) {
  if (!to.undecided) {
    to.undecided = true;
    undecided_.push_back(&to);
  }
  const std::int64_t now = now_ns();
  if (to.give_up_at_ns == 0) to.give_up_at_ns = now + timeout_ns();
  to.deadline_ns = now + std::min(kAttemptNs, timeout_ns() / kRounds);
  if (to.socket.host.family == 0) {
    to.stage = Peer::Stage::greeting;
    return greet(to);
  }
  to.stage = Peer::Stage::probing;
  auto fd = tcp::start_connect(to.socket.host, to.socket.port);
  if (!fd) return attempt_failed(to, fd.error().sentence());
  to.probe = std::move(fd).value();
}

void OfiTransport::probe(Peer& to) {
  if (!to.probe) {
    if (now_ns() >= to.retry_at_ns) start(to);
    return;
  }
  pollfd writable{to.probe.get(), POLLOUT, 0};
  if (::poll(&writable, 1, 0) == 0) {
    if (now_ns() >= to.deadline_ns) attempt_failed(to, "no answer");
    return;
  }
  const int why = tcp::connect_result(to.probe.get());
  if (why != 0) return attempt_failed(to, std::strerror(why));
  to.probe.reset();
  to.stage = Peer::Stage::greeting;
  greet(to);
}

void OfiTransport::greet(Peer& to) {
  if (now_ns() < to.retry_at_ns) return;
  if (to.number == FI_ADDR_NOTAVAIL) {
    if (const std::int64_t rc = fabric_->insert(to.name, to.number)) {
      to.number = FI_ADDR_NOTAVAIL;
      return attempt_failed(to, fabric_->text(rc));
    }
  }
  // Never small enough for fi_inject: a completion has to come.
  Slot* slot = fabric_->take_slot();
  if (slot == nullptr) return;
  const FrameHead head = next_head(to, FrameKind::greeting);
  std::memcpy(slot->data, &head, sizeof head);
  slot->peer = &to;
  slot->greeting = true;
  const std::int64_t rc = fabric_->send(to.number, *slot, sizeof head);
  if (rc == 0) {
    to.stage = Peer::Stage::greeted;
    return;
  }
  fabric_->give_back(*slot);
  if (rc != -FI_EAGAIN) return attempt_failed(to, fabric_->text(rc));
  // It may well compute, and not look: that may take hours, and is no reason to give it up.
  if (!to.warned && now_ns() >= to.give_up_at_ns) {
    to.warned = true;
    OL_LOG(warn, "peer %d has not answered for %g s by libfabric (provider %s on %s of %s)", to.id, connect_timeout.value(),
           fabric_->info().fabric_attr->prov_name, fabric_->info().domain_attr->name, os::host_name().c_str());
  }
}

void OfiTransport::attempt_failed(Peer& to, const std::string& why) {
  to.failure = why;
  OL_LOG(debug, "peer %d is not reached by libfabric: %s", to.id, why.c_str());
  to.probe.reset();
  ++to.rounds_failed;
  const std::int64_t now = now_ns();
  to.stage = to.socket.host.family == 0 ? Peer::Stage::greeting : Peer::Stage::probing;
  to.retry_at_ns = now + kRoundNs;
  if (now < to.give_up_at_ns || to.rounds_failed < kRounds) return;
  const std::string there = to.socket.host.family == 0 ? "" : " at " + tcp::text_of(to.socket.host, to.socket.port);
  give_up(to, "no connection from " + os::host_name() + " to it" + there + " by libfabric (provider " +
                  fabric_->info().fabric_attr->prov_name + " on " + fabric_->info().domain_attr->name + "): " + why);
}

void OfiTransport::give_up(Peer& to, const std::string& why) {
  if (to.lost) return;
  to.lost = true;
  to.probe.reset();
  to.waiting.clear();
  to.waiting_bytes = 0;
  to.held.clear();
  to.why_lost = why;
  newly_lost_.push_back(&to);
}

// ofi_rxm closes a connection that breaks, and connects anew when something is sent: for ever, and without a word. So we see
// for ourselves, from time to time and less and less often, whether somebody listens where the peer did. A process that is
// merely stopped or busy does: its kernel answers.
void OfiTransport::check_health() {
  const std::int64_t now = now_ns();
  if (now < next_health_ns_) return;
  next_health_ns_ = now + kSecond / 10;
  for (const auto& entry : peers_)
    if (entry && entry->stage == Peer::Stage::open && !entry->lost && !entry->left) check(*entry, now);
}

void OfiTransport::check(Peer& with, std::int64_t now) {
  if (with.heard || with.check_at_ns == 0) {
    with.heard = false;
    with.unanswered_since_ns = 0;
    with.check_every_ns = kFirstCheckNs;
    with.check_at_ns = now + kFirstCheckNs;
    with.probe.reset();
    return;
  }
  std::string why = "no answer";
  if (with.probe) {
    pollfd writable{with.probe.get(), POLLOUT, 0};
    if (::poll(&writable, 1, 0) == 0 && now < with.deadline_ns) return;
    const int failed = writable.revents == 0 ? ETIMEDOUT : tcp::connect_result(with.probe.get());
    with.probe.reset();
    with.check_every_ns = failed != 0 ? kFirstCheckNs : std::min(2 * with.check_every_ns, kLastCheckNs);
    with.check_at_ns = now + with.check_every_ns;
    if (failed == 0) {
      with.unanswered_since_ns = 0;
      return;
    }
    if (failed == ECONNREFUSED)
      return give_up(with, "it does not listen any more at " + tcp::text_of(with.socket.host, with.socket.port));
    why = std::strerror(failed);
  } else {
    if (now < with.check_at_ns) return;
    with.deadline_ns = now + kAttemptNs;
    auto fd = tcp::start_connect(with.socket.host, with.socket.port);
    if (fd) {
      with.probe = std::move(fd).value();
      return;
    }
    with.check_at_ns = now + kFirstCheckNs;
    why = fd.error().sentence();
  }
  if (with.unanswered_since_ns == 0) with.unanswered_since_ns = now;
  if (lost_time.value() <= 0 || static_cast<double>(now - with.unanswered_since_ns) < lost_time.value() * 1e9) return;
  char text[160];
  std::snprintf(text, sizeof text, "its machine has not answered for %g s (knob ofi_lost_time): %s", lost_time.value(),
                why.c_str());
  give_up(with, text);
}

void OfiTransport::advance(Peer& to) {
  switch (to.stage) {
    case Peer::Stage::probing:
      return probe(to);
    case Peer::Stage::greeting:
      return greet(to);
    case Peer::Stage::open:
      flush_waiting(to);
      return;
    case Peer::Stage::strange:
    case Peer::Stage::greeted:
      return;
  }
}

// True if something moved.
bool OfiTransport::advance_all() {
  bool moved = false;
  for (std::size_t i = 0; i < undecided_.size(); ++i) {
    Peer& to = *undecided_[i];
    const auto stage = to.stage;
    const std::size_t waiting = to.waiting.size();
    if (!to.lost) advance(to);
    moved |= to.stage != stage || to.waiting.size() != waiting;
  }
  std::erase_if(undecided_, [](Peer* each) {
    if (!each->lost && (each->stage != Peer::Stage::open || !each->waiting.empty())) return false;
    each->undecided = false;
    return true;
  });
  return moved;
}

bool OfiTransport::report_lost(Receiver& receiver) {
  while (!newly_lost_.empty()) {
    Peer* lost = newly_lost_.back();
    newly_lost_.pop_back();
    receiver.on_lost(lost->id,
                     make_error(ErrorClass::proc_aborted, "peer %d is lost: %s", lost->id, lost->why_lost.c_str()));
  }
  return true;
}

}  // namespace ompi_lite::btl::ofi
