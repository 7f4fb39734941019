// SPDX-License-Identifier: BSD-3-Clause
// Looks at the environment to see who started this process.
#include <array>
#include <cstdlib>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/runtime/bootstrap.h"

namespace ompi_lite {
namespace {

// What a launcher that offers no PMIx leaves in the environment of each of its processes.
struct Trace {
  const char* product;
  const char* size;  // variables that name the size of the job
  const char* rank;
  bool may_be_outside;  // also set where a program runs alone, as in a batch script
};
constexpr std::array kTraces = {
    Trace{"a launcher of the kind of MPICH's (PMI)", "PMI_SIZE", "PMI_RANK", false},
    Trace{"mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", false},
    Trace{"mpirun_rsh of MVAPICH", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", false},
    Trace{"srun of Slurm without --mpi=pmix or --mpi=pmi2", "SLURM_NTASKS", "SLURM_PROCID", true},
    Trace{"srun of Slurm without --mpi=pmix or --mpi=pmi2", "SLURM_NPROCS", "SLURM_PROCID", true},
};

long number(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtol(text, nullptr, 10) : -1;
}

bool is_set(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0';
}

bool pmix_server_named() {
  if (!is_set("PMIX_NAMESPACE") || !is_set("PMIX_RANK")) return false;
  for (const char* name :
       {"PMIX_SERVER_URI2", "PMIX_SERVER_URI21", "PMIX_SERVER_URI3", "PMIX_SERVER_URI4", "PMIX_SERVER_URI41"})
    if (is_set(name)) return true;
  return false;
}

const Trace* foreign_trace() {
  for (const Trace& trace : kTraces)
    if (number(trace.size) > 1 && (number(trace.rank) >= 0 || !trace.may_be_outside)) return &trace;
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<Bootstrap>> find_bootstrap() {
  // Hydra passes the PMIx variables of a job around it through, so what it sets itself comes first.
  if (is_set("PMI_FD") || is_set("PMI_PORT")) return make_pmi1_bootstrap();
  if (pmix_server_named()) return make_pmix_bootstrap();
  const Trace* trace = foreign_trace();
  if (trace == nullptr) return make_singleton_bootstrap();
  if (!trace->may_be_outside) {
    return make_error(ErrorClass::other,
                      "this process was started by %s (%s is %ld) without a PMIx or PMI server, but the program uses "
                      "ompi-lite: start it with ompi-lite's mpirun, or unset %s to run it alone",
                      trace->product, trace->size, number(trace->size), trace->size);
  }
  if (number(trace->rank) == 0) {
    OL_LOG(warn,
           "the environment looks like %s (%s is %ld): this process runs as a job of its own; start it with srun "
           "--mpi=pmix or --mpi=pmi2 or with ompi-lite's mpirun if it shall be one of several",
           trace->product, trace->size, number(trace->size));
  }
  return make_singleton_bootstrap();
}

}  // namespace ompi_lite
