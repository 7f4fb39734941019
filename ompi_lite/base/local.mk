# SPDX-License-Identifier: BSD-3-Clause
# The sources of ompi_lite/base, one a line: libompi_lite_base_la_SOURCES += ompi_lite/base/NAME.cc
