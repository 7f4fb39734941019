# SPDX-License-Identifier: BSD-3-Clause
# The sources of btl, one a line: libompi_lite_la_SOURCES += btl/NAME.cc
libompi_lite_la_SOURCES += btl/btl.cc
libompi_lite_la_SOURCES += btl/transports.cc
