// SPDX-License-Identifier: BSD-3-Clause
// Fills the list of attributes.
#include "launcher/pmix_job.h"

#include <hwloc.h>
#include <pmix.h>
#include <pmix_server.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace ompi_lite::launcher {
namespace {

std::string number_list(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

void describe_binding(const std::vector<int>& cpus, InfoList& rank_info) {
  if (cpus.empty()) return;
  pmix_cpuset_t set;
  set.source = const_cast<char*>("hwloc");
  const hwloc_bitmap_t bitmap = hwloc_bitmap_alloc();
  for (const int cpu : cpus) hwloc_bitmap_set(bitmap, static_cast<unsigned>(cpu));
  set.bitmap = bitmap;
  char* text = nullptr;
  if (PMIx_server_generate_cpuset_string(&set, &text) == PMIX_SUCCESS && text != nullptr) rank_info.add(PMIX_CPUSET, text);
  std::free(text);
  text = nullptr;
  if (PMIx_server_generate_locality_string(&set, &text) == PMIX_SUCCESS && text != nullptr) {
    rank_info.add(PMIX_LOCALITY_STRING, text);
  }
  std::free(text);
  hwloc_bitmap_free(bitmap);
}

// A host with ranks, and its number among those.
struct Node {
  int host;
  std::vector<int> ranks;
};

std::vector<Node> nodes_of(const JobSpec& job) {
  std::vector<Node> nodes;
  for (int host = 0; host < static_cast<int>(job.hosts.size()); ++host) nodes.push_back({host, {}});
  for (int rank = 0; rank < job.size(); ++rank) {
    nodes[static_cast<std::size_t>(job.host_of_rank[static_cast<std::size_t>(rank)])].ranks.push_back(rank);
  }
  std::erase_if(nodes, [](const Node& node) { return node.ranks.empty(); });
  return nodes;
}

void describe_nodes(const JobSpec& job, const std::vector<Node>& nodes, int host, InfoList& info) {
  std::string names, places;
  std::size_t most = 0;
  for (const Node& node : nodes) {
    const std::string ranks = number_list(node.ranks);
    names += (names.empty() ? "" : ",") + job.hosts[static_cast<std::size_t>(node.host)];
    places += (places.empty() ? "" : ";") + ranks;
    most = std::max(most, node.ranks.size());
    if (node.host != host) continue;
    info.add(PMIX_LOCAL_SIZE, static_cast<std::uint32_t>(node.ranks.size()));
    info.add(PMIX_NODE_SIZE, static_cast<std::uint32_t>(node.ranks.size()));
    info.add(PMIX_LOCAL_PEERS, ranks.c_str());
    info.add_rank(PMIX_LOCALLDR, static_cast<std::uint32_t>(node.ranks.front()));
  }
  info.add(PMIX_NUM_NODES, static_cast<std::uint32_t>(nodes.size()));
  char* text = nullptr;
  if (PMIx_generate_regex(names.c_str(), &text) == PMIX_SUCCESS) info.add_regex(PMIX_NODE_MAP, text);
  std::free(text);
  text = nullptr;
  if (PMIx_generate_ppn(places.c_str(), &text) == PMIX_SUCCESS) info.add_regex(PMIX_PROC_MAP, text);
  std::free(text);
}

// The ranks of one node, each as an array of its own.
void describe_ranks(const JobSpec& job, const Node& node, std::size_t number, const Placement* placement,
                    const std::vector<std::uint32_t>& rank_in_app, InfoList& info) {
  for (std::size_t i = 0; i < node.ranks.size(); ++i) {
    const auto rank = static_cast<std::uint32_t>(node.ranks[i]);
    InfoList one;
    one.add_rank(PMIX_RANK, rank);
    one.add_rank(PMIX_GLOBAL_RANK, rank);
    one.add_rank(PMIX_APP_RANK, rank_in_app[rank]);
    one.add(PMIX_APPNUM, static_cast<std::uint32_t>(job.app_of_rank[rank]));
    one.add(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(i));
    one.add(PMIX_NODE_RANK, static_cast<std::uint16_t>(i));
    one.add(PMIX_NODEID, static_cast<std::uint32_t>(number));
    one.add(PMIX_HOSTNAME, job.hosts[static_cast<std::size_t>(node.host)].c_str());
    if (placement != nullptr) describe_binding(placement->cpus_of_rank[i], one);
    info.add_array(PMIX_PROC_INFO_ARRAY, one);
  }
}

}  // namespace

InfoList describe_job(const JobSpec& job, int host, const Placement& placement) {
  InfoList info;
  const auto size = static_cast<std::uint32_t>(job.size());
  const std::vector<Node> nodes = nodes_of(job);
  info.add(PMIX_JOBID, job.name.c_str());
  info.add(PMIX_JOB_SIZE, size);
  info.add(PMIX_MAX_PROCS, size);
  info.add(PMIX_UNIV_SIZE, static_cast<std::uint32_t>(job.universe_size));
  info.add(PMIX_JOB_NUM_APPS, static_cast<std::uint32_t>(job.apps.size()));
  describe_nodes(job, nodes, host, info);
  std::vector<std::uint32_t> app_sizes(job.apps.size()), app_leaders(job.apps.size()), rank_in_app;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    const auto app = static_cast<std::size_t>(job.app_of_rank[rank]);
    if (app_sizes[app] == 0) app_leaders[app] = rank;
    rank_in_app.push_back(app_sizes[app]++);
  }
  for (std::size_t app = 0; app < job.apps.size(); ++app) {
    InfoList app_info;
    std::string command;
    for (const std::string& word : job.apps[app].argv) command += (command.empty() ? "" : " ") + word;
    app_info.add(PMIX_APPNUM, static_cast<std::uint32_t>(app));
    app_info.add(PMIX_APP_SIZE, app_sizes[app]);
    app_info.add_rank(PMIX_APPLDR, app_leaders[app]);
    app_info.add(PMIX_APP_ARGV, command.c_str());
    info.add_array(PMIX_APP_INFO_ARRAY, app_info);
  }
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    const bool here = nodes[number].host == host;
    describe_ranks(job, nodes[number], number, here ? &placement : nullptr, rank_in_app, info);
  }
  return info;
}

}  // namespace ompi_lite::launcher
