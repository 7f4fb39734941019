#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test/mpi and test/fortran as one entry of `make check`.
exec "${PYTHON:-python3}" "$TOP_SRCDIR/test/run_cases.py" "$TOP_SRCDIR/test/mpi" "$TOP_SRCDIR/test/fortran"
