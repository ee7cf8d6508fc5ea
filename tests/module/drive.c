/*
 * Every method: without a box, and over real ones.
 */
#include "host.h"

/* ---- Without a box ---- */

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void analyses(struct host *h)
{
	json_t *reply = call(h, "AnalyzeShell", json_pack("[s]", "cd /tmp && rm -rf $x >log; sudo apt install y | tee z")), *b = body(reply);
	const json_t *commands = json_object_get(b, "commands"), *rm = json_array_get(commands, 1);

	ok(!strcmp(text(b, "risk"), "destructive") && json_array_size(commands) >= 4 && !strcmp(text(rm, "risk"), "destructive"),
	   "AnalyzeShell: what is in a script");
	ok(json_is_object(json_array_get(json_object_get(rm, "words"), 2)), "... a word that is computed has its source");
	ok(json_array_size(json_object_get(b, "redirections")) == 1 && json_array_size(json_object_get(b, "unset")) == 1, "... files and variables");
	json_decref(reply);
	reply = call(h, "AnalyzeShell", json_pack("[s]", "if true; then"));
	ok(json_is_object(json_object_get(body(reply), "error")), "... a syntax error is told");
	json_decref(reply);
	reply = call(h, "AnalyzeCommand", json_pack("[s]", "sudo curl -o f http://x"));
	ok(json_array_size(json_object_get(body(reply), "commands")) == 2 && !strcmp(text(body(reply), "risk"), "install"),
	   "AnalyzeCommand: one, and what it runs");
	json_decref(reply);
	reply = call(h, "AnalyzeShell", json_pack("[s]", "echo $'\\xff'"));
	ok(json_is_array(json_array_get(json_object_get(json_array_get(json_object_get(body(reply), "commands"), 0), "words"), 1)),
	   "AnalyzeShell: a word that is no text is its bytes");
	json_decref(reply);
	refuses(h, "AnalyzeCommand", json_pack("[s]", "ls; rm x"), "BadArguments", "two");
	refuses(h, "AnalyzeCommand", json_pack("[s]", "ls |"), "BadArguments", "half a one");
	refuses(h, "AnalyzeShell", json_pack("[s]", ""), "BadArguments", "an empty text");
	refuses(h, "AnalyzeShell", json_pack("[i]", 1), "BadArguments", "a number");
}

void plain_calls(struct host *h)
{
	json_t *reply = call(h, "Describe", json_array());
	const char *said = json_string_value(body(reply));

	ok(said && strstr(said, "tinybox ") == said && strstr(said, "; sandboxes: ") &&
	   strstr(said, "; untrusted-capable (>= kernel isolation): "), "Describe: %s", said ? said : "");
	json_decref(reply);
	reply = call(h, "Capabilities", json_array());
	ok(json_integer_value(json_array_get(json_object_get(body(reply), "contract_version"), 1)) == 6 &&
	   json_array_size(json_object_get(body(reply), "exec_backends")) >= 3, "Capabilities");
	json_decref(reply);
	reply = call(h, "JailStatus", json_array());
	ok(json_array_size(json_object_get(body(reply), "probes")) > 3, "JailStatus");
	json_decref(reply);
	refuses(h, "Forward", json_pack("[{}]"), "BadArguments", "of nothing");
	refuses(h, "Forward", json_pack("[{s:s, s:s, s:i}]", "resource", "x", "forward", "y", "guest_port", 1), "InvalidId",
		"an id that was not reserved");
	refuses(h, "CloseForward", json_pack("[s]", "x"), "InvalidId", "nobody");
	analyses(h);
	refuses(h, "Nonsense", json_array(), "UnknownMethod", "a method that is none");
	refuses(h, "Describe", json_pack("[i]", 1), "BadArguments", "one too many");
	refuses(h, "Reserve", json_array(), "BadArguments", "one too few");
	refuses(h, "Reserve", json_object(), "BadArguments", "no array");
	refuses(h, "Reserve", json_pack("[s]", "Thing"), "BadArguments", "a kind that is none");
	refuses(h, "Reserve", json_pack("[s]", "Process"), "BadArguments", "a process of nothing");
	refuses(h, "Reserve", json_pack("[{s:s}]", "Process", "x"), "UnknownResource", "a process of nobody");
	refuses(h, "Inspect", json_pack("[s]", "x"), "UnknownResource", "nobody");
	refuses(h, "Inspect", json_pack("[i]", 7), "BadArguments", "a number");
	refuses(h, "Inspect", json_pack("[s]", ""), "BadArguments", "an empty id");
	refuses(h, "Close", json_pack("[s]", "x"), "UnknownResource", "nobody");
	refuses(h, "IsRunning", json_pack("[s]", "x"), "UnknownProcess", "nobody");
	refuses(h, "Cancel", json_pack("[s]", "x"), "UnknownProcess", "nobody");
	refuses(h, "ReadOutput", json_pack("[s, i]", "x", 0), "UnknownProcess", "nobody");
	refuses(h, "ReadOutput", json_pack("[s, i]", "x", -1), "BadArguments", "a cursor below zero");
	refuses(h, "ReleaseOutput", json_pack("[s]", "x"), "UnknownProcess", "nobody");
	refuses(h, "FinishFileRead", json_pack("[s]", "x"), "UnknownFileTransfer", "nobody");
	refuses(h, "FinishFileWrite", json_pack("[s]", "x"), "UnknownFileTransfer", "nobody");
	refuses(h, "AbortFileWrite", json_pack("[s]", "x"), "UnknownFileTransfer", "nobody");
	refuses(h, "Exec", json_pack("[{s:s, s:[s]}]", "resource", "x", "argv", "true"), "UnknownResource", "nobody");
}

void bad_creates(struct host *h)
{
	char *id = reserve(h, "Resource", NULL);

	refuses(h, "Create", json_pack("[s]", "x"), "BadArguments", "a text");
	refuses(h, "Create", json_pack("[{s:s, s:s}]", "resource", "never", "backend", "virtual"), "InvalidId",
		"an id that was not reserved");
	refuses(h, "Create", json_pack("[{s:s, s:s, s:s}]", "resource", id, "backend", "virtual", "network", "Some"),
		"BadArguments", "a network that is none");
	refuses(h, "Create", json_pack("[{s:s, s:s, s:{s:i}}]", "resource", id, "backend", "virtual", "resources",
				       "memory_bytes", 0), "BadArguments", "a limit of zero");
	refuses(h, "Create", json_pack("[{s:s, s:s, s:{s:i}}]", "resource", id, "backend", "virtual", "env", "A", 1),
		"BadArguments", "a number in the environment");
	refuses(h, "Create", json_pack("[{s:s, s:s, s:[]}]", "resource", id, "backend", "virtual", "env"), "BadArguments",
		"an environment that is none");
	refuses(h, "Create", json_pack("[{s:s, s:s, s:[]}]", "resource", id, "backend", "virtual", "resources"),
		"BadArguments", "limits that are none");
	refuses(h, "Create", json_pack("[{s:s, s:s, s:{s:s}}]", "resource", id, "backend", "virtual", "workspace", "Place",
				       "/tmp"), "BadArguments", "a workspace that is none");
	refuses(h, "Create", json_pack("[{s:s, s:s, s:s}]", "resource", id, "backend", "virtual", "ports", "80"),
		"BadArguments", "ports that are none");
	refuses(h, "Create", json_pack("[{s:s, s:s, s:[{s:i}]}]", "resource", id, "backend", "virtual", "ports", "guest",
				       65536), "BadArguments", "a port that is none");
	refuses(h, "Create", json_pack("[{s:s, s:s, s:{s:s}}]", "resource", id, "backend", "virtual", "host", "Ssh", "x"),
		"BadArguments", "a machine that is none");
	refuses(h, "Create", json_pack("[{s:s, s:s, s:{s:{s:s}}}]", "resource", id, "backend", "virtual", "host", "Ssh",
				       "destination", "-oProxyCommand=x"), "Backend", "a destination that is an option");
	id[strlen(id) - 1] ^= 1;	/* what was refused behind its id has used it */
	free(id);
	id = reserve(h, "Resource", NULL);
	refuses(h, "Create", json_pack("[{s:s, s:s}]", "resource", id, "backend", "chroot"), "UnsupportedBackend",
		"a wall that is none");
	refuses(h, "Create", json_pack("[{s:s, s:s}]", "resource", id, "backend", "virtual"), "InvalidId",
		"an id a second time");
	free(id);
	/* no fallback: passthrough cannot deny the network */
	id = reserve(h, "Resource", NULL);
	refuses(h, "Create", json_pack("[{s:s, s:s, s:s}]", "resource", id, "backend", "passthrough", "network",
				       "Denied"), "Backend", "what cannot be enforced");
	free(id);
}

/* ---- Over a box ---- */

json_t *cmd(const char *id, const char *script)
{
	return json_pack("[{s:s, s:[s, s, s]}]", "resource", id, "argv", "sh", "-c", script);
}

static void execs(struct host *h, const char *id)
{
	json_t *in = json_array(), *reply;

	runs_as(h, cmd(id, "echo out; echo err >&2; exit 3"), 3, "out\n", "err\n", "a status and both streams");
	runs_as(h, json_pack("[{s:s, s:[s,s,s], s:{s:s}, s:s}]", "resource", id, "argv", "sh", "-c",
			     "echo \"$A $B\"; pwd", "env", "B", "two", "cwd", "/tmp"), 0, "one two\n/tmp\n", "",
		"the box's environment and its own, a directory");
	runs_as(h, json_pack("[{s:s, s:[s], s:s}]", "resource", id, "argv", "cat", "stdin", "text\n"), 0, "text\n", "",
		"a text for standard input");
	for (int i = 0; i < 3; i++)
		json_array_append_new(in, json_integer("a\nb"[i]));
	runs_as(h, json_pack("[{s:s, s:[s], s:o}]", "resource", id, "argv", "cat", "stdin", in), 0, "a\nb", "",
		"bytes for standard input");
	runs_as(h, json_pack("[{s:s, s:[s], s:[]}]", "resource", id, "argv", "cat", "stdin"), 0, "", "", "none of them");
	runs_as(h, cmd(id, "kill -9 $$"), 137, "", "", "a signal");
	refuses(h, "Exec", json_pack("[{s:s, s:[s]}]", "resource", id, "argv", "no-such-command"), "Backend",
		"a command that is not there");
	refuses(h, "Exec", json_pack("[{s:s, s:[]}]", "resource", id, "argv"), "BadArguments", "no command");
	refuses(h, "Exec", json_pack("[{s:s, s:[s,i]}]", "resource", id, "argv", "a", 1), "BadArguments", "a number for a word");
	refuses(h, "Exec", json_pack("[{s:s, s:[s], s:[i]}]", "resource", id, "argv", "cat", "stdin", 256), "BadArguments",
		"no byte");
	refuses(h, "Exec", cmd(id, "while :; do echo 0123456789012345678901234567890123456789012345678901234567890; done"),
		"OutputLimit", "output without an end");
	reply = call(h, "Exec", cmd(id, "printf '\\377\\000\\001'"));
	ok(json_integer_value(json_array_get(json_object_get(body(reply), "stdout"), 0)) == 255 &&
	   json_array_size(json_object_get(body(reply), "stdout")) == 3, "Exec: bytes");
	json_decref(reply);
}

/* Reads on until the state is not "Running"; the text of it, and all output. */
static char *read_all(struct host *h, const char *p, char *out, size_t most)
{
	json_int_t cursor = 0;
	size_t n = 0;

	out[0] = '\0';
	for (int i = 0; i < 2000; i++) {
		json_t *reply = call(h, "ReadOutput", json_pack("[s, I]", p, cursor)), *value = body(reply), *k;
		json_t *state = json_object_get(value, "state");
		bool running = state && json_is_string(state) && !strcmp(json_string_value(state), "Running");
		size_t at;
		char *text;

		json_array_foreach(json_object_get(value, "chunks"), at, k) {
			text = text_of(json_object_get(k, "bytes"));
			n += (size_t)snprintf(out + n, n < most ? most - n : 0, "%s", text);
			free(text);
		}
		cursor = json_integer_value(json_object_get(value, "next_sequence"));
		if (!running && !json_array_size(json_object_get(value, "chunks"))) {
			text = state ? json_dumps(state, JSON_COMPACT | JSON_ENCODE_ANY) : strdup("no answer");
			json_decref(reply);
			return text;
		}
		json_decref(reply);
		usleep(5000);
	}
	return strdup("for ever");
}

static json_t *order(const char *p, const char *script)
{
	return json_pack("[{s:s, s:{s:[s, s, s]}}]", "process", p, "command", "argv", "sh", "-c", script);
}

static void live(struct host *h, const char *id)
{
	char *p = reserve(h, "Process", id), out[4096], *state;

	gives(h, "StartExec", order(p, "echo one; sleep 0.1; echo two >&2; sleep 0.1; exit 4"), "begins");
	state = read_all(h, p, out, sizeof(out));
	ok(!strcmp(out, "one\ntwo\n"), "ReadOutput: all, in order");
	ok(!strcmp(state, "{\"Exited\":{\"code\":4}}"), "ReadOutput: how it ended: %s", state);
	free(state);
	state = read_all(h, p, out, sizeof(out));
	ok(!strcmp(out, "one\ntwo\n"), "ReadOutput: all of it again");
	free(state);
	refuses(h, "StartExec", order(p, "true"), "DuplicateId", "an id a second time");
	gives(h, "ReleaseOutput", json_pack("[s]", p), "lets go");
	refuses(h, "ReadOutput", json_pack("[s, i]", p, 0), "UnknownProcess", "what was let go");
	free(p);
	p = reserve(h, "Process", id);
	gives(h, "StartExec", order(p, "echo here; sleep 100"), "something long");
	refuses(h, "ReleaseOutput", json_pack("[s]", p), "UnsupportedOperation", "of what runs");
	gives(h, "Cancel", json_pack("[s]", p), "it");
	state = read_all(h, p, out, sizeof(out));
	ok(!strcmp(state, "\"Cancelled\""), "Cancel: %s", state);
	free(state);
	free(p);
	p = reserve(h, "Process", id);
	gives(h, "StartExec", order(p, "while :; do echo 01234567890123456789012345678901234567890123456789; done"),
	      "without an end");
	state = read_all(h, p, out, sizeof(out));
	ok(!strcmp(state, "{\"Failed\":\"output_limit\"}"), "StartExec: too much: %s", state);
	free(state);
	free(p);
	p = reserve(h, "Process", id);
	json_decref(call(h, "StartExec", json_pack("[{s:s, s:{s:[s]}}]", "process", p, "command", "argv",
						   "no-such-command")));
	state = read_all(h, p, out, sizeof(out));
	ok(!strcmp(state, "{\"Failed\":\"start_failed\"}"), "StartExec: nothing to start: %s", state);
	free(state);
	free(p);
}

static void spawned(struct host *h, const char *id)
{
	char *p = reserve(h, "Process", id), *resource = reserve(h, "Resource", NULL);
	json_t *reply;

	refuses(h, "Spawn", order(resource, "true"), "InvalidId", "an id of another kind");
	gives(h, "Spawn", order(p, "sleep 100"), "begins");
	reply = call(h, "IsRunning", json_pack("[s]", p));
	ok(json_is_true(body(reply)), "IsRunning: yes");
	json_decref(reply);
	gives(h, "Cancel", json_pack("[s]", p), "it");
	for (int i = 0; i < 1000; i++) {
		reply = call(h, "IsRunning", json_pack("[s]", p));
		if (!json_is_true(body(reply)))
			break;
		json_decref(reply);
		usleep(10000);
	}
	ok(json_is_false(body(reply)), "IsRunning: no more");
	json_decref(reply);
	free(p);
	free(resource);
	p = reserve(h, "Process", id);
	refuses(h, "Spawn", json_pack("[{s:s, s:{s:[s], s:s}}]", "process", p, "command", "argv", "cat", "stdin", "x"),
		"BadArguments", "standard input that nobody writes");
	free(p);
}

static json_t *piece(const char *t, json_int_t offset, const char *text)
{
	return json_pack("[{s:s, s:I, s:s}]", "transfer", t, "offset", offset, "bytes", text);
}

static void reads(struct host *h, const char *id)
{
	char *t, *text;
	json_t *reply;

	t = reserve(h, "FileWrite", id);
	gives(h, "BeginFileWrite", json_pack("[{s:s, s:s}]", "transfer", t, "path", "sub/file"), "once more");
	gives(h, "WriteFileChunk", piece(t, 0, "other"), "other words");
	gives(h, "AbortFileWrite", json_pack("[s]", t), "no");
	free(t);
	t = reserve(h, "FileRead", id);
	reply = call(h, "BeginFileRead", json_pack("[{s:s, s:s}]", "transfer", t, "path", "sub/file"));
	ok(json_integer_value(json_object_get(body(reply), "size")) == 12, "BeginFileRead: its size");
	json_decref(reply);
	runs_as(h, cmd(id, "echo more >>sub/file"), 0, "", "", "it grows meanwhile");
	reply = call(h, "ReadFileChunk", json_pack("[{s:s, s:i, s:i}]", "transfer", t, "offset", 6, "length", 100));
	text = text_of(json_object_get(body(reply), "bytes"));
	ok(!strcmp(text, "world\n") && json_is_true(json_object_get(body(reply), "eof")), "ReadFileChunk: as it was");
	free(text);
	json_decref(reply);
	refuses(h, "ReadFileChunk", json_pack("[{s:s, s:i, s:i}]", "transfer", t, "offset", 0, "length", 65537),
		"BadArguments", "too much at once");
	gives(h, "FinishFileRead", json_pack("[s]", t), "ends");
	free(t);
}

static void not_files(struct host *h, const char *id)
{
	static const char *const wrong[] = { "/etc/passwd", "../x", "a/../../x", "./a", "a//b", "a/", ".." };
	char *t;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		t = reserve(h, "FileRead", id);
		refuses(h, "BeginFileRead", json_pack("[{s:s, s:s}]", "transfer", t, "path", wrong[i]), "InvalidFilePath",
			wrong[i]);
		free(t);
	}
	t = reserve(h, "FileRead", id);
	refuses(h, "BeginFileRead", json_pack("[{s:s, s:s}]", "transfer", t, "path", "sub"), "FileUnsupported", "a directory");
	free(t);
	t = reserve(h, "FileRead", id);
	refuses(h, "BeginFileRead", json_pack("[{s:s, s:s}]", "transfer", t, "path", "none"), "FileOperation", "no file");
	free(t);
	runs_as(h, cmd(id, "ln -s /etc/passwd link"), 0, "", "", "a link");
	t = reserve(h, "FileRead", id);
	refuses(h, "BeginFileRead", json_pack("[{s:s, s:s}]", "transfer", t, "path", "link"), "FileUnsupported", "a link");
	free(t);
	for (int i = 0; i < 9; i++) {
		t = reserve(h, "FileWrite", id);
		if (i < 8)
			json_decref(call(h, "BeginFileWrite", json_pack("[{s:s, s:s}]", "transfer", t, "path", "f")));
		else
			refuses(h, "BeginFileWrite", json_pack("[{s:s, s:s}]", "transfer", t, "path", "f"), "FileLimit", "the ninth");
		free(t);
	}
}

static void files(struct host *h, const char *id)
{
	char *t = reserve(h, "FileWrite", id);

	gives(h, "BeginFileWrite", json_pack("[{s:s, s:s}]", "transfer", t, "path", "sub/file"), "begins");
	gives(h, "WriteFileChunk", piece(t, 0, "hello "), "the first");
	gives(h, "WriteFileChunk", piece(t, 0, "hello "), "the first again");
	refuses(h, "WriteFileChunk", piece(t, 0, "HELLO "), "InvalidFileChunk", "the first, but other");
	refuses(h, "WriteFileChunk", piece(t, 100, "x"), "InvalidFileChunk", "a gap");
	gives(h, "WriteFileChunk", piece(t, 6, "world\n"), "the second");
	refuses(h, "ReadFileChunk", json_pack("[{s:s, s:i, s:i}]", "transfer", t, "offset", 0, "length", 1),
		"UnknownFileTransfer", "of a write");
	refuses(h, "FinishFileWrite", json_pack("[s]", t), "FileOperation", "where there is no directory");
	free(t);
	runs_as(h, cmd(id, "mkdir -p sub"), 0, "", "", "a directory");
	t = reserve(h, "FileWrite", id);
	gives(h, "BeginFileWrite", json_pack("[{s:s, s:s}]", "transfer", t, "path", "sub/file"), "begins");
	gives(h, "WriteFileChunk", piece(t, 0, "hello world\n"), "all");
	gives(h, "FinishFileWrite", json_pack("[s]", t), "ends");
	free(t);
	runs_as(h, cmd(id, "cat sub/file"), 0, "hello world\n", "", "it is there");
	reads(h, id);
	not_files(h, id);
}

/* BACKEND, or BACKEND=IMAGE. */
json_t *create_args(const char *id, const char *backend)
{
	const char *image = strchr(backend, '=');
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(backend, "="), backend);
	if (image)
		return json_pack("[{s:s, s:s, s:{s:s}, s:{s:s}}]", "resource", id, "backend", name, "workspace", "Image",
				 image + 1, "env", "A", "one");
	return json_pack("[{s:s, s:s, s:s, s:s, s:{s:s}}]", "resource", id, "backend", backend, "host", "Local", "network",
			 strcmp(backend, "passthrough") ? "Denied" : "Open", "env", "A", "one");
}

char *create(struct host *h, const char *backend, json_t **reply)
{
	char *id = reserve(h, "Resource", NULL);

	*reply = call(h, "Create", create_args(id, backend));
	return id;
}

/* What a port of this machine says to whoever connects; malloc. */
static char *hear(const char *address)
{
	const char *colon = address ? strrchr(address, ':') : NULL;
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char *said = calloc(1, 100);
	size_t n = 0;
	ssize_t got;

	a.sin_port = htons((uint16_t)(colon ? atoi(colon + 1) : 1));
	if (!connect(fd, (struct sockaddr *)&a, sizeof(a)))
		while (n < 99 && (got = read(fd, said + n, 99 - n)) > 0)
			n += (size_t)got;
	close(fd);
	return said;
}

static void forwards(struct host *h, const char *id, const char *backend)
{
	char *p = reserve(h, "Process", id), *f = reserve(h, "Forward", id), *said = NULL;
	char script[300];
	json_t *reply;
	const char *address;
	int port = 20000 + getpid() % 20000;

	/* a virtual box has no network: nothing can listen in it */
	if (!strcmp(backend, "virtual")) {
		refuses(h, "Forward", json_pack("[{s:s, s:s, s:i}]", "resource", id, "forward", f, "guest_port", port),
			"UnsupportedOperation", "nothing can listen there");
		free(p);
		free(f);
		return;
	}
	snprintf(script, sizeof(script), "exec python3 -c 'import socket\ns = socket.create_server((\"127.0.0.1\", %d))\n"
		 "while 1: s.accept()[0].sendall(b\"from inside\")'", port);
	gives(h, "Spawn", order(p, script), "a server inside");
	reply = call(h, "Forward", json_pack("[{s:s, s:s, s:i}]", "resource", id, "forward", f, "guest_port", port));
	address = json_string_value(body(reply));
	ok(address && strstr(address, "127.0.0.1:") == address, "Forward: %s", address ? address : "nothing");
	if (!address)
		say(reply);
	for (int i = 0; i < 500 && (!said || !*said); i++) {
		free(said);
		usleep(20000);
		said = hear(address);
	}
	ok(!strcmp(said, "from inside"), "Forward: carries: %s", said);
	free(said);
	refuses(h, "Forward", json_pack("[{s:s, s:s, s:i}]", "resource", id, "forward", f, "guest_port", port), "DuplicateId",
		"an id a second time");
	gives(h, "CloseForward", json_pack("[s]", f), "ends");
	said = hear(address);
	ok(!*said, "CloseForward: nobody listens");
	free(said);
	json_decref(reply);
	refuses(h, "CloseForward", json_pack("[s]", f), "InvalidId", "a second time");
	free(f);
	/* left open, for Close to end */
	f = reserve(h, "Forward", id);
	gives(h, "Forward", json_pack("[{s:s, s:s, s:i}]", "resource", id, "forward", f, "guest_port", port), "is left open");
	free(p);
	free(f);
}

/* A directory of the machine, limits, and a port that is published. */
static void over_a_directory(struct host *h)
{
	char *id = reserve(h, "Resource", NULL);
	json_t *reply = call(h, "Create", json_pack("[{s:s, s:s, s:s, s:{s:s}, s:{s:i}, s:[{s:i}]}]", "resource", id,
						    "backend", "namespace", "network", "Denied", "workspace", "Directory",
						    "/usr/share/common-licenses", "resources", "pids_max", 100, "ports",
						    "guest", 8080)), *port;

	port = json_array_get(json_object_get(body(reply), "published_ports"), 0);
	ok(json_integer_value(json_object_get(port, "guest")) == 8080 &&
	   json_integer_value(json_object_get(port, "host")) > 0, "Create: a directory, limits, a port");
	if (!port)
		say(reply);
	json_decref(reply);
	runs_as(h, cmd(id, "ls | grep '^GPL-3$'"), 0, "GPL-3\n", "", "the directory");
	gives(h, "Close", json_pack("[s]", id), "it");
	free(id);
}

void drive(struct host *h, const char *backend)
{
	json_t *reply;
	char *id = create(h, backend, &reply), *p;
	uint64_t exec, close;

	ok(body(reply) && !strcmp(json_string_value(json_object_get(body(reply), "state")), "Ready"), "%s: Create", backend);
	if (!body(reply)) {
		say(reply);
		return;
	}
	json_decref(reply);
	refuses(h, "Create", json_pack("[{s:s, s:s}]", "resource", id, "backend", backend), "DuplicateId", "an id that lives");
	reply = call(h, "Inspect", json_pack("[s]", id));
	ok(json_array_size(json_object_get(body(reply), "report")) > 0 &&
	   !strncmp(json_string_value(json_object_get(body(reply), "backend")), backend, 6), "%s: Inspect", backend);
	json_decref(reply);
	if (!strcmp(backend, "namespace"))
		over_a_directory(h);
	execs(h, id);
	live(h, id);
	spawned(h, id);
	files(h, id);
	if (!strchr(backend, '='))	/* an image may have no python */
		forwards(h, id, backend);
	/* closed while something runs in it, by two at once */
	p = reserve(h, "Process", id);
	exec = post(h, "Exec", cmd(id, "sleep 100"));
	usleep(200000);
	close = post(h, "Close", json_pack("[s]", id));
	reply = call(h, "Close", json_pack("[s]", id));
	ok(is_return(reply) || !strcmp(error_of(reply), "UnknownResource"), "Close: a second time, at once");
	json_decref(reply);
	reply = wait_reply(h, close, PATIENCE);
	ok(is_return(reply), "%s: Close", backend);
	json_decref(reply);
	reply = wait_reply(h, exec, PATIENCE);
	ok(!strcmp(error_of(reply), "ExecCancelled"), "%s: what ran was cancelled", backend);
	json_decref(reply);
	refuses(h, "Inspect", json_pack("[s]", id), "UnknownResource", "what was closed");
	refuses(h, "Spawn", order(p, "true"), "UnknownResource", "in what was closed");
	free(p);
	free(id);
}

