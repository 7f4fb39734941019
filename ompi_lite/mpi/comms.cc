// SPDX-License-Identifier: BSD-3-Clause
// Communicators: inquiry, duplication, creation from groups, splitting.
#include "ompi_lite/mpi/comms.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "coll/coll.h"
#include "coll/group_messages.h"
#include "ompi_lite/core/context_id.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/device/device_set.h"
#include "ompi_lite/include/mpi.h"
#include "ompi_lite/mpi/comm_messages.h"
#include "pml/pml.h"

namespace ompi_lite::mpi {
namespace {

// A new intracommunicator that inherits what MPI lets children inherit (error handler, section 9.3).
Communicator* make_child(Communicator& parent, ContextId id, Ref<Group> group, int rank) {
  auto* child = new Communicator(parent.home(), id, std::move(group), Ref<Group>(), rank);
  child->set_errhandler(parent.errhandler());
  return child;
}

Error check_members(Communicator& comm, Group& group) {
  for (int i = 0; i < group.size(); i++) {
    if (comm.local_group().rank_of(group.peer(i)) == MPI_UNDEFINED)
      return make_error(ErrorClass::group, "member %d of the group is not in the communicator", i);
  }
  return {};
}

// The members of `group` agree on an id: its rank 0 takes one and hands it down a binomial tree.
Error create_over_group(Communicator& comm, Group& group, int hidden_tag, Communicator*& newcomm) {
  newcomm = nullptr;
  if (Error error = check_members(comm, group)) return error;
  const int rank = group.rank();
  if (rank == MPI_UNDEFINED) return {};
  ContextId id = rank == 0 ? comm.home().context_ids->take() : 0;
  if (Error error = coll::share_over_group(comm, group, 0, hidden_tag, &id, sizeof id)) return error;
  newcomm = make_child(comm, id, Ref<Group>::share(&group), rank);
  return {};
}

Error dup_into(Communicator& comm, const Info* hints, Communicator*& newcomm) {
  AttributeSet copied;
  Error failed = comm.attributes.copy_to(comm, copied);  // every rank goes on to agree, so that none waits for one that failed
  ContextId id = 0;
  Communicator* created = nullptr;
  if (comm.is_inter()) {
    if (Error error = dup_intercommunicator(comm, created)) return error;
  } else {
    if (comm.rank() == 0) id = comm.home().context_ids->take();
    if (Error error = coll::bcast(Buffer(&id, sizeof id, &datatype_of(MPI_BYTE)), 0, comm)) return error;
    created = make_child(comm, id, Ref<Group>::share(&comm.local_group()), comm.rank());
  }
  if (failed) {
    (void)copied.clear(*created);  // the callback's error is the one to report
    release(created);
    return failed;
  }
  created->attributes = std::move(copied);
  created->topology = comm.topology;
  created->hints.entries = hints != nullptr ? hints->entries : std::vector<Info::Entry>();
  newcomm = created;
  return {};
}

}  // namespace

Error comm_size(Communicator& comm, int& size) {
  size = comm.size();
  return {};
}

Error comm_rank(Communicator& comm, int& rank) {
  rank = comm.rank();
  return {};
}

Error comm_compare(Communicator& comm1, Communicator& comm2, int& result) {
  if (&comm1 == &comm2) {
    result = MPI_IDENT;
    return {};
  }
  result = MPI_UNEQUAL;
  if (comm1.is_inter() != comm2.is_inter()) return {};
  result = compare_groups(comm1.local_group(), comm2.local_group());
  if (comm1.is_inter()) {
    const int remote = compare_groups(comm1.remote_group(), comm2.remote_group());
    if (result == MPI_UNEQUAL || remote == MPI_UNEQUAL) result = MPI_UNEQUAL;
    else if (result == MPI_SIMILAR || remote == MPI_SIMILAR) result = MPI_SIMILAR;
  }
  if (result == MPI_IDENT) result = MPI_CONGRUENT;  // equal groups, another context
  return {};
}

Error comm_group(Communicator& comm, Group*& group) {
  group = retain(&comm.local_group());
  return {};
}

Error comm_test_inter(Communicator& comm, bool& flag) {
  flag = comm.is_inter();
  return {};
}

Error comm_remote_size(Communicator& comm, int& size) {
  if (!comm.is_inter()) return Error(ErrorClass::comm, "comm is an intracommunicator");
  size = comm.remote_size();
  return {};
}

Error comm_remote_group(Communicator& comm, Group*& group) {
  if (!comm.is_inter()) return Error(ErrorClass::comm, "comm is an intracommunicator");
  group = retain(&comm.remote_group());
  return {};
}

Error comm_dup(Communicator& comm, Communicator*& newcomm) { return dup_into(comm, &comm.hints, newcomm); }

Error comm_dup_with_info(Communicator& comm, Info* info, Communicator*& newcomm) { return dup_into(comm, info, newcomm); }

Error comm_create(Communicator& comm, Group& group, Communicator*& newcomm) {
  if (comm.is_inter()) return create_intercommunicator(comm, group, newcomm);
  return create_over_group(comm, group, coll::kCreateTag, newcomm);
}

Error comm_create_group(Communicator& comm, Group& group, int tag, Communicator*& newcomm) {
  if (comm.is_inter()) return Error(ErrorClass::comm, "comm is an intercommunicator");
  return create_over_group(comm, group, coll::hidden_tag_of(tag), newcomm);
}

Error comm_split(Communicator& comm, int color, int key, Communicator*& newcomm) {
  if (color < 0 && color != MPI_UNDEFINED) return make_error(ErrorClass::arg, "color is %d", color);
  newcomm = nullptr;
  if (comm.is_inter()) return split_intercommunicator(comm, color, key, newcomm);
  const auto size = static_cast<std::size_t>(comm.size());
  const auto me = static_cast<std::size_t>(comm.rank());
  ContextIds& ids = *comm.home().context_ids;
  const ContextId proposed = color == MPI_UNDEFINED ? 0 : ids.take();
  std::vector<SplitEntry> entries(size);
  entries[me] = {color, key, comm.local_group().self(), 0, proposed};
  Datatype& bytes = datatype_of(MPI_BYTE);
  const Buffer in_place(MPI_IN_PLACE, 0, nullptr), all(entries.data(), sizeof(SplitEntry), &bytes);
  if (Error error = coll::allgather(in_place, all, comm)) return error;
  if (color == MPI_UNDEFINED) return {};
  // Each process has its own numbers for the others.
  for (std::size_t i = 0; i < size; i++) entries[i].peer = comm.peer(static_cast<int>(i));

  const std::vector<SplitEntry> chosen = entries_of_color(entries, color);
  Ref<Group> group(new Group(peers_of(chosen), comm.local_group()));
  const int new_rank = group->rank();
  if (new_rank != 0) ids.give_back(proposed);
  newcomm = make_child(comm, chosen[0].id, std::move(group), new_rank);
  return {};
}

Error comm_free(Communicator*& comm) {
  if (comm->predefined) return make_error(ErrorClass::comm, "comm is %s, which cannot be freed", comm->name.c_str());
  if (Error error = comm->attributes.clear(*comm)) return error;
  release(std::exchange(comm, nullptr));  // pending operations hold references of their own
  return {};
}

Error comm_disconnect(Communicator*& comm) {
  if (comm->predefined) return make_error(ErrorClass::comm, "comm is %s, which cannot be disconnected", comm->name.c_str());
  // Collective, and every member has completed its own requests: once buffered messages have left and all have come to a
  // barrier nothing of this communicator is under way.
  pml::Pml& pml = pml::of(*comm);
  if (Error error = pml.flush_bsend_buffer(pml.bsend_buffer_for(*comm))) return error;
  if (Error error = coll::barrier(*comm)) return error;  // both sides of an intercommunicator
  return comm_free(comm);
}

Error comm_set_name(Communicator& comm, const char* name) {
  if (name == nullptr) return Error(ErrorClass::arg, "comm_name is a null pointer");
  comm.set_name(name);
  return {};
}

Error comm_get_name(Communicator& comm, char* name, int& length) {
  std::memcpy(name, comm.name.c_str(), comm.name.size() + 1);
  length = static_cast<int>(comm.name.size());
  return {};
}

Error comm_set_info(Communicator& comm, Info* info) {
  if (info == nullptr) return Error(ErrorClass::info, "info is MPI_INFO_NULL");
  for (const Info::Entry& entry : info->entries) comm.hints.set(entry.key, entry.value);
  return {};
}

Error comm_get_info(Communicator& comm, Info*& info) {
  info = new Info;
  info->entries = comm.hints.entries;
  info->set("mpi_memory_alloc_kinds", device::memory_alloc_kinds());
  return {};
}

}  // namespace ompi_lite::mpi
