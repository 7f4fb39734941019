// SPDX-License-Identifier: BSD-3-Clause
// Why the launcher gives up before or instead of running a job: one sentence and the exit code that goes with it.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace ompi_lite::launcher {

// The codes a shell's users know, and the two that other launchers made customary.
enum class ExitCode : int { success = 0, failure = 1, usage = 2, timed_out = 124, not_executable = 126, not_found = 127 };

struct Failure {
  std::string text;
  ExitCode code = ExitCode::usage;
};

// Nothing, or the reason. Functions of this shape write their outputs only on success.
using MaybeFailure = std::optional<Failure>;

inline Failure usage_error(std::string text) { return Failure{std::move(text), ExitCode::usage}; }

}  // namespace ompi_lite::launcher
