// SPDX-License-Identifier: BSD-3-Clause
// The environment of ranks, and misspelt words.
#include "launcher/environment.h"

#include <catch2/catch.hpp>

#include "launcher/nearest.h"

namespace ompi_lite::launcher {
namespace {

Environment make(std::vector<std::string> entries) {
  std::vector<char*> pointers;
  for (std::string& entry : entries) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  return Environment::without_outer_job(pointers.data());
}

std::string value(const Environment& environment, const char* name) {
  const char* text = environment.get(name);
  return text == nullptr ? "(none)" : text;
}

TEST_CASE("what an outer launcher said about us is left out", "[launcher]") {
  const Environment environment = make({"A=1", "PMIX_RANK=3", "PMI_FD=7", "OMPI_COMM_WORLD_SIZE=9", "MPI_LOCALRANKID=2",
                                        "OMPI_LITE_NODE_FD=5", "PMIX_MCA_gds=x", "OMPI_LITE_SPIN_TIME=1us", "PMIXED=yes"});
  for (const char* name : {"PMIX_RANK", "PMI_FD", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALRANKID", "OMPI_LITE_NODE_FD"}) {
    CHECK(value(environment, name) == "(none)");
  }
  CHECK(value(environment, "A") == "1");
  CHECK(value(environment, "PMIX_MCA_gds") == "x");
  CHECK(value(environment, "OMPI_LITE_SPIN_TIME") == "1us");
  CHECK(value(environment, "PMIXED") == "yes");
}

TEST_CASE("plans for all apps come first, the app's own on top", "[launcher]") {
  const Environment inherited = make({"A=1", "B=2", "EMPTY="});
  std::vector<std::string> missing;
  const EnvPlan all{EnvBase::all, {}, {{"A", "all"}, {"C", "all"}}};
  const EnvPlan app{EnvBase::all, {}, {{"C", "app"}, {"B", std::nullopt}, {"NOT", std::nullopt}}};
  const Environment environment = plan_environment(inherited, all, app, missing);
  CHECK(value(environment, "A") == "all");
  CHECK(value(environment, "B") == "2");
  CHECK(value(environment, "C") == "app");
  CHECK(value(environment, "EMPTY").empty());
  CHECK(missing == std::vector<std::string>{"NOT"});
}

TEST_CASE("listed variables are all there is", "[launcher]") {
  const Environment inherited = make({"A=1", "B=2"});
  std::vector<std::string> missing;
  Environment environment = plan_environment(inherited, {}, EnvPlan{EnvBase::listed, {"B", "Z"}, {{"N", "1"}}}, missing);
  CHECK(value(environment, "A") == "(none)");
  CHECK(value(environment, "B") == "2");
  CHECK(value(environment, "N") == "1");
  CHECK(missing == std::vector<std::string>{"Z"});
  CHECK(environment.pointers().size() == 3);
  CHECK(environment.pointers().back() == nullptr);
}

TEST_CASE("names that begin alike are not mixed up", "[launcher]") {
  Environment environment = make({"AB=1", "A=2"});
  environment.set("A", "3");
  environment.unset("AB");
  CHECK(value(environment, "A") == "3");
  CHECK(value(environment, "AB") == "(none)");
}

TEST_CASE("a knob has one variable, however it is spelled", "[launcher]") {
  for (const char* name : {"spin_time", "SPIN_TIME", "spin-time", "OMPI_LITE_SPIN_TIME"}) {
    CHECK(knob_variable(name) == "OMPI_LITE_SPIN_TIME");
  }
}

TEST_CASE("identity is told under all names", "[launcher]") {
  Environment environment;
  set_identity(Identity{2, 5, 1, 3, 10}, environment);
  for (const char* name : {"OMPI_LITE_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    CHECK(value(environment, name) == "2");
  for (const char* name : {"OMPI_LITE_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) CHECK(value(environment, name) == "5");
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"}) CHECK(value(environment, name) == "1");
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) CHECK(value(environment, name) == "3");
}

TEST_CASE("libfabric is told of many peers, unless the user has told it", "[launcher]") {
  Environment one_host, small, large, told;
  set_identity(Identity{0, 300, 0, 300, 300}, one_host);
  set_identity(Identity{0, 256, 0, 128, 256}, small);
  set_identity(Identity{0, 300, 0, 150, 300}, large);
  told.set("FI_UNIVERSE_SIZE", "1000");
  set_identity(Identity{0, 300, 0, 150, 300}, told);
  CHECK(one_host.get("FI_UNIVERSE_SIZE") == nullptr);
  CHECK(small.get("FI_UNIVERSE_SIZE") == nullptr);
  CHECK(large.get("FI_UNIVERSE_SIZE") == std::string("300"));
  CHECK(told.get("FI_UNIVERSE_SIZE") == std::string("1000"));
}

TEST_CASE("distances count edits, a swap of neighbours as one", "[launcher]") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

}  // namespace
}  // namespace ompi_lite::launcher
