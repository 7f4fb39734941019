# SPDX-License-Identifier: BSD-3-Clause
# The sources of ompi_lite/mpi, one a line: libompi_lite_la_SOURCES += ompi_lite/mpi/NAME.cc
