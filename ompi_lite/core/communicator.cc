// SPDX-License-Identifier: BSD-3-Clause
// Communicators: how one begins and ends.
#include "ompi_lite/core/communicator.h"

#include "ompi_lite/core/context_id.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/core/peer_book.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite {

constinit Communicator* serving_world = nullptr;

Communicator::Communicator(CommunicatorHome& home, ContextId context_id, Ref<Group> local, Ref<Group> remote, int my_rank)
    : Object(ObjectKind::communicator),
      home_(&home),
      context_(context_id),
      local_group_(std::move(local)),
      remote_group_(std::move(remote)),
      rank_(my_rank),
      errhandler_(Ref<Errhandler>::share(&errors_are_fatal())) {
  open();
}

Communicator::Communicator(CommunicatorHome& home, std::uintptr_t predefined_handle, ContextId context_id, Ref<Group> local, int my_rank)
    : Object(ObjectKind::communicator, predefined_handle),
      home_(&home),
      context_(context_id),
      local_group_(std::move(local)),
      rank_(my_rank),
      errhandler_(Ref<Errhandler>::share(&errors_are_fatal())) {
  open();
}

Communicator::Communicator(CommunicatorHome& home, Ref<Group> local, Ref<Group> remote, int my_rank)
    : Object(ObjectKind::communicator),
      home_(&home),
      context_(0),
      local_group_(std::move(local)),
      remote_group_(std::move(remote)),
      rank_(my_rank),
      errhandler_(Ref<Errhandler>::share(&errors_are_fatal())) {}

// Messages can come from here on.
void Communicator::open() {
  if (home_->attach != nullptr) home_->attach(home_->attach_context, *this);
  if (home_->peers != nullptr) home_->peers->opened(*this);
  // The two sides of an intercommunicator are told apart by whoever is first in them.
  const int side = is_inter() ? 1 + local_group_->peer(0) : 0;
  if (home_->recorder != nullptr) home_->recorder->communicator_opened(context_, size(), rank_, side, name.c_str());
}

void Communicator::set_name(std::string_view text) {
  name = text.substr(0, MPI_MAX_OBJECT_NAME - 1);
  if (home_->recorder != nullptr) home_->recorder->communicator_named(context_, name.c_str());
}

void Communicator::settle(ContextId context_id) {
  context_ = context_id;
  open();
}

Communicator::~Communicator() {
  partitioned_state.reset();
  if (home_->recorder != nullptr) home_->recorder->communicator_closed(context_);
  coll_state.reset();
  if (home_->peers != nullptr && pml_state != nullptr) home_->peers->closed(*this);
  pml_state.reset();  // before the id can be given to another communicator
  if (home_->context_ids != nullptr) home_->context_ids->give_back(context_);
}

void destroy(Communicator* communicator) {
  forget_int(*communicator);
  delete communicator;
}

}  // namespace ompi_lite
