// SPDX-License-Identifier: BSD-3-Clause
// The lines of text that a process and a PMI-1 server send each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/os.h"

namespace ompi_lite::pmi1 {

// A connection to the server, used by one thread at a time. Every command has one line of answer.
class Lines {
 public:
  // Through the descriptor that the launcher has left us; it is closed in children from now on.
  Error take(int descriptor);
  // By "HOST:PORT", where HOST is whatever the launcher may be reached by.
  Error connect(const std::string& address);
  Error say(std::string line);
  Result<std::string> hear();
  Result<std::string> ask(const std::string& command);

 private:
  os::Fd fd_;
  std::string unread_;
};

// What stands behind "name=" in a line, up to the next blank; empty if nothing does.
std::string field(const std::string& line, const std::string& name);
// A whole number, or `otherwise` if the text is none.
int number(const std::string& text, int otherwise);

// The node of each of `size` processes from the text of PMI_process_mapping, "(vector,BLOCK,...)": a block is NODE for one
// process, or (FIRST,NODES,EACH) for EACH processes on each of NODES nodes from FIRST on; [BLOCK,...]xN stands for N times
// the blocks. The whole begins again where it is too short. Empty if the text is something else.
std::vector<int> nodes_of_mapping(std::string_view text, int size);

}  // namespace ompi_lite::pmi1
