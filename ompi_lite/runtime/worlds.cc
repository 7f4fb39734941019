// SPDX-License-Identifier: BSD-3-Clause
// The table of foreign processes.
#include "ompi_lite/runtime/worlds.h"

#include <sys/random.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "btl/tcp/handshake.h"
#include "btl/tcp/socket.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/base/text.h"
#include "ompi_lite/core/context_id.h"
#include "ompi_lite/runtime/process.h"

namespace ompi_lite {
namespace {

// Before the network address of the process.
struct CardHead {
  ProcessName name;
  std::uint64_t universe;
  std::uint64_t network;  // the same: loopback leads there
};
static_assert(sizeof(CardHead) == 32);

constexpr std::string_view kPortMark = "ompi-lite-port:";
constexpr std::size_t kLeastPort = sizeof(std::uint64_t) + sizeof(Secret) + sizeof(CardHead);

std::uint64_t hash_of(const Secret& key, std::string_view text) {
  return btl::tcp::keyed_hash(key, std::as_bytes(std::span(text.data(), text.size())));
}

void append(std::vector<std::byte>& to, const void* data, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(data);
  to.insert(to.end(), first, first + bytes);
}

}  // namespace

std::string text_of(const PortName& name) {
  std::vector<std::byte> bytes;
  append(bytes, &name.port, sizeof name.port);
  append(bytes, name.secret.data(), name.secret.size());
  append(bytes, name.card.data(), name.card.size());
  return std::string(kPortMark) + hex_of(bytes);
}

std::optional<PortName> parse_port_name(std::string_view text) {
  if (!text.starts_with(kPortMark)) return {};
  text.remove_prefix(kPortMark.size());
  const auto read = bytes_of_hex(text);
  if (!read || read->size() < kLeastPort) return {};
  const std::vector<std::byte>& bytes = *read;
  PortName name;
  std::memcpy(&name.port, bytes.data(), sizeof name.port);
  std::memcpy(name.secret.data(), bytes.data() + sizeof name.port, name.secret.size());
  name.card.assign(bytes.begin() + sizeof name.port + sizeof name.secret, bytes.end());
  if (name.port == 0) return {};
  return name;
}

Worlds::Worlds(Process& process, const Secret& job_secret)
    : process_(process),
      own_world_(hash_of(Secret{}, process.job().name)),
      job_secret_(job_secret),
      universe_(hash_of(job_secret, "universe")),
      next_(process.job().size) {}

void Worlds::close_ports() {
  while (!ports_.empty()) (void)close_port(ports_.begin()->first);
}

// ---- names ----

const MachineNumbers& Worlds::numbers() { return process_.numbers(); }

bool Worlds::is_of_own_world(PeerId peer) const { return peer < process_.job().size; }

ProcessName Worlds::name(PeerId peer) const {
  if (is_of_own_world(peer)) return {own_world_, peer, 0};
  const auto found = foreign_.find(peer);
  return found == foreign_.end() ? ProcessName{} : found->second.name;
}

PeerId Worlds::find(const ProcessName& name) const {
  if (name.world == own_world_) return name.rank >= 0 && name.rank < process_.job().size ? name.rank : -1;
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? -1 : found->second;
}

Secret Worlds::secret(PeerId peer) const {
  const auto found = foreign_.find(peer);
  return found == foreign_.end() ? job_secret_ : found->second.secret;
}

std::uint64_t Worlds::port_of(PeerId peer) const {
  const auto found = foreign_.find(peer);
  return found == foreign_.end() ? 0 : found->second.port;
}

Secret Worlds::secret_of_call(PeerId peer) const {
  const auto found = foreign_.find(peer);
  return found == foreign_.end() ? Secret{} : found->second.port_secret;
}

const Secret* Worlds::port_secret(std::uint64_t port) const {
  const auto found = ports_.find(port);
  return found == ports_.end() ? nullptr : &found->second.secret;
}

Result<std::vector<std::byte>> Worlds::address(PeerId peer) const {
  const auto found = foreign_.find(peer);
  if (found == foreign_.end() || found->second.address.empty())
    return Error(ErrorClass::proc_aborted, "the process is of another world, with which there is no connection any more");
  return found->second.address;
}

Secret Worlds::pair_secret(const Secret& shared, const Secret& salt) const {
  Secret pair;
  std::array<std::byte, sizeof(Secret) + 1> text{};
  std::ranges::copy(salt, text.begin());
  for (int half = 0; half < 2; half++) {
    text.back() = static_cast<std::byte>(half);
    const std::uint64_t word = btl::tcp::keyed_hash(shared, text);
    std::memcpy(pair.data() + half * sizeof word, &word, sizeof word);
  }
  return pair;
}

// ---- coming ----

Error Worlds::open_network() {
  OL_TRY(process_.open_network());
  process_.home().context_ids->be_random();
  return {};
}

std::vector<std::byte> Worlds::own_card() const {
  const CardHead head{name(process_.job().rank), universe_, btl::tcp::network_id()};
  std::vector<std::byte> card;
  append(card, &head, sizeof head);
  const std::vector<std::byte> address = process_.network()->address();
  append(card, address.data(), address.size());
  return card;
}

PeerId Worlds::add(const ProcessName& name, const Secret& secret) {
  const PeerId made = next_++;
  foreign_[made] = Foreign{name, 0, secret, 0, {}, {}, false};
  by_name_[name] = made;
  expect();
  return made;
}

Result<PeerId> Worlds::meet(std::span<const std::byte> card, const Secret& pair) {
  CardHead head;
  if (card.size() < sizeof head) return Error(ErrorClass::other, "the card of a process of another world is damaged");
  std::memcpy(&head, card.data(), sizeof head);
  const PeerId known = find(head.name);
  if (known >= 0 && is_of_own_world(known)) return known;
  if (head.name.world == own_world_ || head.name.rank < 0)
    return Error(ErrorClass::other, "the card of a process of another world is damaged");
  const Secret& secret = head.universe == universe_ ? job_secret_ : pair;
  const PeerId peer = known >= 0 ? known : add(head.name, secret);
  Foreign& entry = foreign_[peer];
  if (std::exchange(entry.parting, false)) std::erase(parting_, peer);  // a communicator is about to hold it again
  if (entry.address.empty()) {
    const std::span<const std::byte> address = card.subspan(sizeof head);
    entry.address.assign(address.begin(), address.end());
    if (head.network == btl::tcp::network_id()) {
      neighbours_++;
      share_cores();
    }
  }
  if (known >= 0 && entry.communicators == 0) entry.secret = secret;  // it has come back
  return peer;
}

// Whoever waits has to look at the network while somebody may call.
void Worlds::expect() { process_.network()->expect_callers(!ports_.empty() || !foreign_.empty()); }

// The ranks of this world have counted themselves only.
void Worlds::share_cores() {
  const int here = static_cast<int>(process_.job().local_ranks.size()) + neighbours_;
  if (here > os::affinity().count()) process_.blocking().waiter().share_cores();
}

PeerId Worlds::admit(const ProcessName& caller, std::uint64_t port) {
  const auto found = ports_.find(port);
  if (found == ports_.end()) return -1;
  const PeerId known = find(caller);
  return known >= 0 ? known : add(caller, found->second.secret);
}

// ---- ports ----

Result<PortName> Worlds::open_port() {
  OL_TRY(open_network());
  PortName name;
  name.port = ContextIds::take_random();
  if (getrandom(name.secret.data(), name.secret.size(), 0) != static_cast<ssize_t>(name.secret.size()))
    return Error(ErrorClass::other, "the system gives no random numbers");
  name.card = own_card();
  if (text_of(name).size() >= MPI_MAX_PORT_NAME)
    return Error(ErrorClass::port,
                 "this machine has more addresses than a port name can hold; the knob tcp_interfaces chooses among them");
  const PeerId self = process_.job().rank;
  Ref<Group> group(new Group(self, 1, self));
  ports_[name.port] = Port{name.secret, new Communicator(process_.home(), name.port, std::move(group), Ref<Group>(), 0)};
  expect();
  return name;
}

Error Worlds::close_port(std::uint64_t port) {
  const auto found = ports_.find(port);
  if (found == ports_.end()) return Error(ErrorClass::port, "port_name is no port that this process has open");
  Communicator* comm = found->second.comm;
  ports_.erase(found);
  release(comm);
  expect();
  return {};
}

Communicator* Worlds::port_comm(std::uint64_t port) {
  const auto found = ports_.find(port);
  return found == ports_.end() ? nullptr : found->second.comm;
}

Result<PeerId> Worlds::call(const PortName& name) {
  Result<PeerId> peer = meet(name.card, name.secret);
  if (!peer || is_of_own_world(*peer)) return peer;
  Foreign& entry = foreign_[*peer];
  if (entry.communicators == 0) {
    entry.port = name.port;
    entry.port_secret = name.secret;
  }
  return peer;
}

void Worlds::answered(PeerId peer) {
  if (const auto found = foreign_.find(peer); found != foreign_.end()) found->second.port = 0;
}

// ---- going ----

void Worlds::hold(Group& group, int change) {
  for (int i = 0; i < group.size(); i++) {
    const auto found = foreign_.find(group.peer(i));
    if (found == foreign_.end()) continue;
    Foreign& entry = found->second;
    entry.communicators += change;
    if (entry.communicators != 0 || entry.parting) continue;
    entry.parting = true;
    parting_.push_back(found->first);
  }
}

void Worlds::opened(Communicator& comm) {
  if (foreign_.empty()) return;
  hold(comm.local_group(), 1);
  if (comm.is_inter()) hold(comm.remote_group(), 1);
}

void Worlds::closed(Communicator& comm) {
  if (&comm == parent_) parent_ = nullptr;
  if (foreign_.empty()) return;
  hold(comm.local_group(), -1);
  if (comm.is_inter()) hold(comm.remote_group(), -1);
}

bool Worlds::let_go(PeerId peer) {
  pml::Pml& pml = process_.pml();
  if (!pml.idle(peer)) return false;
  pml.drop_peer(peer);
  if (!process_.network()->part(peer, for_ever_)) return false;
  const auto found = foreign_.find(peer);
  if (!found->second.address.empty()) neighbours_ = std::max(neighbours_ - 1, 0);
  by_name_.erase(found->second.name);
  foreign_.erase(found);
  expect();
  return true;
}

bool Worlds::turn() {
  if (parting_.empty()) [[likely]]
    return false;
  return std::erase_if(parting_, [this](PeerId peer) {
           Foreign& entry = foreign_[peer];
           if (entry.communicators != 0) {  // it has come back
             entry.parting = false;
             return true;
           }
           return let_go(peer);
         }) != 0;
}

void Worlds::part_from_all() {
  if (foreign_.empty()) return;
  for_ever_ = true;
  for (auto& [peer, entry] : foreign_) {
    entry.communicators = 0;
    if (!std::exchange(entry.parting, true)) parting_.push_back(peer);
  }
  process_.blocking().until([this] { return parting_.empty(); });
}

}  // namespace ompi_lite
