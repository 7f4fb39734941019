// SPDX-License-Identifier: BSD-3-Clause
// The communicator: a group, a context that separates its messages from all others, and what hangs on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/flight_recorder.h"
#include "ompi_lite/core/attribute.h"
#include "ompi_lite/core/errhandler.h"
#include "ompi_lite/core/group.h"
#include "ompi_lite/core/info.h"
#include "ompi_lite/core/object.h"

namespace ompi_lite {

// Unique among all communicators alive that share a process; see context_id.h. Bit 0 is the plane and 0 here; frames carry
// it set for collective traffic.
using ContextId = std::uint64_t;
enum class Plane : std::uint8_t { point_to_point = 0, collective = 1 };

class Communicator;
class ContextIds;
class PeerBook;
class Segment;
struct Topology;  // core/grid.h

// What all communicators of a process share: handed from parent to child.
struct CommunicatorHome {
  ContextIds* context_ids = nullptr;
  std::vector<int> node_of_peer;  // index: PeerId; equal values share memory
  Segment* segment = nullptr;     // that memory, if ranks may talk through it
  flight::Recorder* recorder = nullptr;  // knows the communicators by name; or null
  PeerBook* peers = nullptr;             // knows the processes of other worlds; or null
  // Set by the point-to-point layer: gives a new communicator its pml_state.
  void (*attach)(void* context, Communicator& communicator) = nullptr;
  void* attach_context = nullptr;
  std::unique_ptr<Attachment> coll_engine;  // the collectives' own: what is under way
};

// Counted: the application's handle, and one reference per pending request. Every field but refs is guarded by the process lock.
class Communicator : public Object {
 public:
  // Attaches itself to the layers above through `home`. `remote` is empty for an intracommunicator.
  Communicator(CommunicatorHome& home, ContextId context_id, Ref<Group> local, Ref<Group> remote, int my_rank);
  Communicator(CommunicatorHome& home, std::uintptr_t predefined_handle, ContextId context_id, Ref<Group> local, int my_rank);
  // One whose context is still being agreed (MPI_Comm_idup): no messages until settle().
  Communicator(CommunicatorHome& home, Ref<Group> local, Ref<Group> remote, int my_rank);
  void settle(ContextId context_id);
  void set_name(std::string_view text);  // cut to what a name may have
  ~Communicator();

  int rank() const { return rank_; }                      // of this process in the local group
  int size() const { return local_group_->size(); }
  bool is_inter() const { return static_cast<bool>(remote_group_); }
  Group& local_group() const { return *local_group_; }
  Group& remote_group() const { return is_inter() ? *remote_group_ : *local_group_; }  // whom ranks in calls name
  int remote_size() const { return remote_group().size(); }
  PeerId peer(int rank) const { return remote_group().peer(rank); }
  ContextId context() const { return context_; }

  Errhandler& errhandler() const { return *errhandler_; }
  void set_errhandler(Errhandler& handler) {
    errhandler_ = Ref<Errhandler>::share(&handler);
    errhandler_chosen_ = true;
  }
  bool errhandler_chosen() const { return errhandler_chosen_; }  // false: it is still the default

  AttributeSet attributes;
  std::string name;                     // at most MPI_MAX_OBJECT_NAME - 1 characters
  Info hints;                           // what MPI_Comm_set_info left
  std::unique_ptr<Attachment> pml_state, coll_state;
  std::unique_ptr<Attachment> partitioned_state;  // only where there is partitioned communication
  std::shared_ptr<const Topology> topology;  // null: none; duplicates share it
  Ref<Communicator> local_comm;         // intercommunicators: a private intracommunicator of the local group
  std::uint32_t collective_calls = 0;   // begun so far, as the flight recorder counts them
  const char* collective_now = nullptr;  // the collective call that one of several threads is in
  bool low_group = false;               // intercommunicators: breaks the tie between the two sides

  CommunicatorHome& home() const { return *home_; }

 private:
  void open();
  CommunicatorHome* home_;
  ContextId context_;
  Ref<Group> local_group_, remote_group_;
  int rank_;
  Ref<Errhandler> errhandler_;
  bool errhandler_chosen_ = false;
};

void destroy(Communicator* communicator);

// All ranks of the process that serves the C interface; there too while only sessions are open, when MPI_COMM_WORLD is not.
// Null while no process serves. For the few calls that take no object by which to find the process.
extern constinit Communicator* serving_world;

}  // namespace ompi_lite
