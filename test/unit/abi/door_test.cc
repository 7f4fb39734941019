// SPDX-License-Identifier: BSD-3-Clause
// How the door reads arguments: what it refuses, with which class and words, and what it lets pass because the standard
// ignores it. The calls are made as rank 1 of four; none of them gets to where anything would be sent.
#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "ompi_lite/abi/call.h"
#include "ompi_lite/core/predefined_types.h"

using namespace ompi_lite;
using namespace ompi_lite::abi;

namespace {

// A world without transports behind it, as long as a test runs.
class FakeWorld {
 public:
  enum class Handlers { untouched, returning };

  explicit FakeWorld(Handlers handlers = Handlers::returning) {
    define_predefined_types();
    define_predefined_ops();
    for (int handle : {257, 258}) before_[handle - 257] = predefined_objects[static_cast<std::size_t>(handle)];
    world = new Communicator(home_, 257, 2, Ref<Group>(new Group(0, 4, 1)), 1);
    self = new Communicator(home_, 258, 4, Ref<Group>(new Group(1, 1, 1)), 0);
    inter = new Communicator(home_, 6, Ref<Group>(new Group(0, 2, 1)), Ref<Group>(new Group(2, 2, 1)), 1);
    world->name = "MPI_COMM_WORLD";
    predefined_objects[257] = world;
    predefined_objects[258] = self;
    for (Communicator* each : {world, self, inter}) {
      if (handlers == Handlers::returning) each->set_errhandler(errors_return());
    }
    state_ = door.state.exchange(DoorState::active);
  }
  ~FakeWorld() {
    door.state.store(state_);
    delete inter;
    delete self;
    delete world;
    for (int handle : {257, 258}) predefined_objects[static_cast<std::size_t>(handle)] = before_[handle - 257];
  }
  MPI_Comm between() const { return reinterpret_cast<MPI_Comm>(inter->abi_handle); }

  Communicator *world, *self, *inter;

 private:
  CommunicatorHome home_;
  Object* before_[2];
  DoorState state_;
};

int data[64], other[64], counts[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};

// What reading one argument of a call says: "" or the sentence.
template <class A>
std::string reading(Site site, A argument) {
  Error error = enter(site);
  if (!error) error = argument.read(site);
  return error ? error.sentence() : "";
}

template <Use use>
auto ints(const void* buffer, Count count = 1, MPI_Datatype type = MPI_INT) {
  return payload<use>(buffer, count, type, "buf", "count", "datatype");
}

MPI_Comm seen_comm;
int seen_code, calls;
void see(MPI_Comm* comm, int* code, ...) { seen_comm = *comm, seen_code = *code, ++calls; }

}  // namespace

TEST_CASE("a wrong argument of a send gives the class of its kind") {
  FakeWorld fake;
  const MPI_Comm c = MPI_COMM_WORLD;
  CHECK(MPI_Send(data, 1, MPI_INT, 4, 0, c) == MPI_ERR_RANK);
  CHECK(MPI_Send(data, 1, MPI_INT, -5, 0, c) == MPI_ERR_RANK);
  CHECK(MPI_Send(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, c) == MPI_ERR_RANK);
  CHECK(MPI_Send(data, 1, MPI_INT, 0, -1, c) == MPI_ERR_TAG);
  CHECK(MPI_Send(data, 1, MPI_INT, 0, MPI_ANY_TAG, c) == MPI_ERR_TAG);
  CHECK(MPI_Send(data, -1, MPI_INT, 0, 0, c) == MPI_ERR_COUNT);
  CHECK(MPI_Send(nullptr, 1, MPI_INT, 0, 0, c) == MPI_ERR_BUFFER);
  CHECK(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, c) == MPI_ERR_BUFFER);
  CHECK(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, c) == MPI_ERR_TYPE);
  CHECK(MPI_Send(data, 1, MPI_INT, 0, 0, MPI_COMM_NULL) == MPI_ERR_COMM);
  CHECK(MPI_Send_c(data, -1, MPI_INT, 0, 0, c) == MPI_ERR_COUNT);
  CHECK(MPI_Isend(data, 1, MPI_INT, 0, 0, c, nullptr) == MPI_ERR_ARG);
  CHECK(MPI_Recv(data, 1, MPI_INT, 4, 0, c, MPI_STATUS_IGNORE) == MPI_ERR_RANK);
  CHECK(MPI_Recv(data, 1, MPI_INT, 0, -3, c, MPI_STATUS_IGNORE) == MPI_ERR_TAG);
}

TEST_CASE("handles of another kind, freed ones and numbers that are none are refused") {
  FakeWorld fake;
  CHECK(MPI_Send(data, 1, MPI_INT, 0, 0, reinterpret_cast<MPI_Comm>(MPI_INT)) == MPI_ERR_COMM);
  CHECK(MPI_Send(data, 1, reinterpret_cast<MPI_Datatype>(MPI_COMM_WORLD), 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
  CHECK(MPI_Send(data, 1, reinterpret_cast<MPI_Datatype>(0x3ff), 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
  CHECK(MPI_Send(data, 1, reinterpret_cast<MPI_Datatype>(0x4c000405), 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
  CHECK(MPI_Allreduce(data, other, 1, MPI_INT, reinterpret_cast<MPI_Op>(MPI_INT), MPI_COMM_WORLD) == MPI_ERR_OP);
  CHECK(MPI_Allreduce(data, other, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD) == MPI_ERR_OP);
  int size = 0;
  CHECK(MPI_Comm_size(fake.between(), &size) == MPI_SUCCESS);
  CHECK(size == 2);
  CHECK(MPI_Type_size(reinterpret_cast<MPI_Datatype>(fake.between()), &size) == MPI_ERR_TYPE);
  CHECK(MPI_Group_size(MPI_GROUP_NULL, &size) == MPI_ERR_GROUP);
  CHECK(MPI_Info_set(MPI_INFO_NULL, "key", "value") == MPI_ERR_INFO);
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, nullptr) == MPI_ERR_ARG);
}

TEST_CASE("a type must be committed to be sent, but not to build others") {
  FakeWorld fake;
  MPI_Datatype two = MPI_DATATYPE_NULL, four = MPI_DATATYPE_NULL;
  REQUIRE(MPI_Type_contiguous(2, MPI_INT, &two) == MPI_SUCCESS);
  CHECK(MPI_Send(data, 1, two, 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
  CHECK(MPI_Type_contiguous(2, two, &four) == MPI_SUCCESS);
  CHECK(MPI_Type_contiguous(-1, two, &four) == MPI_ERR_COUNT);
  CHECK(MPI_Type_free(&four) == MPI_SUCCESS);
  CHECK(four == MPI_DATATYPE_NULL);
  CHECK(MPI_Type_free(&four) == MPI_ERR_TYPE);
  CHECK(MPI_Type_commit(&two) == MPI_SUCCESS);
  CHECK(reading(on("MPI_Send", MPI_COMM_WORLD), ints<Use::single>(data, 1, two)) == "");
  CHECK(MPI_Type_free(&two) == MPI_SUCCESS);
}

TEST_CASE("MPI_BOTTOM with a type of absolute addresses is no null buffer") {
  FakeWorld fake;
  MPI_Datatype absolute = MPI_DATATYPE_NULL;
  const int one = 1;
  MPI_Aint address = 0;
  REQUIRE(MPI_Get_address(data, &address) == MPI_SUCCESS);
  REQUIRE(MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &absolute) == MPI_SUCCESS);
  REQUIRE(MPI_Type_commit(&absolute) == MPI_SUCCESS);
  const Site send = on("MPI_Send", MPI_COMM_WORLD);
  CHECK(reading(send, ints<Use::single>(MPI_BOTTOM, 1, absolute)) == "");
  CHECK(reading(send, ints<Use::single>(MPI_BOTTOM, 3)) == "buf is a null pointer, but the count is 3");
  CHECK(reading(send, ints<Use::single>(MPI_BOTTOM, 0)) == "");
  CHECK(MPI_Type_free(&absolute) == MPI_SUCCESS);
}

TEST_CASE("the root of a collective is a rank, or MPI_ROOT and MPI_PROC_NULL between groups") {
  FakeWorld fake;
  CHECK(MPI_Bcast(data, 1, MPI_INT, 4, MPI_COMM_WORLD) == MPI_ERR_ROOT);
  CHECK(MPI_Bcast(data, 1, MPI_INT, MPI_ROOT, MPI_COMM_WORLD) == MPI_ERR_ROOT);
  CHECK(MPI_Bcast(data, 1, MPI_INT, MPI_PROC_NULL, MPI_COMM_WORLD) == MPI_ERR_ROOT);
  CHECK(MPI_Bcast(data, 1, MPI_INT, 2, fake.between()) == MPI_ERR_ROOT);
  const auto bad = ints<Use::bcast>(data, -1);
  const std::string negative = "count is -1, it must not be negative";
  CHECK(reading(on("MPI_Bcast", fake.between(), MPI_ROOT), bad) == negative);
  CHECK(reading(on("MPI_Bcast", fake.between(), 0), bad) == negative);
  CHECK(reading(on("MPI_Bcast", fake.between(), MPI_PROC_NULL), bad) == "");
}

TEST_CASE("what is significant at the root alone is read there alone") {
  FakeWorld fake;
  const auto bad = ints<Use::at_root>(nullptr, -1, MPI_DATATYPE_NULL);
  CHECK(reading(on("MPI_Gather", MPI_COMM_WORLD, 0), bad) == "");
  CHECK(reading(on("MPI_Gather", MPI_COMM_WORLD, 1), bad) == "count is -1, it must not be negative");
  CHECK(reading(on("MPI_Gather", fake.between(), 1), bad) == "");
  CHECK(reading(on("MPI_Gather", fake.between(), MPI_PROC_NULL), bad) == "");
  CHECK(reading(on("MPI_Gather", fake.between(), MPI_ROOT), bad) == "count is -1, it must not be negative");
  const auto leaf = ints<Use::leaf>(nullptr, -1, MPI_DATATYPE_NULL);
  CHECK(reading(on("MPI_Gather", fake.between(), MPI_ROOT), leaf) == "");
  CHECK(reading(on("MPI_Gather", fake.between(), 1), leaf) == "count is -1, it must not be negative");
  const int negative[4] = {1, 1, -2, 1};
  const auto blocks = payload<Use::at_root>(data, negative, places, MPI_INT, "recvbuf", "recvcounts", "displs", "recvtype");
  CHECK(reading(on("MPI_Gatherv", MPI_COMM_WORLD, 2), blocks) == "");
  CHECK(reading(on("MPI_Gatherv", MPI_COMM_WORLD, 1), blocks) == "recvcounts[2] is -2, it must not be negative");
}

TEST_CASE("MPI_IN_PLACE stands where the standard lets it, and then count and type are ignored") {
  FakeWorld fake;
  CHECK(reading(on("MPI_Allgather", MPI_COMM_WORLD), ints<Use::in_place>(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL)) == "");
  CHECK(reading(on("MPI_Gather", MPI_COMM_WORLD, 1), ints<Use::leaf>(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL)) == "");
  CHECK(reading(on("MPI_Gather", MPI_COMM_WORLD, 0), ints<Use::leaf>(MPI_IN_PLACE)).find("only the root") !=
        std::string::npos);
  CHECK(reading(on("MPI_Allgather", fake.between()), ints<Use::in_place>(MPI_IN_PLACE)) != "");
  CHECK(MPI_Allreduce(data, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  CHECK(MPI_Reduce(MPI_IN_PLACE, other, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  CHECK(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  CHECK(MPI_Reduce_local(MPI_IN_PLACE, other, 1, MPI_INT, MPI_SUM) == MPI_ERR_BUFFER);
  CHECK(MPI_Allreduce(MPI_IN_PLACE, other, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  CHECK(MPI_Allreduce(MPI_IN_PLACE, other, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD) == MPI_ERR_TYPE);
}

TEST_CASE("one buffer given twice is refused, with the hint at MPI_IN_PLACE") {
  FakeWorld fake;
  const MPI_Comm c = MPI_COMM_WORLD;
  CHECK(MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, c) == MPI_ERR_BUFFER);
  CHECK(MPI_Reduce(data, data, 1, MPI_INT, MPI_SUM, 1, c) == MPI_ERR_BUFFER);
  CHECK(MPI_Allgather(data, 1, MPI_INT, data, 1, MPI_INT, c) == MPI_ERR_BUFFER);
  CHECK(MPI_Alltoallv(data, counts, places, MPI_INT, data, counts, places, MPI_INT, c) == MPI_ERR_BUFFER);
  CHECK(MPI_Reduce_scatter(data, data, counts, MPI_INT, MPI_SUM, c) == MPI_ERR_BUFFER);
  CHECK(MPI_Reduce_local(data, data, 1, MPI_INT, MPI_SUM) == MPI_ERR_BUFFER);
  Site site = on("MPI_Allreduce", c);
  REQUIRE_FALSE(enter(site));
  auto send = operand<Use::in_place>(data, 1, MPI_INT, "sendbuf", "count", "datatype");
  auto receive = operand<Use::everyone>(data, 1, MPI_INT, "recvbuf", "count", "datatype");
  REQUIRE_FALSE(send.read(site));
  const Error error = receive.read(site);
  REQUIRE(error);
  CHECK(std::strstr(error.sentence(), "use MPI_IN_PLACE as sendbuf") != nullptr);
}

TEST_CASE("an error without a communicator goes to the handler of MPI_COMM_SELF") {
  FakeWorld fake;
  fake.world->set_errhandler(errors_are_fatal());
  CHECK(MPI_Type_contiguous(-1, MPI_INT, nullptr) == MPI_ERR_COUNT);
}

TEST_CASE("an error without a communicator goes to the world's handler if only the world's was chosen") {
  FakeWorld fake(FakeWorld::Handlers::untouched);
  fake.world->set_errhandler(errors_return());
  CHECK(MPI_Type_contiguous(-1, MPI_INT, nullptr) == MPI_ERR_COUNT);
}

TEST_CASE("a handler of the application gets the communicator and the code") {
  FakeWorld fake;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  REQUIRE(MPI_Comm_create_errhandler(see, &handler) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler) == MPI_SUCCESS);
  REQUIRE(MPI_Errhandler_free(&handler) == MPI_SUCCESS);
  CHECK(MPI_Send(data, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  CHECK((calls == 1 && seen_comm == MPI_COMM_WORLD && seen_code == MPI_ERR_COUNT));
  CHECK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, 12345) == MPI_SUCCESS);
  CHECK((calls == 2 && seen_code == 12345));
}

TEST_CASE("what is not built says so on the communicator's handler") {
  FakeWorld fake;
  MPI_Win win = MPI_WIN_NULL;
  CHECK(MPI_Win_create(data, 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_ERR_UNSUPPORTED_OPERATION);
}

TEST_CASE("a bad communicator is named as the argument that it is") {
  FakeWorld fake;
  CHECK(reading(on("MPI_Comm_compare", MPI_COMM_NULL, "comm1"), Value{0}) == "comm1 is MPI_COMM_NULL");
  CHECK(reading(on("MPI_Barrier", reinterpret_cast<MPI_Comm>(MPI_INT)), Value{0}) ==
        "comm is 0x209, which is not a predefined communicator");
}

TEST_CASE("without checks objects are found all the same, and numbers pass as they are") {
  FakeWorld fake;
  REQUIRE_FALSE(check_arguments.set("no"));
  CHECK(reading(on("MPI_Send", MPI_COMM_WORLD), Rank{9, "dest", Who::dest}) == "");
  CHECK(reading(on("MPI_Send", MPI_COMM_WORLD), ints<Use::single>(nullptr, -1)) == "");
  Site site = on("MPI_Send", MPI_COMM_WORLD);
  REQUIRE_FALSE(enter(site));
  auto data_of_call = ints<Use::single>(data, 3);
  CHECK_FALSE(data_of_call.read(site));
  const Buffer buffer = data_of_call.as<Buffer>();
  CHECK(buffer.data == reinterpret_cast<std::byte*>(data));
  CHECK(buffer.count == 3);
  CHECK(buffer.type == &datatype_of(MPI_INT));
  check_arguments.reset();
}

TEST_CASE("narrow results that do not fit become MPI_UNDEFINED") {
  FakeWorld fake;
  MPI_Datatype large = MPI_DATATYPE_NULL;
  int size = 0;
  MPI_Count wide = 0;
  REQUIRE(MPI_Type_contiguous(2147483647, MPI_DOUBLE, &large) == MPI_SUCCESS);
  CHECK(MPI_Type_size(large, &size) == MPI_SUCCESS);
  CHECK(size == MPI_UNDEFINED);
  CHECK(MPI_Type_size_c(large, &wide) == MPI_SUCCESS);
  CHECK(wide == 8 * Count{2147483647});
  CHECK(MPI_Type_free(&large) == MPI_SUCCESS);
}

TEST_CASE("handles become ints and come back") {
  FakeWorld fake;
  CHECK(MPI_Type_toint(MPI_INT) == 521);
  CHECK(MPI_Type_fromint(521) == MPI_INT);
  const int index = MPI_Comm_toint(fake.between());
  CHECK(index >= 4096);
  CHECK(MPI_Comm_fromint(index) == fake.between());
  CHECK(MPI_Type_fromint(index) == MPI_DATATYPE_NULL);
  CHECK(MPI_Comm_fromint(1 << 20) == MPI_COMM_NULL);
}
