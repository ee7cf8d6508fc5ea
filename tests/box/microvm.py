#!/usr/bin/env python3
"""Boxes in machines of their own: what the guest cannot do, and what the keeper does when it does not do as it should. TAP.

usage: microvm.py TINYBOX KERNEL

One machine is booted for nearly all of it, once more after it was killed. Every refusal has its control.
"""
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TINYBOX, KERNEL = os.path.abspath(sys.argv[1]), sys.argv[2]
T = tempfile.mkdtemp(prefix="tinybox-vm-")
ENV = dict(os.environ, TINYBOX_STATE_DIR=T + "/state", SECRET="of the host", TOKEN_HERE="the real value")
COUNT = FAILED = 0


def ok(good, name, *notes):
    global COUNT, FAILED
    COUNT += 1
    FAILED += not good
    print(f"{'ok' if good else 'not ok'} {COUNT} - {name}", flush=True)
    for note in () if good else notes:
        print("# " + repr(note)[:600])


def run(*argv, limit=60, data=b""):
    p = subprocess.Popen([TINYBOX, *argv], env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = p.communicate(data, timeout=limit)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        err += b"\nthe test gave up"
    return subprocess.CompletedProcess(argv, p.returncode, out.decode("latin-1"), err.decode("latin-1"))


def inside(script, *options):
    return run("exec", *options, "vm", "--", "sh", "-c", script)


def machine():
    """The pid of the program that runs the box's machine: the one whose keeper has our state directory's lock."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="latin-1") as f:
                name, rest = f.read().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        if name.startswith("qemu-system") and int(rest.split()[1]) == keeper():
            return int(path.split("/")[2])
    return 0


def keeper():
    done = run("inspect", "--json", "vm")
    return json.loads(done.stdout or "{}").get("pid", 0)


def gone(pid):
    for _ in range(200):
        try:
            with open(f"/proc/{pid}/stat", encoding="latin-1") as f:
                if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def status(pid, key):
    with open(f"/proc/{pid}/status", encoding="latin-1") as f:
        return [line.split(None, 1)[1].strip() for line in f if line.startswith(key + ":")][0]


def create(*options):
    return run("create", "--sandbox", "microvm", "--kernel", KERNEL, "--accel", "tcg", *options, limit=250)


def isolation():
    done = inside("uname -r; ls /proc | grep -c '^[0-9]'; ls /home | tr '\\n' ' '; cat /etc/shadow; env; nproc")
    ok(os.uname().release not in done.stdout, "its kernel is not the host's", done.stdout)
    ok(int(done.stdout.split("\n")[1]) < 20, "it sees its own processes only", done.stdout)
    ok("SECRET" not in done.stdout, "nothing of the caller's environment is there", done.stdout)
    ok(not os.path.exists("/etc/shadow") or "root:" not in done.stdout, "nothing of the host's files is there", done.stdout)
    done = inside("ip -o link 2>/dev/null | grep -vc LOOPBACK; ls /dev | tr '\\n' ' '")
    ok(done.stdout.split("\n")[0] == "0", "it has no network device but a loopback", done.stdout)
    ok("vport" not in done.stdout and "vda" not in done.stdout, "the port to the keeper and the disks are not in its /dev", done.stdout)
    done = inside("mknod /tmp/port c 249 1 && cat /tmp/port; mknod /tmp/m c 1 1; dmesg | head -n 1; mount -t proc p /mnt; kill -9 1; "
                  "echo still here")
    ok(done.stdout == "still here\n", "it can make no devices, no mounts, and process 1 lives", done)
    pid = machine()
    ok(pid > 0, "the machine is a process of its keeper")
    if pid and os.geteuid() == 0:
        ok(status(pid, "Uid").split()[0] not in ("0", str(os.getuid())), "it runs as nobody", status(pid, "Uid"))
        ok(int(status(pid, "CapEff"), 16) == 0, "without capabilities")
        ok(status(pid, "Seccomp") == "2", "behind a filter of system calls")
        ok(os.readlink(f"/proc/{pid}/ns/net") != os.readlink("/proc/self/ns/net"), "in a network of its own")
        ok(sorted(os.listdir(f"/proc/{pid}/root/home") + os.listdir(f"/proc/{pid}/root/root")) == [], "nobody's files are around it")


def printed_words():
    frame = bytes([9, 0, 0, 0, 19, 50, 0, 1, 0, 0, 0, 7])
    mux = bytes([0, 0, 0, 0, 0, 0, 6, 0]) * 20 + b'{"return": {}}\n'
    script = "printf '" + "".join(f"\\{b:03o}" for b in frame + mux) + "'; exit 3"
    done = inside(script)
    ok(done.stdout.encode("latin-1") == frame + mux and done.returncode == 3, "what it prints is data, whatever it looks like", done)
    done = inside("echo '<6>tinybox-init: forged' >/dev/kmsg; echo on the console >/dev/console; true")
    ok(done.returncode == 0 and "forged" not in done.stdout, "there is no way to the kernel's console", done)


def limits():
    done = run("exec", "--record", T + "/record", "vm", "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=100M", "count=1")
    with open(T + "/record", encoding="utf-8") as f:
        end = json.load(f)
    ok(end.get("reason") == "oom", "more memory than the limit: killed, and the record says why", end)
    done = inside("dd if=/dev/zero of=/dev/null bs=8M count=1 2>/dev/null && echo lives")
    ok(done.stdout == "lives\n", "less memory than the limit lives", done)
    done = inside("i=0; while [ $i -lt 100 ]; do sleep 2 & i=$((i + 1)); done; echo all")
    time.sleep(2.5)
    ok("all" not in done.stdout or "fork" in done.stderr, "more processes than the limit are refused", done)
    done = inside("dd if=/dev/zero of=/big bs=1M count=80; rm /big")
    ok("No space" in done.stderr, "more than the disk: refused", done)
    done = inside("dd if=/dev/zero of=/little bs=1M count=4 2>/dev/null; rm /little && echo fits")
    ok(done.stdout == "fits\n", "less than the disk fits", done)


def many():
    good = all(inside(f"echo {i}").stdout == f"{i}\n" for i in range(20))
    ok(good, "twenty execs, one behind the other")
    found = [None] * 8

    def one(i):
        found[i] = inside(f"head -c {100000 + i} /dev/zero | wc -c").stdout
    threads = [threading.Thread(target=one, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    ok(found == [f"{100000 + i}\n" for i in range(8)], "eight at once", found)
    data = bytes(range(256)) * 4000
    p = subprocess.run([TINYBOX, "exec", "-i", "vm", "--", "cat"], env=ENV, input=data, capture_output=True, timeout=60, check=False)
    ok(p.stdout == data, "a megabyte through it and back is the same", len(p.stdout), p.stderr)


def network():
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    threading.Thread(target=lambda: [c[0].close() for c in iter(server.accept, None)], daemon=True).start()
    done = inside(f"http_proxy= wget -q -O - http://127.0.0.1:{port}/")
    ok(done.returncode != 0, "without the proxy there is no way out", done)
    done = inside(f"wget -q -O - http://127.0.0.1:{port}/")
    ok("403" in done.stderr, "the proxy, outside, refuses what is not in the list", done)
    run("exec", "--detach", "vm", "--", "sh", "-c", "while :; do echo answer | nc -l -p 8080; done")
    published = run("inspect", "--json", "vm").stdout
    host = [p["host"] for p in json.loads(published)["published"]][0]
    got = b""
    for _ in range(50):
        try:
            with socket.create_connection(("127.0.0.1", host), timeout=5) as c:
                got = c.recv(100)
        except OSError:
            pass
        if got:
            break
        time.sleep(0.1)
    ok(got == b"answer\n", "a published port leads inside", got)
    run("exec", "--detach", "vm", "--", "sh", "-c", "while :; do echo more | nc -l -p 8081; done")
    with subprocess.Popen([TINYBOX, "forward", "vm", "8081"], env=ENV, stdout=subprocess.PIPE, text=True) as p:
        host, got = int(p.stdout.readline().split()[0].rsplit(":", 1)[1]), b""
        for _ in range(50):
            with socket.create_connection(("127.0.0.1", host), timeout=5) as c:
                try:
                    got = c.recv(100)
                except OSError:
                    pass
            if got:
                break
            time.sleep(0.1)
        p.terminate()
    ok(got == b"more\n", "another is forwarded", got)


def heard(server):
    """What each plain request to a server of our own says."""
    said = []

    def one(conn):
        said.append(conn.recv(10000).decode("latin-1"))
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n<the real value>\r\n")
        conn.close()
    threading.Thread(target=lambda: [one(c[0]) for c in iter(server.accept, None)], daemon=True).start()
    return said


def secret():
    ask = f'wget -q -O - --header "Token: $TOKEN" http://127.0.0.1:{WEB.getsockname()[1]}/'
    done = inside(ask + "; printenv TOKEN; grep -c BEGIN /etc/tinybox/ca.pem")
    ok(SAID and "Token: the real value" in SAID[-1], "a secret: the host gets it", SAID[-1:], done)
    ok("<**************>" in done.stdout and "tbx_secret_" in done.stdout and done.stdout.endswith("\n1\n"), "... not the box", done)
    done = run("fork", "--name", "secretive", "vm", limit=200)
    mine, theirs = inside("printenv TOKEN").stdout, run("exec", "secretive", "--", "printenv", "TOKEN").stdout
    ok(theirs.startswith("tbx_secret_") and mine != theirs, "a fork has a placeholder of its own", done, mine, theirs)
    run("exec", "secretive", "--", "sh", "-c", ask)
    ok("Token: the real value" in SAID[-1], "... for the same secret", SAID[-1])
    run("rm", "secretive")


def files():
    ok(inside("cat a; ./x; readlink l").stdout == "one\nruns\na\n", "the workspace is there, with exec bits and links")
    inside("echo changed >a; echo new >b")
    with open(T + "/work/a", encoding="utf-8") as f:
        ok(f.read() == "one\n" and not os.path.exists(T + "/work/b"), "what is written there is not on the host")
    done = run("cp", "vm:/workspace/b", T + "/b")
    with open(T + "/b", encoding="utf-8") as f:
        ok(f.read() == "new\n", "it comes back when asked for", done)


def hung():
    done = run("pause", "vm")
    ok(done.returncode == 0, "it is paused", done)
    ok("paused" in inside("true").stderr, "nothing starts in it then")
    ok(run("resume", "vm").returncode == 0 and inside("echo on").stdout == "on\n", "and resumed")
    pid = machine()
    os.kill(pid, signal.SIGSTOP)
    done = run("exec", "--timeout", "1s", "--record", T + "/late", "vm", "--", "true", limit=40)
    ok(done.returncode != 0 and "gave up" not in done.stderr, "a machine that hangs: the deadline is kept outside", done)
    os.kill(pid, signal.SIGCONT)
    p = subprocess.Popen([TINYBOX, "exec", "--timeout", "2s", "--record", T + "/late", "vm", "--", "sh", "-c", "echo ready; sleep 60"],
                         env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdout.readline()
    os.kill(pid, signal.SIGSTOP)
    try:
        p.communicate(timeout=40)
    except subprocess.TimeoutExpired:
        p.kill()
    with open(T + "/late", encoding="utf-8") as f:
        end = json.load(f)
    ok(end.get("reason") == "timeout", "a command in it ends with the keeper's own record", end)
    os.kill(pid, signal.SIGCONT)
    ok(inside("echo back").stdout == "back\n", "a machine that comes back goes on")


def snapshots():
    inside("echo before >/root/s; echo work >/workspace/s")
    done = run("snapshot", "vm")
    name = done.stdout.strip()
    ok(done.returncode == 0 and inside("echo on").stdout == "on\n", "a snapshot of a machine that runs, which goes on", done)
    inside("echo after >/root/s")
    done = run("create", "--snapshot", name, "--name", "copy", limit=250)
    done = run("exec", "copy", "--", "sh", "-c", "cat /root/s /workspace/s; echo mine >/root/s") if done.returncode == 0 else done
    ok(done.stdout == "before\nwork\n", "a box of it has the files of then, the workspace's too", done)
    ok(inside("cat /root/s").stdout == "after\n", "what it writes does not cross")
    names = [line.split()[0] for line in run("ps", "copy").stdout.split("\n") if line]
    ok(names == ["p1"], "its processes are its own", names)
    ok(run("rm", "copy").returncode == 0 and run("snapshot", "rm", name).returncode == 0, "both can be removed")
    ok(glob.glob(T + "/state/layers/*") == [], "and no disk is left", glob.glob(T + "/state/layers/*"))


def memories():
    """What runs goes on in a copy, which is another machine: its time, its names, its randomness."""
    run("spawn", "vm", "--", "sh", "-c", "i=0; while [ ! -e /root/enough ]; do i=$((i + 1)); echo $i >/root/n; "
        "read r </proc/sys/kernel/random/uuid; echo $r >>/root/r; sleep 0.05; done")
    p = subprocess.Popen([TINYBOX, "exec", "vm", "--", "sh", "-c", "while [ ! -e /root/enough ]; do sleep 0.1; done; echo done"],
                         env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not inside("cat /root/n").stdout.strip():
        time.sleep(0.05)
    inside("echo held >/dev/shm/held; sleep 1000 >/dev/null 2>&1 &")
    done = run("snapshot", "--memory", "vm")
    name = done.stdout.strip()
    ok(done.returncode == 0, "a snapshot of a machine's memory", done)
    before = int(inside("cat /root/n").stdout)
    done = run("fork", "-n", "2", "--name", "twin", name, limit=250)
    ok(done.returncode == 0, "two boxes that begin with it", done)
    twins = ("twin-1", "twin-2") if done.returncode == 0 else ()
    seen = {}
    for twin in twins:
        done = run("exec", twin, "--", "sh", "-c", "cat /root/n; sleep 1; cat /root/n; date +%s; hostname; cat /etc/hostname /proc/sys/kernel/random/uuid; "
                   "cat /root/r; cat /dev/shm/held; pidof sleep | wc -w")
        seen[twin] = lines = done.stdout.split("\n")
        ok(len(lines) > 6 and 0 < int(lines[0]) < int(lines[1]), "what ran goes on", done)
        ok(len(lines) > 6 and abs(int(lines[2]) - time.time()) < 30, "... in the time of now", done)
        ok(lines[3] == lines[4] and lines[3] != inside("hostname").stdout.strip(), "... under its own name", done)
        ok(lines[-3] == "held" and int(lines[-2]) > 0, "... with files in memory, and what was left running", lines[-5:])
    if twins:
        one, two = (seen[t] for t in twins)
        ok(one[3] != two[3] and one[5] != two[5], "two copies have two names, and two randomnesses", one[:6], two[:6])
        common = len(os.path.commonprefix([one[6:-3], two[6:-3]]))
        ok(0 < common and len(set(one[6 + common:-3]) & set(two[6 + common:-3])) == 0, "from the moment they part on: no word is drawn twice", common)
        ports = [json.loads(run("inspect", "--json", t).stdout)["published"][0]["host"] for t in twins]
        run("exec", "--detach", twins[0], "--", "sh", "-c", "while :; do echo twin | nc -l -p 8080; done")
        ok(ports[0] != ports[1], "each has a port of its own", ports)
        ok(run("exec", twins[0], "--", "cat", "/root/hooks").stdout == "create\nrestore\n", "the hook ran in it, too")
        done = run("ps", twins[0])
        ok("/root/enough" in done.stdout and "running" in done.stdout, "ps knows what runs", done)
        done = run("exec", twins[0], "--", "sh", "-c", "wget -q -O - http://127.0.0.1:9/")
        ok("403" in done.stderr, "its proxy answers", done)
        run("exec", twins[0], "--", "sh", "-c", f'wget -q -O - --header "Token: twin $TOKEN" http://127.0.0.1:{WEB.getsockname()[1]}/')
        ok("Token: twin the real value" in SAID[-1], "... and knows the secret by the placeholder that its programs have", SAID[-1])
        ok(run("stop", twins[0]).returncode == 0 and run("start", twins[0], limit=250).returncode == 0 and
           run("exec", twins[0], "--", "cat", "/root/n").stdout.strip().isdigit(), "stopped and started it boots, from its disks")
    ok(int(inside("cat /root/n").stdout) > before, "the first one went on all the time")
    inside("touch /root/enough")
    out, err = p.communicate(timeout=30)
    ok(p.returncode == 0 and out == b"done\n", "... and so did who had started it", p.returncode, out, err)
    run("rm", "--force", *twins)
    refused_memories(name)
    inside("rm -f /root/enough /root/r; kill $(pidof sleep)")


def half_memories():
    """Who takes a snapshot of the memory is killed at moments, and others ask meanwhile: the box goes on."""
    for moment in (0.05, 0.15, 0.4):
        p = subprocess.Popen([TINYBOX, "snapshot", "--memory", "vm"], env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moment)
        p.kill()
        p.wait()
        run("snapshot", "--memory", "vm")
        for _ in range(300):
            if inside("echo on").stdout == "on\n":
                break
            time.sleep(0.1)
        ok(inside("echo on").stdout == "on\n", f"a snapshot that is killed after {moment} s: the box goes on")
    run("reap")
    for s in json.loads(run("snapshot", "ls", "--json").stdout)["snapshots"]:
        run("snapshot", "rm", s["id"])
    ok(glob.glob(T + "/state/layers/*") == [], "and nothing is left of it", glob.glob(T + "/state/layers/*"))


def refused_memories(name):
    done = run("snapshot", "export", name, T + "/m")
    ok(done.returncode != 0 and "--memory" in done.stderr, "a memory stays on its machine", done)
    done = run("create", "--sandbox", "microvm", "--snapshot", name, "--memory", "80m", limit=250)
    ok("of another machine" in done.stderr, "nor does it fit a larger one", done)
    layer = json.loads(run("snapshot", "inspect", name).stdout)["parts"][0]["name"]
    with open(f"{T}/state/layers/{layer}/memory", "r+b") as f:
        f.seek(2000000)
        f.write(b"damaged")
    done = run("fork", name, limit=250)
    ok(done.returncode != 0 and '"memory" is not as it was' in done.stderr, "a damaged one is refused", done)
    ok(run("snapshot", "rm", name).returncode == 0, "and removed")
    run("pause", "vm")
    done = run("snapshot", "--memory", "vm")
    ok(done.returncode != 0 and "paused" in done.stderr, "a box that is paused must go on first", done)
    run("resume", "vm")


def travels():
    """The disks as a file, and back."""
    inside("echo there >/root/t; sync")
    name = run("snapshot", "vm").stdout.strip()
    done = run("snapshot", "export", name, T + "/file")
    ok(done.returncode == 0 and os.path.getsize(T + "/file") < 60 << 20, "disks go into a file, without their holes", done)
    changes = run("snapshot", "diff", name, limit=250)
    ok("added\t/root/t\n" in changes.stdout and "hostname" not in changes.stdout, "what is in them that a new box has not", changes)
    other = run("snapshot", "import", T + "/file").stdout.strip()
    first, second = (json.loads(run("snapshot", "inspect", "--verify", s).stdout or "{}") for s in (name, other))
    ok(first.get("hash") == second.get("hash") and first.get("hash"), "and come out of it as they were", first, second)
    with open(T + "/file", "r+b") as f:
        f.seek(os.path.getsize(T + "/file") // 2)
        f.write(b"damaged")
    done = run("snapshot", "import", T + "/file")
    ok(done.returncode != 0 and "damaged" in done.stderr, "a damaged file is refused", done)
    done = run("create", "--sandbox", "microvm", "--snapshot", other, "--kernel", KERNEL, "--accel", "tcg", "--name", "far", limit=250)
    done = run("exec", "far", "--", "cat", "/root/t") if done.returncode == 0 else done
    ok(done.stdout == "there\n", "a box begins from them", done)
    run("rm", "--force", "far")
    layer = first["parts"][0]["name"]
    with open(f"{T}/state/layers/{layer}/state", "r+b") as f:
        f.seek(1 << 20)
        f.write(b"damaged")
    done = run("create", "--sandbox", "microvm", "--snapshot", name, "--kernel", KERNEL, "--accel", "tcg", limit=250)
    ok(done.returncode != 0 and '"state" is not as it was' in done.stderr, "a damaged disk is refused", done)
    ok(run("snapshot", "rm", name, other).returncode == 0, "both can be removed")


def killed():
    inside("echo kept >/root/kept; sync")
    run("exec", "--detach", "vm", "--", "sh", "-c", "echo logged; sleep 100")
    for _ in range(100):
        if glob.glob(T + "/state/boxes/*/run/procs/*.log"):
            break
        time.sleep(0.05)
    pid, watch = machine(), keeper()
    p = subprocess.Popen([TINYBOX, "exec", "vm", "--", "sh", "-c", "echo ready; sleep 60"], env=ENV, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    p.stdout.readline()
    os.kill(pid, signal.SIGKILL)
    p.communicate(timeout=30)
    ok(p.returncode != 0, "the machine is killed: its client hears of it")
    ok(gone(watch), "and its keeper ends")
    done = run("ps", "vm")
    ok("lost" in done.stdout, "what ran in it is known outside, and lost", done)
    done = run("start", "vm", limit=250)
    ok(done.returncode == 0 and inside("cat /root/kept /workspace/b").stdout == "kept\nnew\n", "it starts again with its disks", done)
    ok(inside("tail -n 1 /root/hooks").stdout == "start\n", "and its hook")
    names = [line.split()[0] for line in run("ps", "vm").stdout.split("\n") if line]
    ok(len(names) == len(set(names)), "no process's name was used twice", names)
    pid, watch = machine(), keeper()
    os.kill(watch, signal.SIGKILL)
    ok(gone(pid), "the keeper is killed: its machine dies with it")
    ok(run("rm", "--force", "vm").returncode == 0, "it can be removed then")
    left = glob.glob(T + "/state/boxes/box-*") + glob.glob("/sys/fs/cgroup/**/tinybox-box-1-" + tag(), recursive=True)
    ok(left == [], "and nothing is left", left)


def tag():
    with open(T + "/state/tag", encoding="utf-8") as f:
        return f.read().strip()


def refusals():
    done = create("--network", "open")
    ok("network" in done.stderr, "an open network is refused by name", done.stderr)
    done = create("--image", KERNEL + "/modules.cpio")
    ok("tinybox-init" in done.stderr and "Power" not in done.stderr, "an image that is none: the guest's own words", done.stderr)
    done = run("create", "--sandbox", "microvm", "--kernel", T)
    ok("root.img" in done.stderr, "a directory that has no kernel", done.stderr)
    left = glob.glob(T + "/state/boxes/box-*")
    ok(left == [], "what was refused leaves nothing", left)


def halfway():
    """Creation is killed at moments; what it left is found, whatever it was."""
    for moment in (0.03, 0.1, 0.4, 1.5):
        p = subprocess.Popen([TINYBOX, "create", "--sandbox", "microvm", "--kernel", KERNEL, "--accel", "tcg"], env=ENV,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moment)
        p.kill()
        p.wait()
    left = ["?"]
    for _ in range(100):
        run("reap")
        left = glob.glob(T + "/state/boxes/box-*") + glob.glob("/sys/fs/cgroup/**/tinybox-box-*-" + tag(), recursive=True)
        if not left:
            break
        time.sleep(0.1)
    ok(left == [], "creation killed at four moments: reap leaves nothing", left)


def main():
    os.chmod(T, 0o755)
    os.mkdir(T + "/work")
    with open(T + "/work/a", "w", encoding="utf-8") as f:
        f.write("one\n")
    with open(T + "/work/x", "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\necho runs\n")
    os.chmod(T + "/work/x", 0o755)
    os.symlink("a", T + "/work/l")
    try:
        web = f"127.0.0.1:{WEB.getsockname()[1]}"
        done = create("--name", "vm", "--dir", T + "/work", "--memory", "64m", "--pids", "40", "--disk", "64m", "--network", "egress",
                      "--allow", "127.0.0.1:1", "--allow", web, "--secret", f"TOKEN=env:TOKEN_HERE@http://{web}", "--publish", "8080", "--hook", "echo $TINYBOX_START >>/root/hooks")
        ok(done.returncode == 0, "a box in a machine", done)
        ok(inside("cat /root/hooks").stdout == "create\n", "its hook ran")
        for test in (isolation, printed_words, limits, many, network, secret, files, hung, snapshots, memories, half_memories, travels, killed) if done.returncode == 0 else ():
            test()
        refusals()
        halfway()
    finally:
        run("rm", "--force", "vm")
        shutil.rmtree(T, ignore_errors=True)
    print(f"1..{COUNT}")
    return FAILED != 0


WEB = socket.create_server(("127.0.0.1", 0))
SAID = heard(WEB)
sys.exit(main())
