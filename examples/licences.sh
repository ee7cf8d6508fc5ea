#!/bin/bash
# Analyses the licence texts under /licences and prints a report: loops,
# functions, pipes, here-documents and files, as an agent would write them.
set -euo pipefail

src=${1:-/licences}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

words() { tr -cs '[:alpha:]' '\n' <"$1" | tr '[:upper:]' '[:lower:]' | grep -E '^.{4,}$' || true; }

count=0
total=0
for file in "$src"/*; do
	[[ -f $file && ! -L $file ]] || continue
	name=${file##*/}
	lines=$(wc -l <"$file")
	words "$file" | sort | uniq -c | sort -k1,1nr -k2 >"$work/$name.words"
	read -r times top <"$work/$name.words"
	printf '%s\t%d\t%s (%d)\n' "$name" "$lines" "$top" "$times" >>"$work/table"
	count=$((count + 1))
	((total += lines))
done

cat <<END
Licences in $src: $count files, $total lines
$(printf '%-16s %6s  %s\n' NAME LINES 'MOST USED WORD')
END
sort -t$'\t' -k2,2nr "$work/table" | while IFS=$'\t' read -r name lines word; do
	printf '%-16s %6d  %s\n' "$name" "$lines" "$word"
done

echo
echo "Files that speak of a warranty, and how often:"
grep -ic warrant "$src"/* 2>/dev/null | sed -n "s|^$src/||; /:0\$/!p" | sort -t: -k2,2nr | head -n 5 |
	while IFS=: read -r name times; do
		case $name in
		*GPL*) kind=copyleft ;;
		Apache* | BSD | MIT*) kind=permissive ;;
		*) kind=other ;;
		esac
		printf '  %-14s %3d  %s\n' "$name" "$times" "$kind"
	done

echo
echo "Words that all of them share: $(cut -c9- "$work"/*.words | sort | uniq -c |
	sed -n "s/^ *$count \(.*\)/\1/p" | head -n 8 | tr "\n" " ")"
