// SPDX-License-Identifier: BSD-3-Clause
// Virtual topologies: what is created can be read back, parts and duplicates keep or lose it, and misuse is refused.
// run: np=1,2,3,4,6,9
#include "../support/check.h"

static int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}
static int rank_of(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
static int kind_of(MPI_Comm comm) {
  int status = -77;
  MPI_Topo_test(comm, &status);
  return status;
}

static void grids(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 0}, got_dims[3] = {-1, -1, -1}, got_periods[3], coords[3], ndims, rank, before,
      after;
  MPI_Comm grid, copy, split, row;
  MPI_Dims_create(world_size, 2, dims);
  CHECK(dims[0] * dims[1] == world_size && dims[0] >= dims[1], "%d x %d", dims[0], dims[1]);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  CHECK(kind_of(MPI_COMM_WORLD) == MPI_UNDEFINED && kind_of(grid) == MPI_CART, "%d", kind_of(grid));
  MPI_Cartdim_get(grid, &ndims);
  MPI_Cart_get(grid, 3, got_dims, got_periods, coords);
  CHECK(ndims == 2 && got_dims[0] == dims[0] && got_dims[1] == dims[1] && got_dims[2] == -1, "%d %d", got_dims[0],
        got_dims[1]);
  CHECK(got_periods[0] == 1 && got_periods[1] == 0, "%d %d", got_periods[0], got_periods[1]);
  MPI_Cart_rank(grid, coords, &rank);
  CHECK(rank == rank_of(grid), "%d", rank);
  coords[0] += 3 * dims[0];
  MPI_Cart_rank(grid, coords, &rank);
  CHECK(rank == rank_of(grid), "%d once around", rank);
  MPI_Cart_shift(grid, 1, 1, &before, &after);
  CHECK((before == MPI_PROC_NULL) == (coords[1] == 0) && (after == MPI_PROC_NULL) == (coords[1] == dims[1] - 1), "%d %d",
        before, after);
  MPI_Cart_shift(grid, 0, -1, &before, &after);
  CHECK(before == (rank + dims[1]) % world_size && after == (rank - dims[1] + world_size) % world_size, "%d %d", before,
        after);

  MPI_Comm_dup(grid, &copy);
  MPI_Comm_split(grid, 0, 0, &split);
  CHECK(kind_of(copy) == MPI_CART && kind_of(split) == MPI_UNDEFINED, "%d %d", kind_of(copy), kind_of(split));
  MPI_Cart_sub(copy, (int[2]){0, 1}, &row);
  MPI_Cart_get(row, 2, got_dims, got_periods, coords + 1);
  CHECK(size_of(row) == dims[1] && got_dims[0] == dims[1] && got_periods[0] == 0, "%d", got_dims[0]);
  CHECK(coords[1] == rank % dims[1], "%d", coords[1]);
  MPI_Comm_free(&row);
  MPI_Cart_sub(grid, (int[2]){0, 0}, &row);
  MPI_Cartdim_get(row, &ndims);
  CHECK(ndims == 0 && size_of(row) == 1 && kind_of(row) == MPI_CART, "%d dimensions", ndims);
  MPI_Comm_free(&row);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&split);
  MPI_Comm_free(&grid);
}

// A grid of one rank without dimensions; all others get no communicator.
static void no_dimensions(void) {
  MPI_Comm point, part;
  MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &point);
  CHECK((point != MPI_COMM_NULL) == (world_rank == 0), "rank %d", world_rank);
  if (point == MPI_COMM_NULL) return;
  int ndims = -1, rank = -1, value = 5, other = -1;
  MPI_Cartdim_get(point, &ndims);
  MPI_Cart_get(point, 0, NULL, NULL, NULL);
  MPI_Cart_rank(point, NULL, &rank);
  MPI_Cart_coords(point, 0, 0, NULL);
  CHECK(ndims == 0 && rank == 0 && size_of(point) == 1, "%d %d", ndims, rank);
  MPI_Neighbor_alltoall(&value, 1, MPI_INT, &other, 1, MPI_INT, point);
  CHECK(other == -1, "%d", other);
  MPI_Cart_sub(point, NULL, &part);
  CHECK(kind_of(part) == MPI_CART && size_of(part) == 1, "%d", kind_of(part));
  MPI_Comm_free(&part);
  MPI_Comm_free(&point);
}

// A ring of all but the last rank (if there are more), each with an edge to both sides.
static void graphs(void) {
  const int n = world_size > 2 ? world_size - 1 : world_size;
  int index[16], edges[32], got_index[16], got_edges[32], nodes, count, counted, rank;
  for (int i = 0; i < n; i++) {
    edges[2 * i] = (i + 1) % n;
    edges[2 * i + 1] = (i + n - 1) % n;
    index[i] = 2 * (i + 1);
  }
  MPI_Comm ring, copy;
  MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 0, &ring);
  CHECK((ring != MPI_COMM_NULL) == (world_rank < n), "rank %d", world_rank);
  MPI_Graph_map(MPI_COMM_WORLD, n, index, edges, &rank);
  CHECK(rank == (world_rank < n ? world_rank : MPI_UNDEFINED), "%d", rank);
  if (ring == MPI_COMM_NULL) return;
  MPI_Comm_dup(ring, &copy);
  MPI_Comm_free(&ring);
  MPI_Graphdims_get(copy, &nodes, &count);
  CHECK(nodes == n && count == 2 * n && kind_of(copy) == MPI_GRAPH, "%d %d", nodes, count);
  MPI_Graph_get(copy, n, 2 * n, got_index, got_edges);
  for (int i = 0; i < n; i++) CHECK(got_index[i] == index[i], "index[%d] is %d", i, got_index[i]);
  for (int i = 0; i < 2 * n; i++) CHECK(got_edges[i] == edges[i], "edges[%d] is %d", i, got_edges[i]);
  MPI_Graph_neighbors_count(copy, n - 1, &counted);
  MPI_Graph_neighbors(copy, n - 1, 2, got_edges);
  CHECK(counted == 2 && got_edges[0] == 0 && got_edges[1] == (2 * n - 2) % n, "%d: %d %d", counted, got_edges[0],
        got_edges[1]);
  int in[2] = {-1, -1};
  MPI_Neighbor_allgather(&world_rank, 1, MPI_INT, in, 1, MPI_INT, copy);
  CHECK(in[0] == edges[2 * world_rank] && in[1] == edges[2 * world_rank + 1], "%d %d", in[0], in[1]);
  MPI_Comm_free(&copy);
}

// A graph that has an edge without its counterpart can be looked at, but neighbors have nothing to agree on.
static void one_way_graph(void) {
  if (world_size < 2) return;
  MPI_Comm comm;
  int index[2] = {1, 1}, edge = 1, in = -1;
  MPI_Graph_create(MPI_COMM_WORLD, 2, index, &edge, 0, &comm);
  if (comm == MPI_COMM_NULL) return;
  errors_return(comm);
  CHECK_CLASS(MPI_Neighbor_allgather(&world_rank, 1, MPI_INT, &in, 1, MPI_INT, comm), MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&comm);
}

static int edge_weight(int from, int to) { return 100 * from + to + 1; }

// Rank r sends to r + 1 and r + 2, around; twice to r + 1. Made in both ways, with weights and without.
static void check_dist_graph(MPI_Comm comm, int weighted) {
  int rank;  // reorder may have given this process another one
  MPI_Comm_rank(comm, &rank);
  const int p = world_size, next = (rank + 1) % p, last = (rank + p - 1) % p;
  int in, out, has_weights, sources[3], in_weights[3] = {-5, -5, -5}, dests[3], out_weights[3] = {-5, -5, -5}, expected = 0,
                                        seen = 0;
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &has_weights);
  CHECK(in == 3 && out == 3 && has_weights == weighted && kind_of(comm) == MPI_DIST_GRAPH, "%d %d %d", in, out, has_weights);
  MPI_Dist_graph_neighbors(comm, 3, sources, weighted ? in_weights : MPI_UNWEIGHTED, 3, dests,
                           weighted ? out_weights : MPI_UNWEIGHTED);
  for (int i = 0; i < 3; i++) {
    expected += (i < 2 ? last : (last + p - 1) % p) - (i < 2 ? next : (next + 1) % p);
    seen += sources[i] - dests[i];
    if (!weighted) continue;
    CHECK(in_weights[i] == edge_weight(sources[i], rank), "weight of source %d is %d", sources[i], in_weights[i]);
    CHECK(out_weights[i] == edge_weight(rank, dests[i]), "weight of destination %d is %d", dests[i], out_weights[i]);
  }
  CHECK(seen == expected, "sums of neighbors %d and %d", seen, expected);
  // The blocks that one rank sends to the same other arrive in their order.
  int to[3], from[3] = {-1, -1, -1}, turn[16] = {0};
  for (int i = 0; i < 3; i++) {
    to[i] = 1000 * rank + 10 * dests[i] + turn[dests[i]];
    turn[dests[i]]++;
  }
  memset(turn, 0, sizeof turn);
  MPI_Neighbor_alltoall(to, 1, MPI_INT, from, 1, MPI_INT, comm);
  for (int i = 0; i < 3; i++) {
    const int wanted = 1000 * sources[i] + 10 * rank + turn[sources[i]]++;
    CHECK(from[i] == wanted, "block %d from %d is %d, not %d", i, sources[i], from[i], wanted);
  }
}

static void dist_graphs(void) {
  const int p = world_size, next = (world_rank + 1) % p, last = (world_rank + p - 1) % p;
  const int dests[3] = {next, (next + 1) % p, next}, sources[3] = {last, (last + p - 1) % p, last};
  int in_weights[3], out_weights[3], degree = 3;
  for (int i = 0; i < 3; i++)
    in_weights[i] = edge_weight(sources[i], world_rank), out_weights[i] = edge_weight(world_rank, dests[i]);
  MPI_Comm comm, copy;
  for (int weighted = 0; weighted < 2; weighted++) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, weighted ? in_weights : MPI_UNWEIGHTED, 3, dests,
                                   weighted ? out_weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &comm);
    check_dist_graph(comm, weighted);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&comm);
    check_dist_graph(copy, weighted);
    MPI_Comm_free(&copy);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &world_rank, &degree, dests, weighted ? out_weights : MPI_UNWEIGHTED,
                          MPI_INFO_NULL, 0, &comm);
    check_dist_graph(comm, weighted);
    MPI_Comm_free(&comm);
    // Rank 0 alone gives the whole graph; the others have no edges to tell, and no weights.
    int all_sources[16], all_degrees[16], all_dests[48], all_weights[48];
    for (int r = 0; r < p; r++) {
      all_sources[r] = r;
      all_degrees[r] = 3;
      for (int i = 0; i < 3; i++) {
        all_dests[3 * r + i] = (r + (i == 1 ? 2 : 1)) % p;
        all_weights[3 * r + i] = edge_weight(r, all_dests[3 * r + i]);
      }
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, world_rank == 0 ? p : 0, all_sources, all_degrees, all_dests,
                          !weighted         ? MPI_UNWEIGHTED
                          : world_rank == 0 ? all_weights
                                            : MPI_WEIGHTS_EMPTY,
                          MPI_INFO_NULL, 0, &comm);
    check_dist_graph(comm, weighted);
    MPI_Comm_free(&comm);
  }
  // No edges at all: null buffers are fine, whatever the counts say.
  int has_weights = -1, in = -1, out = -1;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &comm);
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &has_weights);
  CHECK(in == 0 && out == 0 && has_weights == 1, "%d %d %d", in, out, has_weights);
  MPI_Neighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, comm);
  MPI_Neighbor_allgatherv(&world_rank, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, comm);
  MPI_Comm_free(&comm);
}

// Directed chain 0 -> 1 -> 2 ...: the first rank receives nothing, the last sends nothing.
static void chain(void) {
  const int next = world_rank + 1, last = world_rank - 1, in = world_rank > 0, out = next < world_size;
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, &last, MPI_UNWEIGHTED, out, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &comm);
  int got = -1;
  for (int round = 0; round < 50; round++) {
    const int mine = 100 * round + world_rank;
    MPI_Neighbor_allgather(&mine, 1, MPI_INT, &got, 1, MPI_INT, comm);
    CHECK(got == (in ? 100 * round + last : -1), "round %d: %d", round, got);
  }
  MPI_Comm_free(&comm);
}

static void misuse_of_grids(void) {
  MPI_Comm grid, made;
  int dims[2] = {world_size, 1}, periods[2] = {0, 0}, out[2], more[2], rank;
  const int too_many[2] = {world_size, 2}, negative[2] = {-1, 1}, huge[2] = {1 << 30, 1 << 30};
  MPI_Comm world;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  errors_return(world);
  errors_return(MPI_COMM_SELF);
  CHECK_CLASS(MPI_Cart_create(world, 2, too_many, periods, 0, &made), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_create(world, 2, negative, periods, 0, &made), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_create(world, 2, huge, periods, 0, &made), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_create(world, -1, dims, periods, 0, &made), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_create(world, 2, NULL, periods, 0, &made), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Cart_create(MPI_COMM_NULL, 2, dims, periods, 0, &made), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Cart_map(world, 2, too_many, periods, &rank), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_rank(world, dims, &rank), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Cart_get(world, 2, out, out, out), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Cart_sub(world, periods, &made), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Neighbor_allgather(out, 1, MPI_INT, more, 1, MPI_INT, world), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Neighbor_alltoallv(out, out, out, MPI_INT, more, out, out, MPI_INT, world), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Dims_create(0, 2, out), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Dims_create(7, 2, memcpy(out, (int[2]){2, 0}, sizeof out)), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Dims_create(6, 2, memcpy(out, (int[2]){-2, 0}, sizeof out)), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Dims_create(6, -1, out), MPI_ERR_DIMS);
  MPI_Cart_create(world, 2, dims, periods, 0, &grid);
  CHECK_CLASS(MPI_Cart_shift(grid, 2, 1, out, out + 1), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_shift(grid, -1, 1, out, out + 1), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_coords(grid, world_size, 2, out), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Cart_coords(grid, -1, 2, out), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Cart_coords(grid, 0, 1, out), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Cart_get(grid, 1, out, out, out), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Cart_rank(grid, dims, &rank), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Cart_rank(grid, NULL, &rank), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Graphdims_get(grid, out, out + 1), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Dist_graph_neighbors_count(grid, out, out, out), MPI_ERR_TOPOLOGY);
  int four[4] = {0};
  CHECK_CLASS(MPI_Neighbor_alltoall(four, 1, MPI_INT, four, 1, MPI_INT, grid), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, four, 1, MPI_INT, grid), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Neighbor_alltoall(four, -1, MPI_INT, out, 1, MPI_INT, grid), MPI_ERR_COUNT);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&world);
}

static void misuse_of_graphs(void) {
  MPI_Comm world, made;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  errors_return(world);
  int one = 1, zero = 0, far = world_size, falling[2] = {1, 0}, rank;
  CHECK_CLASS(MPI_Graph_create(world, world_size + 1, &one, &zero, 0, &made), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Graph_create(world, -1, &one, &zero, 0, &made), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Graph_create(world, 1, &one, &one, 0, &made), MPI_ERR_ARG);
  if (world_size > 1) CHECK_CLASS(MPI_Graph_create(world, 2, falling, &zero, 0, &made), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Graph_map(world, 1, &one, &one, &rank), MPI_ERR_ARG);
  MPI_Graph_create(world, 0, NULL, NULL, 0, &made);
  CHECK(made == MPI_COMM_NULL, "a graph without nodes has a communicator");
  // One rank alone is wrong: it gets its own error, and nobody is left waiting.
  const int wrong = world_rank == world_size - 1;
  CHECK_CLASS(
      MPI_Dist_graph_create(world, 1, &world_rank, &one, wrong ? &far : &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
      MPI_ERR_RANK);
  CHECK_CLASS(
      MPI_Dist_graph_create_adjacent(world, wrong, &far, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
      MPI_ERR_RANK);
  CHECK_CLASS(MPI_Dist_graph_create(world, 1, &world_rank, &one, &zero, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &made),
              MPI_ERR_ARG);
  if (world_size > 1)
    CHECK_CLASS(
        MPI_Dist_graph_create(world, 1, &world_rank, &one, &zero, wrong ? MPI_UNWEIGHTED : &one, MPI_INFO_NULL, 0, &made),
        MPI_ERR_ARG);
  // An edge that one end alone names: the graph can be asked about, and nobody waits for what is never sent.
  int next = (world_rank + 1) % world_size, in = -1, out = -1, weighted = -1, got = 0;
  CHECK_CLASS(MPI_Dist_graph_create_adjacent(world, 1, &next, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
              MPI_SUCCESS);
  errors_return(made);
  MPI_Dist_graph_neighbors_count(made, &in, &out, &weighted);
  CHECK(in == 1 && out == 0 && !weighted, "%d in, %d out, weighted %d", in, out, weighted);
  CHECK_CLASS(MPI_Neighbor_allgather(&one, 1, MPI_INT, &got, 1, MPI_INT, made), MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&made);
  // The communicator still works.
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world);
  CHECK(sum == world_size, "%d", sum);
  MPI_Comm_free(&world);
}

// Neighbors that do not agree on the size of a block find out, and the next call works.
static void different_counts(void) {
  if (world_size < 2) return;
  MPI_Comm ring;
  int periods = 1, out[4] = {1, 2, 3, 4}, in[4] = {0}, sum = 0, failed, any = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, &periods, 0, &ring);
  errors_return(ring);
  const int count = world_rank == 0 ? 2 : 1;
  failed = MPI_Neighbor_alltoall(out, count, MPI_INT, in, count, MPI_INT, ring) != MPI_SUCCESS;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(any == 1, "nobody saw that rank 0 exchanges 2 numbers and the others 1");
  MPI_Comm_free(&ring);
  MPI_Allreduce(out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == world_size, "%d", sum);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  grids();
  no_dimensions();
  graphs();
  one_way_graph();
  dist_graphs();
  chain();
  misuse_of_grids();
  misuse_of_graphs();
  different_counts();
  return check_finish();
}
