# SPDX-License-Identifier: BSD-3-Clause
# What pkg-config reads; the pages themselves travel by dist-hook.
pkgconfig_DATA = docs/ompi-lite.pc docs/mpi_abi.pc
if HAVE_FORTRAN
pkgconfig_DATA += docs/ompi-lite-fortran.pc
endif
