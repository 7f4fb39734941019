# SPDX-License-Identifier: BSD-3-Clause
"""D06: an interrupt reaches the ranks' handlers before anything harder; twice means at once."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import pty
import signal
import subprocess
import time

from launching import TESTDIR, Mark, build_c, command, expect, wait_for_files

program = build_c("handle", r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile sig_atomic_t caught;
static void on(int s) { caught = s; }
int main(int argc, char **argv) {
  int rank;
  char name[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int deaf = argc > 1 && !strcmp(argv[1], "deaf");
  signal(SIGINT, deaf ? SIG_IGN : on);
  signal(SIGTERM, deaf ? SIG_IGN : on);
  signal(SIGHUP, deaf ? SIG_IGN : on);
  snprintf(name, sizeof name, "ready.%d", rank);
  fclose(fopen(name, "w"));
  while (!caught) usleep(10000);
  snprintf(name, sizeof name, "caught.%d", rank);
  FILE *f = fopen(name, "w");
  fprintf(f, "%d", (int)caught);
  fclose(f);
  _exit(1);
}
""")


def start(*arguments, terminal=False):
    """The job, all ranks ready; with a terminal its controlling one."""
    for path in list(TESTDIR.glob("ready.*")) + list(TESTDIR.glob("caught.*")):
        path.unlink()
    mark = Mark()
    words = [*command("MPIRUN"), "-n", "3", *arguments]
    if terminal:
        pid, master = pty.fork()
        if pid == 0:
            os.chdir(TESTDIR)
            os.environ.update(mark.env)
            os.execvp(words[0], [str(w) for w in words])
        job = (pid, master)
    else:
        job = subprocess.Popen(words, cwd=TESTDIR, env={**os.environ, **mark.env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    expect(wait_for_files([TESTDIR / f"ready.{r}" for r in range(3)]), words, "does not start")
    return job, mark


def caught():
    return [p.read_text() if p.exists() else None for p in (TESTDIR / f"caught.{r}" for r in range(3))]


# Whoever runs this may ignore hang-ups (nohup) or interrupts (a shell's background), which mpirun would inherit and rightly keep to.
for number in (signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_DFL)
for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
    job, mark = start(program)
    job.send_signal(number)
    out, err = job.communicate(timeout=15)
    expect(job.returncode == code, (job.returncode, err), f"exit code {code}")
    expect(caught() == [str(int(number))] * 3, caught(), "handlers did not run")
    expect(mark.gone_within(0), mark.alive(), "survivors")
    expect(err.decode().count("mpirun: ") == 1, err, "one message")
# Ranks that do not listen are killed in the end, and at once when asked twice.
for asks, limit in ((1, 5), (2, 1.5)):
    job, mark = start(program, "deaf")
    begin = time.monotonic()
    for _ in range(asks):
        job.send_signal(signal.SIGINT)
        time.sleep(0.1)
    job.communicate(timeout=15)
    expect(job.returncode == 130 and time.monotonic() - begin < limit, (job.returncode, time.monotonic() - begin), f"{asks} interrupts")
    expect(mark.gone_within(0), mark.alive(), "survivors")
# Ctrl-C from a terminal.
(pid, master), mark = start(program, terminal=True)
os.write(master, b"\x03")
end = time.monotonic() + 10
status = None
while time.monotonic() < end and status is None:
    done, code = os.waitpid(pid, os.WNOHANG)
    if done:
        status = os.waitstatus_to_exitcode(code)
    time.sleep(0.05)
expect(status == 130 and caught() == ["2"] * 3, (status, caught()), "Ctrl-C")
# A Python rank sees a KeyboardInterrupt.
script = TESTDIR / "rank.py"
script.write_text("""
import os, time
r = os.environ["PMIX_RANK"]
try:
    open("ready." + r, "w").close()
    time.sleep(60)
except KeyboardInterrupt:
    open("caught." + r, "w").write("KeyboardInterrupt")
""")
job, mark = start(sys.executable, script)
job.send_signal(signal.SIGINT)
job.communicate(timeout=15)
expect(job.returncode == 130 and caught() == ["KeyboardInterrupt"] * 3, (job.returncode, caught()), "Python")
# SIGUSR1 is handed on and ends nothing by itself.
listen = 'trap "echo usr1; exit 0" USR1; touch ready.$PMIX_RANK; while :; do sleep 0.05; done'
job, mark = start("bash", "-c", listen)
job.send_signal(signal.SIGUSR1)
out, err = job.communicate(timeout=15)
expect(job.returncode == 0 and out == b"usr1\n" * 3, (job.returncode, out, err), "SIGUSR1")
