# SPDX-License-Identifier: BSD-3-Clause
# The sources of ompi_lite/mpi, one a line: libompi_lite_la_SOURCES += ompi_lite/mpi/NAME.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/attributes.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/comms.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/env.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/errors.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/groups.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/info.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/intercomms.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/p2p.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/probe.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/completion.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/grequest.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/ops.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/packing.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/type_making.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/type_matching.cc
libompi_lite_la_SOURCES += ompi_lite/mpi/types.cc
