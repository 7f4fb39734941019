// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, section 7.3: group management. All local.
#pragma once

#include <span>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/group.h"

namespace ompi_lite::mpi {

Error group_size(Group& group, int& size);
Error group_rank(Group& group, int& rank);  // MPI_UNDEFINED if the caller is no member
Error group_translate_ranks(Group& group1, std::span<const int> ranks1, Group& group2, int* ranks2);
Error group_compare(Group& group1, Group& group2, int& result);
Error group_union(Group& group1, Group& group2, Group*& newgroup);
Error group_intersection(Group& group1, Group& group2, Group*& newgroup);
Error group_difference(Group& group1, Group& group2, Group*& newgroup);
Error group_incl(Group& group, std::span<const int> ranks, Group*& newgroup);
Error group_excl(Group& group, std::span<const int> ranks, Group*& newgroup);
Error group_range_incl(Group& group, int n, const int (*ranges)[3], Group*& newgroup);
Error group_range_excl(Group& group, int n, const int (*ranges)[3], Group*& newgroup);
Error group_free(Group*& group);

}  // namespace ompi_lite::mpi
