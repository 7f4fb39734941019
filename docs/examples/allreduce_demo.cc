// SPDX-License-Identifier: BSD-3-Clause
// Sums vectors of growing length over all ranks, checks every element and prints how fast it was.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

struct Measured {
  double seconds;  // median of the repeats, the slowest rank each time
  bool right;
};

// Element i of rank r is r + i % 1000: sums stay exact in a double, and an element in the wrong place is seen.
Measured sum_vectors(int elements, int repeats, int rank, int ranks) {
  std::vector<double> mine(static_cast<std::size_t>(elements)), sum(mine.size());
  for (int i = 0; i < elements; i++) mine[static_cast<std::size_t>(i)] = rank + i % 1000;

  std::vector<double> times;
  int wrong = 0;
  for (int repeat = 0; repeat < repeats; repeat++) {
    std::fill(sum.begin(), sum.end(), -1.0);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Allreduce(mine.data(), sum.data(), elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double took = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    times.push_back(took);

    const double ranks_sum = ranks * (ranks - 1) / 2.0;
    for (int i = 0; i < elements; i++) {
      if (sum[static_cast<std::size_t>(i)] != ranks_sum + static_cast<double>(ranks) * (i % 1000)) wrong++;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return {times[static_cast<std::size_t>(repeats / 2)], wrong == 0};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    version[std::strcspn(version, ",\n")] = '\0';
    std::printf("all-reduce (sum of doubles) over %d ranks, %s\n\n", ranks, version);
    std::printf("%12s %12s %12s   %s\n", "bytes", "time us", "GB/s a rank", "result");
  }
  bool all_right = true;
  for (int elements = 1; elements <= 1 << 20; elements *= 16) {
    const Measured m = sum_vectors(elements, elements < 100000 ? 51 : 11, rank, ranks);
    all_right = all_right && m.right;
    const double bytes = static_cast<double>(elements) * sizeof(double);
    const double gigabytes_per_second = bytes / m.seconds / 1e9;
    if (rank == 0) {
      std::printf("%12.0f %12.1f %12.3f   %s\n", bytes, m.seconds * 1e6, gigabytes_per_second, m.right ? "right" : "WRONG");
    }
  }
  if (rank == 0) std::printf("\n%s\n", all_right ? "every element of every sum is right" : "some sums are WRONG");
  MPI_Finalize();
  return all_right ? 0 : 1;
}
