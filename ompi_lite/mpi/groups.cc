// SPDX-License-Identifier: BSD-3-Clause
// Group management.
#include "ompi_lite/mpi/groups.h"

#include <vector>

#include "ompi_lite/include/mpi.h"

namespace ompi_lite::mpi {
namespace {

// A group of these members; MPI_GROUP_EMPTY, as the standard asks, if there are none.
Group* make_group(std::vector<PeerId> members, const Group& origin) {
  if (members.empty()) return retain(&empty_group());
  return new Group(std::move(members), origin);
}

const Group& origin_of(const Group& a, const Group& b) { return a.self() >= 0 ? a : b; }

std::vector<PeerId> members_of(const Group& group) {
  std::vector<PeerId> members(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); i++) members[static_cast<std::size_t>(i)] = group.peer(i);
  return members;
}

Error check_distinct_ranks(const Group& group, std::span<const int> ranks) {
  std::vector<bool> seen(static_cast<std::size_t>(group.size()));
  for (std::size_t i = 0; i < ranks.size(); i++) {
    if (ranks[i] < 0 || ranks[i] >= group.size())
      return make_error(ErrorClass::rank, "ranks[%zu] is %d, but the group has %d members", i, ranks[i], group.size());
    if (seen[static_cast<std::size_t>(ranks[i])]) return make_error(ErrorClass::rank, "ranks[%zu] is %d, which stands in the list before", i, ranks[i]);
    seen[static_cast<std::size_t>(ranks[i])] = true;
  }
  return {};
}

// Writes out the triplets (first, last, stride) of the range forms.
Error expand_ranges(const Group& group, int n, const int (*ranges)[3], std::vector<int>& ranks) {
  for (int i = 0; i < n; i++) {
    const int first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
    if (stride == 0) return make_error(ErrorClass::arg, "ranges[%d] has a stride of 0", i);
    if ((stride > 0) != (last >= first) && first != last)
      return make_error(ErrorClass::arg, "ranges[%d] is (%d, %d, %d), which never reaches its end", i, first, last, stride);
    const std::int64_t reached = first + (std::int64_t{last} - first) / stride * stride;  // last itself need not be hit
    if (first < 0 || first >= group.size() || reached < 0 || reached >= group.size())
      return make_error(ErrorClass::rank, "ranges[%d] is (%d, %d, %d), but the group has %d members", i, first, last, stride, group.size());
    for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) ranks.push_back(static_cast<int>(rank));
  }
  return {};
}

}  // namespace

Error group_size(Group& group, int& size) {
  size = group.size();
  return {};
}

Error group_rank(Group& group, int& rank) {
  rank = group.rank();
  return {};
}

Error group_translate_ranks(Group& group1, std::span<const int> ranks1, Group& group2, int* ranks2) {
  for (std::size_t i = 0; i < ranks1.size(); i++) {
    if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= group1.size()))
      return make_error(ErrorClass::rank, "ranks1[%zu] is %d, but group1 has %d members", i, ranks1[i], group1.size());
  }
  for (std::size_t i = 0; i < ranks1.size(); i++)
    ranks2[i] = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL : group2.rank_of(group1.peer(ranks1[i]));
  return {};
}

Error group_compare(Group& group1, Group& group2, int& result) {
  result = MPI_UNEQUAL;
  if (group1.size() != group2.size()) return {};
  bool same_order = true;
  for (int i = 0; i < group1.size(); i++) {
    const int rank = group2.rank_of(group1.peer(i));
    if (rank == MPI_UNDEFINED) return {};
    same_order = same_order && rank == i;
  }
  result = same_order ? MPI_IDENT : MPI_SIMILAR;
  return {};
}

Error group_union(Group& group1, Group& group2, Group*& newgroup) {
  std::vector<PeerId> members = members_of(group1);
  for (int i = 0; i < group2.size(); i++)
    if (group1.rank_of(group2.peer(i)) == MPI_UNDEFINED) members.push_back(group2.peer(i));
  newgroup = make_group(std::move(members), origin_of(group1, group2));
  return {};
}

Error group_intersection(Group& group1, Group& group2, Group*& newgroup) {
  std::vector<PeerId> members;
  for (int i = 0; i < group1.size(); i++)
    if (group2.rank_of(group1.peer(i)) != MPI_UNDEFINED) members.push_back(group1.peer(i));
  newgroup = make_group(std::move(members), origin_of(group1, group2));
  return {};
}

Error group_difference(Group& group1, Group& group2, Group*& newgroup) {
  std::vector<PeerId> members;
  for (int i = 0; i < group1.size(); i++)
    if (group2.rank_of(group1.peer(i)) == MPI_UNDEFINED) members.push_back(group1.peer(i));
  newgroup = make_group(std::move(members), origin_of(group1, group2));
  return {};
}

Error group_incl(Group& group, std::span<const int> ranks, Group*& newgroup) {
  if (Error error = check_distinct_ranks(group, ranks)) return error;
  std::vector<PeerId> members;
  members.reserve(ranks.size());
  for (int rank : ranks) members.push_back(group.peer(rank));
  newgroup = make_group(std::move(members), group);
  return {};
}

Error group_excl(Group& group, std::span<const int> ranks, Group*& newgroup) {
  if (Error error = check_distinct_ranks(group, ranks)) return error;
  std::vector<bool> out(static_cast<std::size_t>(group.size()));
  for (int rank : ranks) out[static_cast<std::size_t>(rank)] = true;
  std::vector<PeerId> members;
  for (int i = 0; i < group.size(); i++)
    if (!out[static_cast<std::size_t>(i)]) members.push_back(group.peer(i));
  newgroup = make_group(std::move(members), group);
  return {};
}

Error group_range_incl(Group& group, int n, const int (*ranges)[3], Group*& newgroup) {
  std::vector<int> ranks;
  if (Error error = expand_ranges(group, n, ranges, ranks)) return error;
  return group_incl(group, ranks, newgroup);
}

Error group_range_excl(Group& group, int n, const int (*ranges)[3], Group*& newgroup) {
  std::vector<int> ranks;
  if (Error error = expand_ranges(group, n, ranges, ranks)) return error;
  return group_excl(group, ranks, newgroup);
}

Error group_free(Group*& group) {
  release(std::exchange(group, nullptr));  // of MPI_GROUP_EMPTY too: the count of a predefined object ends nothing
  return {};
}

}  // namespace ompi_lite::mpi
