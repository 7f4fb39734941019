// SPDX-License-Identifier: BSD-3-Clause
// Duplicates that are agreed on while the program goes on.
#include <array>
#include <new>

#include "coll/coll.h"
#include "coll/schedule.h"
#include "coll/state.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/context_id.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/mpi/comms.h"

namespace ompi_lite::mpi {
namespace {

// What the agreement leaves for the new communicator. Lies in the schedule's memory.
struct Settling {
  std::array<ContextId, 2> ids;  // of the duplicate; of the local part of an intercommunicator
  Communicator* made;            // a reference of its own

  static void settle(void* context) {
    auto& self = *static_cast<Settling*>(context);
    self.made->settle(self.ids[0]);
    if (self.made->local_comm) self.made->local_comm->settle(self.ids[1]);
    release(self.made);
  }
};

Error record_bcast(coll::Schedule& schedule, Communicator& over, const std::array<ContextId, 2>& ids) {
  coll::State& state = coll::state_of(over);
  state.record_into(&schedule);
  const Error error = coll::bcast(Buffer(ids.data(), sizeof ids, &datatype_of(MPI_BYTE)), 0, over);
  state.record_into(nullptr);
  return error;
}

// Rank 0 takes the ids. Between two groups the low side's rank 0 takes the common one and tells the other's.
Error record_agreement(coll::Schedule& schedule, Communicator& comm, std::array<ContextId, 2>& ids) {
  ContextIds& source = *comm.home().context_ids;
  const bool first = comm.rank() == 0;
  if (!comm.is_inter()) {
    if (first) ids[0] = source.take();
    return record_bcast(schedule, comm, ids);
  }
  schedule.begin(comm, coll::Operation::bcast, coll::state_of(comm).next_tag());
  if (first) {
    ids[1] = source.take();
    const Buffer common(ids.data(), sizeof ids[0], &datatype_of(MPI_BYTE));
    if (comm.low_group) {
      ids[0] = source.take();
      schedule.add_send(common, 0);
    } else {
      schedule.add_recv(common, 0);
    }
    schedule.add_end_round();
  }
  return record_bcast(schedule, *comm.local_comm, ids);
}

Communicator* make_unsettled(Communicator& comm) {
  const auto share = [](Group& group) { return Ref<Group>::share(&group); };
  Ref<Group> remote = comm.is_inter() ? share(comm.remote_group()) : Ref<Group>();
  auto* made = new Communicator(comm.home(), share(comm.local_group()), std::move(remote), comm.rank());
  made->set_errhandler(comm.errhandler());
  made->topology = comm.topology;
  made->low_group = comm.low_group;
  if (comm.is_inter()) {
    made->local_comm = Ref<Communicator>(new Communicator(comm.home(), share(comm.local_group()), Ref<Group>(), comm.rank()));
  }
  return made;
}

Error idup(Communicator& comm, const Info* hints, Communicator*& newcomm, Request*& request) {
  AttributeSet copied;
  OL_TRY(comm.attributes.copy_to(comm, copied));
  auto* schedule = new coll::Schedule(comm);
  Ref<Request> owned(schedule);
  std::byte* memory = schedule->arena().take(sizeof(Settling));
  if (memory == nullptr) return Error(ErrorClass::no_mem, "no memory for the duplicate of a communicator");
  auto* settling = new (memory) Settling{{0, 0}, nullptr};
  OL_TRY(record_agreement(*schedule, comm, settling->ids));
  Communicator* made = make_unsettled(comm);
  made->attributes = std::move(copied);
  if (hints != nullptr) made->hints.entries = hints->entries;
  settling->made = retain(made);
  schedule->then(Settling::settle, settling);
  newcomm = made;
  request = owned.give();
  return schedule->start_now();
}

}  // namespace

Error comm_idup(Communicator& comm, Communicator*& newcomm, Request*& request) { return idup(comm, &comm.hints, newcomm, request); }

Error comm_idup_with_info(Communicator& comm, Info* info, Communicator*& newcomm, Request*& request) {
  return idup(comm, info, newcomm, request);
}

}  // namespace ompi_lite::mpi
