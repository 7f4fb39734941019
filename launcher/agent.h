// SPDX-License-Identifier: BSD-3-Clause
// The program that starts something on another host: ssh, or what the user names in its place.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "launcher/allocation.h"
#include "launcher/environment.h"
#include "launcher/failure.h"
#include "launcher/job_spec.h"
#include "launcher/options.h"

namespace ompi_lite::launcher {

// The agent's words: options win over the variables of Open MPI and Hydra that name an agent and its further arguments;
// without any it is srun where Slurm has given us all hosts of the job, else ssh -x.
MaybeFailure find_agent(const Options& options, const Environment& environment, const Allocation& allocation, JobSpec& spec);

// The command that starts a daemon, for the shell of the host: the installation is at the same place there, or where
// --prefix or --launch-agent says.
std::string daemon_command(const Options& options);

// One word for a shell, in quotes where it needs them.
std::string shell_word(std::string_view text);

// A running agent. All descriptors are ours.
struct RunningAgent {
  pid_t pid = -1;
  int to_fd = -1;     // its stdin
  int from_fd = -1;   // its stdout
  int error_fd = -1;  // its stderr
};

// Starts the agent of a host. It gets no terminal: who asks for a password there would be waited for in vain.
MaybeFailure start_agent(const JobSpec& spec, const std::string& host, RunningAgent& agent);

// The same as a user would type it, for messages.
std::string agent_text(const JobSpec& spec, const std::string& host);

}  // namespace ompi_lite::launcher
