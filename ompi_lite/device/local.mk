# SPDX-License-Identifier: BSD-3-Clause
# The sources of ompi_lite/device, one a line: libompi_lite_la_SOURCES += ompi_lite/device/NAME.cc
libompi_lite_la_SOURCES += ompi_lite/device/bounce.cc
libompi_lite_la_SOURCES += ompi_lite/device/device_set.cc
libompi_lite_la_SOURCES += ompi_lite/device/peers.cc
libompi_lite_la_SOURCES += ompi_lite/device/scratch.cc
libompi_lite_la_SOURCES += ompi_lite/device/work.cc
