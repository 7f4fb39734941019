// SPDX-License-Identifier: BSD-3-Clause
// TCP: one connection per pair of processes, made by the first send of either.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "btl/beside.h"
#include "btl/btl.h"
#include "btl/tcp/connection.h"
#include "btl/tcp/socket.h"

namespace ompi_lite::btl::tcp {

// What is known of one other process. Owned by the transport; endpoints point to it.
struct Peer {
  PeerId id = 0;
  std::vector<HostAddress> addresses;  // in the order in which they are tried
  std::uint16_t port = 0;
  std::size_t next_address = 0;
  Connection* attempt = nullptr;  // ours, not yet open
  Connection* open = nullptr;
  std::vector<std::byte> waiting;     // frames for when it is open, as they go out
  std::int64_t retry_at_ns = 0;       // no attempt before
  std::int64_t give_up_at_ns = 0;     // not before, and
  int rounds_failed = 0;              // not before so many rounds through all addresses failed
  bool wanted = false;                // something waits to be sent
  bool lost = false;                  // for ever
  bool left = false;                  // said goodbye
  std::vector<std::string> failures;  // of each address, the newest
  std::string why_lost;
};

// Owned by the Process; one thread at a time. Strangers who connect get nowhere without the job's secret, and are dropped
// after a while if they stay silent.
class TcpTransport final : public Transport, public PollSet {
 public:
  static Result<std::unique_ptr<Transport>> make(const Setup& setup);
  TcpTransport(const Setup& setup, Listener listener, os::Fd epoll, std::vector<Interface> own,
               std::vector<Interface> chosen);
  ~TcpTransport() override;

  const TransportInfo& info() const override { return info_; }
  std::vector<std::byte> address() const override;
  Result<std::unique_ptr<Endpoint>> connect(PeerId peer, Address address) override;
  bool progress(Receiver& receiver) override;
  bool drained() const override;
  bool part(PeerId peer, bool for_ever) override;
  void expect_callers(bool expected) override;
  PollSet* descriptors() override { return this; }
  void look_next() override {
    poll_now_.store(true, std::memory_order_relaxed);  // partner: turn_to_poll; only how soon it looks hangs on it
    if (beside_ != nullptr) beside_->look_next();
  }
  void sleep_beside(Beside& other) { beside_ = &other; }  // before the first sleep

  bool live() const override {
    return beside_ != nullptr || live_.load(std::memory_order_relaxed);  // a hint: whoever is late sleeps a little
  }
  void poll_ns(std::int64_t at_most_ns, int bell) override;

  Sent send(Peer& peer, std::span<const std::byte> header, Pieces payload);

 private:
  Peer& peer(PeerId id);
  void order_addresses(std::vector<HostAddress>& addresses, std::size_t with_carrier, bool other_network) const;
  bool turn_to_poll();
  void update_live() {
    live_.store(expected_ || !connections_.empty(), std::memory_order_relaxed);  // partner: the load in live()
  }
  Connection& adopt(os::Fd fd, Connection::State state, std::int64_t limit_ns);
  void watch(Connection& connection);
  void accept_all();
  void drop_oldest_stranger();

  void say_part(Connection& connection);
  void close_if_parted(Connection& connection);
  void connect_again(Peer& peer);
  void start_attempt(Peer& peer);
  void attempt_failed(Peer& peer, const std::string& why);
  void still_silent(Peer& peer);
  void give_up(Peer& peer, const std::string& why);

  bool advance(Connection& connection, bool readable, Receiver& receiver);
  void hello(Connection& connection);
  void on_challenge(Connection& connection);
  void on_verdict(Connection& connection);
  void on_hello(Connection& connection);
  void refuse(Connection& connection);
  void on_answer(Connection& connection);
  void decide(Connection& connection, Peer& peer);
  void broken(Connection& connection, const std::string& why);
  void opened(Connection& connection, Peer& peer);
  bool may_read_at_once();
  bool read_frames(Connection& connection, Receiver& receiver);
  void check_times();
  void check_health();
  bool report_lost(Receiver& receiver);

  PeerId self_;
  // All processes are ranks of one world.
  struct OneWorld final : Directory {
    Secret job_secret{};
    ProcessName name(PeerId peer) const override { return {0, peer, 0}; }
    PeerId find(const ProcessName& name) const override { return name.world == 0 ? name.rank : -1; }
    Secret secret(PeerId) const override { return job_secret; }
    std::uint64_t port_of(PeerId) const override { return 0; }
    Secret secret_of_call(PeerId) const override { return job_secret; }
    const Secret* port_secret(std::uint64_t) const override { return nullptr; }
    PeerId admit(const ProcessName&, std::uint64_t) override { return -1; }
  };

  OneWorld one_world_;
  Directory& directory_;
  Listener listener_;
  os::Fd epoll_;
  std::uint64_t network_id_;
  std::vector<Interface> own_interfaces_;  // all of this host
  std::vector<Interface> interfaces_;      // those of them that are used
  std::unordered_map<PeerId, std::unique_ptr<Peer>> peers_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Peer*> newly_lost_;
  bool beyond_memory_;  // of the Setup
  bool callers_expected_ = false;
  bool expected_;                     // peers are likely to come by this way
  Beside* beside_ = nullptr;          // sleeps with us
  bool beside_memory_;                // another transport is more important for latency
  std::atomic<bool> poll_now_{true};  // set without the process lock
  std::atomic<bool> live_;            // read without it: expected_, or there are connections
  std::uint32_t quiet_turns_ = 0;
  std::uint32_t looks_ = 0;
  std::uint32_t looks_at_once_ = 0;
  std::int64_t next_health_ns_ = 0;
  int undecided_ = 0;  // connections that are not open yet, and peers that wait for their next attempt
  TransportInfo info_;
};

KnobGroup knobs();

}  // namespace ompi_lite::btl::tcp
