// SPDX-License-Identifier: BSD-3-Clause
// Signatures of calls, in bits and in words.
#include "coll/compare.h"

#include <array>
#include <string>

#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/core/signature.h"

namespace ompi_lite::coll {

constinit Knob<bool> check_collectives(
    "check_collectives", true, Unit::none,
    "Compare what ranks call in a collective: operation, root, size and kind of the data. "
    "Off: a program whose ranks differ may hang or go on with wrong data.");

namespace {

bool has_root(Operation operation) {
  switch (operation) {
    case Operation::bcast:
    case Operation::gather:
    case Operation::gatherv:
    case Operation::scatter:
    case Operation::scatterv:
    case Operation::reduce:
      return true;
    default:
      return false;
  }
}

// Whether the data that all have alike is part of what is compared.
bool has_data(Operation operation) {
  switch (operation) {
    case Operation::barrier:
    case Operation::gatherv:
    case Operation::scatterv:
    case Operation::alltoallv:
    case Operation::alltoallw:
      return false;
    default:
      return operation < Operation::neighbor_allgather || operation > Operation::neighbor_alltoallw;
  }
}

// A type of each representation, by its usual name; its size says how many there are.
struct Named {
  const char* name;
  int bytes;
};
Named representative(unsigned kind) {
  for (const BasicType& type : basic_types()) {
    if (type.kind != BasicKind::byte && type.kind != BasicKind::none && type.kind != BasicKind::pair &&
        static_cast<unsigned>(type.representation) + 1 == kind && std::string_view(type.name) != "MPI_AINT")
      return {type.name, type.size};
  }
  return {nullptr, 0};
}

constexpr std::array kOps = {"MPI_SUM",    "MPI_MIN",    "MPI_MAX",     "MPI_PROD",  "MPI_BAND",
                             "MPI_BOR",    "MPI_BXOR",   "MPI_LAND",    "MPI_LOR",   "MPI_LXOR",
                             "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP", "a user's operation"};
static_assert(kOps.size() == static_cast<std::size_t>(OpKind::user) + 1);

std::string call_text(CallSignature signature) {
  const CallSignature::Parts parts = signature.parts();
  const auto operation = static_cast<Operation>(parts.operation);
  std::string text = mpi_name(operation), details;
  const auto add = [&](const std::string& item) { details += (details.empty() ? "" : ", ") + item; };
  if (has_data(operation)) {
    const Named named = representative(parts.type);
    if (!signature.bytes_exact())
      add(named.name != nullptr ? std::string("more than 16 MiB of ") + named.name : "more than 16 MiB");
    else if (named.name != nullptr && parts.bytes % named.bytes == 0)
      add(std::to_string(parts.bytes / named.bytes) + " x " + named.name);
    else
      add(std::to_string(parts.bytes) + " bytes");
  }
  if (parts.op != 0) add(kOps[parts.op - 1]);
  if (has_root(operation)) add("root " + std::to_string(parts.root));
  return details.empty() ? text : text + " (" + details + ")";
}

ErrorClass what_differs(const CallSignature::Parts& a, const CallSignature::Parts& b) {
  if (a.operation != b.operation) return ErrorClass::other;
  if (a.root != b.root) return ErrorClass::root;
  if (a.op != b.op) return ErrorClass::op;
  return a.bytes == b.bytes ? ErrorClass::type : ErrorClass::truncate;
}

}  // namespace

CallSignature sign(Operation operation, int root, Count bytes, const Datatype* type, const Op* op) {
  if (!check_collectives.value()) return {};
  CallSignature::Parts parts{.operation = static_cast<unsigned>(operation), .root = root, .bytes = bytes};
  if (type != nullptr) parts.type = type->signature().kind();
  if (op != nullptr) parts.op = static_cast<unsigned>(op->op_kind) + 1;
  return CallSignature(parts);
}

Error mismatch(const pml::OddCall& odd, int our_rank) {
  const CallSignature::Parts ours = odd.ours.parts(), theirs = odd.theirs.parts();
  if (theirs.operation >= static_cast<unsigned>(kOperations) || ours.operation >= static_cast<unsigned>(kOperations))
    return make_error(ErrorClass::intern, "rank %d sent a message of no collective", odd.rank);
  const auto operation = static_cast<Operation>(ours.operation);
  std::string their_call = call_text(odd.theirs), our_call = call_text(odd.ours);
  if (their_call == our_call) their_call += " with data of another type or size";
  return make_error(what_differs(ours, theirs), "%s: rank %d is in %s, where rank %d is in %s", mpi_name(operation),
                    odd.rank, their_call.c_str(), our_rank, our_call.c_str());
}

}  // namespace ompi_lite::coll
