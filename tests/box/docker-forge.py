#!/usr/bin/env python3
"""docker-forge.py FROM TO OLD NEW: a snapshot's file in whose archive OLD is NEW, of one length, with all hashes made right again."""
import hashlib
import struct
import sys

data = open(sys.argv[1], "rb").read()
old, new = (w.encode() for w in sys.argv[3:5])
assert len(old) == len(new)
at = data.index(b"\n") + 1
at += 8 + struct.unpack("<Q", data[at:at + 8])[0] + 32
front, at, inner = data[:at], at + 32, b""
while True:
    n = struct.unpack("<I", data[at:at + 4])[0]
    at += 4
    if not n:
        break
    inner += data[at:at + n]
    at += n
# the frames of the layer: u32 size, u8 type, body; DATA_OUT is 14, and fields are u16 name, u32 size
pieces, place, saved, head = [], 0, b"", b""
while place < len(inner):
    n = struct.unpack("<I", inner[place:place + 4])[0]
    kind, body = inner[place + 4], inner[place + 5:place + 4 + n]
    pieces.append((kind, body))
    saved += body if kind == 14 else b""
    head = head or (body if kind != 14 else b"")
    place += 4 + n
assert saved.count(old) == 1, saved.count(old)
saved = saved.replace(old, new)
fields, place = {}, 0
while place < len(head):
    name, size = struct.unpack("<HI", head[place:place + 6])
    fields[name] = int.from_bytes(head[place + 6:place + 6 + size], "little")
    place += 6 + size
mtime, size = fields[93], fields[91]
manifest = f'tinybox-layer 1\nf 0600 0 0 {mtime} {size} {hashlib.sha256(saved).hexdigest()} "saved"\n'.encode()
out, used = b"", 0
for kind, body in pieces:
    if kind == 14:
        body = saved[used:used + len(body)]
        used += len(body)
    out += struct.pack("<IB", len(body) + 1, kind) + body
with open(sys.argv[2], "wb") as f:
    f.write(front + hashlib.sha256(manifest).digest())
    for i in range(0, len(out), 60000):
        part = out[i:i + 60000]
        f.write(struct.pack("<I", len(part)) + part)
    f.write(struct.pack("<I", 0) + hashlib.sha256(out).digest())
