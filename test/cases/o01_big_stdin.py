# SPDX-License-Identifier: BSD-3-Clause
"""O01: stdin reaches rank 0 byte for byte, from files and pipes of any size."""
# run: timeout=240
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import hashlib
import subprocess

from launching import TESTDIR, command, expect

SIZES = [0, 1, 57 * 1024, 65535, 65536, 65537, 104929, 1 << 20, 50 << 20]
pattern = hashlib.sha256(b"seed").digest() * 4096
copy = 'if [ "$PMIX_RANK" = 0 ]; then exec cat > "$1"; fi; exec cat > /dev/null'
for size in SIZES:
    data = (pattern * (size // len(pattern) + 1))[:size]
    source = TESTDIR / "source"
    source.write_bytes(data)
    for ranks in (1, 2, 8):
        if size > 10 << 20 and ranks == 8:
            continue
        for way in ("file", "pipe"):
            target = TESTDIR / f"target.{way}"
            words = [*command("MPIRUN"), "-n", str(ranks), "sh", "-c", copy, "sh", target]
            if way == "file":
                with open(source, "rb") as stdin:
                    done = subprocess.run(words, stdin=stdin, capture_output=True, timeout=60)
            else:
                done = subprocess.run(words, input=data, capture_output=True, timeout=60)
            expect(done.returncode == 0, done, "the job fails")
            expect(target.read_bytes() == data, (size, ranks, way, target.stat().st_size), "other bytes arrive")
# The same through our own forwarding, which a pipe to several ranks needs.
data = (pattern * 40)[: (1 << 20) + 7]
done = subprocess.run([*command("MPIRUN"), "-n", "3", "--stdin", "all", "sh", "-c", 'exec cat > "$1.$PMIX_RANK"', "sh", TESTDIR / "copy"],
                      input=data, capture_output=True, timeout=60)
expect(done.returncode == 0, done, "the job fails")
for rank in range(3):
    expect((TESTDIR / f"copy.{rank}").read_bytes() == data, rank, "other bytes arrive at a rank")
# A shell loop around mpirun keeps what the ranks did not read.
loop = 'while read word; do "$@" -n 2 true; echo "$word"; done'
done = subprocess.run(["bash", "-c", loop, "bash", *command("MPIRUN")], input=b"a\nb\nc\n", capture_output=True, timeout=60)
expect(done.stdout == b"a\nb\nc\n", done, "mpirun ate the loop's input")
