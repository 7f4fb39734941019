# SPDX-License-Identifier: BSD-3-Clause
# The sources of ompi_lite/core, one a line: libompi_lite_la_SOURCES += ompi_lite/core/NAME.cc
libompi_lite_la_SOURCES += ompi_lite/core/attribute.cc
libompi_lite_la_SOURCES += ompi_lite/core/communicator.cc
libompi_lite_la_SOURCES += ompi_lite/core/context_id.cc
libompi_lite_la_SOURCES += ompi_lite/core/environment_info.cc
libompi_lite_la_SOURCES += ompi_lite/core/errhandler.cc
libompi_lite_la_SOURCES += ompi_lite/core/grid.cc
libompi_lite_la_SOURCES += ompi_lite/core/group.cc
libompi_lite_la_SOURCES += ompi_lite/core/handle.cc
libompi_lite_la_SOURCES += ompi_lite/core/info.cc
libompi_lite_la_SOURCES += ompi_lite/core/datatype.cc
libompi_lite_la_SOURCES += ompi_lite/core/external32.cc
libompi_lite_la_SOURCES += ompi_lite/core/layout.cc
libompi_lite_la_SOURCES += ompi_lite/core/op.cc
libompi_lite_la_SOURCES += ompi_lite/core/reorder.cc
libompi_lite_la_SOURCES += ompi_lite/core/pack.cc
libompi_lite_la_SOURCES += ompi_lite/core/predefined_types.cc
libompi_lite_la_SOURCES += ompi_lite/core/signature.cc
libompi_lite_la_SOURCES += ompi_lite/core/staging.cc
libompi_lite_la_SOURCES += ompi_lite/core/device_data.cc
libompi_lite_la_SOURCES += ompi_lite/core/device_reduce.cc
libompi_lite_la_SOURCES += ompi_lite/core/type_arrays.cc
libompi_lite_la_SOURCES += ompi_lite/core/type_builder.cc
libompi_lite_la_SOURCES += ompi_lite/core/type_constructors.cc

# The reduction kernels ask for wide registers with `#pragma omp simd`, whatever CXXFLAGS says, and give the same bits with all:
# no product is fused with a sum. Traps are of no interest; where clang cannot do a loop it need not say so.
noinst_LTLIBRARIES += libompi_lite_kernels.la
libompi_lite_kernels_la_SOURCES = ompi_lite/core/op_kernels.cc
if X86_64
libompi_lite_kernels_la_SOURCES += ompi_lite/core/op_kernels_x86.cc
else
libompi_lite_kernels_la_SOURCES += ompi_lite/core/op_kernels_none.cc
endif
libompi_lite_kernels_la_CXXFLAGS = $(AM_CXXFLAGS) -fopenmp-simd -ffp-contract=off -fno-trapping-math \
  -Wno-pass-failed
libompi_lite_la_LIBADD += libompi_lite_kernels.la
