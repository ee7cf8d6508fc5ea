#!/usr/bin/env python3
"""Random programs of awk, sed, jq, find, bc ... and random pipelines, run on the real tools and on the sandbox: what differs?

    tests/fuzz/pipes.py BINARY [--seed N] [--runs N] [--only AREA,...] [--scratch DIR]

Where options.py draws options, this draws the small languages inside of the tools, and data that flows through several of them. It runs
them as options.py does (so it needs root, too), in C.UTF-8 and C; the status of every stage counts, the order of two stages' messages and
who met a broken pipe do not. What differs is made smaller and printed. The same seed gives the same commands.
"""
import argparse, collections, os, random, re, shlex
import options, options_table as table
from options_table import printf, quote, text

options.LIMITS['wall_ms'] = 15000
FILTERS = ('cat head tail sort uniq cut tr wc grep nl od paste fold fmt tac rev column expand unexpand base64 xxd numfmt hexdump strings cksum '
           'sum base32 hd pr ptx tsort col colrm').split()
R = random.Random()


def c(*choices): return R.choice(choices)
def some(make, *counts): return [make() for _ in range(c(*counts))]


def num():
    return c('0', '1', '2', '3', '5', '7', '10', '42', '-1', '-7', '1.5', '-2.25', '1e3', '1e300', '1e-5', '0x1f', '010', '99999999999999999999', '9007199254740993',
             '18446744073709551616', '3.14159', '.5', '5.', '+3', '-0', '2147483648', '-9223372036854775808')


# ---- awk ----

def awk_regex(): return '/' + c('a', '[0-9]+', '^', '$', '.', 'o', '(a|b)', '[[:alpha:]]+', '\\.', 'b*', 'x?', 'a{2}', '[^,]*', 'é', '\\<', '\\y', '\\w+', 'e$', ' +', ',', '[A-Z]', '(.)(.)', 'the|fox', '\\s', '\\/', '[/]') + '/'
def awk_format(): return '"' + ''.join(some(lambda: c('%', '%', '%-', '%0', '%+', '% ', '%#') + c('', '', '5', '10', '.3', '8.2', '3', '.0', '12.5') + c(*'dsfgexociuXGE%') + c('', ' ', '|', ',', '\\n'), 1, 1, 2)) + '"'


def awk_expr(d=0):
    x = R.random()
    e = lambda: awk_expr(d + 1)
    if d > 3 or x < .3: return c('$0', '$1', '$2', '$3', 'NF', 'NR', '$NF', '$(NF-1)', 'x', 'y', 'a[1]', 'a[$1]', 'FNR', '"a"', '"10"', '"abc"', '""', 'length', 'length($1)', '"é"', num(), num())
    if x < .55: return f"({e()} {c('+', '-', '*', '/', '%', '^', ' ', ' ', '==', '<', '>', '!=', '<=', '~', '!~', '&&', '||', '**')} {e()})"
    if x < .62: return f'({e()} ? {e()} : {e()})'
    if x < .67: return c('-', '!', '+') + f'({e()})'
    if x < .71: return c('x', 'y', '$2', 'a[$1]', 'a["k"]', 'n') + c('++', '--')
    if x < .75: return f"({c('x', 'y', '$2', '$5', 'a[$1]', 'a[NR]', 'n')} {c('=', '+=', '-=', '*=', '/=', '%=', '^=')} {e()})"
    call = c('length(E)', 'substr(E,E)', 'substr(E,E,E)', 'index(E,E)', 'toupper(E)', 'tolower(E)', 'int(E)', 'sqrt(E)', 'exp(E)', 'log(E)', 'sin(E)', 'atan2(E,E)', 'sprintf(F,E)', 'split(E,b,S)', 'split(E,b)', 'match(E,X)', 'match(E,X,b)',
             'gsub(X,T)', 'gsub(X,T,$1)', 'gsub(X,T,x)', 'sub(X,T)', 'sub(X,T,$2)', 'gensub(X,"<\\\\1>","g")', 'gensub(X,T,2)', '(E in a)', 'strtonum(E)', 'and(E,E)', 'or(E,E)', 'lshift(E,3)', 'xor(E,E)', 'compl(E)', 'strftime("%F %T",E,1)',
             'mktime("2024 02 30 12 00 00")', 'typeof(x)', 'typeof($1)', 'asort(a)', 'asorti(a,b)', 'patsplit(E,b,X)', 'RSTART', 'RLENGTH')
    return re.sub(r'\b[EFSXT]\b', lambda m: {'E': e, 'F': awk_format, 'X': awk_regex, 'S': lambda: c('""', '" "', '","', '/,/', '/[0-9]/', '"|"', '"."'), 'T': lambda: c('"X"', '"[&]"', '"\\\\&"', '"\\\\\\\\&"', '""', '$1')}[m[0]](), call)


def awk_statement(d=0):
    e, s = lambda: awk_expr(1), lambda: awk_statement(d + 1)
    x = R.random()
    if d > 2 or x < .45: return c(lambda: f'print {e()}', lambda: f'print {e()}, {e()}', lambda: 'print', lambda: f'printf {awk_format()}"\\n", {e()}', lambda: f'printf("%s %d\\n", {e()}, {e()})')()
    if x < .6: return e()
    return c(lambda: f'if ({e()}) {s()}; else {s()}', lambda: f'for (i = 1; i <= NF && i < 9; i++) {{ {s()} }}', lambda: 'for (k in a) n++', lambda: f'{{ {s()}; {s()} }}', lambda: f'delete a[{e()}]', lambda: f"${c('1', '2', '5', 'NF', '0', '(NF+1)')} = {e()}",
             lambda: f'NF = {c(1, 2, 5, 0)}', lambda: 'next', lambda: f'a[{e()}] = {e()}', lambda: f'a[$1] += {e()}', lambda: f'while (w1 < 3) {{ w1++; {s()} }}', lambda: f"PROCINFO[\"sorted_in\"] = \"{c('@ind_str_asc', '@ind_num_asc', '@val_num_desc', '@val_str_asc')}\"; for (k in a) print k, a[k]",
             lambda: f"exit {c('', 1, 3)}", lambda: 'getline', lambda: 'OFS = "-"; $1 = $1; print', lambda: f'do {{ {s()} }} while (w2++ < 2)', lambda: 'switch ($1) { case "a": print "A"; break; case /[0-9]/: print "num"; break; default: print "d" }')()


def awk():
    parts = ['BEGIN { %s }' % c('FS = ","', 'OFS = "-"', 'FS = ":"; OFS = "|"', 'FS = "\\t"', 'RS = ""', 'RS = ";"', 'FS = ""', 'FIELDWIDTHS = "2 3 4"', 'FPAT = "[^,]*"', 'CONVFMT = "%.3g"', 'OFMT = "%.2f"', 'IGNORECASE = 1', 'RS = "[0-9]"', 'RS = "\\n\\n+"', 'FS = "[ ,]+"', 'SUBSEP = ":"', 'FS="|"', 'RS = "^$"')] if R.random() < .3 else []
    parts += some(lambda: c('', '', '', 'NR > 1 ', 'NR == 2 ', '/a/ ', '/the/,/fox/ ', '!seen[$0]++ ', 'NF ', '$2 > 3 ', 'NR % 2 ', 'END ', awk_expr(1) + ' ') + '{ ' + '; '.join(some(awk_statement, 1, 1, 2)) + ' }', 1, 1, 2)
    flags = [c('-F,', '-F:', "-F'\\t'", "-F'|'", "-F' '", "-F'[,:]'", '-Ft', "-F';'", "-F'\\|'", '-F.', "-v'x=3x'", '-vx=0x1f', "-v 'x=a\\tb'", '-P', '-c', '-n', '-b')] if R.random() < .3 else []
    return ' '.join(['awk'] + flags + [quote(' '.join(parts))])


# ---- sed ----

def sed_regex(extended):
    atoms = ['a', 'o', '.', '[0-9]', '[a-z]*', '^', '$', 'the', 'x', '[^,]*', ',', ' ', '\\.', 'é', '[[:alpha:]]', '\\w', '\\b', '[[:space:]]\\+', '\\s', 'e$', '^a', '\\n', '.*', '\\t', '\\W', '\\<', '\\>', '\\x41', '[\\n]', '[]x]']
    atoms += ['(a|b)', '[0-9]+', '(.)(.)', 'a{2}', '(.)\\1', 'x?', '([a-z]+) ([a-z]+)', 'a|b', '(^|,)', '()'] if extended else ['\\(a\\|b\\)', '[0-9]\\+', '\\(.\\)\\(.\\)', 'a\\{2\\}', '\\(.\\)\\1', '\\([a-z]*\\) \\([a-z]*\\)', 'a\\|b', '(', '*a']
    return ''.join(some(lambda: c(*atoms), 1, 1, 1, 2))


def sed_address(e):
    one = lambda: c('1', '2', '3', '$', '0~2', '1~3', '/' + sed_regex(e) + '/' + c('', 'I', 'M'))
    x = R.random()
    return '' if x < .4 else one() + c('', '', '!') if x < .7 else c(one(), one(), '0') + ',' + c('3', '$', '2', '+1', '+2', '~2', '/' + sed_regex(e) + '/') + c('', '', '!')


def sed_command(e, d=0):
    x = R.random()
    if x < .5:
        s = c('/', '/', '/', '|', '#', ',', '@')
        new = ''.join(some(lambda: c('X', '&', '', '\\1', '\\n', '-', '[&]', '\\U&', '\\L&\\E', '\\u&', 'é', '\\t', '\\2\\1', '\\&', '\\x26', 'a'), 1, 1, 2))
        return 's' + s + sed_regex(e).replace(s, '.') + s + new.replace(s, '') + s + c('', '', 'g', 'g', '2', 'p', 'gp', 'I', '3g', 'm', 'w /dev/stdout', '2p')
    if d < 2 and x < .58: return '{' + '; '.join(some(lambda: sed_address(e) + sed_command(e, d + 1), 1, 2, 3)) + '}'
    return c('p', 'd', 'n', 'N', 'D', 'P', 'h', 'H', 'g', 'G', 'x', '=', 'l', 'q', 'Q', 'q3', 'l 10', 'l 1', 'z', 'F', 'y/abc/xyz/', 'y/é/e/', 'y/\\n/ /', 'a\\\nfoo', 'a foo', 'i\\\n  bar', 'i bar', 'c\\\nnew', 'c new', 'a\\  foo\\\nbar', '$!N', 'N;P;D', 'b', 't', 'T', 'D', 'x;p;x', '1!G;h;$!d', 'r b', 'R b', 'w /dev/stdout', 'n;d',
             's/x/\\n/;P;D', '=;=', '{p', '}', 's/a/b/x', 's//X/', 'y/a/', 'k', ':a;s/^\\(.*\\)a/\\1X/;ta', '$!N;$!D', '/a/{x;p;x;}', '/./,/^$/!d', 's/./\\U&/', 's/\\w\\+/[&]/2g')


def sed():
    flags = some(lambda: c('-n', '-E', '-r', '-s', '-z', '-u', '-l5', '--posix', '-n', '-E'), 0, 1, 1, 2)
    e = '-E' in flags or '-r' in flags
    program = lambda: c('; ', ';', '\n').join(some(lambda: sed_address(e) + sed_command(e), 1, 1, 2, 3))
    return ' '.join(['sed'] + flags + (['-e', quote(program()), '-e', quote(program())] if R.random() < .2 else [quote(program())]))


# ---- jq ----

JQ = ('keys length add sort unique reverse type tostring tonumber ascii_downcase to_entries from_entries floor sqrt tojson fromjson @csv @tsv @sh @html @uri @base64 @base64d @text @json min max flatten any all not values first last explode implode keys_unsorted '
      'transpose paths leaf_paths tostream todate isnan utf8bytelength error halt_error debug input inputs significand logb round ceil fabs combinations env|type [recurse]|length').split() + [
      'ltrimstr("a")', 'startswith("a")', 'test("a")', 'match("a";"g")', 'capture("(?<n>[a-z]+)")', 'scan("[a-z]")', 'split(",")', 'join(",")', 'sub("a";"b")', 'gsub("a";"b")', 'strftime("%Y-%m-%d")', 'limit(2;.[]?)', 'splits(", ")', 'indices(",")', 'has("a")', 'has(0)', 'contains("a")',
      'range(3)', '@csv "\\(.)"', '@sh "e \\(.)"', 'getpath(["a"])', 'gsub("";"-")', 'gsub("^";">")', 'sub("(?<x>.)";"\\(.x)!")', '[match("";"g").offset]', 'pow(.;2)', 'walk(.)', 'min_by(.a)', 'test("A";"i")', 'splits("a";"g")', '[.[]?]|@csv', '[.[]?]|@tsv', 'INDEX(.a)', 'ascii', 'dateadd("seconds";1)', 'mktime', 'gmtime']


def jq_expr(d=0):
    e = lambda: jq_expr(d + 1)
    x = R.random()
    if d > 3 or x < .35: return c('.', '.a', '.b', '.[0]', '.[]', '.[]?', '.a?', '.c.d', '.["a"]', '.[-1]', '.[1:]', '.[:-1]', '1', '"s"', 'null', 'true', '[]', '{}', '.a.b?', '..', 'length', '"x\\(.)y"', '[1,2,3]', '{"a":1}', '-1', '1.5', '.[2:4]', '"é"', '0.1', '100000000000000000000', '.[1.5]', 'empty', '.foo', 'input_line_number', '.[]?.a', '1e1000')
    if x < .5: return f"({e()} {c('+', '-', '*', '/', '%', '==', '<', '>=', 'and', 'or', '//', '|', ',', '|')} {e()})"
    if x < .6: return c('[%s]', '(%s)', 'try (%s)', '{a:(%s)}', '(%s)?', '-(%s)', '"\\(%s)"') % e()
    if x < .66: return f'if {e()} then {e()} else {e()} end'
    if x < .7: return f"({e()} as $x | {e().replace('.a', '$x', 1)})"
    if x < .74: return c('reduce .[]? as $i (0; . + %s)', '[foreach .[]? as $i (0; .+1; %s)]', '[limit(3; %s)]', 'first(%s)', 'label $f | %s, break $f', 'try error(%s) catch .', 'path(%s)', 'del(%s)', 'to_entries|%s', 'with_entries(%s)', 'map(%s)', 'map_values(%s)', 'select(%s)', 'sort_by(%s)', 'group_by(%s)', 'unique_by(%s)', 'any(%s)', 'walk(%s)', 'has(%s)', 'contains(%s)', 'index(%s)', 'join(%s)', 'split(%s)', 'test(%s)', 'range(%s)', 'flatten(%s)', 'getpath(%s)', 'setpath(["a"];%s)', 'error(%s)', 'input|%s') % e()
    if x < .8: return f"{c('.a', '.[0]', '.b', '.[]?', '.a[1]', '.c.d', '.[1:]')} {c('=', '|=', '+=', '-=', '*=', '/=', '//=')} {e()}"
    return e() + ' | ' + c(*JQ)


def json(d=0):
    x = R.random()
    if d > 3 or x < .5: return c('0', '1', '-1', '1.5', '"a"', '"b"', '""', 'null', 'true', 'false', '"é"', '"a,b"', '1e3', '1E-7', '100000000000000000000', '0.1', '"\\u0000"', '"\\ud83d\\ude00"', '"1"', '"2024-01-02T03:04:05Z"', '1.0', '-0', '1700000000', '"<&>\'\\""', '3.14159265358979', '1e1000', '1e17', '[]', '{}', '"\\t\\n"', '"日本"')
    if x < .75: return '[' + c(',', ', ').join(some(lambda: json(d + 1), 1, 2, 3)) + ']'
    return '{' + ','.join(f'"{k}":{json(d + 1)}' for k in R.sample(['a', 'b', 'c', 'd', 'x y', 'é', '1'], c(1, 2, 3))) + '}'


def json_data():
    s = c('\n', ' ').join(some(lambda: c(json(), f'{{"a":{json(1)},"b":{json(1)}}}', f'[{{"a":{json(2)},"b":{json(2)}}},{{"a":{json(2)}}}]'), 1, 1, 1, 2, 3))
    if R.random() < .08: s = c(s[:R.randrange(len(s) + 1)], s + c('x', ',', '{', ']', '\0'))
    return s.encode() + c(b'\n', b'\n', b'')


def jq():
    flags = some(lambda: c('-r', '-c', '-n', '-s', '-S', '-e', '-j', '-R', '-a', '--tab', '--indent 1', '--arg x 1', "--argjson x '{\"a\":1}'", '--stream', '--seq', '-sR', '-nR', '-C'), 0, 1, 1, 2)
    return ' '.join(['jq'] + flags + [quote(jq_expr())])


# ---- find, date, printf, bc, stat, seq, xargs ----

def find_test():
    return c('-name ' + quote(c('*', '*.txt', 'a*', '?', '[ab]*', 'd', '.*', '*e*', '[!a]*')), '-path ' + quote(c('./d/*', '*/x', 'd')), '-type f', '-type d', '-type l', '-type f,d', '-size +0', '-size -2', '-size 1k', '-size +10c', '-empty', '-newer a', '-mtime +100', '-mmin +5', '-perm 644', '-perm -u+x', '-perm /111', '-maxdepth 1', '-mindepth 1', '-depth',
             '-links +1', '-readable', '-executable', '-newermt 2015-01-01', '-regex ' + quote(c('.*/[a-c]', './d.*')), "-lname '*'", '-samefile a', '-user root', '-xtype f', '-xtype l', '-true', '-false', '-prune', '-name d -prune -o -print', '-quit', '-print', '-print0',
             '-printf ' + quote(c('%f\\n', '%p %s\\n', '%y %m %M\\n', '%TY-%Tm-%Td %TH:%TM:%TS\\n', '%d %h %f %P\\n', '%l|%Y\\n', '%5s|%-5f|\\n', '%T@ %p\\n', '%H %P\\n', '%.3f|%08s\\n', '\\101%%\\t%#m\\n', '%a\\n', '%TF\\n')), '-exec echo {} \\;', '-exec echo {} +', '-exec echo x{}y \\;', '-execdir echo {} \\;', '-exec false {} \\;', '-exec test -f {} \\; -print',
             '-name', '-type x', '-size x', '-foo', '-exec echo', '-perm 9', '-printf', '-not', '-a', '-newerXY a', '-exec sh -c ' + quote('echo "$0" "$@"') + ' {} +', '-ok echo {} \\;', '-size +1M', '-fprintf /dev/stdout %p')


def find():
    body = c(' ', ' ', ' -o ', ' -a ', ' , ').join(some(lambda: c('', '', '! ') + find_test(), 1, 1, 2, 2, 3))
    if R.random() < .15: body = f"\\( {body} \\){c('', ' -print', ' -o -print')}"
    return f"find {c('', '', '-L ', '-H ', '-P ')}{' '.join(some(lambda: c('.', 'd', '.', 'a', 'nope', 'd/', 'dln', './d'), 1, 1, 2))} {body}"


def date():
    how = c('-I', '-Iseconds', '-R', '--rfc-3339=ns', '-Ins', '-Ihours', '--rfc-email') if R.random() < .2 else quote('+' + table.datefmt(R))
    return f"{c('', '', 'TZ=Europe/Berlin ', 'TZ=America/New_York ', 'TZ=Asia/Kolkata ', 'TZ=EST5EDT ', 'TZ=JST-9 ')}date {c('', '-u ')}-d {quote(table.date(R))} {how}"


def printf_command():
    form = ''.join(some(lambda: c('%', '%', '%-', '%0', '%+', '% ', '%#', "%'") + c('', '', '5', '10', '.3', '8.2', '*', '.0', '.*', '-3') + c(*'dsfgexociuXGEbqaA%z', '(%F)T') + c('', ' ', '|', '\\n', '\\t', '\\x41', '\\101', '\\u00e9', '\\c', '\\', '\\q', 'é'), 1, 1, 2, 3))
    return c('printf ', 'printf ', '/usr/bin/printf ') + ' '.join([quote(form)] + some(lambda: quote(c(num(), num(), 'abc', 'é', '日本', "'a", '"é', 'a\\tb', '\\0101', '', "it's", 'a\nb', '1,000', '0x', '08', '1e5000')), 0, 1, 2, 3))


def bc_expr(d=0):
    e = lambda: bc_expr(d + 1)
    x = R.random()
    if d > 3 or x < .35: return c('1', '2', '3', '10', '0', '7', '1.5', '.25', '100', '2.718281828', '99999999999999999999999', 'x', '.', '0.001', 'FF', 'scale', 'last', '12345.6789')
    if x < .75: return f"({e()}{c('+', '-', '*', '/', '%', '^2', '==', '<', '>=', '!=', '&&', '||', '+')}{e()})"
    return c('sqrt(%s)', 'length(%s)', 'scale(%s)', '-(%s)', '!(%s)', '(%s)^3', 'x=%s', 'x+=%s') % e()


def bc():
    head = c('', 'scale=2;', 'scale=20;', 'obase=2;', 'obase=16;', 'ibase=16;', 'define f(n){if(n<=1)return 1;return n*f(n-1)};f(20);', 'for(i=0;i<3;i++)i;', 'x=5;', 'if(x)1 else 2;', '"hi";', 'print "a\\n",1,"b\\n";', 'a[1]=3;a[1];')
    return f"echo {quote(head + bc_expr() + c('', ';' + bc_expr()))} | bc {c('', '-l', '-q', '-s', '-w')}"


def stat():
    form = ' '.join(some(lambda: c('%n', '%s', '%a', '%A', '%f', '%F', '%h', '%y', '%Y', '%U', '%u', '%g', '%G', '%N', '%10s', '%-10n|', '%05a', '%.3Y', '%+s', '%#a', '%%', '%q', '%', '\\n', '%.10n', "%'s"), 1, 2, 3))
    return f"stat {c('-c ', '--printf=', '--format=', '-L -c ')}{quote(form)} {' '.join(some(lambda: quote(c('a', 'b', 'd', 'ln', 'nope', 'broken', 'n1', '.', 'dln/', 'sp ace', '')), 1, 2))}"


def seq(): return f"seq {c('', '-w ', '-s, ', '-f%g ', '-f%03.0f ', '-f %e ', '-f %s ', '-w -s: ')}{' '.join(some(lambda: c('1', '5', '10', '-5', '0', '0.5', '1.5', '-0.1', '2', '100', '1e2', '08', '0x10', 'x', '3', '-1', '.1', '010'), 1, 2, 2, 3, 3))} | head -c 300"


def xargs():
    flags = some(lambda: c('-n2', '-n 1', '-0', '-d,', '-I{}', '-t', '-r', '-L1', '-L 2', '-P1', '-s 40', '-x', "-d '\\n'", '-E x', '-e', '-i', '-a b', '-n0', '-I %', '-n x', '-s 5', '-s 12', '--max-args=3'), 0, 1, 1, 2)
    return ' '.join(['xargs'] + flags + [c('', 'echo', 'echo a', "printf '%s|'", 'echo {} x{}', "sh -c 'echo \"$#\" \"$@\"' _", 'false', 'nope', "sh -c 'exit 255'", "sh -c 'exit 3'", 'echo %', 'wc -c')])


def filter_(name=None):
    """A filter with options, but without files."""
    for _ in range(50):
        case = table.make(R, name or c(*[n for n in FILTERS if n in table.COMMANDS]))
        words = [u for u in case.units if case.name == 'tr' or u not in table.FILES + table.TREE + table.ODD or u.startswith('--')]
        if not (case.name == 'tail' and any(re.match(r'-(\w*[fF]|-f|-re)', u) for u in words) or case.name == 'grep' and case.has('rR', 'recursive')):
            return ' '.join([case.word] + [quote(u) for u in words])
    return 'cat'


# ---- cases ----

MAKERS = {'awk': awk, 'sed': sed, 'xargs': xargs}
ALONE = {'find': find, 'date': date, 'printf': printf_command, 'bc': bc, 'stat': stat, 'seq': seq}
AREAS = ['pipe', 'filter', 'awk', 'sed', 'jq', 'xargs', *ALONE]


def data():
    x = R.random()
    if x < .6: return text(R)
    if x < .8: return b'\n'.join(some(lambda: c(b'a', b'the fox', b'10 20', b'x,y,z', '日本 é'.encode()) * c(1, 1, 100), 1, 3, 6)) + c(b'\n', b'')
    if x < .92: s = c(',', ' ', '\t', ':', ', '); return '\n'.join(s.join([c('alice', 'bob', 'carol', 'é'), str(R.randint(0, 1000)), c('x', '1.5', '2024-01-02', '')]) for _ in range(c(3, 8, 20))).encode() + b'\n'
    return bytes(R.randrange(256) for _ in range(c(1, 10, 100)))


class Pipe(table.Case):
    """Stages; each is a list of words, or of one text that is not taken apart."""
    def __init__(self, area, stages, locale):
        super().__init__(area, [])
        self.stages, self.locale = stages, locale

    def line(self):
        body = ' | '.join(self.stages)
        if len(self.stages) > 1: body += '; echo "${PIPESTATUS[@]}"'
        return f'(export LC_ALL=C; {body})' if self.locale else body

    def smaller(self):
        if self.locale: yield Pipe(self.name, self.stages, False)
        for i in range(1, len(self.stages)):
            if len(self.stages) > 2: yield Pipe(self.name, self.stages[:i] + self.stages[i + 1:], self.locale)
        for i, stage in enumerate(self.stages):
            try: words = shlex.split(stage)
            except ValueError: continue
            if words[0] == 'printf' and not i: continue
            put = lambda new: Pipe(self.name, self.stages[:i] + [' '.join(map(quote, new))] + self.stages[i + 1:], self.locale)
            for j in range(1, len(words)):
                if len(words) > 2: yield put(words[:j] + words[j + 1:])
                for n in (len(words[j]) // 2, len(words[j]) // 5, 4, 1):
                    if 0 < n < len(words[j]):
                        for at in range(0, len(words[j]) - n + 1, max(n, len(words[j]) // 16)): yield put(words[:j] + [words[j][:at] + words[j][at + n:]] + words[j + 1:])


def make(area):
    source = lambda: c(printf(data()), 'cat ' + quote(c(*table.FILES)))
    if area == 'jq': stages = [printf(json_data()), jq()]
    elif area in ALONE: stages = [ALONE[area]()]
    elif area == 'pipe': stages = [source()] + some(lambda: c(filter_, filter_, filter_, awk, sed)(), 2, 2, 3)
    elif area == 'filter': stages = [source(), filter_()]
    else: stages = [source(), MAKERS[area]()]
    return Pipe(area, stages, R.random() < .25)


def normal(result):
    """Without what chance decides; and a usage text is in words of our own."""
    err = re.sub(rb'[^\n]*Broken pipe\n', b'', result.err)
    err = re.sub(rb'line \d+: ', b'', err)
    usage = err.find(b'sage: ')
    return (result.status if result.status != 141 else 0, re.sub(rb'\b141\b', b'0', result.out), bytes(sorted(err if usage < 0 else err[:usage])))


def parts(real, ours):
    return None if real is None else [False] if ours is None else [x == y for x, y in zip(normal(real), normal(ours))]


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument('binary'); a.add_argument('--seed', type=int, default=1); a.add_argument('--runs', type=int, default=3000)
    a.add_argument('--only', default=','.join(AREAS)); a.add_argument('--scratch', default='build/options-home')
    a = a.parse_args()
    areas, pair = a.only.split(','), options.Pair(a.binary, os.path.abspath(a.scratch))
    total, differ, seed = 0, collections.Counter(), a.seed
    while total < a.runs:
        area = areas[seed % len(areas)]
        R.seed(f'{seed} {area}')
        fixture = table.fixture(R, area if area in table.COMMANDS else 'cat')
        cases = [make(area) for _ in range(60)]
        total += len(cases)
        found = [[case, *both] for case, both in zip(cases, pair.both(fixture, cases)) if not all(parts(*both) or [True])]
        differ[area] += len(found)
        found = found[:12]
        active = [f for f in found if f[2] is not None]
        for _ in range(12):
            tries = [(f, smaller) for f in active for smaller in list(f[0].smaller())[:60]]
            active = []
            kinds = {id(f): parts(*f[1:]) for f, _ in tries}
            for at in range(0, len(tries), 150):
                some_tries = tries[at:at + 150]
                for (f, smaller), (real, ours) in zip(some_tries, pair.both(fixture, [t for _, t in some_tries], False)):
                    if not any(f is x for x in active) and ours is not None and parts(real, ours) == kinds[id(f)]:
                        f[:] = smaller, real, ours
                        active.append(f)
            if not active: break
        for case, real, ours in found: options.show(case, f'{seed} {area}', real, ours)
        print(end='', flush=True)
        seed += 1
    pair.end()
    print(f'{total} runs, seeds {a.seed} to {seed - 1}: {sum(differ.values())} differ;', ', '.join(f'{k} {v}' for k, v in differ.items() if v))


if __name__ == '__main__':
    main()
