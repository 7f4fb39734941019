// SPDX-License-Identifier: BSD-3-Clause
// libfabric itself, opened at run time: a program that does not need it does not load it and what it hangs on.
#pragma once

#include <rdma/fabric.h>

#include <csignal>
#include <memory>
#include <string>

#include "ompi_lite/base/error.h"

namespace ompi_lite::btl::ofi {

// Some of the libraries that come with libfabric (PSM) catch signals when they are loaded, to print where a program crashed.
// These are not theirs: while one of this lives they may, then all are as they were.
class SignalsAsTheyWere {
 public:
  SignalsAsTheyWere();
  ~SignalsAsTheyWere();
  SignalsAsTheyWere(const SignalsAsTheyWere&) = delete;
  SignalsAsTheyWere& operator=(const SignalsAsTheyWere&) = delete;

 private:
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[sizeof kSignals / sizeof kSignals[0]];
};

// The few functions that are symbols; all others are reached through the objects they give.
struct Library {
  decltype(&fi_getinfo) getinfo;
  decltype(&fi_freeinfo) freeinfo;
  decltype(&fi_dupinfo) dupinfo;
  decltype(&fi_fabric) fabric;
  decltype(&fi_strerror) strerror;
  decltype(&fi_version) version;

  // An Error names the file, or the version that is too old for the headers of this build.
  static Result<Library> open();
  // Of a return value, below 0.
  std::string text(std::int64_t rc) const { return strerror(static_cast<int>(-rc)); }
};

struct FreeInfo {
  decltype(&fi_freeinfo) free;
  void operator()(fi_info* info) const { free(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

}  // namespace ompi_lite::btl::ofi
