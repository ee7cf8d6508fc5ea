#!/bin/bash
# module.sh HOST MODULE TINYBOX BACKEND...: the module in a host of ours, with a state of its own; nothing is left behind.
host=$(realpath "$1") module=$(realpath "$2") helpers=$(dirname "$(realpath "$3")")
shift 3
dir=$(mktemp -d /tmp/tbxmod-XXXXXX)
trap 'rm -rf "$dir"' EXIT
HOST_DIES=1 timeout 60 "$host" "$module" "$helpers" "$dir/state" "$@" >/dev/null
dead=$?
after=$(ls "$dir/state/boxes" "$dir/state/transfers" | grep -vc ':$')
timeout 300 "$host" "$module" "$helpers" "$dir/state" "$@" >"$dir/out"
status=$?
sed '/^1\.\./d' "$dir/out"
n=$(grep -cE '^(not )?ok' "$dir/out")
left=$(ls "$dir/state/boxes" "$dir/state/transfers" 2>/dev/null | grep -v ':$' | xargs)
[ $dead = 9 ] && [ "$after" -ge $((2 * $#)) ] || { left="(the first host did not die with boxes: $dead, $after)"; }
if [ -z "$left" ]; then echo "ok $((n + 1)) - nothing is left, of a host that was killed neither"; else echo "not ok $((n + 1)) - nothing is left: $left"; status=1; fi
echo "1..$((n + 1))"
exit $status
