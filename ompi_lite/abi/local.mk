# SPDX-License-Identifier: BSD-3-Clause
# The sources of ompi_lite/abi, one a line: libompi_lite_abi_la_SOURCES += ompi_lite/abi/NAME.cc
