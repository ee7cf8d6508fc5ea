#!/usr/bin/env python3
"""secret.py [--uid UID] TINYBOX: secrets of boxes have their place outside of them. A real TLS server on loopback, a box,
and every place in which a value could be looked for; the same search finds it where there is no secret. TAP."""
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import http.server

UID = int(sys.argv.pop(1)) if sys.argv[1] == "--uid" and sys.argv.pop(1) else os.getuid()
DIR = tempfile.mkdtemp(prefix="/tmp/tbxsecret-")
BUILD = os.path.dirname(os.path.realpath(sys.argv[1]))
VALUE = "ghp_" + os.urandom(12).hex()
OTHER = "key_" + os.urandom(12).hex()
count, bad, seen, closing = 0, 0, [], []


def ok(good, title, more=""):
    global count, bad
    count += 1
    bad += not good
    print(f"{'' if good else 'not '}ok {count} - {title}", *([f"\n# {str(more)[-900:]!r}"] if not good else []), flush=True)


def has(text, part, title):
    ok(part in text, title, text)


# ---- programs of our own, known by where they are ----
os.makedirs(DIR + "/bin")
for name in ("tinybox", "tinybox-init", "tinybox-egress", "tinybox-engine"):
    shutil.copy(f"{BUILD}/{name}", f"{DIR}/bin/{name}")
os.makedirs(DIR + "/state")
os.chmod(DIR, 0o755)
if UID != os.getuid():
    os.chown(DIR + "/state", UID, UID)
AS = [] if UID == os.getuid() else ["setpriv", "--reuid", str(UID), "--regid", str(UID), "--clear-groups"]
# MALLOC_PERTURB_: what was freed is filled, so that a use of it is seen
ENV = dict(os.environ, MALLOC_PERTURB_="77", TINYBOX_STATE_DIR=DIR + "/state", HOME=DIR, TOKEN_HERE=VALUE, KEY=OTHER)
if UID != os.getuid():  # a build that counts lines cannot write beside its objects
    ENV["GCOV_PREFIX"] = DIR + "/state/lines"


def tb(*words, env=None, **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    p = subprocess.run([*AS, DIR + "/bin/tinybox", *words], env=env or ENV, capture_output=True, text=True, timeout=60,
                       errors="replace", check=False, **more)
    return p.returncode, p.stdout, p.stderr


def ours(program):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe") == f"{DIR}/bin/{program}":
                found.append(int(pid))
        except OSError:
            pass
    return found


def gone(program, left=0):
    for _ in range(100):
        if len(ours(program)) <= left:
            return True
        time.sleep(0.05)
    return False


# ---- the world: a host with a good certificate, one with another's, one without ----
def openssl(*words):
    subprocess.run(["openssl", *words], cwd=DIR, check=True, capture_output=True)


KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
openssl("req", "-x509", *KEY, "-days", "3", "-subj", "/CN=test authority", "-keyout", "ca.key", "-out", "ca.pem")
for name, alt in (("good", "DNS:localhost"), ("wrong", "DNS:elsewhere.test")):
    openssl("req", *KEY, "-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".csr")
    with open(f"{DIR}/{name}.ext", "w", encoding="ascii") as file:
        file.write("subjectAltName=" + alt)
    openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", name + ".ext", "-out", name + ".pem")


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        seen.append((self.server.server_address[1], self.command, self.path, self.headers, body))
        back = f"{self.path} {self.headers.get('Authorization')} {body.decode('latin1')}\n".encode()
        self.send_response(200)
        self.send_header("X-Echo", str(self.headers.get("Authorization")))
        if "chunked" in self.path:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for i in range(0, len(back), 5):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(back[i:i + 5]), back[i:i + 5]))
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.send_header("Content-Length", str(len(back)))
            self.end_headers()
            self.wfile.write(back)

    do_GET = do_POST = do_HEAD = one


def serve(cert):
    s = Server(("127.0.0.1", 0), Handler)
    if cert:
        c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        c.load_cert_chain(f"{DIR}/{cert}.pem", f"{DIR}/{cert}.key")
        s.socket = c.wrap_socket(s.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=s.serve_forever, daemon=True).start()
    return s.server_address[1]


def shape(c):
    """Answers of every shape, by the path of the request."""
    def read():
        d = b""
        while b"\r\n\r\n" not in d:
            d += c.recv(65536) or sys.exit()
        return d.split(b" ")[1].decode(), d, d.split(b"\r\n\r\n", 1)[1]
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
    while True:
        path, head, body = read()
        said = VALUE.encode()
        if path == "/until-close":
            c.sendall(b"HTTP/1.0 200 OK\r\n\r\n<" + said + b">" + said[:9])
            break
        if path == "/early":
            c.sendall(b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
            break
        if path == "/upgrade":
            c.sendall(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nfirst")
            c.sendall(c.recv(100).upper())
            break
        if path == "/continue":
            c.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            while len(body) < 5:
                body += c.recv(100)
        if path == "/cut":
            c.sendall(whole % 100 + b"ten bytes.")
            break
        c.sendall({"/head": whole % 5, "/204": b"HTTP/1.1 204 No\r\n\r\n", "/304": b"HTTP/1.1 304 No\r\nContent-Length: 9\r\n\r\n",
                   "/begun": whole % 12 + b"end " + said[:8], "/continue": whole % len(body) + body, "/two": (whole % 1 + b"x") * 2,
                   "/lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
                   "/unasked": b"HTTP/1.1 101 Switching\r\n\r\nraw", "/lf": b"HTTP/1.1 200 OK\nA: b\n\n",
                   "/header": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: " + said + b"\r\n\r\n",
                   "/big": whole % 20000000 + (said + b"\n").ljust(1000, b"-") * 20000}.get(path, whole % 2 + b"ok"))


def serve_shapes():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{DIR}/good.pem", f"{DIR}/good.key")
    server = socket.create_server(("127.0.0.1", 0), backlog=100)

    def one(conn):
        try:
            with context.wrap_socket(conn, server_side=True) as c:
                shape(c)
        except (OSError, SystemExit):
            pass

    def accept():
        while True:
            threading.Thread(target=one, args=(server.accept()[0],), daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
    return server.getsockname()[1]


SHAPES = serve_shapes()
GOOD, WRONG, PLAIN, BARE = serve("good"), serve("wrong"), serve(None), serve("good")
NET = ["--network", "egress"]
for p in (GOOD, WRONG, PLAIN, BARE, SHAPES):
    NET += ["--allow", f"localhost:{p}", "--allow", f"127.0.0.1:{p}"]
SECRETS = ["--secret", f"TOKEN=env:TOKEN_HERE@localhost:{GOOD},LOCALHOST.:{WRONG},localhost:{SHAPES}",
           "--secret", f"KEY@http://localhost:{PLAIN}", "--secret-ca", DIR + "/ca.pem"]
BOX = ["create", "--sandbox", "namespace", *NET]

# Looks for the value, which it gets as hex, in all that the box can see, but not in itself.
SEARCH = r'''
import os, sys
want, found = bytes.fromhex(sys.argv[1]), set()
me = {str(os.getpid()), str(os.getppid())}
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("environ", "cmdline", "mem"):
        if pid in me and name != "environ":
            continue
        try:
            if name != "mem":
                data = open(f"/proc/{pid}/{name}", "rb").read()
                found |= {f"/proc/PID/{name}"} if want in data else set()
                continue
            mem = open(f"/proc/{pid}/mem", "rb", 0)
            for line in open(f"/proc/{pid}/maps"):
                a, b = (int(x, 16) for x in line.split()[0].split("-"))
                mem.seek(a)
                if want in mem.read(min(b - a, 1 << 26)):
                    found.add("/proc/PID/mem")
        except (OSError, ValueError, OverflowError):
            pass
for top, dirs, files in os.walk("/"):
    if top in ("/proc", "/sys", "/usr", "/lib", "/dev"):
        dirs[:] = []
        continue
    for f in files:
        try:
            p = os.path.join(top, f)
            if os.path.isfile(p) and want in open(p, "rb").read(1 << 24):
                found.add("a file")
        except OSError:
            pass
print(" ".join(sorted(found)) or "nowhere")
'''
# A client that writes what it likes: TLS through CONNECT, trusting what the box is told to trust.
CLIENT = r'''
import os, socket, ssl, sys
def tunnel(port, tls=True, name="localhost"):
    s = socket.create_connection(("127.0.0.1", 3128), 20)
    s.sendall(b"CONNECT %s:%d HTTP/1.1\r\n\r\n" % (name.encode(), port))
    head = b""
    while b"\r\n\r\n" not in head:
        c = s.recv(1)
        if not c: break
        head += c
    if b" 200 " not in head: return None
    return ssl.create_default_context().wrap_socket(s, server_hostname="localhost") if tls else s
def rest(s):
    d = b""
    try:
        while True:
            c = s.recv(65536)
            if not c: return d
            d += c
    except OSError: return d
def say(port, text, **how):
    s = tunnel(port, **how)
    if not s: return b"no tunnel"
    s.sendall(text)
    return rest(s)
def plain(text):
    s = socket.create_connection(("127.0.0.1", 3128), 20)
    s.sendall(text)
    return rest(s)
T, K = os.environ.get("TOKEN", "").encode(), os.environ.get("KEY", "").encode()
'''


def python(box, script, *words):
    """Runs it in the box: status, output"""
    status, out, err = tb("exec", "-i", box, "--", "python3", "-", *words, stdin=None, input=script)
    return status, out + err


def ask(box, expression):
    return python(box, CLIENT + f"\nprint(({expression}).decode('latin1'))")[1]


def create(*words, **how):
    status, out, err = tb(*BOX, *words, **how)
    return out.strip() if not status else f"none: {err}"


def get(box, path="/", head="Authorization: Bearer %b", port=None, more="", secret="T"):
    port = port or GOOD
    return ask(box, f"say({port}, b'GET {path} HTTP/1.1\\r\\nHost: localhost:{port}\\r\\nConnection: close\\r\\n{head}\\r\\n{more}\\r\\n'"
               f"{f' % {secret}' if '%b' in head else ''})")


def audit(box):
    return [json.loads(line) for line in tb("audit", box)[1].splitlines()]


def control():
    box = create("--env", "TOKEN=" + VALUE)
    tb("exec", "-i", box, "--", "sh", "-c", 'cat >/root-file; sleep 100 & sleep 0.1', stdin=None, input=VALUE)
    tb("spawn", box, "--", "sh", "-c", "exec python3 -c 'import os, time; a = os.environ[\"TOKEN\"] * 2; time.sleep(100)'")
    tb("spawn", box, "--", "sh", "-c", "sleep 100; :", VALUE)
    time.sleep(0.5)
    found = python(box, SEARCH, VALUE.encode().hex())[1].strip()
    # (of another's memory only what ptrace allows)
    ok(found.replace(" /proc/PID/mem", "") == "/proc/PID/cmdline /proc/PID/environ a file",
       "control: a variable is found in the environment, in arguments, in files", found)
    tb("rm", box)


def in_the_box(box):
    tb("spawn", box, "--", "sh", "-c", "exec sleep 100")
    ok(python(box, SEARCH, VALUE.encode().hex())[1].strip() == "nowhere", "the value is nowhere in the box")
    ok(python(box, SEARCH, VALUE.encode()[::-1].hex())[1].strip() == "nowhere", "... nor what it is not")
    out = tb("exec", box, "--", "printenv", "TOKEN", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")[1].split()
    ok(len(out) == 3 and re.fullmatch("tbx_secret_[0-9a-f]{40}", out[0]), "a placeholder is", out)
    tb("exec", box, "--", "sh", "-c", f"unset no_proxy NO_PROXY; wget -q -O - https://localhost:{GOOD}/wget; curl -s https://localhost:{GOOD}/curl; "
       f"git ls-remote https://localhost:{GOOD}/git")
    paths = [s[2].split("/")[1] for s in seen[-3:]]
    ok(paths == ["wget", "curl", "git"] or not shutil.which("curl"), "wget, curl and git trust the authority", paths)
    ok(out[1:] == ["/etc/tinybox/bundle.pem", "/etc/tinybox/ca.pem"], "programs are told of the authority", out)
    return out[0]


def swaps(box, mark):
    out = get(box, "/one")
    has(str(seen[-1][3] if seen else ""), "Bearer " + VALUE, "the host gets the value")
    ok(VALUE not in out and "Bearer " + "*" * len(VALUE) in out and mark not in out, "... and its echo is stars", out)
    out = get(box, "/chunked?key=%b", head="X: y", more="").replace("%b", "")
    out = ask(box, f"say({GOOD}, b'GET /chunked?key=%b HTTP/1.1\\r\\nHost: localhost:{GOOD}\\r\\nConnection: close\\r\\n\\r\\n' % T)")
    ok(seen[-1][2] == "/chunked?key=" + VALUE, "in the target", seen[-1][2])
    ok(VALUE not in out and "*****" in out.replace("\r\n5\r\n", ""), "... over chunks, stars", out)
    ask(box, f"(lambda b: say({GOOD}, b'GET / HTTP/1.1\\r\\nHost: localhost:{GOOD}\\r\\nConnection: close\\r\\n"
             "Authorization: Basic %b\\r\\n\\r\\n' % b.b64encode(b'me:' + T)))(__import__('base64'))")
    import base64
    has(str(seen[-1][3]), base64.b64encode(f"me:{VALUE}".encode()).decode(), "inside Basic")
    ask(box, f"say({GOOD}, b'POST / HTTP/1.1\\r\\nHost: localhost:{GOOD}\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n%b' % (len(T), T))")
    ok(seen[-1][4] == mark.encode(), "a body's placeholder stays one", seen[-1][4])
    before = len(seen)
    out = ask(box, f"(lambda s: (s.sendall(b'GET /a HTTP/1.1\\r\\nHost: localhost:{GOOD}\\r\\nA: %b\\r\\n\\r\\nGET /b HTTP/1.1\\r\\n"
                   f"Host: localhost:{GOOD}\\r\\nConnection: close\\r\\nA: %b\\r\\n\\r\\n' % (T, T)), rest(s))[1])(tunnel({GOOD}))")
    ok([(s[2], s[3]["A"]) for s in seen[before:]] == [("/a", VALUE), ("/b", VALUE)], "two on one connection", out)
    lines = [x for x in audit(box) if x.get("what") == "secret"]
    ok(len([x for x in lines if x["allowed"] and x["secret"] == "TOKEN" and x["name"] == "localhost"]) == 5,
       "each swap is a line of the audit log", lines)


def refuses(box, mark):
    before = len(seen)
    out = ask(box, f"plain(b'GET http://localhost:{PLAIN}/ HTTP/1.1\\r\\nHost: x\\r\\nA: %b\\r\\n\\r\\n' % T)")
    has(out, "403 Forbidden", "another host, plain: refused")
    has(out, "TOKEN: the secret is not for this host", "... and why")
    line = [x for x in audit(box) if x.get("what") == "secret"][-1]
    ok(not line["allowed"] and line["secret"] == "TOKEN" and line["port"] == PLAIN, "... and in the audit log", line)
    has(get(box, head="A: %b", secret="K"), "403 Forbidden", "another secret, at a host that is not its own")
    out = ask(box, f"plain(b'GET http://localhost:{GOOD}/ HTTP/1.1\\r\\nHost: x\\r\\nA: %b\\r\\n\\r\\n' % T)")
    ok(VALUE not in out and "200 OK" not in out, "the host of a secret without TLS: nothing", out)
    out = ask(box, f"say({GOOD}, b'GET / HTTP/1.1\\r\\nHost: localhost:{GOOD}\\r\\nA: %b\\r\\n\\r\\n' % T, tls=False)")
    ok("200 OK" not in out, "... nor by CONNECT", out)
    has(get(box, port=WRONG), "502 Bad Gateway", "a certificate of another name")
    has(get(box, port=WRONG), "tinybox: ", "... and why")
    ok(len(seen) == before, "nobody has seen any of these", seen[before:])
    out = python(box, CLIENT + f"""
c = ssl.create_default_context(cadata={open(DIR + '/ca.pem', encoding='ascii').read()!r})
s = socket.create_connection(("127.0.0.1", 3128), 20)
s.sendall(b"CONNECT localhost:{BARE} HTTP/1.1\\r\\n\\r\\n")
s.recv(1000)
t = c.wrap_socket(s, server_hostname="localhost")
t.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\nA: %b\\r\\n\\r\\n" % T)
print(t.getpeercert()["issuer"][0][0][1], b" 200 " in rest(t))
""")[1].strip()
    ok(out == "test authority True", "a host without a secret is not intercepted", out)
    ok(seen[-1][3]["A"] == mark, "... and gets a placeholder that is worth nothing", str(seen[-1][3]))
    ask(box, f"plain(b'GET http://localhost:{PLAIN}/ HTTP/1.1\\r\\nHost: x\\r\\nA: %b\\r\\n\\r\\n' % K)")
    ok(seen[-1][3]["A"] == OTHER, "http:// that was asked for", str(seen[-1][3]))


SMUGGLES = ["Content-Length: 5\\r\\nContent-Length: 6\\r\\n", "Content-Length: 3\\r\\nTransfer-Encoding: chunked\\r\\n",
            "Transfer-Encoding: chunked\\r\\nTransfer-Encoding: identity\\r\\n", "Transfer-Encoding : chunked\\r\\n",
            "Transfer-Encoding: \\x0bchunked\\r\\n", "A: b\\r\\n folded\\r\\n", "A: b\\nB: c\\r\\n", "A: b\\rB: c\\r\\n", "A: b\\x00\\r\\n",
            "Host: evil.test\\r\\n", "Connection: Authorization\\r\\n", "Content-Length: 1e3\\r\\n", "A" * 70000 + ": b\\r\\n",
            "A: b\\r\\n" * 300, "\\xa0A: b\\r\\n"]


def smuggling(box):
    before = len(seen)
    script = CLIENT + "bad = []\n"
    for i, line in enumerate(SMUGGLES):
        script += f"""
r = say({GOOD}, b'GET /s HTTP/1.1\\r\\nHost: localhost:{GOOD}\\r\\nA: %b\\r\\n' % T + b'{line}' + b'\\r\\n')
if b' 400 ' not in r[:20] and b' 403 ' not in r[:20]: bad.append(({i}, r[:100]))
"""
    for first in ("GET /s  HTTP/1.1", "GET http://evil/ HTTP/1.1", "GET /s HTTP/1.2", "GET /s", "CONNECT /s HTTP/1.1"):
        script += f"""
r = say({GOOD}, b'{first}\\r\\nHost: localhost:{GOOD}\\r\\nA: %b\\r\\n\\r\\n' % T)
if b' 400 ' not in r[:20]: bad.append(({first!r}, r[:100]))
"""
    out = python(box, script + "print(bad)")[1].strip()
    ok(out == "[]", "requests that two could read in two ways", out)
    ok(len(seen) == before, "... are seen by nobody", [s[:3] for s in seen[before:]])
    for end in ("5;x=1\\r\\nhello\\r\\n0\\r\\n\\r\\n", "5\\r\\nhelloGET / HTTP/1.1\\r\\n", "0x5\\r\\nhello", "0\\r\\nHost: x\\r\\n\\r\\n"):
        out = ask(box, f"say({GOOD}, b'POST /s HTTP/1.1\\r\\nHost: localhost:{GOOD}\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n{end}')")
        has(out, "400 Bad Request", "chunks that are none")


def shapes(box):
    out = python(box, CLIENT + f"""
import hashlib, threading
P = {SHAPES}
def req(path, method="GET", more=""): return ("%s %s HTTP/1.1\\r\\nHost: localhost:%d\\r\\n%s\\r\\n" % (method, path, P, more)).encode()
def reply(s, body):
    d, at = bytearray(), -1
    while at < 0 or len(d) < at + 4 + body:
        c = s.recv(65536)
        if not c: return bytes(d) + b"(closed)"
        d += c
        at = d.find(b"\\r\\n\\r\\n") if at < 0 else at
    return bytes(d)
def line(d): return d.split(b"\\r\\n")[0].decode() + " " + d.split(b"\\r\\n\\r\\n", 1)[-1].decode()
print(1, line(say(P, req("/until-close"))))
s = tunnel(P)
for path, method, n in (("/head", "HEAD", 0), ("/204", "GET", 0), ("/304", "GET", 0), ("/begun", "GET", 12), ("/ok", "GET", 2)):
    s.sendall(req(path, method)); print(2, line(reply(s, n)))
s.sendall(req("/header")); print(2, reply(s, 0).split(b"A: ")[1].strip().decode())
s.sendall(req("/continue", "POST", "Expect: 100-continue\\r\\nContent-Length: 5\\r\\n")); print(3, line(reply(s, 0)))
s.sendall(b"hello"); print(3, line(reply(s, 5)))
s = tunnel(P)
s.sendall(req("/early", "POST", "Content-Length: 1000\\r\\n")); print(4, line(reply(s, 2)))
s = tunnel(P)
s.sendall(req("/upgrade", "GET", "Connection: Upgrade\\r\\nUpgrade: x\\r\\n")); print(5, line(reply(s, 5)))
s.sendall(b"loud"); print(5, rest(s).decode())
def strict(path):
    c = ssl.create_default_context()
    c.options &= ~128  # OP_IGNORE_UNEXPECTED_EOF
    s = c.wrap_socket(tunnel(P, tls=False), server_hostname="localhost", suppress_ragged_eofs=False)
    s.sendall(req(path))
    try:
        while s.recv(65536): pass
        return "whole"
    except ssl.SSLError: return "cut off"
print(6, line(say(P, req("/cut"))))
print(6, strict("/cut"), strict("/early"), strict("/until-close"))
print(7, line(say(P, req("/two"))))
for path in ("/lengths", "/unasked", "/lf"): print(8, line(say(P, req(path))).split(" ")[1])
s = tunnel(P); s.sendall(req("/big")); d = reply(s, 20000000)
print(9, len(d.split(b"\\r\\n\\r\\n", 1)[1]), d.count(b"*" * 28), d.count(b"ghp_"))
good = []
def one():
    s = tunnel(P); s.sendall(req("/ok", "GET", "A: %s\\r\\n" % T.decode())); good.append(reply(s, 2)[-2:])
t = [threading.Thread(target=one) for _ in range(60)]
[x.start() for x in t]; [x.join() for x in t]; print(10, good.count(b"ok"))
s = tunnel(P); s.settimeout(20)
for c in req("/ok"): s.sendall(bytes([c]))
print(11, line(reply(s, 2)))
""")[1].splitlines()
    star = "*" * len(VALUE)
    want = [f"1 HTTP/1.0 200 OK <{star}>{VALUE[:9]}", "2 HTTP/1.1 200 OK ", "2 HTTP/1.1 204 No ", "2 HTTP/1.1 304 No ",
            f"2 HTTP/1.1 200 OK end {VALUE[:8]}", "2 HTTP/1.1 200 OK ok", "2 " + star, "3 HTTP/1.1 100 Continue ", "3 HTTP/1.1 200 OK hello",
            "4 HTTP/1.1 413 Too Large no", "5 HTTP/1.1 101 Switching first", "5 LOUD", "6 HTTP/1.1 200 OK ten bytes.", "6 cut off whole cut off",
            "7 HTTP/1.1 200 OK x", "8 502", "8 502", "8 502", "9 20000000 20000 0", "10 60", "11 HTTP/1.1 200 OK ok"]
    for i, line in enumerate(want):
        ok(i < len(out) and out[i] == line, f"answers of every shape: {line.replace(VALUE[:9], 'ghp_')[:30]}", out[i:i + 3])


def remembers(pid):
    """Whether the value is in the memory of that process; only root may look."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "rb", 0) as mem:
        for line in maps:
            a, b = (int(x, 16) for x in line.split()[0].split("-"))
            try:
                mem.seek(a)
                if VALUE.encode() in mem.read(min(b - a, 1 << 26)):
                    return True
            except (OSError, ValueError, OverflowError):
                pass
    return False


def outside(box):
    have = subprocess.run(["grep", "-rlF", VALUE, DIR + "/state"], capture_output=True, text=True, check=False).stdout
    ok(not have, "no file of the store has the value: record, logs, audit log, layers", have)
    ok(VALUE not in tb("inspect", "--json", box)[1] + tb("ps", "--json", box)[1], "inspect and ps have not")
    egress, found = ours("tinybox-egress"), []
    for pid in ours("tinybox-init") + egress:
        for name in ("cmdline", "environ"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    found += [(pid, name)] if VALUE.encode() in file.read() else []
            except OSError:
                pass
    ok(not found, "no argument and no environment of the box's servers has", found)
    if not os.getuid():
        ok([remembers(p) for p in egress] == [True], "control: its keeper has it in memory")
        ok(not [p for p in ours("tinybox-init") if remembers(p)], "no process of the box's own has it in memory")
    ok(len(egress) == 1, "one keeper of secrets a box", egress)
    with open(f"/proc/{egress[0]}/status", encoding="ascii") as file:
        text = file.read()
    ok("Seccomp:\t2" in text and "CapPrm:\t0000000000000000" in text and "NoNewPrivs:\t1" in text,
       "it has given up what it can", text)
    line = [x for x in json.loads(tb("inspect", "--json", box)[1])["report"] if x["control"] == "secrets"]
    ok(line and "tinybox-egress" in line[0].get("by", ""), "the report says who enforces it", line)


def again(box, mark):
    tb("stop", box)
    ok(gone("tinybox-egress"), "a stopped box has no keeper of secrets")
    rotated = "ghp_" + os.urandom(12).hex()
    without = dict(ENV)
    del without["TOKEN_HERE"]
    status, _, err = tb("start", box, env=without)
    ok(status == 70 and "the secret TOKEN: env TOKEN_HERE: is not set here" in err, "started without its source", (status, err))
    status, _, err = tb("start", box, env=dict(ENV, TOKEN_HERE=rotated))
    ok(not status, "started with another value", err)
    out = get(box, "/again")
    ok(seen[-1][3]["Authorization"] == "Bearer " + rotated, "... which the host gets", out)
    ok(tb("exec", box, "--", "printenv", "TOKEN")[1].strip() == mark, "... for the same placeholder")
    tb("stop", box)
    tb("start", box)


def kept(box, mark):
    status, out, err = tb("fork", box)
    fork = out.strip()
    ok(not status, "a fork", err)
    other = tb("exec", fork, "--", "printenv", "TOKEN")[1].strip()
    ok(other.startswith("tbx_secret_") and other != mark, "... has a placeholder of its own", other)
    get(fork, "/fork")
    ok(seen[-1][3]["Authorization"] == "Bearer " + VALUE, "... for the same secret")
    has(ask(fork, f"say({GOOD}, b'GET /old HTTP/1.1\\r\\nHost: localhost:{GOOD}\\r\\nConnection: close\\r\\nA: {mark}\\r\\n\\r\\n')"),
        " 200 ", "... and the other's is a word to it")
    ok(seen[-1][3]["A"] == mark, "... of no worth", str(seen[-1][3]))
    tb("rm", fork)
    snap = tb("snapshot", box)[1].strip()
    status, _, err = tb("snapshot", "export", snap, DIR + "/state/export")
    with open(DIR + "/state/export", "rb") as file:
        text = file.read()
    ok(not status and not [w for w in (VALUE, mark, "TOKEN_HERE", "secret_ca") if w.encode() in text] and b'"TOKEN"' in text,
       "an export names the secret, and has neither value, placeholder nor source", err)
    new = tb("create", "--snapshot", snap)[1].strip()
    ok(tb("exec", new, "--", "printenv", "TOKEN")[0] == 1, "a box of a snapshot has only the secrets that it is given")
    tb("rm", new)
    new = create("--snapshot", snap, *SECRETS)
    get(new, "/snap")
    ok(seen[-1][2] == "/snap" and seen[-1][3]["Authorization"] == "Bearer " + VALUE, "... and may be given", new)
    tb("rm", new)
    tb("snapshot", "rm", snap)


def ends(box):
    for pid in ours("tinybox-egress"):
        os.kill(pid, signal.SIGKILL)
    gone("tinybox-egress")
    out = get(box, "/dead")
    ok("no tunnel" in out, "its keeper of secrets was killed: their hosts are refused", out)
    ok(tb("exec", box, "--", "true")[0] == 0, "... the box lives")
    ok("what keeps the box's secrets has ended" in str(audit(box)), "... and the audit log says why")
    tb("rm", box)
    box = create(*SECRETS)
    ok(len(ours("tinybox-egress")) == 1, "another box", box)
    tb("rm", box)
    ok(gone("tinybox-egress"), "removed: no keeper of secrets is left")
    p = subprocess.Popen([*AS, DIR + "/bin/tinybox", *BOX, *SECRETS, "--hook", "sleep 60"], env=ENV,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        if ours("tinybox-egress") and len(ours("tinybox-init")) > 1:
            break
        time.sleep(0.05)
    p.kill()
    p.wait()
    tb("reap")
    ok(gone("tinybox-egress"), "killed in the middle of a create, and reaped: none is left", ours("tinybox-egress"))


def sources():
    with open(DIR + "/state/file", "w", encoding="ascii") as file:
        file.write(VALUE + "\n")
    if UID != os.getuid():
        os.chown(DIR + "/state/file", UID, UID)
    run = ["run", "--sandbox", "namespace", *NET, "--secret-ca", DIR + "/ca.pem"]
    script = CLIENT + f"print(say({GOOD}, b'GET /run HTTP/1.1\\r\\nHost: localhost:{GOOD}\\r\\nConnection: close\\r\\nA: %b\\r\\n\\r\\n' % T)[:15])"
    status, out, err = tb(*run, "--secret", f"TOKEN=file:{DIR}/state/file@localhost:{GOOD}", "--", "python3", "-c", script)
    ok(not status and "200" in out and seen[-1][3]["A"] == VALUE, "run, from a file", (out, err))
    status, out, err = tb(*run, "--secret", f"TOKEN=stdin@localhost:{GOOD}", "--", "python3", "-c", script, stdin=None, input=VALUE + "\n")
    ok(not status and "200" in out and seen[-1][3]["A"] == VALUE, "run, from standard input", (out, err))
    # the command goes and the keeper comes at one moment
    ways = [tb(*run, "--secret", f"TOKEN=env:TOKEN_HERE@localhost:{GOOD}", "--", "python3", "-c", script)[1] for _ in range(8)]
    ok(all("200" in way for way in ways), "run, again and again", ways)
    box = create("--secret", f"TOKEN=env:TOKEN_HERE@localhost:{GOOD}")
    has(get(box), "502 Bad Gateway", "an authority that the host does not trust")
    tb("rm", box)


def words():
    place = f"localhost:{GOOD}"
    for given, why in (
            ([f"TOKEN={VALUE}@{place}"], "'TOKEN=...': its source is env:VARIABLE"), ([f"TOKEN={VALUE}"], "must be NAME[=SOURCE]@HOST"), (["TOKEN"], "must be NAME[=SOURCE]@HOST"),
            ([f"A-B@{place}"], "its name is the variable's"), (["KEY@*.example.com"], "a star could be anybody's"),
            (["KEY@example.com"], "is not in it"), (["KEY@"], "must be NAME"), ([f"KEY@{place},"], "a host is NAME"),
            ([f"KEY@{place}x"], "a host is NAME"), (["KEY@https://localhost"], "a host is NAME"),
            ([f"KEY@{place}", f"KEY@{place}"], "another variable has that name"),
            ([f"NOT_SET_HERE@{place}"], "is not set here"), ([f"T=env:SHORT@{place}"], "is shorter than 8 bytes"),
            ([f"T=env:LINES@{place}"], "a line break"), ([f"T=file:/nowhere/x@{place}"], "No such file"),
            ([f"T=file:/dev/zero@{place}"], "is longer than 8192 bytes"), ([f"T=stdin@{place}"], "is empty")):
        status, out, err = tb(*BOX, *[w for g in given for w in ("--secret", g)], env=dict(ENV, SHORT="1234567", LINES="12345678\n9\n"))
        ok(status and not out and why in err and VALUE not in err, f"refused: {why}", (status, out, err))
    for wall, more, why in (("virtual", [], "a virtual box has no network"), ("passthrough", [], "passthrough has no wall"),
                            ("namespace", ["--network", "open"], "--secret needs --network egress")):
        net = more or ["--network", "egress"]
        status, out, err = tb("create", "--sandbox", wall, *net, "--secret", f"KEY@{place}")
        ok(status and not out and why in err, f"refused: {why}", (status, out, err))
    status, out, err = tb(*BOX, *SECRETS, "--secret-ca", DIR + "/good.ext")
    ok(status and "holds no certificate" in err, "authorities that are none", err)
    status, out, err = tb(*BOX, "--dry-run", *SECRETS)
    ok(not status and "tinybox-egress" in out and VALUE not in out, "--dry-run tells, and needs no value", out + err)
    ok(not json.loads(tb("ls", "--json")[1])["boxes"] and gone("tinybox-egress"), "and nothing is left of all these", tb("ls")[1])


try:
    control()
    the_box = create(*SECRETS)
    ok(re.fullmatch("box-[0-9]+", the_box), "a box with secrets", the_box)
    the_mark = in_the_box(the_box)
    swaps(the_box, the_mark)
    refuses(the_box, the_mark)
    smuggling(the_box)
    shapes(the_box)
    outside(the_box)
    again(the_box, the_mark)
    kept(the_box, the_mark)
    ends(the_box)
    sources()
    words()
finally:
    for name in (json.loads(tb("ls", "--json")[1] or '{"boxes": []}'))["boxes"]:
        tb("rm", "--force", name["id"])
    shutil.rmtree(DIR, ignore_errors=True)
print(f"1..{count}")
sys.exit(bad != 0)
