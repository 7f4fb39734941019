// SPDX-License-Identifier: BSD-3-Clause
// The command line of mpirun.
#include "launcher/options.h"

#include <catch2/catch.hpp>

namespace ompi_lite::launcher {
namespace {

struct Outcome {
  Parsed parsed;
  MaybeFailure failure;
  const Options& options() const { return parsed.options; }
  std::string text() const { return failure ? failure->text : ""; }
};

Outcome parse(std::vector<std::string> words) {
  Outcome outcome;
  outcome.failure = parse_command_line(words, outcome.parsed);
  return outcome;
}

TEST_CASE("all spellings of the number of ranks mean the same", "[launcher]") {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"-n", "3"}, {"-np", "3"}, {"--np", "3"}, {"-c", "3"}, {"--n=3"}, {"-np=3"}}) {
    std::vector<std::string> line = words;
    line.insert(line.end(), {"prog", "-n", "9"});
    const Outcome outcome = parse(line);
    REQUIRE(outcome.text().empty());
    REQUIRE(outcome.options().apps.size() == 1);
    CHECK(outcome.options().apps[0].ranks == 3);
    CHECK(outcome.options().apps[0].argv == std::vector<std::string>{"prog", "-n", "9"});
  }
}

TEST_CASE("numbers that are none are refused with the word", "[launcher]") {
  for (const char* word : {"two", "-2", "0", "2x", "", " 2", "1e3", "99999999999999999999"}) {
    const Outcome outcome = parse({"-n", word, "prog"});
    REQUIRE(outcome.failure);
    CHECK(outcome.text().find("-n: \"" + std::string(word) + "\"") != std::string::npos);
    CHECK(outcome.failure->code == ExitCode::usage);
  }
}

TEST_CASE("an unknown option is refused by name, with the nearest known one", "[launcher]") {
  const auto nearest = [](const char* word) { return parse({word, "2", "prog"}).text(); };
  CHECK(nearest("--npp").find("--npp (did you mean --np?)") != std::string::npos);
  CHECK(nearest("--hostfiel").find("--hostfile?") != std::string::npos);
  CHECK(nearest("-bindto").find("--bind-to?") != std::string::npos);
  CHECK(nearest("--verison").find("--version?") != std::string::npos);
  CHECK(nearest("--quite-another-thing").find("did you mean") == std::string::npos);
}

TEST_CASE("parts between colons are programs of their own", "[launcher]") {
  const Outcome outcome =
      parse({"-n", "2", "-x", "V=1", "a", "x", ":", "-n", "1", "-x", "V=", "-x", "W", "-wdir", "/tmp", "b"});
  REQUIRE(outcome.text().empty());
  const std::vector<App>& apps = outcome.options().apps;
  REQUIRE(apps.size() == 2);
  CHECK(apps[0].argv == std::vector<std::string>{"a", "x"});
  CHECK(apps[0].env.changes[0].value == "1");
  CHECK(apps[1].ranks == 1);
  CHECK(apps[1].working_folder == "/tmp");
  REQUIRE(apps[1].env.changes.size() == 2);
  CHECK(apps[1].env.changes[0].value == "");
  CHECK_FALSE(apps[1].env.changes[1].value.has_value());
  CHECK(parse({"a", ":"}).text().find("no program") != std::string::npos);
  CHECK(parse({":", "a"}).text().find("no program") != std::string::npos);
  CHECK(parse({}).text().find("no program") != std::string::npos);
}

TEST_CASE("two dashes end the options", "[launcher]") {
  const Outcome outcome = parse({"-n", "1", "--", "-odd-name", "-x"});
  REQUIRE(outcome.text().empty());
  CHECK(outcome.options().apps[0].argv == std::vector<std::string>{"-odd-name", "-x"});
}

TEST_CASE("environment options of both families are kept apart by app and for all", "[launcher]") {
  const Outcome outcome = parse({"-genv", "A", "1", "-env", "B", "2", "-genvlist", "PATH,HOME", "-envnone", "prog"});
  REQUIRE(outcome.text().empty());
  const EnvPlan& all = outcome.options().all_apps_env;
  CHECK(all.base == EnvBase::listed);
  CHECK(all.listed == std::vector<std::string>{"PATH", "HOME"});
  CHECK(all.changes[0].name == "A");
  CHECK(outcome.options().apps[0].env.base == EnvBase::none);
  CHECK(outcome.options().apps[0].env.changes[0].value == "2");
  CHECK(parse({"-env", "A=B", "2", "prog"}).failure);
  CHECK(parse({"-genv", "A"}).text().find("two values") != std::string::npos);
}

TEST_CASE("binding, mapping and stdin take the usual words and refuse others", "[launcher]") {
  CHECK(parse({"--bind-to", "core:overload-allowed", "p"}).options().bind_to == BindTo::core);
  CHECK(parse({"-bind-to", "hwthread", "p"}).options().bind_to == BindTo::hwthread);
  CHECK(parse({"--bind-to", "none", "p"}).options().bind_to == BindTo::none);
  CHECK(parse({"--bind-to", "moon", "p"}).text().find("moon") != std::string::npos);
  CHECK(parse({"--map-by", "socket:PE=2", "p"}).options().map_by == MapBy::socket);
  CHECK_FALSE(parse({"--map-by", ":OVERSUBSCRIBE", "p"}).failure);
  CHECK_FALSE(parse({"--map-by", "ppr:2:node", "p"}).failure);
  CHECK(parse({"--rank-by", "moon", "p"}).failure);
  CHECK(parse({"--stdin", "all", "p"}).options().stdin_target.all);
  CHECK(parse({"--stdin", "none", "p"}).options().stdin_target.rank == -1);
  CHECK(parse({"--stdin", "3", "p"}).options().stdin_target.rank == 3);
  CHECK(parse({"--stdin", "-3", "p"}).failure);
}

TEST_CASE("the gathered forms of output and display mean the same as the single ones", "[launcher]") {
  const Outcome outcome = parse({"--output", "tag,file=log:nocopy", "--display", "map,bind", "p"});
  REQUIRE(outcome.text().empty());
  CHECK(outcome.options().tag_output);
  CHECK(outcome.options().output_name == "log");
  CHECK(outcome.options().display_map);
  CHECK(outcome.options().report_bindings);
  CHECK(parse({"--output", "tags", "p"}).text().find("\"tags\"") != std::string::npos);
  CHECK(parse({"--display", "moon", "p"}).failure);
}

TEST_CASE("time limits are seconds above nothing", "[launcher]") {
  CHECK(parse({"--timeout", "1.5", "p"}).options().timeout_seconds == 1.5);
  for (const char* word : {"0", "-1", "soon", "nan", "inf", "5s", ""}) CHECK(parse({"--timeout", word, "p"}).failure);
}

TEST_CASE("settings of other products get a notice, no-ops none", "[launcher]") {
  CHECK(parse({"--mca", "btl", "tcp", "p"}).options().notices.size() == 1);
  CHECK(parse({"--oversubscribe", "--allow-run-as-root", "p"}).options().notices.empty());
}

TEST_CASE("help and version end the reading", "[launcher]") {
  CHECK(parse({"--help"}).parsed.request == Request::help);
  CHECK(parse({"-n", "2", "--version"}).parsed.request == Request::version);
  CHECK(parse({"prog", "--help"}).parsed.request == Request::run);
  CHECK(help_text().find("--hostfile") != std::string::npos);
}

}  // namespace
}  // namespace ompi_lite::launcher
