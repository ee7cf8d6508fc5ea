#!/bin/bash
# report-only.sh TINYBOX: --allow-report-only, with a public address in a network namespace beside. TAP.
if [ "${2:-}" != inside ]; then
	[ "$(id -u)" = 0 ] && command -v ip >/dev/null && unshare -n true 2>/dev/null || { echo "1..0 # SKIP no network namespaces"; exit 0; }
	exec unshare -n "$0" "$1" inside
fi
tinybox=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/tap.sh"
dir=$(mktemp -d /tmp/tbxreport-XXXXXX)
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state
trap 'tb rm -f $(tb ls --quick -q) >/dev/null 2>&1; kill $other 2>/dev/null; rm -rf "$dir"' EXIT
tb() { timeout 60 "$tinybox" "$@"; }
mkfifo up
unshare -n sh -c 'echo >up; exec sleep 1000' &
other=$!
read -r _ <up
ip link set lo up
ip link add here type veth peer name there netns $other
ip addr add 8.8.8.1/24 dev here && ip link set here up
nsenter -t $other -n sh -c 'ip link set lo up; ip addr add 8.8.8.8/24 dev there; ip addr add 10.9.9.9/32 dev there; ip link set there up'
ip route add 10.9.9.9/32 via 8.8.8.8
nsenter -t $other -n python3 -c 'import http.server, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self): self.send_response(200); self.send_header("Content-Length", "5"); self.end_headers(); self.wfile.write(b"hello")
    def log_message(self, *a): pass
s = http.server.HTTPServer(("0.0.0.0", 80), H)
open("up", "w").write("\n")
s.serve_forever()' &
server=$!
trap 'tb rm -f $(tb ls --quick -q) >/dev/null 2>&1; kill $other $server 2>/dev/null; rm -rf "$dir"' EXIT
read -r _ <up
get() { tb exec "$1" python3 -c 'import urllib.request, sys
try: print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())
except urllib.error.HTTPError as e: print(e.code)' "$2" 2>&1; }
last() { tb audit "$1" | grep '"event":"egress"\|"egress"' | tail -1; }

make=(--sandbox namespace --network egress --allow 9.9.9.9:80)
box=$(tb create "${make[@]}" 2>err)
is "control: what the list does not have is refused" 403 "$(get "$box" http://8.8.8.8/)"
has "... and written down" '"allowed":false' "$(last "$box")"
tb rm "$box" >/dev/null
tb create "${make[@]}" --allow-report-only >out 2>err
is "a list that is not enforced must be accepted by name" "70 1" "$? $(grep -c network err)"
box=$(tb create "${make[@]}" --allow-report-only --accept network 2>err)
is "... then it is reached" hello "$(get "$box" http://8.8.8.8/)"
has "... and written down as what would be refused" '"allowed":true' "$(last "$box")"
has "... with the reason" "would be refused: not in the list of what may be reached" "$(last "$box")"
is "a private network stays refused" 403 "$(get "$box" http://10.9.9.9/)"
has "... and is told" '"allowed":false' "$(last "$box")"
is "inspect tells that nothing enforces it" "what --allow does not name is written down, and not refused" "$(tb inspect --json "$box" | python3 -c 'import json, sys
print(next(r.get("why") for r in json.load(sys.stdin)["report"] if r["control"] == "network"))')"
tb rm "$box" >/dev/null
box=$(tb create --sandbox namespace --network egress --allow 8.8.8.8:80 --allow-report-only --accept network)
is "what the list has" hello "$(get "$box" http://8.8.8.8/)"
has "... is allowed by it" '"why":"allowed"' "$(last "$box")"
tb create --sandbox namespace --network egress --allow-report-only --accept network >out 2>err
is "without a list there is nothing to report" 2 $?
tap_end
