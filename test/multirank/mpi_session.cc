// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init before the first case and MPI_Finalize after the last one; a failed case ends the whole job, because the other ranks
// would wait for this one.
#define CATCH_CONFIG_EXTERNAL_INTERFACES  // for the listener
#include <catch2/catch.hpp>
#include <cstdio>
#include <iostream>

#include "ompi_lite/include/mpi.h"

namespace {

class MpiSession final : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (stats.totals.assertions.allOk()) return;
    std::cout.flush();
    std::fprintf(stderr, "rank %d: test \"%s\" failed\n", rank_, stats.testInfo.name.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  void testRunEnded(const Catch::TestRunStats&) override { MPI_Finalize(); }

 private:
  int rank_ = -1;
};

CATCH_REGISTER_LISTENER(MpiSession)

}  // namespace
