// SPDX-License-Identifier: BSD-3-Clause
// Finds the file that a program's name means and says before any rank starts why it could not be run.
#pragma once

#include <string>
#include <vector>

#include "launcher/failure.h"

namespace ompi_lite::launcher {

struct Program {
  std::string path;               // what execve gets, absolute or relative to the working folder
  std::vector<std::string> argv;  // as given; a text file without #! line gets /bin/sh in front, as every shell does it
  std::string other_mpi;          // the library of another MPI that it is linked with, or empty
};

// `search_path` is the ranks' PATH; relative names are looked up from `working_folder` (empty: the current one).
MaybeFailure find_program(const std::vector<std::string>& argv, const std::string& working_folder,
                          const std::string& search_path, Program& program);

}  // namespace ompi_lite::launcher
