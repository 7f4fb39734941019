// SPDX-License-Identifier: BSD-3-Clause
// Finds mpirun beside the library and runs it.
#include "ompi_lite/runtime/own_launcher.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/os_addresses.h"

namespace ompi_lite {
namespace {

// PREFIX/lib/libmpi_abi.so -> PREFIX/bin/mpirun.
std::string find_mpirun() {
  std::string path = os::folder_of(reinterpret_cast<const void*>(&find_mpirun));
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {};
  path.replace(slash, std::string::npos, "/bin/mpirun");
  return access(path.c_str(), X_OK) == 0 ? path : std::string();
}

std::string names_of(std::span<const SpawnedProgram> programs) {
  std::string names;
  for (const SpawnedProgram& program : programs) names += (names.empty() ? "" : " or ") + program.command;
  return names;
}

std::vector<std::string> words_for(const std::string& mpirun, std::span<const SpawnedProgram> programs) {
  std::vector<std::string> words{mpirun, "--bind-to", "none", "--stdin", "none"};
  if (!programs.front().host.empty()) words.insert(words.end(), {"--host", programs.front().host});
  bool first = true;
  for (const SpawnedProgram& program : programs) {
    if (program.processes == 0) continue;
    if (!std::exchange(first, false)) words.emplace_back(":");
    words.insert(words.end(), {"-n", std::to_string(program.processes)});
    if (!program.folder.empty()) words.insert(words.end(), {"--wdir", program.folder});
    for (const std::string& entry : program.environment) words.insert(words.end(), {"-x", entry});
    if (!program.search_path.empty()) {
      const char* path = std::getenv("PATH");
      words.insert(words.end(), {"-x", "PATH=" + program.search_path + ":" + (path != nullptr ? path : "/usr/bin:/bin")});
    }
    words.push_back(program.command);
    words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  }
  return words;
}

}  // namespace

Error OwnLaunchers::start(std::span<const SpawnedProgram> programs) {
  look_after();
  started_last_ = names_of(programs);
  const std::string mpirun = find_mpirun();
  if (mpirun.empty())
    return make_error(ErrorClass::spawn,
                      "cannot start %s: this program runs without mpirun, and there is none beside the library",
                      started_last_.substr(0, 300).c_str());
  for (const SpawnedProgram& program : programs)
    if (program.host != programs.front().host)
      return make_error(ErrorClass::spawn, "cannot start %s: a program without mpirun gives all its programs the same hosts",
                        started_last_.substr(0, 300).c_str());
  std::vector<std::string> words = words_for(mpirun, programs);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0) return make_error(ErrorClass::spawn, "cannot start another process: %s", strerror(errno));
  if (pid == 0) {
    execv(argv[0], argv.data());
    _exit(127);
  }
  running_.push_back(pid);
  return {};
}

Error OwnLaunchers::trouble() {
  if (running_.empty()) return {};
  int status = 0;
  if (waitpid(running_.back(), &status, WNOHANG) != running_.back()) return {};
  running_.pop_back();
  return make_error(ErrorClass::spawn, "cannot start %s: mpirun has said why", started_last_.substr(0, 300).c_str());
}

void OwnLaunchers::look_after() {
  std::erase_if(running_, [](pid_t pid) {
    int status = 0;
    return waitpid(pid, &status, WNOHANG) != 0;  // or the program has waited for it
  });
}

}  // namespace ompi_lite
