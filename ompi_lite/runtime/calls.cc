// SPDX-License-Identifier: BSD-3-Clause
// Knocking, answering, and what follows.
#include "ompi_lite/runtime/calls.h"

#include <algorithm>
#include <cstring>

#include "coll/acquaint.h"
#include "coll/coll.h"
#include "coll/group_messages.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/context_id.h"
#include "ompi_lite/core/datatype.h"

namespace ompi_lite::runtime {
namespace {

constexpr int kKnockTag = coll::kIntercommTag;

// The first message at a port.
struct Knock {
  ContextId line = 0;
  std::uint64_t card_bytes = 0;
  std::array<std::byte, 1008> card{};
};
static_assert(sizeof(Knock) == 1024);

// Two processes and nobody else.
Ref<Communicator> make_line(Process& process, PeerId other, ContextId id) {
  const PeerId self = process.job().rank;
  Ref<Group> here(new Group(self, 1, self)), there(new Group(other, 1, self));
  return Ref<Communicator>(new Communicator(process.home(), id, std::move(here), std::move(there), 0));
}

// Waits for a knock, but no longer than those who shall knock can.
Error await_knock(Process& process, Communicator& port, Knock& knock) {
  pml::Pml& pml = process.pml();
  Request* request = nullptr;
  OL_TRY(pml.irecv(Buffer(&knock, sizeof knock, &datatype_of(MPI_BYTE)),
                   {port, MPI_ANY_SOURCE, kKnockTag, Plane::collective}, request));
  Error trouble;
  process.blocking().until([&] {
    if (request->done()) return true;
    trouble = process.bootstrap().trouble_of_spawned();
    return static_cast<bool>(trouble);
  });
  if (!request->done()) {
    OL_TRY(request->ops->cancel(*request));
    (void)pml.wait(*request, nullptr);
    return trouble;
  }
  return pml.wait(*request, nullptr);
}

Error answer(Process& process, const PortName& name, Ref<Communicator>& line) {
  Communicator* found = process.worlds().port_comm(name.port);
  if (found == nullptr) return Error(ErrorClass::port, "port_name is no port that this process has open");
  const Ref<Communicator> port = Ref<Communicator>::share(found);
  Knock knock;
  OL_TRY(await_knock(process, *port, knock));
  if (knock.card_bytes > knock.card.size()) return Error(ErrorClass::other, "a caller's first message is damaged");
  Result<PeerId> caller = process.worlds().meet({knock.card.data(), knock.card_bytes}, name.secret);
  if (!caller) return caller.error();
  line = make_line(process, *caller, knock.line);
  const char welcome = 1;
  return coll::send_bytes(*line, 0, kKnockTag, &welcome, sizeof welcome);
}

Error knock_at(Process& process, const PortName& name, PeerId other, const Knock& knock) {
  // Only one communicator of a process may have a context at a time.
  Worlds& worlds = process.worlds();
  while (worlds.knocking.load(std::memory_order_relaxed))                                        // under the lock
    process.blocking().until([&] { return !worlds.knocking.load(std::memory_order_acquire); });  // partner: the store below
  worlds.knocking.store(true, std::memory_order_relaxed);
  Error error;
  {
    const Ref<Communicator> port = make_line(process, other, name.port);
    error = coll::send_bytes(*port, 0, kKnockTag, &knock, sizeof knock);
  }
  worlds.knocking.store(false, std::memory_order_release);  // partner: the loads above
  process.blocking().wake_others();
  return error;
}

Error call(Process& process, const PortName& name, Ref<Communicator>& line) {
  Worlds& worlds = process.worlds();
  OL_TRY(worlds.open_network());
  Result<PeerId> other = worlds.call(name);
  if (!other) return Error(ErrorClass::port, "port_name is no name of a port");
  if (*other == process.job().rank) return Error(ErrorClass::port, "port_name is a port of the calling process itself");
  const std::vector<std::byte> card = worlds.own_card();
  Knock knock{ContextIds::take_random(), card.size(), {}};
  if (card.size() > knock.card.size()) return Error(ErrorClass::other, "this machine has too many addresses");
  std::ranges::copy(card, knock.card.begin());
  line = make_line(process, *other, knock.line);  // the answer may come at once
  char welcome = 0;
  Error error = knock_at(process, name, *other, knock);
  if (!error) error = coll::recv_bytes(*line, 0, kKnockTag, &welcome, sizeof welcome);
  if (!error) {
    worlds.answered(*other);
    return {};
  }
  return Error(ErrorClass::port, "nobody answers at the port: it was closed, or its process has ended or cannot be reached");
}

coll::LeaderExchange exchange_over(Ref<Communicator>& line) {
  return [&line](const coll::Bytes& ours, coll::Bytes& theirs) -> Error {
    std::uint64_t here = ours.size(), there = 0;
    OL_TRY(coll::exchange_bytes(*line, 0, coll::kIntercommTag, &here, sizeof here, &there, sizeof there));
    theirs.resize(there);
    return coll::exchange_bytes(*line, 0, coll::kIntercommTag, ours.data(), here, theirs.data(), there);
  };
}

// What the root of a side tells the others there.
struct NewIds {
  ContextId common = 0, local = 0;
};

Error make_intercommunicator(Process& process, Communicator& comm, int root, bool low, coll::Introduction introduced,
                             NewIds ids, Communicator*& made) {
  if (!low && introduced.words.size() == sizeof ids.common)
    std::memcpy(&ids.common, introduced.words.data(), sizeof ids.common);
  OL_TRY(coll::bcast(Buffer(&ids, sizeof ids, &datatype_of(MPI_BYTE)), root, comm));
  for (PeerId peer : introduced.peers)
    if (comm.local_group().rank_of(peer) != MPI_UNDEFINED)
      return Error(ErrorClass::comm, "a process is in both groups that are to be connected");
  Ref<Group> here = Ref<Group>::share(&comm.local_group());
  Ref<Group> there(new Group(std::move(introduced.peers), comm.local_group()));
  made = new Communicator(process.home(), ids.common, here, std::move(there), comm.rank());
  made->low_group = low;
  made->local_comm = Ref<Communicator>(new Communicator(process.home(), ids.local, here, Ref<Group>(), comm.rank()));
  made->set_errhandler(comm.errhandler());
  return {};
}

}  // namespace

Error meet_over(Process& process, Communicator& comm, int root, const coll::LeaderExchange& leaders, const Secret& shared,
                bool low, Communicator*& made) {
  NewIds ids;
  coll::Bytes words;
  if (comm.rank() == root) {
    ids.local = ContextIds::take_random();
    if (low) {
      ids.common = ContextIds::take_random();
      words.resize(sizeof ids.common);
      std::memcpy(words.data(), &ids.common, sizeof ids.common);
    }
  }
  coll::Introduction introduced;
  OL_TRY(coll::get_acquainted(comm, root, leaders, shared, words, introduced));
  return make_intercommunicator(process, comm, root, low, std::move(introduced), ids, made);
}

Error answer_call(Process& process, Communicator& comm, int root, const PortName& name, Error failed, Communicator*& made) {
  if (comm.is_inter()) return Error(ErrorClass::comm, "comm is an intercommunicator");
  Ref<Communicator> line;
  if (comm.rank() == root && !failed) failed = answer(process, name, line);
  OL_TRY(coll::share_error(comm, root, failed));
  return meet_over(process, comm, root, exchange_over(line), name.secret, true, made);
}

Error call_port(Process& process, Communicator& comm, int root, const PortName& name, Error failed, Communicator*& made) {
  if (comm.is_inter()) return Error(ErrorClass::comm, "comm is an intercommunicator");
  Ref<Communicator> line;
  if (comm.rank() == root && !failed) failed = call(process, name, line);
  OL_TRY(coll::share_error(comm, root, failed));
  return meet_over(process, comm, root, exchange_over(line), name.secret, false, made);
}

}  // namespace ompi_lite::runtime
