#!/bin/bash
# together.sh TINYBOX: run, create and reap at the same time, from several processes. Nothing that lives is lost, nothing
# that does not stays. TAP.
tinybox=$(realpath "$1")
TINYBOX_STATE_DIR=$(mktemp -d /tmp/tbxtogether-XXXXXX)
export TINYBOX_STATE_DIR
trap 'rm -rf "$TINYBOX_STATE_DIR"' EXIT
cd "$TINYBOX_STATE_DIR" || exit 1
tb() { timeout 60 "$tinybox" "$@"; }
for w in 1 2 3; do
	for i in $(seq 12); do
		tb run --sandbox namespace -- sh -c "exit $w" 2>>said
		echo "$w $?" >>statuses
	done &
done
for w in 1 2; do
	for i in $(seq 15); do tb reap >>reaped 2>>said || echo "reap failed" >>said; done &
	for i in $(seq 8); do tb create --ttl 1ms --sandbox namespace >>made 2>>said; tb ls >/dev/null 2>>said; done &
done
wait
tb reap >/dev/null
check() {
	if [ "$2" = "$3" ]; then echo "ok $1"; else printf 'not ok %s\n# want %q\n# got %q\n' "$1" "$2" "$3"; bad=1; fi
}
check "1 - each run had its own status" "$(for w in 1 2 3; do for i in $(seq 12); do echo "$w $w"; done; done)" "$(sort statuses)"
check "2 - no number was given twice" 16 "$(sort -u made | wc -l)"
check "3 - nobody complained" "" "$(cat said)"
check "4 - nothing is left" "" "$(ls -A boxes; ls -A names)"
echo 1..4
exit ${bad:-0}
