# SPDX-License-Identifier: BSD-3-Clause
"""ompi_lite_info tells what is there, and docs/knobs.md is the page that it writes today."""

import os
import pathlib
import subprocess
import sys

INFO = os.environ["PREFIX"] + "/bin/ompi_lite_info"
PAGE = pathlib.Path(os.environ["TOP_SRCDIR"]) / "docs/knobs.md"


def ask(*words, **env):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("OMPI_LITE_")}
    return subprocess.run([INFO, *words], capture_output=True, text=True, env={**clean, "HOME": "/nonexistent", **env})


def expect(condition, what, ran):
    if not condition:
        sys.exit(f"{what}: exit {ran.returncode}\n{ran.stdout}\n{ran.stderr}")


summary = ask()
expect(summary.returncode == 0 and summary.stdout.startswith("ompi-lite ") and "transports" in summary.stdout, "summary", summary)
library = next(line.split(None, 1)[1] for line in summary.stdout.splitlines() if line.startswith("library"))
expect(os.path.exists(library), f"no {library}", summary)
version = ask("--version")
expect(version.returncode == 0 and "ompi-lite" in version.stdout, "version", version)
one = ask("--knobs", "eager_bytes", OMPI_LITE_EAGER_BYTES="16k")
expect(one.stdout.startswith("eager_bytes = 16k ") and "environment" in one.stdout, "a knob that is set", one)
none = ask("--knobs", "no_such_knob")
expect(none.returncode != 0 and "no_such_knob" in none.stderr, "an unknown knob", none)
wrong = ask("--knobs", OMPI_LITE_EAGER_BYTES="much")
expect(wrong.returncode != 0 and "much" in wrong.stderr and "eager_bytes" in wrong.stdout, "a wrong value", wrong)
odd = ask("--nonsense")
expect(odd.returncode == 2 and "usage" in odd.stderr, "an unknown option", odd)
explained = ask("--explain", "allreduce", "-n", "2")
rows = {words[0]: words[1:] for words in (line.split() for line in explained.stdout.splitlines()) if words and words[0].isdigit()}
expect(explained.returncode == 0 and rows["8"][0] == "node" and float(rows["8"][1]) > 0, "2 ranks, 8 bytes: the slots", explained)
expect("or" in rows["1048576"] and "cells" in rows["1048576"], "2 ranks, 1 MB: two ways are tried", explained)
forced = ask("--explain", "allreduce", "-n", "8", "--apart", OMPI_LITE_COLL="allreduce:64-4k@p<=16=ring")
rows = {words[0]: words[1] for words in (line.split() for line in forced.stdout.splitlines()) if words and words[0].isdigit()}
expect(rows["64"] == "ring" and rows["4096"] == "ring" and rows["32"] != "ring", "what is forced for some sizes", forced)
for words, code, text in ((["nonsense"], 1, "known are barrier, bcast"), ([], 2, "takes an operation"), (["bcast", "-n"], 2, "takes"),
                          (["bcast", "-n", "0"], 2, "takes"), (["bcast", "-n", "x"], 2, "takes"), (["bcast", "scan"], 2, "takes")):
    refused = ask("--explain", *words)
    expect(refused.returncode == code and text in refused.stderr, f"--explain {words}", refused)
page = ask("--markdown", OMPI_LITE_EAGER_BYTES="16k")
expect(page.returncode == 0 and page.stdout == PAGE.read_text(), "docs/knobs.md is out of date: ompi_lite_info --markdown > docs/knobs.md",
       page)
