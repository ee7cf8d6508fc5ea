#!/usr/bin/env python3
"""Corpora of the fuzz targets, one file each in tests/fuzz/corpus, which tests/fuzz/replay.c gives to the target in every build.

    tests/fuzz/corpus.py pack FILE DIR [BYTES]    the inputs of DIR, the smallest first, at most BYTES of them in all (300000)
    tests/fuzz/corpus.py unpack FILE DIR          back into files, as libFuzzer wants them
"""
import gzip, hashlib, os, struct, sys


def pack(path, directory, most):
    inputs = []
    for name in os.listdir(directory):
        with open(os.path.join(directory, name), 'rb') as f: inputs.append(f.read())
    inputs.sort(key=lambda data: (len(data), data))
    kept = total = 0
    with open(path, 'wb') as raw, gzip.GzipFile(filename='', fileobj=raw, mode='wb', compresslevel=9, mtime=0) as f:
        for data in inputs:
            if total + len(data) > most: break
            f.write(struct.pack('<I', len(data)) + data)
            kept, total = kept + 1, total + len(data)
    print(f'{kept} of {len(inputs)} inputs, {total} bytes, packed {os.path.getsize(path)}')


def unpack(path, directory):
    os.makedirs(directory, exist_ok=True)
    with gzip.open(path) as f:
        while head := f.read(4):
            data = f.read(struct.unpack('<I', head)[0])
            with open(os.path.join(directory, hashlib.sha1(data).hexdigest()), 'wb') as out: out.write(data)


def main():
    if len(sys.argv) >= 4 and sys.argv[1] == 'pack': pack(sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 300000)
    elif len(sys.argv) == 4 and sys.argv[1] == 'unpack': unpack(sys.argv[2], sys.argv[3])
    else: sys.exit(__doc__)


if __name__ == '__main__':
    main()
