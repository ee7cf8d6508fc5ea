#!/usr/bin/env python3
"""bars.py BUILD [exec] [ssh] [sync] [forks] [docker]: what boxes take, beside what does the same without them, in turns and in one run.

exec    a program in a box that is there, against a bare spawn (bar 2)
ssh     an exec over a warm connection, against `ssh -S` of the same command (bar 1.5)
sync    10,000 files over ssh, against `tar | ssh tar` (bar 1.3); the same again; one of them changed
forks   100 forks of a namespace and a virtual box of 1 GiB (bar 5 ms each)
docker  a snapshot, against `docker commit` (bar 1), with an engine of its own

As root, for a user that it makes and an sshd on loopback. Prints the least and the middle of each, in ms, and their ratios.
"""
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.path.realpath(sys.argv[1])
TINYBOX = BUILD + "/tinybox"
TOP = tempfile.mkdtemp(prefix="/tmp/tinybox-bench-")
os.chmod(TOP, 0o755)
ENV = dict(os.environ, TINYBOX_STATE_DIR=TOP + "/state")
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
WALL = ["--sandbox", "namespace", "--accept", "cpu", "--accept", "memory", "--accept", "pids"]


def tb(*words):
    return subprocess.run([TINYBOX, *words], env=ENV, capture_output=True, text=True, check=True).stdout.strip()


def took(argv, **more):
    began = time.monotonic()
    subprocess.run(argv, env=ENV, check=True, **{**QUIET, **more})
    return (time.monotonic() - began) * 1000


def row(name, times, yardstick=None, bar=None):
    text = f"{name:44} {min(times):9.2f} {statistics.median(times):9.2f}"
    if yardstick:
        least, middle = min(times) / min(yardstick), statistics.median(times) / statistics.median(yardstick)
        text += f"   {least:.2f} {middle:.2f}" + (f"  bar {bar}" if bar else "")
    print(text, flush=True)


# ---- exec ----

def bench_exec():
    for wall in ("namespace", "passthrough"):
        box = tb("create", *WALL[2:], "--sandbox", wall)
        out = subprocess.run([BUILD + "/tests/box/box-speed", f"{TOP}/state/boxes/{box}/run", "300", "/bin/true"], env=ENV,
                             capture_output=True, text=True, check=False)
        print(f"exec in a box, {wall}: {(out.stdout + out.stderr).strip()}  bar 2", flush=True)
        tb("rm", box)


# ---- ssh ----

class Server:
    """An sshd on loopback, and a user to come in as."""
    def __init__(self):
        self.user, self.port = f"tbxb{os.getpid()}", 20000 + os.getpid() % 20000
        subprocess.run(["sh", "-ec", f"""rm -f hk ck; ssh-keygen -q -t ed25519 -N '' -f hk; ssh-keygen -q -t ed25519 -N '' -f ck; install -m644 ck.pub ak
            mkdir -p /run/sshd; useradd -m -s /bin/sh {self.user}; usermod -p '*' {self.user}
            printf '%s\\n' 'Port {self.port}' 'ListenAddress 127.0.0.1' 'HostKey {TOP}/hk' 'PidFile {TOP}/pid' 'AuthorizedKeysFile {TOP}/ak' \
                'StrictModes no' 'UsePAM no' 'UseDNS no' 'PasswordAuthentication no' >cfg
            /usr/sbin/sshd -f {TOP}/cfg -E {TOP}/log; echo "[127.0.0.1]:{self.port} $(cut -d' ' -f1,2 hk.pub)" >known"""], cwd=TOP, check=True, **QUIET)
        self.host = ["--host", f"ssh:{self.user}@127.0.0.1", "--ssh-port", str(self.port), "--ssh-identity", TOP + "/ck",
                     "--ssh-known-hosts", TOP + "/known"]
        self.ssh = ["ssh", "-S", TOP + "/mux", "-p", str(self.port), "-i", TOP + "/ck", "-o", f"UserKnownHostsFile={TOP}/known",
                    f"{self.user}@127.0.0.1"]
        subprocess.run([*self.ssh[:1], "-M", "-N", "-f", *self.ssh[1:]], check=True, **QUIET)

    def end(self):
        subprocess.run([*self.ssh[:1], "-O", "exit", *self.ssh[1:]], check=False, **QUIET)
        for name in os.listdir(TOP + "/state/ssh"):
            subprocess.run(["ssh", "-o", f"ControlPath={TOP}/state/ssh/{name}", "-O", "exit", "x"], check=False, **QUIET)
        with open(TOP + "/pid", encoding="utf8") as f:
            os.kill(int(f.read()), 15)
        subprocess.run(["userdel", "-rf", self.user], check=False, **QUIET)


def bench_ssh():
    s = Server()
    try:
        box = tb("create", *s.host, *WALL[2:], "--sandbox", "passthrough", "--network", "open")
        ours, bare = [], []
        for _ in range(40):
            bare.append(took([*s.ssh, "true"]))
            ours.append(took([TINYBOX, "exec", box, "true"]))
        row("ssh -S HOST true", bare)
        row("tinybox exec BOX true, over a warm connection", ours, bare, 1.5)
        tb("rm", box)
    finally:
        s.end()


def bench_sync():
    rnd = random.Random(1)
    for i in range(10000):
        path = f"{TOP}/src/{i % 100}/{i}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(rnd.randbytes(rnd.randrange(200, 6000)))
    s = Server()
    try:
        sync = [TINYBOX, "sync", *s.host, "--dir", TOP + "/src", "--to"]
        ours, bare = [], []
        for i in range(5):
            bare.append(took(["sh", "-c", f'tar -C {TOP}/src -c . | "$@" "mkdir t{i} && tar -C t{i} -x"', "sh", *s.ssh]))
            ours.append(took([*sync, f"s{i}"]))
        row("tar | ssh tar, 10,000 files", bare)
        row("tinybox sync, the first time", ours, bare, 1.3)
        row("... again, unchanged", [took([*sync, "s0"]) for _ in range(5)])
        one = []
        for i in range(5):
            with open(TOP + "/src/7/7", "ab") as f:
                f.write(b"more")
            one.append(took([*sync, "s0"]))
        row("... one file changed", one)
    finally:
        s.end()


# ---- forks ----

def bench_forks():
    for wall in ("namespace", "virtual"):
        box = tb("create", *WALL[2:], "--sandbox", wall, "--memory", "4G", "--disk", "4G", "--accept", "disk", "--persistent") if wall == "virtual" else \
            tb("create", *WALL, "--persistent")
        tb("exec", box, "--", "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do head -c 128M /dev/urandom >/tmp/$i; done")
        tb("stop", box)
        tb("fork", box)			# what is done once: its layer is made
        times = [took([TINYBOX, "fork", "-n", "100", box]) / 100]
        row(f"each of 100 forks of 1 GiB, {wall}", times)
        tb("rm", "-f", *tb("ls", "-q").split())


# ---- docker ----

def bench_docker():
    sock = f"unix://{TOP}/docker.sock"
    engine = subprocess.Popen(["dockerd", "--host", sock, "--data-root", TOP + "/data", "--exec-root", TOP + "/exec", "--pidfile",
                               TOP + "/dockerd.pid", "--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false",
                               "--ip-masq=false"], **QUIET)
    ENV["DOCKER_HOST"] = sock
    try:
        for _ in range(300):
            if not subprocess.run(["docker", "version"], env=ENV, check=False, **QUIET).returncode:
                break
            time.sleep(0.1)
        for name in ("bin", "tmp", "dev", "proc", "sys", "etc"):
            os.makedirs(f"{TOP}/root/{name}")
        shutil.copy("/bin/busybox", TOP + "/root/bin/busybox")
        os.symlink("busybox", TOP + "/root/bin/sh")
        box = tb("create", "--sandbox", "docker", "--image", TOP + "/root", *WALL[2:])
        name = subprocess.run(["docker", "ps", "-q", "--no-trunc"], env=ENV, capture_output=True, text=True, check=True).stdout.split()[0]
        tb("exec", box, "--", "sh", "-c", "busybox head -c 20000000 /dev/urandom >/tmp/x")
        ours, bare = [], []
        for i in range(12):
            bare.append(took(["docker", "commit", name, f"bench:{i}"]))
            ours.append(took([TINYBOX, "snapshot", box]))
        row("docker commit", bare)
        row("tinybox snapshot", ours, bare, 1)
        tb("rm", "-f", box)
    finally:
        engine.terminate()
        engine.wait()
        subprocess.run(["sh", "-c", f"umount {TOP}/data/* {TOP}/exec/* 2>/dev/null; :"], check=False)


def main():
    what = sys.argv[2:] or ["exec", "ssh", "sync", "forks", "docker"]
    try:
        print(f"{'ms':44} {'least':>9} {'middle':>9}   ratios")
        for name in what:
            globals()["bench_" + name]()
    finally:
        subprocess.run(["sh", "-c", f"{TINYBOX} rm -f $({TINYBOX} ls -q --quick)"], env=ENV, check=False, **QUIET)
        shutil.rmtree(TOP, ignore_errors=True)


main()
