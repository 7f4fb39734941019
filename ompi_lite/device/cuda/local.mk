# SPDX-License-Identifier: BSD-3-Clause
# The device plugin. It needs no toolkit; with nvcc it gets kernels. Installed beside the library, which loads it at run time.
cuda_sources = ompi_lite/device/cuda/driver.cc ompi_lite/device/cuda/plugin.cc
noinst_LTLIBRARIES += libompi_lite_cuda.la
libompi_lite_cuda_la_SOURCES = $(cuda_sources) ompi_lite/device/cuda/no_kernels.cc
libompi_lite_cuda_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath '$(libdir)' -no-undefined -Wl,--no-undefined
