// SPDX-License-Identifier: BSD-3-Clause
// What an endpoint without one-sided access answers.
#include "btl/btl.h"

namespace ompi_lite::btl {

Error Endpoint::get(const RemoteRegion&, const LocalRegion&, Completion&) {
  return Error(ErrorClass::unsupported_operation, "this transport does not read a peer's memory");
}

Error Endpoint::put(const Piece&, const RemoteRegion&, Completion&) {
  return Error(ErrorClass::unsupported_operation, "this transport does not write a peer's memory");
}

}  // namespace ompi_lite::btl
