// SPDX-License-Identifier: BSD-3-Clause
// What MPI_Status holds behind its three public fields.
#pragma once

#include <cstring>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite {

// MPI_internal[0..1] is the number of bytes received (64 bits), [2] the cancelled flag, the rest zero.
inline Count status_bytes(const MPI_Status& status) {
  Count bytes;
  std::memcpy(&bytes, status.MPI_internal, sizeof bytes);
  return bytes;
}
inline void set_status_bytes(MPI_Status& status, Count bytes) { std::memcpy(status.MPI_internal, &bytes, sizeof bytes); }
inline bool status_cancelled(const MPI_Status& status) { return status.MPI_internal[2] != 0; }
inline void set_status_cancelled(MPI_Status& status, bool cancelled) { status.MPI_internal[2] = cancelled ? 1 : 0; }

// MPI_ERROR is written only by calls that return several statuses (MPI 5.0, section 3.2.5), so these leave it alone.
inline void set_status(MPI_Status& status, int source, int tag, Count bytes, bool cancelled = false) {
  status.MPI_SOURCE = source;
  status.MPI_TAG = tag;
  set_status_bytes(status, bytes);
  set_status_cancelled(status, cancelled);
}
// "Empty" of section 3.7.3: what a wait for a null or inactive request gives.
inline void set_status_empty(MPI_Status& status) { set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0); }
// What a receive from, or a probe of, MPI_PROC_NULL gives (section 3.10).
inline void set_status_proc_null(MPI_Status& status) { set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0); }

}  // namespace ompi_lite
