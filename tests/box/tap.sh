# TAP for the tests of boxes, which source this. PREFIX, if it is set, comes before each title.
tap_n=0 tap_bad=0

tap() {	# tap STATUS TITLE [MORE]: MORE is told when it went wrong
	tap_n=$((tap_n + 1))
	[ "$1" = 0 ] && { echo "ok $tap_n - ${PREFIX:-}$2"; return; }
	tap_bad=1
	echo "not ok $tap_n - ${PREFIX:-}$2"
	[ -z "${3:-}" ] || printf '%s\n' "$3" | sed 's/^/# /'
}
is() {	# is TITLE WANT GOT
	[ "$2" = "$3" ]
	tap $? "$1" "$(printf 'want %q\ngot  %q' "$2" "$3")"
}
has() {	# has TITLE PART TEXT
	[[ $3 == *"$2"* ]]
	tap $? "$1" "$(printf 'want %q in\n%q' "$2" "$3")"
}
skip() { tap 0 "$1 # SKIP $2"; }	# skip TITLE WHY
tap_end() { echo "1..$tap_n"; exit $tap_bad; }
