"""The commands of options.py: their options, their operands; and the differences that have a reason."""
from options_table import *
import options_more

# ---- programs of sed, awk, find, xargs, printf ----

def sed_script(r, depth=0):
    addr = lambda: r.choice(
        [
            '1', '2', '$', '3', '0', '/' + regex(r).replace('/', '') + '/', '/a/', '/e/I', '1~2', '0~2', '2~0', '\\,o,',
            '//', '+1', '5', '/^$/M'
        ]
    )
    head = r.choice(
        ['', '', '', addr(), addr(), addr() + ',' + addr(), addr() + ',' + r.choice(['+1', '~2', '$', '+0', '~0'])]
    ) + r.choice(['', '', '', '!', ' '])
    flags = ''.join(r.sample(['g', 'p', '2', 'I', 'i', 'M', '', 'm', '3'], r.choice([0, 0, 1, 1, 2])))
    rep = r.choice(
        [
            'X', '&', '[&]', '\\U&', '\\u&', '\\L&\\E-', '', '\\n', '\\1', '\\2', 'a\\nb', '\\t', '\\l&', '\\0', '\\&',
            'é', '\\x26', '\\o101', '\\d065', '\\c[', '\\uX\\E&', ''
        ]
    )
    body = r.choice(
        [
            lambda: 's/' + regex(r).replace('/', '') + '/' + rep + '/' + flags,
            lambda: 's/' + r.choice(
                ['o', 'a\\|e', '^', '$', 'x*', '.', '\\(.\\)\\(.\\)', '[a-z]*', '\\b', '\\w\\+', 'foo', ' ']
            ) + '/' + rep + '/' + flags,
            lambda: 's|' + r.choice(['a', 'o']) + '|' + rep + '|' + flags,
            lambda: 'y/' + r.choice(['abc/xyz', 'a/é', 'ab/x', '\\n/x', 'aé/éa', 'a\\/b/xyz', 'aa/bc']) + '/',
            lambda: r.choice('dpDPnNgGhHxlq=QzF'),
            lambda: r.choice(['q3', 'Q5', 'l 5', 'l1', 'l 0', 'q x', 'dp', 'd;p', 'p p', 'L']),
            lambda: r.choice('aic') + r.choice(
                [' text', '\\', 'text', '\\text', '\\\ntext', '  lead', '\\  lead', 'a\\tb', '\n', '', ' one\\\ntwo']
            ),
            lambda: r.choice(['b', 't', 'T', 'b x', 't x', ':x', ': x', 'bnowhere', ':', 'T x;s/a/b/']),
            lambda: r.choice(
                ['r a', 'r nope', 'R b', 'R d/x', 'w out', 'w /dev/stdout', 'r', 'w', 'W out2', 'r /dev/stdin']
            ),
            lambda: '{' + sed_script(r, depth + 1) + r.choice(['}', ';}', '\n}', '', '};p']) if depth < 2 else 'p',
            lambda: r.choice(
                [
                    '}', '#n', '#n\np', '# x', 'v', 'v 4.2', 'v 9.0', 'e', 'e printf "x\\n"', 'k', ',p', '1,p', 's/a/b',
                    's/a', 'y/a/', 's/a/b/gg', 's/a/b/0', 's/a/b/pp', 's/a/b/w out', '$!N', '$!{h;d};x;G',
                    ':a;N;$!ba;s/\\n/,/g', '1!G;h;$!d', 'N;P;D', 's/\\(a\\)\\|b/\\1/', 's/x*/-/g', 'n;d',
                    '/a/,/e/{//!d}', 's/[/]/x/', 's/a\\nb/x/'
                ]
            )
        ]
    )()
    return head + body + (
        r.choice([';', '\n', ' ; ']) + sed_script(r, depth + 1) if r.random() < .25 and depth < 3 else ''
    )


def sed(r, name):
    opts = flatten(
        r,
        rows(
            '-n,--quiet -e,--expression=p|s/a/X/|$d|2q|x -E,--regexp-extended -r -s,--separate -u,--unbuffered '
            '-z,--null-data --posix -l,--line-length=@num --debug --sandbox -i?,--in-place?=.bak|@x|b_*|/x|~ '
            '--follow-symlinks -n --silent -b,--binary -f,--file=a|nope|/dev/null|b'
        ),
        r.choice([0, 0, 1, 1, 2, 3])
    )
    script = [] if r.random() < .04 else [sed_script(r)]
    if script and r.random() < .1: script = ['-e', script[0], '-e', sed_script(r)]
    return Case(name, mix(r, opts, script) + operands(r, FILES + ['nope', '-', 'd'], 0, 3), stdin(r), True)


def awk_expr(r, d=0):
    e = lambda: awk_expr(r, d + 1)
    if d > 2 or r.random() < .35:
        return r.choice(
            [
                '$1', '$2', '$0', '$NF', 'NF', 'NR', 'FNR', 'x', '1', '0', '"a"', '"10"', '2.5', 'n', 'a[1]', 'a["k"]',
                '-1', '"3x"', 'FILENAME', '$(NF-1)', '1e3', 'length', '""', '"é"', 'i', '100000000000000000000', '.1',
                'length()', 'NR%2', '$3', '011', '0x11', 'RSTART', 'RLENGTH', 'SUBSEP', 'ENVIRON["HOME"]', 'ARGC',
                'ARGV[1]', 'a[$1]', '$1""', '$2+0'
            ]
        )
    return r.choice(
        [
            lambda: e() + r.choice(
                [
                    ' + ', ' - ', ' * ', ' / ', ' % ', ' ^ ', ' ', ' ', ' < ', ' <= ', ' == ', ' != ', '' + ' >= ',
                    ' && ', ' || ', ' ~ ', ' !~ ', '' + ' '
                ]
            ) + e(),
            lambda: '(' + e() + ')',
            lambda: '!' + e(),
            lambda: '-' + e(),
            lambda: '(' + e() + ' ? ' + e() + ' : ' + e() + ')',
            lambda: r.choice(
                ['x', 'n', '$2', 'a[1]', '$NF', 'NF', '$5', 'i']
            ) + r.choice([' = ', ' += ', ' -= ', ' *= ', ' /= ', ' %= ']) + e(),
            lambda: r.choice(['i++', '++i', 'n--', '--n', '$1++', 'a[$1]++', 'x++ + ++x']),
            lambda: 'substr(' + e() + ', ' + r.choice(['1', '2', '0', '-1', '1.5', e()]) + r.choice(
                ['', ', 2', ', 0', ', 99', ', -1', ', 1.5']
            ) + ')',
            lambda: 'index(' + e() + ', ' + r.choice(['"a"', '"o"', e()]) + ')',
            lambda: 'length(' + e() + ')',
            lambda: r.choice(
                [
                    'toupper', 'tolower', 'int', 'sqrt', 'exp', 'sin', 'log', 'strtonum', 'and', 'compl', 'typeof',
                    'isarray'
                ][:8] if r.random() < .9 else ['compl', 'typeof', 'isarray', 'cos', 'srand']
            ) + '(' + e() + ')',
            lambda: r.choice(
                [
                    'split(' + e() + ', a' + r.choice(['', ', ","', ', ""', ', " "', ', /o/', ', /[ae]/']) + ')',
                    'match(' + e() + ', /' + regex(r).replace('/', '') + '/)',
                    'gensub(/' + r.choice(['a', 'o', '(.)(.)', 'x*', '^', '$']) + '/, "' + r.choice(
                        ['X', '&', '\\\\1', '[\\\\0]', '\\\\&', '']
                    ) + '", ' + r.choice(['"g"', '1', '2', '"x"', '0']) + r.choice(['', ', $1', ', "foo"']) + ')'
                ]
            ),
            lambda: r.choice(['sub', 'gsub']) + '(/' + r.choice(
                ['a', 'o', '.', 'x*', '^', '$', '[a-z]+', 'e|o', '\\\\.', regex(r).replace('/', '')]
            ) + '/, "' + r.choice(
                ['X', '&', '[&]', '\\\\&', '', '\\\\\\\\&', 'é']
            ) + '"' + r.choice(['', ', $1', ', $2', ', x', ', $0']) + ')',
            lambda: 'sprintf("' + awk_format(r) + '", ' + e() + ', ' + e() + ')',
            lambda: '/' + regex(r).replace('/', '') + '/',
            lambda: r.choice(
                [
                    '(1 in a)', '("k" in a)', '(1,2) in a', 'and(6,3)', 'or(6,3)', 'xor(6,3)', 'lshift(1,4)',
                    'rshift(16,2)', 'substr("hello",2,3)', 'strftime("%Y", 0, 1)', 'mktime("2020 01 02 03 04 05")',
                    'getline', '(getline line)', 'getline x < "a"', 'asort(a)', 'asorti(a)', 'asort(a, b)',
                    'patsplit($0, a, /[a-z]+/)', 'length(a)', 'typeof(x)', 'close("x")', 'tolower("ABC") toupper("é")',
                    '$(1)', '$-1', '$x'
                ]
            )
        ]
    )()


def awk_format(r):
    return ''.join(
        '%' + r.choice(
            ['', '', '-', '0', '+', ' ', '#', "'"]
        ) + r.choice(
            ['', '', '5', '10', '1', '*']
        ) + r.choice(['', '', '.2', '.0', '.']) + r.choice('dsdsdsfgexXoucGEi%aq') + r.choice(
            ['', ' ', '|', '\\n', '\\t']
        ) for _ in range(r.randint(1, 3))
    )


def awk_stmt(r, d=0):
    s = lambda: awk_stmt(r, d + 1)
    e = lambda: awk_expr(r, 1)
    simple = [
        lambda: 'print ' + e(), lambda: 'print',
        lambda: 'print ' + e() + ', ' + e(),
        lambda: 'printf "' + awk_format(r) + '\\n", ' + e() + ', ' + e(),
        lambda: e(),
        lambda: r.choice(
            [
                'next', 'exit', 'exit 3', 'nextfile', 'delete a', 'delete a[1]', 'getline', 'print > "out"',
                'print > "/dev/stderr"', 'print | "cat"', 'OFS="-"', '$1=$1', 'NF=2', '$7="x"', 'a[NR]=$0', 'n++',
                'x = x $1', 'print NR": "$0', 'print $NF', 'printf "%s %d\\n", $1, NR', 'print >> "out"', 'FS=","',
                'RS=""', 'print length($0)', 'close("cat")', 'fflush()', 'system("printf s")', 'break', 'return 1',
                'print -$1', 'print $1,$2 > "/dev/stdout"', '$3=""; print', 'print NF, $0'
            ]
        )
    ]
    if d > 2 or r.random() < .7: return r.choice(simple)()
    return r.choice(
        [
            lambda: 'if (' + e() + ') ' + s() + r.choice(['', '; else ' + s()]),
            lambda: f'for (q{d} = 1; q{d} <= ' + r.choice(['3', '2', 'length("abc")']) + f'; q{d}++) ' + s(),
            lambda: 'for (k in a) print k, a[k]',
            lambda: '{ ' + s() + '; ' + s() + ' }',
            lambda: f'while (v{d}++ < 3) ' + s(),
            lambda: 'do ' + s() + f'; while (v{d}++ < 2)',
            lambda: 'switch (' + e() + ') { case 1: ' + s() + '; break; case "a": ' + s() + '; case /o/: ' + s() + '; break; default: print "d" }'
        ]
    )()


def awk_program(r):
    rules = []
    for _ in range(r.choice([1, 1, 1, 2, 3])):
        pat = r.choice(
            [
                '', '', '', 'BEGIN', 'END', 'NR==1', 'NR>1', '/a/', '/' + regex(r).replace('/', '') + '/', '$1',
                '!seen[$1]++', 'NR==2,NR==3', '/a/,/e/', awk_expr(r, 1), 'NF', 'BEGINFILE', 'ENDFILE', 'END'
            ]
        )
        act = '{ ' + '; '.join(awk_stmt(r) for _ in range(r.choice([1, 1, 2, 3]))) + ' }'
        if not pat or pat in ('BEGIN', 'END', 'BEGINFILE', 'ENDFILE') or r.random() < .75:
            rules.append((pat + ' ' + act).strip())
        else: rules.append(pat)
    if r.random() < .1:
        rules.append(
            'function f(p, q) { ' + r.choice(['return p q', 'q = p + 1; return q', 'p[1] = 2', 'return f2(p)']) + ' }'
        )
    return r.choice([' ', '\n', '; ', '\n']).join(rules)


def awk(r, name):
    opts = flatten(
        r,
        rows(
            "-F,--field-separator=,|:|\\s|t|\\t||a|[aeo]|o+|.|'||\\|x*|é "
            "-v,--assign=x=5|n=a\\tb|OFS=-|FS=,|RS=|NF=3|1x=2|x|ORS=;|IGNORECASE=1|FPAT=[a-z]+|FIELDWIDTHS=2\\s3|RS=o|OFMT=%.2f|CONVFMT=%d|i=1e3 "
            "-S,--sandbox -P,--posix -c,--traditional -n,--non-decimal-data -b,--characters-as-bytes "
            "-r,--re-interval -O,--optimize -s,--no-optimize -N,--use-lc-numeric "
            "-f,--file=nope|/dev/null|p.awk|d|p2.awk -i,--include=p2.awk|nope|p2 -E,--exec=p.awk"
        ),
        r.choice([0, 0, 1, 1, 2])
    )
    prog = [awk_program(r)]
    if r.random() < .06: prog = ['-e', prog[0]] + (['-e', awk_program(r)] if r.random() < .5 else [])
    ops = operands(r, FILES + FILES + ['nope', '-', 'x=1', 'FS=,', 'OFS=:', 'd', 'n='], 0, 3)
    if any(o.endswith('.awk') or o.startswith('-E') for o in opts): prog = prog if r.random() < .2 else []
    return Case(name, opts + prog + ops, stdin(r), True)


def find(r, name):
    num = lambda: r.choice(['', '+', '-']) + r.choice(
        ['0', '1', '2', '3', '10', '1000', '365', 'x', ''][:8 if r.random() < .95 else 9]
    )
    tests = [
        lambda: [
            r.choice(['-name', '-iname', '-path', '-ipath', '-wholename', '-lname', '-ilname']),
            r.choice(
                [
                    '*', 'a', '*.txt', '[ab]', 'd*', '*e*', './d/*', 'D*', '.*', '?', 'a/b', '', '*/x', '[', 'A',
                    'nowhere'
                ]
            )
        ],
        lambda: ['-type', r.choice(['f', 'd', 'l', 'p', 'f,l', 'd,f', 'x', 'fd', '', 'f,', 's', 'b', 'D', 'f,f'])],
        lambda: ['-xtype', r.choice(['f', 'd', 'l', 'l,d'])],
        lambda: ['-size', num() + r.choice(['', 'c', 'k', 'b', 'w', 'M', 'G', 'x'])],
        lambda: ['-empty'],
        lambda: ['-mtime', num()],
        lambda: ['-newer', r.choice(['a', 'b', 'd', 'nope', 'ln'])],
        lambda: ['-newermt', r.choice(['2019-01-01', '2024-06-01', '2010-05-05 10:00', 'x'])],
        lambda: [
            '-perm',
            r.choice(
                [
                    '644', '-200', '/111', '755', '-u+w', '/u=x', '600', 'u=rw', '-0', '/0', '+x', '9', '-a+x', 'a=r',
                    '-4000'
                ]
            )
        ],
        lambda: ['-links', num()],
        lambda: ['-user', r.choice(['user', 'root', '1000', 'nosuch'])],
        lambda: ['-group', r.choice(['user', '1000', 'nosuch'])],
        lambda: ['-uid', num()],
        lambda: ['-samefile', r.choice(['a', 'ha', 'ln', 'nope'])],
        lambda: [
            '-regex',
            r.choice(
                ['.*', './a', '.*[ab]', '.*/[a-c]', './d.*', '.*\\(a\\|b\\)', '.*(a|b)', '.*a+', 'a', '[', '.*\\.txt$']
            )
        ],
        lambda: ['-iregex', '.*A'],
        lambda: ['-readable'],
        lambda: ['-writable'],
        lambda: ['-executable'],
        lambda: ['-true'],
        lambda: ['-false'],
        lambda: ['-mindepth', r.choice(['0', '1', '2', '-1', 'x'])],
        lambda: ['-maxdepth', r.choice(['0', '1', '2', '9', 'x', ''])],
        lambda: [
            r.choice(
                [
                    '-depth', '-d', '-daystart', '-xdev', '-mount', '-noleaf', '-follow', '-warn', '-nowarn',
                    '-ignore_readdir_race', '-nouser', '-nogroup', '-H', '-prune', '-quit', '-noignore_readdir_race'
                ]
            )
        ],
        lambda: [
            '-regextype',
            r.choice(
                [
                    'posix-extended', 'egrep', 'sed', 'emacs', 'awk', 'posix-awk', 'grep', 'posix-basic',
                    'findutils-default', 'ed', 'gnu-awk', 'posix-egrep', 'x', 'posix-minimal-basic'
                ]
            )
        ],
        lambda: ['-newer' + r.choice(['mm', 'mt', 'mx', 'tm', 'Xa', 'm']), 'b'],
        lambda: ['-nosuch'],
        lambda: ['-fstype', r.choice(['ext9', 'nosuch'])],
        lambda: ['-mmin', r.choice(['+1', '-1', '+100000', '1.5', 'x'])],
        lambda: ['-inum', '1'],
        lambda: [r.choice(['-amin', '-atime', '-used']), r.choice(['+1', '-1', '+100', 'x', '+0', '1.5'])],
        lambda: [
            r.choice(['-anewer', '-newerat', '-neweram'][:1] + ['-neweram']),
            r.choice(['a', 'b', 'd', 'nope', 'ln', 'loop'])
        ],
        lambda: ['-gid', num()],
        lambda: ['-iwholename', '*A'],
        lambda: [r.choice(['-cmin', '-ctime']), r.choice(['+100', '-1', 'x'])],
        lambda: ['-context', 'x'],
        lambda: ['-files0-from', r.choice(['n0', 'nope', '-', 'nil', 'a'])]
    ]
    fmt = lambda: ''.join(
        r.choice(
            [
                '%p', '%f', '%h', '%P', '%H', '%s', '%m', '%M', '%y', '%Y', '%l', '%n', '%u', '%g', '%U', '%G', '%d',
                '%k', '%b', '%T@', '%TY', '%Tm', '%t', '%10p', '%-10f|', '%5s', '%%', '\\n', '\\t', '\\0', ' ', 'x',
                '%Tj', '%TT', '%T+', '%s', '%03m', '%#m', '%.3f', '%', '%q', '\\x', '\\101', '%TH:%TM', '%Tk', '%TZ',
                '%Ta', '%TB', '%TD', '%Tc', '%TS', '\\c', '\\\\', '%{', '%+s', '% s'
            ]
        ) for _ in range(r.randint(1, 4))
    ) + '\\n'
    acts = [
        lambda: ['-print'],
        lambda: ['-print0'],
        lambda: ['-printf', fmt()],
        lambda: ['-printf', fmt()],
        lambda: ['-exec', 'echo', r.choice(['{}', 'x{}y', 'x', '{} {}']), r.choice([';', ';', '+'])],
        lambda: ['-exec', 'echo', '{}', r.choice(['+', ';'])],
        lambda: ['-execdir', 'echo', '{}', r.choice([';', '+'])],
        lambda: ['-exec', r.choice(['false', 'true', 'nosuchcmd', 'grep']), '{}', ';'],
        lambda: ['-ls'],
        lambda: ['-fls', 'out'],
        lambda: ['-print'],
        lambda: ['-delete'],
        lambda: ['-fprint', 'out'],
        lambda: ['-fprintf', '/dev/stdout', fmt()],
        lambda: ['-fprint0', 'out0'],
        lambda: ['-ok', 'echo', '{}', ';'],
        lambda: ['-exec', 'echo'],
        lambda: ['-exec', 'echo', '{}'],
        lambda: ['-quit'],
        lambda: ['-prune'],
        lambda: ['-okdir', 'echo', '{}', ';']
    ]
    def expr(d=0):
        out = []
        for i in range(r.choice([0, 1, 1, 2, 3] if d == 0 else [1, 1, 2])):
            if i: out += r.choice([[], [], ['-o'], ['-a'], ['-and'], ['-or'], [',']])
            if r.random() < .15: out += [r.choice(['!', '-not'])]
            x = r.random()
            out += (
                ['('] + expr(d + 1) + [')'] if x < .12 and d < 2 else r.choice(acts)() if x > .75 else r.choice(tests)()
            )
        return out
    units = r.choice([[], [], [], ['-L'], ['-H'], ['-P'], ['-O2'], ['-O0'], ['-O'], ['-L', '-H'], ['-Ox']]) + operands(
        r,
        ['.', 'd', 'a', 'nope', 'dln', 'ln', './d/', 'd', 'broken', 'sp ace', 'de', 'self', 'loop'], 0, 2
    ) + expr()
    if r.random() < .02: units += r.choice([['('], [')'], ['!'], ['-o'], ['-name'], ['x'], ['--'], [',']])
    return Case(name, units, '</dev/null', '-delete' in units or 'out' in units or 'out0' in units)


def xargs(r, name):
    opts = flatten(
        r,
        rows(
            "-0,--null -a,--arg-file=a|n0|nope|b -d,--delimiter=,|\\n|a|\\t|ab||\\x41|\\0|\\101|é -E=e|a|the| "
            "-e?=the|a|x --eof?=the|a -I=%|{}|X| -i?=%|X|@ --replace?=%|X -L,--max-lines=@small -l?=1|2|x|0 "
            "-n,--max-args=@small -P,--max-procs=0|1|x|-1 -r,--no-run-if-empty "
            "-s,--max-chars=10|20|30|100|x|0|-1|999999|50 -t,--verbose -x,--exit --process-slot-var=SLOT "
            "-o,--open-tty -p,--interactive"
        ),
        r.choice([0, 0, 1, 1, 2, 3])
    )
    cmd = r.choice(
        [
            [],
            ['echo'],
            ['echo', 'x'],
            ['echo', '%', 'X'],
            ['echo', '{}'],
            ['printf', '<%s>'],
            ['printf', '<%s>\\n', '{}'],
            ['false'],
            ['nosuchcmd'],
            ['sh', '-c', 'exit 255'],
            ['sh', '-c', 'echo "$# $0 $*"'],
            ['/'],
            ['sh', '-c', 'exit 3'],
            ['sh', '-c', 'echo "$SLOT"'][:0] + ['echo', '-n'],
            ['kill', '-9', '0'][:0] + ['true']
        ]
    )
    data = r.choice(
        [
            lambda: text(r),
            lambda: text(r, 'words'),
            lambda: text(r, 'path'),
            lambda: b' '.join(
                r.choice(
                    [
                        b'a', b"'q q'", b'"d d"', b'b\\ c', b"it's", b'x', b'-n', b'\n', b'\n', b'"', b'\\', b'{}',
                        b' ', b',', b'a,b', b'\t', b'_', b'\xc3\xa9', b'\0'
                    ]
                ) for _ in range(r.randint(0, 10))
            ), lambda: b'a\0b c\0\nd\0', lambda: b'a,b,c\n'
        ]
    )()
    return Case(name, opts + cmd, '|' + printf(data) if r.random() < .9 else '<' + shlex.quote(r.choice(FILES)))


def printf_case(r, name):
    fmt = ''.join(
        r.choice(['%', '%', '%', '%-', '%0', '%+', '% ', '%#', "%'", '%5', '%-8', '%05', '%.2', '%.0', '%5.1', '%.', '%*', '%.*', '%-*', '%2$', '%ll', '%h', '%']) + r.choice('dsdsdsxXoucfeEgGbqiaA%') + r.choice(['', ' ', '|', '\\n', ',']) if r.random() < .8 else r.choice(
            [
                '\\n', '\\t', '\\x41', '\\101', '\\0101', '\\e', '\\a', '\\c', '\\\\', '\\u00e9', '\\U0001F600', 'x',
                'é', '\\q', '\\', '\\"', '%', '%%', '\\x', '\\xg', '\\u', '\\8', "\\'", '%z', '%(%Y)T', '%n'
            ][:24 if r.random() < .95 else 25]
        ) for _ in range(r.randint(1, 4))
    )
    pool = [
        '1', '-5', '0', '10', 'abc', 'a b', '010', '0x1F', '3.7', '', "'a", '"b', 'é', "'é", '1e3', 'nan', 'inf',
        '-inf', '99999999999999999999', '-9223372036854775808', '1x', ' 5', '5 ', '+3', 'a\\tb', 'x\\cy', '\\101',
        '\\0101', "it's", 'a\nb', '*', '~', '$x', '-', '--', '1.5e400', '0x', '08', '.5', '5.', '1_0', '\\', 'a\\', '#c'
    ]
    if '*' in fmt: pool = [p for p in pool if not re.search(r'\d{6}|1\.5e', p)]
    args = [r.choice(pool) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 5]))]
    word = r.choice(['printf', 'printf', 'printf', '/usr/bin/printf', 'env printf'])
    return Case(name, (['--'] if r.random() < .05 else []) + [fmt] + args, word=word)


def echo_case(r, name):
    word = r.choice(['echo', 'echo', '/usr/bin/echo', 'env echo'])
    units = [
        r.choice(
            ['-n', '-e', '-E', '-ne', '-en', '-nE', '-eE', '-x', '-nx', '--', '-', '-neE', '-e -n', '-Ee', '-nn']
        ) for _ in range(r.choice([0, 1, 1, 2]))
    ]
    units += [
        r.choice(
            [
                'a', 'a b', 'x\\ty', '\\n', '\\x41', '\\0101', '\\101', 'a\\cb', '\\e[0m', '\\\\', '\\', 'é', '\\u00e9',
                '', '-n', '*', '\\a\\b\\f\\v\\r', '\\x', '\\xg1', '\\0', '\\08', '\\q', 'a\nb', '$x', '\\x4142',
                '\\00101', '\\U0001f600', '\\c', '\\1'
            ]
        )for _ in range(r.randint(0, 3))
    ]
    return Case(name, units, word=word)


def tr(r, name):
    part = lambda: r.choice(
        [
            'a-z', 'A-Z', 'a', 'abc', '0-9', '[:upper:]', '[:lower:]', '[:alpha:]', '[:digit:]', '[:space:]',
            '[:punct:]', '[:alnum:]', '[:cntrl:]', '[:print:]', '[:graph:]', '[:blank:]', '[:xdigit:]', ' ', '\\n',
            '\\t', '[x*]', '[x*3]', '[=a=]', 'z-a', '\\101', '\\0', '-', 'a-', '-a', '[a-c]', '\\\\', 'é', '[:foo:]',
            '[x*010]', '\\', 'A-', '[=ab=]', '[:upper:', '\\x41', 'xyz', 'e', 'o', '_', '[x*0]', '[x*x]', '\\400',
            '\\12', '\\1012', 'a-a', '[b*]', '--/', '[:alpha:]0', '\\-', '\\]'
        ]
    )
    sets = [
        ''.join(part() for _ in range(r.choice([1, 1, 1, 2]))) for _ in range(
            r.choice([1, 1, 2, 2, 2, 2, 0, 3][:6 if r.random() < .9 else 8])
        )
    ]
    return Case(
        name,
        mix(
            r,
            flatten(
                r,
                rows('-c,--complement -C -d,--delete -s,--squeeze-repeats -t,--truncate-set1'),
                r.choice([0, 0, 1, 1, 2])
            ), sets
        ),
        '|' + printf(text(r))
    )


def grep(r, name):
    opts = flatten(
        r,
        rows(
            "-E,--extended-regexp -F,--fixed-strings -G,--basic-regexp -P,--perl-regexp "
            "-e,--regexp=a|the|o.|^|$||x*|[|\\(|a\\|b -f,--file=a|nope|/dev/null|b -i,--ignore-case --no-ignore-case "
            "-y -w,--word-regexp -x,--line-regexp -z,--null-data -s,--no-messages -v,--invert-match "
            "-m,--max-count=@small -b,--byte-offset -n,--line-number --line-buffered -H,--with-filename "
            "-h,--no-filename --label=@word -o,--only-matching -q,--quiet --silent "
            "--binary-files=text|without-match|binary|x| -a,--text -I -d,--directories=read|skip|recurse|x|rec "
            "-D,--devices=read|skip|x -r,--recursive -R,--dereference-recursive --include=@glob --exclude=@glob "
            "--exclude-from=a|nope|/dev/null --exclude-dir=@glob -L,--files-without-match -l,--files-with-matches "
            "-c,--count -T,--initial-tab -Z,--null -B,--before-context=@small -A,--after-context=@small "
            "-C,--context=@small --group-separator=@word --no-group-separator --color?=always|never|auto|x|always "
            "--colour?=always -U,--binary -u"
        ),
        r.choice([0, 1, 1, 2, 2, 3, 4])
    )
    if r.random() < .05: opts += ['-' + r.choice(['1', '2', '12', '0'])]
    pat = [] if any(o.startswith(('-e', '-f', '--reg', '--fil')) for o in opts) and r.random() < .8 else [regex(r)] if r.random() < .6 else [
        r.choice(
            ['a', 'the', 'o', '^$', '', 'foo', 'e', '.', 'x', 'A', '1', 'a.*e', '\\.', 'é', 'no', 'a\nb', '^', '-a']
        )
    ]
    rec = any(o in ('-r', '-R') or o.startswith('--rec') or o.startswith('--deref') for o in opts)
    ops = operands(
        r,
        FILES + FILES + ['nope', 'd', '-', 'exe', 'broken', '.', ''] if not rec else ['.', 'd', 'a', 'dln', 'd/e'], 0, 3
    )
    env = r.choice(
        ["GREP_COLORS='mt=01;32' ", "GREP_COLORS='ne:sl=1' ", "GREP_COLORS='rv:cx=2:fn=33' ", "GREP_COLOR='1' "]
    ) if r.random() < .05 else ''
    return Case(name, mix(r, opts, pat + ops), stdin(r), env=env)


LS = (
    '-U -u -a,--all -A,--almost-all --author -b,--escape --block-size=@size -B,--ignore-backups -C --color?=@when '
    '-d,--directory -D,--dired -f -F --classify?=@when --file-type '
    '--format=across|commas|horizontal|long|single-column|verbose|vertical|x|l|c --full-time -g '
    '--group-directories-first -G,--no-group -h,--human-readable --si -H,--dereference-command-line '
    '--dereference-command-line-symlink-to-dir --hide=@glob --hyperlink?=never|auto|none|x '
    '--indicator-style=none|slash|file-type|classify|x -I,--ignore=@glob -k,--kibibytes -l -L,--dereference -m '
    '-n,--numeric-uid-gid -N,--literal -o -p -q,--hide-control-chars --show-control-chars -Q,--quote-name '
    '--quoting-style=literal|locale|shell|shell-always|shell-escape|shell-escape-always|c|escape|x|clocale|c-maybe '
    '-r,--reverse -R,--recursive -s,--size -S --sort=none|size|time|version|extension|width|x|name '
    '--time=mtime|modification|x|mod --time-style=full-iso|long-iso|iso|locale|+%Y|+%s|posix-iso|x|+%H:%M|+ -t '
    '-T,--tabsize=@small -v -w,--width=0|1|10|40|80|x|200|-1 -x -X -Z,--context --zero -1'
)


def tar(r, name):
    """Made, shown, taken apart: always in one order of names, and with the owners that both sides have."""
    verb = r.choice(
        ['-c', '-c', '-t', '-x', '-x', '-r', '-d', '--delete', '-u', '-A', '-c', '-t'] if r.random() < .93 else [
            '--create', '--extract', '--get', '--list', '--append', '--update', '--catenate', '--concatenate', '--diff',
            '--compare', '--del', '--show-defaults', '--ex', '--test-label'
        ]
    )
    pre = "tar --sort=name -cf s.tar a b d 'sp ace' ln dln ha exe; tar -cf s2.tar c.txt; "
    spec = (
        '-v,--verbose -v -b,--blocking-factor=1|2|20|x|0 -H,--format=gnu|oldgnu|pax|posix|ustar|v7|x '
        '-h,--dereference --hard-dereference -P,--absolute-names --strip-components=0|1|2|x '
        '--transform=s/a/X/|s,^,p/,|s/d/D/r|x|s/a/b/g;s/x/y/|s/.*/\\L&/ --exclude=@glob --exclude-vcs '
        '--exclude-backups --exclude-caches --exclude-tag=x|a --mode=644|u+x|go=|x --mtime=2020-01-01|@5|x '
        '--clamp-mtime --owner=bob:7|root|0|:|+5 --group=grp:8|0|+9 --numeric-owner --totals -R,--block-number '
        '-k,--keep-old-files --skip-old-files --overwrite --keep-newer-files -U,--unlink-first --recursive-unlink '
        '--one-top-level?=top|x/y -O,--to-stdout -m,--touch -p,--preserve-permissions --no-same-permissions '
        '--no-same-owner --no-recursion --recursion --null --anchored --no-anchored --ignore-case --wildcards '
        '--no-wildcards --wildcards-match-slash --no-wildcards-match-slash -C,--directory=d|nope|de|. '
        '-T,--files-from=n0|nope|/dev/null -X,--exclude-from=a|/dev/null|nope --full-time --utc '
        '--quoting-style=literal|shell|c|escape|locale|x --show-transformed-names --check-links -l --label=vol '
        '-V=lab --newer=2019-01-01|x|./a -N=2024-01-01 --newer-mtime=2015-01-01 --occurrence?=1|2|x --ignore-zeros '
        '-i --warning=no-timestamp|all|none|x --remove-files --backup?=@control --suffix=@suffix --acls --no-acls '
        '--xattrs --no-xattrs --pax-option=delete=mtime|exthdr.name=x|globexthdr.name=y|x=1|x:=2|comment=hi '
        '-K,--starting-file=b|d --delay-directory-restore --keep-directory-symlink --no-overwrite-dir '
        '--overwrite-dir --add-file=c.txt --record-size=512|1024|x|10240 -S,--sparse --sparse-version=0.0|0.1|1.0|2 '
        '--hole-detection=raw|seek|x -z,--gzip --level=0|1|x --check-device --no-check-device --show-omitted-dirs '
        '--verbatim-files-from --no-verbatim-files-from --unquote --no-unquote --index-file=idx -W,--verify '
        '--to-command=cat -w --old-archive -o --posix --portability --ignore-failed-read --no-ignore-command-error '
        '--ignore-command-error --no-auto-compress -a --force-local -B -s --preserve-order --seek -n --no-seek '
        '--restrict --test-label --show-stored-names --quote-chars=a --no-quote-chars=a --exclude-vcs-ignores '
        '--exclude-ignore=b --exclude-tag-all=x --exclude-tag-under=x --exclude-caches-all --checkpoint?=1|2|x '
        '--checkpoint-action=echo|dot|echo=hi|x|ttyout=z|bell|sleep=0|exec=true --no-delay-directory-restore '
        '--warning=no-x -j,--bzip2 -J,--xz --zstd --lzma --lzip --lzop --ungzip --gunzip '
        '-I,--use-compress-program=gzip|cat|nosuch|false --after-date=2019-01-01 --atime-preserve?=replace|system|x '
        '--xform=s/a/b/ --confirmation --interactive --exclude-caches-under --exclude-ignore-recursive=b '
        '--owner-map=a|nope|/dev/null|map --group-map=map|nope --no-ignore-case --no-null --no-selinux --selinux '
        '--one-file-system --read-full-records --rmt-command=x --rsh-command=x --same-order --same-owner '
        '--same-permissions --volno-file=v --xattrs-exclude=x --xattrs-include=x'
    )
    opts = flatten(r, rows(spec), r.choice([0, 0, 1, 1, 2, 3]))
    word = pre + 'tar'
    file = r.choice(['s.tar'] * 6 + ['nope.tar', '-', 'a', 's2.tar'])
    keep = ['--sort=name', '-f', file]
    if verb in ('-c', '--create'):
        ops = operands(
            r,
            ['a', 'b', 'd', 'sp ace', 'ln', 'dln', 'ha', 'nope', '.', './d', 'd/', '../' + 'x'][:11],
            0 if r.random() < .1 else 1, 3
        )
        units = [verb, '--sort=name', '-f', r.choice(['new.tar', '-']), *opts, *ops]
        word += ''
    else:
        if verb in ('-A', '--catenate', '--concatenate'): ops = ['s2.tar']
        else:
            ops = operands(
                r,
                ['a', 'b', 'd', 'd/x', 'nope', '*', 'sp ace', 'd/', 'ln'], 0, 2
            ) if verb not in ('-r', '-u', '--append', '--update') else operands(r, ['a', 'c.txt', 'n1', 'nope'], 1, 2)
        units = [verb, '-f', file, *opts, *ops]
        if verb == '-x' and r.random() < .6: units = [verb, '-f', file, *opts, *ops]
    return Case(name, units, '<s.tar' if r.random() < .0 else '</dev/null', True, word=word, keep=keep)


def cd(r, name):
    """Where it leads, and what it says; the shell's own options."""
    opts = flatten(r, rows('-L -P -e -@ -x -LP -Pe -PL'), r.choice([0, 0, 0, 1, 1, 2]))
    ops = operands(
        r,
        [
            'd', 'd/e', 'dln', 'dln/e', '..', '.', '-', 'nope', 'a', 'self', 'loop', 'd/up', 'd/up/..', 'dln/..', '/',
            '//', '/home/user', '~', 'd/../d', '', 'de/', 'lock', 'broken', '/tmp', 'd/e/../..', './d', 'e', '...',
            '//home'
        ], 0,
        1 if r.random() < .9 else 3
    )
    c = Case(
        name, opts + ops, '</dev/null',
        env=r.choice(
            [
                'CDPATH=d ', 'CDPATH=:d ', 'CDPATH=/home/user/t/d:. ', 'HOME= ', 'HOME=/nope ', 'OLDPWD=/tmp ',
                'OLDPWD=nope ', 'OLDPWD= ', 'CDPATH=nope: '
            ]
        ) if r.random() < .25 else ''
    )
    c.to = r.choice(
        [
            '; echo $? "$PWD" "$OLDPWD"', '; echo $? "$PWD"; pwd -P', ' && cd - && cd ..; pwd; echo "$OLDPWD"',
            '; cd ..; pwd; pwd -P', '; dirs; cd e; pwd'
        ]
    )
    return c


def read(r, name):
    opts = flatten(
        r,
        rows('-r -d=x|,||a|\\s|: -n=@small -N=@small -a=x -t=0|x|5|-1 -p=P -s -u=0|9|x -r -r'),
        r.choice([0, 0, 1, 1, 2, 3])
    )
    names = operands(r, ['x', 'y', 'z', 'x', '1x', 'a[1]', 'x-y', 'REPLY'][:5 if r.random() < .8 else 8], 0, 3)
    names = [n for n in names if n in 'x y z 1x a[1] x-y REPLY'.split()]
    c = Case(
        name, opts + names,
        '<' + shlex.quote(r.choice(FILES + ['nil', 'inv', 'wide', 'd'])) if r.random() < .7 else r.choice(
            [
                "<<<' a  b c '", "<<<'a\\\\ b\\\\n\\\\'", "<<<'a,b,,c,'", "<<<$'a\\tb\\n'", "<<<''", '</dev/null',
                '<<<$"a\\001b"', "<<<': a : b :c:'"
            ]
        ),
        env=r.choice(['IFS=, ', 'IFS= ', "IFS=': ' ", "IFS=$'\\n' ", 'IFS=a ']) if r.random() < .3 else ''
    )
    c.to = '; echo $?; declare -p x y z REPLY a 2>/dev/null; unset x y z REPLY a'
    return c


def test(r, name):
    word = lambda: r.choice(
        [
            'a', 'd', 'nope', 'ln', 'broken', 'exe', 'ro', '', '1', '2', '-1', ' 3', 'x', '=', '!', '(', ')', '-f',
            '-a', '-o', 'nil', 'p', '0', '99999999999999999999', '1.5', '08', 'é', '<', '-eq', 'loop', '-z', '-n', 'de'
        ]
    )
    unary = lambda: [
        r.choice('-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -z -n -o -v -R'.split()),
        word()
    ]
    binary = lambda: [word(), r.choice('= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef -x =~'.split()), word()]
    def expr(d=0):
        x = r.random()
        if x < .12 and d < 3: return ['!'] + expr(d + 1)
        if x < .2 and d < 3: return ['('] + expr(d + 1) + [')']
        if x < .35 and d < 3: return expr(d + 1) + [r.choice(['-a', '-o'])] + expr(d + 1)
        return r.choice([unary, unary, binary, binary, lambda: [word()], lambda: []])()
    return Case(
        name,
        (
            units := expr() if r.random() < .85 else operands(
                r,
                ['a', '!', '(', ')', '-f', '=', '-a', '-o', '', '1', '-eq', '-z', ']'], 0, 6
            )
        ) + ([']'] if (br := r.random() < .4) else []),
        word=r.choice(['[', '[', '/usr/bin/[']) if br else r.choice(['test', 'test', 'env test'])
    )


def json_text(r, d=0):
    x = r.random()
    if d > 2 or x < .55:
        return r.choice(
            [
                '1', '2', '-1', '0', '1.5', '"a"', '"b"', '"foo bar"', 'null', 'true', 'false', '"é"', '""', '10',
                '1e3', '100000000000000000000', '"2024-01-02T03:04:05Z"', '"\\u00e9\\n"', '"A,b"', '[]', '{}', '0.1',
                '"<&>"', '3.0'
            ]
        )
    if x < .78: return '[' + ','.join(json_text(r, d + 1) for _ in range(r.randint(0, 4))) + ']'
    return '{' + r.choice([',', ', ']).join(
        '"%s": %s' % (
            r.choice(['a', 'b', 'c', 'name', 'id', 'x y', 'é']),
            json_text(r, d + 1)
        ) for _ in range(r.randint(0, 4))
    ) + '}'


def jq(r, name):
    def prog(d=0):
        p = lambda: prog(d + 1)
        if d > 2 or r.random() < .5:
            return r.choice(
                [
                    '.', '.a', '.[]', '.a.b', '.[0]', '.b?', '.["a"]', '.a[]?', '.[]?', 'keys', 'length', 'type',
                    '.[1:]', '.[-1]', '1', '"x"', 'null', '..', 'not', 'tostring', 'tojson', 'to_entries', 'add',
                    'sort', 'unique', 'reverse', 'first', 'last', 'empty', 'input', '[inputs]', 'flatten', 'tonumber',
                    'ascii_downcase', '@csv', '@tsv', '@json', '@base64', '@html', '@sh', '@uri', '@text', 'paths',
                    'leaf_paths', 'max', 'min', 'any', 'all', 'floor', 'sqrt', 'values', 'nulls', 'strings', 'numbers',
                    'explode', 'env.HOME', '$ENV.USER', '.a = 1', '.a |= 2', '.a += 1', '.[] += 1', 'del(.a)',
                    'del(.[0])', 'has("a")', 'has(0)', 'split(",")', 'join("-")', 'test("a")', 'sub("a"; "X")',
                    'gsub("[aeo]"; "_")', 'ltrimstr("a")', 'startswith("a")', 'fromjson?', 'from_entries?',
                    'transpose?', 'group_by(.a)', 'unique_by(length)', 'min_by(.a)?', 'input_line_number',
                    '.a as $x | $x', '. as [$a, $b] | $a', '. as {a: $z} | $z', 'reduce .[] as $i (0; . + 1)',
                    'foreach .[]? as $i (0; . + 1)', '[limit(2; .[])]', 'range(3)', 'range(1; 3)', 'error',
                    'error("x")', 'todate?', 'fromdate?', 'splits("a")', 'ascii', '@base64d', 'infinite', 'nan',
                    'ltrimstr(1)', 'tojson|fromjson', 'getpath(["a"])', 'path(..)', 'walk(.)', 'halt_error',
                    'limit(1; .)', 'input_filename', '$__loc__', 'indices("a")', 'inside("abc")', 'contains("a")',
                    'combinations?', '.[', '}', 'foo', '$x', '.a.', '"\\(.)"', '"a\\(1 + 2)b"', 'ascii_upcase',
                    'utf8bytelength', 'getpath(["a","b"])?', 'strftime("%Y")?', 'mktime?', 'gmtime?',
                    'splits("a";"g")?', '@json "x\\(.)"', 'tostream', 'truncate_stream(1; tostream)?', 'isvalid(.a)',
                    'debug', 'stderr', 'significand?', 'ascii(65)?'
                ]
            )
        return r.choice(
            [
                lambda: p() + ' | ' + p(),
                lambda: p() + ', ' + p(),
                lambda: p() + r.choice(
                    [' + ', ' - ', ' * ', ' / ', ' % ', ' == ', ' < ', ' and ', ' or ', ' // ', ' != ']
                ) + p(),
                lambda: '(' + p() + ')',
                lambda: '[' + p() + ']',
                lambda: '{a: ' + p().replace(',', '|') + '}',
                lambda: '{(' + p() + '): 1}',
                lambda: 'map(' + p() + ')',
                lambda: 'select(' + p() + ')',
                lambda: 'if ' + p() + ' then ' + p() + r.choice([' else ' + p(), '']) + ' end',
                lambda: 'try ' + p() + r.choice(['', ' catch .']),
                lambda: p() + '?',
                lambda: 'sort_by(' + p() + ')',
                lambda: 'def f: ' + p() + '; f',
                lambda: '-(' + p() + ')',
                lambda: 'with_entries(.value |= ' + p() + ')',
                lambda: 'to_entries | map(' + p() + ')',
                lambda: 'first(' + p() + ')',
                lambda: p() + ' as $v | ' + p(),
                lambda: 'label $out | ' + p() + ', break $out',
                lambda: '.[' + p() + ']',
                lambda: '[.[] | ' + p() + ']',
                lambda: 'any(' + p() + ')',
                lambda: 'until(true; ' + p() + ')',
                lambda: 'recurse(' + p() + '; false)'
            ]
        )()
    opts = flatten(
        r,
        rows(
            '-c,--compact-output -r,--raw-output -R,--raw-input -s,--slurp -n,--null-input -e,--exit-status '
            '-j,--join-output -a,--ascii-output -S,--sort-keys -C,--color-output -M,--monochrome-output --tab '
            '--indent=@small --unbuffered --stream --seq -f,--from-file=a|nope|p.jq -L=d'
        ),
        r.choice([0, 1, 1, 2, 2, 3])
    )
    opts = [x for o in opts for x in (o.split('=', 1) if o.startswith('--indent=') else [o])]
    if r.random() < .15:
        opts += r.choice(
            [
                ['--arg', 'x', '1'], ['--argjson', 'x', '{"a":1}'], ['--argjson', 'x', 'y'], ['--slurpfile', 'x', 'j1'],
                ['--rawfile', 'x', 'a'], ['--arg', 'x'], ['--slurpfile', 'x', 'nope']
            ]
        )
    data = r.choice([' ', '\n', '\n']).join(json_text(r) for _ in range(r.choice([0, 1, 1, 1, 2, 3]))) + r.choice(
        ['\n', '', '\n', '\n', '[1', '}', ' x'][:4 if r.random() < .9 else 7]
    )
    ops = operands(r, ['j1', 'j2', 'nope', 'a', 'd', 'nil'], 0, 2) if r.random() < .2 else []
    return Case(
        name,
        opts + [prog()] + ops + (['--args', 'p', 'q'] if r.random() < .03 else []),
        '|' + printf(data.encode())
    )


COMMANDS = {
    'ls': simple(
        LS,
        TREE + ['n\nl', 't\tb', 'é', 'big', 'lock', '*'], 0, 3, 5,
        envs=[
            "QUOTING_STYLE=c", "COLUMNS=40", "LS_COLORS='di=1:*.txt=33:ln=target:ex=4'", "TIME_STYLE=long-iso",
            "BLOCK_SIZE=1K", "LS_BLOCK_SIZE=human-readable", "TABSIZE=4", "TZ=Asia/Tokyo",
            "LS_COLORS='rs=0:fi=3:or=31:mi=5:*é=1:su=2'"
        ]
    ),
    'cat': simple(
        '-A,--show-all -b,--number-nonblank -e -E,--show-ends -n,--number -s,--squeeze-blank -t -T,--show-tabs -u '
        '-v,--show-nonprinting'
    ),
    'grep': grep,
    'find': find,
    'sed': sed,
    'awk': awk,
    'xargs': xargs,
    'cd': cd,
    'read': read,
    'test': test,
    'jq': jq,
    'printf': printf_case,
    'echo': echo_case,
    'tr': tr,
    'tar': tar,
    'head': simple(
        '-c,--bytes=@lines -n,--lines=@lines -q,--quiet --silent -v,--verbose -z,--zero-terminated',
        before=lambda r: [
            r.choice(['-1', '-3', '-2c', '-5q', '-1k', '-x', '-2v', '-0', '-3z', '-1cq'])
        ] if r.random() < .1 else []
    ),
    'tail': simple(
        '-c,--bytes=@lines -n,--lines=@lines -q,--quiet --silent -v,--verbose -z,--zero-terminated --retry '
        '-s,--sleep-interval=1|0.1|x|-1 --max-unchanged-stats=@num',
        before=lambda r: [r.choice(['-1', '+2', '-2c', '+3c', '-1l', '-x', '+1b', '-0', '+x', '-b', '-c', '+', '-3lx', '+5l'])] if r.random() < .12 else r.choice(
            [['-f'], ['-F'], ['--follow'], ['--follow=name'], ['--follow=descriptor'], ['--follow=x'], ['--fol=n']]
        ) + ['--pid=' + r.choice(['9999999', '9999999', '9999999', 'x', '0x', '']), '-s.01'] if r.random() < .07 else []
    ),
    'sort': simple(
        '-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort '
        '-i,--ignore-nonprinting -M,--month-sort -h,--human-numeric-sort -n,--numeric-sort -r,--reverse '
        '--sort=general-numeric|human-numeric|month|numeric|version|x|n -V,--version-sort --batch-size=2|3|1|x|0|99 '
        '-c,--check --check=quiet|silent|diagnose-first|x|q -C -k,--key=@key -k=@key -m,--merge '
        '-o,--output=out|a|d/none/x -s,--stable -S,--buffer-size=1M|1%|x|10K|0|1b -t,--field-separator=@delim '
        '-T,--temporary-directory=/tmp|. --parallel=1|2|0|x -u,--unique -z,--zero-terminated --debug '
        '--files0-from=n0|nope|/dev/null|- -R,--random-sort --sort=random --random-source=a|long|nope|/dev/zero|nil '
        '--compress-program=gzip|nosuch|cat', writes=True,
        before=lambda r: [r.choice(['+1', '+0', '+1 -2'.split()[0], '+1.2n', '+x'])] if r.random() < .03 else []
    ),
    'uniq': simple(
        '-c,--count -d,--repeated -D --all-repeated?=none|prepend|separate|x|p -f,--skip-fields=@small '
        '--group?=separate|prepend|append|both|x|a -i,--ignore-case -s,--skip-chars=@small -u,--unique '
        '-z,--zero-terminated -w,--check-chars=@small',
        FILES + ['nope', '-', 'out', 'dup', 'dup'], 0, 2, 3, True,
        before=lambda r: [r.choice(['-1', '+1', '-x', '-12'])] if r.random() < .05 else []
    ),
    'cut': simple(
        '-b,--bytes=@list -c,--characters=@list -d,--delimiter=@delim -f,--fields=@list -f=@list -f=@list -n '
        '--complement -s,--only-delimited --output-delimiter=@delim -z,--zero-terminated'
    ),
    'wc': simple(
        '-c,--bytes -m,--chars -l,--lines --files0-from=n0|nope|-|a|/dev/null -L,--max-line-length -w,--words',
        TREE + FILES
    ),
    'cp': simple(
        '-a,--archive --attributes-only --backup?=@control -b --copy-contents -d -f,--force -i,--interactive -H '
        '-l,--link -L,--dereference -n,--no-clobber -P,--no-dereference -p '
        '--preserve?=mode|timestamps|links|all|mode,links|x|ownership|mod|,|context|xattr '
        '--no-preserve=mode|timestamps|all|x|links,mode --parents -R,--recursive -r --reflink?=always|auto|never|x '
        '--remove-destination --sparse=always|auto|never|x --strip-trailing-slashes -s,--symbolic-link '
        '-S,--suffix=@suffix -t,--target-directory=d|de|nope|a|dln -T,--no-target-directory -u,--update -v,--verbose '
        '-x,--one-file-system -Z --context?=x',
        TREE + ['new', 'd', 'de', 'lock', 'secret'], 0, 3, 4, True,
        ['SIMPLE_BACKUP_SUFFIX=.s', 'VERSION_CONTROL=t', 'VERSION_CONTROL=x']
    ),
    'mv': simple(
        '--backup?=@control -b -f,--force -i,--interactive -n,--no-clobber --strip-trailing-slashes '
        '-S,--suffix=@suffix -t,--target-directory=d|de|nope|a|dln -T,--no-target-directory -u,--update -v,--verbose '
        '-Z --context',
        TREE + ['new', 'd', 'de', 'd/e/z'], 0, 3, 4, True,
        ['SIMPLE_BACKUP_SUFFIX=.s', 'VERSION_CONTROL=t']
    ),
    'rm': simple(
        '-f,--force -i -I --interactive?=never|once|always|x|no|yes|none --one-file-system --no-preserve-root '
        '--preserve-root?=all|x -r -R,--recursive -d,--dir -v,--verbose',
        TREE + ['..', './.', 'd/..'], 0, 3, 4, True
    ),
    'mkdir': simple(
        '-m,--mode=@mode -p,--parents -v,--verbose -Z --context?=x',
        [
            'x', 'x/y', 'd', 'a', 'd/n', 'nope/x', 'x/y/z', '', 'de/', 'dln/q', 'broken', './w', 'x/../y', 'a/b', '.',
            'x//z'
        ], 0, 3, 3, True
    ),
    'rmdir': simple(
        '--ignore-fail-on-non-empty -p,--parents -v,--verbose',
        ['d', 'de', 'd/e', 'nope', 'a', '.', 'dln', '', './de', 'de/', 'd/../de'], 0, 3, 3, True
    ),
    'ln': simple(
        '--backup?=@control -b -d,--directory -F -f,--force -i,--interactive -L,--logical -n,--no-dereference '
        '-P,--physical -r,--relative -s,--symbolic -S,--suffix=@suffix -t,--target-directory=d|nope|a '
        '-T,--no-target-directory -v,--verbose -s',
        TREE + ['new', 'd'], 0, 3, 4, True
    ),
    'touch': simple(
        "-a -c,--no-create -d,--date=@date -f -h,--no-dereference -m -r,--reference=a|nope|ln "
        "-t=202401021304|2402290101.30|x|13010000|0101010199.60 --time=modify|mtime|access|x|use|atime",
        [t for t in TREE if t != '-'] + ['new'], 0, 3, 3, True
    ),
    'chmod': simple(
        '-c,--changes -f,--silent --quiet -v,--verbose --no-preserve-root --preserve-root --reference=a|nope|exe '
        '-R,--recursive', TREE, 0, 3, 3, True,
        before=lambda r: [mode(r)]
    ),
    'diff': simple(
        "--normal -q,--brief -s,--report-identical-files -c -C=@small --context?=@small -u -U=@small "
        "--unified?=@small -e,--ed -n,--rcs -y,--side-by-side -W,--width=0|1|10|40|80|x|200|-1|130|12|7 "
        "--left-column --suppress-common-lines -p,--show-c-function -F,--show-function-line=@regex --label=@word "
        "-t,--expand-tabs -T,--initial-tab --tabsize=@small --suppress-blank-empty -r,--recursive --no-dereference "
        "-N,--new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case "
        "-x,--exclude=@glob -X,--exclude-from=a|nope|/dev/null -S,--starting-file=@file --from-file=a|d|nope "
        "--to-file=b|d -i,--ignore-case -E,--ignore-tab-expansion -Z,--ignore-trailing-space "
        "-b,--ignore-space-change -w,--ignore-all-space -B,--ignore-blank-lines -I,--ignore-matching-lines=@regex "
        "-a,--text --strip-trailing-cr -D,--ifdef=X|FOO --old-group-format=[%<]|%dn|x%=|%(e=l?a:b) "
        "--new-group-format=[%>]|%dN|%% --unchanged-group-format=|%=|=%dF --changed-group-format=<%<-%>>|%de,%df "
        "--line-format=%L|%l%c'\\012'|%5dn:%L|%x --old-line-format=-%L|- --new-line-format=+%l "
        "--unchanged-line-format=|=%L --old-group-format=%<--- -d,--minimal --horizon-lines=@small "
        "-H,--speed-large-files --color?=always|never|auto|x --palette=ad=1|rs=|x=2|de=31:ln=4 -l,--paginate",
        ['a', 'b', 'a', 'b', 'a', 'b', 'c.txt', 'd', 'd/e', 'nope', '-', 'dup', 'csv', 'ln', 'ha', 'z0', 'uni'], 1, 2, 4
    ),
    'date': lambda r, name: Case(
        name,
        *(lambda opts: (opts + ([('+' + datefmt(r))] if r.random() < .6 else []) + (['x'] if r.random() < .02 else []), '</dev/null', False, r.choice(['', '', '', 'TZ=America/New_York ', 'TZ=Asia/Kolkata ', 'TZ=XYZ-3:30 ']), opts))(
            ['-d', date(r)] + [
                w for w in flatten(
                    r,
                    rows(
                        '-I?=date|hours|minutes|seconds|ns|x --iso-8601?=date|hours|minutes|ns|second -R,--rfc-email '
                        '--rfc-3339=date|seconds|ns|x|s -u,--utc --universal --debug --resolution'
                    ),
                    r.choice([0, 0, 0, 1, 1, 2])
                ) if w != '--resolution'
            ]
        )
    ),
    'stat': simple(
        "-L,--dereference -t,--terse "
        "-c,--format=%n|%s|%a|%A|%F|%N|%U:%G|%u|%g|%h|%b|%B|%o|%y|%Y|%.Y|%.3Y|%10s|%-10n|%05a|%#a|%t|%T|%f|%q|%|%%|%010Y|%'s|%+s|%n\\n|%m|%r|%20N|%.2n|%C "
        "--printf=%n\\n|%s\\t|\\x41|%Y\\101|%N|\\q|\\ --cached=always|never|default|x",
        TREE + ['p', 'n\nl', 'q"x'], 0, 3, 2,
        envs=['QUOTING_STYLE=c', 'QUOTING_STYLE=x', 'TZ=Asia/Tokyo']
    ),
    'du': simple(
        '-0,--null -a,--all --apparent-size -B,--block-size=@size -b,--bytes -c,--total -D,--dereference-args '
        '-d,--max-depth=@small --files0-from=n0|nope|-|/dev/null -H -h,--human-readable --inodes -k -L,--dereference '
        '-l,--count-links -m -P,--no-dereference -S,--separate-dirs --si -s,--summarize -t,--threshold=@num '
        '-t=-1K|1K|5000 --time?=mtime|x --time-style=full-iso|long-iso|iso|+%Y|x -X,--exclude-from=nope|a|/dev/null '
        '--exclude=@glob -x,--one-file-system', TREE, 0, 3, 3,
        envs=['BLOCK_SIZE=1', 'DU_BLOCK_SIZE=human-readable', 'POSIXLY_CORRECT=1']
    ),
    'tee': simple(
        '-a,--append -i,--ignore-interrupts -p --output-error?=warn|warn-nopipe|exit|exit-nopipe|x|w',
        ['out', 'out', 'a', 'd', 'nope/x', '-', '', 'ro'], 0, 3, 2, True
    ),
    'nl': simple(
        '-b,--body-numbering=a|t|n|pa|p^|x||p[ -d,--section-delimiter=:|ab|xyz||\\\\ -f,--footer-numbering=a|t|n|x '
        '-h,--header-numbering=a|t|n -i,--line-increment=@small -l,--join-blank-lines=@small '
        '-n,--number-format=ln|rn|rz|x -p,--no-renumber -s,--number-separator=@word -v,--starting-line-number=@num '
        '-w,--number-width=@small'
    ),
    'paste': simple(
        "-d,--delimiters=,|:|ab||\\t|\\n|\\0|\\\\|,:|\\|é|\\x -s,--serial -z,--zero-terminated",
        FILES + ['-', '-', 'nope', 'd'], 0, 4
    ),
    'join': simple(
        '-a=1|2|3|x -e=@word -i,--ignore-case -j=@small -o=auto|1.1,2.1|0,1.2|0|1.x|2.2|1.1\\s2.2|0,0|a -t=@delim '
        '-v=1|2|x -1=@small -2=@small --check-order --nocheck-order --header -z,--zero-terminated',
        ['a', 'b', 'a', 'b', 'a', 'b', '-', 'nope', 'csv', 'dup', 'n1'], 1, 3
    ),
    'comm': simple(
        '-1 -2 -3 --check-order --nocheck-order --output-delimiter=@delim --total -z,--zero-terminated',
        ['a', 'b', 'a', 'b', 'a', 'b', '-', 'nope', 'csv', 'dup'], 1, 3
    ),
    'od': simple(
        '-A,--address-radix=d|o|x|n|q --endian=big|little|x -j,--skip-bytes=@num -N,--read-bytes=@num '
        '-S,--strings=@small -t,--format=x1|o2|d4|u8|c|a|x1z|fD|fF|d|x|x3|f4|xC|q|x1c|u|d2z|acx1|fL|x16|dL|o '
        '-v,--output-duplicates -w?,--width?=@small --traditional -a -b -c -d -f -i -l -o -s -x',
        FILES + ['z0', 'z0', 'long', '-', 'nope'], 0, 2, 3,
        before=lambda r: [] if r.random() < .95 else ['+1']
    ),
    'seq': simple(
        '-f,--format=%g|%03g|%f|%.2f|x%gy|%d|%|%g%g|%%%g|%e|%10g|%a|%5.1f|%\'g|%x -s,--separator=@word '
        '-w,--equal-width',
        [
            '1', '2', '5', '10', '-3', '0', '1.5', '.1', '3', '-1', '1e1', '0x5', 'x', '', '08', '-0', '2.50', '7',
            'nan', '100', ' 3', '1.000', '+4', '-.5'
        ], 0, 3, 2
    ),
    'fold': simple(
        '-b,--bytes -s,--spaces -w,--width=@num',
        before=lambda r: [r.choice(['-5', '-20', '-x'])] if r.random() < .1 else []
    ),
    'fmt': simple(
        '-c,--crown-margin -p,--prefix=@word -s,--split-only -t,--tagged-paragraph -u,--uniform-spacing '
        '-w,--width=@num -g,--goal=@num',
        before=lambda r: [r.choice(['-20', '-x5'])] if r.random() < .1 else []
    ),
    'tac': simple('-b,--before -r,--regex -s,--separator=@word'),
    'rev': simple('', FILES, 0, 2),
    'expand': simple(
        '-i,--initial -t,--tabs=4|1|2,5|3,x|0|4,/8|+3|x||8,4|2,+4',
        before=lambda r: [r.choice(['-4', '-2,5', '-x'])] if r.random() < .1 else []
    ),
    'unexpand': simple(
        '-a,--all --first-only -t,--tabs=4|1|2,5|0|x|/3',
        before=lambda r: [r.choice(['-4', '-2,5'])] if r.random() < .1 else []
    ),
    'basename': simple(
        '-a,--multiple -s,--suffix=.txt|x||a -z,--zero',
        ['a/b.txt', '/', '', 'x', 'a/', '.txt', '//', 'a//b//', '.txt', 'b.txt', '-'], 0, 3
    ),
    'dirname': simple('-z,--zero', ['a/b', '/', '', 'x', 'a/', '//', 'a//b//', '/a', './b', '..'], 0, 3),
    'readlink': simple(
        '-f,--canonicalize -e,--canonicalize-existing -m,--canonicalize-missing -n,--no-newline -q,--quiet '
        '-s,--silent -v,--verbose -z,--zero', TREE, 0, 3
    ),
    'realpath': simple(
        '-e,--canonicalize-existing -m,--canonicalize-missing -L,--logical -P,--physical -q,--quiet '
        '--relative-to=d|.|nope|/|a --relative-base=d|/home|. -s,--strip --no-symlinks -z,--zero', TREE, 0, 3
    ),
    'split': simple(
        '-a,--suffix-length=@small --additional-suffix=.x|a/b|y -b,--bytes=5|1k|0|x|10 -C,--line-bytes=10|20|0|3 -d '
        '--numeric-suffixes?=5|x|99 -x --hex-suffixes?=a|1 -e,--elide-empty-files --filter=cat -l,--lines=@small '
        '-n,--number=2|3|l/2|r/2|1/2|l/1/2|r/2/3|x|0|4/3 -t,--separator=a|\\0|ab|\\n -u,--unbuffered --verbose',
        FILES + ['-', 'nope', 'pre'], 0, 2, 3, True
    ),
    'cmp': simple(
        '-b,--print-bytes -i,--ignore-initial=@num -i=1:2|0 -l,--verbose -n,--bytes=@num -s,--quiet --silent',
        ['a', 'b', 'a', 'b', 'c.txt', '-', 'nope', 'd', 'dup', 'ln'], 1, 3, before=None
    ),
    'md5sum': simple(
        '-b,--binary -c,--check --tag -t,--text -z,--zero --ignore-missing -q,--quiet --status --strict -w,--warn'
    ),
    'base64': simple('-d,--decode -i,--ignore-garbage -w,--wrap=@num', FILES + ['-'], 0, 2),
    'truncate': simple(
        '-c,--no-create -o,--io-blocks -r,--reference=a|nope -s,--size=0|5|+3|-2|<4|>9|/4|%3|1K|x|-99|@',
        ['a', 'b', 'new', 'd', 'nope/x'], 0, 2, 2, True
    ),
    'expr': lambda r, name: Case(
        name,
        [
            r.choice(
                [
                    '1', '2', '+', '-', '*', '/', '%', '(', ')', 'a', 'abc', ':', '<', '<=', '=', '!=', '>=', '|', '&',
                    'length', 'substr', 'index', 'match', '0', '', '-5', 'a.*', '\\(b\\)', '10', '99999999999999999999',
                    '3', 'x', '1', ':', 'abc'
                ]
            ) for _ in range(r.choice([1, 3, 3, 3, 5, 4]))
        ]
    ),
    'pr': simple(
        '-2 -3 -a,--across -c,--show-control-chars -d,--double-space -e?=x|4 -F,--form-feed -h,--header=HEAD -i?=x|4 '
        '-J,--join-lines -l,--length=@num -m,--merge -n?=x|:3|2 -N,--first-line-number=@small -o,--indent=@small '
        '-r,--no-file-warnings -s?=x|: -S?=x -t,--omit-header -T,--omit-pagination -v,--show-nonprinting '
        '-w,--width=@num -W,--page-width=@num -D,--date-format=%Y',
        FILES[:], 1, 2
    ),
    'numfmt': simple(
        '--from=auto|si|iec|iec-i|none|x --to=auto|si|iec|iec-i|none|x -d,--delimiter=@delim --field=@list '
        '--format=%f|%10f|%.2f|%\'f|%05f|x|%d|%-8f|%s --from-unit=10|0|1K|x --to-unit=10|x --grouping '
        '--header?=1|2|x|0 --invalid=abort|fail|warn|ignore|x --padding=10|-10|0|x '
        '--round=up|down|from-zero|towards-zero|nearest|x --suffix=B|kB -z,--zero-terminated',
        [
            '1', '1K', '1000', '1.5', '1024', '1000000', '-5', '1Ki', '9.9G', 'x', '', '999999', '1500 x',
            '12345678901234', '0', '1B', '.5', '1e3', '1.5M'
        ], 0, 3
    ),
    'column': simple(
        '-t,--table -s,--separator=,|:|\\s -o,--output-separator=@word -c,--output-width=@num -x,--fillrows '
        '-n,--table-name=t -N,--table-columns=A,B -R,--table-right=1|A|x -H,--table-hide=1 -L,--keep-empty-lines '
        '-d,--table-noheadings -e,--table-header-repeat -J,--json', FILES, 0, 2
    ),
}
options_more.finish(COMMANDS, LS)


# ---- differences with a reason ----

def usage(case, a, b):
    head = re.compile(rb'(?i)(^|\n)usage: ')
    if a.status != b.status: return False
    return a.status == 0 and (
        head.search(a.out) or b'Copyright' in a.out or b' is free software' in a.out
    ) or a.out == b.out and head.search(a.err) and head.search(b.err) and len(a.err) > 600


def normal(case, x):
    """The result without what may rightly differ: inode and device numbers, times of a change."""
    out = x.out
    if case.name == 'stat':
        out = re.sub(rb'(Device: )\S+(\s+Inode: )\d+ *|((Change|Birth): )\S+ \S+', rb'\1\2\3', out)
        if case.has('t', 'terse'): out = re.sub(rb' [0-9a-f]+ \d+ (\d+) 0 0 (\d+) (\d+) \d+ \d+ ', rb' \1 \2 \3 ', out)
        if case.has('f', 'file-system') or b'%C' in case.line().encode(): out = b''
    if case.name in ('diff', 'ls'):
        out = re.sub(rb'20[2-9]\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000(?=\n| \.\.)', b'NOW', out)
    if case.name == 'find' and ('-ls' in case.units or '-fls' in case.units):
        out = re.sub(rb'(?m)^ *\d+( +\d+ [-dlp])', rb'\1', out)
    # and the checksum
    if case.name == 'tar':
        out = re.sub(rb'\x00153\d{8}\x00\d{6}\x00|\d\d ctime=\d+\.\d+', b'NOW', out)
    if case.name == 'sort' and '--random-source' not in case.line() and case.has('R', 'random-sort', 'sort'):
        out = lines(out)
    err = re.sub(rb'(Total bytes.*, )[^,]*/s\)', rb'\1', x.err)
    return (x.status, *options_more.normal(case, out, err, x.tree))


def lines(text):
    return sorted(text.split(b'\n'))


def same(a, b, *names):
    return all(getattr(a, n) == getattr(b, n) for n in names)


EXPLAINED = [
    ("--help and --version are the project's own text", usage),
    (
        "xargs -o without a terminal trips over an assertion of its own",
        lambda c, a, b: c.name == 'xargs' and b'Assertion' in a.err + a.out
    ),
    (
        "tail, tac: a directory of ext4 can seek, so the real tool fails elsewhere",
        lambda c, a, b: c.name in ('tail', 'tac') and b'Is a directory' in b.err
    ),
    (
        "find orders what has no side effects by its cost, even the arms of a comma: seen in messages, and in which "
        "arm's value counts",
        lambda c, a, b: c.name == 'find' and (
            ',' in c.units or (a.out == b.out and a.status == b.status and set(lines(a.err)) == set(lines(b.err))) or (
                a.out == b.out and (set(lines(a.err)) <= set(lines(b.err)) or set(lines(a.err)) >= set(lines(b.err)))
            )
        )
    ),
    (
        "find may look at the file it writes before the buffer is written",
        lambda c, a, b: c.name == 'find' and any(u.startswith('out') for u in c.units)
    ),
    (
        "du and nl say all bad options, we the first",
        lambda c, a, b: c.name in ('du', 'nl') and a.status == b.status and a.err.startswith(
            b.err[:b.err.index(b'\n') + 1] if b'\n' in b.err else b'?'
        )
    ),
    (
        "mv, cp: the target directory's own name is moved, or it is a link to the directory of the source",
        lambda c, a, b: c.name in ('mv', 'cp', 'ln') and any(
            u.rstrip('/') == 'dln' or u.endswith('=dln') or u == '-tdln' for u in c.units
        )
    ),
    (
        "stat - is the device that standard input is, with the machine's numbers",
        lambda c, a, b: c.name == 'stat' and '-' in c.units
    ),
    (
        "sed w /dev/stdout with --posix: the pipe of the test belongs to root",
        lambda c, a, b: c.name == 'sed' and b'/dev/stdout: Permission denied' in a.err
    ),
    (
        "date --debug: the order of two messages, and digits of %N",
        lambda c, a, b: c.name == 'date' and '--deb' in c.line() and a.out == b.out and a.status == b.status
    ),
    (
        "diff -F, -I: an interval with nothing before it is literal in the real one's dialect",
        lambda c, a, b: c.name == 'diff' and b'Invalid preceding regular expression' in b.err
    ),
    (
        "sort --debug in the locale C underlines bytes, we characters",
        lambda c, a, b: c.name == 'sort' and 'LC_ALL=C' in c.env and c.has('', 'debug')
    ),
    ("awk -t is refused by name", lambda c, a, b: c.name == 'awk' and b'option -t is not supported' in b.err),
    (
        "a closed standard input is complained about once more when the real tool ends",
        lambda c, a, b: '<&-' in c.stdin and a.out == b.out and a.err.startswith(
            b.err
        ) and a.err.count(b'\n') == b.err.count(b'\n') + 1
    ),
    (
        "a closed or full output of sed, awk: the words of the failure",
        lambda c, a, b: c.name in ('sed', 'awk') and c.to in (
            ' >&-', ' >/dev/full'
        ) and b'rror' in a.err + b'error' and lines(a.err)[:-2] == lines(b.err)[:-2]
    ),
    (
        "sh is dash there, bash here: how it says what it did not find",
        lambda c, a, b: b'sh: 1: ' in a.err and b'sh: line 1: ' in b.err
    ),
    (
        "PCRE2 with its JIT takes characters above 127 for none of \\W",
        lambda c, a, b: c.name == 'grep' and '\\W' in c.line()
    ),
    (
        "touch - is standard output, which belongs to root in the test",
        lambda c, a, b: c.name == 'touch' and '-' in c.units and b"setting times of '-'" in a.err
    ),
    (
        "jq: what is first where both outputs are one",
        lambda c, a, b: c.name == 'jq' and c.to == ' 2>&1' and len(a.out) == len(b.out)
    ),
    (
        "cp into itself: what comes before that is found, by the order of inode numbers",
        lambda c, a, b: c.name == 'cp' and b'into itself' in a.err
    ),
    (
        "tar -r, -u, -A to a file that is no archive",
        lambda c, a, b: c.name == 'tar' and same(a, b, 'status', 'out', 'err') and any(
            u in '-r -u -A --append --update --catenate --concatenate'.split() for u in c.units
        )
    ),
    ("jq's library of C has another text for ELOOP", lambda c, a, b: c.name == 'jq' and b'Too many levels' in a.err),
    (
        "awk warns of invalid multibyte data",
        lambda c, a, b: c.name == 'awk' and b'Invalid multibyte data' in a.err and lines(
            re.sub(rb'(?m)^.*Invalid multibyte data.*\n', b'', a.err)
        ) == lines(b.err) and a.out == b.out
    ),
    (
        "tar -z: the bytes that gzip's compression gives are not zlib's",
        lambda c, a, b: c.name == 'tar' and (
            'z' in c.line().split('; tar')[-1].split(' -- ')[0]
        ) and same(a, b, 'status', 'err')
    ),
    (
        "sort -R without a source is random",
        lambda c, a, b: c.name == 'sort' and '--random-source' not in c.line() and c.has('R', 'random-sort', 'sort')
    ),
    (
        "a full or closed output: what is said once more at the end of the real tool",
        lambda c, a, b: c.to in (
            ' >/dev/full', ' >&-'
        ) and a.status == b.status and set(lines(b.err)) <= set(lines(a.err))
    ),
    ("the real tool crashed", lambda c, a, b: a.status == 134 and c.name == 'jq'),
    (
        "cd with POSIXLY_CORRECT in front: a loop of links",
        lambda c, a, b: c.name == 'cd' and 'POSIXLY' in c.env and 'loop' in c.line()
    ),
    ("the machine's own /etc/passwd was replaced while the test ran", lambda c, a, b: b'cloudsdk' in a.out),
    (
        "tar: whether the compressor that ends early is noticed by a write",
        lambda c, a, b: c.name == 'tar' and b'Broken pipe' in a.err and a.status == b.status
    ),
    (
        "awk: an operand anchor that is repeated is optional in gawk's DFA",
        lambda c, a, b: c.name == 'awk' and re.search(
            r'[\\^$][?*{]', c.line()
        ) and a.status == b.status and a.err == b.err
    ),
    (
        "tar -j, -J: the time of now in what is compressed",
        lambda c, a, b: c.name == 'tar' and c.has('jJ', 'bzip2', 'xz', 'lzma', 'zstd') and same(a, b, 'status', 'err')
    ),
    (
        "tar -T reads its list when it is needed, we with the options",
        lambda c, a, b: c.name == 'tar' and c.has('T', 'files-from') and a.status == b.status
    ),
    (
        "tar -s: names in the order of the archive; -K with other names",
        lambda c, a, b: c.name == 'tar' and c.has('sK', 'same-order', 'preserve-order', 'starting-file')
    ),
    ("jq's library of C has another text", lambda c, a, b: c.name == 'jq' and b'File name too long' in a.err),
    (
        "awk: a rebuilt record in BEGINFILE",
        lambda c, a, b: c.name == 'awk' and 'BEGINFILE' in c.line() and same(a, b, 'status', 'err')
    ),
    (
        "awk: gawk's empty matches fall between the bytes of a character",
        lambda c, a, b: c.name == 'awk' and 'sub(' in c.line() and same(a, b, 'status', 'err') and re.search(
            rb'[\x80-\xff]', a.out
        )
    ),
    ("awk: an internal limit of gawk", lambda c, a, b: c.name == 'awk' and b'cannot reallocate' in a.err),
    (
        "awk: after an unterminated regexp the real one says no more",
        lambda c, a, b: c.name == 'awk' and b'unterminated regexp' in a.err + b.err and a.status == b.status
    ),
    ("the size of the trees' entries in a real /dev", lambda c, a, b: c.name == 'ls' and '/dev/null' in c.units),
    ("the real tools' / is read-only in the test", lambda c, a, b: b'Read-only file system' in a.err),
    (
        "awk: the line in a message between records is that of what ran last",
        lambda c, a, b: c.name == 'awk' and re.sub(
            rb'cmd\. line:\d+: ', b'', a.err
        ) == re.sub(rb'cmd\. line:\d+: ', b'', b.err) and same(a, b, 'status', 'out')
    ),
    (
        "awk: an error that the parser says twice or once",
        lambda c, a, b: c.name == 'awk' and set(lines(a.err)) == set(lines(b.err)) and same(a, b, 'status', 'out')
    ),
    (
        "rm, mv: a directory as standard input that answers were asked of",
        lambda c, a, b: c.name in ('rm', 'mv', 'cp') and b'error closing file' in a.err
    ),
    (
        "awk: where output by a pipe or to a file comes when the program dies",
        lambda c, a, b: c.name == 'awk' and '| "cat"' in c.line() and a.status == b.status and a.err == b.err
    ),
    ("awk dies of an error of its own", lambda c, a, b: c.name == 'awk' and b'internal error: segfault' in a.err),
    (
        "LC_ALL=C printf: characters of more than a byte as numbers, and \\u",
        lambda c, a, b: c.name == 'printf' and 'LC_ALL=C' in c.env
    ),
] + options_more.EXPLAINED
