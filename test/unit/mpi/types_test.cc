// SPDX-License-Identifier: BSD-3-Clause
// The calls on datatypes below the door: contents, names, counts, packing, external32, Fortran's types, attributes.
#include "ompi_lite/mpi/types.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "ompi_lite/core/layout.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/core/signature.h"
#include "ompi_lite/core/status.h"
#include "ompi_lite/mpi/ops.h"

using namespace ompi_lite;

namespace {

Datatype& predefined(MPI_Datatype handle) {
  define_predefined_types();
  return datatype_of(handle);
}

// No call here looks at the communicator: packed data is the same for all.
Communicator& any_comm() {
  alignas(Communicator) static std::byte storage[sizeof(Communicator)];
  return reinterpret_cast<Communicator&>(storage);
}

std::string name_of(Datatype& type) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  CHECK(!mpi::type_get_name(&type, name, length));
  CHECK(length == static_cast<int>(std::strlen(name)));
  return name;
}

struct Envelope {
  Count integers, addresses, large_counts, types;
  int combiner;
  bool operator==(const Envelope&) const = default;
};

Envelope envelope_of(Datatype& type) {
  Envelope e{};
  CHECK(!mpi::type_get_envelope_c(type, e.integers, e.addresses, e.large_counts, e.types, e.combiner));
  return e;
}

void give_back(Datatype* type) {
  CHECK(!mpi::type_free(type));
  CHECK(type == nullptr);
}

int values_deleted = 0;
int copy_value(MPI_Datatype, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
int delete_value(MPI_Datatype, int, void*, void*) {
  ++values_deleted;
  return MPI_SUCCESS;
}

}  // namespace

TEST_CASE("the table of predefined types agrees with mpi.h") {
  const std::pair<MPI_Datatype, const char*> some[] = {{MPI_INT, "MPI_INT"},
                                                       {MPI_DOUBLE, "MPI_DOUBLE"},
                                                       {MPI_BYTE, "MPI_BYTE"},
                                                       {MPI_CHAR, "MPI_CHAR"},
                                                       {MPI_PACKED, "MPI_PACKED"},
                                                       {MPI_2INT, "MPI_2INT"},
                                                       {MPI_C_BOOL, "MPI_C_BOOL"},
                                                       {MPI_AINT, "MPI_AINT"},
                                                       {MPI_COUNT, "MPI_COUNT"},
                                                       {MPI_OFFSET, "MPI_OFFSET"},
                                                       {MPI_INTEGER, "MPI_INTEGER"},
                                                       {MPI_LOGICAL, "MPI_LOGICAL"},
                                                       {MPI_REAL, "MPI_REAL"},
                                                       {MPI_COMPLEX, "MPI_COMPLEX"},
                                                       {MPI_WCHAR, "MPI_WCHAR"},
                                                       {MPI_REAL16, "MPI_REAL16"},
                                                       {MPI_CHARACTER, "MPI_CHARACTER"},
                                                       {MPI_LONG_LONG, "MPI_LONG_LONG_INT"},
                                                       {MPI_LONG_LONG_INT, "MPI_LONG_LONG_INT"},
                                                       {MPI_C_COMPLEX, "MPI_C_COMPLEX"},
                                                       {MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX"},
                                                       {MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION"},
                                                       {MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX"},
                                                       {MPI_UINT64_T, "MPI_UINT64_T"},
                                                       {MPI_INTEGER16, "MPI_INTEGER16"}};
  for (const auto& [handle, name] : some) CHECK(name_of(predefined(handle)) == name);
  std::uintptr_t before = 0;
  for (const BasicType& basic : basic_types()) {
    INFO(basic.name);
    CHECK(basic.handle > before);
    before = basic.handle;
    // Handles of types of a fixed size carry it: bits 3 to 5 are its logarithm (MPI 5.0, appendix A).
    if (basic.handle >= 576) CHECK(basic.size == 1 << ((basic.handle >> 3) & 7));
    CHECK(datatype_of(reinterpret_cast<MPI_Datatype>(basic.handle)).committed);
    CHECK(datatype_of(reinterpret_cast<MPI_Datatype>(basic.handle)).contiguous() == (basic.size == basic.extent));
  }
}

TEST_CASE("predefined types and operations cannot be freed") {
  Datatype* type = &predefined(MPI_INT);
  Error error = mpi::type_free(type);
  CHECK(error.error_class() == ErrorClass::type);
  CHECK(std::string(error.sentence()) == "MPI_INT is predefined and cannot be freed");
  CHECK(type == &predefined(MPI_INT));
  define_predefined_ops();
  Op* op = &op_of(MPI_SUM);
  error = mpi::op_free(op);
  CHECK(error.error_class() == ErrorClass::op);
  CHECK(std::string(error.sentence()) == "MPI_SUM is predefined and cannot be freed");
  bool commutative = false;
  CHECK(!mpi::op_create({}, false, op));
  CHECK(!mpi::op_commutative(*op, commutative));
  CHECK(!commutative);
  CHECK(!mpi::op_free(op));
  CHECK(op == nullptr);
}

TEST_CASE("envelope and contents give the arguments back, in the form of the call") {
  Datatype& integer = predefined(MPI_INT);
  Datatype* made = nullptr;
  REQUIRE(!mpi::type_vector(3, 2, -5, integer, made));
  CHECK(envelope_of(*made) == Envelope{3, 0, 0, 1, MPI_COMBINER_VECTOR});
  int integers[8];
  MPI_Aint addresses[8];
  MPI_Count counts[8];
  MPI_Datatype types[8];
  CHECK(!mpi::type_get_contents(*made, 8, 8, 8, integers, addresses, types));
  CHECK((integers[0] == 3 && integers[1] == 2 && integers[2] == -5 && types[0] == MPI_INT));
  CHECK(mpi::type_get_contents(*made, 2, 8, 8, integers, addresses, types).error_class() == ErrorClass::arg);
  give_back(made);

  REQUIRE(!mpi::type_create_hvector_c(3, 2, 40, integer, made));
  CHECK(envelope_of(*made) == Envelope{0, 0, 3, 1, MPI_COMBINER_HVECTOR});
  Count n = 0;
  int combiner = 0;
  CHECK(mpi::type_get_envelope(*made, n, n, n, combiner).error_class() == ErrorClass::type);
  CHECK(mpi::type_get_contents(*made, 8, 8, 8, integers, addresses, types).error_class() == ErrorClass::type);
  CHECK(!mpi::type_get_contents_c(*made, 0, 0, 3, 1, integers, addresses, counts, types));
  CHECK((counts[0] == 3 && counts[1] == 2 && counts[2] == 40));
  give_back(made);

  const int lengths[] = {1, 2};
  const MPI_Aint displacements[] = {0, 8};
  const MPI_Datatype members[] = {MPI_INT, MPI_DOUBLE};
  REQUIRE(!mpi::type_create_struct(2, lengths, displacements, members, made));
  CHECK(envelope_of(*made) == Envelope{3, 2, 0, 2, MPI_COMBINER_STRUCT});
  Datatype* dup = nullptr;
  REQUIRE(!mpi::type_dup(*made, dup));
  CHECK(envelope_of(*dup) == Envelope{0, 0, 0, 1, MPI_COMBINER_DUP});
  give_back(made);

  // The inner type was freed, what comes back is a new object that behaves alike.
  CHECK(!mpi::type_get_contents(*dup, 0, 0, 1, integers, addresses, types));
  Datatype* inner = &datatype_of(types[0]);
  CHECK(inner->extent() == 24);
  CHECK(!mpi::type_get_contents(*inner, 3, 2, 2, integers, addresses, types));
  CHECK((integers[0] == 2 && integers[1] == 1 && integers[2] == 2 && addresses[1] == 8 && types[1] == MPI_DOUBLE));
  give_back(inner);
  give_back(dup);

  const int sizes[] = {4, 8}, subsizes[] = {2, 4}, starts[] = {1, 4};
  REQUIRE(!mpi::type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, integer, made));
  CHECK(envelope_of(*made) == Envelope{8, 0, 0, 1, MPI_COMBINER_SUBARRAY});
  CHECK(!mpi::type_get_contents(*made, 8, 0, 1, integers, addresses, types));
  CHECK(std::vector<int>(integers, integers + 8) == std::vector<int>{2, 4, 8, 2, 4, 1, 4, MPI_ORDER_C});
  give_back(made);

  CHECK(envelope_of(integer) == Envelope{0, 0, 0, 0, MPI_COMBINER_NAMED});
  CHECK(mpi::type_get_contents(integer, 0, 0, 0, integers, addresses, types).error_class() == ErrorClass::type);
}

TEST_CASE("names are kept up to their greatest length") {
  Datatype* made = nullptr;
  REQUIRE(!mpi::type_contiguous(2, predefined(MPI_INT), made));
  CHECK(name_of(*made).empty());
  CHECK(!mpi::type_set_name(*made, "pair"));
  CHECK(name_of(*made) == "pair");
  CHECK(!mpi::type_set_name(*made, std::string(500, 'x').c_str()));
  CHECK(name_of(*made) == std::string(MPI_MAX_OBJECT_NAME - 1, 'x'));
  give_back(made);
}

TEST_CASE("counts of elements received") {
  Datatype* made = nullptr;
  const int lengths[] = {2, 1};
  const MPI_Aint displacements[] = {0, 8};
  const MPI_Datatype members[] = {MPI_INT, MPI_DOUBLE};
  predefined(MPI_INT);
  REQUIRE(!mpi::type_create_struct(2, lengths, displacements, members, made));
  MPI_Status status{};
  Count count = -1;
  const auto counts = [&](Count bytes, Count whole, Count basic) {
    set_status_bytes(status, bytes);
    CHECK(!mpi::get_count(&status, *made, count));
    CHECK(count == whole);
    CHECK(!mpi::get_elements(&status, *made, count));
    CHECK(count == basic);
  };
  counts(0, 0, 0);
  counts(16, 1, 3);
  counts(32, 2, 6);
  counts(20, MPI_UNDEFINED, 4);
  counts(24, MPI_UNDEFINED, 5);
  counts(22, MPI_UNDEFINED, MPI_UNDEFINED);
  counts(28, MPI_UNDEFINED, MPI_UNDEFINED);
  CHECK(!mpi::status_set_elements(&status, *made, 5));
  CHECK(status_bytes(status) == 24);
  give_back(made);

  REQUIRE(!mpi::type_contiguous(0, predefined(MPI_INT), made));
  set_status_bytes(status, 0);
  CHECK(!mpi::get_count(&status, *made, count));
  CHECK(count == 0);
  CHECK(!mpi::get_elements(&status, *made, count));
  CHECK(count == 0);
  give_back(made);

  set_status_bytes(status, Count{5} << 30);
  CHECK(!mpi::get_count(&status, predefined(MPI_BYTE), count));
  CHECK(count == Count{5} << 30);
}

TEST_CASE("pack and unpack move the position and refuse what does not fit") {
  const int in[] = {1, 2, 3};
  const double more[] = {0.5};
  char packed[20];
  int out[3] = {};
  Count position = 0, size = 0;
  Datatype &integer = predefined(MPI_INT), &real = predefined(MPI_DOUBLE);
  CHECK(!mpi::pack_size(3, integer, any_comm(), size));
  CHECK(size == 12);
  CHECK(!mpi::pack(Buffer(in, 3, &integer), packed, 20, position, any_comm()));
  CHECK(position == 12);
  CHECK(!mpi::pack(Buffer(more, 1, &real), packed, 20, position, any_comm()));
  CHECK(position == 20);
  const Error error = mpi::pack(Buffer(in, 1, &integer), packed, 20, position, any_comm());
  CHECK(error.error_class() == ErrorClass::truncate);
  CHECK(std::string(error.sentence()) == "packing needs 4 bytes from position 20 on, the packed buffer has 20");
  CHECK(position == 20);

  position = 0;
  CHECK(!mpi::unpack(packed, 20, position, Buffer(out, 3, &integer), any_comm()));
  CHECK((position == 12 && out[0] == 1 && out[2] == 3));
  CHECK(mpi::unpack(packed, 20, position, Buffer(out, 3, &integer), any_comm()).error_class() == ErrorClass::truncate);
  position = -1;
  CHECK(mpi::unpack(packed, 20, position, Buffer(out, 1, &integer), any_comm()).error_class() == ErrorClass::arg);
}

TEST_CASE("external32 is big endian with the sizes of the standard") {
  unsigned char packed[64];
  Count position = 0, size = 0;
  const int in[] = {0x01020304, -2};
  CHECK(!mpi::pack_external("external32", Buffer(in, 2, &predefined(MPI_INT)), packed, 64, position));
  CHECK(position == 8);
  const unsigned char right[] = {1, 2, 3, 4, 0xff, 0xff, 0xff, 0xfe};
  CHECK(std::memcmp(packed, right, 8) == 0);
  const long narrow[] = {-5, 7};
  CHECK(!mpi::pack_external_size("external32", 2, predefined(MPI_LONG), size));
  CHECK(size == 8);
  CHECK(!mpi::pack_external("external32", Buffer(narrow, 2, &predefined(MPI_LONG)), packed, 64, position));
  const long double wide[] = {-1.25L};
  CHECK(!mpi::pack_external("external32", Buffer(wide, 1, &predefined(MPI_LONG_DOUBLE)), packed, 64, position));
  CHECK(position == 32);
  CHECK((packed[16] == 0xbf && packed[17] == 0xff && packed[18] == 0x40 && packed[19] == 0));  // -1.25 as binary128

  int out[2] = {};
  long long_out[2] = {};
  long double wide_out = 0;
  position = 0;
  CHECK(!mpi::unpack_external("external32", packed, 64, position, Buffer(out, 2, &predefined(MPI_INT))));
  CHECK(!mpi::unpack_external("external32", packed, 64, position, Buffer(long_out, 2, &predefined(MPI_LONG))));
  CHECK(!mpi::unpack_external("external32", packed, 64, position, Buffer(&wide_out, 1, &predefined(MPI_LONG_DOUBLE))));
  CHECK((out[0] == in[0] && out[1] == -2 && long_out[0] == -5 && long_out[1] == 7 && wide_out == -1.25L));
  CHECK(mpi::pack_external_size("internal", 2, predefined(MPI_LONG), size).error_class() == ErrorClass::arg);
}

TEST_CASE("types are found by size, precision and parts") {
  Datatype *type = nullptr, *again = nullptr;
  predefined(MPI_INT);
  CHECK(!mpi::type_match_size(MPI_TYPECLASS_INTEGER, 8, type));
  CHECK(type->handle() == MPI_INTEGER8);
  CHECK(!mpi::type_match_size(MPI_TYPECLASS_REAL, 4, type));
  CHECK(type->handle() == MPI_REAL4);
  CHECK(!mpi::type_match_size(MPI_TYPECLASS_COMPLEX, 16, type));
  CHECK(type->handle() == MPI_COMPLEX16);
  CHECK(mpi::type_match_size(MPI_TYPECLASS_REAL, 3, type).error_class() == ErrorClass::arg);
  CHECK(mpi::type_match_size(77, 4, type).error_class() == ErrorClass::arg);

  CHECK(!mpi::type_create_f90_real(15, 307, type));
  CHECK(!mpi::type_create_f90_real(15, 307, again));
  CHECK(type == again);
  CHECK(type->size() == 8);
  CHECK(envelope_of(*type) == Envelope{2, 0, 0, 0, MPI_COMBINER_F90_REAL});
  CHECK(!check_op(op_of(MPI_SUM), *type));
  CHECK(mpi::type_free(again).error_class() == ErrorClass::type);
  CHECK(!mpi::type_create_f90_integer(9, type));
  CHECK(type->size() == 4);
  CHECK(!mpi::type_create_f90_complex(6, MPI_UNDEFINED, type));
  CHECK(type->size() == 8);
  CHECK(mpi::type_create_f90_real(40, 10, type).error_class() == ErrorClass::arg);
  CHECK(mpi::type_create_f90_integer(60, type).error_class() == ErrorClass::arg);

  CHECK(!mpi::type_get_value_index(predefined(MPI_DOUBLE), predefined(MPI_INT), type));
  CHECK(type->handle() == MPI_DOUBLE_INT);
  CHECK(!mpi::type_get_value_index(predefined(MPI_DOUBLE), predefined(MPI_DOUBLE), type));
  CHECK(type == nullptr);
}

TEST_CASE("attributes of types are copied by dup and deleted by free") {
  int keyval = MPI_KEYVAL_INVALID;
  const Callback copy{reinterpret_cast<void (*)()>(&copy_value), nullptr};
  const Callback remove{reinterpret_cast<void (*)()>(&delete_value), nullptr};
  REQUIRE(!mpi::type_create_keyval(copy, remove, keyval, nullptr));
  Datatype *made = nullptr, *dup = nullptr;
  REQUIRE(!mpi::type_contiguous(2, predefined(MPI_INT), made));
  char value[2];
  CHECK(!mpi::type_set_attr(*made, keyval, value));
  REQUIRE(!mpi::type_dup(*made, dup));
  void* stored = nullptr;
  bool found = false;
  CHECK(!mpi::type_get_attr(*dup, keyval, stored, found));
  CHECK((found && stored == value + 1));
  values_deleted = 0;
  give_back(dup);
  CHECK(values_deleted == 1);
  CHECK(!mpi::type_delete_attr(*made, keyval));
  CHECK(values_deleted == 2);
  CHECK(!mpi::type_get_attr(*made, keyval, stored, found));
  CHECK(!found);
  give_back(made);
  CHECK(values_deleted == 2);
  CHECK(!mpi::type_free_keyval(keyval));
  CHECK(keyval == MPI_KEYVAL_INVALID);
}
