#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""As login.sh, but dies as ssh does: the command is in a session of its own behind pipes. No signal to this process reaches it;
the end of this process closes its stdin. It prints a line before the command, as many a login shell does."""
import os
import subprocess
import sys
import threading

inner = subprocess.Popen([os.path.join(os.path.dirname(os.path.abspath(__file__)), "login.sh"), *sys.argv[1:]], bufsize=0,
                         start_new_session=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
os.write(1, b"Welcome to this machine.\n")


def pump(source, target):
    """Copies until either end is closed."""
    try:
        while block := os.read(source, 65536):
            while block:
                block = block[os.write(target, block):]
    except OSError:
        pass


def pump_input():
    pump(0, inner.stdin.fileno())
    inner.stdin.close()


threading.Thread(target=pump_input, daemon=True).start()
outputs = [threading.Thread(target=pump, args=pair) for pair in ((inner.stdout.fileno(), 1), (inner.stderr.fileno(), 2))]
for thread in outputs:
    thread.daemon = True
    thread.start()
code = inner.wait()
for thread in outputs:
    thread.join()
os._exit(code if code >= 0 else 255)
