// SPDX-License-Identifier: BSD-3-Clause
// The published names of a job.
#include "launcher/name_service.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace ompi_lite::launcher {
namespace {

bool same_process(const pmix_proc_t& a, const pmix_proc_t& b) {
  return a.rank == b.rank && std::string_view(a.nspace) == b.nspace;
}

std::vector<std::string> key_list(char** keys) {
  std::vector<std::string> list;
  for (; keys != nullptr && *keys != nullptr; ++keys) list.emplace_back(*keys);
  return list;
}

}  // namespace

NameService::~NameService() {
  for (Entry& entry : entries_) PMIX_VALUE_DESTRUCT(&entry.value);
}

NameService::Entry* NameService::find(const std::string& key) {
  const auto at = std::ranges::find(entries_, key, &Entry::key);
  return at == entries_.end() ? nullptr : &*at;
}

pmix_status_t NameService::publish(const pmix_proc_t& owner, std::span<const pmix_info_t> items) {
  for (const pmix_info_t& item : items) {
    const std::string key = item.key;
    if (key.starts_with("pmix.")) continue;  // a directive such as the range
    if (find(key) != nullptr) return PMIX_ERR_DUPLICATE_KEY;
  }
  for (const pmix_info_t& item : items) {
    if (std::string_view(item.key).starts_with("pmix.")) continue;
    Entry entry{item.key, owner, {}};
    const pmix_status_t status = PMIx_Value_xfer(&entry.value, &item.value);
    if (status != PMIX_SUCCESS) return status;
    entries_.push_back(std::move(entry));
  }
  std::erase_if(waiting_, [&](const Waiting& waiting) { return answer(waiting.keys, true, waiting.done, waiting.context); });
  return PMIX_SUCCESS;
}

pmix_status_t NameService::unpublish(const pmix_proc_t& owner, char** keys) {
  const std::vector<std::string> wanted = key_list(keys);
  const std::size_t before = entries_.size();
  std::erase_if(entries_, [&](Entry& entry) {
    const bool named = keys == nullptr || std::ranges::find(wanted, entry.key) != wanted.end();
    if (!named || !same_process(entry.owner, owner)) return false;
    PMIX_VALUE_DESTRUCT(&entry.value);
    return true;
  });
  return keys == nullptr || entries_.size() < before ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;
}

void NameService::lookup(char** keys, std::span<const pmix_info_t> directives, pmix_lookup_cbfunc_t done, void* context) {
  const bool wait =
      std::ranges::any_of(directives, [](const pmix_info_t& item) { return std::string_view(item.key) == PMIX_WAIT; });
  std::vector<std::string> wanted = key_list(keys);
  if (!answer(wanted, wait, done, context)) waiting_.push_back(Waiting{std::move(wanted), done, context});
}

bool NameService::answer(const std::vector<std::string>& keys, bool all, pmix_lookup_cbfunc_t done, void* context) {
  std::vector<pmix_pdata_t> found;
  for (const std::string& key : keys) {
    const Entry* entry = find(key);
    if (entry == nullptr) continue;
    pmix_pdata_t item;
    std::memset(&item, 0, sizeof(item));
    item.proc = entry->owner;
    PMIX_LOAD_KEY(item.key, key.c_str());
    if (PMIx_Value_xfer(&item.value, &entry->value) == PMIX_SUCCESS) found.push_back(item);
  }
  const bool complete = found.size() == keys.size();
  if (complete || !all) {
    // PMIx packs the answer before the call returns.
    const pmix_status_t status = found.empty() ? PMIX_ERR_NOT_FOUND : complete ? PMIX_SUCCESS : PMIX_ERR_PARTIAL_SUCCESS;
    done(status, found.data(), found.size(), context);
  }
  for (pmix_pdata_t& item : found) PMIX_VALUE_DESTRUCT(&item.value);
  return complete || !all;
}

}  // namespace ompi_lite::launcher
