// SPDX-License-Identifier: BSD-3-Clause
// Communicators made from groups alone. The members talk on the process's own world, which a program of sessions never sees.
#include "ompi_lite/runtime/from_groups.h"

#include <cstring>
#include <vector>

#include "coll/group_messages.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/context_id.h"
#include "ompi_lite/runtime/process.h"
#include "ompi_lite/runtime/sessions.h"
#include "ompi_lite/runtime/thread_level.h"

namespace ompi_lite::runtime {
namespace {

Error check_arguments_of(Group& group, const char* stringtag, Errhandler& errhandler) {
  OL_TRY(check_errhandler(errhandler, ObjectKind::communicator));
  if (stringtag == nullptr) return Error(ErrorClass::arg, "stringtag is a null pointer");
  if (std::strlen(stringtag) >= MPI_MAX_STRINGTAG_LEN)
    return make_error(ErrorClass::arg, "stringtag has %zu characters, the most is %d", std::strlen(stringtag),
                      MPI_MAX_STRINGTAG_LEN - 1);
  if (group.size() > 0 && group.rank() == MPI_UNDEFINED)
    return Error(ErrorClass::group, "the calling process is not in the group");
  return {};
}

void adorn(Communicator& comm, Info* info, Errhandler& errhandler) {
  comm.set_errhandler(errhandler);
  if (info != nullptr) comm.hints.entries = info->entries;
}

// What a leader tells its own side. `common`: the id of the intercommunicator; `local`: of the local group's private one.
struct Meeting {
  ErrorClass failed = ErrorClass::success;
  int size = 0;  // of the other group
  PeerId leader = 0;
  std::int32_t zero = 0;
  ContextId common = 0, local = 0;
};

// The leader's part: what can be wrong, and the ids. Gives the members of the other group.
Error meet(Process& process, Group& local, Group* remote, int remote_leader, int tag, Meeting& here,
           std::vector<PeerId>& theirs) {
  if (remote == nullptr) return Error(ErrorClass::group, "remote_group is MPI_GROUP_NULL at the local leader");
  if (remote_leader < 0 || remote_leader >= remote->size())
    return make_error(ErrorClass::rank, "remote_leader is %d, but the remote group has %d processes", remote_leader,
                      remote->size());
  theirs = coll::members_of(*remote);
  for (PeerId peer : theirs)
    if (local.rank_of(peer) != MPI_UNDEFINED)
      return make_error(ErrorClass::group, "process %d is in both groups of the intercommunicator", peer);
  ContextIds& ids = *process.home().context_ids;
  here.size = remote->size();
  here.leader = remote->peer(remote_leader);
  here.local = ids.take();
  const bool low = local.self() < here.leader;
  if (low) {
    here.common = ids.take();
    return coll::send_bytes(process.world(), here.leader, tag, &here.common, sizeof here.common);
  }
  return coll::recv_bytes(process.world(), here.leader, tag, &here.common, sizeof here.common);
}

}  // namespace

Error comm_create_from_group(Group& group, const char* stringtag, Info* info, Errhandler& errhandler,
                             Communicator*& newcomm) {
  newcomm = nullptr;
  OL_TRY(check_arguments_of(group, stringtag, errhandler));
  if (group.size() == 0) return {};
  Process& process = *current();
  const int rank = group.rank();
  ContextId id = rank == 0 ? process.home().context_ids->take() : 0;
  OL_TRY(
      coll::share_over_group(process.world(), group, 0, coll::hidden_tag_of(std::string_view(stringtag)), &id, sizeof id));
  newcomm = new Communicator(process.home(), id, Ref<Group>::share(&group), Ref<Group>(), rank);
  adorn(*newcomm, info, errhandler);
  return {};
}

Error intercomm_create_from_groups(Group& local_group, int local_leader, Group* remote_group, int remote_leader,
                                   const char* stringtag, Info* info, Errhandler& errhandler, Communicator*& newintercomm) {
  newintercomm = nullptr;
  OL_TRY(check_arguments_of(local_group, stringtag, errhandler));
  if (local_group.size() == 0 || (remote_group != nullptr && remote_group->size() == 0)) return {};
  if (local_leader < 0 || local_leader >= local_group.size())
    return make_error(ErrorClass::rank, "local_leader is %d, but the local group has %d processes", local_leader,
                      local_group.size());
  Process& process = *current();
  const int rank = local_group.rank(), tag = coll::hidden_tag_of(std::string_view(stringtag));
  Meeting here;
  std::vector<PeerId> theirs;
  Error failed;
  if (rank == local_leader) {
    failed = meet(process, local_group, remote_group, remote_leader, tag, here, theirs);
    here.failed = failed.error_class();
  }
  OL_TRY(coll::share_over_group(process.world(), local_group, local_leader, tag, &here, sizeof here));
  if (failed) return failed;
  if (here.failed != ErrorClass::success) return Error(here.failed, "the local leader's arguments are wrong");
  theirs.resize(static_cast<std::size_t>(here.size));
  OL_TRY(coll::share_over_group(process.world(), local_group, local_leader, tag, theirs.data(),
                                theirs.size() * sizeof(PeerId)));
  Ref<Group> remote(new Group(std::move(theirs), local_group));
  newintercomm = new Communicator(process.home(), here.common, Ref<Group>::share(&local_group), std::move(remote), rank);
  newintercomm->low_group = local_group.peer(local_leader) < here.leader;
  newintercomm->local_comm =
      Ref<Communicator>(new Communicator(process.home(), here.local, Ref<Group>::share(&local_group), Ref<Group>(), rank));
  adorn(*newintercomm, info, errhandler);
  return {};
}

}  // namespace ompi_lite::runtime
