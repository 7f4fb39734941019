# SPDX-License-Identifier: BSD-3-Clause
# The sources of btl/shm, one a line: libompi_lite_la_SOURCES += btl/shm/NAME.cc
