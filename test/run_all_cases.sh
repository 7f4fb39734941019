#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test/cases as one entry of `make check`.
exec "${PYTHON:-python3}" "$TOP_SRCDIR/test/run_cases.py" "$TOP_SRCDIR/test/cases"
