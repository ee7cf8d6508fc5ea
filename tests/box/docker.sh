#!/bin/bash
# docker.sh TINYBOX: boxes behind docker, with an engine of our own that ends with the test: no bridge, no rules of a
# firewall, everything in one directory. TAP. Root only, as the engine is.
tinybox=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
n=0 bad=0
for need in /usr/sbin/dockerd /bin/busybox /usr/sbin/sshd; do
	[ -x $need ] || { echo "1..0 # SKIP $need is not there (tools/install-needs all)"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP only root can start an engine"; exit 0; }
unset DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG TINYBOX_DOCKER
dir=$(mktemp -d /tmp/tbxdocker-XXXXXX)
chmod 755 "$dir"
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state
is() {
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		bad=1
		printf 'not ok %d - %s\n# want %q\n# got  %q\n' "$n" "$1" "$2" "$3"
	fi
}
has() {
	n=$((n + 1))
	if [[ $3 == *"$2"* ]]; then
		echo "ok $n - $1"
	else
		bad=1
		printf 'not ok %d - %s\n# want %q in\n# %q\n' "$n" "$1" "$2" "$3"
	fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
tb() { timeout 60 "$tinybox" "$@"; }
D() { timeout 60 docker "$@"; }
ended() { for _ in $(seq 200); do [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null || return 0; sleep .1; done; return 1; }

# ---- the engine ----
cleanup() {
	for s in "$dir"/state/ssh/*; do [ -S "$s" ] && ssh -o ControlPath="$s" -O exit x 2>/dev/null; done
	[ -s "$dir/sshd.pid" ] && kill "$(cat "$dir/sshd.pid")"
	if [ -n "$engine" ]; then
		kept=$(D ps -aq)
		# shellcheck disable=SC2086
		[ -z "$kept" ] || D rm -f $kept >/dev/null 2>&1
		kill "$engine" 2>/dev/null
		ended "$engine" || kill -9 "$engine"
	fi
	for m in $(awk -v d="$dir/" 'index($5, d) == 1 { print $5 }' /proc/self/mountinfo | sort -r); do umount "$m"; done
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 1' TERM INT
dockerd --host "unix://$dir/docker.sock" --data-root "$dir/data" --exec-root "$dir/exec" --pidfile "$dir/dockerd.pid" \
	--bridge=none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false >"$dir/dockerd.log" 2>&1 </dev/null &
engine=$!
export DOCKER_HOST=unix://$dir/docker.sock
for _ in $(seq 300); do D version >/dev/null 2>&1 && break; sleep .1; done
D version >/dev/null 2>&1 || { echo "1..0 # SKIP the engine does not start here: $(tail -1 "$dir/dockerd.log")"; exit 0; }

# ---- images: one with busybox, one with nothing but a program of ours ----
mkdir -p root/{bin,dev,proc,sys,tmp,root,etc,usr/bin}
cp /bin/busybox root/bin/busybox
for a in $(busybox --list); do [ "$a" = busybox ] || ln -sf busybox "root/bin/$a"; done
for a in env echo; do ln -s ../../bin/busybox root/usr/bin/$a; done
printf '#!/bin/sh\nfor v; do eval "printf \\"%%s\\\\n\\" \\"\\$$v\\""; done\n' >root/bin/printenv
chmod 755 root/bin/printenv
echo root:x:0:0:root:/root:/bin/sh >root/etc/passwd
tar -C root -c . | D import - test/busybox:1 >/dev/null
box() { tb create --sandbox docker --image test/busybox:1 "$@"; }

box=$(box)
is "created" "box-1 0" "$box $?"
tb exec "$box" true
is "true" 0 $?
is "process 1 is ours" "tinybox-init" "$(tb exec "$box" cat /proc/1/comm | sed 's/^init$/tinybox-init/')"
tb rm "$box" >/dev/null
is "rm, and nothing is left" "0 " "$? $(D ps -aq)"

# ---- the exec contract ----
contract() {	# contract WHERE OPTIONS
	"$here/contract.py" --create "--image test/busybox:1 $2" "$tinybox" "$1" >contract.tap 2>&1
	is "the contract on $1" "" "$(grep -A2 '^not ok' contract.tap)"
	has "... all of it" 1.. "$(tail -1 contract.tap)"
}
contract local:docker ""

echo "1..$n"
exit $bad
