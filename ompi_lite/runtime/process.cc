// SPDX-License-Identifier: BSD-3-Clause
// How a rank comes up and goes down, step by step.
#include "ompi_lite/runtime/process.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>

#include "btl/shm/transport.h"
#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/node_numbers.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/base/text.h"
#include "ompi_lite/core/group.h"
#include "ompi_lite/runtime/knob_list.h"

namespace ompi_lite {

namespace {

constexpr int kNodeTimeoutMs = 600'000;  // the launcher ends the job long before if a rank does not come
constexpr char kSegmentKey[] = "ompi_lite.segment";
constexpr char kSecretKey[] = "ompi_lite.secret";

constexpr char kAddressesKey[] = "ompi_lite.addresses";
constexpr char kNumbersName[] = "numbers";  // among them: of the machine, from the first rank

bool is_tcp(const btl::Transport& transport) { return std::strcmp(transport.info().name, "tcp") == 0; }
bool is_shm(const btl::Transport& transport) { return std::strcmp(transport.info().name, "shm") == 0; }

// All addresses of a rank are one value: some servers wait for ever for a value that nobody has published, and not every
// rank has every transport. For each: its name, a zero byte, the length of the address as 4 bytes, the address.
void append_address(std::vector<std::byte>& all, std::string_view name, std::span<const std::byte> address) {
  const auto length = static_cast<std::uint32_t>(address.size());
  const auto append = [&all](const void* data, std::size_t bytes) {
    const auto* begin = static_cast<const std::byte*>(data);
    all.insert(all.end(), begin, begin + bytes);
  };
  append(name.data(), name.size());
  all.push_back(std::byte{0});
  append(&length, sizeof length);
  append(address.data(), address.size());
}

Result<std::vector<std::byte>> find_address(std::span<const std::byte> all, std::string_view wanted) {
  while (!all.empty()) {
    const auto zero = std::find(all.begin(), all.end(), std::byte{0});
    const auto name_bytes = static_cast<std::size_t>(zero - all.begin());
    const std::string_view name(reinterpret_cast<const char*>(all.data()), name_bytes);
    std::uint32_t length = 0;
    if (all.size() < name_bytes + 1 + sizeof length) break;
    std::memcpy(&length, all.data() + name_bytes + 1, sizeof length);
    all = all.subspan(name_bytes + 1 + sizeof length);
    if (length > all.size()) break;
    if (name == wanted) return std::vector<std::byte>(all.begin(), all.begin() + length);
    all = all.subspan(length);
  }
  return make_error(ErrorClass::other, "the peer does not use the transport %.*s", static_cast<int>(wanted.size()),
                    wanted.data());
}

// 32 hexadecimal digits that our launcher gave to the processes of this job alone.
Secret inherited_secret() {
  Secret secret{};
  const char* text = std::getenv("OMPI_LITE_JOB_SECRET");
  if (text == nullptr) return secret;
  if (const auto bytes = bytes_of_hex(text))
    std::copy_n(bytes->begin(), std::min(bytes->size(), secret.size()), secret.begin());
  return secret;
}

}  // namespace

Result<std::unique_ptr<Process>> Process::start(std::unique_ptr<Bootstrap> bootstrap, ProcessLock& lock) {
  std::unique_ptr<Process> made(new Process(std::move(bootstrap)));
  log_identify(os::host_name().c_str(), made->job().rank);
  OL_TRY(made->open_segment());
  made->record_.open(made->segment());
  made->waiter_.emplace(made->segment_ ? made->segment_->bell(made->segment_->local_rank()) : made->own_bell_);
  made->blocking_.emplace(made->progress_, *made->waiter_, lock);
  made->blocking_->set_recorder(made->recorder());
  OL_TRY(made->open_transports());
  made->make_communicators();
  return made;
}

// Our launcher hands down the node's segment and a secret. Under another the first rank of each node makes the one, the
// first of the job the other; all ranks come to the same fence, whatever their node needs.
Error Process::open_segment() {
  const std::vector<int>& local_ranks = job().local_ranks;
  const auto local_size = static_cast<int>(local_ranks.size());
  const auto here = std::lower_bound(local_ranks.begin(), local_ranks.end(), job().rank);
  const auto local_rank = static_cast<int>(here - local_ranks.begin());
  local_peers_.assign(local_ranks.begin(), local_ranks.end());
  const bool inherited = std::getenv("OMPI_LITE_NODE_FD") != nullptr;
  job_secret_ = inherited_secret();
  if (job().size == 1 && !inherited) return {};

  if (inherited || (local_rank == 0 && local_size > 1)) {
    Result<Segment> made = Segment::open(local_rank, local_size);
    if (!made) return made.error();
    segment_.emplace(std::move(made).value());
  }
  if (segment_) record_.open(segment());  // before we wait for others: who has come but not got on can be seen
  if (!inherited) {
    if (segment_) {
      const std::string path = segment_->path();
      OL_TRY(bootstrap_->put(kSegmentKey, std::as_bytes(std::span(path.data(), path.size()))));
    }
    if (job().rank == 0) {
      if (getrandom(job_secret_.data(), job_secret_.size(), 0) != static_cast<ssize_t>(job_secret_.size()))
        return make_error(ErrorClass::other, "no random numbers: %s", std::strerror(errno));
      OL_TRY(bootstrap_->put(kSecretKey, job_secret_));
    }
    OL_TRY(bootstrap_->fence());
    if (job().rank != 0) {
      Result<std::vector<std::byte>> secret = bootstrap_->get(0, kSecretKey);
      if (!secret) return secret.error();
      std::copy_n(secret->begin(), std::min(secret->size(), job_secret_.size()), job_secret_.begin());
    }
    if (local_rank != 0) {
      Result<std::vector<std::byte>> path = bootstrap_->get(local_ranks.front(), kSegmentKey);
      if (!path) return path.error();
      const std::string text(reinterpret_cast<const char*>(path->data()), path->size());
      Result<Segment> made = Segment::attach_path(text, local_rank, local_size);
      if (!made) return made.error();
      segment_.emplace(std::move(made).value());
    }
  }
  if (!segment_) return {};
  OL_TRY(segment_->wait_for_all(kNodeTimeoutMs));
  if (local_rank == 0) segment_->unlink();
  return {};
}

btl::Setup Process::describe() {
  btl::Setup setup;
  setup.self = job().rank;
  setup.segment = segment_ ? &*segment_ : nullptr;
  setup.local_peers = local_peers_;
  setup.job_secret = job_secret_;
  setup.directory = &*worlds_;
  setup.beyond_memory = static_cast<int>(local_peers_.size()) != job().size;
  return setup;
}

btl::Transport* Process::network() {
  const auto found = std::ranges::find_if(transports_, [](const auto& each) { return is_tcp(*each); });
  return found == transports_.end() ? nullptr : found->get();
}

Error Process::open_network() {
  if (network() != nullptr) return {};
  Result<std::unique_ptr<btl::Transport>> made = btl::make_network_transport(describe());
  if (!made) return made.error();
  transports_.push_back(std::move(made).value());
  pml_->set_transports(transports_);
  poll(*transports_.back());
  return {};
}

void Process::poll(btl::Transport& transport) {
  if (PollSet* descriptors = transport.descriptors()) waiter_->set_descriptors(descriptors);
  transport_pollers_.push_back({&transport, &*pml_});
  progress_.add({TransportPoller::poll, &transport_pollers_.back()});
}

// On one node with shared memory everybody's address is known; else addresses are published and asked for when needed.
Error Process::open_transports() {
  worlds_.emplace(*this, job_secret_);
  Result<std::vector<std::unique_ptr<btl::Transport>>> made = btl::make_transports(describe());
  if (!made) return made.error();
  transports_ = std::move(made).value();

  const bool all_local = static_cast<int>(local_peers_.size()) == job().size;
  const bool shm = std::any_of(transports_.begin(), transports_.end(), [](const auto& each) { return is_shm(*each); });
  if (job().size > 1 && !(all_local && shm)) {
    std::vector<std::byte> addresses;
    for (const auto& transport : transports_) append_address(addresses, transport->info().name, transport->address());
    if (job().rank == 0 && !all_local) {
      const std::string text = numbers_text(loaded_or_presets(), {});
      append_address(addresses, kNumbersName, std::as_bytes(std::span(text)));
    }
    OL_TRY(bootstrap_->put(kAddressesKey, addresses));
    OL_TRY(bootstrap_->fence());
    addresses_published_ = true;
  }

  WaitPolicy policy;
  policy.crowded = segment_ ? segment_->crowded() : false;
  waiter_->set_policy(policy);
  pml_.emplace(job().rank, transports_, static_cast<pml::AddressBook&>(*this), *blocking_);
  if (recorder() != nullptr) recorder()->count_moves(pml_->moves());
  for (const auto& transport : transports_) poll(*transport);
  progress_.add({[](void* context) { return static_cast<pml::Pml*>(context)->progress(); }, &*pml_});
  progress_.add({[](void* context) { return static_cast<Worlds*>(context)->turn(); }, &*worlds_});
  return {};
}

Result<std::vector<std::byte>> Process::address(PeerId peer, const btl::Transport& transport) {
  if (peer == job().rank) return transport.address();
  if (!worlds_->is_of_own_world(peer)) {
    if (!is_tcp(transport)) return Error(ErrorClass::other, "processes of other worlds are reached by tcp alone");
    return worlds_->address(peer);
  }
  if (addresses_published_) {
    Result<std::vector<std::byte>> all = bootstrap_->get(peer, kAddressesKey);
    if (!all) return all.error();
    return find_address(*all, transport.info().name);
  }
  if (!is_shm(transport)) return Error(ErrorClass::other, "only shared memory is in use between processes");
  const auto here = std::lower_bound(local_peers_.begin(), local_peers_.end(), peer);
  const btl::shm::ShmAddress theirs{segment_->id(), static_cast<std::int32_t>(here - local_peers_.begin()), 0};
  const auto* bytes = reinterpret_cast<const std::byte*>(&theirs);
  return std::vector<std::byte>(bytes, bytes + sizeof theirs);
}

// The ranks must not choose by different numbers. On one node they share them; else those of the first rank hold, which has
// published them with its addresses.
const MachineNumbers& Process::numbers() {
  if (numbers_) return *numbers_;
  if (job().size == 1) return numbers_.emplace(loaded_or_presets());
  if (static_cast<int>(local_peers_.size()) == job().size && segment_)
    return numbers_.emplace(numbers_of_board(numbers_board(*segment_), loaded_or_presets));
  numbers_.emplace();
  if (Result<std::vector<std::byte>> all = bootstrap_->get(0, kAddressesKey)) {
    if (Result<std::vector<std::byte>> text = find_address(*all, kNumbersName)) {
      const std::string_view view(reinterpret_cast<const char*>(text->data()), text->size());
      if (Result<MachineNumbers> numbers = parse_numbers(view, {})) numbers_ = *numbers;
    }
  }
  return *numbers_;
}

void Process::make_communicators() {
  const JobInfo& info = job();
  context_ids_.emplace(info.rank);
  home_.context_ids = &*context_ids_;
  home_.node_of_peer = info.node_of_rank;
  if (home_.node_of_peer.empty()) home_.node_of_peer.assign(static_cast<std::size_t>(info.size), 0);
  home_.attach = [](void* context, Communicator& comm) { static_cast<pml::Pml*>(context)->attach(comm); };
  home_.attach_context = &*pml_;
  home_.recorder = recorder();
  home_.peers = &*worlds_;
  if (segment_ && std::any_of(transports_.begin(), transports_.end(), [](const auto& each) { return is_shm(*each); }))
    home_.segment = &*segment_;  // not where the user wants messages to go another way

  auto world = Ref<Group>(new Group(0, info.size, info.rank));
  world_ = new Communicator(home_, reinterpret_cast<std::uintptr_t>(MPI_COMM_WORLD), ContextIds::kWorld, std::move(world),
                            info.rank);
  world_->set_name("MPI_COMM_WORLD");
  auto self = Ref<Group>(new Group(info.rank, 1, info.rank));
  self_ = new Communicator(home_, reinterpret_cast<std::uintptr_t>(MPI_COMM_SELF), ContextIds::kSelf, std::move(self), 0);
  self_->set_name("MPI_COMM_SELF");
}

// Shared memory keeps what was sent after its sender left. Over other transports a peer may still be reading, so all wait.
Error Process::settle() {
  worlds_->part_from_all();
  if (segment_) segment_->leave();
  if (!addresses_published_ && (segment_ || job().size == 1)) {
    pml_->drain();
    return {};
  }
  pml_->flush();
  if (recorder() != nullptr) recorder()->idle(now_ns());  // waits for all
  OL_TRY(bootstrap_->begin_fence(all_finalize_, waiter_->bell()));
  pml_->drain(&all_finalize_);
  return {};
}

Error Process::finish() {
  OL_TRY(settle());
  return bootstrap_->finish();
}

void Process::abort(int code, const char* why) {
  bootstrap_->abort(code, why);
  std::abort();  // not reached
}

Process::~Process() {
  if (worlds_) worlds_->close_ports();
  delete self_;
  delete world_;
  progress_.remove(pml_ ? &*pml_ : nullptr);
  progress_.remove(worlds_ ? &*worlds_ : nullptr);
  for (TransportPoller& poller : transport_pollers_) progress_.remove(&poller);
}

}  // namespace ompi_lite
