// SPDX-License-Identifier: BSD-3-Clause
// Intercommunicators, and the messages behind the creation of communicators.
#include <algorithm>
#include <iterator>
#include <vector>

#include "coll/acquaint.h"
#include "coll/coll.h"
#include "coll/group_messages.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/context_id.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/peer_book.h"
#include "ompi_lite/include/mpi.h"
#include "ompi_lite/mpi/comm_messages.h"
#include "ompi_lite/mpi/comms.h"
#include "ompi_lite/mpi/groups.h"

namespace ompi_lite::mpi {

using coll::exchange_bytes, coll::hidden_tag_of, coll::kIntercommTag, coll::members_of, coll::recv_bytes, coll::send_bytes;

namespace {

Error bcast_bytes(Communicator& comm, int root, void* data, std::size_t bytes) {
  return coll::bcast(Buffer(data, static_cast<Count>(bytes), &datatype_of(MPI_BYTE)), root, comm);
}

// What the leaders tell each other about their side. The lists of members follow in a second message.
struct Side {
  ProcessName leader;
  ContextId id = 0;
  int size = 0;
  int one_world = 1;  // all of it are of the leader's
};

Side describe_side(Communicator& comm, PeerId leader) {
  Side side{{0, leader, 0}, 0, comm.size(), 1};
  const PeerBook* book = comm.home().peers;
  if (book == nullptr) return side;
  side.leader = book->name_of(leader);
  for (int i = 0; i < comm.size(); i++) side.one_world &= book->name_of(comm.peer(i)).world == side.leader.world ? 1 : 0;
  return side;
}

// Then all of both sides have the same numbers for each other: their ranks in that world.
bool of_one_world(const Side& here, const Side& there) {
  return here.one_world != 0 && there.one_world != 0 && here.leader.world == there.leader.world;
}

// Ranks of the other group's members in the remote group of `inter`.
std::vector<PeerId> peers_of_ranks(const std::vector<int>& ranks, Communicator& inter) {
  std::vector<PeerId> peers;
  for (int rank : ranks) peers.push_back(inter.peer(rank));
  return peers;
}

Communicator* make_intercommunicator(Communicator& local_comm, ContextId id, Ref<Group> remote, bool low) {
  auto* made = new Communicator(local_comm.home(), id, Ref<Group>::share(&local_comm.local_group()), std::move(remote), local_comm.rank());
  made->set_errhandler(local_comm.errhandler());
  made->low_group = low;
  return made;
}

// The two sides of an intercommunicator agree on a new id: the low side's rank 0 takes it; both rank 0 tell their own side.
Error agree_on_id(Communicator& inter, ContextId& id) {
  if (inter.rank() == 0) {
    if (inter.low_group) {
      id = inter.home().context_ids->take();
      if (Error error = send_bytes(inter, 0, kIntercommTag, &id, sizeof id)) return error;
    } else if (Error error = recv_bytes(inter, 0, kIntercommTag, &id, sizeof id)) {
      return error;
    }
  }
  return bcast_bytes(*inter.local_comm, 0, &id, sizeof id);
}

// Both rank 0 exchange a list and tell their own side what came.
template <class T>
Error exchange_lists(Communicator& inter, const std::vector<T>& mine, std::vector<T>& theirs) {
  std::uint64_t here = mine.size(), there = 0;
  const bool leads = inter.rank() == 0;
  Communicator& local = *inter.local_comm;
  if (leads) OL_TRY(exchange_bytes(inter, 0, kIntercommTag, &here, sizeof here, &there, sizeof there));
  OL_TRY(bcast_bytes(local, 0, &there, sizeof there));
  theirs.resize(there);
  const std::size_t bytes = there * sizeof(T);
  if (leads) OL_TRY(exchange_bytes(inter, 0, kIntercommTag, mine.data(), here * sizeof(T), theirs.data(), bytes));
  return bcast_bytes(local, 0, theirs.data(), bytes);
}

Error check_disjoint(const std::vector<PeerId>& remote, Group& local) {
  for (PeerId peer : remote)
    if (local.rank_of(peer) != MPI_UNDEFINED) return make_error(ErrorClass::comm, "process %d is in both groups of the intercommunicator", peer);
  return {};
}

}  // namespace

int compare_groups(Group& group1, Group& group2) {
  int result = MPI_UNEQUAL;
  (void)group_compare(group1, group2, result);  // cannot fail
  return result;
}

// The members of the other side, where each process has its own numbers for them or does not know them yet.
Error meet_side(Communicator& local_comm, int local_leader, Communicator* peer_comm, int remote_leader, int tag,
                std::vector<PeerId>& theirs) {
  const auto leaders = [&](const coll::Bytes& ours, coll::Bytes& received) -> Error {
    std::uint64_t here = ours.size(), there = 0;
    OL_TRY(exchange_bytes(*peer_comm, remote_leader, hidden_tag_of(tag), &here, sizeof here, &there, sizeof there));
    received.resize(there);
    return exchange_bytes(*peer_comm, remote_leader, hidden_tag_of(tag), ours.data(), here, received.data(), there);
  };
  coll::Introduction introduced;
  OL_TRY(coll::get_acquainted(local_comm, local_leader, leaders, Secret{}, {}, introduced));
  theirs = std::move(introduced.peers);
  return {};
}

Error intercomm_create(Communicator& local_comm, int local_leader, Communicator* peer_comm, int remote_leader, int tag,
                       Communicator*& newintercomm) {
  if (local_comm.is_inter()) return Error(ErrorClass::comm, "local_comm is an intercommunicator");
  const bool leads = local_comm.rank() == local_leader;
  std::vector<PeerId> mine = members_of(local_comm.local_group());
  Side here = describe_side(local_comm, local_comm.peer(local_leader)), there;
  std::vector<PeerId> theirs;
  if (leads) {
    if (peer_comm == nullptr) return Error(ErrorClass::comm, "peer_comm is MPI_COMM_NULL at the local leader");
    here.id = local_comm.home().context_ids->take();
    if (Error error = exchange_bytes(*peer_comm, remote_leader, hidden_tag_of(tag), &here, sizeof here, &there, sizeof there))
      return error;
    theirs.resize(static_cast<std::size_t>(there.size));
    if (of_one_world(here, there)) {
      if (Error error = exchange_bytes(*peer_comm, remote_leader, hidden_tag_of(tag), mine.data(),
                                       mine.size() * sizeof(PeerId), theirs.data(), theirs.size() * sizeof(PeerId)))
        return error;
    }
    if (there.leader < here.leader) {
      local_comm.home().context_ids->give_back(here.id);
      here.id = there.id;
    }
  }
  if (Error error = bcast_bytes(local_comm, local_leader, &there, sizeof there)) return error;
  if (Error error = bcast_bytes(local_comm, local_leader, &here, sizeof here)) return error;
  if (of_one_world(here, there)) {
    theirs.resize(static_cast<std::size_t>(there.size));
    if (Error error = bcast_bytes(local_comm, local_leader, theirs.data(), theirs.size() * sizeof(PeerId))) return error;
  } else {
    OL_TRY(meet_side(local_comm, local_leader, peer_comm, remote_leader, tag, theirs));
  }
  if (Error error = check_disjoint(theirs, local_comm.local_group())) return error;
  Communicator* local_copy = nullptr;
  if (Error error = comm_create(local_comm, local_comm.local_group(), local_copy)) return error;
  Ref<Group> remote(new Group(std::move(theirs), local_comm.local_group()));
  newintercomm = make_intercommunicator(local_comm, here.id, std::move(remote), here.leader < there.leader);
  newintercomm->local_comm = Ref<Communicator>(local_copy);
  return {};
}

std::vector<SplitEntry> entries_of_color(const std::vector<SplitEntry>& entries, int color) {
  std::vector<SplitEntry> chosen;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(chosen), [&](const SplitEntry& entry) { return entry.color == color; });
  std::stable_sort(chosen.begin(), chosen.end(), [](const SplitEntry& a, const SplitEntry& b) { return a.key < b.key; });
  return chosen;
}

std::vector<PeerId> peers_of(const std::vector<SplitEntry>& entries) {
  std::vector<PeerId> peers;
  for (const SplitEntry& entry : entries) peers.push_back(entry.peer);
  return peers;
}

Error create_intercommunicator(Communicator& comm, Group& group, Communicator*& newcomm) {
  newcomm = nullptr;
  std::vector<int> mine, theirs;
  for (int i = 0; i < group.size(); i++) {
    mine.push_back(comm.local_group().rank_of(group.peer(i)));
    if (mine.back() == MPI_UNDEFINED)
      return make_error(ErrorClass::group, "member %d of the group is not in the local group of the intercommunicator", i);
  }
  OL_TRY(exchange_lists(comm, mine, theirs));
  ContextId id = 0;
  OL_TRY(agree_on_id(comm, id));
  Communicator* local_copy = nullptr;
  OL_TRY(comm_create(*comm.local_comm, group, local_copy));
  if (local_copy == nullptr) return {};  // not a member
  Ref<Communicator> local(local_copy);
  if (theirs.empty()) return {};  // a side without members: nobody gets a communicator
  Ref<Group> remote(new Group(peers_of_ranks(theirs, comm), comm.local_group()));
  newcomm = make_intercommunicator(*local, id, std::move(remote), comm.low_group);
  newcomm->local_comm = std::move(local);
  newcomm->set_errhandler(comm.errhandler());
  return {};
}

Error split_intercommunicator(Communicator& comm, int color, int key, Communicator*& newcomm) {
  newcomm = nullptr;
  Communicator& side = *comm.local_comm;
  ContextIds& ids = *comm.home().context_ids;
  const ContextId proposed = color == MPI_UNDEFINED ? 0 : ids.take();
  std::vector<SplitEntry> mine(static_cast<std::size_t>(side.size())), theirs;
  mine[static_cast<std::size_t>(side.rank())] = {color, key, comm.local_group().self(), 0, proposed};
  const Buffer all(mine.data(), sizeof(SplitEntry), &datatype_of(MPI_BYTE));
  OL_TRY(coll::allgather(Buffer(MPI_IN_PLACE, 0, nullptr), all, side));
  OL_TRY(exchange_lists(comm, mine, theirs));
  for (int i = 0; i < comm.size(); i++) mine[static_cast<std::size_t>(i)].peer = comm.local_group().peer(i);
  for (int i = 0; i < comm.remote_size(); i++) theirs[static_cast<std::size_t>(i)].peer = comm.peer(i);
  Communicator* local_part = nullptr;
  OL_TRY(comm_split(side, color, key, local_part));
  if (local_part == nullptr) return {};
  Ref<Communicator> local(local_part);
  const std::vector<SplitEntry> here = entries_of_color(mine, color), there = entries_of_color(theirs, color);
  const ContextId id = comm.low_group || there.empty() ? here[0].id : there[0].id;
  if (id != proposed || there.empty()) ids.give_back(proposed);
  if (there.empty()) return {};
  Ref<Group> remote(new Group(peers_of(there), comm.local_group()));
  newcomm = make_intercommunicator(*local, id, std::move(remote), comm.low_group);
  newcomm->local_comm = std::move(local);
  newcomm->set_errhandler(comm.errhandler());
  return {};
}

Error dup_intercommunicator(Communicator& comm, Communicator*& newcomm) {
  ContextId id = 0;
  if (Error error = agree_on_id(comm, id)) return error;
  Communicator* local_copy = nullptr;
  Communicator& local = *comm.local_comm;
  if (Error error = comm_create(local, local.local_group(), local_copy)) return error;
  newcomm = make_intercommunicator(comm, id, Ref<Group>::share(&comm.remote_group()), comm.low_group);
  newcomm->local_comm = Ref<Communicator>(local_copy);
  return {};
}

Error intercomm_merge(Communicator& intercomm, bool high, Communicator*& newintracomm) {
  if (!intercomm.is_inter()) return Error(ErrorClass::comm, "intercomm is an intracommunicator");
  // The low side goes first when both give the same value: the standard leaves that order to the library.
  int mine = high ? 1 : 0, theirs = 0;
  if (intercomm.rank() == 0) {
    if (Error error = exchange_bytes(intercomm, 0, kIntercommTag, &mine, sizeof mine, &theirs, sizeof theirs)) return error;
  }
  if (Error error = bcast_bytes(*intercomm.local_comm, 0, &theirs, sizeof theirs)) return error;
  const bool first = mine != theirs ? !high : intercomm.low_group;
  ContextId id = 0;
  if (Error error = agree_on_id(intercomm, id)) return error;
  std::vector<PeerId> members = members_of(intercomm.local_group()), others = members_of(intercomm.remote_group());
  members.insert(first ? members.end() : members.begin(), others.begin(), others.end());
  const int rank = intercomm.rank() + (first ? 0 : static_cast<int>(others.size()));
  Ref<Group> group(new Group(std::move(members), intercomm.local_group()));
  newintracomm = new Communicator(intercomm.home(), id, std::move(group), Ref<Group>(), rank);
  newintracomm->set_errhandler(intercomm.errhandler());
  return {};
}

}  // namespace ompi_lite::mpi
