// SPDX-License-Identifier: BSD-3-Clause
// The job and news of its ranks as bodies of messages.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "launcher/job_spec.h"
#include "launcher/pmix_server.h"
#include "launcher/verdict.h"

namespace ompi_lite::launcher {

// Leaves out the variables that belong to this host.
std::string encode_job(const JobSpec& spec);
// False if it is damaged.
bool decode_job(std::string_view body, JobSpec& spec);
// Gives each app this host's values of the variables that did not travel.
void add_variables_of_host(const Environment& own, JobSpec& spec);

std::string encode_event(const RankEvent& event, pid_t pid);
bool decode_event(std::string_view body, RankEvent& event, pid_t& pid);

std::string encode_end(const RankEnd& end, bool aborted);
bool decode_end(std::string_view body, RankEnd& end, bool& aborted);

}  // namespace ompi_lite::launcher
