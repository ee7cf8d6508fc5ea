#!/bin/bash
# handles.sh TINYBOX ESCAPE: what leads out of a namespace box by a descriptor or a link of /proc: the program of process 1 and
# of its helpers (CVE-2019-5736), directories that are passed over a socket. Each attack works outside first. TAP.
# The programs belong to whoever makes the box, so that nothing but the wall keeps them whole.
tinybox=$(realpath "$1") escape=$(realpath "$2")
. "$(dirname "$(realpath "$0")")/tap.sh"
dir=$(mktemp -d /tmp/tbxhandles-XXXXXX)
cd "$dir" || exit 1
chmod 711 "$dir"
trap '[ -z "$server" ] || kill $server; rm -rf "$dir"' EXIT
tb() { $as env TINYBOX_STATE_DIR="$dir/state" timeout 30 "$dir/tinybox" "$@"; }

# attack TITLE ARG...: works outside, and not in the box; INSIDE: other words there
attack() {
	local title=$1 said status
	shift
	said=$($as timeout 20 "$dir/work/escape" "$@" 2>&1)
	tap $? "$title: outside it works" "$said"
	[ -z "$inside" ] || set -- $inside
	said=$(tb exec "$box" /workspace/escape "$@" 2>&1)
	status=$?
	[ $status = 1 ]
	tap $? "$title: not in a box" "status $status: $said"
}

all() {
	rm -rf work secret state; mkdir work secret state
	cp "$tinybox" "$(dirname "$tinybox")/tinybox-init" "$(dirname "$tinybox")/tinybox-engine" .
	cp "$escape" work/escape; cp "$(command -v sleep)" victim; echo secret >secret/file
	# kernel: the interpreter is the program of whoever executes it
	printf '#!/proc/self/exe --version\n' >work/self; chmod 755 work/self
	[ -z "$as" ] || chown -R 1000:1000 work secret state victim tinybox*
	sum=$(sha256sum tinybox-init)
	rm -f pass
	$as /usr/bin/env PATH=/usr/bin:/bin python3 - "$dir" <<'PY' &
import array, os, socket, sys
d = sys.argv[1]
s = socket.socket(socket.AF_UNIX); s.bind(d + "/work/pass"); s.listen(64); os.chmod(d + "/work/pass", 0o777)
fd = os.open(d + "/secret", os.O_PATH)
while True:
    c, _ = s.accept()
    c.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
    c.close()
PY
	server=$!
	for _ in $(seq 200); do [ -S work/pass ] && break; sleep 0.05; done
	$as ./victim 60 & victim=$!
	box=$(tb create --sandbox namespace --dir "$dir/work" --accept cpu --accept memory --accept pids 2>err)
	tap $? "a box" "$(cat err)"
	inside="exe-write 1" attack "the program of process 1" exe-write $victim
	# a helper of an exec is a copy of process 1
	tb exec "$box" sh -c 'for p in /proc/[0-9]*; do
		[ "$(tr -d "\0" <$p/cmdline)" = tinybox-init ] && /workspace/escape exe-write "${p#/proc/}" >/dev/null && echo "opened $p"
	done; true' >out 2>&1
	[ ! -s out ]; tap $? "the programs of an exec's helpers" "$(cat out)"
	said=$($as bash -c "$dir/work/self" 2>&1)
	[[ $said == *"GNU bash"* ]]; tap $? "a script whose interpreter is /proc/self/exe: outside it works" "$said"
	said=$(tb exec "$box" /workspace/self 2>&1)
	status=$?
	[ $status = 126 ]; tap $? "... not by the server of a box" "status $status: $said"
	[ "$(sha256sum tinybox-init)" = "$sum" ]; tap $? "tinybox-init is whole" "it changed"
	inside="rights /workspace/pass file" attack "a directory that is passed over a socket" rights "$dir/work/pass" file
	for fd in 0 1 2 3 4 5 6 7 8 9 10; do
		tb exec "$box" sh -c "ls /proc/1/fd/$fd" >/dev/null 2>&1 && break
	done
	[ "$fd" = 10 ]; tap $? "descriptors of process 1" "number $fd"
	# (the control group's only where v2 holds no limits: docs/adr/0008)
	for ns in user pid mnt net ipc uts time; do
		[ "$(tb exec "$box" readlink /proc/self/ns/$ns)" != "$(readlink /proc/self/ns/$ns)" ]
		tap $? "a namespace of its own: $ns" "the host's"
	done
	tb rm "$box" >/dev/null
	kill $server $victim; wait $server $victim 2>/dev/null
	server=
}

who=user as= PREFIX='user: '
if [ "$(id -u)" = 0 ]; then
	who=root PREFIX='root: '
	all
	who=user as='setpriv --reuid 1000 --regid 1000 --clear-groups' PREFIX='user: '
	export GCOV_PREFIX=$dir/work/lines	# a build that counts lines cannot write beside its objects
fi
all
tap_end
