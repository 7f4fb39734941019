// SPDX-License-Identifier: BSD-3-Clause
// ompi_lite_info --machine and --measure-machine.
#include <cstdio>

#include "launcher/info_commands.h"
#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/locality.h"
#include "ompi_lite/base/measure.h"

namespace ompi_lite::launcher {

int machine_command(const std::vector<std::string>& words, bool anew) {
  if (!words.empty()) {
    std::fprintf(stderr, "ompi_lite_info: %s takes no \"%s\"\n", anew ? "--measure-machine" : "--machine", words[0].c_str());
    return 2;
  }
  const std::string key = machine_key(), path = machine_file_path(key);
  std::printf("machine   %s\nfile      %s\n", key.c_str(), path.empty() ? "none" : path.c_str());
  int code = 0;
  MachineNumbers numbers;
  if (anew) {
    const double began = now_seconds();
    numbers = measure_with_kernels(os::affinity());
    std::printf("measured  now, in %.2f s\n", now_seconds() - began);
    std::fflush(stdout);
    if (!numbers.complete(usable_cpus())) {
      std::fprintf(stderr, "ompi_lite_info: the machine is too busy: not all could be measured, and nothing is kept\n");
      code = 1;
    } else if (Error error = store_numbers(numbers)) {
      std::fprintf(stderr, "ompi_lite_info: the numbers are not kept: %s\n", error.sentence());
      code = 1;
    }
  } else if (Result<MachineNumbers> loaded = load_numbers()) {
    numbers = *loaded;
    std::printf("measured  before%s\n", numbers.complete(usable_cpus()) ? "" : ", on fewer processors");
  } else {
    std::printf("measured  not yet (%s): presets hold, see --measure-machine\n", loaded.error().sentence());
  }
  std::printf("\n%s", numbers_table(numbers).c_str());
  return code;
}

}  // namespace ompi_lite::launcher
