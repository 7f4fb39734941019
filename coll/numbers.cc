// SPDX-License-Identifier: BSD-3-Clause
// The numbers of the machine by which a communicator chooses.
#include <cstddef>
#include <limits>

#include "coll/algorithms/bcast_knomial.h"
#include "coll/direct.h"
#include "coll/state.h"
#include "ompi_lite/base/locality.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/measure.h"
#include "ompi_lite/base/node_numbers.h"
#include "ompi_lite/core/op_kernels.h"
#include "ompi_lite/core/peer_book.h"
#include "pml/pml.h"

namespace ompi_lite {

MachineNumbers measure_with_kernels(const os::CpuMask& processors) {
  MeasureOptions options;
  options.processors = processors;
  options.sum = [](const float* a, float* b, std::size_t bytes) {
    const Kernel kernel = arithmetic_kernel(OpKind::sum, Representation::float32);
    kernel.two(a, b, static_cast<Count>(bytes / sizeof(float)));
  };
  return measure_machine(options);
}

namespace coll {

// By the file that was there when the world first asked, or by presets.
void State::find_numbers(const Communicator& comm) {
  const CommunicatorHome& home = comm.home();
  if (home.peers == nullptr) return;
  for (int rank = 0; rank < comm.size(); ++rank)
    if (static_cast<std::size_t>(comm.peer(rank)) >= home.node_of_peer.size()) return;  // of a world with other numbers
  numbers_ = exact_numbers_ = home.peers->numbers();
}

namespace {

// Rank 0: from the file if another job has put them there meanwhile, else measured, unless another rank of the node is at
// it.
MachineNumbers new_numbers(Segment* segment) {
  const int processors = segment != nullptr ? usable_processors(*segment) : usable_cpus();
  MachineNumbers numbers = loaded_or_presets();
  if (numbers.complete(processors)) return numbers;
  if (segment != nullptr && numbers_board(*segment).measuring.exchange(1) != 0) return {};
  numbers = measure_with_kernels(segment != nullptr ? all_processors(*segment) : os::affinity());
  if (!numbers.complete(processors))
    OL_LOG(debug, "the machine is too busy to be measured as a whole");
  else if (Error error = store_numbers(numbers))
    OL_LOG(debug, "the numbers of the machine are not kept: %s", error.sentence());
  if (segment != nullptr) numbers_board(*segment).measuring.store(0);
  return numbers;
}

}  // namespace

void State::renew_numbers(Communicator& comm, CallSignature signature) {
  effort_ = -std::numeric_limits<double>::infinity();
  MachineNumbers numbers;
  if (comm.rank() == 0) numbers = new_numbers(comm.home().segment);
  Direct steps(comm, Operation::bcast, signature);
  steps.bind(Slot::send, reinterpret_cast<std::byte*>(&numbers), datatype_of(MPI_BYTE));
  BcastKnomial::run(steps, {Part{Slot::send, 0, 0, sizeof numbers}, 0, 2});
  if (steps.finish()) {
    pml::log_of(comm).put_back();  // for the call itself
    return;
  }
  if (numbers.measured == 0) return;
  exact_numbers_ = numbers;
  remembered_ = {};
}

}  // namespace coll
}  // namespace ompi_lite
