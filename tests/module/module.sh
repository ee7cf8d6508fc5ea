#!/bin/bash
# module.sh HOST MODULE TINYBOX BACKEND...: the module in a host of ours, with a state of its own; nothing is left behind.
host=$(realpath "$1") module=$(realpath "$2") helpers=$(dirname "$(realpath "$3")")
shift 3
dir=$(mktemp -d /tmp/tbxmod-XXXXXX)
trap 'rm -rf "$dir"' EXIT
timeout 300 "$host" "$module" "$helpers" "$dir/state" "$@" >"$dir/out"
status=$?
sed '/^1\.\./d' "$dir/out"
n=$(grep -cE '^(not )?ok' "$dir/out")
left=$(ls "$dir/state/boxes" "$dir/state/transfers" 2>/dev/null | grep -v ':$' | xargs)
if [ -z "$left" ]; then echo "ok $((n + 1)) - nothing is left"; else echo "not ok $((n + 1)) - nothing is left: $left"; status=1; fi
echo "1..$((n + 1))"
exit $status
