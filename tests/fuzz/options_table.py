"""What options.py draws from: the options of each command, generators for arguments, operands and input files.

A row of options is a string: `-a,--all` is a flag, `-w,--width=@num` takes an argument drawn by the generator num, `--color?=@when` takes
one only when glued. Instead of @name there may be words: `--sort=size|time|none`.
"""
import copy, re, shlex

# ---- arguments ----

def pick(*options):
    return lambda r: r.choice(options)


NUM = [
    '0', '1', '2', '3', '4', '7', '10', '20', '100', '1', '2', '3', '-1', '+2', '1k', '1K', '1b', '2kB',
    '99999999999999999999', 'x', '', '0x10', '1.5', ' 1', '1 ', '010', '-0', '1,2', '9223372036854775807',
    '18446744073709551615', '4294967296'
]
WORD = ['a', 'the', 'foo', 'x', '', 'é', 'ab c', '*', '-', '.', 'A', '1', '\\n', '\\', '\t', '::']

ARGS = {
    'num': pick(*NUM),
    'small': pick('0', '1', '2', '3', '4', '5', '8', '10', '16', '1', '2', '3', '-1', 'x', ''),
    'word': pick(*WORD),
    'lines': pick(
        '0', '1', '2', '3', '5', '10', '-1', '-2', '-3', '-0', '+1', '+2', '+0', '1k', '1kB', '-1K', '-5', '+5', 'x',
        '', '99999999999999999999', '1b', '0x1', '1 ', '2m'
    ),
    'size': pick(
        '1', '2', '10', '512', '1000', '1024', '1K', 'K', 'k', 'KB', 'KiB', 'M', 'MB', '1M', '1kB', 'human-readable',
        'si', "'1", "'K", '0', '-1', 'x', '', '1X', '2b', 'human', 'h', '1KiBx', '16E', '99999999999Y'
    ),
    'when': pick('always', 'never', 'auto', 'yes', 'no', 'tty', 'none', 'force', 'if-tty', 'al', 'n', 'a', 'x', ''),
    'file': lambda r: r.choice(FILES + FILES + ['nope', 'd', '-', '', 'd/x', '/dev/null', 'n0']),
    'list': pick(
        '1', '2', '1,3', '2-', '-2', '1-2', '2-4', '3,1', '1-2,4-', '1,2,3', '3-1', '0', '-', '', 'x', '1-x', '2,,3',
        '1 3', '5', '1-', '10-20', '1,1', '2-3,3-4', '99999999999999999999', ',', '+1', '1--2', '0-1', '4-,2'
    ),
    'delim': pick(',', ':', '\t', ' ', 'a', '', 'ab', '\\t', '|', ';', 'é', '\\', '\\0', '1', '.', '\n'),
    'key': lambda r: key(r),
    'regex': lambda r: regex(r),
    'glob': pick(
        '*', '*.txt', 'a*', '?', '[ab]*', 'd', '*.c', '.*', '[!a]*', 'nope', '', '*e*', 'd/*', './d', '[', 'x\\*', '*a',
        '**', 'sp ace'
    ),
    'suffix': pick('~', '.bak', '', '.orig', 'x', 'a/b', '.'),
    'control': pick('none', 'off', 'numbered', 't', 'existing', 'nil', 'simple', 'never', 'x', 'n', '', 'nu', 's'),
    'mode': lambda r: mode(r),
    'datefmt': lambda r: datefmt(r),
    'date': lambda r: date(r),
}
FILES = ['a', 'b', 'c.txt', 'd/x', 'n1', 'n2', 'csv', 'uni', 'sp ace', 'code.c', 'dup', 'long', 'z0']
TREE = [
    'a', 'b', 'c.txt', 'd', 'd/x', 'd/e', 'de', 'ln', 'dln', 'broken', 'sp ace', '.hid', 'exe', 'n1', 'ha', '.', 'nope',
    'd/', 'ln/', 'dln/', './a', 'd/../b', '-', 'ro'
]


# seldom, in place of any operand
ODD = [
    'inv', 'nil', 'wide', './-n', '-n', '-dash', 'loop', 'd/up', 'd/up/a', 'a/', 'a/b', 'nope/', 'nope/x', "it's",
    'q"x', 'x\ny', 'tab\tx', 'é', '\udcff', '\udcffz', '', './/a', 'd//x', 'loop/x', 'self', '/dev/null', '/nope/x',
    'd/e/../x', 'ha', '*', '$x', '~', '\\', '-', '--', 'x' * 256, './ln/', 'd/.', 'd/up/up/b'
]


def mode(r):
    if r.random() < .4:
        return r.choice(
            [
                '755', '644', '0', '7777', '+x', '1777', '=644', '-22', '+111', '08', '00755', '77777', '-7', '600',
                '700', '711'
            ]
        )
    return ','.join(
        ''.join(r.choice(['u', 'g', 'o', 'a', 'ug', 'go', '', '']) for _ in range(1)) + ''.join(
            r.choice('+-=') + r.choice(
                ['r', 'w', 'x', 'X', 's', 't', 'rw', 'rx', 'u', 'g', 'o', 'rwx', '', 'xs', '7', 'q']
            ) for _ in range(r.choice([1, 1, 1, 2]))
        ) for _ in range(r.choice([1, 1, 2]))
    )


def datefmt(r):
    return ''.join(
        r.choice(
            ['%', '%', '%', '%-', '%_', '%0', '%^', '%#', '%5', '%-3', '%012', '%+5', '%:', '%::', '%E', '%O', '%_6']
        ) + r.choice(
            'aAbBcCdDeFgGhHIjklmMnNpPqrRsStTuUVwWxXyYzZ%f'
        ) + r.choice(['', ' ', '-', 'x', ':']) for _ in range(r.randint(1, 4))
    )


def date(r):
    day = r.choice(
        [
            '2024-02-29', '2023-12-31', '1970-01-01', '2001-09-09', '31 Jan 2022', 'Mar 3 2021', '2024/5/6', '5/6/2024',
            '20240506', 'Sat 2 Mar 2024', '1-Jul-1999', '2024-13-01', '2023-02-29', 'July 4, 2020', '2000-1-1', '@0',
            '@1700000000', '@-1', '@1.5', '1999-12-31', '2038-01-19'
        ]
    )
    clock = r.choice(
        [
            '', '', '12:34', '12:34:56', '00:00', '23:59:60', '1pm', '12am', '12:30 pm', '25:00', '12:34:56.789',
            'T10:11:12', '10:00 UTC', '10:00Z', '10:00 +0200', '10:00 EST', 'noon', 'midnight', '10:00-05:30', '24:00',
            '3:4', '12:00 a.m.'
        ]
    )
    rel = r.choice(
        [
            '', '', '', '+1 day', '-1 day', '1 month ago', '+1 month', 'next month', 'last year', '2 weeks',
            '1 fortnight', 'next friday', 'last monday', 'yesterday', 'tomorrow', '-3 hours', '+90 minutes',
            '1 year 2 months', 'monday', '1 sec ago', 'third monday', '+1day', '12 hours ago', 'now', 'today', 'x',
            '1 decade', '-1 month +1 day', '10 weeks ago', '2 days 3 hours ago', '- 1 day', '+ 2 hours', '',
            'next week', 'this week', '1', '2000'
        ]
    )
    text = ' '.join(x for x in (day, clock, rel) if x)
    if day[0] == '@' and r.random() < .7: text = day
    return (
        'TZ="' + r.choice(
            ['Europe/Paris', 'America/New_York', 'UTC', 'Asia/Kolkata', 'EST5EDT', 'XYZ-3', 'no/where']
        ) + '" ' if r.random() < .12 else ''
    ) + text


def key(r):
    place = lambda: r.choice(
        ['1', '2', '3', '1', '2', '1.2', '2.1', '1.3', '4', '0', '2.0', '1.0', 'x', '']
    ) + ''.join(r.sample('bdfghiMnrV', r.choice([0, 0, 1, 1, 2])))
    return place() + (',' + place() if r.random() < .6 else '')


def regex(r, kind=None):
    atoms = [
        'a', 'the', 'o', '.', '[a-c]', '[^a]', '[[:digit:]]', '[[:alpha:]]', '^', '$', '\\w', '\\b', '\\<', '\\>',
        '\\W', 'x', '1', ' ', '\\.', 'é', 'A', '[0-9]', '\\s', '\\(a\\)', '(a|b)', 'a\\|b', 'a|b', '\\1', '(', ')', '[',
        ']', '{', '\\{2\\}', '{1,2}', '*', '+', '?', '\\+', '\\?', '[]a]', '[^]]', '[a', 'foo', 'e', ',', '-', '\\',
        '[[:space:]]', '[[.a.]]', '[[=e=]]', '(o)\\1', '\\(.\\)\\1', "\\`", "\\'", '\\B', '\\n', '\\t', '[\\n]'
    ]
    return ''.join(
        r.choice(atoms[:26] if r.random() < .7 else atoms) + r.choice(
            ['', '', '', '', '*', '+', '?', '\\+', '{2}', '\\{1,2\\}', '{,1}']
        ) for _ in range(r.choice([1, 1, 1, 2, 2, 3]))
    )


# ---- input files ----

WORDS = 'the quick Brown fox jumps over a lazy dog foo bar baz Foo THE e é ß x 1 2 10 error warning main int return apple Banana cherry date a ab abc'.split()


def text(r, kind=None):
    kind = kind or r.choice(
        ['words', 'words', 'nums', 'fields', 'code', 'uni', 'dup', 'bytes', 'blank', 'csv', 'sorted', 'path']
    )
    n = r.choice([0, 1, 3, 5, 8, 12])
    w = lambda: r.choice(WORDS)
    if kind == 'nums':
        lines = [
            r.choice(['', ' ', '  ', '+', '-', '']) + r.choice(
                [
                    '0', '1', '2', '10', '3.5', '1e3', '007', '1K', '2M', '1.5G', '9', '100', '-5', '.5', 'abc', '',
                    '12abc', 'NaN', 'inf', '0x1F', '1,000', 'Jan', 'feb', 'MAR', '1.10', '1.9', 'v2.0', '9' * 25
                ]
            ) + r.choice(['', '', '', ' x', '\ty']) for _ in range(n)
        ]
    elif kind in ('fields', 'csv'):
        sep = ',' if kind == 'csv' else r.choice([',', ':', '\t', ' ', ' ', '  ', '|'])
        lines = [
            sep.join(
                r.choice([w(), w(), str(r.randint(0, 99)), '', 'a b']) for _ in range(r.randint(1, 5))
            ) for _ in range(n)
        ]
    elif kind == 'code':
        lines = [
            r.choice(
                [
                    'int main(void)', '{', '\treturn 0;', '}', '  if (a < b)', '\t\tx++;', '', '/* text */',
                    'static int f(int a)', '        y = 1;', '#define X 1'
                ]
            ) for _ in range(n)
        ]
    elif kind == 'uni':
        lines = [
            r.choice(
                [
                    'é', 'ß', '日本語', 'naïve café', 'e\u0301x', 'ÀÉ', '𝒳', 'a\u200bb', '\u00a0', 'İı', 'Ω ω', 'x', '\t日',
                    '…'
                ]
            ) + r.choice(['', ' ', '\t']) + w() for _ in range(n)
        ]
    elif kind == 'dup':
        lines = []
        for _ in range(n): lines += [w() + r.choice(['', ' x', ' y'])] * r.choice([1, 1, 2, 3])
        lines = [r.choice([str.upper, str, str])(x) for x in lines]
    elif kind == 'blank':
        lines = [r.choice(['', '', ' ', '\t', w(), w() + ' ', '  ' + w(), '\f', '\v' + w()]) for _ in range(n)]
    elif kind == 'sorted': lines = sorted(w() + r.choice(['', ' ' + w(), ' 1']) for _ in range(n))
    elif kind == 'long': lines = [' '.join(w() for _ in range(r.choice([1, 20, 60]))) for _ in range(min(n, 5))]
    elif kind == 'path':
        lines = [
            r.choice(
                ['a', 'b', 'c.txt', 'd/x', 'd', 'nope', 'sp ace', 'a b', "q'x", 'x"y', '\\z', '']
            ) for _ in range(n)
        ]
    else: lines = [' '.join(w() for _ in range(r.randint(0, 7))) for _ in range(n)]
    data = '\n'.join(lines).encode()
    if lines and r.random() < .85: data += b'\n'
    if kind == 'bytes':
        data = bytes(
            r.choice(
                [0, 1, 7, 8, 9, 10, 10, 13, 27, 32, 65, 97, 127, 128, 195, 169, 255, 48]
            ) for _ in range(r.choice([1, 5, 20, 60]))
        )
    if r.random() < .06: data = data.replace(b'\n', b'\r\n')
    if r.random() < .04: data = data.replace(b'\n', b'\0')
    return data


def printf(data):
    return "printf -- '" + ''.join(chr(b) if 32 <= b < 127 and b not in b"'\\%" else '\\%03o' % b for b in data) + "'"


def fixture(r, name):
    """The files; their times lie in the past."""
    kinds = {
        'n1': 'nums',
        'n2': 'nums',
        'csv': 'csv',
        'uni': 'uni',
        'code.c': 'code',
        'dup': 'dup',
        'long': 'long',
        'd/x': None,
        'a': None,
        'b': None,
        'c.txt': 'words',
        'sp ace': None,
        'z0': 'bytes',
        '.hid': 'words',
        'd/e/y': 'words',
        'd/.h': 'words'
    }
    if name in ('join', 'comm', 'diff', 'sort'): kinds.update(a='sorted', b='sorted')
    lines = ['mkdir d d/e de']
    data = {}
    for f, kind in kinds.items():
        data[f] = text(r, kind)
        if f == 'b' and r.random() < .6 and data['a']:
            rows = data['a'].split(b'\n')
            for _ in range(r.choice([0, 1, 1, 2, 3])):
                if not rows: break
                i = r.randrange(len(rows))
                rows[i:i + 1] = r.choice(
                    [[], [rows[i], b'new'], [rows[i].upper()], [rows[i] + b' '], [b'', rows[i]], [b'changed']]
                )
            if name in ('join', 'comm'): rows.sort()
            data[f] = b'\n'.join(rows)
        lines.append(printf(data[f]) + ' >' + shlex.quote(f))
    lines += [
        "printf 'a\\000sp ace\\000d/x' >n0", 'printf "echo run \\"\\$@\\"\\n" >exe; printf "ro\\n" >ro',
        'ln -s a ln; ln -s d dln; ln -s nowhere broken; ln a ha',
        "ln -s .. d/up; ln -s loop loop; ln -s . self; : >nil; printf n >-n; printf x >$'x\\ny'; " + printf(
            bytes(
                r.choice(
                    [195, 40, 169, 255, 97, 10, 226, 130, 172, 128, 32, 65, 10, 237, 160, 128, 244, 144]
                ) for _ in range(r.choice([3, 12, 40]))
            )
        ) + " >inv; printf '%*s.%*s\\n%0*d,x\\nend' 300 a 70 é " + str(r.choice([200, 3000, 9000])) + ' 1 >wide'
    ]
    if name in ('ls', 'find', 'du', 'stat', 'tar'):
        lines += [
            'mkfifo p' if name != 'tar' else ':',
            "printf x >$'t\\tb'; printf y >$'n\\nl'; printf z >é; printf 12 >'q\"x'; printf v >v1.10; printf v "
            ">v1.9; printf o >old~; truncate -s 3000000 big; truncate -s 12345 mid"
        ]
    lines += ['chmod 755 exe; chmod 444 ro; chmod 600 b; chmod 1777 de; chmod 750 d/e']
    if name in ('ls', 'find', 'du', 'grep', 'cp', 'chmod') and r.random() < .3:
        lines += [
            'mkdir lock; printf 1 >lock/in; touch -d 2021-02-03 lock/in lock; chmod 0 lock; printf s >secret; touch '
            '-d 2021-02-04 secret; chmod 0 secret'
        ]
    if name == 'awk':
        lines += ["printf '{ print NR\": \"$1 }\\n' >p.awk; printf 'function g(x) { return x x }\\n' >p2.awk"]
    if name == 'tar': lines += ["printf '+1000 bob:77\\nuser amy\\n' >map; touch -d 2020-10-10 map"]
    if name == 'jq':
        lines += [
            printf(json_text(r).encode()) + ' >j1; ' + printf(
                '\n'.join(json_text(r) for _ in range(3)).encode()
            ) + ' >j2; echo .a >p.jq'
        ]
    lines += options_more.extra(r, name, data)
    names = [f for f in list(kinds) + ['d', 'd/e', 'de', 'ro', 'exe', 'n0'] if f not in ('d', 'd/e')]
    for f in names + ['d/e', 'd']:
        lines.append(
            f"touch -d '{r.choice([2001, 2010, 2019, 2024, 2025])}-{r.randint(1, 12):02}-{r.randint(1, 28):02} {r.randint(0, 23):02}:{r.randint(0, 59):02}:{r.randint(0, 59):02}.{r.choice(['0', '5', '123456789', '25'])}' {shlex.quote(f)}"
        )
    lines += [
        "touch -h -d '2020-01-02 03:04:05' ln dln broken loop self d/up; touch -d '2018-07-08 09:10:11.25' -- -n x?y "
        "nil inv wide ha; touch -d '2002-03-04 05:06:07' d",
        "touch -d '2022-06-07 08:09:10.5' [pvtqnéobm]* 2>/dev/null", "touch -d '2023-03-04 05:06:07' ."
    ]
    return '\n'.join(lines)


# ---- cases ----

class Case:
    def __init__(self, name, units, stdin='</dev/null', writes=False, env='', keep=(), word=None):
        self.name, self.units, self.stdin, self.writes, self.env, self.keep = name, units, stdin, writes, env, set(keep)
        self.word, self.to = word or name, ''

    def line(self):
        body = ' '.join([self.env + self.word if self.env else self.word] + [quote(u) for u in self.units])
        if self.stdin.startswith('|'): return self.stdin[1:] + ' | ' + body + self.to
        return body + (' ' + self.stdin if self.stdin != '</dev/null' else '') + self.to

    def change(self, **kw):
        c = copy.copy(self)
        for k, v in kw.items(): setattr(c, k, v)
        return c

    def without(self, i):
        return self.change(units=self.units[:i] + self.units[i + 1:])

    def with_unit(self, i, text):
        return self.change(units=self.units[:i] + [text] + self.units[i + 1:])

    def options(self):
        out = []
        for u in self.units:
            if u == '--': break
            if u.startswith('--'): out.append(u.split('=')[0])
            elif len(u) > 1 and u[0] == '-': out.append(u[:2] if not re.match(r'-[a-zA-Z]+$', u) else u)
        return out

    def has(self, letters, *longs):
        """May one of these options be among the words? (bundled or shortened)"""
        for u in self.units:
            if u.startswith('--'):
                if any(l.startswith(u[2:].split('=')[0]) for l in longs): return True
            elif len(u) > 1 and u[0] == '-' and any(l in u[1:] for l in letters): return True
        return False

    def kind(self):
        return ' '.join([self.name] + sorted(set(self.options())))


def rows(spec):
    out = []
    for word in re.split(r'\s+', spec.strip()):
        names, eq, arg = word.partition('=')
        optional = names.endswith('?')
        short, long = '', ''
        for n in names.rstrip('?').split(','):
            if n.startswith('--'): long = n[2:]
            else: short = n[1:]
        gen = None
        if eq: gen = ARGS[arg[1:]] if arg.startswith('@') else pick(*arg.replace('\\s', ' ').split('|'))
        out.append((short, long, gen, optional))
    return out


def option(r, table):
    """One option as one or two words."""
    short, long, gen, optional = r.choice(table)
    if r.random() < .015:
        return [r.choice(['--nosuch', '-?', '--' + (long or 'x') + 'x', '-%', '--' + (long or 'x') + '=y', '--', '-'])]
    if long and (not short or r.random() < .45):
        name = long
        if r.random() < .2: name = long[:r.randint(max(1, len(long) // 2), len(long))]
        if gen is None: return ['--' + name]
        if optional: return ['--' + name + ('=' + gen(r) if r.random() < .7 else '')]
        if r.random() < .02: return ['--' + name]
        return ['--' + name + '=' + gen(r)] if r.random() < .8 else ['--' + name, gen(r)]
    if len(short) > 1: return ['-' + short] + ([] if gen is None else [gen(r)])
    if gen is None:
        bundle = [s for s, l, g, o in table if g is None and len(s) == 1]
        while r.random() < .25 and bundle and len(short) < 5: short += r.choice(bundle)
        return ['-' + short]
    if optional: return ['-' + short + (gen(r) if r.random() < .5 else '')]
    return ['-' + short + gen(r)] if r.random() < .6 else ['-' + short, gen(r)]


def flatten(r, table, n):
    return [w for _ in range(n) for w in option(r, table)]


def operands(r, pool, low, high):
    return [r.choice(ODD if r.random() < .07 else pool) for _ in range(r.randint(low, high))]


def quote(word):
    """For the shell; bytes that are no UTF-8 are written as octal."""
    if not re.search('[\udc80-\udcff]', word): return shlex.quote(word)
    return "$'" + ''.join('\\%03o' % b for b in word.encode('utf8', 'surrogateescape')) + "'"


def mix(r, opts, ops):
    """Options first, mostly; or operands between them."""
    if r.random() < .85: return opts + (['--'] if r.random() < .03 else []) + ops
    return ops[:1] + opts + ops[1:]


def stdin(r):
    x = r.random()
    if x < .35: return '|' + printf(text(r))
    if x < .6: return '<' + shlex.quote(r.choice(FILES + ['nil', 'inv', 'wide']))
    if x < .63: return r.choice(['<d', '<&-', '<nil', '<<<"here string"', '<>a', '3<a <&3'])
    return '</dev/null'


def simple(spec, pool=None, low=0, high=3, most=3, writes=False, envs=(), before=None):
    table = rows(spec) if spec else []
    def gen(r, name):
        opts = flatten(r, table, r.choice([0, 1, 1, 2, 2, 3, most])) if table else []
        ops = operands(r, pool or FILES + FILES + ['nope', 'd', '-', ''], low, high)
        if before: ops = before(r) + ops
        env = r.choice(envs) + ' ' if envs and r.random() < .15 else ''
        return Case(name, mix(r, opts, ops), stdin(r), writes, env)
    return gen


def make(r, name):
    c = COMMANDS[name](r, name)
    c.units = [u for u in c.units if not re.match(r'--(h|he|hel|help|ver.*|vers.*)$', u)]
    # Through a link to where they write, these would nest until names are too long.
    if c.name == 'tar' and c.has('h', 'dereference') or c.name == 'cp' and (
        c.has('LlH', 'dereference', 'link') or 'self' in c.units
    ):
        c.units = [
            'a' if u.strip('./') in ('d', 'dln', '', 'self', 'd/up') and not u.startswith('-') else u for u in c.units
        ]
    # or it might copy what it writes, for ever
    if c.name == 'tee' and c.stdin[:1] == '<' and c.stdin != '</dev/null':
        c.stdin = '<nil'
    if r.random() < .03: c.env = 'LC_ALL=C ' + c.env
    elif r.random() < .015: c.env = 'POSIXLY_CORRECT=1 ' + c.env
    if r.random() < .03 and not c.to:
        c.to = r.choice(
            [' >/dev/full', ' >/dev/full', ' >&-', ' 2>&1', ' | head -1', ' | cat', ' 2>/dev/full', ' 2>&1 >/dev/null']
        )
    return c


from options_commands import COMMANDS, EXPLAINED, json_text, normal   # noqa: E402
import options_more   # noqa: E402
