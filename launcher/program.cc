// SPDX-License-Identifier: BSD-3-Clause
// Looks a program up and examines it: x bit, #! line, ELF loader. A missing interpreter is said to be that.
#include "launcher/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "launcher/elf.h"
#include "launcher/hosts.h"

namespace ompi_lite::launcher {
namespace {

Failure cannot_start(const std::string& name, const std::string& reason, ExitCode code) {
  return Failure{"cannot start " + name + " on host " + own_host_name() + ": " + reason, code};
}

// The path as seen from here; the ranks see it from their working folder.
std::string seen_from_here(const std::string& path, const std::string& working_folder) {
  if (working_folder.empty() || path.starts_with('/')) return path;
  return working_folder + "/" + path;
}

bool is_runnable_file(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

// The first bytes of a file; empty if it cannot be read (an executable without the r bit still runs).
std::string first_bytes(const std::string& path, std::size_t most) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string bytes(most, '\0');
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), 0);
  close(fd);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

std::string_view script_interpreter(std::string_view bytes) {
  std::string_view line = bytes.substr(2, bytes.find('\n') - 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.substr(0, line.find_first_of(" \t"));
}

MaybeFailure examine(const std::string& name, const std::string& path, bool& wants_shell, ElfFile& elf) {
  wants_shell = false;
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    const ExitCode code = errno == ENOENT || errno == ENOTDIR ? ExitCode::not_found : ExitCode::not_executable;
    return cannot_start(name, std::strerror(errno), code);
  }
  if (S_ISDIR(status.st_mode)) return cannot_start(name, "it is a folder", ExitCode::not_executable);
  if (!S_ISREG(status.st_mode)) return cannot_start(name, "it is not a regular file", ExitCode::not_executable);
  if (access(path.c_str(), X_OK) != 0) {
    const bool no_bit = (status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0;
    return cannot_start(name, no_bit ? "the file is not executable (its x bit is not set)" : std::strerror(errno),
                        ExitCode::not_executable);
  }
  const std::string bytes = first_bytes(path, 4096);
  if (bytes.starts_with("#!")) {
    const std::string interpreter(script_interpreter(bytes));
    if (interpreter.empty()) {
      wants_shell = true;
    } else if (access(interpreter.c_str(), X_OK) != 0) {
      return cannot_start(name, "its interpreter " + interpreter + " (first line of the script): " + std::strerror(errno),
                          errno == ENOENT ? ExitCode::not_found : ExitCode::not_executable);
    }
  } else if (bytes.starts_with("\x7f"
                               "ELF")) {
    elf = read_elf(path);
    if (!elf.loader.empty() && access(elf.loader.c_str(), X_OK) != 0) {
      return cannot_start(name, "its loader " + elf.loader + ": " + std::strerror(errno), ExitCode::not_found);
    }
  } else if (!bytes.empty()) {
    if (bytes.find('\0') != std::string::npos) {
      return cannot_start(name, "it is neither a program of this machine nor a script", ExitCode::not_executable);
    }
    wants_shell = true;
  }
  return std::nullopt;
}

}  // namespace

MaybeFailure find_program(const std::vector<std::string>& argv, const std::string& working_folder,
                          const std::string& search_path, Program& program) {
  const std::string& name = argv[0];
  if (name.empty()) return cannot_start("\"\"", "the name is empty", ExitCode::not_found);
  std::string path = name;
  if (name.find('/') == std::string::npos) {
    path.clear();
    std::string_view rest = search_path;
    while (!rest.empty() && path.empty()) {
      const std::size_t colon = rest.find(':');
      const std::string folder(rest.substr(0, colon));
      rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
      const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
      if (is_runnable_file(seen_from_here(candidate, working_folder))) path = candidate;
    }
    // People write `mpirun a.out`; other launchers find it as well.
    if (path.empty() && access(seen_from_here("./" + name, working_folder).c_str(), F_OK) == 0) path = "./" + name;
    if (path.empty()) return cannot_start(name, "no such program in PATH or in the working folder", ExitCode::not_found);
  }
  bool wants_shell = false;
  ElfFile elf;
  if (MaybeFailure failure = examine(name, seen_from_here(path, working_folder), wants_shell, elf)) return failure;
  program.other_mpi = other_mpi(elf);
  program.path = path;
  program.argv = argv;
  if (wants_shell) {
    program.argv[0] = path;
    program.argv.insert(program.argv.begin(), "/bin/sh");
    program.path = "/bin/sh";
  }
  return std::nullopt;
}

}  // namespace ompi_lite::launcher
