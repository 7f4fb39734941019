#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stands for mpirun in the runners of this folder where ranks are to be spread over emulated hosts (test/support/hosts.py; needs root):

  over_hosts.py HOSTS SLOTS MPIRUN [ARGUMENT...]     MPIRUN --host n0:SLOTS,n1:SLOTS,... ARGUMENT...

mpirun runs on the first host, in the folder from which this is called. Hosts live as long as it does.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    count, slots, mpirun, arguments = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    with tempfile.TemporaryDirectory(prefix="over_hosts.") as folder:
        os.environ |= {"TESTDIR": folder, "MPIRUN": mpirun}
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
        from hosts import Hosts  # it looks for both variables
        hosts = Hosts(count)
        places = ",".join(f"{name}:{slots}" for name in hosts.names)
        command = hosts.enter("n0", mpirun, "--host", places, *arguments)
        command[command.index(f"--wd={folder}")] = f"--wd={os.getcwd()}"
        job = subprocess.Popen(command, env={**os.environ, **hosts.environment()})
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda got, frame: job.send_signal(got))
        status = job.wait()
        hosts.close()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
