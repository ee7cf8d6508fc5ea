#!/usr/bin/env python3
"""census.py TINYBOX [ROUNDS [SEED]]: boxes whose own processes (keeper, process 1, nurse, engine) are
killed at random moments, and boxes that are made, used and reaped in numbers: then nothing is left. TAP."""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 15
random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
DIR = tempfile.mkdtemp(prefix="/tmp/tbxcensus-")
# copies: the programs of these boxes, and of no others, are known by where they are
TINYBOX = DIR + "/bin/tinybox"
MARK = f"{300 + random.random():.9f}"  # how long the commands sleep: what they are known by
ENV = dict(os.environ, TINYBOX_STATE_DIR=DIR + "/state")
count, bad = 0, 0


def ok(good, title, more=""):
    global count, bad
    count += 1
    bad += not good
    print(f"{'' if good else 'not '}ok {count} - {title}", *([f"\n# {more}"] if not good else []), flush=True)


def tinybox(*words):
    return subprocess.run([TINYBOX, *words], env=ENV, capture_output=True, text=True, timeout=60, check=False)


def servers():
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            exe = os.readlink(f"/proc/{name}/exe")
        except OSError:
            continue
        if exe.startswith(DIR + "/bin/tinybox-"):
            found.append(int(name))
    return found


def sleepers():
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as f:
                if f.read() == b"sleep\0" + MARK.encode() + b"\0":
                    found.append(int(name))
        except OSError:
            continue
    return found


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def left():
    tag = open(DIR + "/state/tag", encoding="ascii").read()
    groups = [name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names if name.endswith(tag)]
    mounts = [line for line in open("/proc/self/mountinfo", encoding="utf-8") if DIR in line]
    return {"processes": servers() + sleepers(), "groups": groups, "mounts": mounts, "boxes": os.listdir(DIR + "/state/boxes"),
            "names": os.listdir(DIR + "/state/names")}


def nothing_left(title):
    for _ in range(50):
        what = left()
        if not any(what.values()):
            break
        time.sleep(0.1)
    ok(not any(what.values()), title, what)


def killed(walls):
    hung = []
    for _ in range(ROUNDS):
        wall = random.choice(walls)
        with subprocess.Popen([TINYBOX, "create", "--sandbox", wall, "--persistent"], env=ENV, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as making:
            if random.random() < 0.3:
                time.sleep(random.random() * 0.05)
                kill(servers())
            box = making.communicate(timeout=60)[0].strip()
        if box:
            running = subprocess.Popen([TINYBOX, "exec", box, "sh", "-c", "(sleep 30; echo) & sleep 20"], env=ENV,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            tinybox("spawn", box, "--", "sh", "-c", f"sleep {MARK} & setsid sleep {MARK} & wait")
            time.sleep(random.random() * 0.2)
            victims = servers()
            kill(random.sample(victims, min(len(victims), random.choice([1, 1, 1, len(victims)]))))
            time.sleep(random.random() * 0.1)
            tinybox(random.choice(["rm", "stop"]), box)
            tinybox("rm", "-f", box)
            try:
                running.wait(15)
            except subprocess.TimeoutExpired:
                hung.append((wall, box))
                running.kill()
                running.wait()
        tinybox("reap")
    ok(not hung, "an exec whose server was killed ends", hung)
    nothing_left("nothing is left of boxes whose processes were killed")


def numbers(walls):
    wrong = []
    for n in range(ROUNDS * 2):
        wall = walls[n % len(walls)]
        box = tinybox("create", "--sandbox", wall, "--ttl", "1ms" if n % 2 else "1h").stdout.strip()
        got = tinybox("exec", box, "sh", "-c", "echo x >f; cat f").stdout
        if got != "x\n":
            wrong.append((wall, box, got))
        tinybox("reap") if n % 2 else tinybox("rm", box)
    ok(not wrong, "boxes work until they are reaped", wrong)
    nothing_left("nothing is left of boxes that were reaped or removed")


def main():
    os.mkdir(DIR + "/bin")
    for name in ("tinybox", "tinybox-init", "tinybox-engine"):
        shutil.copy(os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), name), DIR + "/bin/")
    walls = [wall for wall in ("passthrough", "virtual", "namespace")
             if tinybox("run", "--sandbox", wall, "--", "true").returncode == 0]
    ok(bool(walls), "there is a wall")
    killed(walls)
    numbers(walls)
    print(f"1..{count}")
    tinybox("reap")
    kill(servers())
    shutil.rmtree(DIR, ignore_errors=True)
    return bad != 0


sys.exit(main())
