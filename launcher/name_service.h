// SPDX-License-Identifier: BSD-3-Clause
// PMIx_Publish, PMIx_Lookup and PMIx_Unpublish within one job: what MPI_Publish_name stands on.
#pragma once

#include <pmix_server.h>

#include <span>
#include <string>
#include <vector>

namespace ompi_lite::launcher {

// Owned by the PMIx server's glue and used on PMIx's thread only. Values are copied in and handed out as copies.
class NameService {
 public:
  NameService() = default;
  ~NameService();
  NameService(const NameService&) = delete;
  NameService& operator=(const NameService&) = delete;

  pmix_status_t publish(const pmix_proc_t& owner, std::span<const pmix_info_t> items);
  pmix_status_t unpublish(const pmix_proc_t& owner, char** keys);
  // Answers at once, or, when PMIX_WAIT is among the directives, as soon as all keys are there.
  void lookup(char** keys, std::span<const pmix_info_t> directives, pmix_lookup_cbfunc_t done, void* context);

 private:
  struct Entry {
    std::string key;
    pmix_proc_t owner;
    pmix_value_t value;
  };
  struct Waiting {
    std::vector<std::string> keys;
    pmix_lookup_cbfunc_t done;
    void* context;
  };
  Entry* find(const std::string& key);
  // Calls `done` with what is known; false (and no call) when something is missing and `all` is asked.
  bool answer(const std::vector<std::string>& keys, bool all, pmix_lookup_cbfunc_t done, void* context);

  std::vector<Entry> entries_;
  std::vector<Waiting> waiting_;
};

}  // namespace ompi_lite::launcher
