#!/usr/bin/env python3
"""Behaviour cases as data: run them on the sandbox, or on the real tools.

    tools/spec.py run BINARY FILE...     on `BINARY --batch`; TAP; exit 1 when a case fails
    tools/spec.py oracle FILE...         the same files on the real bash and tools (needs root)
    tools/spec.py fill FILE...           runs the real tools and writes what they gave as expectation
    tools/spec.py serve DIR              the real tools as `BINARY --batch`: a JSON request a line, with DIR as /home
                                         (a directory of a disk, so that sizes are as the sandbox shows them);
                                         SPEC_PRELOAD: a library for LD_PRELOAD

A file holds cases:

    #### title
    script, run as `bash -c SCRIPT bash`, in an empty /home/user, by uid 1000
    ## differs: why            (fill and oracle leave such a case alone: the expectation is ours)
    ## stderr: any             (what goes to standard error is not compared)
    ## env: NAME=VALUE         (added to the environment; may repeat)
    ## STDOUT:                 (lines, until ## END)
    text
    ## END
    ## stdout-json: "x"        (instead of STDOUT where text has no final newline, or odd bytes as \\udcXX)
    ## STDERR: ... ## END, ## stderr-json: "..."   (none: must be empty)
    ## status: N               (none: 0)

Standard error is compared byte for byte, like standard output.
"""
import ctypes, json, os, re, resource, select, signal, subprocess, sys

ENV = {'HOME': '/home/user', 'USER': 'user', 'LOGNAME': 'user', 'SHELL': '/bin/bash', 'TERM': 'xterm-256color',
       'LANG': 'C.UTF-8', 'PATH': '/usr/local/bin:/usr/bin:/bin', 'TZ': 'UTC'}
TIMEOUT = int(os.environ.get('SPEC_TIMEOUT', 20))   # seconds a case; a build with sanitizers takes more


def text_of(data):
    return data.decode('utf8', 'surrogateescape')


class Case:
    def __init__(self, title):
        self.title, self.script, self.meta = title, [], []
        self.env, self.status, self.stdout, self.stderr = {}, 0, '', ''
        self.differs, self.any_stderr, self.filled = None, False, False


def parse(path):
    cases, case, block = [], None, None
    with open(path, encoding='utf8', errors='surrogateescape', newline='\n') as f:
        lines = f.read().split('\n')
    if lines and lines[-1] == '':
        lines.pop()
    for number, line in enumerate(lines, 1):
        if block is not None:
            if line == '## END':
                value = ''.join(l + '\n' for l in block[1])
                setattr(case, block[0], value)
                block = None
            else:
                block[1].append(line)
        elif line.startswith('#### '):
            case = Case(line[5:])
            cases.append(case)
        elif case is None:
            if line and not line.startswith('#'):
                sys.exit(f'{path}:{number}: text before the first case')
        elif line in ('## STDOUT:', '## STDERR:'):
            block = (line[3:9].lower(), [])
            case.filled = True
        elif line.startswith('## '):
            key, _, value = line[3:].partition(': ')
            if key == 'differs': case.differs = value
            elif key == 'stderr' and value == 'any': case.any_stderr = True
            elif key == 'env':
                name, _, v = value.partition('=')
                case.env[name] = v
            elif key in ('stdout-json', 'stderr-json'):
                setattr(case, key[:6], json.loads(value)); case.filled = True
            elif key == 'status': case.status = int(value); case.filled = True
            elif re.match(r'[a-z-]+$', key) and value: sys.exit(f'{path}:{number}: unknown key {key}')
            else: case.script.append(line)
        else:
            case.script.append(line)
    if block:
        sys.exit(f'{path}: a block without ## END')
    for c in cases:
        while c.script and c.script[-1] == '':
            c.script.pop()
    return cases


def render_stream(name, text):
    if text == '':
        return []
    plain = text.endswith('\n') and not re.search(r'[\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]', text) and '## END\n' not in text
    if plain:
        return [f'## {name.upper()}:'] + text[:-1].split('\n') + ['## END']
    return [f'## {name}-json: ' + json.dumps(text)]


def render(cases):
    out = []
    for c in cases:
        out += ['#### ' + c.title] + c.script
        out += [f'## env: {k}={v}' for k, v in c.env.items()]
        if c.differs: out.append('## differs: ' + c.differs)
        if c.any_stderr: out.append('## stderr: any')
        out += render_stream('stdout', c.stdout)
        if not c.any_stderr: out += render_stream('stderr', c.stderr)
        if c.status: out.append(f'## status: {c.status}')
        out.append('')
    return '\n'.join(out)


class Batch:
    """The sandbox: one process that takes JSON lines."""
    def __init__(self, binary):
        self.binary, self.process, self.rest = binary, None, b''

    def run(self, case):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([self.binary, '--batch'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.rest = b''
        q = {'script': '\n'.join(case.script) + '\n', 'name': 'bash', 'cwd': '/home/user', 'env': {**ENV, **case.env},
             'limits': {'wall_ms': TIMEOUT * 900}}
        self.process.stdin.write(json.dumps(q).encode() + b'\n')
        self.process.stdin.flush()
        fd = self.process.stdout.fileno()
        while b'\n' not in self.rest:
            if not select.select([fd], [], [], TIMEOUT)[0]:
                self.process.kill(); self.process.wait(); return None
            got = os.read(fd, 1 << 16)
            if not got:
                self.process.wait(); return None
            self.rest += got
        line, self.rest = self.rest.split(b'\n', 1)
        reply = json.loads(line)
        return reply['status'], stream(reply, 'stdout'), stream(reply, 'stderr')


def stream(reply, name):
    if name + '_b64' in reply:
        import base64
        return text_of(base64.b64decode(reply[name + '_b64']))
    return reply.get(name, '')


class Real:
    """The real tools, inside namespaces that look like the sandbox: user `user`, home /home/user, host `sandbox`."""
    timeout = TIMEOUT
    limit = None        # (seconds of processor time, bytes of memory) of each process
    processes = 2000    # of the user's, on the whole machine: a fork bomb stays small

    def confine(self):
        resource.setrlimit(resource.RLIMIT_NPROC, (self.processes, self.processes))
        if self.limit:
            resource.setrlimit(resource.RLIMIT_CPU, (self.limit[0], self.limit[0] + 1))
            resource.setrlimit(resource.RLIMIT_AS, (self.limit[1], self.limit[1]))

    def sweep(self):
        """Ends all that the case left running, whatever session it is in: everything of the user's in this pid namespace."""
        if not os.fork():
            os.setresuid(1000, 1000, 1000)
            try:
                os.kill(-1, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
            os._exit(0)
        try:
            while os.waitpid(-1, 0)[0]:
                pass
        except ChildProcessError:
            pass

    def run(self, case):
        os.chmod('/home/user', 0o755)   # a case before may have changed it
        for d in ('/home/user', '/tmp'):
            for name in os.listdir(d):
                path = os.path.join(d, name)
                if os.path.islink(path) or not os.path.isdir(path):
                    os.unlink(path)     # never through a link: it may lead anywhere
                else:
                    subprocess.run(['rm', '-rf', '--one-file-system', path], stderr=subprocess.DEVNULL)
        env = {**ENV, **case.env}
        if 'SPEC_PRELOAD' in os.environ: env['LD_PRELOAD'] = os.environ['SPEC_PRELOAD']
        p = subprocess.Popen(['bash', '-c', '\n'.join(case.script) + '\n', 'bash'], env=env, cwd='/home/user',
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             user=1000, group=1000, extra_groups=[], umask=0o022, start_new_session=True,
                             preexec_fn=self.confine)
        stdout = None
        try:
            stdout, stderr = p.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            pass
        finally:
            if stdout is None:
                p.kill()
            p.wait()
            self.sweep()
        if stdout is None:
            return None
        status = 128 - p.returncode if p.returncode < 0 else p.returncode
        return status, text_of(stdout), text_of(stderr)


def die_with_parent():
    """For preexec_fn: the child is killed when this process is, however that happens."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def enter_namespaces():
    """Starts over inside `unshare`, with mounts, names and processes as the sandbox has them. All that runs in there ends when
    this process is killed: `unshare` dies with it, and takes the first process of the pid namespace, hence all, along."""
    if os.environ.get('SPEC_INSIDE'):
        return
    if os.geteuid() != 0:
        sys.exit('spec.py: oracle and fill need root (they make a namespace with a user `user`)')
    setup = '''
set -e
exec 3<"$1"
shift
if [ -n "$SPEC_HOME" ]; then mount --bind "$SPEC_HOME" /home; mount -o remount,bind,noatime /home; else mount -t tmpfs -o mode=755 none /home; fi
mount -t tmpfs -o mode=1777 none /tmp
mkdir -p /home/user; chown 1000:1000 /home/user
printf 'root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000:User:/home/user:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' >/home/passwd
printf 'root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n' >/home/group
mount --bind /home/passwd /etc/passwd
mount --bind /home/group /etc/group
rm /home/passwd /home/group
hostname sandbox
# Random commands write nowhere else.
if [ -n "$SPEC_HOME" ]; then mount -o remount,bind,ro /; fi
SPEC_INSIDE=1 python3 /proc/self/fd/3 "$@"
'''
    me = os.path.abspath(__file__)
    sys.exit(subprocess.run(['unshare', '-m', '-u', '-p', '--kill-child', '--mount-proc', 'bash', '-c', setup, 'spec', me] + sys.argv[1:],
                            preexec_fn=die_with_parent).returncode)


def check(machine, files, is_oracle):
    number = bad = 0
    for path in files:
        for case in parse(path):
            number += 1
            label = f'{number} - {path}: {case.title}'
            if is_oracle and case.differs:
                print(f'ok {label} # differs: {case.differs}')
                continue
            got = machine.run(case)
            want = (case.status, case.stdout, case.stderr)
            same = got is not None and got[:2] == want[:2] and (case.any_stderr or got[2] == want[2])
            print(('ok ' if same else 'not ok ') + label)
            if not same:
                bad += 1
                for name, w, g in zip(('status', 'stdout', 'stderr'), want, got or ('died or hung', '', '')):
                    if w != g and not (name == 'stderr' and case.any_stderr):
                        print(f'#   {name}: want {w!r}\n#   {name}: got  {g!r}')
    print(f'1..{number}')
    print(f'# {number - bad} passed, {bad} failed', file=sys.stderr)
    return 1 if bad or not number else 0


def fill(files):
    machine = Real()
    for path in files:
        cases = parse(path)
        for case in cases:
            if case.differs:
                continue
            got = machine.run(case)
            if got is None and os.environ.get('SPEC_HUNG') == 'skip':     # random scripts
                case.differs = 'the real tools did not end'
                continue
            if got is None:
                sys.exit(f'{path}: {case.title}: the real tools did not end')
            case.status, case.stdout, case.stderr = got
        with open(path, 'w', encoding='utf8', errors='surrogateescape', newline='\n') as f:
            f.write(render(cases))
    return 0


def serve():
    """Requests {"script": ..., "env": ...}; replies as --batch gives them, or null where the script did not end."""
    machine = Real()
    machine.limit, machine.timeout = (3, 4 << 30), 30
    for line in sys.stdin:
        q = json.loads(line)
        case = Case('')
        case.script, case.env = [q['script'].rstrip('\n')], q.get('env', {})
        got = machine.run(case)
        reply = got and {'status': got[0], 'stdout': got[1], 'stderr': got[2]}
        try:
            print(json.dumps(reply), flush=True)
        except BrokenPipeError:
            break
    return 0


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ('run', 'oracle', 'fill', 'serve'):
        sys.exit(__doc__)
    verb = sys.argv[1]
    if verb == 'run':
        sys.exit(check(Batch(sys.argv[2]), sys.argv[3:], False))
    # A background job begins with these ignored, and cases would inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    if verb == 'serve':
        os.environ['SPEC_HOME'] = os.path.abspath(sys.argv[2])
    enter_namespaces()
    sys.exit(serve() if verb == 'serve' else fill(sys.argv[2:]) if verb == 'fill' else check(Real(), sys.argv[2:], True))


if __name__ == '__main__':
    main()
