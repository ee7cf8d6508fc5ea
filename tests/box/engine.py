#!/usr/bin/env python3
"""tinybox-engine by itself, over its protocol: what the contract of all walls does not say. TAP.

usage: engine.py ENGINE [--uid N] [--only TEXT]
"""
import hashlib
import os
import random
import shutil
import signal
import socket
import stat
import struct
import sys
import tempfile
import threading
import time

import wire
from wire import Conn, frame, run, serve

count = failed = 0


def ok(good, name, more=""):
    global count, failed
    count += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", count, name), flush=True)
    if not good:
        print("# got %r" % (more,))


def equal(got, want, name):
    ok(got == want, name, (got, "not", want))


class Box:
    def __init__(self, t, dir=None, **spec):
        self.t, self.dir, self.spec = t, dir or t.dir(), spec
        self.start()

    def start(self):
        kind, self.answer, self.status = serve(self.t.engine, self.dir, self.t.uid, **self.spec)
        if kind != "ok":
            raise RuntimeError(self.answer)
        self.pid = self.answer["pid"]

    def run(self, *argv, **more):
        return run(self.dir, *argv, **more)

    def sh(self, text, **more):
        return run(self.dir, "bash", "-c", text, **more)

    def out(self, text):
        return self.sh(text)["out"].decode()

    def ask(self, kind, /, **body):
        c = Conn(self.dir)
        got = c.ask(kind, **body)
        c.close()
        return got

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        gone(self.pid)

    def stop(self):
        try:
            self.ask("stop")
        except OSError:
            pass
        gone(self.pid)


def alive(pid):
    """Or one of its threads, which hold its lock as well."""
    try:
        return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0] != "Z" or len(os.listdir("/proc/%d/task" % pid)) > 1
    except OSError:
        return False


def gone(pid):
    for _ in range(2000):
        if not alive(pid):
            return True
        time.sleep(0.005)
    return False


class T:
    def __init__(self, engine, uid):
        self.engine, self.uid = os.path.abspath(engine), uid
        self.top = tempfile.mkdtemp(prefix="tinybox-engine-")
        os.chmod(self.top, 0o755)

    def dir(self, mode=0o700):
        d = tempfile.mkdtemp(dir=self.top)
        os.chmod(d, mode)
        if self.uid:
            os.chown(d, self.uid, self.uid)
        return d


def test_start(t):
    d = t.dir()
    b = Box(t, d, box="name-1")
    c = Conn(d)
    equal(c.hello[1]["box"], "name-1", "hello names the box")
    ok("isolation=kernel" in c.hello[1]["capability"], "and its isolation")
    c.close()
    kind, body, status = serve(t.engine, d, t.uid)
    equal((kind, body["code"], status), ("error", "state", 1), "a box runs once")
    b.stop()
    ok(not os.path.exists(d + "/socket"), "stop takes the socket away")
    b.start()
    for _ in range(20):
        b.ask("stop")
        b.start()
    ok(True, "stop and start again at once")
    b.stop()
    for spec, code, name in (
            (dict(kind="namespace"), "request", "another kind"),
            (dict(cwd="x"), "request", "a relative cwd"),
            (dict(env=["A"]), "request", "a bad environment"),
            (dict(network="open"), "policy", "a network it does not have"),
            (dict(network="egress", allow=["x:1"]), "policy", "egress"),
            (dict(workspace="/nonexistent-x"), "file", "a workspace that is not there"),
            (dict(gid=5), "request", "another user")):
        kind, body, status = serve(t.engine, t.dir(), t.uid, **spec)
        equal((kind, body.get("code"), status), ("error", code, 1), "refused: " + name)
    kind, body, status = serve(t.engine, d + "/no", t.uid)
    equal(kind, "error", "refused: no directory")
    b = Box(t, network="open", accept=["network"])
    line = [r for r in b.answer["report"] if r["control"] == "network"][0]
    ok("why" in line and "by" not in line, "accepted, and not called enforced", line)
    b.stop()


def test_exec(t):
    b = Box(t, env=["A=box", "B=box"], hostname="host-1")
    equal(b.run("printf", "<%s>", "a b", "$HOME", "*", "")["out"], b"<a b><$HOME><*><>",
          "arguments are never shell text")
    equal(b.out("echo $A $B; hostname"), "box box\nhost-1\n", "the box's environment and name")
    equal(b.sh("echo $A $B", env=["B=exec"])["out"], b"box exec\n", "EXEC's is on top")
    equal(b.run("pwd", cwd="/tmp")["out"], b"/tmp\n", "cwd")
    equal(b.run("pwd", cwd="/no")["end"]["code"], "file", "no such cwd")
    equal(b.run("pwd", cwd="..")["out"], b"/home\n", "a relative one begins at the box's")
    b.sh("echo in > f")
    equal(b.run("cat", stdin=None, path="f")["out"], b"", "no stdin is the default")
    c = Conn(b.dir)
    c.send("exec", arg=["cat"], stdin=2, path="f")
    equal(c.finish()["out"], b"in\n", "stdin from a file")
    c = Conn(b.dir)
    equal(c.ask("exec", arg=["cat"], stdin=2, path="/no")[1]["code"], "file", "that is not there")
    a = b.sh("echo o; echo e >&2; exit 9")
    equal((a["out"], a["err"], a["end"]["status"]), (b"o\n", b"e\n", 9), "streams and status")
    a = b.sh("head -c 100000 /dev/zero; head -c 50 /dev/zero >&2", out_limit=1000, err_limit=100)
    equal((len(a["out"]), a["end"]["out_bytes"], a["end"]["out_dropped"], a["end"]["limit"],
           a["end"]["err_dropped"]), (1000, 100000, 99000, "output", 0), "output limits")
    a = b.sh("x=$(head -c 90000000 /dev/zero | tr '\\0' x); echo ${#x}", memory=20000000)
    equal((a["end"]["status"], wire.REASONS[a["end"]["reason"]], a["end"]["limit"]),
          (137, "oom", "memory"), "a memory limit of one exec")
    a = b.sh(":(){ :|:& };:; wait; exit 5", pids=8, deadline=3 * 10 ** 9)
    ok(a["end"]["limit"] in ("pids", "deadline"), "a limit of processes", a)
    b.stop()


def test_streams(t):
    b = Box(t)
    c = Conn(b.dir)
    c.send("exec", arg=["bash", "-c", "echo ready; read x; echo got $x; cat; echo end"], stdin=1)
    c.until(b"ready\n")
    c.data(b"line\n")
    c.until(b"got line\n")
    c.data(b"more\n")
    c.until(b"more\n")
    c.send("close_in")
    equal(c.finish()["out"], b"end\n", "streams are live, and closed on their own")
    # A slow client slows the command.
    c = Conn(b.dir)
    c.send("exec", arg=["bash", "-c", "yes | head -c 50000000; echo x > /tmp/done"])
    time.sleep(0.5)
    rss = int([x for x in open("/proc/%d/status" % b.pid) if x.startswith("VmRSS")][0].split()[1])
    equal(b.sh("test -e /tmp/done")["end"]["status"], 1, "a command whose client is slow waits")
    ok(rss < 60000, "and nothing piles up", rss)
    ok(len(c.finish()["out"]) == 50000000, "nothing is lost")
    # A command that does not read makes its client wait.
    c = Conn(b.dir, timeout=0.7)
    c.send("exec", arg=["sleep", "1"], stdin=1)
    sent = 0
    try:
        while sent < 100000000:
            c.data(bytes(65536))
            sent += 65536
    except socket.timeout:
        pass
    ok(sent < 5000000, "input that is not read is not taken", sent)
    c.close()
    a = run(b.dir, "head", "-c", "3", stdin=b"x" * 1000000)
    equal((a["out"], a["end"]["status"]), (b"xxx", 0), "a command need not read all")
    a = run(b.dir, "sha256sum", stdin=bytes(range(256)) * 40000)
    equal(a["out"][:64].decode(), hashlib.sha256(bytes(range(256)) * 40000).hexdigest(),
          "ten megabytes in")
    b.stop()


def test_terminal(t):
    b = Box(t)
    c = Conn(b.dir)
    c.send("exec", arg=["bash", "-c", "[ -t 0 ] && [ -t 1 ] && echo tty; echo $TERM $(stty size);"
           "read x; echo \"<$x>\"; cat; trap 'echo int' INT; echo ready; while :; do sleep 1; done"],
           terminal=1, rows=40, columns=100, term="vt100")
    c.until(b"tty\r\nvt100 40 100\r\n")
    c.data("abx\x7fc\x15aé\x7fz\r".encode())
    out = c.until(b">\r\n")
    ok(b"<az>" in out, "lines are edited", out)
    ok(out.startswith(b"abx\b \bc\b \b\b \b\b \ba\xc3\xa9\b \bz\r\n"), "and echoed", out)
    c.data(b"text\r\x04")
    c.until(b"ready\r\n")
    c.data(b"\x03")
    out = c.until(b"int\r\n")
    ok(out.startswith(b"^C"), "Ctrl-C is a signal", out)
    c.data(b"\x1c")
    end = c.finish()["end"]
    equal((end["status"], end["signal"]), (131, 3), "so is Ctrl-\\")
    c = Conn(b.dir)
    c.send("exec", arg=["bash", "--noediting"], terminal=1)
    c.until(b"bash-5.2$ ")
    for typed, prompt, want in (
            (b"x=1; echo $-\r", b"$ ", b"hi"), (b"for i in 1 2\r", b"> ", b""),
            (b"do echo $i$x; done\r", b"$ ", b"11\r\n21\r\n"), (b"if then\r", b"$ ", b"syntax error"),
            (b"half\x03", b"$ ", b"half^C\r\n"), (b"echo $?\r", b"$ ", b"\r\n130\r\n"),
            (b"echo ${no:?bad}; no\r", b"$ ", b"no: bad"), (b"PS1='\\w@ '\r", b"~@ ", b"")):
        c.data(typed)
        out = c.until(prompt)
        ok(want in out, "at a prompt: %r" % typed, out)
    for loop in (b"while :; do :; done\r", b"sleep 100\r", b"cat\r"):
        c.data(loop)
        time.sleep(0.2)
        c.data(b"\x03")
        ok(b"^C\r\n" in c.until(b"~@ "), "Ctrl-C ends %r, not the shell" % loop)
    c.data(b"\x04")
    ok(c.finish()["out"].endswith(b"exit\r\n"), "Ctrl-D ends it")
    c = Conn(b.dir)
    c.send("exec", arg=["bash", "-c", "trap 'echo resized; exit' WINCH; echo ready; while :; do sleep 1; done"],
           terminal=1)
    c.until(b"ready")
    c.send("resize", rows=10, columns=20)
    ok(b"resized" in c.finish()["out"], "a resize is a signal")
    b.stop()


def test_ends(t):
    b = Box(t)
    began = time.time()
    a = b.sh("(setsid sleep 100 & ) ; sleep 100 & sleep 100", deadline=300000000)
    equal((wire.REASONS[a["end"]["reason"]], a["end"]["status"], a["end"]["limit"]),
          ("timeout", 137, "deadline"), "a deadline")
    ok(time.time() - began < 3, "in time")
    equal(b.ask("info")[1]["pids"], 0, "ends the whole tree")
    a = b.sh("trap 'echo bye; exit 4' TERM; while :; do sleep 0.1; done", deadline=200000000,
             grace=5 * 10 ** 9)
    equal((a["out"], wire.REASONS[a["end"]["reason"]], a["end"]["status"]), (b"bye\n", "timeout", 4),
          "with grace it may end by itself")
    a = b.sh("trap '' TERM; while :; do :; done", deadline=200000000, grace=200000000)
    equal((wire.REASONS[a["end"]["reason"]], a["end"]["status"]), ("timeout", 137), "or not")
    a = b.sh("while :; do :; done", deadline=200000000)
    equal(wire.REASONS[a["end"]["reason"]], "timeout", "one that computes")
    c = Conn(b.dir)
    c.send("exec", arg=["sleep", "100"])
    c.next()
    c.send("signal", signal=15)
    end = c.finish()["end"]
    equal((end["status"], wire.REASONS[end["reason"]]), (143, "signal"), "SIGNAL")
    c = Conn(b.dir)
    c.send("exec", arg=["bash", "-c", "echo ready; sleep 0.3; touch /tmp/late"])
    c.until(b"ready")
    c.close()
    time.sleep(0.6)
    equal(b.out("ls /tmp"), "", "a client that is gone takes the command with it")
    c = Conn(b.dir)
    c.send("exec", arg=["bash", "-c", "echo ready; sleep 0.3; echo more; touch /tmp/late"], keep=1)
    c.until(b"ready")
    proc = b.ask("ps")[1]["process"][-1]
    c.close()
    end = b.ask("wait", proc=proc["proc"], deadline=5 * 10 ** 9)
    equal((end[0], end[1]["status"]), ("end", 0), "unless it asked to keep it")
    equal(b.out("ls /tmp; rm /tmp/late"), "late\n", "it went on")
    c = Conn(b.dir)
    c.send("logs", proc=proc["proc"])
    equal(c.finish()["out"], b"ready\nmore\n", "and its log has all")
    c = Conn(b.dir)
    c.send("logs", proc=proc["proc"], offset=4)
    equal(c.finish()["out"], b"y\nmore\n", "from an offset")
    a = b.sh("sleep 0.5 & echo now")
    equal((a["out"], a["end"]["left"]), (b"now\n", 1), "a background child does not hold the exec")
    equal(b.ask("info")[1]["pids"], 1, "it goes on")
    time.sleep(0.8)
    equal(b.ask("info")[1]["pids"], 0, "until it ends")
    b.stop()


def test_processes(t):
    b = Box(t)
    c = Conn(b.dir)
    got = c.ask("exec", arg=["bash", "-c", "echo ready; read x; echo got $x; sleep 100"], detach=1,
                stdin=1, label="first")
    equal(got[0], "started", "detached")
    equal(c.next(), None, "and closed")
    proc = got[1]["proc"]
    line = [p for p in b.ask("ps")[1]["process"] if p["proc"] == proc][0]
    equal((line["state"], line["arg"][0]), (0, "bash"), "ps shows it")
    c = Conn(b.dir)
    c.send("attach", proc=proc)
    c.data(b"there\n")
    c.until(b"got there\n")
    equal(b.ask("attach", proc=proc)[1]["code"], "busy", "one at a time")
    c.close()
    time.sleep(0.1)
    equal(b.ask("wait", proc=proc, deadline=100000000)[1]["code"], "timeout", "wait with a deadline")
    w = Conn(b.dir)
    w.send("wait", proc=proc)
    equal(b.ask("kill", proc=proc, signal=9, tree=1), ("ok", {}), "kill")
    end = w.next()
    equal((end[0], end[1]["status"], wire.REASONS[end[1]["reason"]]), ("end", 137, "cancel"),
          "the waiting one is told")
    equal(b.ask("kill", proc=proc, signal=9, tree=1), ("ok", {"gone": 1}), "kill again")
    equal(b.ask("kill", proc="p999", signal=9)[1]["code"], "no-process", "of nothing")
    equal(b.ask("kill", proc=proc, signal=0)[1]["code"], "request", "no signal")
    equal(b.ask("logs", proc="p1")[0], "data_out", "the log is there")
    a = b.run("echo", "x")
    equal(b.ask("logs", proc=a["started"]["proc"])[1]["code"], "state", "not all have one")
    # Pause.
    c = Conn(b.dir)
    c.send("exec", arg=["bash", "-c", "while :; do echo x; sleep 0.02; done"])
    c.until(b"x")
    equal(b.ask("pause")[0], "ok", "pause")
    time.sleep(0.2)
    c.s.setblocking(False)
    try:
        while c.s.recv(65536):
            pass
    except BlockingIOError:
        pass
    time.sleep(0.3)
    try:
        more = c.s.recv(65536)
    except BlockingIOError:
        more = b""
    equal(more, b"", "nothing happens")
    equal(b.run("true")["end"]["code"], "state", "no exec meanwhile")
    equal(b.ask("resume")[0], "ok", "resume")
    c.s.settimeout(10)
    ok(c.more(), "it goes on")
    c.close()
    # Stop.
    c = Conn(b.dir)
    c.send("exec", arg=["bash", "-c", "trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.1; done"])
    c.until(b"ready")
    s = Conn(b.dir)
    s.send("stop", grace=5 * 10 ** 9)
    a = c.finish()
    equal((a["out"], wire.REASONS[a["end"]["reason"]]), (b"bye\n", "cancel"), "stop lets them end")
    equal(s.next(), ("ok", {}), "and says when all is done")
    ok(gone(b.pid), "the server ends")


def test_files(t):
    b = Box(t)
    data = os.urandom(300000)
    c = Conn(b.dir)
    c.send("write", path="/home/user/f", mode=0o640, mtime=1000000000 * 10 ** 9)
    c.data(data)
    equal(b.out("ls -A | wc -l"), "1\n", "a file that is being written")
    equal(b.sh("test -e f")["end"]["status"], 1, "has not its name yet")
    c.send("close_in")
    got = c.next()
    equal((got[0], got[1]["hash"]), ("ok", hashlib.sha256(data).digest()), "write, with its hash")
    equal(b.out("stat -c '%a %s %Y %U' f"), "640 300000 1000000000 user\n", "as asked")
    c = Conn(b.dir)
    c.send("read", path="f")
    head = c.next()
    equal((head[0], head[1]["stat"][0]["size"]), ("ok", 300000), "read begins with its stat")
    a = c.finish()
    ok(a["out"] == data, "then all of it")
    equal(a["end"]["hash"], hashlib.sha256(data).digest(), "then the hash")
    c = Conn(b.dir)
    c.send("read", path="f", offset=100, size=50)
    c.next()
    ok(c.finish()["out"] == data[100:150], "a part")
    equal(b.ask("write", path="f", exclusive=1)[1].get("errno"), 17, "exclusive")
    equal(b.ask("read", path="/no")[1]["errno"], 2, "no such file")
    equal(b.ask("read", path="/tmp")[1]["errno"], 21, "a directory")
    b.sh("mkfifo p; ln -s /etc/passwd l; ln -s /no bad")
    equal(b.ask("read", path="p")[1]["code"], "file", "a FIFO does not hang it")
    equal(b.ask("stat", path="l")[1]["stat"][0]["link"], "/etc/passwd", "stat of a link")
    equal(b.ask("stat", path="l", follow=1)[1]["stat"][0]["name"], "l", "and through it")
    equal(b.ask("mkdir", path="a/b")[1]["errno"], 2, "mkdir")
    equal(b.ask("mkdir", path="a/b", parents=1, mode=0o700), ("ok", {}), "with parents")
    equal(b.ask("mkdir", path="a/b")[1]["errno"], 17, "is there")
    equal(b.ask("symlink", path="a/l", link="b"), ("ok", {}), "symlink")
    names = sorted(s["name"] for s in b.ask("list", path="a")[1]["stat"])
    equal(names, ["b", "l"], "list")
    equal(b.ask("remove", path="a")[1]["errno"], 39, "remove of what is not empty")
    equal(b.ask("remove", path="a", parents=1), ("ok", {}), "with all below")
    b.sh("mkdir many; cd many; for i in {1..20000}; do : > file-number-$i; done")
    c = Conn(b.dir)
    c.send("list", path="many")
    total, frames = 0, 0
    while True:
        got = c.next()
        if not got:
            break
        total += len(got[1].get("stat", []))
        frames += 1
        if not got[1].get("more"):
            break
    ok(total == 20000 and frames > 1, "a large directory comes in parts", (total, frames))
    c = Conn(b.dir)
    c.send("write", path="half")
    c.data(b"x" * 100000)
    c.close()
    time.sleep(0.1)
    equal(b.out("ls -A | grep -c half; ls -A | grep -c tinybox"), "0\n0\n",
          "a write that was broken off leaves nothing")
    b.stop()
    b.start()
    ok(b.out("sha256sum < f")[:64] == hashlib.sha256(data).hexdigest(), "all is there after a restart")
    b.stop()


def test_durable(t):
    b = Box(t)
    b.sh("mkdir -p d/e; echo one > d/f; ln d/f d/g; ln -s f d/l; chmod 600 d/f; mkfifo d/p")
    before = b.out("ls -liR --time-style=full-iso | grep -v total; cat d/f")
    b.kill()
    ok(os.path.exists(b.dir + "/socket"), "killed")
    b.start()
    equal(b.out("ls -liR --time-style=full-iso | grep -v total; cat d/f"), before,
          "kill -9: all is as it was")
    proc = b.ask("exec", arg=["sleep", "100"], detach=1)[1]["proc"]
    b.kill()
    b.start()
    line = [p for p in b.ask("ps")[1]["process"] if p["proc"] == proc]
    equal((line[0]["state"], wire.REASONS[line[0]["reason"]]), (1, "lost"), "what ran is lost, and said so")
    new = b.run("true")["started"]["proc"]
    ok(int(new[1:]) > int(proc[1:]), "no name is used again", (new, proc))
    # Killed anywhere: never a damaged tree; each exec's files are all there or not at all.
    bad, done = [], 0
    rnd = random.Random(7)
    for n in range(60):
        def work():
            nonlocal done
            try:
                for i in range(1000):
                    a = b.sh("mkdir -p w; for i in 1 2 3 4 5; do echo %d > w/$i; done; seq 3000 > w/big" % (n * 1000 + i))
                    if a["last"] != "end":
                        return
                    done = n * 1000 + i
            except (OSError, EOFError):
                pass
        th = threading.Thread(target=work)
        th.start()
        time.sleep(rnd.random() * 0.03)
        b.kill()
        th.join()
        b.start()
        got = b.out("cat w/[1-5] 2>/dev/null").split()
        # a commit of the timer may see the middle of a run; what ended is there
        if got and (int(got[-1]) < done and done):
            bad.append((n, got, done))
    equal(bad, [], "60 kills while execs write: what ended is there")
    equal(b.sh("find / -xdev >/dev/null; rm -r w d; ls")["out"], b"", "and the tree is whole")
    # The list of changes does not grow without end.
    b.sh("head -c 2000000 /dev/urandom > r")
    for i in range(30):
        b.sh("head -c 500000 /dev/urandom > s; cat s > r2")
    size = os.path.getsize(b.dir + "/files")
    ok(size < 4 * 3500000 + 3000000, "the list is written anew when it is long", size)
    b.sh("echo 1 > more")	# (a timer's commit may have shifted when it is written anew: not as the last)
    b.sh("echo 2 > more")
    b.kill()
    with open(b.dir + "/files", "r+b") as f:
        f.truncate(os.path.getsize(b.dir + "/files") - 5)
    b.start()
    equal(b.sh("ls r >/dev/null")["end"]["status"], 0, "a torn end is cut off")
    b.kill()
    with open(b.dir + "/files", "r+b") as f:
        f.seek(60)
        f.write(b"XXXX")
    kind, body, _ = serve(t.engine, b.dir, t.uid)
    ok(kind == "error" and "damaged" in body.get("text", ""), "rot is told, not hidden", (kind, body))
    # Killed while the first list was made, whose head is written last.
    with open(b.dir + "/files", "r+b") as f:
        f.truncate(0)
        f.truncate(4096)
        f.seek(4096)
        f.write(b"XXXX" * 100)
    b.start()
    equal(b.out("ls; echo new > f; cat f"), "new\n", "a first list without its head is a new box's")
    b.kill()
    b.start()
    equal(b.out("cat f"), "new\n", "and is written over")


def test_workspace(t):
    w = t.dir(0o755)
    os.mkdir(w + "/sub")
    open(w + "/sub/f", "w").write("host\n")
    outside = t.dir(0o755)
    open(outside + "/secret", "w").write("secret\n")
    os.symlink(outside, w + "/out")
    os.symlink("/etc/passwd", w + "/abs")
    if t.uid:
        for p in (w + "/sub", w + "/sub/f"):
            os.chown(p, t.uid, t.uid)
    b = Box(t, workspace=w, target="/workspace")
    equal(b.out("pwd; cat sub/f; stat -c %U sub"), "/workspace\nhost\nuser\n", "the workspace is there")
    b.sh("echo new > sub/n; mkdir dir; chmod 4755 sub/n; mv sub/f dir/g")
    equal(open(w + "/sub/n").read() + open(w + "/dir/g").read(), "new\nhost\n", "and is written to")
    ok(not os.stat(w + "/sub/n").st_mode & 0o6000, "without bits that lend rights")
    equal(b.out("cat out/secret 2>&1; cat ../../out/secret 2>&1 | wc -l"),
          "cat: out/secret: No such file or directory\n1\n", "a link leads out of it to nothing")
    ok("root:x:0:0" in b.out("cat abs") and "daemon:x:1:1:daemon" in b.out("cat abs"),
       "an absolute one into the box")
    os.mknod(w + "/null", 0o666 | stat.S_IFIFO)
    b.stop()
    b.start()
    equal(b.out("cat dir/g"), "host\n", "it is there after a restart")
    b.stop()
    b = Box(t, workspace=w, readonly=1)
    equal(b.sh("echo x > y")["end"]["status"], 1, "read-only")
    equal(b.out("cat dir/g"), "host\n", "but read")
    b.stop()
    root = t.dir(0o755)
    os.makedirs(root + "/home/user")
    open(root + "/home/user/data", "w").write("image\n")
    b = Box(t, root=root)
    equal(b.out("cat data; head -1 /etc/passwd"), "image\nroot:x:0:0:root:/root:/bin/bash\n",
          "a root directory is copied over the box's")
    b.sh("rm -f data; echo mine > mine")
    b.stop()
    b.start()
    equal(b.out("ls"), "mine\n", "once")
    b.stop()


def test_together(t):
    b = Box(t, memory=100 << 20, pids=40)
    c = Conn(b.dir)
    c.send("exec", arg=["bash", "-c", "until [ -e /tmp/go ]; do sleep 0.01; done; echo seen"])
    b.sh("touch /tmp/go")
    equal(c.finish()["out"], b"seen\n", "execs at the same time see the same files")
    cs = []
    for i in range(20):
        c = Conn(b.dir)
        c.send("exec", arg=["bash", "-c", "for i in {1..50}; do echo %d >> /tmp/log; done" % i])
        cs.append(c)
    equal(sum(c.finish()["end"]["status"] for c in cs), 0, "twenty write to one file")
    equal(b.out("wc -l < /tmp/log; sort /tmp/log | uniq -c | awk '$1 != 50' | wc -l"), "1000\n0\n",
          "nothing is lost")
    pids = {b.run("true")["started"]["pid"] for _ in range(10)}
    equal(len(pids), 10, "pids are the box's")
    hog = Conn(b.dir)
    hog.send("exec", arg=["bash", "-c", "x=$(head -c 30000000 /dev/zero | tr '\\0' x); echo ready; read"],
             stdin=1)
    hog.until(b"ready")
    a = b.sh("x=$(head -c 28000000 /dev/zero | tr '\\0' x)")
    equal(wire.REASONS[a["end"]["reason"]], "oom", "memory is of all together")
    hog.close()
    b.stop()
    b = Box(t, disk=1000000)
    a = b.sh("head -c 2000000 /dev/zero > f")
    equal((a["end"]["limit"], wire.REASONS[a["end"]["reason"]]), ("disk", "quota"), "disk")
    b.stop()
    b = Box(t, cpu=200)
    began = time.time()
    b.sh("i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done")
    fast = time.time() - began
    used = sum(int(x) for x in open("/proc/%d/stat" % b.pid).read().rsplit(")", 1)[1].split()[11:13]) / 100
    ok(used < 0.1 or used / fast < 0.45, "a fifth of a processor", (used, fast))
    b.stop()


def test_hostile(t):
    b = Box(t)
    hello = wire.HELLO

    def says(data, want, name):
        c = Conn(b.dir, hello=False)
        c.raw(data)
        c.s.shutdown(socket.SHUT_WR)
        c.next()
        got = c.next()
        ok(got is None or (got[0] == "error" and (want is None or got[1]["code"] in want)), name, got)
        c.close()

    says(b"GET / HTTP/1.0\r\n\r\n", ["protocol"], "another protocol")
    says(struct.pack("<I", 0xffffffff) + b"x" * 100, ["protocol"], "a huge frame")
    says(struct.pack("<I", 0) + b"x", ["protocol"], "an empty frame")
    says(frame("hello", {"magic": "tinybox", "version": 2}), ["protocol"], "another version")
    says(hello + hello, ["protocol"], "hello twice")
    says(hello + struct.pack("<IB", 1, 250), ["protocol"], "an unknown frame")
    says(hello + struct.pack("<IBHI", 7, 10, 20, 0x7fffffff), ["protocol"], "a field longer than its frame")
    says(hello + frame("exec", {}), ["request"], "exec of nothing")
    says(hello + frame("exec", {"arg": ["a\0b"]}), ["request"], "a NUL in an argument")
    says(hello + frame("exec", {"arg": ["true"], "env": ["=x"]}), ["request"], "a bad environment")
    says(hello + struct.pack("<IBHI3s", 10, 10, wire.FIELDS["deadline"], 3, b"abc"), ["request"],
         "a number of three bytes")
    says(hello + frame("read", {"path": "x" * 5000}), ["request"], "a long path")
    says(hello + frame("connect", {"port": 80}), ["unsupported"], "a port")
    says(hello + frame("start", {}), ["protocol"], "a start")
    rnd = random.Random(3)
    for i in range(300):
        c = Conn(b.dir, hello=False)
        body = bytes(rnd.randrange(256) for _ in range(rnd.randrange(60)))
        data = rnd.choice([b"", hello]) + struct.pack("<IB", len(body) + 1, rnd.choice(list(wire.TYPES.values()))) + body
        if b"\x35" not in data[:6] and data.find(struct.pack("<B", wire.TYPES["stop"])) < 0:
            c.raw(data[:rnd.randrange(len(data) + 1)])
        c.close()
    equal(b.run("echo", "x")["out"], b"x\n", "300 pieces of nonsense: it lives")
    # Gone at every byte of a conversation.
    talk = hello + frame("exec", {"arg": ["bash", "-c", "echo a; cat; sleep 5"], "stdin": 1}) + \
        frame("data_in", b"hello") + frame("close_in")
    for n in range(len(talk) + 1):
        c = Conn(b.dir, hello=False)
        c.raw(talk[:n])
        c.close()
    for _ in range(300):
        if b.ask("info")[1]["pids"] == 0:
            break
        time.sleep(0.02)
    equal(b.ask("info")[1]["pids"], 0, "gone at every byte: nothing is left running")
    many = []
    try:
        for i in range(1500):
            s = socket.socket(socket.AF_UNIX)
            s.connect(b.dir + "/socket")
            many.append(s)
    except OSError:
        pass
    time.sleep(0.3)
    for s in many:
        s.close()
    time.sleep(0.3)
    equal(b.run("echo", "x")["out"], b"x\n", "1500 connections: it lives")
    ok(len(os.listdir("/proc/%d/fd" % b.pid)) < 30, "and has closed them")
    a = b.run("true", *["x" * 100] * 15000)
    equal(a["last"], "end", "many arguments")
    a = b.run("true", "x" * 200000)
    equal(a["end"].get("code"), "no-command", "one that is too long")
    cs = []
    for i in range(300):
        c = Conn(b.dir)
        c.send("exec", arg=["sleep", "100"])
        cs.append(c)
    busy = [c.next() for c in cs]
    ok(any(k == "error" for k, _ in busy), "there is a limit of execs")
    for c in cs:
        c.close()
    for _ in range(300):
        if b.ask("info")[1]["pids"] == 0:
            break
        time.sleep(0.02)
    equal(b.ask("info")[1]["pids"], 0, "all are gone with their clients")
    b.stop()


def test_wall(t):
    b = Box(t)
    status = open("/proc/%d/status" % b.pid).read()
    for line in ("Seccomp:\t2", "NoNewPrivs:\t1", "CapEff:\t0000000000000000",
                 "CapPrm:\t0000000000000000", "Threads:\t1"):
        ok(line in status, line.replace("\t", " "))
    if os.geteuid() == 0:
        fds = os.listdir("/proc/%d/fd" % b.pid)
        links = [os.readlink("/proc/%d/fd/%s" % (b.pid, f)) for f in fds]
        odd = [x for x in links if not x.startswith((b.dir, "socket:", "anon_inode:", "/dev/null"))]
        equal(odd, [], "nothing else is open")
    equal(open("/proc/%d/limits" % b.pid).read().split("Max core file size")[1].split()[0], "0",
          "no core files")
    equal(b.sh("echo > /dev/tcp/127.0.0.1/22")["end"]["status"], 1, "no network")
    b.stop()


TESTS = [test_start, test_exec, test_streams, test_terminal, test_ends, test_processes, test_files,
         test_durable, test_workspace, test_together, test_hostile, test_wall]


def main():
    args = sys.argv[1:]
    uid = int(args[args.index("--uid") + 1]) if "--uid" in args else 0
    only = args[args.index("--only") + 1] if "--only" in args else ""
    t = T(args[0], uid)
    try:
        for test in TESTS:
            if only in test.__name__:
                try:
                    test(t)
                except Exception as e:
                    import traceback
                    traceback.print_exc(file=sys.stdout)
                    ok(False, test.__name__, e)
    finally:
        shutil.rmtree(t.top, ignore_errors=True)
    print("1..%d" % count)
    return failed != 0


sys.exit(main())
