# For the tests of boxes: TAP, a scratch directory, a box, its client. Sourced with I (tinybox-init) and C
# (box-client) set. KIND and AS (a prefix that changes the user) may be set.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
T=$(mktemp -d /tmp/tinybox-test-XXXXXX)
chmod 755 "$T"
trap '[ -d "$D" ] && host host-remove dir="$D"; rm -rf "$T"' EXIT
trap 'exit 1' TERM INT
cp "$I" "$T/init"; cp "$C" "$T/client"; chmod 755 "$T/init" "$T/client"
I=$T/init C=$T/client

ok() { tap "$1" "$KIND $WHO $2" "${3:-}"; }	# ok STATUS NAME
is() {	# is GOT WANT NAME
	[ "$1" = "$2" ]; ok $? "$3" "$1
not: $2"
}
has() {	# has TEXT PART NAME
	[[ $1 == *"$2"* ]]; ok $? "$3" "$1
has no: $2"
}
finish() { tap_end; }

# piped RECORD REQUEST...: the client over the pipes to and from; nobody else holds them open
piped() {
	record=$T/$1; [ $1 = host ] && record=$T/record; shift
	T=$T C=$C record=$record timeout 20 bash -c 'exec "$C" - "$@" 9>"$T/to" 8<"$T/from" 3>"$record" 2>"$T/start.err"' piped "$@" >"$T/out"
}

# box_start DIR NAME=VALUE...: a box's server; its answer in $T/start
box_start() {
	dir=$1; shift
	[ -d "$dir" ] || $AS mkdir -m 700 "$dir"
	rm -f "$T/to" "$T/from"; mkfifo -m 666 "$T/to" "$T/from"
	$AS timeout 20 "$I" serve <"$T/to" >"$T/from" &
	starter=$!
	piped start start box="t$$" kind=$KIND dir="$dir" "$@"
	status=$?
	wait $starter
	return $status
}
# host REQUEST...: one request to `tinybox-init host`
host() {
	rm -f "$T/to" "$T/from"; mkfifo -m 666 "$T/to" "$T/from"
	$AS timeout 20 "$I" host <"$T/to" >"$T/from" &
	piped host "$@" -- half
}
# do REQUEST...: to the box in $D; status in $S, output $O, errors $E, other frames $R
do_() {
	$AS timeout 20 "$C" "$D" "$@" 3>"$T/record" >"$T/out" 2>"$T/err"
	S=$?
	O=$(tr -d '\0' <"$T/out") E=$(tr -d '\0' <"$T/err") R=$(cat "$T/record")
}
run() { do_ exec "$@"; }		# run arg=...
sh_() { script=$1; shift; do_ exec arg=sh arg=-c arg="$script" "$@"; }
field() { printf '%s\n' "$R" | sed -n "s/.*[ (]$1=\\([^ ]*\\).*/\\1/p" | tail -1; }
