// SPDX-License-Identifier: BSD-3-Clause
// Messages among the members of groups that have no communicator yet.
#include "coll/group_messages.h"

#include <bit>
#include <cstdint>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/include/mpi.h"
#include "pml/pml.h"

namespace ompi_lite::coll {
namespace {

Buffer bytes_at(const void* data, std::size_t bytes) {
  return Buffer(data, static_cast<Count>(bytes), &datatype_of(MPI_BYTE));
}

}  // namespace

int hidden_tag_of(std::string_view stringtag) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (char letter : stringtag) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619u;
  return std::numeric_limits<int>::min() / 2 + static_cast<int>(hash & 0x1fffffff);
}

Error send_bytes(Communicator& comm, int dest, int hidden_tag, const void* data, std::size_t bytes) {
  return pml::of(comm).send(pml::SendMode::standard, bytes_at(data, bytes), {comm, dest, hidden_tag, Plane::collective});
}

Error recv_bytes(Communicator& comm, int source, int hidden_tag, void* data, std::size_t bytes) {
  return pml::of(comm).recv(bytes_at(data, bytes), {comm, source, hidden_tag, Plane::collective}, nullptr);
}

Error exchange_bytes(Communicator& comm, int peer, int hidden_tag, const void* out, std::size_t out_bytes, void* in,
                     std::size_t in_bytes) {
  pml::Pml& pml = pml::of(comm);
  Request* sending = nullptr;
  OL_TRY(pml.isend(pml::SendMode::standard, bytes_at(out, out_bytes), {comm, peer, hidden_tag, Plane::collective}, sending));
  const Error received = recv_bytes(comm, peer, hidden_tag, in, in_bytes);
  const Error sent = pml.wait(*sending, nullptr);
  return received ? received : sent;
}

// Binomial tree over ranks counted from the root: r hears from r without its lowest bit, and tells r + 2^k for every k below
// that bit.
Error share_over_group(Communicator& comm, Group& group, int root, int hidden_tag, void* data, std::size_t bytes) {
  const auto size = static_cast<unsigned>(group.size()), first = static_cast<unsigned>(root);
  const unsigned rank = (static_cast<unsigned>(group.rank()) + size - first) % size;
  const auto comm_rank_of = [&](unsigned member) {
    return comm.local_group().rank_of(group.peer(static_cast<int>((member + first) % size)));
  };
  const unsigned reach = rank == 0 ? std::bit_ceil(size) : rank & (~rank + 1);
  if (rank != 0) OL_TRY(recv_bytes(comm, comm_rank_of(rank - reach), hidden_tag, data, bytes));
  for (unsigned step = reach >> 1; step > 0; step >>= 1)
    if (rank + step < size) OL_TRY(send_bytes(comm, comm_rank_of(rank + step), hidden_tag, data, bytes));
  return {};
}

std::vector<PeerId> members_of(Group& group) {
  std::vector<PeerId> members(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); i++) members[static_cast<std::size_t>(i)] = group.peer(i);
  return members;
}

}  // namespace ompi_lite::coll
