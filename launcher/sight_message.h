// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a host are, as the body of a message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/hang_report.h"

namespace ompi_lite::launcher {

// `now_ns` of the sender's monotonic clock; the receiver gets times of its own, so that both mean the same ages.
std::string encode_sights(const std::vector<int>& ranks, const std::vector<RankSight>& sights, std::int64_t now_ns);
bool decode_sights(std::string_view body, std::int64_t now_ns, std::vector<int>& ranks, std::vector<RankSight>& sights);

}  // namespace ompi_lite::launcher
