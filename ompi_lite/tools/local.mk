# SPDX-License-Identifier: BSD-3-Clause
# What `ompi_lite_info --explain --measure` runs as a job: a program of the C interface, linked into ompi_lite_info.
ompi_lite_info_SOURCES += ompi_lite/tools/timing.cc
