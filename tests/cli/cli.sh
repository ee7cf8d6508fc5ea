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
is "--json status" 3 "$("$tsb" --json -c 'echo out; echo err >&2; exit 3' | field status)"
is "--json stdout" "out" "$("$tsb" --json -c 'echo out; echo err >&2; exit 3' | field stdout)"
is "--json stderr" "err" "$("$tsb" --json -c 'echo out; echo err >&2; exit 3' | field stderr)"
is "--json bytes" "/w==" "$("$tsb" --json -c "printf '\377'" | field stdout_b64)"
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
echo "1..$n"
exit $bad
