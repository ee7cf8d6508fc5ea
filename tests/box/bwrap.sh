#!/bin/bash
# bwrap.sh TINYBOX: namespace boxes of a user where only bubblewrap may make namespaces (no-userns.py). TAP.
here=$(dirname "$(realpath "$0")")
. "$here/tap.sh"
PREFIX='bubblewrap: '
if [ "$1" != inside ]; then
	tinybox=$(realpath "$1")
	if [ "$(id -u)" != 0 ] || [ ! -x /usr/bin/bwrap ]; then
		echo "1..0 # SKIP it takes root, and bubblewrap"
		exit
	fi
	dir=$(mktemp -d /tmp/tbxbwrap-XXXXXX)
	trap 'rm -rf "$dir"' EXIT
	cp "$tinybox" "$tinybox"-init "$tinybox"-engine "$tinybox"-egress "$dir"
	chown 1000:1000 "$dir"
	echo "of the user outside" >"$dir/secret"; chmod 600 "$dir/secret"; chown 1000:1000 "$dir/secret"
	# what the box must not reach: a process of the same user, an abstract socket, a port of the host's
	setpriv --reuid 1000 --regid 1000 --clear-groups sleep 600 & victim=$!
	python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind("\0tbx-" + sys.argv[1]); s.listen()
t = socket.socket(); t.bind(("127.0.0.1", 0)); t.listen(); print(t.getsockname()[1], flush=True); time.sleep(600)' $$ >"$dir/port" & server=$!
	for _ in $(seq 200); do [ -s "$dir/port" ] && break; sleep 0.05; done
	python3 "$here/no-userns.py" setpriv --reuid 1000 --regid 1000 --clear-groups \
		bash "$0" inside "$dir" $victim "$(cat "$dir/port")" $$
	bad=$?
	kill $victim $server 2>/dev/null
	left=$(pgrep -u 1000 -f "$dir" | xargs)
	[ -z "$left" ] || echo "# left behind: $left"
	[ $bad = 0 ] && [ -z "$left" ]
	exit
fi

dir=$2 victim=$3 port=$4 name=$5
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state HOME=$dir
trap 'tb rm -f $(tb ls -q) >/dev/null 2>&1' EXIT
json() { python3 -c 'import json, sys
d = json.load(sys.stdin)
for k in sys.argv[1:]: d = d[int(k) if k.isdigit() else k]
print(d)' "$@"; }
tb() { timeout 60 "$dir/tinybox" "$@"; }

unshare -U true 2>/dev/null
is "the control: we may make no user namespace" 1 $?
is "a command runs, as its user" "1000 /workspace" "$(tb run --sandbox namespace sh -c 'echo $(id -u) $PWD' 2>err)"
report=$(tb create --sandbox namespace --json --sandbox namespace | python3 -c 'import json, sys
for line in json.load(sys.stdin)["report"]: print(line["control"], line.get("by"))' 2>&1)
for line in "filesystem bubblewrap's mount namespace" "processes bubblewrap's pid namespace" "network bubblewrap's network namespace"; do
	has "the report says who enforces it" "$line" "$report"
done

# ---- attacks, each with its control ----
attack() {	# attack TITLE SCRIPT: works here, fails in a box
	sh -c "$2" >/dev/null 2>&1
	is "the control: $1" 0 $?
	tb exec "$box" sh -c "$2" >out 2>&1
	[ $? != 0 ]; tap $? "in the box not: $1" "$(cat out)"
}
mkdir work; echo mine >work/file
box=$(tb create --sandbox namespace --dir work 2>err)
attack "a file of the same user" "cat $dir/secret"
attack "a process of the same user" "kill -0 $victim"
attack "its memory and files" "ls /proc/$victim/fd"
attack "a port of the host" "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", $port))'"
attack "an abstract socket" "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0tbx-$name\")'"
tb exec "$box" sh -c 'ls /proc/1/fd; cat /proc/1/environ' >out 2>&1
[ $? != 0 ]; tap $? "process 1 cannot be looked into" "$(cat out)"
is "no capability, and none to come" "0000000000000000 0000000000000000 1" "$(tb exec "$box" awk '/CapEff|CapBnd|NoNew/ { print $2 }' /proc/self/status | xargs)"
tb exec "$box" touch /usr/mark /dev/tinybox/mark >out 2>&1
is "the host's programs and ours cannot be written" 2 "$(grep -c 'Read-only' out)"

# ---- what boxes do ----
is "the workspace, both ways" "mine theirs" "$(tb exec "$box" sh -c 'cat file; echo theirs >file') $(cat work/file)"
tb exec "$box" sh -c 'echo kept >/home/user/kept; chmod 4755 /home/user/kept' >/dev/null 2>&1
tb exec "$box" sh -c 'rm -rf /mnt /srv; ln -s /proc /mnt; mv /etc /etc2; ln -s /tmp /etc; rmdir /sys/devices/system/cpu; true' >/dev/null 2>&1
tb stop "$box" >/dev/null && tb start "$box" >/dev/null 2>err
is "its files are there after a stop and a start" kept "$(tb exec "$box" cat /home/user/kept)"
has "what a link stood for is a directory again" "root:x:0" "$(tb exec "$box" cat /etc/passwd)"
tb cp work/file "$box:/tmp/in" && tb cp "$box:/tmp/in" back
is "cp" theirs "$(cat back)"
tb rm "$box" >/dev/null
box=$(tb create --sandbox namespace -p 127.0.0.1:0:8000 2>err)
tb spawn "$box" python3 -m http.server 8000 >/dev/null
out=$(tb inspect --json "$box" | json published 0 host)
for _ in $(seq 200); do got=$(python3 -c 'import sys, urllib.request; print(urllib.request.urlopen("http://127.0.0.1:" + sys.argv[1]).status)' "$out" 2>/dev/null) && break; sleep 0.05; done
is "a published port" 200 "$got"
tb rm -f "$box" >/dev/null
is "egress: what is not on the list" 403 "$(tb run --sandbox namespace --network egress --allow localhost:1 sh -c 'python3 -c "
import os, urllib.error, urllib.request
try: urllib.request.urlopen(\"http://example.com:2/\")
except urllib.error.HTTPError as e: print(e.code)"' 2>err)"

# ---- what it cannot give, by name ----
tb create --sandbox namespace --image "$dir/work" >out 2>err
is "a root directory" 70 $?
has "... is refused with the reason" "needs an overlay" "$(cat err)"
tb create --sandbox namespace --disk 64M >out 2>err
is "a limit of the disk" 70 $?
has "... is refused with the control's name" "disk" "$(cat err)"
is "... and accepted by name" ok "$(tb run --sandbox namespace --disk 64M --accept disk echo ok 2>err)"
box=$(tb create --sandbox namespace 2>err)
tb exec "$box" touch /home/user/kept
tb snapshot "$box" >out 2>err
is "a snapshot" 70 $?
has "... is refused with the reason" "without an overlay" "$(cat err)"
tb stop "$box" >/dev/null; tb fork "$box" >out 2>err
is "a fork of it when it is stopped" 70 $?
tb start "$box" >/dev/null 2>err
is "... and nothing of it is lost" /home/user/kept "$(tb exec "$box" ls /home/user/kept)"
tb rm -f $(tb ls -q) >/dev/null
has "doctor tells" "a box of bubblewrap was made" "$(tb doctor 2>&1)"

# ---- ends ----
tb create --json --sandbox namespace >made 2>err
box=$(json id <made) keeper=$(json pid <made)
tb spawn "$box" sleep 12345 >/dev/null
kill -9 "$keeper"
for _ in $(seq 200); do pgrep -u 1000 -f '^sleep 12345' >/dev/null || break; sleep 0.05; done
pgrep -u 1000 -f '^sleep 12345' >out
is "all dies with the keeper" "" "$(cat out)"
tb start "$box" >/dev/null 2>err
is "and the box begins again" here "$(tb exec "$box" echo here)"
tb rm -f "$box" >/dev/null
is "nothing is left" "" "$(tb ls -q)"
tap_end
