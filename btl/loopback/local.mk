# SPDX-License-Identifier: BSD-3-Clause
# The sources of btl/loopback, one a line: libompi_lite_la_SOURCES += btl/loopback/NAME.cc
libompi_lite_la_SOURCES += btl/loopback/transport.cc
