# SPDX-License-Identifier: BSD-3-Clause
# The Fortran bindings: a library of their own, written in C++ so that it needs no Fortran runtime, and the modules, which hold
# interfaces alone. gen/ and mpif.h are committed output of generate.py.
if HAVE_FORTRAN
noinst_LTLIBRARIES += libompi_lite_mpifort.la
libompi_lite_mpifort_la_SOURCES = \
  ompi_lite/fortran/attributes.cc \
  ompi_lite/fortran/callbacks.cc \
  ompi_lite/fortran/convert.cc \
  ompi_lite/fortran/removed.cc \
  ompi_lite/fortran/sections.cc \
  ompi_lite/fortran/strings.cc \
  ompi_lite/fortran/gen/buffers1.gen.cc \
  ompi_lite/fortran/gen/buffers2.gen.cc \
  ompi_lite/fortran/gen/collectives.gen.cc \
  ompi_lite/fortran/gen/files.gen.cc \
  ompi_lite/fortran/gen/objects.gen.cc \
  ompi_lite/fortran/gen/others.gen.cc
libompi_lite_mpifort_la_DEPENDENCIES = libmpi_abi.la
# No -Bsymbolic: a program's common block MPI_FORT_BOTTOM has to take the place of the library's. libmpi_abi.so
# goes by its file: as libmpi_abi.la it would bring the folders of the build into the path for libraries.
libompi_lite_mpifort_la_LDFLAGS = $(AM_LDFLAGS) -rpath '$(libdir)' -version-info 0:0:0 -no-undefined -Wl,--no-undefined \
  -Wl,.libs/libmpi_abi.so -Wl,-rpath,'$$ORIGIN'

include_HEADERS += ompi_lite/include/mpif.h
fortran_modules = mpi.mod mpi_f08.mod ompi_lite_types.mod
fortran_sources = ompi_lite/fortran/gen/ompi_lite_types.f90 ompi_lite/fortran/gen/mpi.f90 \
  ompi_lite/fortran/gen/mpi_f08.f90
noinst_DATA += ompi_lite/fortran/modules/stamp
CLEANFILES += ompi_lite/fortran/modules/stamp ompi_lite/fortran/modules/*.mod
ompi_lite/fortran/modules/stamp: $(fortran_sources)
	$(AM_V_GEN)$(MKDIR_P) ompi_lite/fortran/modules && for source in $(fortran_sources); do \
	  $(GFORTRAN) -fsyntax-only -J ompi_lite/fortran/modules $(srcdir)/$$source || exit 1; done && touch $@
endif
EXTRA_DIST += $(fortran_sources)
