#!/bin/bash
# git.sh TINYBOX: a repository as the workspace; hostile URLs, revisions and repositories. TAP.
tinybox=$(realpath "$1")
command -v git >/dev/null || { echo "1..0 # SKIP git is needed"; exit 0; }
. "$(dirname "$(realpath "$0")")/tap.sh"
dir=$(mktemp -d /tmp/tbxgit-XXXXXX)
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state HOME=$dir GIT_CONFIG_NOSYSTEM=1
trap 'tb rm -f $(tb ls --quick -q) >/dev/null 2>&1; rm -rf "$dir"' EXIT
tb() { timeout 60 "$tinybox" "$@"; }
git config --global user.email a@b; git config --global user.name n; git config --global init.defaultBranch main
git config --global protocol.file.allow always
git init -q repo
cd repo || exit 1
echo one >f; mkdir d; printf '#!/bin/sh\necho ran\n' >d/run; chmod +x d/run; ln -s f link; ln -s /etc/passwd out
git add -A; git commit -qm one; git tag v1
git checkout -qb side; echo side >f; git commit -qam side; git checkout -q main; echo two >f; git commit -qam two
first=$(git rev-parse v1)
mkdir -p "$dir/templates/hooks"; printf '#!/bin/sh\ntouch %s/hooked\n' "$dir" >"$dir/templates/hooks/post-checkout"; chmod +x "$dir/templates/hooks/post-checkout"
git config --global init.templateDir "$dir/templates"; git config --global core.hooksPath "$dir/templates/hooks"
cd ..
for wall in virtual namespace passthrough; do
	box=$(tb create --sandbox "$wall" --git "$dir/repo" 2>err) || { is "$wall" "" "$(cat err)"; continue; }
	is "$wall: the files are the workspace" "two f /etc/passwd" "$(tb exec "$box" sh -c 'echo $(cat f) $(readlink link) $(readlink out)')"
	is "$wall: what ran, runs" ran "$(tb exec "$box" ./d/run)"
	is "$wall: with its history" yes "$(tb exec "$box" sh -c '[ -d .git/objects ] && echo yes')"
	is "$wall: nothing is left of the clone" "" "$(ls -d state/boxes/*/clone 2>/dev/null)"
done

# ---- a work tree whose repository is elsewhere ----
mkdir -p both && git clone -q repo both/main && git -C both/main worktree add -q ../tree -b tree
git -C both/main submodule --quiet add "$dir/repo" sub && git -C both/main commit -qm sub
for tree in both/tree both/main/sub both/main; do
	box=$(tb create --sandbox namespace --dir $tree 2>err)
	works=$(tb exec "$box" sh -c 'cd /workspace && git status --short >/dev/null 2>&1 && echo works')
	if [ $tree = both/main ]; then
		is "$tree: git works, and nothing is said (control)" "works " "$works $(cat err)"
	else
		is "$tree: control: git does not work in the box" "" "$works"
		has "... which is said" "$dir/$tree is a git work tree whose repository is not in it but in $dir/both/main/.git" "$(cat err)"
		words=$(sed -n 's/.*where they are: //p' err)
		box=$(tb create --sandbox namespace $words 2>err)
		is "... what was advised says nothing more" "" "$(cat err)"
		tb exec -e GIT_AUTHOR_NAME=n -e GIT_AUTHOR_EMAIL=e -e GIT_COMMITTER_NAME=n -e GIT_COMMITTER_EMAIL=e "$box" -- \
			sh -c 'echo new >g; git add g && git commit -qm inside' >out 2>&1
		is "... and git commits there, into the host's repository" "0 inside" "$? $(git -C $tree log -1 --format=%s)"
		is "... which loses no work tree" 2 "$(tb exec "$box" git gc --prune=now >/dev/null 2>&1; git -C both/main worktree list | wc -l)"
	fi
	[ "$box" ] && tb rm "$box" >/dev/null 2>&1
done
rm -f hooked	# (by our own git)
is "... and not to a virtual box, which has no git" "" "$(tb create --dir both/tree 2>&1 >/dev/null)"

is "a tag" one "$(tb exec "$(tb create --git "file://$dir/repo" --revision v1)" cat f)"
is "a branch" side "$(tb exec "$(tb create --git "$dir/repo" --revision side)" cat f)"
is "a commit" one "$(tb exec "$(tb create --git "$dir/repo" --revision "$first")" cat f)"
is "no hook ran" "" "$(ls hooked 2>/dev/null)"
box=$(tb create --git "$dir/repo"); snap=$(tb snapshot "$box")
is "it is part of a snapshot" two "$(tb exec "$(tb fork "$snap")" cat f)"
git init -q empty
is "an empty repository" "" "$(tb exec "$(tb create --git "$dir/empty")" sh -c 'ls')"
tb create --git "$dir/repo" --revision nowhere 2>err >/dev/null
is "a revision that is not there" 70 $?
is "... is said once" 1 "$(wc -l <err)"
tb create --git "$dir/missing" 2>err >/dev/null; is "a repository that is not there" 70 $?
tb create --git "https://127.0.0.1:1/x" 2>err >/dev/null; is "a server that is not there" 70 $?
is "... no box is left of it" "" "$(tb ls -q --quick | while read -r b; do tb inspect "$b" | grep -o '"state":"[cf][ra].*'; done)"
for url in '--upload-pack=touch x' '-c' 'ext::sh -c touch% pwned' 'fd::17' 'ssh://-oProxyCommand=touch pwned/x' 'ssh://-oProxyCommand=x/x' \
	'-oProxyCommand=x:y' 'host:-x' 'file://host/x' 'ftp://x/y' 'repo' '../repo' 'http::x' 'https://u:secret@x/y' $'https://x/\ny' 'https://x\y' '' 'https://' \
	'ssh://[-x]/y' 'https:///x' 'ssh://a b/c'; do
	tb create --git "$url" 2>err >/dev/null
	is "refused:" "2 $url" "$? $url"
done
for rev in '-x' '--orphan' '../x' 'a..b' 'HEAD@{1}' 'a b' $'a\nb' 'a:b' '$(x)' '' '.x'; do
	tb create --git "$dir/repo" --revision "$rev" 2>err >/dev/null
	is "refused:" "2 $rev" "$? $rev"
done
tb create --git "$dir/repo" --read-only 2>err >/dev/null; is "refused: --read-only" 2 $?
is "nothing was run" "" "$(find . -name 'pwned*' -o -name x -path './x')"
tap_end
