// SPDX-License-Identifier: BSD-3-Clause
// What an executable says about itself before it runs: its loader and the libraries it names.
#pragma once

#include <string>
#include <vector>

namespace ompi_lite::launcher {

struct ElfFile {
  std::string loader;               // empty: it needs none
  std::vector<std::string> needed;  // DT_NEEDED, in order
};

// Of a 64-bit ELF file. What is cut short or damaged is left out: the kernel and the loader have the last word on such
// files.
ElfFile read_elf(const std::string& path);

// The first of the libraries that is another MPI's, with its name: "libmpich.so.12 (MPICH)". Empty if there is none, or if
// our own stands in the list too.
std::string other_mpi(const ElfFile& file);

}  // namespace ompi_lite::launcher
