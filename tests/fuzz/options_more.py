"""More commands of options.py: those that are smaller, or need input files of their own (archives, checksums, patches)."""
import bz2, gzip, hashlib, io, lzma, os, subprocess, zipfile
from options_table import *

# ---- input files of their own ----


def damaged(r, data):
    """Mostly as it is; cut, or a byte changed, or something behind it."""
    x = r.random()
    if x < .1 and len(data) > 4: return data[:r.randrange(len(data))]
    if x < .2 and data:
        i = r.randrange(len(data)); return data[:i] + bytes([data[i] ^ 1 << r.randrange(8)]) + data[i + 1:]
    if x < .28: return data + r.choice([b'junk\n', b'\0' * 8, data, b'\0'])
    return data


def put(name, data):
    return printf(data) + ' >' + shlex.quote(name)


def zstandard(data, *options):
    return subprocess.run(['zstd', '-q', '-c', *options], input=data, stdout=subprocess.PIPE, check=True).stdout


def compressed(r, kind):
    data = text(r) * r.choice([1, 1, 30])
    if kind == 'gz':
        out = io.BytesIO()
        with gzip.GzipFile(
            r.choice(['', 'inside', 'é', '../up']), 'wb', r.choice([1, 6, 9]), out, mtime=r.choice([0, 1600000000, 1])
        ) as f: f.write(data)
        return out.getvalue()
    if kind == 'bz2': return bz2.compress(data, r.choice([1, 9]))
    if kind == 'xz':
        return lzma.compress(
            data,
            check=r.choice([lzma.CHECK_CRC32, lzma.CHECK_CRC64, lzma.CHECK_SHA256, lzma.CHECK_NONE]),
            preset=r.choice([0, 6])
        )
    if kind == 'lzma': return lzma.compress(data, format=lzma.FORMAT_ALONE, preset=1)
    return zstandard(data, r.choice(['-1', '-3', '--no-check', '-19']))


def zip_bytes(r):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as z:
        for name in r.sample(
            ['a', 'b', 'dir/', 'dir/f', 'dir/g.txt', 'x y', 'é', '-o', 'long/deep/er/file', 'UP.TXT'],
            r.choice([0, 1, 3, 5])
        ):
            info = zipfile.ZipInfo(
                name,
                (
                    r.choice([1980, 2001, 2024, 2107]), r.randint(1, 12), r.randint(1, 28), r.randint(0, 23),
                    r.randint(0, 59), r.choice([0, 2, 58])
                )
            )
            info.external_attr = (0o40755 if name.endswith('/') else r.choice([0o100644, 0o100755, 0o100600, 0])) << 16
            info.create_system = r.choice([3, 3, 0])
            info.compress_type = r.choice([0, 8, 8])
            if r.random() < .1: info.comment = b'a comment'
            z.writestr(info, b'' if name.endswith('/') else text(r))
        if r.random() < .15: z.comment = b'of the archive\nlines'
    return out.getvalue()


def cpio_bytes(r):
    out = b''
    for i, name in enumerate(r.sample(['q', 'dd', 'dd/f', 'x y', 'é', './r'], r.choice([1, 2, 4])) + ['TRAILER!!!']):
        data = b'' if name in ('dd', 'TRAILER!!!') else text(r)[:200]
        mode = 0 if name == 'TRAILER!!!' else 0o40755 if name == 'dd' else r.choice([0o100644, 0o100755])
        raw = name.encode() + b'\0'
        head = b'070701' + b''.join(
            b'%08X' % v for v in (i, mode, 1000, 1000, 1, 1600000000 if mode else 0, len(data), 8, 1, 0, 0, len(raw), 0)
        ) + raw
        out += head + b'\0' * (-len(head) % 4) + data + b'\0' * (-len(data) % 4)
    return out + b'\0' * (-len(out) % 512)


def sums(r, data):
    lines = []
    for name in r.sample(
        ['a', 'b', 'c.txt', 'nope', 'sp ace', 'd', 'n1', '-n', 'a\\nb', 'x', 'uni'],
        r.choice([1, 3, 5])
    ):
        algo = r.choice(['md5', 'sha1', 'sha256', 'sha512', 'blake2b', 'sha224', 'sha384', 'md5', 'sha256'])
        digest = hashlib.new(algo, data.get(name, b'')).hexdigest()
        if r.random() < .15: digest = digest[:-1] + ('0' if digest[-1] != '0' else '1')
        if r.random() < .1: digest = digest.upper()
        tag = {'blake2b': 'BLAKE2b'}.get(algo, algo.upper())
        lines.append(
            r.choice(
                [digest + '  ' + name] * 4 + [
                    digest + ' *' + name, digest + ' ' + name, tag + ' (' + name + ') = ' + digest,
                    tag + '(' + name + ')= ' + digest, '\\' + digest + '  ' + name, digest[:-2] + '  ' + name, 'junk',
                    '', '# ' + name, '  ' + digest + '  ' + name, digest + '  ' + name + '\r'
                ]
            )
        )
    return ('\n'.join(lines) + '\n').encode()


def patches(r):
    """Two texts and a diff between them, in the tree as a and p.diff."""
    old = [r.choice(WORDS) + r.choice(['', ' x', ' y']) for _ in range(r.choice([1, 4, 9, 15]))]
    new = list(old)
    for _ in range(r.choice([1, 2, 3])):
        i = r.randrange(len(new) + 1)
        new[i:i + r.choice([0, 1, 2])] = r.choice([[], ['new'], ['one', 'two']])
    base = r.choice([old] * 5 + [old[:2] + ['more'] + old[2:], new, ['x'] + old, old[1:]])
    def run(flag):
        with open('/tmp/.p1.%d' % id(r), 'w') as f, open('/tmp/.p2.%d' % id(r), 'w') as g: f.write('\n'.join(old) + '\n'); g.write(
            '\n'.join(new) + r.choice(['\n', '\n', ''])
        )
        names = r.choice(
            [
                ['a', 'a'], ['a.orig', 'a'], ['x/d/a', 'y/d/a'], ['old/a', 'new/a'], ['a', '/dev/null'],
                ['/dev/null', 'fresh'], ['nope', 'nope2']
            ]
        )
        stamp = r.choice(['', '\t2020-01-02 03:04:05.000000000 +0000', '\t1970-01-01 00:00:00.000000000 +0000', ''])
        labels = [] if flag in ('-e', '--normal') else ['-L', names[0] + stamp, '-L', names[1] + stamp]
        out = subprocess.run(['diff', flag, *labels, f.name, g.name], stdout=subprocess.PIPE).stdout
        for h in (f, g): os.unlink(h.name)
        return r.choice(
            [b'', b'', b'Index: a\n', b'junk before\n', b'diff --git a/a b/a\nindex 1..2 100644\n']
        ) * (flag == '-u') + out
    diff = run(r.choice(['-u', '-u', '-u', '-c', '--normal', '-e', '-u0', '-U1']))
    x = r.random()
    if x < .12: diff = diff.replace(b'\n ', b'\n  ', 1)
    elif x < .2: diff = diff.replace(b'@@ -', b'@@ -1', 1)
    elif x < .26: diff = diff[:max(0, len(diff) - r.choice([1, 5, 20]))]
    elif x < .31: diff = diff.replace(b'\n', b'\r\n')
    elif x < .36: diff += run('-u')
    return ('\n'.join(base) + '\n').encode(), diff


def extra(r, name, data):
    """Lines of a fixture: what only some commands need. Their times are set, too."""
    out, names = [], []
    def add(n, d): out.append(put(n, d)); names.append(n)
    if name in GZIP + BZIP2 + XZ + ZSTD + ZGREP + ['file']:
        for kind in ('gz', 'bz2', 'xz', 'lzma', 'zst'):
            if name == 'file' or kind in kinds_of(name):
                add('k.' + kind, damaged(r, compressed(r, kind))); add('ok.' + kind, compressed(r, kind))
        if name in GZIP: add('t.tgz', compressed(r, 'gz')); add('wrong.gz', text(r)); add('k-gz', compressed(r, 'gz'))
        out += ['rm self d/up; mkdir gd; cp ok.* gd 2>/dev/null; printf x >gd/plain']
        names += ['gd/*', 'gd']
    if name in ('unzip', 'zipinfo', 'zip', 'zipgrep', 'file'):
        add('z.zip', damaged(r, zip_bytes(r))); add('ok.zip', zip_bytes(r))
    if name in ('cpio', 'file'): add('c.cpio', damaged(r, cpio_bytes(r))); add('ok.cpio', cpio_bytes(r))
    if name in SUMS + ['cksum', 'b2sum', 'shasum', 'md5sum']: add('sums', sums(r, data)); add('sums2', sums(r, data))
    if name == 'patch':
        base, diff = patches(r); add('a', base); add('p.diff', diff); out.append('mkdir -p x/d; cp a x/d/a; cp a d/a')
    if name in ('diff3', 'sdiff'):
        rows = data['a'].split(b'\n'); rows[1:2] = [b'mine', b'yours']; add('c3', b'\n'.join(rows))
    if name == 'hardlink': out.append('cp -p a d/same; cp a d/e/same; cp b d/other')
    if name in ('tree', 'file', 'rg'):
        out.append(
            "printf '#!/bin/sh\\necho hi\\n' >s.sh; printf '*.txt\\nn1\\n!n1\\nd/e\\n' >.ignore; printf "
            "'<html></html>\\n' >h.html; printf '{\"a\": 1}\\n' >j.json; printf '%%PDF-1.4\\n' >p.pdf"
        )
    return out + [
        "touch -d '2015-05-06 07:08:09' " + ' '.join(n if '*' in n else shlex.quote(n) for n in names) + ' 2>/dev/null'
    ] if names else out


GZIP = ['gzip', 'gunzip', 'zcat', 'uncompress']
BZIP2 = ['bzip2', 'bunzip2', 'bzcat']
XZ = ['xz', 'unxz', 'xzcat', 'lzma', 'unlzma', 'lzcat']
ZSTD = ['zstd', 'unzstd', 'zstdcat', 'zstdmt']
ZGREP = [
    'zgrep', 'zegrep', 'zfgrep', 'bzgrep', 'xzgrep', 'zdiff', 'zcmp', 'bzcmp', 'bzdiff', 'xzcmp', 'xzdiff', 'zforce',
    'zstdgrep', 'zless', 'zmore', 'bzless', 'bzmore', 'xzless', 'xzmore', 'zrun', 'lzgrep', 'lzcmp', 'lzdiff',
    'zstdless'
]
SUMS = ['sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum']


def kinds_of(name):
    if name in GZIP: return ['gz']
    if name in BZIP2 or name.startswith('bz'): return ['bz2']
    if name in XZ: return ['xz', 'lzma']
    if name in ZSTD or name.startswith('zstd'): return ['zst', 'gz']
    return ['gz', 'bz2', 'xz', 'zst']


def packed(name):
    return [p + k for p in ('k.', 'ok.') for k in kinds_of(name)] * 2


# ---- programs and operands that need more than a table ----

def words(r, pool, low, high):
    return [r.choice(pool) for _ in range(r.randint(low, high))]


def with_command(spec, first=(), low=0, commands=None, writes=False, post=None, most=3):
    """Options, operands of the command's own, then a command to run."""
    table = rows(spec) if spec else []
    pool = commands or [
        ['echo', 'a b'],
        ['printf', '<%s>\\n', '-n', 'x'],
        ['cat'],
        ['false'],
        ['nosuchcmd'],
        ['./a'],
        ['d'],
        ['sh', '-c', 'echo $0 $#; exit 3', 'x'],
        ['true'],
        ['sh', '-c', 'kill -9 $$'],
        ['cat', 'a', 'nope'],
        []
    ]
    def gen(r, name):
        opts = flatten(r, table, r.choice([0, 1, 1, 2, most])) if table else []
        ops = words(r, list(first), low, 1) if first else []
        return Case(name, opts + (['--'] if r.random() < .04 else []) + ops + r.choice(pool), stdin(r), writes)
    return gen


def ed_script(r):
    addr = lambda: r.choice(
        [
            '', '', '1', '2', '$', '.', '1,2', '1,$', ',', '%', '/a/', '?e?', "'x", '+', '-', '2;+1', '3,1', '0', '99',
            '+2', ';', '/the/,/o/', '1,', '.,+1', '^'
        ]
    )
    cmd = lambda: r.choice(
        [
            'p', 'n', 'l', 'd', 'a\nnew\n.', 'i\nins\ntwo\n.', 'c\nchg\n.', 's/a/X/', 's/o/[&]/g', 's/e//p', 's/a/b/2',
            's', 'j', 'm0', 't.', 'm$', 'kx', '=', 'u', 'r b', 'r nope', 'w', 'w out', 'W out', 'f', 'f name', 'e b',
            'E c.txt', 'g/a/p', 'g/e/s//E/', 'v/a/d', 'g/o/d', 'H', 'h', 'P', 'q', 'Q', 'z', 'z3', '#x', 'x', 'y', 'wq',
            'pn', 'dp', '!echo sh', 'r !echo hi', 'w !cat', 'nosuch', 's/(/x/', 's/[/x/', 'G/a/', 'g/a/kx\\\np',
            's/a/x\\\ny/', '', 'n l', 's/x/y/', 'E', 'u\nu', 'ka', "'ap"
        ]
    )
    return '\n'.join(
        (addr() if r.random() < .6 else '') + cmd() for _ in range(r.choice([1, 3, 5, 8]))
    ) + r.choice(['\n', '\nQ\n', '\nwq\n', ''])


def ed(r, name):
    opts = flatten(
        r,
        rows(
            '-E,--extended-regexp -G,--traditional -l,--loose-exit-status -p,--prompt=*|>|%d -q,--quiet --silent '
            '-r,--restricted -s,--script -v,--verbose --strip-trailing-cr'
        ),
        r.choice([0, 1, 1, 2])
    )
    return Case(
        name,
        opts + words(r, ['a', 'b', 'c.txt', 'nope', 'd', 'z0', 'new'], 0, 1),
        '|' + printf(ed_script(r).encode()), True
    )


def bc(r, name):
    num = lambda: r.choice(
        [
            '1', '2', '3.5', '.25', '10', '-7', '0', '1/3', '2^10', 'FF', 'x', 'a[2]', '123456789012345678901234567890',
            '0.000', '100', 'scale', 'last', 'length(12.50)', 'scale(1.230)', 'sqrt(2)', 'sqrt(-1)'
        ]
    )
    expr = lambda: ''.join(
        [num()] + [
            r.choice(
                [' + ', '-', '*', '/', '%', '^', ' < ', '==', '&&', ' || ']
            ) + num() for _ in range(r.choice([0, 1, 1, 2, 3]))
        ]
    )
    line = lambda: r.choice(
        [
            expr, expr,
            lambda: 'scale=' + r.choice(['0', '3', '20', '10']),
            lambda: 'ibase=' + r.choice(['16', '2', '10', '1', '17', 'A']),
            lambda: 'obase=' + r.choice(['16', '2', '8', '20', '1', '100', 'A']),
            lambda: 'x=' + expr(),
            lambda: 'x+=' + num(),
            lambda: 'for (i=0;i<3;i++) ' + expr(), lambda: 'while (x<3) { x=x+1; x }',
            lambda: 'if (' + expr() + ') ' + expr() + r.choice(['', ' else ' + expr()]),
            lambda: 'define f(n) { return (n*' + num() + ') }',
            lambda: 'f(' + expr() + ')', lambda: '"text\\n"',
            lambda: 'print ' + expr() + ', "\\n"',
            lambda: 'a[' + num() + ']=' + num(),
            lambda: r.choice(
                ['s(1)', 'c(2)', 'a(1)', 'l(10)', 'e(1)', 'j(0,1)', 'e(' + num() + ')', 'l(' + num() + ')']
            ),
            lambda: r.choice(
                [
                    'quit', 'halt', '(', '1 +', '}', '/* c */ 3', '# x\n4', 'x++', '--x', '!x', 'auto y', 'limits',
                    'read()', '1;2', '{1;2', '"open', 'define g(a[]) { a[0]=1 }', '.'
                ]
            )
        ]
    )()
    return Case(
        name,
        flatten(
            r,
            rows('-l,--mathlib -q,--quiet -s,--standard -w,--warn'),
            r.choice([0, 0, 1, 2])
        ) + words(r, ['nope', 'n1', 'a'], 0, r.choice([0, 0, 0, 1])),
        '|' + printf('\n'.join(line() for _ in range(r.choice([1, 2, 4]))).encode() + r.choice([b'\n', b'\n', b'']))
    )


def dc(r, name):
    tok = lambda: r.choice(
        [
            '1', '2', '3.5', '_7', '10', '.5', 'FF', '0', '100', '99999999999999999999', '+', '-', '*', '/', '%', '^',
            'v', '~', '|', 'p', 'f', 'n', 'P', 'd', 'r', 'c', 'R', 'sa', 'la', 'Sa', 'La', 'k', '3k', 'K', 'i', '16i',
            'I', 'o', '16o', '2o', 'O', 'z', 'Z', 'X', '[text]', '[1p]x', '[lbp]sb', '>a', '!<a', '=a', 'a', '?', 'q',
            '2Q', '#c\n', ':a', ';a', '[la1+dsa5>b]dsbx', '!', ' ', '\n', 'G', 'N', '(', '{', '\\', 'y', '[unclosed',
            'x', '1 2', '5 3:a3;a'
        ]
    )
    prog = ' '.join(tok() for _ in range(r.choice([2, 4, 7, 12]))) + r.choice([' p', ' f', '', '\n'])
    if r.random() < .4: return Case(name, ['-e', prog] + (['-e', tok()] if r.random() < .2 else []), stdin(r))
    return Case(
        name,
        words(r, ['-', 'nope', '-f', '--file=n1', '-x', 'n1'], 0, r.choice([0, 0, 0, 1])),
        '|' + printf(prog.encode() + b'\n')
    )


def dd(r, name):
    pool = [
        'if=a', 'if=b', 'if=nope', 'if=d', 'if=z0', 'if=long', 'of=out', 'of=out', 'of=a', 'of=d', 'of=nope/x', 'bs=1',
        'bs=3', 'bs=1k', 'bs=0', 'bs=x', 'bs=2x3', 'bs=512', 'ibs=4', 'obs=7', 'ibs=5', 'cbs=8', 'cbs=20', 'count=2',
        'count=0', 'count=1', 'count=5B', 'count=x', 'count=-1', 'skip=1', 'skip=3', 'skip=2B', 'skip=100', 'seek=2',
        'seek=1', 'seek=4B', 'iseek=1', 'oseek=2', 'conv=ucase', 'conv=lcase', 'conv=swab', 'conv=notrunc', 'conv=sync',
        'conv=noerror,sync', 'conv=block', 'conv=unblock', 'conv=ascii', 'conv=ebcdic', 'conv=ibm', 'conv=excl',
        'conv=nocreat', 'conv=sparse', 'conv=fsync', 'conv=x', 'conv=lcase,ucase', 'conv=block,unblock',
        'conv=excl,nocreat', 'conv=', 'status=noxfer', 'status=x', 'status=none', 'iflag=count_bytes',
        'iflag=skip_bytes', 'oflag=seek_bytes', 'oflag=append', 'iflag=fullblock', 'iflag=directory', 'iflag=x',
        'iflag=nofollow', 'oflag=sync', 'iflag=fullblock,count_bytes', 'oflag=fullblock', 'iflag=append', 'x=1', 'a',
        '--', 'if', 'iflag=nonblock,noatime', 'conv=notrunc,sync', 'count=1kB', 'bs=0x10', 'bs=1kx',
        'bs=99999999999999999999'
    ]
    return Case(
        name,
        words(r, pool, 0, 5) + (['status=none'] if r.random() < .75 else ['status=noxfer']),
        stdin(r), True
    )


def getopt(r, name):
    opts = flatten(
        r,
        rows(
            '-a,--alternative -l,--longoptions=foo,bar:|baz::,foo|fo,foo,bar|a:b|x -n,--name=prog|p\\sq '
            '-o,--options=ab:c::|+ab:|-ab:|a|:a|b::|é -q,--quiet -Q,--quiet-output -s,--shell=sh|bash|csh|tcsh|x '
            '-T,--test -u,--unquoted'
        ),
        r.choice([0, 1, 2, 3])
    )
    if r.random() < .7:
        opts += [
            '-o',
            r.choice(['ab:c::', 'ab:', '+ab', '-a', 'x', ''])
        ] + (['-l', 'foo,bar:,baz::'] if r.random() < .5 else [])
    return Case(
        name,
        opts + (['--'] if r.random() < .7 else []) + words(
            r,
            [
                '-a', '-b', 'x', '-bval', '-c', '-cv', '--foo', '--bar', '--bar=3', '--baz', '--baz=', '--ba', '--fo',
                '--', '-', 'y z', "it's", '-ab', '-x', '--nosuch', '-bar', '-foo', 'é', '!x', '\n', '', 'a\\b',
                '--foo=1'
            ], 0, 5
        )
    )


def cal(r, name):
    if name == 'cal':
        opts = flatten(
            r,
            rows(
                '-3 -1 -y -j -h -m=1|2|feb|13|x|December|0|2f|2p -A=1|0|x -B=1|2 -d=2024-02|2023-12|x|2024-13 '
                '-H=2024-02-03|x -N -b'
            ),
            r.choice([0, 0, 1, 1, 2])
        )
    else:
        opts = flatten(
            r,
            rows(
                '-3 -1 -y -j -h -w -M -S -C -b -m=2|12|x -A=1 -B=1 -d=2024-02|x -H=2024-02-03 -p -e -o -s=FR|US|XX|IT'
            ),
            r.choice([0, 0, 1, 1, 2])
        )
    return Case(
        name,
        opts + r.choice(
            [
                ['2', '2024'], ['2024'], ['9', '1752'], ['1752'], ['13', '2024'], ['0', '2024'], ['1', '1'],
                ['12', '9999'], ['x'], ['1', '2', '3'], ['feb', '2023'], ['2024-02'], ['10', '1582'], ['0'], ['10000'],
                ['5', '1900'], ['2', '2000']
            ]
        )
    )


def csplit(r, name):
    opts = flatten(
        r,
        rows(
            '-b,--suffix-format=%02d|%d|%x|%s|%5d|%|q%03uz|%d%d -f,--prefix=p|d/q|nope/x -k,--keep-files '
            '--suppress-matched -n,--digits=@small -q,--quiet -s --silent -z,--elide-empty-files'
        ),
        r.choice([0, 1, 1, 2, 3])
    )
    return Case(
        name,
        opts + words(r, ['a', 'b', 'dup', 'long', 'code.c', '-', 'nope', 'd', 'n1'], 1 if r.random() < .97 else 0, 1) + words(
            r,
            [
                '2', '3', '/a/', '/e/', '%e%', '%a%', '{*}', '{1}', '{2}', '/o/+1', '/a/-1', '%o%+2', '0', '5', '99',
                'x', '/[/', '{2', '/the/+1x', '/^$/', '{-1}', '//', '/a', '2', '1', '{0}'
            ], 0, 4
        ),
        '|' + printf(text(r)), True
    )


def rename(r, name):
    return Case(
        name,
        flatten(
            r,
            rows('-v,--verbose -s,--symlink -n,--no-act -a,--all -l,--last -o,--no-overwrite -i,--interactive'),
            r.choice([0, 1, 1, 2])
        ) + words(r, ['a', 'x', '.txt', '', 't', 'n', 'd', 'b'], 2, 2) + operands(r, TREE, 0, 4), '</dev/null', True
    )


def gnu_time(r, name):
    return Case(
        name,
        flatten(r, rows("-f,--format=%C|%x|%x\\s%C\\n|%%|\\t|\\q|%q|%| -o,--output=out|nope/x -a,--append -q,--quiet"), r.choice([1, 2, 3])) + (['-f', '%C %x'] if r.random() < .8 else []) + r.choice(
            [
                ['true'], ['false'], ['echo', 'a', 'b'], ['nosuch'], ['./a'], ['d'], ['sh', '-c', 'exit 5'],
                ['sh', '-c', 'kill -9 $$'], []
            ]
        ), writes=True, word='env time'
    )


def factor(r, name):
    return Case(
        name,
        words(
            r,
            [
                '0', '1', '2', '12', '97', '360', '1001', '18446744073709551615', '18446744073709551616',
                '340282366920938463463374607431768211456', '-3', 'x', '', ' 6', '+7', '0x10', '1.5', '99999999977',
                '1000000016000000063', '010', '--', '--x'
            ], 0, 4
        ),
        r.choice(['</dev/null', '|' + printf(text(r, 'nums')), "|printf '12 15\\n 7\\tx 9'"])
    )


def kill(r, name):
    if r.random() < .3:
        return Case(
            name,
            words(
                r,
                ['-9', '-0', '-s', 'KILL', 'TERM', '-HUP', '--', '-q', '-SIGUSR1', '-n'], 0, 2
            ) + words(r, ['99999999', 'x', '', '%1', '99999998'], 0, 2),
            word=r.choice(['/usr/bin/kill', 'kill'])
        )
    return Case(
        name,
        ['-l'] + words(
            r,
            [
                '-l', '-L', '-l', '9', '15', 'HUP', 'SIGTERM', 'term', '137', '-s', 'KILL', '-9', '-0', '99999999', 'x',
                '--', '-n', '0x', '-q', '5', '-SIGUSR1', '--list', '--table', '--signal', '64', '34', '99', '-l9',
                '-lINT', 'RTMIN+1', '-l128', '--list=3', ''
            ], 1, 3
        ),
        word=r.choice(['/usr/bin/kill', 'env kill', 'kill'])
    )


ARCHIVE_OPS = ['a', 'b', 'c.txt', 'nope', 'd', 'sp ace', 'new']


def zip_case(r, name):
    opts = flatten(
        r,
        rows(
            '-r -j -q -0 -9 -u -f -d -m -x=*.txt|a -i=a|*.c|*.txt -@ -D -X -y -v -T -o -l -k -A -g -FS -n=.txt:.c '
            '-b=d -t=01012020 -tt=01012021'
        ),
        r.choice([0, 1, 1, 2, 3])
    )
    return Case(
        name,
        opts + [
            r.choice(['new', 'new.zip', 'ok.zip', 'z.zip', 'd/n', 'nope/x', '-', 'a'])
        ] * (r.random() < .97) + operands(r, ARCHIVE_OPS + ['ln', '.', '*'], 0, 3),
        r.choice(['</dev/null', '|' + printf(b'a\nd/x\nnope\n')]), True
    )


def unzip(r, name):
    spec = '-l -v -p -c -t -z -o -n -q -qq -j -a -aa -b -C -L -U -V -X -: -f -u -D -DD -K -T -Z -d=out|nope/x -x=a|*.txt' if name == 'unzip' else '-1 -2 -s -m -l -v -h -t -T -z -M -C -U -x=a|*.txt'
    return Case(
        name,
        flatten(
            r,
            rows(spec.replace(' -M', '').replace(' -T', '' if name == 'unzip' else ' -T')),
            r.choice([0, 1, 1, 2, 3])
        ) + [
            r.choice(['ok.zip', 'ok', 'z.zip', 'z', 'nope', 'a', 'd', '*.zip', 'o*'])
        ] * (r.random() < .97) + words(
            r,
            ['a', 'dir/*', 'nope', '*.txt', 'b', '*'], 0,
            r.choice([0, 0, 2])
        ) + (['-d', 'out'] if name == 'unzip' and r.random() < .2 else []), '</dev/null', name == 'unzip'
    )


def cpio(r, name):
    mode = r.choice(
        [
            ['-o'], ['-i'], ['-t'], ['-it'], ['-p', 'out'], ['-pd', 'out'], ['-id'], ['-iv'], ['-itv'], ['-ov'], [],
            ['-i', '-o'], ['--create'], ['--extract'], ['--list'], ['-idu']
        ]
    )
    opts = flatten(
        r,
        rows(
            '-0,--null -a,--reset-access-time -d,--make-directories -f,--nonmatching '
            '-H,--format=newc|odc|bin|crc|ustar|tar|x|hpbin -L,--dereference -m,--preserve-modification-time '
            '-n,--numeric-uid-gid --quiet -u,--unconditional -v,--verbose -V,--dot -c -B --block-size=1|x '
            '-C,--io-size=512 --no-absolute-filenames --to-stdout --renumber-inodes --ignore-devno '
            '--device-independent --reproducible -l,--link --sparse -E,--pattern-file=a -R,--owner=+1:+1 '
            '--absolute-filenames --only-verify-crc -F,--file=ok.cpio|nope -O=out.cpio -I=ok.cpio|c.cpio'
        ),
        r.choice([0, 1, 1, 2])
    )
    data = r.choice(['<ok.cpio', '<c.cpio', '<a', '</dev/null']) if 'i' in ''.join(mode) or 't' in ''.join(mode) and '-o' not in mode else '|' + printf(
        '\n'.join(
            words(r, ['a', 'd', 'd/x', 'nope', 'ln', 'sp ace', './a', 'ha', 'de', '', 'b'], 0, 5)
        ).encode() + b'\n'
    )
    return Case(name, mode + opts + words(r, ['q', 'dd*', '*', 'x'], 0, r.choice([0, 0, 1])), data, True)


def patch(r, name):
    opts = flatten(
        r,
        rows(
            '-b,--backup -B,--prefix=pre. -c,--context -d,--directory=d|nope|x -e,--ed -f,--force -F,--fuzz=0|1|3|x '
            '-i,--input=p.diff -l,--ignore-whitespace --merge?=merge|diff3 -n,--normal -N,--forward '
            '-o,--output=out|- -p,--strip=0|1|2|x -r,--reject-file=rej|- -R,--reverse -s,--quiet -t,--batch '
            '-u,--unified -V,--version-control=t|nil -z,--suffix=.b -Z,--set-utc -T,--set-time '
            '-E,--remove-empty-files --dry-run --verbose --binary --posix --read-only=ignore|warn|fail|x '
            '--reject-format=context|unified|x --backup-if-mismatch --no-backup-if-mismatch -Y,--basename-prefix=o. '
            '--follow-symlinks --quoting-style=shell|c|x -D,--ifdef=NEW'
        ),
        r.choice([0, 1, 1, 2, 3])
    )
    return Case(
        name,
        opts + words(
            r, ['a', 'd/a', 'nope', 'ln', 'ro'], 0, r.choice([0, 0, 1])
        ) + (['p.diff'] if r.random() < .1 else []),
        '<p.diff' if r.random() < .93 else '</dev/null', True
    )


def env_case(r, name):
    opts = flatten(
        r,
        rows(
            "-i,--ignore-environment -0,--null -u,--unset=HOME|x|=||LANG -C,--chdir=d|nope|a "
            "-S,--split-string=echo\\sa\\sb|printf\\s%s\\\\n\\s'a\\sb'\\s\"c\"|X=1\\sprintenv\\sX|echo\\s${HOME}|echo\\s$x|echo\\s\\\\x|-i\\secho|echo\\s#c|'|echo\\sa\\\\_b|echo\\s\\\\c\\sx| "
            "-v,--debug --block-signal?=INT|x --default-signal?=INT|PIPE,TERM|x --ignore-signal?=HUP|x "
            "--list-signal-handling -"
        ),
        r.choice([0, 1, 1, 2])
    )
    cmd = r.choice(
        [
            ['echo', 'a'], ['printenv', 'X', 'HOME'], ['env'], ['nosuch'], ['./a'], ['d'],
            ['sh', '-c', 'echo $X; exit 4'], [], ['false'], ['printenv'], ['pwd']
        ]
    )
    return Case(
        name,
        opts + words(r, ['X=1', 'X=a b', 'Y=', '=x', 'PATH=/bin', 'X=2', 'HOME=/q'], 0, 2) + cmd, '</dev/null'
    )


def ops(spec, pool, low=1, high=3, writes=False, most=3, envs=(), data=None):
    """As simple(), with operands that are no files: nothing odd among them."""
    table = rows(spec) if spec else []
    def gen(r, name):
        opts = flatten(r, table, r.choice([0, 1, 1, 2, most])) if table else []
        return Case(
            name,
            mix(r, opts, words(r, pool, low, high)),
            data(r) if data else stdin(r), writes,
            r.choice(envs) + ' ' if envs and r.random() < .2 else ''
        )
    return gen


SUM = '-b,--binary -c,--check --tag -t,--text -z,--zero --ignore-missing --quiet --status --strict -w,--warn'
SUM_FILES = FILES + ['sums', 'sums', 'sums', 'sums2', 'nope', '-', 'd']
ENCODED = lambda r: r.choice(
    [
        lambda: stdin(r),
        lambda: '|' + printf(
            r.choice(
                [
                    b'aGVsbG8=', b'aGVs\nbG8=\n', b'NBSWY3DP', b'68656C6C6F', b'68656c6c6f', b'aGVsbG8', b'a!G',
                    b'HelloWorld', b'0110100001', b'=', b'aGVsbG8=aGVsbG8=', b'D1IMOR3F', b'_-_-', b'+/+/', b'====',
                    b'MZXW6===', b'mzxw6===', b'1'
                ]
            )
        )
    ]
)()
DOS = '-ascii -iso -1252 -437 -7 -b -c=ascii|iso|mac|7bit|x -d -f -F' + ' -i? -k -l -m -o -n -O -q -r -s -S -u -v -e,--add-eol --no-add-eol'
CHK = r'-p -P --portability'
GREPISH = '-i -v -c -l -n -h -H -q -E -F -w -e=a|the|o. -s'
FUZZY = [
    ['a', 'b', 'c3'], ['b', 'a', 'c3'], ['a', 'a', 'b'], ['a', 'b', 'a'], ['a', 'b'], ['nope', 'a', 'b'],
    ['-', 'a', 'b'], ['d', 'a', 'b'], ['c3', 'b', 'a'], ['a', 'b', 'c3', 'd']
]

MORE = {
    'arch': simple('', [], 0, 1),
    'b2sum': simple(SUM + ' -l,--length=8|128|512|0|x|7|1024|256', SUM_FILES),
    'cksum': simple(
        '-a,--algorithm=sysv|bsd|crc|md5|sha1|sha224|sha256|sha384|sha512|blake2b|sm3|x|sha --untagged --debug '
        '-l,--length=8|256|x|0 ' + SUM, SUM_FILES, 0, 3, 3
    ),
    'sum': simple('-r -s,--sysv'),
    'base32': simple('-d,--decode -i,--ignore-garbage -w,--wrap=@num', FILES + ['-'], 0, 2),
    'shasum': simple(
        '-a,--algorithm=1|224|256|384|512|x|512224|512256|3 -b,--binary -c,--check -t,--text -s,--status -q,--quiet '
        '-w,--warn --strict --tag --ignore-missing -U,--UNIVERSAL -0,--01', SUM_FILES
    ),
    'basenc': lambda r, name: Case(
        name,
        flatten(
            r,
            rows(
                '--base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 -d,--decode '
                '-i,--ignore-garbage -w,--wrap=@num'
            ),
            r.choice([1, 2, 2, 3])
        ),
        ENCODED(r)
    ),
    'bc': bc,
    'dc': dc,
    'dd': dd,
    'ed': ed,
    'red': ed,
    'cal': cal,
    'ncal': cal,
    'csplit': csplit,
    'getopt': getopt,
    'cpio': cpio,
    'patch': patch,
    'zip': zip_case,
    'unzip': unzip,
    'zipinfo': unzip,
    'env': env_case,
    'factor': factor,
    'kill': kill,
    'rename.ul': rename,
    'time': gnu_time,
    'chgrp': ops(
        '-c,--changes -f,--silent --quiet -v,--verbose --dereference -h,--no-dereference --preserve-root '
        '--no-preserve-root --reference=a|nope -R,--recursive -H -L -P',
        ['1000', 'user', 'root', 'nosuch', '0', '', 'a', 'b', 'd', 'nope', 'ln', 'broken', '+1000', '99999'], 1, 3, True
    ),
    'chown': ops(
        '-c,--changes -f,--silent --quiet -v,--verbose --dereference -h,--no-dereference '
        '--from=1000|user:user|root|x --preserve-root --reference=a|nope -R,--recursive -H -L -P',
        [
            '1000', 'user', 'user:', ':user', 'root', '1000:1000', 'nosuch', 'user.user', '0:0', ':', '', 'a', 'b', 'd',
            'nope', 'ln', '+1000', 'user:nosuch', '1000:'
        ], 1, 3, True
    ),
    'chronic': with_command(
        '-v -e',
        commands=[
            ['echo', 'a'],
            ['false'],
            ['sh', '-c', 'echo o; echo e >&2; exit 3'],
            ['sh', '-c', 'echo e >&2'],
            ['nosuch'],
            ['sh', '-c', 'kill -9 $$'],
            [],
            ['cat']
        ]
    ),
    'col': lambda r, name: Case(
        name,
        flatten(
            r,
            rows('-b,--no-backspaces -f,--fine -h,--tabs -l,--lines=@num -p,--pass -x,--spaces'),
            r.choice([0, 1, 2])
        ),
        '|' + printf(
            r.choice(
                [
                    b'a\bb\n', b'_\ba\n\033' + b'7up\n', b'a\tb\n', b'        x\n', b'a\rb\n', b'\033' + b'9h\n',
                    b'a\v b\n', text(r), text(r), b'ab\b\bcd\n', b'\0x\n', b'a\bb\bc\n', '日\bx\n'.encode(),
                    b' \b\b\bz\n', b'\033' + b'8d\n\n\n'
                ]
            )
        )
    ),
    'colcrt': simple('--no-underlining' + ' -2,--half-lines', FILES + ['nope'], 0, 2),
    'colrm': ops('', ['1', '2', '3', '10', '0', 'x', '', '-1', '4'], 0, 3, data=lambda r: '|' + printf(text(r))),
    'combine': lambda r, name: Case(
        name,
        [
            r.choice(['a', 'b', 'dup', 'nope', '-']),
            r.choice(['and', 'or', 'not', 'xor', 'x']),
            r.choice(['a', 'b', 'dup', '-', 'nope'])
        ][:r.choice([3, 3, 3, 3, 2, 1])],
        stdin(r)
    ),
    'ifne': with_command('-n'),
    'isutf8': simple('-q,--quiet -l,--list -i,--invert -v,--verbose', FILES + ['inv', 'nil', 'nope', 'd', 'z0']),
    'mispipe': ops(
        '',
        ['echo a', 'cat', 'false', 'true', 'nosuch', 'exit 3', 'wc -l', ''], 0, 3, data=lambda r: '</dev/null'
    ),
    'pee': ops(
        '--ignore-sigpipe --no-ignore-sigpipe --ignore-write-errors',
        ['cat', 'wc -l', 'sed s/a/b/', 'false', 'tr a-z A-Z >/dev/null', 'exit 3', 'nosuch'], 0, 1
    ),
    'sponge': simple('-a', ['out', 'a', 'd', 'nope/x', 'ro', 'ln'], 0, 2, 2, True),
    'ts': ops('', ['lit %%', 'x', 'a b'], 1, 1, data=lambda r: '|' + printf(text(r))),
    'errno': ops(
        '-l,--list -s,--search -S,--search-all-locales',
        ['2', 'ENOENT', 'eacces', '0', '999', 'x', 'file', 'no', '13', '', '-1'], 0, 2
    ),
    'diff3': lambda r, name: Case(
        name,
        flatten(
            r,
            rows(
                '-A,--show-all -e,--ed -E,--show-overlap -3,--easy-only -x,--overlap-only -X -i -m,--merge -a,--text '
                '-T,--initial-tab --strip-trailing-cr -L,--label=X|Y|Z --diff-program=diff|nope'
            ),
            r.choice([0, 1, 1, 2])
        ) + r.choice(FUZZY),
        stdin(r)
    ),
    'sdiff': lambda r, name: Case(
        name,
        flatten(
            r,
            rows(
                '-i,--ignore-case -E,--ignore-tab-expansion -Z,--ignore-trailing-space -b,--ignore-space-change '
                '-W,--ignore-all-space -B,--ignore-blank-lines -I,--ignore-matching-lines=a --strip-trailing-cr '
                '-a,--text -w,--width=10|40|80|x|0|130 -l,--left-column -s,--suppress-common-lines -t,--expand-tabs '
                '--tabsize=4|x -d,--minimal -H,--speed-large-files'
            ),
            r.choice([0, 1, 1, 2])
        ) + words(r, ['a', 'b', 'c3', 'd', 'nope', '-'], 1, 2),
        stdin(r)
    ),
    'dir': None,
    'vdir': None,
    'dircolors': simple(
        '-b,--bourne-shell -c,--csh -p,--print-database --print-ls-colors',
        ['a', 'nope', '-', 'd', 'code.c'], 0, 1
    ),
    'dos2unix': simple(DOS, FILES + ['nope', 'd', 'ln', 'uni', 'z0'], 0, 2, 3, True),
    'unix2dos': simple(DOS, FILES + ['nope', 'd', 'ln'], 0, 2, 3, True),
    'mac2unix': simple(DOS, FILES, 0, 2, 2, True),
    'unix2mac': simple(DOS, FILES, 0, 2, 2, True),
    'egrep': simple(
        GREPISH + ' -o -A=@small -m=@small', None, 1, 3, 3,
        before=lambda r: [r.choice(['a', 'a|e', '(', '^$', 'o+', '[', 'x{1,2}'])]
    ),
    'fgrep': simple(GREPISH, None, 1, 3, 3, before=lambda r: [r.choice(['a', '.', 'the', '*'])]),
    'rgrep': simple(
        GREPISH + ' -L --include=*.txt',
        ['d', '.', 'a', 'nope', 'dln'], 0, 2, 3,
        before=lambda r: [r.choice(['a', 'o', 'the', 'x'])]
    ),
    'envsubst': lambda r, name: Case(
        name,
        flatten(r, rows('-v,--variables'), r.choice([0, 0, 1])) + words(r, ['$X', '$X $HOME', '${X}', 'x', ''], 0, 1),
        '|' + printf(
            r.choice([b'$X ${X} $Y ${HOME} $$ $1 ${X:-d} ${ X} \\$X\n', b'${X', b'$', b'a$Xb$X_c ${X}c\n', text(r)])
        ), env='X=val '
    ),
    'gettext': ops('-c,--context=C -d,--domain=d -e -E -n -s,--short', ['a', 'b\\n', 'x\\ty', '', 'dom'], 0, 3),
    'ngettext': ops('-c,--context=C -d,--domain=d -e -E', ['a', 'b', '1', '2', 'x', '0', '-1'], 2, 4),
    'expr': None,
    'fallocate': ops(
        '-l,--length=10|1k|0|x|-1 -o,--offset=5|x -n,--keep-size -p,--punch-hole -z,--zero-range -v,--verbose '
        '-x,--posix',
        ['out', 'a', 'd', 'nope/x', 'ro'], 0, 2, True
    ),
    'false': ops('', ['x', '--x'], 0, 1),
    'true': ops('', ['x', '--x'], 0, 1),
    'file': simple(
        '-b,--brief -i,--mime --mime-type --mime-encoding -N,--no-pad -0,--print0 -F,--separator=@word '
        '-h,--no-dereference -L,--dereference -n,--no-buffer -E -r,--raw -k,--keep-going --extension --apple '
        '-f,--files-from=n0|nope -z,--uncompress -s,--special-files',
        TREE + [
            'k.gz', 'ok.xz', 'ok.zip', 'ok.bz2', 'ok.zst', 'ok.cpio', 's.sh', 'h.html', 'j.json', 'p.pdf', 'uni', 'csv',
            'code.c'
        ], 0, 3
    ),
    'flock': with_command(
        '-n,--nonblock -s,--shared -x,--exclusive -u,--unlock -w,--timeout=0.1|x|0 -o,--close '
        '-E,--conflict-exit-code=3|x|300 -F,--no-fork',
        ['out', 'a', 'd', 'nope/x', '9', 'ro'], 1, writes=True,
        commands=[['echo', 'a'], ['-c', 'echo b; exit 3'], ['false'], ['nosuch'], [], ['-c']]
    ),
    'getconf': ops(
        '-v=POSIX_V7_LP64_OFF64|x',
        [
            'PATH', 'PAGE_SIZE', 'PAGESIZE', 'LONG_BIT', 'INT_MAX', 'NAME_MAX', 'PATH_MAX', '/', '.', 'ARG_MAX',
            'nosuch', 'CHAR_BIT', 'PIPE_BUF', '_POSIX_VERSION', 'GNU_LIBC_VERSION', 'CLK_TCK', 'LINE_MAX', 'nope/x',
            'UINT_MAX', 'SSIZE_MAX', 'TZNAME_MAX', 'RE_DUP_MAX'
        ], 0, 2
    ),
    'getent': ops(
        '',
        ['passwd', 'group', 'root', 'user', 'nosuch', '0', '1000', 'hosts', 'x', 'services', 'protocols'], 0, 3
    ),
    'groups': ops('', ['root', 'user', 'nosuch', 'daemon'], 0, 2),
    'id': ops(
        '-a -Z -g,--group -G,--groups -n,--name -r,--real -u,--user -z,--zero',
        ['root', 'user', 'nosuch', '0', '1000'], 0, 1
    ),
    'hardlink': ops(
        '-n,--dry-run -v,--verbose -c,--content -f,--respect-name -p,--ignore-mode -o,--ignore-owner '
        '-t,--ignore-time -s,--minimum-size=1|x -m,--maximize -M,--minimize -i,--include=same -x,--exclude=o '
        '-d,--respect-dir',
        ['d', '.', 'nope', 'a'], 0, 2, True
    ),
    'hexdump': simple(
        "-b,--one-byte-octal -c,--one-byte-char -C,--canonical -d,--two-bytes-decimal -o,--two-bytes-octal "
        "-x,--two-bytes-hex "
        "-e,--format=1/1\\s\"%02x\\s\"|4/2\\s\"%04x\\s\"\\s\"\\n\"|\"%08_ax\\s\"\\s8/1\\s\"%c\"\\s\"\\n\"|1/4\\s\"%d\\n\"|\"%_p\"|1/8\\s\"%f\\n\"|x|\"%_c\"\\s\"\\n\"|2/2\\s\"%u-\"|\"%_Ad\\n\" "
        "-f,--format-file=a|nope -n,--length=@num -s,--skip=@num -v,--no-squeezing",
        FILES + ['z0', 'z0', 'nope', 'd'], 0, 2
    ),
    'hd': simple('-n=@num -s=@num -v -b -c -x', FILES + ['z0'], 0, 2),
    'iconv': simple(
        '-f,--from-code=UTF-8|latin1|ISO-8859-15|UTF-16|UTF-16LE|ascii|cp1252|x|UTF-32|koi8-r|CP437|utf8 '
        '-t,--to-code=UTF-8|latin1|ascii|UTF-16|UTF-16BE|ASCII//TRANSLIT|ascii//IGNORE|UTF-8//IGNORE|utf-32le|x|cp1252|UCS-2 '
        '-c -s,--silent -o,--output=out --verbose',
        FILES + ['uni', 'uni', 'inv', 'wide', 'nope'], 0, 2, 3, True
    ),
    'install': simple(
        '--backup?=@control -b -C,--compare -d,--directory -D -m,--mode=@mode -p,--preserve-timestamps '
        '-S,--suffix=@suffix -t,--target-directory=d|nope|out -T,--no-target-directory -v,--verbose '
        '-g,--group=user|x|1000 -o,--owner=user|x',
        TREE + ['new', 'd', 'q/r'], 0, 3, 4, True
    ),
    'link': simple('', TREE + ['new'], 0, 3, 1, True),
    'unlink': simple('', TREE, 0, 2, 1, True),
    'mkfifo': simple('-m,--mode=@mode -Z --context?=x', ['x', 'd', 'nope/x', 'a', 'y'], 0, 3, 2, True),
    'mknod': ops(
        '-m,--mode=@mode -Z',
        ['x', 'p', 'b', 'c', 'u', '1', '3', 'nope/x', 'a', 'q', '0x10', 'z'], 0, 4, True
    ),
    'mktemp': ops(
        '-d,--directory -u,--dry-run -q,--quiet --suffix=.x|a/b|X -p,--tmpdir=d|nope|out --tmpdir -t',
        ['x.XXXXXX', 'XXX', 'XX', 'aXXXb', 'd/XXXX', 'nope/XXXX', '', 'XXXXX.t', '/tmp/XXXX', 'xXXXy/z'], 0, 2, True
    ),
    'less': simple(
        '-N -S -s -E -F -X -r -R -i -I -n -m -M -q -x=4|2,5 -p=a -P=x -z=5 -U -u',
        FILES + ['nope', 'd'], 0, 2
    ),
    'more': simple('-d -f -l -c -p -s -u -n=@small', FILES + ['nope', 'd'], 0, 2),
    'locale': ops(
        '-a,--all-locales' + ' -c,--category-name -k,--keyword-name',
        [
            'LC_TIME', 'charmap', 'decimal_point', 'x', 'LC_ALL', 'abday', 'thousands_sep', 'LC_NUMERIC', 'yesexpr',
            'LC_CTYPE', 'd_fmt', 'mon'
        ], 0, 2
    ),
    'logname': ops('', ['x'], 0, 1),
    'look': ops(
        '-a,--alternative -d,--alphanum -f,--ignore-case -t,--terminate=@word',
        ['a', 'the', 'e', 'b', 'nope', 'x', '', 'foo', 'A'], 1, 2
    ),
    'mcookie': ops('', ['x'], 0, 1),
    'mountpoint': ops('-q,--quiet -d,--fs-devno -x,--devno --nofollow', ['/', 'd', 'nope', 'a', '/proc', 'ln'], 0, 2),
    'namei': simple(
        '-x,--mountpoints -m,--modes -o,--owners -l,--long -n,--nosymlinks -v,--vertical',
        TREE + ['d/x', 'dln/x', 'nope/x', 'broken'], 0, 2, 3
    ),
    'nice': with_command(
        '-n,--adjustment=0|1|x|5|-1|99',
        commands=[['echo', 'a'], ['nice'], ['nosuch'], ['./a'], [], ['sh', '-c', 'nice; exit 3']]
    ),
    'nohup': with_command(
        '',
        commands=[['echo', 'a'], ['false'], ['nosuch'], ['./a'], [], ['sh', '-c', 'echo x; echo y >&2; exit 3'], ['d']],
        writes=True
    ),
    'nproc': ops('--ignore=0|99|x', ['x'], 0, 1),
    'parallel': None,
    'pathchk': simple(CHK, TREE + ['a:b', 'é', 'x' * 20, '-n', 'y' * 300, 'z/' * 30], 0, 3),
    'printenv': ops('-0,--null', ['HOME', 'nosuch', 'LANG', 'a=b', ''], 1, 3),
    'ptx': simple(
        '-A,--auto-reference -G,--traditional -F,--flag-truncation=@word -M,--macro-name=@word -O,--format=roff|tex '
        '-O -T -R,--right-side-refs -S,--sentence-regexp=@regex -W,--word-regexp=[a-z]+|a|. -b,--break-file=a|nope '
        '-f,--ignore-case -g,--gap-size=@num -i,--ignore-file=a|b|nope -o,--only-file=a|dup|b -r,--references '
        '-t,--typeset-mode -w,--width=20|40|72|1|x|0|100'
    ),
    'pwd': lambda r, name: Case(
        name,
        flatten(r, rows('-L,--logical -P,--physical'), r.choice([0, 1, 2])) + words(r, ['x'], 0, r.choice([0, 1])),
        word=r.choice(['pwd', '/bin/pwd'])
    ),
    'rg': None,
    'run-parts': simple(
        '--test --list -v,--verbose --report --reverse --exit-on-error -u,--umask=022|x --lsbsysinit -a,--arg=x '
        '--new-session --regex=^a|.|[',
        ['d', '.', 'nope', 'a', 'de'], 0, 2, 3
    ),
    'setsid': with_command('-w,--wait'),
    'shred': ops(
        '-n,--iterations=0|1|x|2 -u --remove?=unlink|wipe|wipesync|x -x,--exact -z,--zero -s,--size=10|x|0 '
        '--random-source=/dev/zero -f,--force',
        ['a', 'nope', 'd', 'out'], 0, 2, True
    ),
    'shuf': lambda r, name: Case(
        name,
        flatten(
            r,
            rows(
                '-e,--echo -i,--input-range=1-5|1-3|3-1|x|0-0|5-5|1-|1-100|3-2 -n,--head-count=0|1|2|5|x|-1 '
                '-o,--output=out -z,--zero-terminated'
            ),
            r.choice([0, 1, 1, 2])
        ) + (['-r', '-n' + r.choice('0135')] if r.random() < .25 else []) + [
            '--random-source=' + r.choice(['/dev/zero', '/dev/zero', 'long', 'a', 'nope', 'uni', 'nil'])
        ] + words(r, ['a', 'b', 'nope', 'x y', '-', 'd'], 0, r.choice([0, 1, 1, 3])),
        stdin(r), True
    ),
    'sleep': ops('', ['0', '0.0', '.01', 'x', '', '-1', '0s', '1x', '0d', '0x0', '1e-3'], 0, 3),
    'stdbuf': with_command('-i,--input=L|0|1K|x| -o,--output=L|0|1K|x -e,--error=L|0|x'),
    'strings': simple(
        '-a,--all -f,--print-file-name -n,--bytes=@small -t,--radix=d|o|x|q -e,--encoding=s|S|b|l|B|L|q -o '
        '-w,--include-all-whitespace -s,--output-separator=@word -U,--unicode=d|s|i|x|e|h|default|locale|escape|z',
        FILES + ['z0', 'inv', 'nope', 'd', 'wide'], 0, 2
    ),
    'sync': simple('-d,--data -f,--file-system', ['a', 'd', 'nope', 'ln'], 0, 2),
    'tempfile': ops(
        '-d,--directory=d|nope -p,--prefix=pre -s,--suffix=.x -m,--mode=600|x -n,--name=nn|a',
        ['x'], 0, 0, True
    ),
    'timeout': with_command(
        '-s,--signal=KILL|TERM|9|x|0|INT -k,--kill-after=1|x --preserve-status --foreground -v,--verbose',
        ['5', '1m', '0', 'x', '1d', '2.5', '-1', '', '5x', '0.0', '1e1', '9h'], 1
    ),
    'tree': None,
    'tsort': simple('', FILES + ['-', 'nope'], 0, 2),
    'tput': ops(
        '-T=xterm|dumb|vt100|nosuch|ansi',
        [
            'bold', 'sgr0', 'cols', 'lines', 'setaf', '1', '3', 'cup', '2', 'smul', 'nosuch', 'clear', 'colors', 'el',
            'longname', 'am', 'setab', 'rev', 'bel', 'kcuu1', 'init', 'reset', 'civis'
        ], 0, 3
    ),
    'tty': ops('-s,--silent --quiet', ['x'], 0, 1),
    'ul': simple('-i,--indicated -t,--terminal=xterm|dumb|vt100', FILES, 0, 2),
    'uname': ops(
        '-s,--kernel-name -o,--operating-system -m,--machine -p,--processor -i,--hardware-platform',
        ['x'], 0, r'1' and 1
    ),
    'uuidgen': ops(
        '-m,--md5 -s,--sha1 -n,--namespace=x|@dns|@url|@oid|@x500|00000000-0000-0000-0000-000000000000 '
        '-N,--name=a|www.example.org -x,--hex',
        [], 0, 0
    ),
    'whereis': ops('-b -m -s -u -l', ['ls', 'nosuch'], 0, 0),
    'which': ops('-a', ['ls', 'nosuch', './exe', 'd', 'exe', '/bin/sh', './a', 'sh', 'awk', ''], 0, 3),
    'whoami': ops('', ['x'], 0, 1),
    'xxd': simple(
        '-a -b' + ' -c=1|4|8|16|20|x|0|-1|300 -C -d -e -E -g=0|1|2|4|8|x|3 -i -l=0|5|20|x|0x10|-1 -n=nm -o=10|0x10|-5|x -p -r -s=0|3|-4|+2|x|100 -u -ps',
        FILES + ['z0', 'z0', '-', 'nope', 'd'], 0, 2, 3, True
    ),
    'yes': lambda r, name: Case(
        name,
        words(r, ['a', 'b c', '', '-n', '--', '--x', '-'], 0, 3)
    ).change(to=' | head -' + r.choice('123')),
    'basename': None,
}


def finish(commands, ls):
    """What is made of other tables."""
    for n in [n for n, g in MORE.items() if g is None]: del MORE[n]
    for n in SUMS: MORE[n] = simple(SUM, SUM_FILES)
    for n in GZIP:
        MORE[n] = simple(
            '-c,--stdout --to-stdout -d,--decompress -f,--force -k,--keep -l,--list -n,--no-name -N,--name '
            '-q,--quiet -r,--recursive -S,--suffix=.z|.gz|-gz||x/y -t,--test -v,--verbose -1,--fast -9,--best -5 '
            '--rsyncable --synchronous -a,--ascii'.replace(
                ' -S,--suffix', ' -S,--suffix' if n == 'gzip' else ' -S,--suffix'
            ),
            packed(n) + ARCHIVE_OPS + ['t.tgz', 'wrong.gz', 'k', 'k-gz', 'gd', 'ln', '-', 'ha'], 0, 3, 3, True
        )
    for n in BZIP2:
        MORE[n] = simple(
            '-d,--decompress -z,--compress -k,--keep -f,--force -t,--test -c,--stdout -q,--quiet -v,--verbose '
            '-s,--small -1 -9 --fast --best',
            packed(n) + ARCHIVE_OPS + ['ln', '-', 'ha', 'k'], 0, 3, 3, True
        )
    for n in XZ:
        MORE[n] = simple(
            '-z,--compress -d,--decompress -t,--test -l,--list -k,--keep -f,--force -c,--stdout -q,--quiet '
            '-v,--verbose -0 -6 -9 -e,--extreme -C,--check=none|crc32|crc64|sha256|x -F,--format=auto|xz|lzma|raw|x '
            '-S,--suffix=.q||a/b -T,--threads=1|0|x -Q,--no-warn --robot --single-stream --no-sparse --ignore-check '
            '--files?=n0 --files0?=n0 --block-size=1KiB|x --memlimit-decompress=1MiB|x|0',
            packed(n) + ARCHIVE_OPS + ['ln', '-', 'ha', 'k'], 0, 3, 3, True
        )
    for n in ZSTD:
        MORE[n] = simple(
            '-d,--decompress -z,--compress -k,--keep -f,--force -c,--stdout -t,--test -l,--list -q,--quiet '
            '-v,--verbose -1 -3 -19 --fast?=3|x -o=out|d|a --rm -r -C,--check --no-check --sparse --no-sparse '
            '--format=zstd|x --long?=20|x --ultra --exclude-compressed --no-progress --content-size '
            '--no-content-size -M=1MB|x --stream-size=10 --size-hint=10 --output-dir-flat=out|nope '
            '--output-dir-mirror=out --filelist=n0 --pass-through --no-pass-through --single-thread',
            packed(n) + ARCHIVE_OPS + ['ln', '-', 'ha', 'k', 'gd'], 0, 3, 3, True
        )
    for n in ['zgrep', 'zegrep', 'zfgrep', 'bzgrep', 'xzgrep', 'lzgrep', 'zstdgrep']:
        MORE[n] = simple(
            GREPISH,
            packed(n) + ['a', 'b', 'nope', 'd', '-'], 0, 3, 3,
            before=lambda r: [r.choice(['a', 'the', 'o', 'x', 'q'])]
        )
    for n in ['zdiff', 'zcmp', 'bzcmp', 'bzdiff', 'xzcmp', 'xzdiff', 'lzcmp', 'lzdiff']:
        MORE[n] = simple('-u -q -s -i' if 'diff' in n else '-s -l -b', packed(n) + ['a', 'b', 'k', 'nope'], 0, 2, 2)
    for n in ['zmore', 'zless', 'bzmore', 'bzless', 'xzmore', 'xzless', 'zstdless']:
        MORE[n] = simple('', packed(n) + ['a', 'nope'], 0, 2, 1)
    MORE['zforce'] = simple('', ['k.gz', 'k', 'a', 'ok.gz', 'k-gz', 'nope', 'd'], 0, 3, 1, True)
    MORE['zrun'] = ops('', ['cat', 'wc', 'a', 'ok.gz', 'ok.xz', 'ok.bz2', 'ok.zst', 'nope', 'nosuch'], 0, 3)
    MORE['zipgrep'] = ops('-i -v -c -l -n', ['a', 'ok.zip', 'z.zip', 'ok.zip', 'o', 'nope'], 0, 3)
    MORE['dir'] = MORE['vdir'] = simple(ls, TREE, 0, 3, 4)
    MORE['gawk'] = commands['awk']
    MORE['['] = lambda r, name: (
        lambda c: c.change(name=name, word='[', units=c.units + [']'] * (r.random() < .97))
    )(commands['test'](r, 'test'))
    MORE['tree'] = simple(
        '-a -d -f -i -l -x -L=1|2|0|x -P=*.txt|a|[ -I=d|*.c|a|d*|n* -o=out --ignore-case --matchdirs --prune '
        '--noreport --charset=ascii|utf-8|x --filelimit=2|x -q -N -Q -p -u -g -s -h --si -D --timefmt=%Y|%F -F -v -t '
        '-U -r --dirsfirst --sort=name|size|mtime|x -C -n -J -X -A --du --gitignore --metafirst --info -H=. -T=tit '
        '--nolinks --fromfile',
        ['d', '.', 'nope', 'a', 'dln', 'de'], 0, 2, 4
    )
    MORE['rg'] = simple(
        '-i,--ignore-case -s,--case-sensitive -S,--smart-case -v,--invert-match -w,--word-regexp -x,--line-regexp '
        '-F,--fixed-strings -e,--regexp=a|the|o.|( -n,--line-number -N,--no-line-number -c,--count --count-matches '
        '-l,--files-with-matches --files-without-match -o,--only-matching -r,--replace=X|[$0]|$1 '
        '-A,--after-context=@small -B,--before-context=@small -C,--context=1|2 -m,--max-count=1|2|x '
        '-g,--glob=*.txt|!a|*.{c,txt}|[ -t,--type=c|txt|x -T,--type-not=c -u,--unrestricted --hidden --no-ignore '
        '-H,--with-filename -I,--no-filename --heading --no-heading --column -b,--byte-offset -q,--quiet --files '
        '-L,--follow -a,--text -U,--multiline --multiline-dotall -z,--search-zip -0,--null --null-data --passthru '
        '--trim -p,--pretty --color=never|always|x --vimgrep --max-depth=1|0|x -M,--max-columns=5|0|x --sort=path|x '
        '-E,--encoding=utf-8|latin1|x --crlf -f,--file=a|nope --iglob=*.TXT --context-separator=== --no-messages '
        '--max-filesize=10|1K|x -P,--pcre2 --stop-on-nonmatch',
        ['d', '.', 'a', 'b', 'nope', 'c.txt', 'uni', 'dln', 'z0', '-'], 0, 2, 4,
        before=lambda r: [
            r.choice(
                [
                    'a', 'the', 'o', 'x', '(', '\\w+', '^', 'e$', '[[:alpha:]]+', 'foo|bar', 'A', '(a)(.)', '\\d', 'é',
                    '.'
                ]
            )
        ] if r.random() < .95 else []
    )
    commands.update((n, g) for n, g in MORE.items() if n not in commands)


# ---- what may rightly differ ----

RANDOM = ('mktemp', 'tempfile', 'mcookie', 'uuidgen', 'zrun', 'bzdiff', 'bzcmp', 'zdiff', 'xzdiff', 'lzdiff', 'shred')


def normal(case, out, err, tree):
    """Names and numbers out of chance, times, what the machine is."""
    n = case.name
    if n in RANDOM:
        hide = lambda t: re.sub(
            rb'20\d\d-\d\d-\d\d \S+ '
            rb'\+0000|(?<=[./])[A-Za-z0-9]{3,10}(?=\b)|(file|pre|x|nn)[A-Za-z0-9]{6}|[0-9a-f]{32}|[0-9a-f-]{36}', b'R',
            t
        )
        out, err, tree = hide(out), hide(err), b'' if n in ('mktemp', 'tempfile', 'shred') else tree
    if n in ('env', 'printenv'):
        out = b'\n'.join(sorted(l for l in re.split(b'[\n\0]', out) if not l.startswith((b'LD_PRELOAD=', b'_='))))
    if n == 'hardlink': out = re.sub(rb'Duration: .*', b'', out)
    if n in ('dd', 'time'): err = re.sub(rb', [-+.e0-9]+ s, \S+ \S+|[0-9.]+user.*\n.*swaps', b'', err)
    if n == 'time': tree = re.sub(rb'(?m)^.* w/(out|a|ha) -> $|^\d+ \d+ w/(out|a|ha)$', b'', tree)
    if n == 'rg': out, err = (b'\n'.join(sorted(t.split(b'\n'))) for t in (out, err))
    if n in ('dos2unix', 'unix2dos', 'mac2unix', 'unix2mac'):
        tree = re.sub(rb'(?m)^(d\S+ \d+ \d+ )\d+( w)', rb'\1\2', tree)
    return out, err, tree


USAGE = re.compile(rb'(?i)usage:')
EXPLAINED = [
    (
        "usage texts are the project's own",
        lambda c, a, b: a.status == b.status and a.tree == b.tree and (USAGE.search(a.err) or USAGE.search(a.out)) and (
            USAGE.search(b.err) or USAGE.search(b.out) or b'Try' in b.err
        )
    ),
    (
        "sh is dash there, bash here",
        lambda c, a, b: re.search(rb'(?m)^sh: \d+: |sh: -c: |sh: line |/usr/bin/(z|xz|lz)\w*: \d+: ', a.err + b.err)
    ),
    (
        "who there is on the machine",
        lambda c, a, b: c.name in ('groups', 'id', 'getent', 'whoami', 'nproc', 'locale') and re.search(
            rb'daemon|services|protocols|ANSI|^\d+$', a.out + a.err + b.out
        )
    ),
    (
        "a full or closed output: what other tools than coreutils say of it",
        lambda c, a, b: c.to in (' >/dev/full', ' >&-', ' 2>/dev/full') and c.name not in ('ls', 'cat', 'sort', 'head')
    ),
    ("nice: of what the test itself runs with", lambda c, a, b: c.name == 'nice' and 'nice' in c.line()[5:]),
    (
        "two that run at once: who speaks first",
        lambda c, a, b: sorted(
            re.sub(rb'\n', b'', a.err)
        ) == sorted(re.sub(rb'\n', b'', b.err)) and a.out == b.out and a.status == b.status
    ),
    ("zstd reads gzip's files, too", lambda c, a, b: c.name.startswith(('zstd', 'unzstd')) and '.gz' in c.line()),
]
