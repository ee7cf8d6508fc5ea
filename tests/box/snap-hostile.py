#!/usr/bin/env python3
"""Snapshot files from strangers: whole, with right checksums, and meant ill. TAP.

usage: snap-hostile.py TINYBOX

Each must be refused with one sentence, make nothing outside of its layer, and leave nothing; also hundreds of files that were
changed at random places, their checksums mended.
"""
import hashlib
import json
import os
import random
import shutil
import stat
import struct
import subprocess
import sys
import tempfile

OK, DATA = 2, 14
SIZE, MODE, MTIME, UID, GID, LINK, NAME, TREE, GONE, MORE, FROM, ATTRIBUTE = 91, 92, 93, 94, 95, 96, 97, 71, 72, 75, 155, 194


def frame(kind, body):
    return struct.pack("<IB", len(body) + 1, kind) + body


def field(name, value):
    return struct.pack("<HI", name, len(value)) + value


def entry(name, mode, data=None, uid=0, gid=0, **more):
    body = field(MORE, b"\1") + field(NAME, name) + field(MODE, struct.pack("<I", mode))
    body += field(UID, struct.pack("<I", uid)) + field(GID, struct.pack("<I", gid)) + field(MTIME, struct.pack("<Q", 10**18))
    if data is not None:
        body += field(SIZE, struct.pack("<Q", more.get("size", len(data))))
    for key, number in (("link", LINK), ("first", FROM), ("attribute", ATTRIBUTE)):
        if key in more:
            body += field(number, more[key])
    for key, number in (("tree", TREE), ("gone", GONE)):
        if key in more:
            body += field(number, b"\1")
    out = frame(OK, body)
    if data:
        out += frame(DATA, data)
    return out


def folder(name, **more):
    return entry(name, stat.S_IFDIR | 0o755, **more)


def archive(inner, words=None, end=True):
    spec = {"workspace": "/workspace", "source": {"kind": "none"}, "resources": {}}
    text = json.dumps(words or {"version": 1, "sandbox": "namespace", "spec": spec, "parts": [{"name": "layer-1", "hash": "0" * 64}]}).encode()
    inner += frame(OK, b"") if end else b""
    out = b"tinybox snapshot 1\n" + struct.pack("<Q", len(text)) + text + hashlib.sha256(text).digest()
    for at in range(0, len(inner), 60000):
        piece = inner[at:at + 60000]
        out += struct.pack("<I", len(piece)) + piece
    return out + struct.pack("<I", 0) + hashlib.sha256(inner).digest()


class Test:
    def __init__(self, tinybox):
        self.tinybox = os.path.abspath(tinybox)
        self.dir = tempfile.mkdtemp(prefix="tbxill-")
        self.env = dict(os.environ, TINYBOX_STATE_DIR=self.dir + "/state")
        self.number = self.failed = 0

    def run(self, *argv):
        return subprocess.run([self.tinybox, *argv], env=self.env, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, check=False)

    def tell(self, good, title, more=""):
        self.number += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.number} - {title}", flush=True)
        if not good:
            print("# " + str(more).replace("\n", "\n# "))

    def left(self):
        found = []
        for top in ("layers", "snapshots"):
            path = f"{self.dir}/state/{top}"
            found += os.listdir(path) if os.path.isdir(path) else []
        return found + [n for n in os.listdir(self.dir) if n not in ("state", "file")]

    def refuse(self, data):
        with open(self.dir + "/file", "wb") as f:
            f.write(data)
        done = self.run("snapshot", "import", self.dir + "/file")
        good = done.returncode == 70 and done.stderr.count(b"\n") == 1 and not self.left()
        return good, f"{done.returncode} {done.stderr} {self.left()}"

    def ill(self, title, data):
        self.tell(*self.refuse(data)[:1], title, "" if self.refuse(data)[0] else self.refuse(data)[1])


def main():
    t = Test(sys.argv[1])
    upper, reg, lnk = folder(b"upper"), stat.S_IFREG | 0o644, stat.S_IFLNK | 0o777
    evil = t.dir.encode()
    t.ill("out by ..", archive(upper + entry(b"upper/../../../evil", reg, b"x")))
    t.ill("out by .. at the top", archive(entry(b"../evil", reg, b"x")))
    t.ill("absolute", archive(entry(evil + b"/evil", reg, b"x")))
    t.ill("through a link", archive(upper + entry(b"upper/l", lnk, link=evil) + entry(b"upper/l/evil", reg, b"x")))
    t.ill("through a link, a directory", archive(upper + entry(b"upper/l", lnk, link=evil) + folder(b"upper/l/evil")))
    t.ill("the top is a link", archive(entry(b"upper", lnk, link=evil) + entry(b"upper/evil", reg, b"x")))
    t.ill("a second name of something outside", archive(upper + entry(b"upper/x", reg, first=b"../../tag")))
    t.ill("a second name of what a link leads to", archive(upper + entry(b"upper/l", lnk, link=b"/etc/passwd") + entry(b"upper/x", reg, first=b"upper/l")))
    t.ill("a device", archive(upper + entry(b"upper/d", stat.S_IFBLK | 0o666)))
    t.ill("a manifest of its own", archive(upper + entry(b"manifest", reg, b"x")))
    t.ill("a stamp of its own", archive(upper + entry(b"stamp", reg, b"x")))
    t.ill("an owner that is no box's", archive(upper + entry(b"upper/x", reg, b"x", uid=0x8FFFFFFF)))
    t.ill("twice the same name", archive(upper + entry(b"upper/x", reg, b"x") + entry(b"upper/x", reg, b"y")))
    t.ill("more bytes than it says", archive(upper + entry(b"upper/x", reg, b"xyz", size=1)))
    t.ill("fewer bytes than it says", archive(upper + entry(b"upper/x", reg, b"xyz", size=100)))
    t.ill("a size beyond all", archive(upper + entry(b"upper/x", reg, b"", size=2**64 - 1)))
    t.ill("a name that is too long", archive(upper + entry(b"upper/" + b"x" * 300, reg, b"x")))
    t.ill("a name with a NUL", archive(upper + entry(b"upper/x\0y", reg, b"x")))
    for name in (b"trusted.x\0y", b"security.capability\0" + bytes(20), b"user.overlay.opaque\0y", b"user.\0x", b"user.no-end", b"\0", b""):
        t.ill(f"an attribute {name[:20]!r}", archive(upper + entry(b"upper/x", reg, b"x", attribute=name)))
        t.tell(b"upper/x: Invalid argument" in t.run("snapshot", "import", t.dir + "/file").stderr, "... for its name")
    deep = b"upper"
    many = upper
    for _ in range(450):
        deep += b"/d"
        many += folder(deep)
    t.ill("deeper than anything", archive(many))
    t.ill("no end", archive(upper, end=False))
    t.ill("more behind the end", archive(upper + frame(OK, b"") + entry(b"upper/x", reg, b"x")))
    t.ill("bytes that are no frames", archive(b"\xff" * 100))
    t.ill("another hash than it says", archive(upper + entry(b"upper/x", reg, b"x")))
    spec = {"workspace": "/w", "source": {"kind": "none"}, "resources": {}}
    for title, words in (("no parts", {"version": 1, "sandbox": "namespace", "spec": spec}),
                         ("no hash", {"version": 1, "sandbox": "namespace", "spec": spec, "parts": [{"name": "x"}]}),
                         ("another sandbox", {"version": 1, "sandbox": "../x", "spec": spec, "parts": []}),
                         ("passthrough", {"version": 1, "sandbox": "passthrough", "spec": spec, "parts": []}),
                         ("a list of strange things", {"version": 1, "sandbox": "namespace", "spec": {**spec, "env": [1, [2]]}, "parts": []}),
                         ("a spec that is none", {"version": 1, "sandbox": "namespace", "spec": [], "parts": []})):
        t.ill("words: " + title, archive(upper, words))
    random.seed(7)
    base = upper + entry(b"upper/x", reg, b"x" * 1000) + entry(b"upper/l", lnk, link=b"x") + folder(b"upper/d", tree=1) + \
        entry(b"upper/d/w", 0o20000, gone=1) + entry(b"upper/d/h", reg, first=b"upper/x")
    wrong = []
    for _ in range(150):
        mutant = bytearray(base)
        for _ in range(random.randint(1, 6)):
            at = random.randrange(len(mutant))
            mutant[at] = random.choice((0, 1, 255, mutant[at] ^ (1 << random.randrange(8))))
        good, more = t.refuse(archive(bytes(mutant)))
        wrong += [] if good else [more]
    t.tell(not wrong, "150 changed at random", "\n".join(wrong[:3]))
    t.tell(not t.run("reap").stdout, "reap finds nothing")
    print(f"1..{t.number}")
    shutil.rmtree(t.dir, ignore_errors=True)
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
