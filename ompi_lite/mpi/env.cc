// SPDX-License-Identifier: BSD-3-Clause
// Memory and names of the environment.
#include "ompi_lite/mpi/env.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "ompi_lite/base/locality.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite::mpi {

Error alloc_mem(Count size, Info* info, void* baseptr) {
  if (size < 0) return make_error(ErrorClass::arg, "size is %lld", static_cast<long long>(size));
  if (baseptr == nullptr) return Error(ErrorClass::arg, "baseptr is a null pointer");
  std::size_t alignment = 64;  // a cache line: the copy kernels like it
  const std::string* wanted = info == nullptr ? nullptr : info->find("mpi_minimum_memory_alignment");
  if (wanted != nullptr) {
    std::size_t value = 0;
    const auto parsed = std::from_chars(wanted->data(), wanted->data() + wanted->size(), value);
    if (parsed.ec == std::errc() && std::has_single_bit(value)) alignment = std::max(alignment, value);
  }
  const std::size_t rounded = (std::max<std::size_t>(static_cast<std::size_t>(size), 1) + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) return make_error(ErrorClass::no_mem, "no memory for %lld bytes", static_cast<long long>(size));
  *static_cast<void**>(baseptr) = memory;
  return {};
}

Error free_mem(void* base) {
  std::free(base);
  return {};
}

Error get_hw_resource_info(Info*& hw_info) {
  Result<Locality> machine = Locality::load();
  if (!machine) return machine.error();
  hw_info = new Info;
  for (const Locality::Kind& kind : machine->kinds(os::affinity()))
    if (kind.count > 0) hw_info->set("hwloc://" + kind.name, kind.index >= 0 ? "true" : "false");
  return {};
}

Error get_processor_name(char* name, int& length) {
  if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) std::strcpy(name, "unknown");
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  length = static_cast<int>(std::strlen(name));
  return {};
}

}  // namespace ompi_lite::mpi
