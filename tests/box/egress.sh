#!/bin/bash
# The proxy and published ports of a box, end to end: usage: egress.sh WALL-RUN; TAP.
# Inside, python speaks to the proxy by hand, so that nothing depends on curl.
set -u
. "$(dirname "$(realpath "$0")")/tap.sh"
wall=$(realpath "$1")
dir=$(mktemp -d /tmp/tinybox-egress-XXXXXX)
mkdir "$dir/work" "$dir/www"
head -c 20000000 /dev/urandom >"$dir/www/big"; echo hello >"$dir/www/a"
cat >"$dir/server.py" <<'PY'
import functools, http.server, sys
class H(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
        self.wfile.write(body[::-1])
http.server.ThreadingHTTPServer.request_queue_size = 128
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(H, directory=sys.argv[1]))
print(s.server_address[1], flush=True)
s.serve_forever()
PY
cat >"$dir/work/ask.py" <<'PY'
import hashlib, socket, struct, sys, threading
P = ("127.0.0.1", 3128)
def http(text, rest=b""):
    s = socket.create_connection(P, 20); s.sendall(text.encode() + rest)
    d = b""
    while True:
        b = s.recv(65536)
        if not b: return d
        d += b
def connect(host, port, data=b""):
    s = socket.create_connection(P, 20)
    s.sendall(b"CONNECT %s:%d HTTP/1.1\r\n\r\n" % (host.encode(), port) + data)
    head = b""
    while b"\r\n\r\n" not in head:
        b = s.recv(1)
        if not b: break
        head += b
    return s, int(head.split()[1])
def socks(name, port):
    s = socket.create_connection(P, 20)
    s.sendall(b"\5\1\0"); assert s.recv(2) == b"\5\0"
    s.sendall(b"\5\1\0\3" + bytes([len(name)]) + name + struct.pack(">H", port))
    r = s.recv(10)
    return s, r[1]
def rest(s):
    d = b""
    while True:
        b = s.recv(65536)
        if not b: return d
        d += b
what, port = sys.argv[1], int(sys.argv[2])
get = b"GET /%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
if what == "plain":
    print(http("GET http://127.0.0.1:%d/a HTTP/1.1\r\nHost: evil\r\n\r\n" % port).split(b"\r\n\r\n")[1].decode().strip())
elif what == "post":
    print(http("POST http://127.0.0.1:%d/a HTTP/1.1\r\nContent-Length: 3\r\n\r\n" % port, b"abc").split(b"\r\n\r\n")[1].decode())
elif what == "connect":
    s, code = connect("127.0.0.1", port, get % b"a"); print(code, rest(s).split(b"\r\n\r\n")[1].decode().strip())
elif what == "socks":
    s, code = socks(b"127.0.0.1", port); s.sendall(get % b"a"); print(code, rest(s).split(b"\r\n\r\n")[1].decode().strip())
elif what == "big":
    s, code = connect("127.0.0.1", port, get % b"big"); print(hashlib.sha256(rest(s).split(b"\r\n\r\n", 1)[1]).hexdigest())
elif what == "many":
    good = []
    def one(i):
        s, code = connect("127.0.0.1", port, get % b"a")
        if b"hello" in rest(s): good.append(i)
    t = [threading.Thread(target=one, args=(i,)) for i in range(100)]
    [x.start() for x in t]; [x.join() for x in t]; print(len(good))
elif what == "names":
    good = []
    def one(i):
        s, code = connect("n%d.invalid" % i, port); good.append(code)
    t = [threading.Thread(target=one, args=(i,)) for i in range(60)]
    [x.start() for x in t]; [x.join() for x in t]; print(len(good), set(good))
elif what == "refused":
    out = []
    for name in sys.argv[3:]:
        s, code = connect(name, port); out.append(str(code))
    print(" ".join(out))
elif what == "nul":
    print(socks(b"127.0.0.1\0.allowed.org", port)[1], socks(b"allowed.org\0", port)[1])
elif what == "direct":
    try: socket.create_connection(("127.0.0.1", port), 5); print("open")
    except OSError: print("closed")
    try: socket.getaddrinfo("example.com", 80); print("resolved")
    except OSError: print("no names")
elif what == "idle":
    idle = [socket.create_connection(P, 5) for _ in range(250)]
    s, code = connect("127.0.0.1", port, get % b"a"); print(code)
PY
python3 "$dir/server.py" "$dir/www" >"$dir/port" & server=$!
while ! [ -s "$dir/port" ]; do sleep 0.1; done
port=$(cat "$dir/port")
as=
all() {
	ask() { timeout 60 $as "$wall" -n egress -w "$dir/work" "${allow[@]}" -- python3 /workspace/ask.py "$1" "$port" "${@:2}" 2>"$dir/told"; }
	allow=(-a "127.0.0.1:$port")
	is "$who: a plain request, its Host is the URL's" "$(ask plain)" hello
	is "$who: what was decided is told" "$(cat "$dir/told")" "http 127.0.0.1:$port 127.0.0.1: allowed"
	is "$who: a request with a body" "$(ask post)" cba
	is "$who: CONNECT" "$(ask connect)" "200 hello"
	is "$who: SOCKS5" "$(ask socks)" "0 hello"
	is "$who: twenty megabytes" "$(ask big)" "$(sha256sum <"$dir/www/big" | cut -d' ' -f1)"
	is "$who: a hundred at a time" "$(ask many)" 100
	is "$who: two hundred and fifty who say nothing" "$(ask idle)" 200
	is "$who: not in the list" "$(ask refused 127.0.0.2 localhost example.com)" "403 403 403"
	is "$who: nothing but the proxy" "$(ask direct)" "closed
no names"
	allow=(-a "*.allowed.org:*" -a "allowed.org:*")
	is "$who: a NUL in a name" "$(ask nul)" "2 2"
	allow=()
	is "$who: this machine and private networks" "$(ask refused 127.0.0.1 localhost 0.0.0.0 169.254.169.254 10.0.0.1 '[::1]' '[::ffff:127.0.0.1]' 2130706433 0x7f.1 127.1)" \
		"403 403 403 403 403 403 403 403 403 403"
	is "$who: sixty names that are not" "$(ask names)" "60 {403}"
	allow=(-a "localhost:$port")
	is "$who: a name that leads to this machine" "$(ask refused localhost)" 403
	allow=(-a "localhost:$port" -a "127.0.0.1:$port" -a "[::1]:$port")
	is "$who: a name, with the address it leads to" "$(ask refused LOCALHOST.)" 200

	for address in 127.0.0.1 ::1; do
	rm -rf "$dir/state"; mkdir -m 700 "$dir/state"; [ "$who" = root ] || chown 1000 "$dir/state"
	$as "$wall" -s "$dir/state" -P 8000 -w "$dir/work" -- python3 -m http.server 8000 --bind $address -d /workspace >/dev/null 2>"$dir/told" & box=$!
	for _ in $(seq 100); do grep -q 'port 8000 is' "$dir/told" && break; sleep 0.05; done
	outside=$(sed -n 's/port 8000 is //p' "$dir/told")
	for _ in $(seq 50); do
		got=$(python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:$outside/ask.py', timeout=5).read(6).decode())" 2>/dev/null) && break
		sleep 0.1
	done
	is "$who: a published port, $address" "$got" import
	kill $box; wait $box 2>/dev/null
	$as "$wall" -S test-$box
	done
}
who=root
if [ "$(id -u)" = 0 ]; then
	all
	chown -R 1000:1000 "$dir"; as='setpriv --reuid 1000 --regid 1000 --clear-groups'
	cp "$wall" "$dir/wall-run"; wall=$dir/wall-run
	who=user; all
else
	who=user; all
fi
kill $server; wait $server 2>/dev/null
rm -rf "$dir"
tap_end
