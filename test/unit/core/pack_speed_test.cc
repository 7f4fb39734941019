// SPDX-License-Identifier: BSD-3-Clause
// How packing compares with a loop by hand. Prints the ratios; fails only where a shape has lost its fast path.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "ompi_lite/core/pack.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/core/type_constructors.h"

using namespace ompi_lite;

namespace {

// Best of several rounds, in nanoseconds: what disturbs a round only makes it longer.
template <class F>
double best_ns(F f) {
  double best = 1e300;
  for (int round = 0; round < 15; ++round) {
    const auto start = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

// The compiler may not leave out the work before this.
void keep(const void* data) { asm volatile("" : : "r"(data) : "memory"); }

void report(const char* what, double packed, double by_hand, double most) {
  std::printf("%-58s %9.0f ns, by hand %9.0f ns, ratio %.2f\n", what, packed, by_hand, packed / by_hand);
  CHECK(packed < most * by_hand);
}

Ref<Datatype> vector_type(Count count, Count length, Count stride) {
  define_predefined_types();
  Datatype* made = nullptr;
  REQUIRE(!make_vector(TypeForm::small, count, length, stride, datatype_of(MPI_DOUBLE), made));
  return Ref<Datatype>(made);
}

}  // namespace

TEST_CASE("a column of a matrix is packed and unpacked about as fast as by hand", "[speed]") {
  constexpr std::size_t kSide = 4096;
  std::vector<double> matrix(kSide * kSide, 1.0), packed(kSide);
  const auto column = vector_type(kSide, 1, kSide);
  const Buffer buffer(matrix.data() + 5, 1, column.get());
  const double pack_ns = best_ns([&] {
    PackCursor(buffer).pack(reinterpret_cast<std::byte*>(packed.data()), kSide * sizeof(double));
    keep(packed.data());
  });
  const double pack_by_hand = best_ns([&] {
    for (std::size_t i = 0; i < kSide; ++i) packed[i] = matrix[i * kSide + 5];
    keep(packed.data());
  });
  report("pack a column of 4096 x 4096 doubles", pack_ns, pack_by_hand, 4);
  const double unpack_ns = best_ns([&] {
    PackCursor(buffer).unpack(reinterpret_cast<const std::byte*>(packed.data()), kSide * sizeof(double));
    keep(matrix.data());
  });
  const double unpack_by_hand = best_ns([&] {
    for (std::size_t i = 0; i < kSide; ++i) matrix[i * kSide + 5] = packed[i];
    keep(matrix.data());
  });
  report("unpack a column of 4096 x 4096 doubles", unpack_ns, unpack_by_hand, 4);
}

TEST_CASE("a column in pieces of 4 KB costs little more than at once", "[speed]") {
  constexpr std::size_t kRows = 65536, kStride = 16;
  std::vector<double> matrix(kRows * kStride, 1.0), packed(kRows);
  const auto column = vector_type(kRows, 1, kStride);
  const double pieces_ns = best_ns([&] {
    PackCursor cursor(Buffer(matrix.data(), 1, column.get()));
    auto* out = reinterpret_cast<std::byte*>(packed.data());
    while (!cursor.done()) out += cursor.pack(out, 4096);
    keep(packed.data());
  });
  const double by_hand = best_ns([&] {
    for (std::size_t i = 0; i < kRows; ++i) packed[i] = matrix[i * kStride];
    keep(packed.data());
  });
  report("pack 65536 doubles of a strided vector in 4 KB pieces", pieces_ns, by_hand, 4);
}

TEST_CASE("an array of structs with gaps is packed about as fast as by hand", "[speed]") {
  struct Particle {
    double position[3];
    int kind;
    int unused;
    float charge;
  };
  constexpr std::size_t kCount = 20000;
  define_predefined_types();
  std::vector<Particle> particles(kCount);
  std::vector<std::byte> packed(kCount * 32);
  const int lengths[] = {3, 1, 1};
  const MPI_Aint displacements[] = {offsetof(Particle, position), offsetof(Particle, kind), offsetof(Particle, charge)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_FLOAT};
  Datatype* made = nullptr;
  REQUIRE(!make_struct(TypeForm::small, 3, lengths, displacements, types, made));
  const Ref<Datatype> particle(made);
  REQUIRE(particle->extent() == sizeof(Particle));
  const double packed_ns = best_ns([&] {
    PackCursor(Buffer(particles.data(), kCount, particle.get())).pack(packed.data(), packed.size());
    keep(packed.data());
  });
  const double by_hand = best_ns([&] {
    std::byte* out = packed.data();
    for (const Particle& one : particles) {
      std::memcpy(out, one.position, 24);
      std::memcpy(out + 24, &one.kind, 4);
      std::memcpy(out + 28, &one.charge, 4);
      out += 32;
    }
    keep(packed.data());
  });
  report("pack 20000 structs of three members", packed_ns, by_hand, 6);
}

TEST_CASE("an inner cube of a grid is packed about as fast as by hand", "[speed]") {
  constexpr std::size_t kSide = 96, kInner = 64;
  define_predefined_types();
  std::vector<float> grid(kSide * kSide * kSide), packed(kInner * kInner * kInner);
  const int sizes[] = {kSide, kSide, kSide}, subsizes[] = {kInner, kInner, kInner}, starts[] = {16, 16, 16};
  Datatype* made = nullptr;
  REQUIRE(!make_subarray(TypeForm::small, 3, sizes, subsizes, starts, MPI_ORDER_C, datatype_of(MPI_FLOAT), made));
  const Ref<Datatype> cube(made);
  const double packed_ns = best_ns([&] {
    PackCursor(Buffer(grid.data(), 1, cube.get())).pack(reinterpret_cast<std::byte*>(packed.data()), packed.size() * 4);
    keep(packed.data());
  });
  const double by_hand = best_ns([&] {
    float* out = packed.data();
    for (std::size_t i = 16; i < 16 + kInner; ++i) {
      for (std::size_t j = 16; j < 16 + kInner; ++j, out += kInner)
        std::memcpy(out, &grid[(i * kSide + j) * kSide + 16], kInner * 4);
    }
    keep(packed.data());
  });
  report("pack a cube of 64^3 floats out of 96^3", packed_ns, by_hand, 6);
}
