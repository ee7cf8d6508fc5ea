#!/usr/bin/env python3
"""A box's server that was taken over by what it should hold: whatever it says, `tinybox` writes nothing
outside of what was named, ends in time, says one thing and keeps its own status apart. TAP.

usage: hostile.py TINYBOX

A record is made by hand whose socket is ours.
"""
import hashlib
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading

HELLO, OK, ERROR, STARTED, OUT, ERR, END = 1, 2, 3, 11, 14, 15, 19
F = {"MAGIC": 1, "VERSION": 2, "CODE": 6, "TEXT": 7, "PROC": 50, "REASON": 53, "STATUS": 54, "MORE": 75,
     "PATH": 90, "SIZE": 91, "MODE": 92, "MTIME": 93, "LINK": 96, "NAME": 97, "HASH": 98, "STAT": 101}


def field(name, data):
    return struct.pack("<HI", name, len(data)) + data


def u32(name, n):
    return field(name, struct.pack("<I", n))


def frame(kind, body=b""):
    return struct.pack("<IB", len(body) + 1, kind) + body


def stat(name, mode, link=None):
    body = u32(F["MODE"], mode) + field(F["SIZE"], struct.pack("<Q", 5)) + field(F["MTIME"], struct.pack("<Q", 10 ** 18))
    if name is not None:
        body += field(F["NAME"], name)
    if link is not None:
        body += field(F["LINK"], link)
    return field(F["STAT"], body)


def content(data, digest=None):
    return frame(OK, stat(None, 0o100644)) + frame(OUT, data) + \
        frame(OK, field(F["HASH"], digest or hashlib.sha256(data).digest()))


def entry(kind, name, data=b"", mode=0o644, digest=None):
    return kind + struct.pack("<HQQ", mode, len(data), 10 ** 18) + (digest or hashlib.sha256(data).digest()) + \
        struct.pack("<H", len(name)) + name


def listing(path, *entries):
    return frame(43, field(F["PATH"], path) + field(103, b"".join(entries)))


def put(path, data, mode=0o100644, link=None, digest=None):
    head = frame(45, field(F["PATH"], path) + u32(F["MODE"], mode) + (b"" if link is None else field(F["LINK"], link)))
    return head if link is not None else head + frame(OUT, data) + frame(46, field(F["HASH"], digest or hashlib.sha256(data).digest()))


GREETING = frame(HELLO, field(1, b"tinybox") + u32(2, 1))
DIR, FILE, LINK = 0o40755, 0o100644, 0o120777


class Server:
    """Answers each connection by the type of its request, with the next of its replies."""

    def __init__(self, path):
        self.replies = {}
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen(50)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            peer, _ = self.socket.accept()
            threading.Thread(target=self.answer, args=(peer,), daemon=True).start()

    def answer(self, peer):
        try:
            peer.sendall(GREETING)
            data = b""
            while True:
                more = peer.recv(65536)
                if not more:
                    return
                data += more
                size = struct.unpack("<I", data[:4])[0]
                if len(data) >= 4 + size + 5:
                    kind = data[4 + size + 4]
                    queue = self.replies.get(kind)
                    if queue:
                        peer.sendall(queue.pop(0) if len(queue) > 1 else queue[0])
                    peer.shutdown(socket.SHUT_WR)
                    while peer.recv(65536):
                        pass
                    return
        except OSError:
            pass
        finally:
            peer.close()


def main():
    tinybox = os.path.abspath(sys.argv[1])
    top = tempfile.mkdtemp(prefix="tbxhostile-")
    box = top + "/state/boxes/box-1"
    os.makedirs(box + "/run", 0o700)
    with open(box + "/record.json", "w", encoding="ascii") as f:
        json.dump({"version": 1, "id": "box-1", "state": "ready", "target": {"host": "local"}, "dir": box + "/run",
                   "placement": {"workspace": {"host": "local", "sandbox": "namespace"}},
                   "spec": {"lifecycle": {"kind": "persistent"}}}, f)
    with open(box + "/lock", "w", encoding="ascii"):
        pass
    server = Server(box + "/run/socket")
    out = top + "/out"
    number = failed = 0

    def run(*argv):
        return subprocess.run([tinybox, *argv], capture_output=True, timeout=60, stdin=subprocess.DEVNULL, check=False,
                              cwd=top, env=dict(os.environ, TINYBOX_STATE_DIR=top + "/state"))

    def tell(title, good, done):
        nonlocal number, failed
        number += 1
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {title}")
        if not good:
            print(f"# status {done.returncode} out {done.stdout[:200]!r} err {done.stderr[-300:]!r}")

    def one_error(done):
        return done.returncode == 70 and done.stderr.count(b"tinybox: ") == 1

    def copy(title, replies, good=False, then=None):
        subprocess.run(["rm", "-rf", out], check=True)   # deeper than Python goes
        os.mkdir(out)
        server.replies = replies
        done = run("cp", "box-1:/tree", "out")
        names = sorted(os.listdir(top))
        clean = names == ["out", "state"] and not subprocess.run(["find", out, "-name", "*.tinybox-*"], stdout=subprocess.PIPE, check=True).stdout
        tell(title, (done.returncode == 0 if good else one_error(done)) and clean and (not then or then()), done)

    ok_dir, ok_file = [frame(OK, stat(None, DIR))], [frame(OK, stat(None, FILE))]
    for name in (b"../evil", b"/etc/evil", b"a/b", b"..", b".", b"", b"x\0y"):
        copy(f"a name that is none: {name!r}", {33: ok_dir, 32: [frame(OK, stat(name, FILE))], 30: [content(b"bad")]})
    copy("no name at all", {33: ok_dir, 32: [frame(OK, stat(None, FILE))]})
    copy("a link, then a file through it",
         {33: ok_dir, 32: [frame(OK, stat(b"l", LINK, b"..") + stat(b"l", DIR)), frame(OK, stat(b"evil", FILE))],
          30: [content(b"bad")]})
    copy("a link, then a file in its place", {33: ok_dir, 30: [content(b"good")],
                                              32: [frame(OK, stat(b"l", LINK, b"../evil") + stat(b"l", FILE))]},
         True, lambda: open(out + "/tree/l", "rb").read() == b"good")
    copy("a link without a target", {33: ok_dir, 32: [frame(OK, stat(b"l", LINK))]})
    copy("a device", {33: ok_dir, 32: [frame(OK, stat(b"d", 0o20666))]}, False, lambda: not os.listdir(out + "/tree"))
    copy("directories without end", {33: ok_dir, 32: [frame(OK, stat(b"d", DIR))]})
    copy("a digest that is wrong", {33: ok_file, 30: [content(b"data", b"\0" * 32)]}, False, lambda: not os.listdir(out))
    copy("no digest", {33: ok_file, 30: [frame(OK, stat(None, FILE)) + frame(OUT, b"x") + frame(OK)]}, False,
         lambda: not os.listdir(out))
    copy("a file that is cut", {33: ok_file, 30: [frame(OK, stat(None, FILE)) + frame(OUT, b"x")]}, False,
         lambda: not os.listdir(out))
    copy("a mode that gives away", {33: [frame(OK, stat(None, 0o106777))], 30: [content(b"x")]}, True,
         lambda: os.stat(out + "/tree").st_mode & 0o7000 == 0)
    copy("nothing", {})
    copy("an answer that is none", {33: [frame(STARTED)]})
    copy("damaged fields", {33: [frame(OK, b"\1\0\xff\xff\xff\xff")]})

    def back(title, blob, good=False, then=None):
        """What a sync from the box does with it: all or nothing."""
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        server.replies = {41: [blob]}
        done = run("sync", "--dir", "out", "--from", "box-1:/tree", "--yes")
        names = sorted(os.listdir(top))
        inside = os.listdir(out)
        clean = names == ["out", "state"] and ".tinybox-sync" not in inside and (good or not inside)
        tell("sync: " + title, (done.returncode == 0 if good else one_error(done)) and clean and (not then or then()), done)

    okay = frame(OK, field(F["HASH"], b"\0" * 32))
    fine = listing(b"", entry(b"f", b"f", b"data")) + okay
    back("as it should be", fine + put(b"f", b"data") + okay, True, lambda: open(out + "/f", "rb").read() == b"data")
    for name in (b"../evil", b"/etc/evil", b"a/b", b"..", b".", b"x\0y", b".tinybox-sync", b"n" * 256):
        back(f"a name that is none: {name[:20]!r}", listing(b"", entry(b"f", name, b"bad")) + okay + put(name, b"bad") + okay)
    back("two of one name", listing(b"", entry(b"l", b"l", b"/tmp"), entry(b"d", b"l")) + okay)
    back("a list of what is no directory", listing(b"", entry(b"l", b"l", b"/tmp")) + listing(b"l", entry(b"f", b"evil")) + okay)
    back("a list of what is not there", listing(b"a/b", entry(b"f", b"evil")) + okay)
    back("a list outside", listing(b"..", entry(b"f", b"evil")) + okay)
    back("directories without end", b"".join(listing(b"/".join([b"d"] * i), entry(b"d", b"d")) for i in range(1000)) + okay)
    back("a kind that is none", listing(b"", entry(b"x", b"f")) + okay)
    back("entries that are cut", frame(43, field(F["PATH"], b"") + field(103, entry(b"f", b"f")[:-1])) + okay)
    back("another content than was shown", fine + put(b"f", b"evil") + okay)
    back("another digest, the content being right", fine + put(b"f", b"data", digest=b"\1" * 32) + okay, True)
    back("another file", fine + put(b"g", b"data") + okay)
    back("another kind", fine + put(b"f", b"", 0o120777, b"/etc") + okay)
    back("a content that is cut", fine + put(b"f", b"data")[:-20])
    back("no content", fine)
    link = listing(b"", entry(b"l", b"l", b"/etc")) + okay
    back("a link", link + put(b"l", b"", 0o120777, b"/etc") + okay + okay, True, lambda: os.readlink(out + "/l") == "/etc")
    back("another link than was told", link + put(b"l", b"", 0o120777, b"/root") + okay + okay)
    back("a directory that it does not tell of", listing(b"", entry(b"D", b"d")) + okay + okay + okay)
    back("a mode that gives away", listing(b"", entry(b"f", b"f", b"data", 0o6777)) + okay + put(b"f", b"data", 0o106777) + okay, True,
         lambda: os.stat(out + "/f").st_mode & 0o7777 == 0o777)
    back("no such directory", frame(OK, field(F["HASH"], b"\0" * 32) + field(72, b"\1")))
    back("nothing", b"")
    back("frames of no kind", frame(200, b"?"))

    end = field(F["PROC"], b"p1") + field(F["REASON"], b"\0") + u32(F["STATUS"], 5)
    started = frame(STARTED, field(F["PROC"], b"p1"))

    def execute(title, reply, status, text=None):
        server.replies = {10: [reply]}
        done = run("exec", "box-1", "true")
        tell(title, done.returncode == status and (text is None or text in done.stderr), done)

    execute("an end that is as it should", started + frame(OUT, b"x") + frame(END, end), 5)
    execute("an end without a beginning", frame(END, end), 5)
    execute("no end", started, 70, b"the box is gone")
    execute("a frame without end", started + b"\xff\xff\xff\xff", 70, b"protocol")
    execute("an empty frame", started + b"\0\0\0\0", 70, b"protocol")
    execute("a damaged end", started + frame(END, end[:-2]), 70, b"damaged")
    execute("an end that says nothing", started + frame(END), 70)
    execute("a status of another size", started + frame(END, field(F["STATUS"], b"12345")), 70)
    execute("frames of no kind", started + frame(200, b"?") + frame(END, end), 70)
    execute("a sentence that would paint the terminal",
            frame(ERROR, field(F["CODE"], b"system") + field(F["TEXT"], b"\x1b[2Jhello\r\nworld")), 70, b"?[2Jhello??world")
    execute("a process's name that is none", frame(STARTED, field(F["PROC"], b"../x\x1b")) + frame(END, end), 5)
    server.replies = {20: [frame(OK, field(70, field(F["PROC"], b"\x1b[31mred\n")))]}
    done = run("ps", "box-1")
    tell("ps shows no control bytes", done.returncode == 0 and b"\x1b" not in done.stdout, done)
    done = run("ls")
    tell("ls goes on", done.returncode == 0 and b"box-1" in done.stdout, done)
    print(f"1..{number}")
    subprocess.run(["rm", "-rf", top], check=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
