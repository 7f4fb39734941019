// SPDX-License-Identifier: BSD-3-Clause
// A growing list of pmix_info_t, one typed add function for each kind of value that we use.
#pragma once

#include <pmix_common.h>
#include <pmix_server.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace ompi_lite::launcher {

// Owns the values in it. Movable, not copyable; used by one thread.
class InfoList {
 public:
  InfoList() = default;
  ~InfoList() { clear(); }
  InfoList(InfoList&& other) noexcept : items_(std::exchange(other.items_, {})) {}
  InfoList& operator=(InfoList&&) = delete;

  void add(const char* key, const char* text) { load(key, text, PMIX_STRING); }
  void add(const char* key, std::uint32_t number) { load(key, &number, PMIX_UINT32); }
  void add(const char* key, std::uint16_t number) { load(key, &number, PMIX_UINT16); }
  void add_rank(const char* key, std::uint32_t rank) { load(key, &rank, PMIX_PROC_RANK); }
  void add_regex(const char* key, const char* regex) { load(key, regex, PMIX_REGEX); }
  void add_topology(const char* key, const pmix_topology_t* topology) { load(key, topology, PMIX_TOPO); }
  void add_array(const char* key, InfoList& part) {
    pmix_data_array_t array{};
    array.type = PMIX_INFO;
    array.size = part.size();
    array.array = part.data();
    load(key, &array, PMIX_DATA_ARRAY);
  }
  pmix_info_t* data() { return items_.data(); }
  std::size_t size() const { return items_.size(); }

 private:
  void load(const char* key, const void* value, pmix_data_type_t type) {
    items_.emplace_back();
    std::memset(&items_.back(), 0, sizeof(pmix_info_t));
    (void)PMIx_Info_load(&items_.back(), key, const_cast<void*>(value), type);
  }
  void clear() {
    for (pmix_info_t& item : items_) PMIX_INFO_DESTRUCT(&item);
    items_.clear();
  }
  std::vector<pmix_info_t> items_;
};

}  // namespace ompi_lite::launcher
