// SPDX-License-Identifier: BSD-3-Clause
// The queues of one communicator.
#pragma once

#include <array>

#include "pml/bsend.h"
#include "pml/collective_log.h"
#include "pml/match.h"
#include "pml/pml.h"

namespace ompi_lite::pml {

struct Queues {
  PostedList posted;
  UnexpectedList unexpected;
};

// Found by context id. Belongs to its communicator once this process has made that; before (a message came early) to the
// Pml.
struct Context {
  Pml& pml;
  ContextId id;
  Communicator* comm = nullptr;
  std::array<Queues, 2> planes;  // by Plane
  CollectiveLog collectives;

  Context(Pml& owner, ContextId context_id) : pml(owner), id(context_id) {}
  Queues& queues(Plane plane) { return planes[static_cast<std::size_t>(plane)]; }
};

// What hangs on the communicator.
struct ContextAttachment : Attachment {
  Context* context;
  std::unique_ptr<BsendBuffer> bsend;  // MPI_Comm_attach_buffer
  explicit ContextAttachment(Context& attached) : context(&attached) {}
  ~ContextAttachment() override;
};

// What hangs on a session, and on the groups that stem from it.
struct SessionAttachment : Attachment {
  BsendBuffer bsend;
};

inline ContextAttachment& attachment(Communicator& comm) { return static_cast<ContextAttachment&>(*comm.pml_state); }
inline Context& context_of(Communicator& comm) { return *attachment(comm).context; }

}  // namespace ompi_lite::pml
