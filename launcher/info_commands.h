// SPDX-License-Identifier: BSD-3-Clause
// The larger commands of ompi_lite_info. Each gives the exit status: 2 where the words are wrong, 1 where it fails.
#pragma once

#include <string>
#include <vector>

namespace ompi_lite::launcher {

// --explain OPERATION [-n RANKS] [--apart] [--measure]: which algorithm each size takes, and why.
int explain_command(const std::vector<std::string>& words);
// --timed-job OPERATION BYTES...: what --measure starts by mpirun.
int timed_job_command(const std::vector<std::string>& words);
// --machine: the numbers by which algorithms are chosen. `anew`: measures them, and keeps them in the file.
int machine_command(const std::vector<std::string>& words, bool anew);

}  // namespace ompi_lite::launcher
