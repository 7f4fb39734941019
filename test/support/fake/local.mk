# SPDX-License-Identifier: BSD-3-Clause
# Doubles of a GPU and its driver: a folder with a libcuda.so.1 that the tests put into LD_LIBRARY_PATH, and the plugin with
# an image that this driver takes.
check_LTLIBRARIES = libfake_cuda.la libtest_cuda.la
fake_module = -module -avoid-version -shared -rpath $(abs_builddir)/nowhere
libfake_cuda_la_SOURCES = test/support/fake/device.cc test/support/fake/driver.cc test/support/fake/kernels.cc \
  test/support/fake/streams.cc
libfake_cuda_la_LDFLAGS = $(AM_LDFLAGS) $(fake_module)
libtest_cuda_la_SOURCES = $(cuda_sources) test/support/fake/image.cc
libtest_cuda_la_LDFLAGS = $(AM_LDFLAGS) $(fake_module)

check_DATA += test/fake/libcuda.so.1
test/fake/libcuda.so.1: libfake_cuda.la libtest_cuda.la
	$(AM_V_GEN)$(MKDIR_P) test/fake && cp -f .libs/libfake_cuda.so $@ && cp -f .libs/libtest_cuda.so test/fake/libtest_cuda.so
CLEANFILES += test/fake/libcuda.so.1 test/fake/libtest_cuda.so
