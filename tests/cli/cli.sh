#!/bin/bash
# cli.sh PROGRAM: the program's options, input forms, statuses and JSON; TAP.
tsb=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
bad=0
# is TITLE EXPECTED GOT
is() {
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		bad=1
		printf 'not ok %d - %s\n# want %q\n# got  %q\n' "$n" "$1" "$2" "$3"
	fi
}
field() { python3 -c 'import json, sys; r = json.load(sys.stdin); print(r[sys.argv[1]])' "$1"; }

is "-c" "hello" "$("$tsb" -c 'echo hello')"
is "-c with name and arguments" "me a b" "$("$tsb" -c 'echo "$0" "$@"' me a b)"
"$tsb" -c 'exit 7'
is "status is the script's" 7 $?
echo 'echo "$1 from $0"' >"$dir/s.sh"
is "a file with arguments" "x from $dir/s.sh" "$("$tsb" "$dir/s.sh" x)"
cat >"$dir/source.sh" <<'X'
f() { echo "${BASH_SOURCE[*]##*/} ${FUNCNAME[*]} ${-//[!cs]/}"; }
f
[[ $0 == "${BASH_SOURCE[0]}" ]] && echo main
echo "${BASH_EXECUTION_STRING-none}"
X
is "a file is bash's script file" "$(bash "$dir/source.sh")" "$("$tsb" "$dir/source.sh")"
is "standard input is bash's" "$(bash <"$dir/source.sh")" "$("$tsb" <"$dir/source.sh")"
is "bash -c" "$(bash -c 'f() { echo "${BASH_SOURCE[*]} ${FUNCNAME[*]} ${-//[!cs]/}"; }; f')" \
	"$("$tsb" -c 'f() { echo "${BASH_SOURCE[*]} ${FUNCNAME[*]} ${-//[!cs]/}"; }; f')"
printf 'echo hi\nif true; fi\n' >"$dir/wrong.sh"
is "a wrong file is told of as bash does" "$(bash "$dir/wrong.sh" 2>&1)" "$("$tsb" "$dir/wrong.sh" 2>&1)"
is "script on standard input" 3 "$(echo 'echo $((1 + 2))' | "$tsb")"
is "standard input reaches the script" 2 "$(printf 'a\nb\n' | "$tsb" -c 'wc -l')"
"$tsb" "$dir/none" 2>/dev/null
is "no such file" 127 $?
"$tsb" --nonsense 2>/dev/null
is "unknown option" 2 $?
is "--env" "1 /home/user" "$("$tsb" --env A=1 -c 'echo "$A $HOME"')"
is "--cwd" /tmp "$("$tsb" --cwd /tmp -c pwd)"
is "bytes pass unchanged" "ff 00 fe" "$("$tsb" -c "printf '\377\0\376'" | od -An -tx1 | sed 's/^ //')"
mkdir -p "$dir/m/sub"
echo text >"$dir/m/sub/f"
is "--mount" text "$("$tsb" --mount "$dir/m:/data" -c 'cat /data/sub/f; echo changed > /data/sub/f')"
is "the host is not changed" text "$(cat "$dir/m/sub/f")"
is "--mount :ro" "Read-only file system" \
	"$("$tsb" --mount "$dir/m:/data:ro" -c 'echo x > /data/new' 2>&1 | sed 's/.*: //')"
"$tsb" --mount "$dir/none:/data" -c true 2>/dev/null
is "--mount of nothing fails" 2 $?
is "--mount :ro of one file" "tinysandbox: bad mount 'F:/f:ro': read-only is for directories: give 'F' its own, or leave out ':ro'" \
	"$("$tsb" --mount "$dir/m/sub/f:/f:ro" -c true 2>&1 | sed "s|$dir/m/sub/f|F|g")"
is "--json status" 3 "$("$tsb" --json -c 'echo out; echo err >&2; exit 3' | field status)"
is "--json stdout" "out" "$("$tsb" --json -c 'echo out; echo err >&2; exit 3' | field stdout)"
is "--json stderr" "err" "$("$tsb" --json -c 'echo out; echo err >&2; exit 3' | field stderr)"
is "--json bytes" "/w==" "$("$tsb" --json -c "printf '\377'" | field stdout_b64)"
is "--analyze" "destructive 2 rm True a 1" "$(printf 'rm "a b"\necho $x > f\n' | "$tsb" --analyze | python3 -c 'import json, sys
a = json.load(sys.stdin); c = a["commands"]
print(a["risk"], len(c), c[0]["words"][0], c[0]["words"][1] == "a b", a["redirections"][0]["path"].replace("f", "a"), len(a["unset"]))')"
"$tsb" --analyze -c 'if' >/dev/null
is "--analyze of a syntax error" 2 $?
is "--analyze runs nothing" "" "$("$tsb" --analyze -c 'echo "$(echo ran >&2)"' 2>&1 >/dev/null)"
is "--limit stops, and is named" "124 wall_ms" "$("$tsb" --json --limit wall_ms=50 -c 'while ((1)); do ((i++)); done' |
	python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["status"], r["limit"])')"
"$tsb" --limit nonsense=1 -c true 2>/dev/null
is "unknown limit" 2 $?
is "--virtual-time" done "$(timeout 20 "$tsb" --virtual-time -c 'sleep 1000000; echo done' --limit wall_ms=100000000000)"
is "--list-commands has ls" ls "$("$tsb" --list-commands | grep -x ls)"
"$tsb" --snapshot "$dir/snap" -c 'mkdir d; echo kept > d/f; cd d; x=5; f() { echo "$x"; }'
is "--restore: files and session" "kept 5 /home/user/d" \
	"$("$tsb" --restore "$dir/snap" -c 'echo "$(cat f) $(f) $PWD"')"
head -c 300 "$dir/snap" >"$dir/short"
"$tsb" --restore "$dir/short" -c true 2>/dev/null
is "a damaged snapshot is refused" 2 $?
batch() { "$tsb" --batch | python3 -c 'import json, sys
for line in sys.stdin:
    r = json.loads(line); print(r.get("status"), r.get("stdout"), sorted(r.get("read", {}).items()), "error" in r)'; }
is "--batch" "0 hi
 [('f', 'x'), ('g', None)] False" \
	"$(echo '{"script": "echo hi; printf x > f", "read": ["f", "g"]}' | batch)"
is "--batch: a malformed line gets an error, the next is served" "None None [] True
0 None [] False" "$(printf '{"script": \n{"script": ""}\n' | batch | sed 's/^0  /0 None /')"
is "--batch: files, stdin, args, env" "0 abc in 1 E
 [] False" "$(echo '{"script": "echo $(cat d/f) $(cat) $1 $X", "files": {"d/f": "abc"}, "stdin": "in", "args": ["1"],
 "env": {"X": "E", "PATH": "/bin"}}' | tr -d '\n' | batch)"
# What the program says of itself.
is "--help" "Usage: tinysandbox [OPTION]... -c SCRIPT [NAME [ARG]...]" "$("$tsb" --help | head -1)"
is "--version" "tinysandbox" "$("$tsb" --version | head -1 | cut -d' ' -f1)"
is "--list-limits" "wall_ms" "$("$tsb" --list-limits | head -1 | cut -d' ' -f1)"
is "a bad option names itself" "tinysandbox: unrecognized option '--nonsense'
Try 'tinysandbox --help' for more information." "$("$tsb" --nonsense 2>&1)"
"$tsb" --list-commands >/dev/full 2>/dev/null
is "a full device" 1 $?
# Scripts that cannot be read.
is "a folder as a script" "tinysandbox: cannot read $dir: Is a directory 126" "$(echo $("$tsb" "$dir" 2>&1; echo $?))"
echo 'echo private' >"$dir/private"
is "standard input that cannot be read" 2 "$("$tsb" <"$dir" 2>/dev/null; echo $?)"
# Environment, folders, limits.
is "--env without a value takes ours" "here none" "$(OURS=here "$tsb" --env OURS --env NOTHERE -c 'echo "$OURS ${NOTHERE-none}"')"
is "--env in the place of a default" /x "$("$tsb" --env HOME=/y --env HOME=/x -c 'echo $HOME')"
is "--hostname" h "$("$tsb" --hostname h -c hostname)"
"$tsb" --cwd relative -c true 2>/dev/null
is "--cwd must be absolute" 2 $?
is "--cwd must be there" "tinysandbox: cannot open /none: No such file or directory" "$("$tsb" --cwd /none -c pwd 2>&1)"
is "--cwd may come from a mount" /m "$("$tsb" --mount "$dir:/m" --cwd /m -c pwd)"
is "--env needs a name" "tinysandbox: bad --env '=x': it has no name (NAME=VALUE or NAME)" "$("$tsb" --env =x -c true 2>&1)"
is "--hostname is a name" "tinysandbox: bad --hostname 'a b': 1 to 64 bytes without space and '/'" \
	"$("$tsb" --hostname 'a b' -c true 2>&1)"
is "- is standard input" "bash x" "$(echo 'echo $0 $1' | "$tsb" - x)"
is "--mount says which limit" "tinysandbox: cannot copy in $dir/s.sh: No space left on device; to allow more: --limit fs_bytes=N, fs_entries=N" \
	"$("$tsb" --limit fs_bytes=1 --mount "$dir/s.sh:/x" -c true 2>&1)"
is "a limit may be more than there is" 3 "$("$tsb" --limit descriptors=18446744073709551615 --limit word_bytes=18446744073709551615 -c 'x=$(printf %100000s); echo 3')"
for m in nocolon :/x "$dir/m:relative" "$dir/m:/x:rx" "$dir/m:/etc/passwd"; do
	"$tsb" --mount "$m" -c true 2>/dev/null
	status=$?
	is "--mount ${m##*/} is refused" 2 $status
done
is "--mount :rw" changed "$("$tsb" --mount "$dir/m:/data:rw" -c 'echo changed >/data/sub/f; cat /data/sub/f')"
is "--mount of a directory, read-only" text "$("$tsb" --mount "$dir/m/sub:/one:ro" -c 'cat /one/f')"
"$tsb" --limit wall_ms -c true 2>/dev/null
is "a limit without a value" 2 $?
# Snapshots.
"$tsb" --snapshot "$dir/none/snap" -c true 2>/dev/null
is "a snapshot that cannot be written" 2 $?
"$tsb" --snapshot "$dir/m" -c true 2>/dev/null
is "a snapshot in the place of a folder" 2 $?
ls "$dir"/m.new >/dev/null 2>&1
is "leaves nothing beside it" 2 $?
"$tsb" --restore "$dir/none" -c true 2>/dev/null
is "a snapshot that is not there" 2 $?
# Signals and readers that go.
timeout -s INT 0.5 "$tsb" -c 'while ((1)); do ((i++)); done' 2>/dev/null
is "an interrupt ends the run" 124 $?
is "a reader that goes ends the run" y "$(timeout 10 "$tsb" -c 'yes' 2>/dev/null | head -1)"
"$tsb" --json -c 'echo x' >/dev/full 2>/dev/null
is "--json on a full device" 2 $?
is "--json: stop, commands, pipes" "time None 2 [2]" "$("$tsb" --json --limit wall_ms=300 -c 'echo a | cat; sleep 100' | python3 -c 'import json, sys
r = json.load(sys.stdin); print(r["stop"], r["stop"] if r["limit"] != "wall_ms" else None, len(r["commands"]), r["pipe_bytes"])')"
is "--json: limits of memory and commands" "memory commands" "$(for l in memory_bytes=8000000 commands=2; do
	"$tsb" --json --limit $l -c 'x=a; ls >/dev/null; ls >/dev/null; ls >/dev/null; while :; do x=$x$x; done' |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["stop"])'; done | tr '\n' ' ' | sed 's/ $//')"
is "--json: truncated output" "True False" "$("$tsb" --json --limit stdout_bytes=100 -c 'seq 1000' |
	python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["stdout_truncated"], r["stderr_truncated"])')"
# Batch: files of every kind, in and out.
is "--batch: kinds of files" "0 drwx------ dir
-rwxr-xr-x 1000000000
l
/w==
 [('bin', {'b64': '/w=='}), ('d', {'dir': True}), ('l', {'link': 'run'}), ('l2', {'link': {'b64': 'gA=='}}), ('nope', None), ('run', 'echo')] False" "$(echo '{"script":
 "stat -c \"%A dir\" d; stat -c \"%A %Y\" run; [ -L l ] && echo l; base64 bin; ln -s \"$(printf \"\\200\")\" l2; mkfifo p",
 "files": {"d": {"dir": true, "mode": 448}, "run": {"content": "echo", "mode": 493, "mtime": 1000000000}, "l": {"link": "run"},
 "bin": {"b64": "/w=="}}, "read": ["run", "d", "l", "l2", "bin", "nope"]}' | tr -d '\n' | batch)"
is "--batch: what is not looked at is refused" "scirpt: there is no such key in a request
env: 'A=B' is no name" "$(printf '%s\n' '{"scirpt": "echo", "script": ":"}' '{"script": ":", "env": {"A=B": "x"}}' | "$tsb" --batch |
	python3 -c 'import json, sys
for line in sys.stdin: print(json.loads(line)["error"])')"
is "--batch: bytes as lone surrogates" "0 ff fe 41
 [] False" "$(echo '{"script": "printf \"\udcff\ud83d\ude00\ud83d\udca9\udcfeA\" | od -An -tx1 | sed \"s/ f0 9f 98 80 f0 9f 92 a9//;s/^ //\""}' | batch)"
why() { "$tsb" --batch | python3 -c 'import json, sys
for line in sys.stdin: print(json.loads(line)["error"])'; }
is "--batch: what cannot be served says why" "a request is an object
script: a text is needed
cwd must be absolute
cwd: cannot make the directory /etc/passwd: Not a directory
limits: nope: unknown name or bad value
limits: wall_ms: unknown name or bad value
files: x: neither text nor base64
files: x: neither text nor base64
files: cannot write /etc: Is a directory
files: cannot make the link /etc: File exists
args: must be a list of texts without NUL
env: must be an object of texts without NUL
lone surrogates beside private-use characters
bad JSON at byte 1: '[' or '{' expected near 'x'" "$(printf '%s\n' '[]' '{}' '{"script": "", "cwd": "x"}' '{"script": "", "cwd": "/etc/passwd"}' \
	'{"script": "", "limits": {"nope": 1}}' '{"script": "", "limits": {"wall_ms": "1"}}' '{"script": "", "files": {"x": 5}}' \
	'{"script": "", "files": {"x": {"b64": "@"}}}' '{"script": "", "files": {"/etc": ""}}' '{"script": "", "files": {"/etc": {"link": "x"}}}' \
	'{"script": "", "args": [1]}' '{"script": "", "env": {"A": 1}}' '{"script": "\udc80'"$(printf '\364\217\276\200')"'"}' '' 'x' | why)"
is "--batch: of another type is not taken" "cwd: must be a text without NUL
cwd: must be a text without NUL
name: must be a text without NUL
read: must be a list of paths
read: must be a list of paths
read: must be a list of paths
stdin: must be a text, or {\"b64\": ...}
limits: must be an object
files: must be an object
script: must be a text
args: must be a list of texts without NUL
files: x: mode: must be a number from 0 to 4095 (JSON has no octal)
files: x: mtime: must be a number of seconds
files: x: dir: must be true or false
files: x: link: must be a text without NUL
files: x: needs one of content, b64, dir and link
files: x: needs one of content, b64, dir and link
files: x: size: there is no such key in a file" "$(for pair in '"cwd": 5' '"cwd": "/a\u0000b"' '"name": []' '"read": "f"' \
	'"read": [5]' '"read": {"f": 1}' '"stdin": 5' '"limits": []' '"files": []' '"script": 5' '"args": {}' \
	'"files": {"x": {"content": "", "mode": "0755"}}' '"files": {"x": {"content": "", "mtime": "now"}}' \
	'"files": {"x": {"dir": 1}}' '"files": {"x": {"link": ["f"]}}' '"files": {"x": {"content": "", "link": "f"}}' \
	'"files": {"x": {"mode": 7}}' '"files": {"x": {"content": "", "size": 1}}'; do
	case $pair in *script*) echo "{$pair}" ;; *) echo "{\"script\": \"\", $pair}" ;; esac
done | why)"
is "--batch: null is not there" "0 ok
 [] False" "$(echo '{"script": "echo ok", "cwd": null, "name": null, "read": null, "env": null, "files": null, "limits": null,
 "stdin": null, "args": null}' | tr -d '\n' | batch)"
is "--batch goes with nothing else" "2 2 2" "$(echo $(for o in '--limit wall_ms=1' '--mount /x:/x' '-c true'; do
	"$tsb" --batch $o </dev/null 2>/dev/null; echo $?; done))"
is "--analyze runs nothing" "tinysandbox: --analyze runs nothing: it goes with -c and FILE only" "$("$tsb" --analyze --env A=1 -c true 2>&1)"
is "a limit that lets no shell begin is named" "tinysandbox: cannot start a run: the limit memory_bytes (0) is less than a shell begins with
tinysandbox: cannot start a run: the limit memory_bytes (5000) is less than a shell begins with
tinysandbox: cannot start a run: the limit descriptors (2) is less than a shell begins with" "$(
	for l in memory_bytes=0 memory_bytes=5000 descriptors=2; do "$tsb" --limit $l -c true 2>&1; done)"
# (a program with a sanitizer begins with terabytes of addresses)
is "where the host has no memory for a process it is said" "" "$(ldd "$tsb" | grep -q libasan || for v in 12000 15000 20000 25000 30000; do
	out=$( (ulimit -v $v; timeout 20 "$tsb" -c 'echo ok') 2>&1) || [ -n "$out" ] || echo "nothing with $v"; done)"
# The prompt, on a terminal.
prompt() { python3 -c 'import os, pty, sys, select
pid, fd = pty.fork()
if pid == 0: os.execv(sys.argv[1], [sys.argv[1]] + sys.argv[2:])
out = b""
for line in sys.stdin.buffer.read().split(b"\n") + [b"\x04"]:
    while True:
        if out.endswith((b"$ ", b"> ")): break  # with the blank, which the echo of a line has not
        if not select.select([fd], [], [], 20)[0]: break
        try: got = os.read(fd, 4096)
        except OSError: got = b""
        if not got: break
        out += got
    out += b"|"
    os.write(fd, line + (b"\n" if line != b"\x04" else b""))
# A ^D that comes before the editor has set up the terminal becomes a NUL in the line: that is killed, and ^D typed again.
try:
    while True:
        if not select.select([fd], [], [], 1)[0]: os.write(fd, b"\x15\x04")
        got = os.read(fd, 4096) if select.select([fd], [], [], 1)[0] else b" "
        if not got: break
        out += got
except OSError: pass
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), " ".join(w for w in out.decode().replace("\r", "").replace("\x1b[?2004l", "").split("\n") if w.startswith("=")))' "$@"; }
is "the prompt" "3 =one =1 =2 =kept =tty" "$(printf 'x=kept; echo =one\nfor i in 1 2; do\necho =$i\ndone\necho =$x\n[ -t 0 ] && echo =tty\n(exit 3)' | timeout 60 bash -c "$(declare -f prompt); prompt '$tsb' -i")"
echo "1..$n"
exit $bad
