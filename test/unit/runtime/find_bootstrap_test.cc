// SPDX-License-Identifier: BSD-3-Clause
// Who started this process, as told by the environment.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "ompi_lite/runtime/bootstrap.h"

namespace ompi_lite {
namespace {

// Sets variables for one test, with all that launchers set taken away, and puts back what was there.
class Surroundings {
 public:
  explicit Surroundings(const std::map<std::string, std::string>& wanted) {
    for (const char* name : {"PMIX_NAMESPACE", "PMIX_RANK", "PMI_FD", "PMI_PORT", "PMI_RANK", "PMI_SIZE",
                             "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK",
                             "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_PROCID"}) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      unsetenv(name);
      ours_[name];
    }
    for (const auto& [name, value] : wanted) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Surroundings() {
    for (const auto& [name, unused] : ours_) unsetenv(name.c_str());
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

 private:
  std::map<std::string, std::string> before_, ours_;
};

}  // namespace

TEST_CASE("a program started by itself is a job of one") {
  const Surroundings surroundings({});
  Result<std::unique_ptr<Bootstrap>> found = find_bootstrap();
  REQUIRE(found);
  const JobInfo& job = (*found)->job();
  CHECK(job.rank == 0);
  CHECK(job.size == 1);
  CHECK(job.local_ranks == std::vector<int>{0});
  const std::byte value{7};
  CHECK_FALSE((*found)->put("key", {&value, 1}));
  CHECK_FALSE((*found)->fence());
  Result<std::vector<std::byte>> got = (*found)->get(0, "key");
  REQUIRE(got);
  CHECK(*got == std::vector<std::byte>{value});
  CHECK_FALSE((*found)->get(0, "other"));
}

TEST_CASE("one of several that a foreign launcher started is refused, with the launcher's name") {
  const std::map<std::string, std::map<std::string, std::string>> cases = {
      {"MPICH", {{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}},
      {"Open MPI", {{"OMPI_COMM_WORLD_SIZE", "4"}}},
      {"MVAPICH", {{"MV2_COMM_WORLD_SIZE", "2"}, {"MV2_COMM_WORLD_RANK", "1"}}},
  };
  for (const auto& [name, variables] : cases) {
    const Surroundings surroundings(variables);
    Result<std::unique_ptr<Bootstrap>> found = find_bootstrap();
    REQUIRE_FALSE(found);
    CHECK(std::strstr(found.error().sentence(), name.c_str()) != nullptr);
  }
}

TEST_CASE("a foreign launcher's job of one, and a batch script, run alone") {
  for (const std::map<std::string, std::string>& variables :
       {std::map<std::string, std::string>{{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}},
        std::map<std::string, std::string>{{"SLURM_NPROCS", "4"}, {"SLURM_PROCID", "1"}}}) {
    const Surroundings surroundings(variables);
    Result<std::unique_ptr<Bootstrap>> found = find_bootstrap();
    REQUIRE(found);
    CHECK((*found)->job().size == 1);
  }
}

}  // namespace ompi_lite
