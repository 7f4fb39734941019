// SPDX-License-Identifier: BSD-3-Clause
// Groups, context ids, infos, attributes, error codes and the ints that stand for handles.
#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <vector>

#include "ompi_lite/core/attribute.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/context_id.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/include/mpi.h"
#include "ompi_lite/mpi/errors.h"
#include "ompi_lite/mpi/groups.h"
#include "ompi_lite/mpi/info.h"

namespace ompi_lite {
namespace {

std::vector<int> members(const Group& group) {
  std::vector<int> peers;
  for (int i = 0; i < group.size(); i++) peers.push_back(group.peer(i));
  return peers;
}

// The peers of what a group function made, which is freed here.
template <class Make>
std::vector<int> made(Make make) {
  Group* group = nullptr;
  Error error = make(group);
  REQUIRE_FALSE(error);
  std::vector<int> peers = members(*group);
  REQUIRE_FALSE(mpi::group_free(group));
  REQUIRE(group == nullptr);
  return peers;
}

using Ints = std::vector<int>;

TEST_CASE("a group finds ranks and peers, contiguous or not") {
  Group run(3, 4, 5), list({7, 2, 9}, 9);
  CHECK(run.rank_of(3) == 0);
  CHECK(run.rank_of(7) == MPI_UNDEFINED);
  CHECK(run.rank_of(2) == MPI_UNDEFINED);
  CHECK(run.rank() == 2);
  CHECK(list.rank_of(2) == 1);
  CHECK(list.rank_of(3) == MPI_UNDEFINED);
  CHECK(list.rank() == 2);
  CHECK(Group({4, 5, 6}, 0).rank() == MPI_UNDEFINED);
}

TEST_CASE("group set operations keep the order that the standard gives them") {
  Group a({0, 1, 2, 3}, 1), b({4, 3, 1}, 1);
  CHECK(made([&](Group*& g) { return mpi::group_union(a, b, g); }) == Ints{0, 1, 2, 3, 4});
  CHECK(made([&](Group*& g) { return mpi::group_intersection(b, a, g); }) == Ints{3, 1});
  CHECK(made([&](Group*& g) { return mpi::group_difference(a, b, g); }) == Ints{0, 2});
  Group* nothing = nullptr;
  REQUIRE_FALSE(mpi::group_difference(a, a, nothing));
  CHECK(nothing == &empty_group());
}

TEST_CASE("incl, excl and ranges pick members and refuse what is no rank") {
  Group group(10, 6, 11);
  const Ints ranks{4, 0, 2};
  CHECK(made([&](Group*& g) { return mpi::group_incl(group, ranks, g); }) == Ints{14, 10, 12});
  CHECK(made([&](Group*& g) { return mpi::group_excl(group, ranks, g); }) == Ints{11, 13, 15});
  const int ranges[2][3] = {{5, 1, -2}, {0, 1, 5}};
  CHECK(made([&](Group*& g) { return mpi::group_range_incl(group, 2, ranges, g); }) == Ints{15, 13, 11, 10});
  const int past_end[1][3] = {{1, 6, 3}};  // reaches 4 only
  CHECK(made([&](Group*& g) { return mpi::group_range_excl(group, 1, past_end, g); }) == Ints{10, 12, 13, 15});

  Group* untouched = nullptr;
  const Ints twice{1, 1}, beyond{6};
  CHECK(mpi::group_incl(group, twice, untouched).error_class() == ErrorClass::rank);
  CHECK(mpi::group_excl(group, beyond, untouched).error_class() == ErrorClass::rank);
  const int no_stride[1][3] = {{0, 1, 0}};
  const int never[1][3] = {{0, 3, -1}};
  CHECK(mpi::group_range_incl(group, 1, no_stride, untouched).error_class() == ErrorClass::arg);
  CHECK(mpi::group_range_incl(group, 1, never, untouched).error_class() == ErrorClass::arg);
  CHECK(untouched == nullptr);
}

TEST_CASE("compare and translate tell ident, similar and unequal") {
  Group a({0, 1, 2}, 0), same(0, 3, 0), turned({2, 1, 0}, 0), other({0, 1, 3}, 0);
  int result = -1;
  REQUIRE_FALSE(mpi::group_compare(a, same, result));
  CHECK(result == MPI_IDENT);
  REQUIRE_FALSE(mpi::group_compare(a, turned, result));
  CHECK(result == MPI_SIMILAR);
  REQUIRE_FALSE(mpi::group_compare(a, other, result));
  CHECK(result == MPI_UNEQUAL);
  const Ints ranks{0, MPI_PROC_NULL, 2};
  int translated[3];
  REQUIRE_FALSE(mpi::group_translate_ranks(a, ranks, other, translated));
  CHECK(Ints(translated, translated + 3) == Ints{0, MPI_PROC_NULL, MPI_UNDEFINED});
}

TEST_CASE("context ids are unique while in use and reused under a new generation") {
  ContextIds mine(3), theirs(4);
  std::set<ContextId> used;
  for (int i = 0; i < 1000; i++) {
    CHECK(used.insert(mine.take()).second);
    CHECK(used.insert(theirs.take()).second);
  }
  const ContextId first = mine.take();
  theirs.give_back(first);  // not the giver: ignored
  mine.give_back(first);
  const ContextId again = mine.take();
  CHECK(again != first);
  CHECK((again & 1) == 0);
  for (int i = 0; i < 100'000; i++) mine.give_back(mine.take());
  CHECK(used.count(mine.take()) == 0);
}

TEST_CASE("infos keep their order, replace values and cut what does not fit") {
  Info* info = nullptr;
  REQUIRE_FALSE(mpi::info_create(info));
  REQUIRE_FALSE(mpi::info_set(info, "b", "1"));
  REQUIRE_FALSE(mpi::info_set(info, "a", "second"));
  REQUIRE_FALSE(mpi::info_set(info, "b", "three"));
  int keys = 0, length = 0, room = 4;
  bool found = false;
  char text[16];
  REQUIRE_FALSE(mpi::info_get_nkeys(info, keys));
  CHECK(keys == 2);
  char key[MPI_MAX_INFO_KEY];
  REQUIRE_FALSE(mpi::info_get_nthkey(info, 0, key));
  CHECK(std::strcmp(key, "b") == 0);
  REQUIRE_FALSE(mpi::info_get(info, "a", 3, text, found));
  CHECK((found && std::strcmp(text, "sec") == 0));
  REQUIRE_FALSE(mpi::info_get_string(info, "b", room, text, found));
  CHECK((found && std::strcmp(text, "thr") == 0 && room == 6));
  REQUIRE_FALSE(mpi::info_get_valuelen(info, "b", length, found));
  CHECK(length == 5);
  CHECK(mpi::info_delete(info, "none").error_class() == ErrorClass::info_nokey);
  CHECK(mpi::info_get_nthkey(info, 2, key).error_class() == ErrorClass::arg);
  CHECK(mpi::info_set(info, "", "x").error_class() == ErrorClass::info_key);
  CHECK(mpi::info_set(info, std::string(MPI_MAX_INFO_KEY, 'k').c_str(), "x").error_class() == ErrorClass::info_key);
  CHECK(mpi::info_set(info, "k", std::string(MPI_MAX_INFO_VAL, 'v').c_str()).error_class() == ErrorClass::info_value);
  REQUIRE_FALSE(mpi::info_free(info));
  CHECK(mpi::info_set(nullptr, "k", "v").error_class() == ErrorClass::info);
}

int copies, deletes, failing_code;
int copy_doubled(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  copies++;
  *static_cast<void**>(out) = reinterpret_cast<void*>(2 * reinterpret_cast<std::intptr_t>(in));
  *flag = 1;
  return failing_code;
}
int count_delete(MPI_Comm, int, void*, void*) {
  deletes++;
  return failing_code;
}

TEST_CASE("attributes are copied, replaced and deleted through their callbacks") {
  copies = deletes = failing_code = 0;
  CommunicatorHome home;
  Communicator comm(home, 2, Ref<Group>(new Group(0, 1, 0)), Ref<Group>(), 0);
  auto as_callback = [](auto* function) { return Callback{reinterpret_cast<void (*)()>(function), nullptr}; };
  int doubled = *create_keyval(ObjectKind::communicator, as_callback(copy_doubled), as_callback(count_delete), nullptr);
  int dropped = *create_keyval(ObjectKind::communicator, {}, {}, nullptr);
  int for_types = *create_keyval(ObjectKind::datatype, {}, {}, nullptr);
  REQUIRE_FALSE(comm.attributes.set(comm, doubled, reinterpret_cast<void*>(7)));
  REQUIRE_FALSE(comm.attributes.set(comm, dropped, reinterpret_cast<void*>(8)));
  CHECK(comm.attributes.set(comm, for_types, nullptr).error_class() == ErrorClass::keyval);
  AttributeSet copy;
  REQUIRE_FALSE(comm.attributes.copy_to(comm, copy));
  void* value = nullptr;
  bool found = false;
  REQUIRE_FALSE(copy.get(comm, doubled, value, found));
  CHECK((found && value == reinterpret_cast<void*>(14)));
  REQUIRE_FALSE(copy.get(comm, dropped, value, found));
  CHECK_FALSE(found);
  REQUIRE_FALSE(comm.attributes.set(comm, doubled, reinterpret_cast<void*>(1)));
  CHECK(deletes == 1);
  int kept = doubled;
  REQUIRE_FALSE(free_keyval(ObjectKind::communicator, doubled));
  CHECK(doubled == MPI_KEYVAL_INVALID);
  REQUIRE_FALSE(comm.attributes.get(comm, kept, value, found));  // still cached: the keyval lives until its last attribute goes
  CHECK(found);
  failing_code = 77;
  CHECK(comm.attributes.remove(comm, kept).code() == 77);
  failing_code = 0;
  REQUIRE_FALSE(comm.attributes.clear(comm));
  REQUIRE_FALSE(copy.clear(comm));
  CHECK(comm.attributes.get(comm, kept, value, found).error_class() == ErrorClass::keyval);
  CHECK(deletes == 4);
  CHECK(copies == 1);
}

TEST_CASE("error codes of the application have classes and strings, those of the standard have both") {
  int error_class = 0, code = 0, found = 0, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  REQUIRE_FALSE(mpi::add_error_class(error_class));
  CHECK(error_class > MPI_ERR_LASTCODE);
  REQUIRE_FALSE(mpi::add_error_code(error_class, code));
  REQUIRE_FALSE(mpi::error_class(code, found));
  CHECK(found == error_class);
  REQUIRE_FALSE(mpi::error_string(code, text, length));
  CHECK(length == 0);
  REQUIRE_FALSE(mpi::add_error_string(code, "ours"));
  REQUIRE_FALSE(mpi::error_string(code, text, length));
  CHECK(std::string(text) == "ours");
  CHECK(mpi::remove_error_class(error_class));  // has a code
  REQUIRE_FALSE(mpi::remove_error_string(code));
  REQUIRE_FALSE(mpi::remove_error_code(code));
  REQUIRE_FALSE(mpi::remove_error_class(error_class));
  CHECK(mpi::error_class(code, found).error_class() == ErrorClass::arg);
  REQUIRE_FALSE(mpi::error_string(MPI_ERR_RANK, text, length));
  CHECK(std::string(text).find("MPI_ERR_RANK") == 0);
  CHECK(mpi::add_error_string(MPI_ERR_RANK, "x"));
}

TEST_CASE("an object gets one int, which is gone with it") {
  auto* info = new Info;
  const int index = handle_to_int(*info);
  CHECK(index >= 4096);
  CHECK(handle_to_int(*info) == index);
  CHECK(handle_from_int(index) == info);
  release(info);
  CHECK(handle_from_int(index) == nullptr);
  CHECK(handle_from_int(-5) == nullptr);
}

}  // namespace
}  // namespace ompi_lite
