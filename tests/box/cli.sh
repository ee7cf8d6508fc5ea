#!/bin/bash
# cli.sh TINYBOX: what `tinybox` says and how it ends, where no wall is needed. TAP.
tinybox=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/tap.sh"
dir=$(mktemp -d /tmp/tbxcli-XXXXXX)
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state
trap 'tb rm -f $(tb ls --quick -q) >/dev/null 2>&1; rm -rf "$dir"' EXIT
tb() { timeout 30 "$tinybox" "$@"; }
pass=(--sandbox passthrough --network open)
json() { python3 -c 'import json, sys
d = json.load(sys.stdin)
for k in sys.argv[1:]: d = d[int(k) if k.isdigit() else k]
print(d)' "$@"; }

# ---- words that are refused: status 2, one clear line, nothing made ----
while IFS= read -r words; do
	eval "tb $words" >out 2>err </dev/null
	is "usage: $words" 2 $?
	is "... says one thing" 1 "$(grep -c '^tinybox: ' err)"
done <<'END'

nonsense
--nonsense
create --memory 0
create --memory 10x
create --memory -1
create --cpus 0
create --cpus many
create --pids 0
create --pids 99999999999999999999
create --disk ''
create --ttl 0
create --ttl soon
create --ttl 1h --persistent
create --network some
create --allow x:1
create --network egress --allow x
create --network egress --allow x:0
create --network egress --allow x:65536
create --network egress --allow 'a b:1'
create --publish x
create --publish 0
create --publish 1:2:3:4
create --publish 65536
create --env =x
create --label x
create --label '=x'
create --accept everything
create --name -x
create --name .x
create --name a/b
create --name ''
create --name box-7
create --name xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
create --sandbox docker9
create --host rsh:x
create --host ssh:x:22
create --ssh-port 22
create --host ssh:x --ssh-port 0
create --dir /no/such
create --dir /etc/passwd
create --image /no/such
create --dir / --image /
create --cwd relative
create --workspace /a/../..
create --workspace relative
create --workspace /
create --hostname 'a b'
create extra
exec
exec box-1
exec box-1 --
exec box-1 -e A=1 true
exec --stdin some box-1 true
exec --timeout 0 box-1 true
exec --timeout x box-1 true
exec --output-limit 0 box-1 true
exec -i --stdin none box-1 true
exec -d -t box-1 true
spawn --stdin stream box-1 true
exec ../x true
kill --signal NONE box-1 p1
kill --signal 99 box-1 p1
inspect -- -x
cp a b
cp box-1:a box-2:b
stop --grace x box-1
completion ksh
rm
wait box-1
run
END
is "nothing was made" "" "$(ls state/boxes 2>/dev/null)"

# ---- no such box ----
for words in "exec box-1 true" "inspect box-1" "rm box-1" "ps box-1" "stop box-1" "start box-1" "logs box-1 p1" \
	"kill box-1 p1" "wait box-1 p1" "pause box-1" "cp /etc/passwd box-1:/x"; do
	tb $words >/dev/null 2>err
	is "no such box: $words" 70 $?
	has "... is said" "there is no box box-1" "$(cat err)"
done
is "as JSON too" unknown "$(tb inspect --json box-1 2>/dev/null | json error code)"
tb rm -f box-1 >/dev/null
is "rm -f of nothing" 0 $?
is "ls of nothing" "" "$(tb ls)"
is "as JSON" '{"boxes":[],"damaged":[]}' "$(tb ls --json)"
tb --store /dev/null/x ls 2>err
is "no place for the state" 70 $?
has "... is said" "state directory" "$(cat err)"

# ---- plans are pure ----
plan=$(tb create --dry-run --json --memory 512m --env A=1 --publish 127.0.0.1:8080:80 --network open)
is "dry run: memory" 536870912 "$(json box spec resources memory <<<"$plan")"
is "dry run: port" 8080 "$(json box spec ports 0 host <<<"$plan")"
is "dry run: wall" virtual "$(json box placement workspace sandbox <<<"$plan")"
is "nothing was made by it" "" "$(ls state/boxes)"

# ---- help, completions ----
for verb in attach audit completion cp create doctor events exec inspect kill logs ls pause ps reap resume rm run shell spawn start \
	stop ttl wait; do
	has "help of $verb" "Usage: tinybox $verb" "$(tb $verb --help)"
done
tb completion bash >c.bash && bash -n c.bash
is "completion for bash" 0 $?
is "... completes" "--persistent" "$(bash -c '. ./c.bash; COMP_WORDS=(tinybox create --pers); COMP_CWORD=2; _tinybox; echo "${COMPREPLY[@]}"' 2>/dev/null)"
if command -v zsh >/dev/null; then
	tb completion zsh >c.zsh && zsh -n c.zsh
	is "completion for zsh" 0 $?
fi
if command -v fish >/dev/null; then
	tb completion fish >c.fish && fish -n c.fish
	is "completion for fish" 0 $?
fi

# ---- a box without a wall ----
tb create --sandbox passthrough --network none >/dev/null 2>err
is "what cannot be enforced is refused" 70 $?
has "... by name" "network" "$(cat err)"
is "... and nothing is left" "" "$(tb ls -q)"
box=$(tb create "${pass[@]}" --name web --label tier=front --env X=1 2>err)
has "no wall is said to be none" UNSAFE "$(cat err)"
has "inspect too" "UNSAFE" "$(tb inspect web)"
is "isolation" none "$(tb inspect --json web | json isolation)"
is "not for strangers" False "$(tb inspect --json web | json untrusted)"
has "report" "NOT ENFORCED" "$(tb inspect web)"
tb create "${pass[@]}" --name web >/dev/null 2>err
is "a name that is taken" 70 $?
has "... by whom" "$box" "$(cat err)"
is "a label finds it" "$box" "$(tb ls -q --label tier=front)"
is "another does not" "" "$(tb ls -q --label tier=back)"
is "by name" 1 "$(tb exec web sh -c 'echo $X')"
is "tabs in a pipe" 8 "$(tb ls | awk -F'\t' '{ print NF }')"
tb exec --json web sh -c 'echo a; echo b >&2; exit 3' >out
is "exec --json: status" 3 $?
is "... out" a "$(json out <out)"
is "... err" b "$(json err <out)"
is "... reason" exit "$(json reason <out)"
is "bytes in JSON" ff00 "$(tb exec --json web printf '\377\0' | json out hex)"
proc=$(tb spawn web sh -c 'exit 5')
tb wait web "$proc"
is "spawn and wait" 5 $?
proc=$(tb spawn --label both web sh -c 'echo o; echo e >&2')
tb wait web "$proc"
is "logs --json" "web $proc o e" "$(tb logs --json --label both web | python3 -c 'import json, sys
d = json.load(sys.stdin); print(d["box"], d["proc"], d["out"].strip(), d["err"].strip())')"
is "attach --json" "exit o" "$(proc=$(tb spawn web sh -c 'sleep 0.2; echo o'); tb attach --json web "$proc" | python3 -c 'import json, sys
d = json.load(sys.stdin); print(d["reason"], d["out"].strip())')"
is "shell --json" "3 o" "$(echo 'echo o; exit 3' | tb shell --json web | python3 -c 'import json, sys
d = json.load(sys.stdin); print(d["status"], d["out"].strip())')"
is "events --json" yes "$(tb events --json web | head -1 | grep -q '^{' && echo yes)"
for verb in attach audit cp create doctor events exec fork forward inspect kill logs ls pause ps reap resume rm run shell snapshot spawn \
	start stop sync template ttl wait; do
	has "--json of $verb" "--json" "$(tb $verb --help)"
done
for verb in create run reap sync; do has "--dry-run of $verb" "--dry-run" "$(tb $verb --help)"; done
proc=$(tb spawn --label server web sleep 70)
has "ps" "sleep 70" "$(tb ps web)"
tb wait --timeout 100ms web "$proc" 2>/dev/null
is "wait has its time" 70 $?
tb kill web "$proc"
tb wait web "$proc"
is "kill" 143 $?
tb kill web p999 2>/dev/null
is "kill of nobody" 70 $?
proc=$(tb spawn web sh -c 'sleep 0.2; echo late; exit 6')
is "attach" late "$(tb attach web "$proc")"
tb pause web >/dev/null
is "paused" paused "$(tb inspect --json web | json state)"
tb resume web >/dev/null
is "resumed" ready "$(tb inspect --json web | json state)"
tb stop web >/dev/null
is "stopped" stopped "$(tb inspect --json web | json state)"
is "ps of a stopped box" ended "$(tb ps --json web | json processes 0 state)"
tb wait web p1
is "wait in it" "$(tb ps --json web | json processes 0 end status)" $?
tb wait web p999 2>/dev/null
is "wait for nobody in it" 70 $?
tb exec web true 2>err
has "exec says what to do" "tinybox start" "$(cat err)"
tb start web >/dev/null
is "started" again "$(tb exec web echo again)"
has "events" '"event":"exec"' "$(tb events web)"
is "events are JSON" 0 "$(tb events | python3 -c 'import json,sys
for l in sys.stdin: json.loads(l)'; echo $?)"
is "run" "in it" "$(tb run "${pass[@]}" echo in it 2>/dev/null)"
tb run "${pass[@]}" -- sh -c 'exit 9' 2>/dev/null
is "run: status" 9 $?
is "run leaves nothing" "$box" "$(tb ls -q)"
tb exec web yes 2>/dev/null | head -n 1 >/dev/null
is "a reader that ends" 141 "${PIPESTATUS[0]}"

# ---- a terminal ----
is "a terminal of its own, resized, in raw mode" ok "$(timeout 30 python3 - "$tinybox" <<'END'
import fcntl, os, pty, struct, sys, termios, signal, time
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], ["tinybox", "exec", "-it", "web", "sh", "-c",
             "trap 'stty size' WINCH; trap 'echo int' INT; trap 'exit 3' QUIT; echo go; while :; do sleep 0.05; done"])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
seen = b""
def until(what):
    global seen
    while what not in seen:
        seen += os.read(fd, 1000)
until(b"go")
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 44, 88, 0, 0))
os.kill(pid, signal.SIGWINCH)
until(b"44 88")
os.write(fd, b"\x03")
until(b"int")
os.write(fd, b"\x1c")
print("ok" if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3 else "no")
END
)"

# ---- files ----
mkdir -p tree/sub tree/empty
head -c 100000 /dev/urandom >tree/sub/data
printf x >'tree/a b'
chmod 741 'tree/a b'
ln -s /etc/passwd tree/link
touch -d '2001-02-03 04:05:06.789' tree/sub/data
mkfifo tree/pipe
tb cp tree "web:$dir/in" 2>err
is "a pipe is not copied, and said" 70 $?
has "... by name" "tree/pipe" "$(cat err)"
rm -f tree/pipe
if [ "$(id -u)" = 0 ] && mknod tree/device b 254 0 2>/dev/null; then
	tb cp tree "web:$dir/in3" 2>err
	is "a device is not opened, and said" "70 tinybox: cp: tree/device: a socket, a pipe or a device: not copied" "$? $(cat err)"
	is "... and strace agrees" 0 "$(strace -f -e trace=openat,openat2 -o trace "$tinybox" cp tree/device "web:$dir/in3" 2>/dev/null; grep -c 'tree/device' trace)"
	rm -f tree/device
fi
is "the rest is there" "" "$(diff -r --no-dereference tree in)"
is "a time" "$(stat -c %y tree/sub/data)" "$(stat -c %y in/sub/data 2>&1)"
# the same again, links and all: here, in a namespace's way and in a virtual box's
new=$(tb create)
for to in "web:$dir/in" "$new:/tmp/in"; do
	[ "$to" = "web:$dir/in" ] || tb cp tree "$to"
	mkdir -p again/tree && ln -sfn changed again/tree/link && mkdir -p again/tree/empty
	ln -sfn elsewhere one
	is "a tree over itself: ${to#*:}" "0 0 0 0" "$(for from in again/tree/. one one again/tree; do
		case $from in one) tb cp one "${to%/*}/one" ;; *) tb cp again/tree "${to%/in}/in2" 2>&1 ;; esac; echo $?; done | tr '\n' ' ' | sed 's/ $//')"
	is "... the link is the new one" "changed elsewhere" "$(tb exec "${to%%:*}" sh -c "readlink ${to#*:}2/link ${to#*:}2/tree/link $(dirname "${to#*:}")/one" | sort -u | tr '\n' ' ' | sed 's/ $//')"
done
tb rm "$new" >/dev/null
tb cp "web:$dir/in" out1
is "out" "" "$(diff -r --no-dereference tree out1 2>&1)"
is "a mode" 741 "$(stat -c %a 'out1/a b' 2>&1)"
is "a link stays one" /etc/passwd "$(readlink out1/link)"
ln -s "$dir/outside" trap
mkdir -p outside back/in
ln -s "$dir/outside" back/in/sub
tb cp "web:$dir/in" back >/dev/null 2>&1
is "a link in the way is not followed" "" "$(ls outside)"
tb cp web:/no/such x 2>err
is "a file that is not there" 70 $?
has "... by name" /no/such "$(cat err)"
tb cp /no/such web:/tmp 2>err
is "here neither" 70 $?
tb cp 'tree/a b' "web:/no/such/dir/x" 2>/dev/null
is "nowhere to put it" 70 $?

# ---- rm, reap ----
# The pid of a box's server, by the lock it holds.
server() {
	python3 -c 'import fcntl, struct, sys
f = open(sys.argv[1], "r+")
print(struct.unpack("hhqqi", fcntl.fcntl(f, fcntl.F_GETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 1, 0))[:28])[4])' \
		"state/boxes/$1/run/lock"
}
# It ends within 20 s, or has ended: its lock is let go a moment before.
ends() {
	python3 -c 'import os, select, sys
try:
    fd = os.pidfd_open(int(sys.argv[1]))
except ProcessLookupError:
    sys.exit(0)
poll = select.poll()
poll.register(fd, select.POLLIN)
sys.exit(not poll.poll(20000))' "$1"
}
for wall in virtual namespace passthrough; do
	box=$(tb create --sandbox $wall 2>/dev/null)
	pid=$(server "$box")
	is "$wall: a server holds the lock" yes "$([ "$pid" -gt 1 ] && [ -d "/proc/$pid" ] && echo yes)"
	tb rm "$box" >/dev/null
	is "$wall: it is gone after rm" yes "$(ends "$pid" && echo yes)"
done
is "rm" web "$(tb rm web)"
is "its directory is gone" "" "$(ls state/boxes)"
is "its name too" "" "$(ls state/names)"
old=$(tb create "${pass[@]}" --ttl 1ms 2>/dev/null)
new=$(tb create "${pass[@]}" --persistent 2>/dev/null)
has "reap --dry-run" "would reap" "$(tb reap --dry-run)"
has "reap" "$old" "$(tb reap)"
is "what lives stays" "$new" "$(tb ls -q)"
echo '{' >"state/boxes/$new/record.json"
tb ls >out 2>err
is "a damaged record is not fatal" 0 $?
has "... and named" "$new" "$(cat err)"
pid=$(cat "state/boxes/$new/run/pid" 2>/dev/null)
tb reap >/dev/null
is "reap sets it aside" "" "$(ls state/boxes)"
is "and ends what ran" "" "$([ -n "$pid" ] && cat "/proc/$pid/comm" 2>/dev/null)"
box=$(tb create --sandbox namespace 2>err)
if [ -n "$box" ] && ls -d /sys/fs/cgroup/*/tinybox-"$box-$(cat state/tag)" >/dev/null 2>&1; then
	kill -9 "$(server "$box")"	# one that lives ends by itself
	rm -rf "state/boxes/$box"
	has "a box of which only the kernel knows" "a control group without a box" "$(tb reap)"
	is "is gone" "" "$(ls -d /sys/fs/cgroup/*/tinybox-"$box-$(cat state/tag)" 2>/dev/null)"
	is "for good" "" "$(tb reap)"
	new=$box
else
	tb rm -f "$box" >/dev/null
	new=${box:-$new}
fi
is "ids are not used again" "$((${new#box-} + 1))" "$(b=$(tb create "${pass[@]}" 2>/dev/null); echo "${b#box-}")"
tap_end
