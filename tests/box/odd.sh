#!/bin/bash
# odd.sh TINYBOX: standard streams that are closed, full or not read, what a terminal would obey, records of other
# types, a directory that is gone. Where no wall is needed. TAP.
tinybox=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/tap.sh"
dir=$(mktemp -d /tmp/tbxodd-XXXXXX)
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state
trap 'tb rm -f $(tb ls -q) >/dev/null 2>&1; rm -rf "$dir"' EXIT
tb() { timeout 30 "$tinybox" "$@"; }
box=$(tb create --sandbox passthrough --network open 2>/dev/null)

# ---- streams ----
tb create 2>err >&-
is "a box's name that cannot be told" "70 tinybox: create: standard output cannot be written" "$? $(cat err)"
tb exec "$box" echo x 2>err >&-
is "output that cannot be written" "70 tinybox: exec: the output cannot be written: Bad file descriptor" "$? $(cat err)"
tb exec "$box" true >&-
is "... and none" 0 $?
is "no standard error" "a 0" "$(echo $(tb exec "$box" sh -c 'echo a; echo b >&2' 2>&-; echo $?))"
is "no standard input" "x" "$(tb exec -i "$box" sh -c 'cat; echo x' <&-)"
tb exec "$box" echo x 2>err >/dev/full
is "a full device" "70 tinybox: exec: the output cannot be written: No space left on device" "$? $(cat err)"
for words in ls "inspect $box" --help "exec --help" --version "ps $box" events "audit $box" "ls --json" doctor; do
	tb $words >/dev/full 2>err
	is "a full device: $words" "70 1" "$? $(grep -c 'standard output cannot be written' err)"
done
# a reader that holds the pipe and never reads: the command gets the signal, and we end
mkfifo pipe
sleep 1000 <>pipe &
reader=$!
"$tinybox" exec "$box" sh -c 'echo $$ >$0; exec yes' "$dir/started" >pipe &
writer=$!
pid=$(cat started 2>/dev/null)
while ! [ "$pid" ]; do sleep 0.1; pid=$(cat started 2>/dev/null); done
python3 -c 'import fcntl, os, sys, termios, struct, time
fd = os.open("pipe", os.O_RDWR | os.O_NONBLOCK)
while struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0] < 60000: time.sleep(0.05)'
kill -TERM $writer
wait $writer
is "nobody reads: SIGTERM is heard" "143 gone" "$? $(tail --pid="$pid" -f /dev/null; echo gone)"
kill $reader
is "a slow reader gets all" "$(seq 100000 | md5sum)" "$(tb exec "$box" seq 100000 | (read -r one; { echo "$one"; cat; } | md5sum))"
is "a socket, too" 588895 "$(python3 -c 'import socket, subprocess, sys
a, b = socket.socketpair()
p = subprocess.Popen(sys.argv[1:], stdout=b)
b.close()
n = 0
while True:
    got = a.recv(100)
    if not got: break
    n += len(got)
print(n)' "$tinybox" exec "$box" seq 100000)"
is "the pipe of others is as it was" 0 "$(tb exec "$box" echo | python3 -c 'import fcntl, os; os.read(0, 1)
print(fcntl.fcntl(0, fcntl.F_GETFL) & os.O_NONBLOCK)')"

# ---- what a terminal would obey ----
csi=$'\xc2\x9b' esc=$'\e'
tb exec "$box" true "${csi}31m" "${esc}[31m" $'\x9b31m' x$'\n'y
is "ps" "true ?31m ?[31m ? x?y" "$(tb ps "$box" | tail -1 | cut -f7)"
screen() { python3 -c 'import os, pty, sys
pid, fd = pty.fork()
if not pid: os.execv(sys.argv[1], sys.argv[1:])
out = b""
while True:
    try: got = os.read(fd, 4096)
    except OSError: break
    if not got: break
    out += got
print(out.count(b"\xc2\x9b"), out.count(b"\\u009b"))' "$@"; }
is "events on a terminal" "0 1" "$(screen "$tinybox" events "$box" | sed 's/ [1-9].*/ 1/')"
is "JSON on a terminal" "0 1" "$(screen "$tinybox" ps --json "$box")"
is "... and in a pipe the letter itself" 1 "$(tb ps --json "$box" | grep -c "$csi")"
is "colours on a terminal only" "True 0 0" "$(colours() { python3 -c 'import os, pty, sys
pid, fd = pty.fork()
if not pid: os.execv(sys.argv[1], sys.argv[1:])
out = b""
while True:
    try: got = os.read(fd, 4096)
    except OSError: break
    if not got: break
    out += got
n = out.count(b"\x1b[")
print(n > 1 and n % 2 == 0 if n else 0)' "$@"; }
	echo "$(colours "$tinybox" ls) $(NO_COLOR=1 colours "$tinybox" ls) $(tb ls | grep -c "$esc\[")")"
tb exec -w "/${esc}[31m${csi}1m" "$box" true 2>err
has "what could not be done" "/?[31m?1m: the working directory" "$(cat err)"
is "an error is written in one piece" 1 "$(ASAN_OPTIONS=detect_leaks=0 strace -e trace=write -o trace "$tinybox" exec -w /nowhere "$box" true 2>/dev/null; grep -c 'write(2,' trace)"
is "output in JSON is text if it is UTF-8" "é${csi}" "$(tb exec --json "$box" printf "é$csi" |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["out"])')"
is "... and its bytes if not" "{'hex': 'c3'}" "$(tb exec --json "$box" printf '\303' |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["out"])')"

# ---- records of other types: named or used, never fatal ----
other=$(tb create --persistent)
cp "state/boxes/$other/record.json" kept
for key in spec.lifecycle.kind placement.workspace placement.workspace.sandbox spec.env state spec.ports report target; do
	for value in null -1 '[]' '{"a": []}' '"x"'; do
		python3 -c 'import json, sys
r = json.load(open("kept")); at = r; keys = sys.argv[1].split(".")
for k in keys[:-1]: at = at[k]
at[keys[-1]] = json.loads(sys.argv[2])
json.dump(r, open(sys.argv[3], "w"))' "$key" "$value" "state/boxes/$other/record.json"
		worst=0
		for words in ls "inspect $other" "stop $other" "start $other" "exec $other true"; do
			tb $words >/dev/null 2>&1
			status=$?
			[ $status -le 127 ] || worst="$status by $words"
		done
		is "$key: $value" 0 "$worst"
	done
done
cp kept "state/boxes/$other/record.json"
mkdir state/boxes/-rf
tb ls >out 2>err
is "a directory with no name of a box" "0 tinybox: ls: $dir/state/boxes/-rf: it has no name of a box; remove it if it is yours" "$? $(cat err)"
rmdir state/boxes/-rf
mv state/events events.kept && mkfifo state/events
tb events >/dev/null
is "a pipe in the place of the events is not waited for" 0 $?
rm state/events && mv events.kept state/events

# ---- ls tells what is, not what was written down ----
server=$(python3 -c 'import fcntl, struct, sys
f = open(sys.argv[1], "r+")
print(struct.unpack("hhqqi", fcntl.fcntl(f, fcntl.F_GETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 1, 0))[:28])[4])' "state/boxes/$box/run/lock")
kill -9 "$server"
while kill -0 "$server" 2>/dev/null; do sleep 0.1; done
is "a box whose server was killed" "lost ready" "$(tb ls | grep "^$box" | cut -f3) $(tb ls --quick | grep "^$box" | cut -f3)"
tb start "$box" >/dev/null 2>&1
is "... can be started again" "0 ready" "$? $(tb ls | grep "^$box" | cut -f3)"

# ---- a directory that is gone ----
mkdir gone there && echo kept >there/f
(cd gone && rmdir ../gone && tb sync --to "$dir/there" 2>"$dir/err")
is "sync of a working directory that is gone" "70 kept" "$? $(cat there/f)"
has "... is said" "No such file or directory" "$(cat err)"
tap_end
