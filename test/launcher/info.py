# SPDX-License-Identifier: BSD-3-Clause
"""ompi_lite_info tells what is there, and docs/knobs.md is the page that it writes today."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

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
expect(rows["1048576"][0].endswith("*") and "*:" in explained.stdout, "2 ranks, 1 MB: two ways are tried", explained)
expect(all(float(words[3]) >= float(words[1]) for size, words in rows.items() if int(size) > 4096), "the next best is not better", explained)
forced = ask("--explain", "allreduce", "-n", "8", "--apart", OMPI_LITE_COLL="allreduce:64-4k@p<=16=ring")
rows = {words[0]: words[1] for words in (line.split() for line in forced.stdout.splitlines()) if words and words[0].isdigit()}
expect(rows["64"] == "ring" and rows["4096"] == "ring" and rows["32"] != "ring", "what is forced for some sizes", forced)
for words, code, text in ((["nonsense"], 1, "known are barrier, bcast"), ([], 2, "takes an operation"), (["bcast", "-n"], 2, "takes"),
                          (["bcast", "-n", "0"], 2, '"0" is none'), (["bcast", "-n", "x"], 2, '"x" is none'), (["bcast", "scan"], 2, '"scan"'),
                          (["bcast", "--measur"], 2, '"--measur"'), (["bcast", "--apart", "--measure"], 2, "--apart excludes"),
                          (["bcast", "-n", "1", "--measure"], 2, "two ranks"),
                          (["neighbor_alltoallw", "--measure"], 1, "does not know how to call MPI_Neighbor_alltoallw")):
    refused = ask("--explain", *words)
    expect(refused.returncode == code and text in refused.stderr, f"--explain {words}", refused)
measured = ask("--explain", "allgather", "-n", "2", "--measure")
rows = {words[0]: words[1:] for words in (line.split() for line in measured.stdout.splitlines()) if words and words[0].isdigit()}
expect(measured.returncode == 0 and len(rows) == 22 and all(float(rows[size][at]) > 0 for size in ("8", "65536") for at in (1, 2, 4, 5)) and
       re.search(r"At \d+ of 18 sizes the next best one was faster", measured.stdout), "--explain --measure", measured)
wrong = ask("--explain", "allgather", "--measure", OMPI_LITE_TRANSPORTS="nonsense")
expect(wrong.returncode == 1 and "did not end well" in wrong.stderr, "--measure where jobs do not start", wrong)

# The numbers of the machine: where there is no place to keep them, and where there is.
refused = ask("--measure-machine", "now")
expect(refused.returncode == 2 and '"now"' in refused.stderr, "--measure-machine with a word more", refused)
unkept = ask("--measure-machine")
expect(unkept.returncode == 1 and "not kept" in unkept.stderr or "too busy" in unkept.stderr, "no place for the numbers", unkept)
with tempfile.TemporaryDirectory() as cache:
    nothing = ask("--machine", XDG_CACHE_HOME=cache)
    expect(nothing.returncode == 0 and "not yet" in nothing.stdout and "not measured: preset" in nothing.stdout, "nothing measured yet", nothing)
    for _ in range(10):  # a busy machine may need another try
        kept = ask("--measure-machine", XDG_CACHE_HOME=cache)
        if kept.returncode == 0:
            break
    expect(kept.returncode == 0 and re.search(r"measured  now, in \d\.\d\d s", kept.stdout), "numbers are measured and kept", kept)
    shown = ask("--machine", XDG_CACHE_HOME=cache)
    expect(shown.returncode == 0 and "measured  before" in shown.stdout and shown.stdout.split("\n\n")[1] == kept.stdout.split("\n\n")[1],
           "the same numbers are shown later", shown)
    file = next(pathlib.Path(cache).glob("ompi_lite/machine-*"))
    file.write_text(file.read_text().replace("yield", "Yield"))
    damaged = ask("--machine", XDG_CACHE_HOME=cache)
    expect(damaged.returncode == 0 and "damaged" in damaged.stdout, "a damaged file does not count", damaged)
page = ask("--markdown", OMPI_LITE_EAGER_BYTES="16k")
expect(page.returncode == 0 and page.stdout == PAGE.read_text(), "docs/knobs.md is out of date: ompi_lite_info --markdown > docs/knobs.md",
       page)
