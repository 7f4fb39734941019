// SPDX-License-Identifier: BSD-3-Clause
// The collectives between real processes: every algorithm, forced in turn, in all variants of its call.
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "coll/nonblocking.h"
#include "coll/state.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/include/mpi.h"
#include "pml/pml.h"
#include "test/support/collective_checks.h"

namespace {

ompi_lite::Communicator& world() {
  return *static_cast<ompi_lite::Communicator*>(ompi_lite::object_of(reinterpret_cast<std::uintptr_t>(MPI_COMM_WORLD)));
}

TEST_CASE("reductions keep rank order in every algorithm, type, place and count", "[np=1,2,3,4,7]") {
  CHECK(ompi_lite::test::check_reductions(world()) == "");
}

TEST_CASE("blocks of equal size arrive whole in every algorithm, type and place", "[np=1,2,3,4,7]") {
  CHECK(ompi_lite::test::check_movements(world()) == "");
}

TEST_CASE("uneven and empty blocks arrive at their displacements", "[np=1,2,3,4,7]") {
  CHECK(ompi_lite::test::check_uneven(world()) == "");
}

TEST_CASE("allreduce gives the same bits at all ranks, and again", "[np=3,4,7,9]") {
  CHECK(ompi_lite::test::check_same_bits(world()) == "");
}

TEST_CASE("counts that differ between ranks are an error that names the collective", "[np=2,3,4]") {
  CHECK(ompi_lite::test::check_disagreement(world()) == "");
}

TEST_CASE("a nonblocking call like an earlier one takes its steps, on its own buffers", "[np=1,2,3,4]") {
  using namespace ompi_lite;
  Communicator& comm = world();
  coll::State& state = coll::state_of(comm);
  constexpr int kCalls = 20, kLength = 300;
  std::vector<int> in(kCalls + kLength), out(2 * kLength);
  std::iota(in.begin(), in.end(), comm.rank());
  const auto call = [&](int i, Op& op) {
    Request* request = nullptr;
    const Buffer from(&in[static_cast<std::size_t>(i)], kLength, &datatype_of(MPI_INT));
    const Buffer to(&out[static_cast<std::size_t>(i % 2 * kLength)], kLength, &datatype_of(MPI_INT));
    REQUIRE(!coll::iallreduce(from, to, op, comm, request));
    MPI_Status status;
    REQUIRE(!pml::of(comm).wait(*request, &status));
    const int p = comm.size();
    for (int k = 0; k < kLength; ++k) {
      const int sum = p * (i + k) + p * (p - 1) / 2;
      REQUIRE(out[static_cast<std::size_t>(i % 2 * kLength + k)] == sum);
    }
  };
  const int before = state.served_again();
  for (int i = 0; i < kCalls; ++i) call(i, op_of(MPI_SUM));
  CHECK(state.served_again() == before + kCalls - 1);
  state.force(state.forced());  // other algorithms, other steps: what was kept is forgotten
  call(0, op_of(MPI_SUM));
  CHECK(state.served_again() == before + kCalls - 1);
  // A user's op may be freed, and another made at its address: nothing is kept.
  const auto add = [](void* a, void* b, int* n, MPI_Datatype*) {
    for (int i = 0; i < *n; ++i) static_cast<int*>(b)[i] += static_cast<int*>(a)[i];
  };
  using Function = void (*)(void*, void*, int*, MPI_Datatype*);
  Op own(Callback{reinterpret_cast<void (*)()>(static_cast<Function>(add)), nullptr}, OpForm::count_int, true);
  for (int i = 0; i < 3; ++i) call(i, own);
  CHECK(state.served_again() == before + kCalls - 1);
}

TEST_CASE("successive collectives never mix", "[np=2,4,8]") {
  CHECK(ompi_lite::test::check_succession(world(), 20000) == "");
}

}  // namespace
