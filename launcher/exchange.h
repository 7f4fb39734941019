// SPDX-License-Identifier: BSD-3-Clause
// What the PMIx servers of a job's hosts owe each other: fences gathered up the tree and spread down again, and values that
// one host asks of another.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "launcher/job_spec.h"
#include "launcher/message.h"
#include "launcher/pmix_server.h"
#include "launcher/tree_shape.h"

namespace ompi_lite::launcher {

// Implemented by whoever owns the links.
class Router {
 public:
  virtual void route(Message message) = 0;  // to message.to, by way of the tree

 protected:
  ~Router() = default;
};

// One in mpirun and in each daemon. Used on the main thread.
class Exchange {
 public:
  Exchange(const JobSpec& spec, int host, TreeShape shape, PmixServer& server, Router& router)
      : spec_(spec), host_(host), shape_(shape), server_(server), router_(router) {}

  const TreeShape& shape() const { return shape_; }
  void on_call(FenceCall call);
  void on_call(const FetchCall& call);
  void on_call(const Fetched& fetched);
  // A message for this host. False if it is none of ours.
  bool on_message(const Message& message);

 private:
  struct Fence {
    int parts = 0;             // that have come
    std::string data;          // of them
    std::uint64_t ticket = 0;  // of our own part
  };
  struct Asked {
    std::uint32_t host;
    std::uint64_t ticket;
  };
  // Hosts of which ranks take part, and of those next to us the ones that lead to such.
  std::vector<bool> hosts_of(const std::vector<int>& ranks) const;
  std::vector<int> below_with(const std::vector<bool>& hosts) const;
  void add_part(const std::string& key, const std::vector<int>& ranks, const std::string& data, std::uint64_t ticket);
  void finish(const std::string& key, const std::vector<int>& ranks, const std::string& data);

  const JobSpec& spec_;
  int host_;
  TreeShape shape_;
  PmixServer& server_;
  Router& router_;
  std::map<std::string, Fence> fences_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t last_asked_ = 0;
};

}  // namespace ompi_lite::launcher
