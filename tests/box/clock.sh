#!/bin/bash
# clock.sh TINYBOX CLOCK-JUMP: the machine's clock is set to and fro (for the command and the engine, which are told another date). A box's
# end of time is a date and goes with it; deadlines and what is done every so often do not. TAP.
tinybox=$(realpath "$1") shim=$(realpath "$2")
. "$(dirname "$(realpath "$0")")/tap.sh"
if ldd "$tinybox" | grep -q 'lib[at]san'; then
	echo "1..0 # SKIP a sanitizer is loaded first"
	exit 0
fi
dir=$(mktemp -d /tmp/tbxclock-XXXXXX)
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state CLOCK_JUMP=$dir/jump
trap 'set_clock 0; tb rm -f $(tb ls --quick -q) >/dev/null 2>&1; rm -rf "$dir"' EXIT
tb() { LD_PRELOAD=$shim timeout 30 "$tinybox" "$@"; }
set_clock() { echo "$1" >jump.new; mv jump.new jump; }	# by seconds
day=86400

set_clock $((1000 * day))
is "the date is moved" "$(date -u -d '+1000 days' +%Y)" "$(LD_PRELOAD=$shim date -u +%Y)"
for wall in virtual namespace passthrough; do
	set_clock 0
	box=$(tb create --sandbox $wall --ttl 1h)

	# ---- back ----
	set_clock $((-2 * day))
	has "$wall: back: the end is as much later" "2d" "$(tb ttl "$box")"
	is "$wall: back: nothing is over" "" "$(tb reap 2>&1 | grep "$box")"
	is "$wall: back: it works" in "$(tb exec "$box" echo in)"
	has "$wall: back: it is listed" "$box" "$(tb ls)"
	tb exec --timeout 300ms "$box" sleep 20 2>err
	is "$wall: back: a deadline is kept" 137 $?

	# ---- while something runs ----
	mkfifo "in.$wall" "out.$wall"
	tb exec -i --timeout 20s "$box" sh -c 'echo ready; read word; echo "$word"' <"in.$wall" >"out.$wall" &
	exec 5>"in.$wall" 6<"out.$wall"
	read -r word <&6
	is "$wall: one that runs" ready "$word"
	set_clock $((3 * day))
	tb exec "$box" true
	is "$wall: forward: others run" 0 $?
	echo goes >&5
	read -r word <&6
	exec 5>&- 6<&-
	wait $!
	is "$wall: forward: its deadline is where it was" "0 goes" "$? $word"

	tb exec -i --timeout 500ms "$box" sh -c 'echo ready; exec sleep 20' </dev/null >"out.$wall" 2>err &
	exec 6<"out.$wall"
	read -r word <&6
	set_clock $((-9 * day))
	wait $!
	is "$wall: back, while one runs: its deadline too" 137 $?
	exec 6<&-

	# ---- copies and trees, whose signs of life are by the clock ----
	mkdir -p tree/a/b; echo x >tree/a/b/x
	set_clock 0
	tb cp tree "$box:/tmp/tree$wall$$" >/dev/null
	is "$wall: a tree is copied" 0 $?
	[ $wall = passthrough ] && rm -rf "/tmp/tree$wall$$"

	# ---- forward ----
	set_clock $((2 * 3600))
	has "$wall: forward: it is over" over "$(tb ttl "$box")"
	has "$wall: forward: and goes" "$box" "$(tb reap 2>&1)"
	is "$wall: none is left" "" "$(tb ls -q)"
done

# ---- snapshots at an interval: one that is said to come from tomorrow does not stop them ----
set_clock $((5 * day))
box=$(tb create --sandbox virtual --autosnapshot 1h)
set_clock 0
tb reap --watch --interval 100ms >out 2>err &
loop=$!
for _ in $(seq 150); do grep -q "	snapshot	$box" out && break; sleep 0.1; done
kill "$(pgrep -P $loop)"
wait $loop
is "snapshots at an interval: the clock was set back" 1 "$(grep -c "	snapshot	$box" out)"
tb exec "$box" true
tb audit --verify "$box" >/dev/null 2>&1
is "an audit log with dates that go back holds" 0 $?
tap_end
