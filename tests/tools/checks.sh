#!/bin/sh
# TAP: tools/check-layers and tools/check-size find what they must, and only that.
# usage: tests/tools/checks.sh SOURCE-ROOT
set -u
tools=$(cd "$1/tools" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 2
mkdir -p src/base src/text src/lang src/stray include/tinysandbox tools
printf '# who may include whom\nbase:\ntext: base\nlang: base text\n' >src/LAYERS
n=0

# judge TOOL WANT NAME: the tool says a line that has WANT; WANT "": it says nothing.
judge() {
	n=$((n + 1))
	said=$("$tools/$1" "$tree" 2>&1)
	status=$?
	if [ -z "$2" ] && [ $status = 0 ] && [ -z "$said" ]; then
		echo "ok $n - $3"
	elif [ -n "$2" ] && [ $status = 1 ] && printf '%s\n' "$said" | grep -qF -- "$2"; then
		echo "ok $n - $3"
	else
		echo "not ok $n - $3"
		printf '%s\n' "$said" | sed 's/^/# /'
	fi
}

# include FILE TARGET WANT NAME
include() {
	printf '#include <stddef.h>\n#  include "%s"\n' "$2" >"$1"
	judge check-layers "$3" "$4"
	rm "$1"
}

judge check-layers "" "an empty tree"
include src/text/a.c base/x.h "" "an arrow that is allowed"
include src/base/a.c base/x.h "" "the own room"
include src/base/a.c text/x.h "src/base/a.c:2: base may not include text" "an arrow up"
include src/lang/a.h text/x.h "" "two rooms below"
include src/text/a.h lang/x.h "text may not include lang" "a header counts too"
include src/text/a.def lang/x.h "text may not include lang" "and a table"
include src/text/a.c ../base/x.h "leaves its folder" "a way around"
include src/text/a.c base/../lang/x.h "leaves its folder" "a way around inside"
include src/text/a.c x.h "without its room" "no room"
include src/text/a.c kernel/x.h "of no room" "an unknown room"
include src/stray/a.c base/x.h "is in no room" "a file in an unknown room"
include include/tinysandbox/a.h base/x.h "a public header includes" "a public header"
printf 'a: b\nb:\n' >src/LAYERS
judge check-layers "a names b, which is not above it" "arrows that could go round"
rm src/LAYERS
judge check-layers "is missing" "no LAYERS"

# function LINES: a function that long, signature and braces included.
function_of() {
	printf 'static int\nlong_one(int a)\n{\n'
	i=4
	while [ $i -lt "$1" ]; do
		echo '	a++;'
		i=$((i + 1))
	done
	printf '}\n'
}

judge check-size "" "nothing"
{ printf '/* why */\n#define X 1\nstruct x {\n	int a;\n};\n\n'; function_of 60; } >src/base/a.c
judge check-size "" "sixty lines"
{ printf 'struct x {\n	int a;\n};\n\n'; function_of 61; printf '\n'; function_of 5; } >src/base/a.c
judge check-size "src/base/a.c:5: long_one() has 61 lines" "sixty-one"
echo 'src/base/a.c long_one it is one table' >tools/size-exceptions
judge check-size "" "an exception"
echo 'src/base/a.c long_one' >tools/size-exceptions
judge check-size "no reason given" "an exception without a reason"
function_of 10 >src/base/a.c
echo 'src/base/a.c long_one it is one table' >tools/size-exceptions
judge check-size "nothing needs src/base/a.c long_one" "an exception that is not needed"
rm tools/size-exceptions
printf 'int f(void) {\n	return 1;\n}\n' >src/base/a.c
judge check-size "belongs in column 0" "a late brace"
yes 'int a;' | head -800 >src/base/a.c
judge check-size "" "eight hundred lines"
echo 'int a;' >>src/base/a.c
judge check-size "src/base/a.c: 801 lines" "one more"
echo 'src/base/a.c - a table' >tools/size-exceptions
judge check-size "" "an exception for a file"
echo "1..$n"
