#!/bin/bash
# install.sh SOURCE BUILD: what is installed can be used: the pages, pkg-config, an example against the
# shared and the static library, the programs from another prefix. TAP.
source=$(realpath "$1") build=$(realpath "$2")
. "$(dirname "$(realpath "$0")")/tap.sh"
dir=$(mktemp -d /tmp/tbxinst-XXXXXX)
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state
trap 'rm -rf "$dir"' EXIT
DESTDIR=$dir/to meson install --no-rebuild --quiet -C "$build" >log 2>&1
is "make install" 0 $?
pc=$(find to -name tinybox.pc)
is "a file for pkg-config" 1 "$(wc -w <<<"$pc")"
export PKG_CONFIG_PATH=$dir/${pc%/*} PKG_CONFIG_SYSROOT_DIR=$dir/to
libexec=$(dirname "$(find "$dir/to" -name tinybox-init)")
bin=$(dirname "$(find "$dir/to" -name tinybox -type f -perm -1 -path '*/bin/*')")
run() { LD_LIBRARY_PATH=$dir/${pc%/pkgconfig*} timeout 30 "$@"; }
for verb in $("$bin/tinybox" --help | sed -n '/^Commands:/,/\./p' | sed 's/Commands://; s/\..*//' | tr -d ','); do
	find to -name "tinybox-$verb.1" | grep -q . || missing+=" $verb"
done
is "a page for each command" "" "$missing"
cc -o example "$source/examples/boxes.c" $(pkg-config --cflags --libs tinybox) 2>err
is "an example against the shared library" "0 " "$? $(head -c 300 err)"
is "... runs" "exit, status 3" "$(run ./example "$libexec" | tail -1)"
if [ -n "$(find to -name libtinybox.a)" ]; then
	cc -o example-static "$source/examples/boxes.c" $(pkg-config --cflags tinybox) "$(find to -name libtinybox.a)" \
		$(pkg-config --libs --static tinybox | tr ' ' '\n' | grep -v ltinybox) 2>err
	is "an example against the static library" "0 " "$? $(head -c 300 err)"
fi
is "the command finds its helpers from another prefix" hello "$(run "$bin/tinybox" run -- echo hello)"
is "a unit file for the machine and one for a user" 2 "$(find to -name tinybox-reap.service | xargs grep -l "^ExecStart=/.*/tinybox reap --watch$" | wc -l)"
tap_end
