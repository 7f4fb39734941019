# SPDX-License-Identifier: BSD-3-Clause
# The sources of btl/shm, one a line: libompi_lite_la_SOURCES += btl/shm/NAME.cc
libompi_lite_la_SOURCES += btl/shm/transport.cc
libompi_lite_la_SOURCES += btl/shm/endpoint.cc
libompi_lite_la_SOURCES += btl/shm/single_copy.cc
