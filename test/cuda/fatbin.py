#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The plugin that nvcc took part in holds the kernel for every family of devices that this nvcc knows and we promise."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

PROMISED = (75, 80, 90, 100, 120)
SKIPPED = 77

build = pathlib.Path(os.environ["TOP_BUILDDIR"])
fatbin, plugin = build / "kernels.fatbin", build / ".libs/libompi_lite_cuda.so"
if not fatbin.exists():
    print("built without nvcc")
    sys.exit(SKIPPED)
nvcc = re.search(r"^NVCC = (.+)$", (build / "Makefile").read_text(), re.M)[1]
known = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, text=True, check=True).stdout
wanted = [family for family in PROMISED if re.search(rf"compute_{family}\b", known)]
text = fatbin.read_bytes()
missing = [family for family in wanted if f"-arch sm_{family} ".encode() not in text]
cuobjdump = shutil.which("cuobjdump")
if cuobjdump:
    listed = subprocess.run([cuobjdump, "--list-elf", "--list-ptx", fatbin], capture_output=True, text=True, check=True).stdout
    print(listed)
    missing += [family for family in wanted if f"sm_{family}.cubin" not in listed]
if text not in plugin.read_bytes():
    print("the plugin does not hold the fatbin")
    sys.exit(1)
print(f"machine code for {wanted}, missing {missing}")
sys.exit(1 if missing or not wanted else 0)
