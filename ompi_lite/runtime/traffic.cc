// SPDX-License-Identifier: BSD-3-Clause
#include "ompi_lite/runtime/traffic.h"

#include <cinttypes>
#include <cstdio>

#include "ompi_lite/base/counters.h"
#include "ompi_lite/base/os.h"

namespace ompi_lite::runtime {

constinit Knob<bool> report_traffic("report_traffic", false, Unit::none,
                                    "MPI_Finalize says on stderr how many messages and bytes each rank has sent and "
                                    "received, those of collectives included; what "
                                    "ranks of a node pass through shared slots and cells are no messages.");

void tell_traffic(const JobInfo& job) {
  if (!report_traffic.value()) return;
  std::fprintf(stderr,
               "[%s rank %d] traffic: sent %" PRIu64 " messages of %" PRIu64 " bytes, received %" PRIu64
               " messages of %" PRIu64 " bytes\n",
               os::host_name().c_str(), job.rank, counters.messages_sent.value(), counters.bytes_sent.value(),
               counters.messages_received.value(), counters.bytes_received.value());
}

}  // namespace ompi_lite::runtime
