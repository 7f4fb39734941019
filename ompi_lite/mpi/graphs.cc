// SPDX-License-Identifier: BSD-3-Clause
// Graph topologies: those that every rank knows whole, and those of which each rank knows its own edges.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "coll/coll.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/grid.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/include/mpi.h"
#include "ompi_lite/mpi/comms.h"
#include "ompi_lite/mpi/grids.h"
#include "ompi_lite/mpi/places.h"

namespace ompi_lite::mpi {
namespace {

Error graph_of(Communicator& comm, const Graph*& graph) {
  graph = comm.topology == nullptr ? nullptr : std::get_if<Graph>(&comm.topology->shape);
  return graph != nullptr ? Error() : Error(ErrorClass::topology, "comm has no graph topology");
}

Error dist_graph_of(Communicator& comm, const DistGraph*& graph) {
  graph = comm.topology == nullptr ? nullptr : std::get_if<DistGraph>(&comm.topology->shape);
  return graph != nullptr ? Error() : Error(ErrorClass::topology, "comm has no distributed graph topology");
}

Error check_graph(Communicator& comm, std::span<const int> index, const int* edges) {
  if (comm.is_inter()) return Error(ErrorClass::comm, "comm is an intercommunicator");
  const int nodes = static_cast<int>(index.size());
  if (nodes > comm.size())
    return make_error(ErrorClass::arg, "nnodes is %d, but the communicator has %d ranks", nodes, comm.size());
  int before = 0;
  for (int i = 0; i < nodes; ++i) {
    const int here = index[static_cast<std::size_t>(i)];
    if (here < before)
      return make_error(ErrorClass::arg, "index[%d] is %d, which is less than %d before it", i, here, before);
    before = here;
  }
  if (before > 0 && edges == nullptr) return Error(ErrorClass::arg, "edges is a null pointer");
  for (int i = 0; i < before; ++i)
    if (edges[i] < 0 || edges[i] >= nodes)
      return make_error(ErrorClass::arg, "edges[%d] is %d, but nnodes is %d", i, edges[i], nodes);
  return {};
}

bool is_unweighted(const int* weights) { return weights == MPI_UNWEIGHTED; }
bool has_values(const int* weights) { return !is_unweighted(weights) && weights != MPI_WEIGHTS_EMPTY; }

Error check_weights(const char* name, const int* weights, std::size_t count) {
  if (count == 0 || is_unweighted(weights)) return {};
  if (weights == nullptr) return make_error(ErrorClass::arg, "%s is a null pointer", name);
  if (weights == MPI_WEIGHTS_EMPTY)
    return make_error(ErrorClass::arg, "%s is MPI_WEIGHTS_EMPTY, but there are %zu edges", name, count);
  for (std::size_t i = 0; i < count; ++i)
    if (weights[i] < 0) return make_error(ErrorClass::arg, "%s[%zu] is %d", name, i, weights[i]);
  return {};
}

Error check_ranks(Communicator& comm, const char* name, const int* ranks, std::size_t count) {
  if (count > 0 && ranks == nullptr) return make_error(ErrorClass::arg, "%s is a null pointer", name);
  for (std::size_t i = 0; i < count; ++i) {
    if (ranks[i] < 0 || ranks[i] >= comm.size())
      return make_error(ErrorClass::rank, "%s[%zu] is %d, but the communicator has %d ranks", name, i, ranks[i],
                        comm.size());
  }
  return {};
}

// Each rank gives a part of the graph, and an error of one must not leave the others waiting. All learn whether all parts
// are right, and whether edges have weights; `error` is what is wrong with our own part.
Error agree(Communicator& comm, Error error, const int* weights, bool& weighted) {
  const std::string own = error.sentence();  // the sentence may lie in a buffer that others use
  const bool none = is_unweighted(weights), some = !none && weights != nullptr;  // null is right where there are no edges
  int told[3] = {error.code(), none ? 1 : 0, some ? 1 : 0}, all[3] = {};
  Datatype& ints = datatype_of(MPI_INT);
  Op& maximum = op_of(MPI_MAX);
  OL_TRY(coll::allreduce(Buffer(told, 3, &ints), Buffer(all, 3, &ints), maximum, comm));
  if (error) return make_error(error.error_class(), "%s", own.c_str());
  if (all[0] != 0) return Error(static_cast<ErrorClass>(all[0]), "another rank gave arguments that are not valid");
  if (all[1] != 0 && all[2] != 0) return Error(ErrorClass::arg, "some ranks gave weights, and others MPI_UNWEIGHTED");
  weighted = all[1] == 0;
  return {};
}

// Each rank gives every rank a list, and gets the lists for it, those of rank 0 first.
template <class Item>
Error exchange_lists(Communicator& comm, const std::vector<std::vector<Item>>& lists, std::vector<Item>& incoming) {
  const std::size_t p = lists.size();
  std::vector<Count> out(p), in(p), out_at(p), in_at(p);
  std::vector<Item> outgoing;
  for (std::size_t r = 0; r < p; ++r) {
    out[r] = static_cast<Count>(lists[r].size() * sizeof(Item));
    out_at[r] = static_cast<Count>(outgoing.size() * sizeof(Item));
    outgoing.insert(outgoing.end(), lists[r].begin(), lists[r].end());
  }
  Datatype &counts = datatype_of(MPI_INT64_T), &bytes = datatype_of(MPI_BYTE);
  OL_TRY(coll::alltoall(Buffer(out.data(), 1, &counts), Buffer(in.data(), 1, &counts), comm));
  Count total = 0;
  for (std::size_t r = 0; r < p; ++r) in_at[r] = std::exchange(total, total + in[r]);
  incoming.resize(static_cast<std::size_t>(total) / sizeof(Item));
  return coll::alltoallv({reinterpret_cast<std::byte*>(outgoing.data()), out.data(), out_at.data(), &bytes},
                         {reinterpret_cast<std::byte*>(incoming.data()), in.data(), in_at.data(), &bytes}, comm);
}

// One edge on its way to the two ranks that it joins, with the number of the end that it is told to.
struct Edge {
  int source, dest, weight, is_out;
};

// What of the graph's edges concerns this rank, in an order in which both ends see the edges between the same two: by the
// rank that gave them, then as they were given.
class Gathering {
 public:
  Gathering(Communicator& comm, bool weighted)
      : comm_(comm), weighted_(weighted), told_(static_cast<std::size_t>(comm.size())) {}

  void add(int source, int dest, int weight) {
    told_[static_cast<std::size_t>(source)].push_back({source, dest, weight, 1});
    told_[static_cast<std::size_t>(dest)].push_back({source, dest, weight, 0});
  }

  Error exchange() {
    std::vector<Edge> incoming;
    OL_TRY(exchange_lists(comm_, told_, incoming));
    for (const Edge& edge : incoming) {
      if (edge.is_out != 0) {
        destinations.push_back(edge.dest);
        if (weighted_) graph.destination_weights.push_back(edge.weight);
      } else {
        sources.push_back(edge.source);
        if (weighted_) graph.source_weights.push_back(edge.weight);
      }
    }
    graph.weighted = weighted_;
    return {};
  }

  std::vector<int> sources, destinations;
  DistGraph graph;

 private:
  Communicator& comm_;
  bool weighted_;
  std::vector<std::vector<Edge>> told_;
};

// What one rank of a distributed graph knows.
struct Node {
  DistGraph graph;
  std::vector<int> sources, destinations;
  bool matched = true;  // both ends name each edge, in the whole graph
};

// All edges, known to every rank, from what each knows of its own.
Error gather_links(Communicator& comm, const Node& node, std::vector<Link>& links) {
  std::vector<Link> own;
  for (std::size_t i = 0; i < node.destinations.size(); ++i)
    own.push_back({comm.rank(), node.destinations[i], node.graph.weighted ? node.graph.destination_weights[i] : 1});
  return exchange_lists(comm, std::vector<std::vector<Link>>(static_cast<std::size_t>(comm.size()), own), links);
}

// After this the process order[r] knows what rank r knew.
Error move_nodes(Communicator& comm, std::span<const int> order, Node& node) {
  std::vector<std::vector<int>> out(static_cast<std::size_t>(comm.size()));
  std::vector<int>& packed = out[static_cast<std::size_t>(order[static_cast<std::size_t>(comm.rank())])];
  for (const std::vector<int>* list :
       {&node.sources, &node.destinations, &node.graph.source_weights, &node.graph.destination_weights}) {
    packed.push_back(static_cast<int>(list->size()));
    packed.insert(packed.end(), list->begin(), list->end());
  }
  std::vector<int> incoming;
  OL_TRY(exchange_lists(comm, out, incoming));
  std::size_t at = 0;
  for (std::vector<int>* list :
       {&node.sources, &node.destinations, &node.graph.source_weights, &node.graph.destination_weights}) {
    const auto first = incoming.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    list->assign(first, first + incoming[at]);
    at += 1 + list->size();
  }
  return {};
}

Error create_dist_graph(Communicator& comm, Node node, bool reorder, Communicator*& newcomm) {
  std::vector<int> order;
  if (reorder) {
    std::vector<Link> links;
    OL_TRY(gather_links(comm, node, links));
    OL_TRY(find_order(comm, comm.size(), links, order));
    if (!order.empty()) OL_TRY(move_nodes(comm, order, node));
  }
  OL_TRY(create_over_first(comm, comm.size(), order, newcomm));
  Neighborhood neighborhood = make_neighborhood(newcomm->rank(), comm.size(), std::move(node.sources),
                                                std::move(node.destinations), Arrival::in_order);
  newcomm->topology = std::make_shared<Topology>(Topology{std::move(node.graph), std::move(neighborhood), node.matched});
  return {};
}

Error check_edge_lists(Communicator& comm, std::span<const int> sources, std::span<const int> degrees,
                       const int* destinations, const int* weights) {
  OL_TRY(check_ranks(comm, "sources", sources.data(), sources.size()));
  std::size_t edges = 0;
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    if (degrees[i] < 0) return make_error(ErrorClass::arg, "degrees[%zu] is %d", i, degrees[i]);
    edges += static_cast<std::size_t>(degrees[i]);
  }
  OL_TRY(check_ranks(comm, "destinations", destinations, edges));
  return check_weights("weights", weights, edges);
}

Error check_adjacent(Communicator& comm, std::span<const int> sources, const int* source_weights,
                     std::span<const int> destinations, const int* destination_weights) {
  OL_TRY(check_ranks(comm, "sources", sources.data(), sources.size()));
  OL_TRY(check_ranks(comm, "destinations", destinations.data(), destinations.size()));
  OL_TRY(check_weights("sourceweights", source_weights, sources.size()));
  OL_TRY(check_weights("destweights", destination_weights, destinations.size()));
  if (is_unweighted(source_weights) != is_unweighted(destination_weights))
    return Error(ErrorClass::arg, "one of sourceweights and destweights is MPI_UNWEIGHTED, the other is not");
  return {};
}

// A number that stands for an edge, spread over all 64 bits so that the sums of different sets of edges differ.
std::uint64_t edge_mark(int source, int dest) {
  std::uint64_t mark = (static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(dest)) + 0x9e3779b97f4a7c15;
  mark = (mark ^ mark >> 30) * 0xbf58476d1ce4e5b9;
  mark = (mark ^ mark >> 27) * 0x94d049bb133111eb;
  return mark ^ mark >> 31;
}

// Each edge has to be named by both of its ends (MPI 5.0, section 8.5.4). A graph in which one is not can be asked about,
// but its neighborhood collectives would wait for ever. The marks of all ends sum up to 0 where the ends fit.
Error ends_fit(Communicator& comm, std::span<const int> sources, std::span<const int> destinations, bool& fit) {
  std::uint64_t own = 0, sum = 0;
  for (int source : sources) own += edge_mark(source, comm.rank());
  for (int dest : destinations) own -= edge_mark(comm.rank(), dest);
  Datatype& words = datatype_of(MPI_UINT64_T);
  OL_TRY(coll::allreduce(Buffer(&own, 1, &words), Buffer(&sum, 1, &words), op_of(MPI_SUM), comm));
  fit = sum == 0;
  return {};
}

std::vector<int> weights_of(const int* weights, std::size_t count) {
  return has_values(weights) ? std::vector<int>(weights, weights + count) : std::vector<int>();
}

// As many as there are, or as there is room for.
void fill(std::span<int> room, const std::vector<int>& values) {
  std::copy_n(values.begin(), std::min(room.size(), values.size()), room.begin());
}

}  // namespace

Error graph_create(Communicator& comm, std::span<const int> index, const int* edges, bool reorder,
                   Communicator*& comm_graph) {
  comm_graph = nullptr;
  OL_TRY(check_graph(comm, index, edges));
  if (index.empty()) return {};
  const Graph graph{{index.begin(), index.end()}, std::vector<int>(edges, edges + index.back())};
  std::vector<int> order;
  if (reorder) {
    std::vector<Link> links;
    for (int node = 0; node < graph.nodes(); ++node)
      for (const int neighbor : graph.neighbors(node)) links.push_back({node, neighbor, 1});
    OL_TRY(find_order(comm, graph.nodes(), links, order));
  }
  OL_TRY(create_over_first(comm, graph.nodes(), order, comm_graph));
  if (comm_graph == nullptr) return {};
  comm_graph->topology = std::make_shared<Topology>(topology_of(graph, comm_graph->rank()));
  return {};
}

Error graphdims_get(Communicator& comm, int& nnodes, int& nedges) {
  const Graph* graph;
  OL_TRY(graph_of(comm, graph));
  nnodes = graph->nodes();
  nedges = static_cast<int>(graph->edges.size());
  return {};
}

Error graph_get(Communicator& comm, std::span<int> index, std::span<int> edges) {
  const Graph* graph;
  OL_TRY(graph_of(comm, graph));
  fill(index, graph->index);
  fill(edges, graph->edges);
  return {};
}

Error graph_neighbors_count(Communicator& comm, int rank, int& count) {
  const Graph* graph;
  OL_TRY(graph_of(comm, graph));
  count = static_cast<int>(graph->neighbors(rank).size());
  return {};
}

Error graph_neighbors(Communicator& comm, int rank, std::span<int> neighbors) {
  const Graph* graph;
  OL_TRY(graph_of(comm, graph));
  const std::span<const int> all = graph->neighbors(rank);
  std::copy_n(all.begin(), std::min(all.size(), neighbors.size()), neighbors.begin());
  return {};
}

Error graph_map(Communicator& comm, std::span<const int> index, const int* edges, int& newrank) {
  OL_TRY(check_graph(comm, index, edges));
  newrank = comm.rank() < static_cast<int>(index.size()) ? comm.rank() : MPI_UNDEFINED;
  return {};
}

Error dist_graph_create(Communicator& comm, std::span<const int> sources, std::span<const int> degrees,
                        const int* destinations, const int* weights, Info*, bool reorder, Communicator*& comm_dist_graph) {
  if (comm.is_inter()) return Error(ErrorClass::comm, "comm is an intercommunicator");
  bool weighted = false;
  const Error error = check_edge_lists(comm, sources, degrees, destinations, weights);
  OL_TRY(agree(comm, error, weights, weighted));
  Gathering gathering(comm, weighted);
  std::size_t edge = 0;
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (int k = 0; k < degrees[i]; ++k, ++edge) gathering.add(sources[i], destinations[edge], weighted ? weights[edge] : 0);
  OL_TRY(gathering.exchange());
  return create_dist_graph(
      comm, {std::move(gathering.graph), std::move(gathering.sources), std::move(gathering.destinations), true}, reorder,
      comm_dist_graph);
}

Error dist_graph_create_adjacent(Communicator& comm, std::span<const int> sources, const int* source_weights,
                                 std::span<const int> destinations, const int* destination_weights, Info*, bool reorder,
                                 Communicator*& comm_dist_graph) {
  if (comm.is_inter()) return Error(ErrorClass::comm, "comm is an intercommunicator");
  bool weighted = false;
  const Error error = check_adjacent(comm, sources, source_weights, destinations, destination_weights);
  OL_TRY(agree(comm, error, source_weights != nullptr ? source_weights : destination_weights, weighted));
  DistGraph graph{weighted, {}, {}};
  if (weighted) {
    graph.source_weights = weights_of(source_weights, sources.size());
    graph.destination_weights = weights_of(destination_weights, destinations.size());
  }
  Node node{std::move(graph), {sources.begin(), sources.end()}, {destinations.begin(), destinations.end()}};
  OL_TRY(ends_fit(comm, sources, destinations, node.matched));
  return create_dist_graph(comm, std::move(node), reorder, comm_dist_graph);
}

Error dist_graph_neighbors_count(Communicator& comm, int& indegree, int& outdegree, bool& weighted) {
  const DistGraph* graph;
  OL_TRY(dist_graph_of(comm, graph));
  indegree = static_cast<int>(comm.topology->neighborhood.sources.size());
  outdegree = static_cast<int>(comm.topology->neighborhood.destinations.size());
  weighted = graph->weighted;
  return {};
}

Error dist_graph_neighbors(Communicator& comm, std::span<int> sources, int* source_weights, std::span<int> destinations,
                           int* destination_weights) {
  const DistGraph* graph;
  OL_TRY(dist_graph_of(comm, graph));
  const Neighborhood& neighborhood = comm.topology->neighborhood;
  fill(sources, neighborhood.sources);
  fill(destinations, neighborhood.destinations);
  // Without weights there is nothing to store, whatever the program gave for them.
  if (source_weights != nullptr && has_values(source_weights)) fill({source_weights, sources.size()}, graph->source_weights);
  if (destination_weights != nullptr && has_values(destination_weights))
    fill({destination_weights, destinations.size()}, graph->destination_weights);
  return {};
}

}  // namespace ompi_lite::mpi
