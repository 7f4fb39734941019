# SPDX-License-Identifier: BSD-3-Clause
# The sources of pml, one a line: libompi_lite_la_SOURCES += pml/NAME.cc
