"""The protocol of src/wire for tests: as few words as it takes, and any damage that is wanted."""
import os
import re
import socket
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = open(os.path.join(HERE, "../../src/wire/wire.h"), encoding="utf-8").read()


def _names(enum, prefix):
    body = re.search(r"enum %s \{(.*?)\n\};" % enum, HEADER, re.S).group(1)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    value, names = -1, {}
    for word in body.split(","):
        word = word.strip()
        if not word:
            continue
        name, _, number = [x.strip() for x in word.partition("=")]
        value = int(number) if number else value + 1
        names[name[len(prefix):].lower()] = value
    return names


TYPES = _names("wire_type", "WIRE_")
FIELDS = _names("wire_field", "WIRE_F_")
REASONS = ["exit", "signal", "timeout", "oom", "pids", "quota", "lost", "policy", "cancel"]
NAMES = {v: k for k, v in FIELDS.items()}
TYPE_NAMES = {v: k for k, v in TYPES.items()}
U8 = {"stdin", "terminal", "keep", "detach", "log", "reason", "core", "state", "tree", "gone",
      "follow", "more", "exclusive", "parents", "readonly"}
U64 = {"deadline", "grace", "out_limit", "err_limit", "memory", "disk", "wall", "user", "system",
       "peak", "out_bytes", "err_bytes", "out_dropped", "err_dropped", "started_at", "ended_at",
       "offset", "size", "mtime"}
U32 = {"version", "rows", "columns", "pids", "cpu", "pid", "signal", "status", "left", "mode",
       "uid", "gid", "port", "open_files", "errno"}
NEST = {"process", "stat", "report", "probe"}


def field(name, value):
    if name in NEST:
        value = fields(value)
    elif isinstance(value, int):
        size = "<B" if name in U8 else "<Q" if name in U64 else "<I"
        value = struct.pack(size, value)
    elif isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    return struct.pack("<HI", FIELDS[name], len(value)) + value


def fields(pairs):
    return b"".join(field(k, v) for k, vs in pairs.items()
                    for v in (vs if isinstance(vs, list) else [vs]))


def frame(kind, body=b""):
    if isinstance(body, dict):
        body = fields(body)
    return struct.pack("<IB", len(body) + 1, TYPES[kind]) + body


def parse(body):
    out = {}
    while body:
        name, size = struct.unpack_from("<HI", body)
        value, body = body[6:6 + size], body[6 + size:]
        name = NAMES.get(name, name)
        if name in NEST:
            value = parse(value)
        elif name in U8 or name in U32 or name in U64:
            value = int.from_bytes(value, "little")
        elif name != "hash":
            value = value.decode("utf-8", "surrogateescape")
        if name in NEST or name in ("arg", "capability"):
            out.setdefault(name, []).append(value)
        else:
            out[name] = value
    return out


HELLO = frame("hello", {"magic": "tinybox", "version": 1})


class Conn:
    """One conversation; hello=False: nothing is said by itself."""

    def __init__(self, where, hello=True, timeout=20):
        if isinstance(where, str):
            self.s = socket.socket(socket.AF_UNIX)
            self.s.connect(os.path.join(where, "socket"))
        else:
            self.s = where
        self.s.settimeout(timeout)
        self.buf = b""
        if hello:
            self.s.sendall(HELLO)
            self.hello = self.next()

    def send(self, type, /, **body):
        self.s.sendall(frame(type, body))

    def data(self, data):
        for i in range(0, len(data), 65536):
            self.s.sendall(frame("data_in", data[i:i + 65536]))

    def raw(self, data):
        self.s.sendall(data)

    def more(self):
        got = self.s.recv(1 << 20)
        self.buf += got
        return bool(got)

    def next(self):
        """(type, body): data as bytes, others as dict. None: the stream has ended."""
        while True:
            if len(self.buf) >= 4:
                size = struct.unpack_from("<I", self.buf)[0]
                if len(self.buf) >= 4 + size:
                    kind = TYPE_NAMES.get(self.buf[4], self.buf[4])
                    body = self.buf[5:4 + size]
                    self.buf = self.buf[4 + size:]
                    if kind == "alive":
                        continue
                    return kind, body if str(kind).startswith("data") else parse(body)
            try:
                if not self.more():
                    return None
            except ConnectionResetError:
                return None

    def ask(self, type, /, **body):
        self.send(type, **body)
        return self.next()

    def close(self):
        self.s.close()

    def until(self, text):
        """Output until it has text."""
        out = b""
        while text not in out:
            got = self.next()
            if not got:
                raise EOFError(out)
            if str(got[0]).startswith("data"):
                out += got[1]
            elif got[0] in ("end", "error"):
                raise EOFError((out, got))
        return out

    def finish(self):
        """All there is: dict of out, err, started and the last frame's name and fields."""
        all = {"out": b"", "err": b"", "last": None, "end": {}}
        while True:
            got = self.next()
            if not got:
                return all
            kind, body = got
            if kind == "data_out":
                all["out"] += body
            elif kind == "data_err":
                all["err"] += body
            elif kind == "started":
                all["started"] = body
            else:
                all["last"], all["end"] = kind, body


def run(where, *argv, stdin=None, **more):
    c = Conn(where)
    if stdin is not None:
        more["stdin"] = 1
    c.send("exec", arg=list(argv), **more)
    if stdin is not None:
        try:
            c.data(stdin)
            c.send("close_in")
        except (BrokenPipeError, ConnectionResetError):
            pass    # it has ended already
    all = c.finish()
    c.close()
    return all


def serve(program, dir, uid=0, **spec):
    """Starts a server: (kind, fields) of its answer, hello first in the tuple."""
    here, there = socket.socketpair()
    ids = {"user": uid, "group": uid, "extra_groups": []} if uid else {}
    p = subprocess.Popen([program, "serve"], stdin=there, stdout=there, **ids)
    there.close()
    c = Conn(here)
    spec.setdefault("box", "test")
    spec.setdefault("kind", "virtual")
    answer = c.ask("start", dir=dir, **spec)
    c.close()
    status = p.wait(20)
    return answer + (status,) if answer else (None, {}, status)
