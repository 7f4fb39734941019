# SPDX-License-Identifier: BSD-3-Clause
"""O05: stdin closed, never closed, or no session at all: mpirun ends with its ranks, a hang-up does not stop it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import signal
import subprocess
import time

from launching import TESTDIR, command, expect, start_mpirun, wait_for_file

job = ["-n", "2", "sh", "-c", "sleep 0.3; echo done"]
start = time.monotonic()
for close in ("<&-", "<&- >&-", "<&- 2>&-", "<&- >&- 2>&-"):
    done = subprocess.run(["bash", "-c", f'"$@" {close}', "bash", *command("MPIRUN"), *job], capture_output=True, timeout=20)
    expect(done.returncode == 0 and done.stderr == b"", done, close)
    expect(">&-" in close.split() or done.stdout == b"done\n" * 2, done, f"output with {close}")
for options in ([], ["--stdin", "all"]):
    process = start_mpirun(*options, *job, stdin=subprocess.PIPE)  # never closed
    out = process.stdout.read()
    expect(process.wait(timeout=20) == 0 and out == b"done\n" * 2, out, "a pipe that never ends")
expect(time.monotonic() - start < 20, start, "too slow")
# Without a session and with the hang-up ignored, as nohup does it.
ready = TESTDIR / "ready"
with open(TESTDIR / "out", "wb") as out:
    process = subprocess.Popen(["nohup", "setsid", "-w", *command("MPIRUN"), "-n", "2", "sh", "-c", f"touch {ready}; sleep 1.5; echo done"],
                               stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    expect(wait_for_file(ready), process, "does not start")
    for pid in subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split():
        os.kill(int(pid), signal.SIGHUP)  # mpirun itself, the child of setsid
    process.send_signal(signal.SIGHUP)
    code = process.wait(timeout=20)
text = (TESTDIR / "out").read_text()
expect(code == 0 and text.count("done") == 2, (code, text), "the hang-up stopped it")
# Python's default start of a child with everything from os.devnull.
done = subprocess.run([*command("MPIRUN"), *job], stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True, timeout=20)
expect(done.returncode == 0 and done.stdout == b"done\n" * 2, done, "a new session")
