#!/usr/bin/env python3
"""kill.py TINYBOX [PROCESSES [ROUNDS]]: how long it takes until a tree of a box is dead, its `tinybox kill --tree` and the
end of its `tinybox exec` included; in turns with what writing cgroup.kill takes until a group of as many is empty."""
import json
import os
import subprocess
import sys
import tempfile
import time

TREE = """
import os, signal
for i in range(%d):
    if not os.fork():
        if i %% 3 == 0:
            os.setsid()
        signal.pause()
print("up", flush=True)
signal.pause()
"""


def group():
    """A new v2 group, below our own."""
    mounts = [l.split() for l in open("/proc/self/mounts")]
    top = next(m[1] for m in mounts if m[2] == "cgroup2")
    own = next((l.strip().split("::")[1] for l in open("/proc/self/cgroup") if l.startswith("0::")), "/")
    path = top + own.rstrip("/") + "/tinybox-bench-%d" % os.getpid()
    os.mkdir(path)
    return path


def bare(code):
    path = group()
    p = subprocess.Popen(["python3", "-c", code], stdout=subprocess.PIPE,
                         preexec_fn=lambda: open(path + "/cgroup.procs", "w").write("0"))
    p.stdout.readline()
    began = time.monotonic()
    open(path + "/cgroup.kill", "w").write("1")
    p.wait()
    while "populated 1" in open(path + "/cgroup.events").read():
        time.sleep(0.0002)
    took = time.monotonic() - began
    os.rmdir(path)
    return took


def boxed(tb, box, code):
    p = subprocess.Popen(tb + ["exec", box, "--", "python3", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    p.stdout.readline()
    listed = json.loads(subprocess.check_output(tb + ["ps", "--json", box]))["processes"]
    proc = [x["proc"] for x in listed if x["state"] == "running"][-1]
    began = time.monotonic()
    subprocess.check_call(tb + ["kill", "--tree", box, proc], stdout=subprocess.DEVNULL)
    p.wait()
    return time.monotonic() - began


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    tb = [os.path.realpath(sys.argv[1])]
    with tempfile.TemporaryDirectory(prefix="tinybox-bench-") as state:
        os.environ["TINYBOX_STATE_DIR"] = state
        box = subprocess.check_output(tb + ["create", "--sandbox", "namespace"], text=True).strip()
        took = [(bare(TREE % count), boxed(tb, box, TREE % count)) for _ in range(rounds)]
        subprocess.check_call(tb + ["rm", box], stdout=subprocess.DEVNULL)
    for name, pick in ("least", min), ("middle", lambda l: sorted(l)[len(l) // 2]):
        a, b = pick([x for x, _ in took]), pick([x for _, x in took])
        print("%-7s cgroup.kill %6.1f ms  box %6.1f ms  ratio %.2f (bar 2)" % (name, a * 1e3, b * 1e3, b / a))


main()
