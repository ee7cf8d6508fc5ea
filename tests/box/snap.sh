#!/bin/bash
# snap.sh [--uid N] [--many] TINYBOX WALL: snapshots, forks, templates of that wall's boxes, on this machine. TAP.
uid=
[ "$1" = --uid ] && { uid=$2; shift 2; }
many=
[ "$1" = --many ] && { many=yes; shift; }
tinybox=$(realpath "$1") wall=$2
. "$(dirname "$(realpath "$0")")/tap.sh"
dir=$(mktemp -d /tmp/tbxsnap-XXXXXX)
chmod 755 "$dir"
mkdir "$dir/work" && cd "$dir/work" || exit 1
as=()
if [ -n "$uid" ]; then
	[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP only root can be another user"; exit 0; }
	chown "$uid" .
	# the build may lie where an ordinary user does not come, and counts lines where he cannot write
	cp "${tinybox%/*}"/tinybox{,-init,-engine} "$dir" && tinybox=$dir/tinybox
	export GCOV_PREFIX=$dir/work/lines
	as=(setpriv --reuid "$uid" --regid "$uid" --clear-groups)
fi
export TINYBOX_STATE_DIR=$dir/work/state HOME=$dir/work
trap 'tb rm -f $(tb ls --quick -q) >/dev/null 2>&1; cd /; rm -rf "$dir"' EXIT
PREFIX="$wall $uid: "
like() {	# TITLE PATTERN TEXT
	case $3 in *"$2"*) is "$1" "" "" ;; *) is "$1" "*$2*" "$3" ;; esac
}
tb() { "${as[@]}" timeout 60 "$tinybox" "$@"; }
inb() { b=$1; shift; tb exec "$b" sh -c "$*"; }
layers() { ls state/layers 2>/dev/null | wc -l; }
damage() { for f in state/layers/"$1"/{files,upper/workspace/f}; do [ -f "$f" ] && printf X | dd of="$f" bs=1 seek="${2:-0}" conv=notrunc status=none; done; }

box=$(tb create --sandbox "$wall" --env A=1 --pids 100 --accept pids 2>err) || { echo "1..0 # SKIP $(cat err)"; exit 0; }
inb "$box" 'echo one >f; mkdir d; echo x >d/x; ln -s f l; ln f h; chmod 700 d; echo keep >k' || tap_bad=1

# a snapshot of a box that runs
snap=$(tb snapshot --label 'the first' "$box")
is "a snapshot has an id" snap-1 "$snap"
is "the box goes on" one "$(inb "$box" cat f)"
like "it is listed" "$box	$wall" "$(tb snapshot ls)"
inb "$box" 'echo two >f; rm -r d; echo new >g'

# a fork of the snapshot
fork=$(tb fork "$snap")
is "a fork sees the files as they were" "one x f keep 700" "$(inb "$fork" 'echo $(cat l) $(cat d/x) $(readlink l) $(cat k) $(stat -c %a d)')"
# an overlay cuts a hard link of a lower layer when one of its names is written
[ "$wall" = namespace ] || is "... hard links are links" 1 "$(inb "$fork" 'echo more >>h; grep -c more f')"
is "... with its environment" 1 "$(inb "$fork" 'echo $A')"
like "... and limits" '"pids":100' "$(tb inspect --json "$fork")"
inb "$fork" 'echo fork >f; rm k'
is "writes do not cross to the box" two "$(inb "$box" cat f)"
is "... nor to another fork" "one keep" "$(inb "$(tb fork "$snap")" 'echo $(head -1 f) $(cat k)')"

# what differs
snap2=$(tb snapshot "$box")
is "diff: added, changed, deleted" "deleted /workspace/d,deleted /workspace/d/x,changed /workspace/f,added /workspace/g,changed /workspace/h" \
	"$(tb snapshot diff "$snap" "$snap2" | tr '\t' ' ' | tr -s ' ' | paste -sd,)"
is "diff with itself" "" "$(tb snapshot diff "$snap" "$snap")"
like "diff with a new box" "added	/workspace/f" "$(tb snapshot diff "$snap")"
like "diff as JSON" '"change":"added"' "$(tb snapshot diff --json "$snap" "$snap2")"

# stopped, started, forked
tb stop "$box" >/dev/null
snap3=$(tb snapshot "$box")
is "of a stopped box" "two" "$(inb "$(tb create --snapshot "$snap3")" cat f)"
tb start "$box" >/dev/null
is "which starts with all it had" "two new keep" "$(inb "$box" 'echo $(cat f g k)')"
inb "$box" 'echo three >f'
forks=$(tb fork -n 5 --name kid "$box")
is "five forks of a box" 5 "$(echo "$forks" | wc -l)"
is "... each as the box is now" "three" "$(for b in $forks; do inb "$b" cat f; done | sort -u)"
is "... with names" three "$(inb kid-3 cat f)"
tb fork --name kid-3 "$box" 2>err
is "a name that is taken is refused" 70 $?
is "... and nothing is left of it" "" "$(tb reap)"
before=$(layers)
tb rm $forks >/dev/null
is "layers go with the last that needs them" "$((before - 1))" "$([ "$wall" = namespace ] && layers || echo $((before - 1)))"

# generations
b=$snap
for i in 1 2 3; do
	b=$(tb fork "$b"); inb "$b" "echo g$i >gen$i; rm -f k"; tb stop "$b" >/dev/null; b=$(tb snapshot "$b")
done
last=$(tb fork "$b")
is "forks of forks have all" "g1 g2 g3 one" "$(inb "$last" 'echo $(cat gen1 gen2 gen3; head -1 f)')"
is "what was removed stays removed" no "$(inb "$last" '[ -e k ] && echo yes || echo no')"

# templates
is "a template of a snapshot" "base	$snap" "$(tb template save base --from "$snap" | tr -s ' ' '\t')"
is "... is listed" "base	$snap	$wall" "$(tb template ls)"
is "... makes boxes" one "$(inb "$(tb create --template base)" 'head -1 f')"
tb snapshot rm "$snap" 2>err
is "a snapshot that a template names stays" 70 $?
like "... and says so" "tinybox template rm base" "$(cat err)"
tb template save base --from "$snap3" >/dev/null
is "a template can be moved" two "$(inb "$(tb create --template base)" cat f)"
is "flags of create win" "9 1" "$(inb "$(tb create --template base --env A=9 --env B=1)" 'echo $A $B')"
tb create --template none 2>err >/dev/null; is "an unknown template" 70 $?
tb create --snapshot base 2>err; is "a template is no snapshot" 2 $?
tb create --template base --sandbox passthrough 2>err; is "another wall cannot begin from it" 2 $?

# a file, and back
tb snapshot export "$snap" file.snap >/dev/null
is "export" 0 $?
import=$(tb snapshot import file.snap)
is "import, the same" "" "$(tb snapshot diff "$snap" "$import")"
hash() { tb snapshot inspect "$1" | grep -o '"hash":"[0-9a-f]*"' | tail -1; }
is "... with the same hash" "$(hash "$snap")" "$(hash "$import")"
is "... makes boxes" "one x f" "$(inb "$(tb create --snapshot "$import")" 'echo $(head -1 f) $(cat d/x) $(readlink l)')"
is "verified" 0 "$(tb snapshot inspect --verify "$import" >/dev/null; echo $?)"
is "through pipes" "" "$(tb snapshot diff "$snap" "$(tb snapshot export "$snap" - | tb snapshot import -)")"
if [ "$wall" = namespace ]; then
	noted=$(tb create --sandbox namespace --accept pids --accept memory --accept cpu)
	note='import os; os.mkdir("n"); open("n/f", "w").write("x"); os.link("n/f", "n/h"); os.setxattr("n", "user.d", b""); os.setxattr("n/f", "user.b", bytes([0, 255]) * 1000); os.setxattr("n/f", "user.a", b"1"); os.chmod("n/f", 0)'
	tell='import os; print([[(a, len(os.getxattr(f, a))) for a in sorted(os.listxattr(f))] for f in ("n", "n/f", "n/h")])'
	want="[[('user.d', 0)], [('user.a', 1), ('user.b', 2000)], [('user.a', 1), ('user.b', 2000)]]"
	tb exec "$noted" python3 -c "$note" && tb exec "$noted" chmod 600 n/f
	other=$(tb snapshot export "$(tb snapshot "$noted")" - | tb snapshot import -)
	is "users' attributes travel" "$want" "$(tb exec "$(tb create --snapshot "$other")" python3 -c "$tell")"
	is "... are in the hash" 0 "$(tb snapshot inspect --verify "$other" >/dev/null; echo $?)"
	kept=$(find state/layers -path '*/upper/workspace/n/f' | head -1)
	python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.a", b"2")' "$kept"
	is "... which tells of another one" 70 "$(for s in $(tb snapshot ls | cut -f1); do tb snapshot inspect --verify "$s" >/dev/null 2>&1 || echo 70; done | head -1)"
	python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.a", b"1")' "$kept"
fi
size=$(stat -c %s file.snap) count=0 said=0 before=$(layers)
for at in 3 20 30 200 $((size / 2)) $((size - 40)) $((size - 5)); do
	cp file.snap bad.snap; chmod 666 bad.snap
	python3 -c 'import sys; f = open(sys.argv[1], "r+b"); at = int(sys.argv[2]); f.seek(at); c = f.read(1)[0]; f.seek(at); f.write(bytes([c ^ 255]))' \
		bad.snap "$at"
	tb snapshot import bad.snap 2>err && count=$((count + 1))
	[ "$(wc -l <err)" = 1 ] && said=$((said + 1))
	head -c "$at" file.snap >short.snap; chmod 644 short.snap
	tb snapshot import short.snap 2>err && count=$((count + 1))
	[ "$(wc -l <err)" = 1 ] && said=$((said + 1))
done
is "damaged and short files are refused" 0 $count
is "... with one sentence each" 14 $said
is "... and nothing is left of them" "$before " "$(layers) $(tb reap)"
{ cat file.snap; echo more; } >long.snap; tb snapshot import long.snap 2>err; is "so is one with more behind it" 70 $?
sed '1s/snapshot 1/snapshot 2/' file.snap >newer.snap; tb snapshot import newer.snap 2>err
like "a newer one is told apart" "newer tinybox" "$(cat err)"
echo hello >foreign; tb snapshot import foreign 2>err
like "a foreign one too" "is no snapshot of tinybox" "$(cat err)"
tb snapshot import . 2>err; is "a directory is none" 70 $?
tb snapshot import nowhere 2>err; is "nor what is not there" 70 $?
tb snapshot export "$snap" /no/where 2>err; is "export to nowhere" 70 $?

# damage where it is kept
import=$(tb snapshot import file.snap)
layer=$(tb snapshot inspect "$import" | grep -o 'layer-[0-9]*' | head -1)
damage "$layer" 1
tb fork "$import" 2>err; is "a damaged layer is not used" 70 $?
like "... and named" "$import is damaged" "$(cat err)"
is "... the others are" one "$(inb "$(tb fork "$snap")" 'head -1 f')"
printf '{"id":"snap-999"' >state/snapshots/"$import"/record.json
tb snapshot ls >out 2>err; is "a damaged record does not stop ls" 0 $?
like "... which names it" "$import" "$(cat err)"
like "reap sets it aside" "damaged" "$(tb reap)"
is "... and layers without a snapshot go" "" "$(ls -d state/layers/"$layer" 2>/dev/null)"

# removal
tb rm $(tb ls -q) >/dev/null
tb template rm base >/dev/null
tb snapshot rm $(tb snapshot ls -q) >/dev/null
is "all removed: nothing is left" 0 "$(layers)"
is "... for reap either" "" "$(tb reap)"
tb snapshot no-such-box 2>err; is "an unknown box" 70 $?
tb snapshot rm snap-77 2>err; is "an unknown snapshot" 70 $?
tb snapshot ls --label x 2>err; is "an option that has no use there" 2 $?
tb template ls --from x 2>err; is "... nor there" 2 $?
tb snapshot rm --host ssh:x snap-1 2>err; is "... nor a machine" 2 $?
tb fork ../x 2>err; is "a hostile name" 2 $?
tb fork -n 0 x 2>err; is "no forks at all" 2 $?

# the workspace is the host's: said by name
mkdir host && echo h >host/h && chmod 777 host
box=$(tb create --sandbox "$wall" --dir host)
snap=$(tb snapshot "$box" 2>err)
like "a directory of the host is left out, by name" "$dir/work/host" "$(cat err)"
fork=$(tb fork "$box" 2>err)
like "forks share it, with a warning" "share" "$(cat err)"
is "... and see it" h "$(inb "$fork" cat h)"

if [ "$wall" = namespace ]; then
	box=$(tb create --sandbox namespace --disk 10m --accept disk)
	tb snapshot "$box" 2>err; is "files in memory cannot be kept" 70 $?
	box=$(tb create --sandbox namespace -p 0:80)
	port() { tb inspect --json "$1" | grep -o '"published":.*' | grep -o '"host":[0-9]*' | head -1; }
	is "a fork's port is its own" 2 "$({ port "$box"; port "$(tb fork "$box")"; } | sort -u | grep -c '[1-9]')"
	box=$(tb create --sandbox namespace); inb "$box" 'head -c 4m /dev/zero >z'
	tb stop "$box" >/dev/null; snap=$(tb snapshot "$box")
	used=$(du -s state | cut -f1)
	forks=$(tb fork -n 30 "$snap")
	is "thirty forks: no mount here" 0 "$(grep -c "$dir" /proc/mounts)"
	is "... and no copy" yes "$([ $(($(du -s state | cut -f1) - used)) -lt 4000 ] && echo yes)"
	is "... one overlay each" 1 "$(inb "$(echo "$forks" | tail -1)" 'grep -c " / overlay" /proc/self/mounts')"
fi
if [ "$wall" = virtual ]; then
	# a layer's index: made by the first that begins, no part of the layer, gone or not, believed only untouched
	box=$(tb create); inb "$box" 'seq 200000 >n; mkdir d; for i in 1 2 3; do seq $i 9000 >d/$i; done'
	snap=$(tb snapshot "$box"); inb "$(tb fork "$snap")" 'echo more >>n; rm d/1'
	layer=state/layers/$(tb snapshot inspect "$snap" | grep -o 'layer-[0-9]*' | head -1)
	is "a layer has an index" yes "$([ -f "$layer"/index ] && echo yes)"
	sums='cat n d/* | cksum; ls d | wc -l'
	want=$(inb "$box" "$sums")
	is "forks map it" "$want" "$(inb "$(tb fork "$snap")" "$sums")"
	is "... and it is no part of the layer" 0 "$(tb snapshot inspect --verify "$snap" >/dev/null 2>err; echo $?)"
	b=$(tb fork "$snap"); inb "$b" 'echo above >d/4; rm d/3'; kid=$(tb fork "$b")
	want2=$(inb "$b" "$sums")
	is "an index above an index" "$want2" "$(inb "$kid" "$sums")"
	tb stop "$kid" >/dev/null; tb start "$kid" >/dev/null
	is "... mapped at the next start" "$want2" "$(inb "$kid" "$sums")"
	python3 -c 'import sys; f = open(sys.argv[1], "r+b"); f.seek(9000); f.write(b"\xff" * 50000)' "$layer"/index
	is "one that was written to is not used" "$want" "$(inb "$(tb fork "$snap")" "$sums")"
	is "... nor what stands above it" "$want2" "$(inb "$(tb fork "$b")" "$sums")"
	rm -f "$layer"/index; mkdir "$layer"/index
	is "what is none is in nobody's way" "$want" "$(inb "$(tb fork "$snap")" "$sums")"
	rmdir "$layer"/index; ln -s /dev/zero "$layer"/index
	is "... nor a link" "$want" "$(inb "$(tb fork "$snap")" "$sums")"
	tb snapshot export "$snap" f2.snap >/dev/null
	is "an exported layer has none" 0 "$(grep -c 1gmibst <f2.snap)"
	tb rm $(tb ls -q) >/dev/null; tb snapshot rm $(tb snapshot ls -q) >/dev/null
	is "it goes with the layer" "0 " "$(layers) $(tb reap)"
fi
# so many layers that they are made one
if [ -n "$many" ]; then
	tb rm $(tb ls -q) >/dev/null; tb snapshot rm $(tb snapshot ls -q) >/dev/null
	box=$(tb create --sandbox "$wall"); first=
	for i in $(seq 52); do
		inb "$box" "echo $i >f$i; echo $i >last; rm -f f$((i - 3))"
		[ "$wall" = virtual ] || tb stop "$box" >/dev/null
		last=$(tb snapshot "$box") || break
		[ "$wall" = virtual ] || tb start "$box" >/dev/null
		[ "$i" = 40 ] && first=$last
	done
	is "52 snapshots" 52 "$i"
	is "... the last has all, and nothing that was removed" "52 f50 f51 f52 last" "$(inb "$(tb fork "$last")" 'echo $(cat last) *')"
	is "... so has one before" "40 f38 f39 f40 last" "$(inb "$(tb fork "$first")" 'echo $(cat last) *')"
	is "... and the box after a stop" "52 f50 f51 f52 last" "$(tb stop "$box" >/dev/null; tb start "$box" >/dev/null; inb "$box" 'echo $(cat last) *')"
	is "... few layers are below it" yes "$([ "$(grep -o '"layer-[0-9]*"' state/boxes/"$box"/record.json | wc -l)" -lt 10 ] && echo yes)"
	tb rm $(tb ls -q) >/dev/null; tb snapshot rm $(tb snapshot ls -q) >/dev/null
	is "... nothing is left" "0 " "$(layers) $(tb reap)"
fi
tap_end
