// SPDX-License-Identifier: BSD-3-Clause
// The collectives between real processes: every algorithm, forced in turn, in all variants of its call.
#include <catch2/catch.hpp>

#include "ompi_lite/core/handle.h"
#include "ompi_lite/include/mpi.h"
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

TEST_CASE("successive collectives never mix", "[np=2,4,8]") {
  CHECK(ompi_lite::test::check_succession(world(), 20000) == "");
}

}  // namespace
