# SPDX-License-Identifier: BSD-3-Clause
# The programs in bin. Each links floor 0 and meets the ranks only through PMIx and the environment.
bin_PROGRAMS += mpirun mpicc ompi_lite_info
mpirun_SOURCES = launcher/mpirun.cc
mpirun_LDADD = libompi_lite_base.la $(PMIX_LIBS) $(HWLOC_LIBS)
mpicc_SOURCES = launcher/wrapper.cc
mpicc_LDADD = libompi_lite_base.la
ompi_lite_info_SOURCES = launcher/info.cc
ompi_lite_info_LDADD = libompi_lite_base.la $(HWLOC_LIBS)
