# SPDX-License-Identifier: BSD-3-Clause
"""N12: large messages between hosts go at no less than 70 % of the speed of a plain socket, there and back and in a stream, on a fast way and on
one of 1 Gbit/s: in the mean over sizes, and at no size less than 40 %, for a single size swings by a third between runs on two cores. Both are
measured in turns, the best of some rounds counts; on a busy machine a miss says nothing and the case is skipped. No socket buffer has a fixed size."""
# run: timeout=400
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import TESTDIR, command, expect, run, skip

BENCH = pathlib.Path(__file__).resolve().parent.parent / "bench"
SIZES = [1 << 10, 1 << 16, 1 << 20, 8 << 20, 64 << 20]
LEAST, LEAST_OF_ONE, ROUNDS = 0.7, 0.4, 6


def build(name, compiler, *sources):
    done = run([*compiler, "-std=gnu11", "-O2", "-w", "-o", TESTDIR / name, *(BENCH / source for source in sources), "-lm"])
    expect(done.code == 0, done, f"{name} does not compile")
    return TESTDIR / name


bench = build("bench", command("MPICC"), "bench.c", "timing.c", "pt2pt.c", "collectives.c", "output.c")
plain = build("plain", ["cc"], "plain_socket.c")
hosts = Hosts(2)


def figures(output):
    """(operation, bytes) -> us of the fastest batch."""
    fields = [line.split("\t") for line in output.splitlines() if not line.startswith("#")]
    return {(each[0], int(each[2])): float(each[6]) for each in fields if len(each) == 10}


def measure_plain(sizes):
    text = ",".join(map(str, sizes))
    server = subprocess.Popen(hosts.enter("n1", plain, "10.77.0.2", 50123, text, "listen"), cwd=TESTDIR)
    client = run(hosts.enter("n0", plain, "10.77.0.2", 50123, text), timeout=100)
    expect(server.wait(20) == 0 and client.code == 0, client, "the plain socket")
    return figures(client.out)


def measure_ours(sizes):
    ran = hosts.mpirun("--host", "n0,n1", "--bind-to", "none", bench, "--ops=latency,bandwidth", f"--sizes={','.join(map(str, sizes))}",
                       "--no-line", "--limit=2", "--repeats=9", timeout=200)
    expect(ran.code == 0, ran, "the benchmark")
    return figures(ran.out)


def compare(what, sizes, large):
    best_plain, best_ours = {}, {}
    left = sizes
    for _ in range(ROUNDS):
        for best, found in ((best_plain, measure_plain(left)), (best_ours, measure_ours(left))):
            best.update({key: min(us, best.get(key, us)) for key, us in found.items()})
        share = {key: best_plain[key] / best_ours[key] for key in best_ours}
        slow = {key for key in share if key[1] >= large and share[key] < LEAST_OF_ONE}
        for operation in {key[0] for key in share}:
            mine = {key: each for key, each in share.items() if key[0] == operation and key[1] >= large}
            if statistics.geometric_mean(mine.values()) < LEAST:
                slow |= {key for key in mine if mine[key] < LEAST}
        if not slow:
            break
        left = sorted({key[1] for key in slow})
    for (operation, size), value in sorted(share.items()):
        print(f"{what} {operation} {size}: {best_ours[operation, size]:.1f} us, {value:.2f} of a plain socket's speed")
    if slow and os.getloadavg()[0] > os.cpu_count() + 2:
        skip(f"other work has the processors: load {os.getloadavg()[0]:.0f}")
    expect(not slow, share, f"{what}: slower than {LEAST} of a plain socket in the mean, or than {LEAST_OF_ONE}: {sorted(slow)}")


compare("veth", SIZES, 1 << 20)
for name in hosts.names:
    hosts.sh(name, "tc qdisc add dev eth0 root tbf rate 1gbit burst 256kb latency 50ms")
compare("1 Gbit/s", [1 << 20, 4 << 20], 1 << 20)
hosts.close()
