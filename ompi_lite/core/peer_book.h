// SPDX-License-Identifier: BSD-3-Clause
// How processes of other worlds come into a process's table of peers, and leave it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/process_name.h"
#include "ompi_lite/core/group.h"

namespace ompi_lite {

class Communicator;
struct MachineNumbers;  // base/machine.h

// Implemented by the runtime, found through CommunicatorHome. Needs the process lock.
class PeerBook {
 public:
  // Makes this process reachable from outside its world. Others may have to do the same: the caller sees to that.
  virtual Error open_network() = 0;
  // What others need to reach this process; after open_network().
  virtual std::vector<std::byte> own_card() const = 0;
  // Takes the process of this card into the table, or finds it there. `pair`: what both sides know if they are of different
  // universes (mpirun's).
  virtual Result<PeerId> meet(std::span<const std::byte> card, const Secret& pair) = 0;
  // What two groups will know: from what their leaders share and a number that both have seen.
  virtual Secret pair_secret(const Secret& shared, const Secret& salt) const = 0;
  virtual ProcessName name_of(PeerId peer) const = 0;
  virtual bool is_of_own_world(PeerId peer) const = 0;
  // The numbers of the machine by which the ranks of this world choose, the same at all of them. Asked for when first needed.
  virtual const MachineNumbers& numbers() = 0;
  // A peer of another world is let go when the last communicator that holds it is.
  virtual void opened(Communicator& comm) = 0;
  virtual void closed(Communicator& comm) = 0;

 protected:
  ~PeerBook() = default;
};

}  // namespace ompi_lite
