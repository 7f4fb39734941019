// SPDX-License-Identifier: BSD-3-Clause
// Datatypes: bounds, packing from every position, pieces and element counts against types written out entry by entry.
#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "ompi_lite/core/layout.h"
#include "ompi_lite/core/pack.h"
#include "ompi_lite/core/signature.h"
#include "test/unit/core/reference_type.h"

using namespace ompi_lite;
using test::BothTypes;
using test::Entry;
using test::ReferenceType;
using test::TypeGenerator;

namespace {

// The bytes of a buffer of `count` elements, in packed order, as offsets from the address that the call names.
std::vector<Count> byte_offsets(const ReferenceType& type, Count count) {
  std::vector<Count> offsets;
  for (Count i = 0; i < count; ++i) {
    for (const Entry& entry : type.entries) {
      for (Count b = 0; b < entry.bytes; ++b) offsets.push_back(i * type.extent() + entry.displacement + b);
    }
  }
  return offsets;
}

// Memory around an address, large enough for a set of offsets.
struct Memory {
  explicit Memory(const std::vector<Count>& offsets) {
    Count low = 0, high = 0;
    for (const Count offset : offsets) {
      low = std::min(low, offset);
      high = std::max(high, offset + 1);
    }
    bytes.resize(static_cast<std::size_t>(high - low + 2));
    origin = static_cast<std::size_t>(1 - low);
  }
  std::byte* address() { return bytes.data() + origin; }
  void fill(unsigned seed) {
    std::mt19937 random(seed);
    for (std::byte& one : bytes) one = static_cast<std::byte>(random());
  }
  std::vector<std::byte> bytes;
  std::size_t origin = 0;
};

void check_bounds(const BothTypes& both) {
  const Datatype& type = *both.type;
  const ReferenceType& reference = both.reference;
  CHECK(type.size() == reference.size());
  CHECK(type.lb() == reference.lb());
  CHECK(type.extent() == reference.extent());
  CHECK(type.true_lb() == reference.true_lb());
  CHECK(type.true_extent() == reference.true_ub() - reference.true_lb());
  CHECK(type.layout().size() == reference.size());
  CHECK(type.signature().bytes() == reference.size());
  CHECK(type.signature().elements() == static_cast<Count>(reference.entries.size()));
}

void check_packing(const BothTypes& both, Count count, unsigned seed, std::size_t step) {
  const std::vector<Count> offsets = byte_offsets(both.reference, count);
  Memory memory(offsets);
  memory.fill(seed);
  const Buffer buffer(memory.address(), count, both.type.get());
  std::vector<std::byte> expected;
  for (const Count offset : offsets) expected.push_back(memory.address()[offset]);

  PackCursor cursor(buffer);
  REQUIRE(cursor.total_bytes() == static_cast<Count>(expected.size()));
  std::vector<std::byte> packed(expected.size() + 1, std::byte{0x5a});
  std::size_t done = 0;
  while (!cursor.done()) done += cursor.pack(packed.data() + done, std::min(step, packed.size() - done));
  CHECK(done == expected.size());
  CHECK(packed.back() == std::byte{0x5a});
  packed.pop_back();
  CHECK(packed == expected);

  // Unpacking writes in packed order, so the last of bytes that overlap stays.
  Memory target(offsets), wanted(offsets);
  target.fill(seed + 1);
  wanted.fill(seed + 1);
  for (std::size_t i = 0; i < offsets.size(); ++i) wanted.address()[offsets[i]] = expected[i];
  PackCursor unpacker(Buffer(target.address(), count, both.type.get()));
  for (std::size_t at = 0; at < expected.size();)
    at += unpacker.unpack(expected.data() + at, std::min(step, expected.size() - at));
  CHECK(unpacker.done());
  CHECK(target.bytes == wanted.bytes);
}

void check_pieces(const BothTypes& both, Count count, std::size_t list) {
  const std::vector<Count> offsets = byte_offsets(both.reference, count);
  Memory memory(offsets);
  PackCursor cursor(Buffer(memory.address(), count, both.type.get()));
  std::vector<Piece> pieces(list);
  std::vector<Count> found;
  while (const std::size_t used = cursor.next_pieces(pieces)) {
    for (std::size_t i = 0; i < used; ++i) {
      for (std::size_t b = 0; b < pieces[i].bytes; ++b) found.push_back(pieces[i].data + b - memory.address());
    }
  }
  CHECK(cursor.done());
  CHECK(found == offsets);
}

Ref<Datatype> owned(Datatype* type) { return Ref<Datatype>(type); }

Datatype& predefined(MPI_Datatype handle) {
  define_predefined_types();
  return datatype_of(handle);
}

}  // namespace

TEST_CASE("random nested types have the bounds and the bytes of their type maps") {
  define_predefined_types();
  TypeGenerator generator(20240611);
  for (int round = 0; round < 3000; ++round) {
    const BothTypes both = generator.derived(1 + round % 4);
    INFO(both.text);
    check_bounds(both);
    const Count count = generator.number(0, 3);
    const auto step = static_cast<std::size_t>(generator.number(1, 70));
    check_packing(both, count, static_cast<unsigned>(round), step);
    check_pieces(both, count, static_cast<std::size_t>(generator.number(1, 5)));
  }
}

TEST_CASE("packing continues from every byte position") {
  define_predefined_types();
  TypeGenerator generator(7);
  for (int round = 0; round < 60; ++round) {
    const BothTypes both = generator.derived(2 + round % 3);
    INFO(both.text);
    const std::vector<Count> offsets = byte_offsets(both.reference, 2);
    if (offsets.size() > 400) continue;
    Memory memory(offsets);
    memory.fill(1);
    PackCursor cursor(Buffer(memory.address(), 2, both.type.get()));
    bool same = true;
    for (std::size_t from = 0; from <= offsets.size(); ++from) {
      for (std::size_t length = 0; from + length <= offsets.size(); length += 1 + length / 3) {
        std::vector<std::byte> part(length);
        cursor.seek(static_cast<Count>(from));
        same = same && cursor.pack(part.data(), length) == length;
        for (std::size_t i = 0; i < length; ++i) same = same && part[i] == memory.address()[offsets[from + i]];
      }
    }
    CHECK(same);
  }
}

TEST_CASE("a contiguous start is given exactly where the buffer is one run in order") {
  define_predefined_types();
  TypeGenerator generator(99);
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    const BothTypes both = generator.derived(1 + round % 3);
    const Count count = generator.number(1, 3);
    const std::vector<Count> offsets = byte_offsets(both.reference, count);
    if (offsets.empty()) continue;
    INFO(both.text);
    bool one_run = true;
    for (std::size_t i = 1; i < offsets.size(); ++i) one_run = one_run && offsets[i] == offsets[i - 1] + 1;
    Memory memory(offsets);
    std::byte* start = contiguous_start(Buffer(memory.address(), count, both.type.get()));
    CHECK((start != nullptr) == one_run);
    if (start == nullptr) continue;
    ++found;
    CHECK(start - memory.address() == offsets[0]);
  }
  CHECK(found > 100);
}

TEST_CASE("basic elements are counted in whole and in partial types") {
  define_predefined_types();
  TypeGenerator generator(5);
  for (int round = 0; round < 500; ++round) {
    const BothTypes both = generator.derived(1 + round % 4);
    if (both.reference.entries.empty()) continue;
    INFO(both.text);
    const Signature& signature = both.type->signature();
    Count bytes = 0, elements = 0;
    bool same = true;
    for (int copy = 0; copy < 2; ++copy) {
      for (const Entry& entry : both.reference.entries) {
        same = same && signature.elements_in(bytes) == elements && signature.bytes_of(elements) == bytes;
        for (Count inside = 1; inside < entry.bytes; ++inside) same = same && !signature.elements_in(bytes + inside);
        bytes += entry.bytes;
        ++elements;
      }
    }
    CHECK(same);
  }
}

TEST_CASE("typed copies between types of equal signature keep the order of the bytes") {
  define_predefined_types();
  TypeGenerator generator(11);
  for (int round = 0; round < 400; ++round) {
    const BothTypes both = generator.derived(1 + round % 3);
    const std::vector<Count> offsets = byte_offsets(both.reference, 2);
    if (std::set<Count>(offsets.begin(), offsets.end()).size() != offsets.size()) continue;  // bytes that overlap
    INFO(both.text);
    Memory from(offsets), to(offsets);
    from.fill(3);
    std::vector<std::byte> plain(offsets.size());
    CHECK(!copy_typed(Buffer(from.address(), 2, both.type.get()),
                      Buffer(plain.data(), static_cast<Count>(plain.size()), &datatype_of(MPI_BYTE))));
    CHECK(!copy_typed(Buffer(from.address(), 2, both.type.get()), Buffer(to.address(), 2, both.type.get())));
    Memory back(offsets);
    CHECK(!copy_typed(Buffer(plain.data(), static_cast<Count>(plain.size()), &datatype_of(MPI_BYTE)),
                      Buffer(back.address(), 2, both.type.get())));
    bool same = true;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::byte wanted = from.address()[offsets[i]];
      same = same && plain[i] == wanted && to.address()[offsets[i]] == wanted && back.address()[offsets[i]] == wanted;
    }
    CHECK(same);
  }
}

TEST_CASE("a typed copy that does not fit fills the buffer and says so") {
  int from[4] = {1, 2, 3, 4}, to[3] = {0, 0, 9};
  Datatype& type = predefined(MPI_INT);
  const Error error = copy_typed(Buffer(from, 4, &type), Buffer(to, 2, &type));
  CHECK(error.error_class() == ErrorClass::truncate);
  CHECK(std::string(error.sentence()) == "16 bytes do not fit into a buffer of 8 bytes");
  CHECK((to[0] == 1 && to[1] == 2 && to[2] == 9));
}

TEST_CASE("a subarray of a matrix holds its rows in order") {
  double matrix[4][8], out[8] = {};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 8; ++j) matrix[i][j] = 100 * i + j;
  }
  const int sizes[] = {4, 8}, subsizes[] = {2, 4}, starts[] = {1, 4};
  Datatype* made = nullptr;
  REQUIRE(!make_subarray(TypeForm::small, 2, sizes, subsizes, starts, MPI_ORDER_C, predefined(MPI_DOUBLE), made));
  const auto type = owned(made);
  CHECK(type->extent() == 4 * 8 * 8);
  CHECK(!copy_typed(Buffer(matrix, 1, type.get()), Buffer(out, 8, &predefined(MPI_DOUBLE))));
  const double right[] = {104, 105, 106, 107, 204, 205, 206, 207};
  CHECK(std::memcmp(out, right, sizeof right) == 0);
}

TEST_CASE("elements may overlap: the extent may be smaller than the data") {
  int from[9], to[16];
  for (int i = 0; i < 9; ++i) from[i] = i;
  Datatype *eight = nullptr, *made = nullptr;
  REQUIRE(!make_contiguous(TypeForm::small, 8, predefined(MPI_INT), eight));
  const auto contiguous = owned(eight);
  REQUIRE(!make_resized(TypeForm::small, *eight, 0, 4, made));
  const auto type = owned(made);
  CHECK(!type->contiguous());
  CHECK(!copy_typed(Buffer(from, 2, type.get()), Buffer(to, 16, &predefined(MPI_INT))));
  for (int i = 0; i < 8; ++i) CHECK((to[i] == i && to[8 + i] == i + 1));
}

TEST_CASE("marked bounds hide the others") {
  Datatype *marked = nullptr, *made = nullptr;
  REQUIRE(!make_resized(TypeForm::small, predefined(MPI_INT), -4, 12, marked));
  const auto keep = owned(marked);
  const int lengths[] = {1, 1};
  const MPI_Aint displacements[] = {0, 100};
  const MPI_Datatype types[] = {marked->handle(), MPI_DOUBLE};
  REQUIRE(!make_struct(TypeForm::small, 2, lengths, displacements, types, made));
  const auto type = owned(made);
  CHECK(type->lb() == -4);
  CHECK(type->extent() == 12);
  CHECK(type->true_lb() == 0);
  CHECK(type->true_extent() == 108);
}

TEST_CASE("a struct is padded to the alignment of its members") {
  const int lengths[] = {1, 1};
  const MPI_Aint displacements[] = {0, 8};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
  define_predefined_types();
  Datatype* made = nullptr;
  REQUIRE(!make_struct(TypeForm::small, 2, lengths, displacements, types, made));
  const auto type = owned(made);
  CHECK(type->size() == 9);
  CHECK(type->extent() == 16);
  CHECK(type->true_extent() == 9);
}

TEST_CASE("huge types stay small in memory and exact in size") {
  Datatype *made = nullptr, *matrix = nullptr, *twice = nullptr;
  REQUIRE(!make_vector(TypeForm::large, 1'000'000'000, 3, 5, predefined(MPI_DOUBLE), made));
  const auto vector = owned(made);
  CHECK(vector->size() == 24'000'000'000);
  CHECK(vector->extent() == (999'999'999LL * 5 + 3) * 8);
  CHECK(vector->layout().items().size() == 1);
  REQUIRE(!make_contiguous(TypeForm::large, Count{1} << 40, predefined(MPI_INT), matrix));
  const auto contiguous = owned(matrix);
  CHECK(contiguous->size() == Count{1} << 42);
  CHECK(contiguous->contiguous());
  REQUIRE(!make_vector(TypeForm::large, 1'000'000, 1, 2, *vector, twice));
  const auto nested = owned(twice);
  CHECK(nested->size() == 24'000'000'000LL * 1'000'000);
  CHECK(nested->layout().items().size() == 1);

  PackCursor cursor(Buffer(nullptr, 3, nested.get()));
  CHECK(cursor.total_bytes() == 3 * nested->size());
}

TEST_CASE("types beyond the address range are refused") {
  Datatype* made = nullptr;
  Datatype& type = predefined(MPI_DOUBLE);
  const Count huge = Count{1} << 61;
  CHECK(make_contiguous(TypeForm::large, huge, type, made).error_class() == ErrorClass::arg);
  CHECK(make_hvector(TypeForm::large, 3, 1, Count{1} << 62, type, made).error_class() == ErrorClass::arg);
  CHECK(make_vector(TypeForm::large, 2, 1, Count{1} << 62, type, made).error_class() == ErrorClass::arg);
  CHECK(make_contiguous(TypeForm::small, -1, type, made).error_class() == ErrorClass::arg);
  const int lengths[] = {1, -2};
  const int displacements[] = {0, 4};
  const Error error = make_indexed(TypeForm::small, 2, lengths, displacements, type, made);
  CHECK(error.error_class() == ErrorClass::arg);
  CHECK(std::string(error.sentence()) == "block length 1 is -2, it must not be negative");
  CHECK(made == nullptr);
}

TEST_CASE("regular index lists become loops, contiguous ones blocks") {
  std::vector<int> displacements(100000);
  for (std::size_t i = 0; i < displacements.size(); ++i) displacements[i] = static_cast<int>(2 * i);
  Datatype *made = nullptr, *dense = nullptr;
  REQUIRE(!make_indexed_block(TypeForm::small, 100000, 1, displacements.data(), predefined(MPI_INT), made));
  const auto regular = owned(made);
  CHECK(regular->layout().items().size() == 1);
  for (std::size_t i = 0; i < displacements.size(); ++i) displacements[i] = static_cast<int>(i);
  REQUIRE(!make_indexed_block(TypeForm::small, 100000, 1, displacements.data(), predefined(MPI_INT), dense));
  const auto contiguous = owned(dense);
  CHECK(contiguous->contiguous());
}

TEST_CASE("a chain of ten thousand structs neither overflows the stack nor grows beyond its parts") {
  define_predefined_types();
  auto type = Ref<Datatype>::share(&datatype_of(MPI_INT));
  for (int i = 0; i < 10000; ++i) {
    const int lengths[] = {1, 1};
    const MPI_Aint displacements[] = {0, 16};
    const MPI_Datatype types[] = {MPI_INT, type->handle()};
    Datatype* made = nullptr;
    REQUIRE(!make_struct(TypeForm::small, 2, lengths, displacements, types, made));
    type = owned(made);
  }
  CHECK(type->size() == 4 * 10001);
  std::vector<int> memory(4 * 10001, 7), packed(10001, 0);
  CHECK(PackCursor(Buffer(memory.data(), 1, type.get())).pack(reinterpret_cast<std::byte*>(packed.data()), 4 * 10001) ==
        4 * 10001);
  CHECK(std::count(packed.begin(), packed.end(), 7) == 10001);
}

TEST_CASE("distributed arrays deal out every element once") {
  const int sizes[] = {7, 5}, distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[] = {2, 2};
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    std::vector<int> owners(35, -1);
    for (int rank = 0; rank < 4; ++rank) {
      Datatype* made = nullptr;
      REQUIRE(!make_darray(TypeForm::small, {4, rank, 2, sizes, distributions, arguments, grid, order}, predefined(MPI_INT),
                           made));
      const auto type = owned(made);
      CHECK(type->extent() == 35 * 4);
      const std::vector<int> mine(35, rank);
      PackCursor(Buffer(owners.data(), 1, type.get()))
          .unpack(reinterpret_cast<const std::byte*>(mine.data()), static_cast<std::size_t>(type->size()));
    }
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j < 5; ++j) {
        const int owner = (i / 4) * 2 + (j / 2) % 2;
        CHECK(owners[static_cast<std::size_t>(order == MPI_ORDER_C ? i * 5 + j : i + 7 * j)] == owner);
      }
    }
  }
}
