# SPDX-License-Identifier: BSD-3-Clause
"""The environment in which a program finds the driver double instead of a driver; with REAL_DRIVER=1 the real one."""

import os
import pathlib
import sys


def folder():
    """Where the double lies; skips the case where it was not built."""
    found = pathlib.Path(os.environ.get("TOP_BUILDDIR", ".")) / "test/fake"
    if not (found / "libcuda.so.1").exists():
        print("the driver double was not built (TOP_BUILDDIR/test/fake)")
        sys.exit(77)
    return found


def environment(plugin=True, **more):
    """`plugin`: with the plugin whose kernels the double runs."""
    if os.environ.get("REAL_DRIVER"):
        return {"OMPI_LITE_DEVICE": "cuda"} | more
    found = folder()
    made = {"LD_LIBRARY_PATH": f"{found}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    if plugin:
        made |= {"OMPI_LITE_DEVICE_PLUGIN": str(found / "libtest_cuda.so"), "OMPI_LITE_DEVICE": "cuda"}
    return made | more
