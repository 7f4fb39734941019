// SPDX-License-Identifier: BSD-3-Clause
// The processes of other worlds that this process knows, and its ports, by which they come.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "btl/btl.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/peer_book.h"

namespace ompi_lite {

class Process;

// A port, as its name says it to whoever shall call: MPI_Open_port.
struct PortName {
  std::uint64_t port = 0;  // also the context id of the calls
  Secret secret{};
  std::vector<std::byte> card;  // of the process that opened it
};
std::string text_of(const PortName& name);
std::optional<PortName> parse_port_name(std::string_view text);  // nothing: it is none

// Part of a Process, whose lock guards it. Ranks of the own world come first in the table of peers, and are not kept here.
// Numbers of peers are not used again: a group may still name one that is long gone.
class Worlds final : public btl::Directory, public PeerBook {
 public:
  explicit Worlds(Process& process, const Secret& job_secret);
  Worlds(const Worlds&) = delete;
  Worlds& operator=(const Worlds&) = delete;

  // Where a peer of another world can be reached by network.
  Result<std::vector<std::byte>> address(PeerId peer) const;
  // Lets go of those that nobody needs any more; true if one went. A poller.
  bool turn();
  bool parting() const { return !parting_.empty(); }
  // For finalize, which is collective over all that are connected: says goodbye to all, and waits for theirs.
  void part_from_all();
  std::size_t known() const { return foreign_.size(); }  // processes of other worlds

  // Ports of this process.
  Result<PortName> open_port();
  Error close_port(std::uint64_t port);
  Communicator* port_comm(std::uint64_t port);  // null: it is not open
  void close_ports();

  std::atomic<bool> knocking{false};  // a thread of this process is at a port
  // The process at a port, ready to be sent to. It may be known already.
  Result<PeerId> call(const PortName& name);
  void answered(PeerId peer);  // it knows this process now

  // The intercommunicator with the world that spawned this one; null: none, or it was freed.
  Communicator* parent() const { return parent_; }
  void set_parent(Communicator* parent) { parent_ = parent; }

  // PeerBook
  Error open_network() override;
  std::vector<std::byte> own_card() const override;
  Result<PeerId> meet(std::span<const std::byte> card, const Secret& pair) override;
  ProcessName name_of(PeerId peer) const override { return name(peer); }
  bool is_of_own_world(PeerId peer) const override;
  const MachineNumbers& numbers() override;
  Secret pair_secret(const Secret& shared, const Secret& salt) const override;
  void opened(Communicator& comm) override;
  void closed(Communicator& comm) override;

  // btl::Directory
  ProcessName name(PeerId peer) const override;
  PeerId find(const ProcessName& name) const override;
  Secret secret(PeerId peer) const override;
  std::uint64_t port_of(PeerId peer) const override;
  Secret secret_of_call(PeerId peer) const override;
  const Secret* port_secret(std::uint64_t port) const override;
  PeerId admit(const ProcessName& name, std::uint64_t port) override;

 private:
  struct Foreign {
    ProcessName name;
    int communicators = 0;  // that hold it
    Secret secret{};
    std::uint64_t port = 0;  // at which we call it; 0: we know each other
    Secret port_secret{};
    std::vector<std::byte> address;
    bool parting = false;
  };
  struct Port {
    Secret secret{};
    Communicator* comm = nullptr;
  };
  PeerId add(const ProcessName& name, const Secret& secret);
  void hold(const Communicator& comm, int change);
  void hold(Group& group, int change);
  bool let_go(PeerId peer);
  bool for_ever_ = false;  // this process finalizes
  void share_cores();
  void expect();

  Process& process_;
  const std::uint64_t own_world_;
  const Secret job_secret_;
  const std::uint64_t universe_;  // of all worlds that know the job's secret
  PeerId next_;
  int neighbours_ = 0;  // processes of other worlds that were met on this machine
  std::map<PeerId, Foreign> foreign_;
  std::map<ProcessName, PeerId> by_name_;
  std::map<std::uint64_t, Port> ports_;
  std::vector<PeerId> parting_;
  Communicator* parent_ = nullptr;
};

}  // namespace ompi_lite
