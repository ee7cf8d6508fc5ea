/*
 * Another machine, by the system's ssh. One connection to each target is kept (ControlMaster), so
 * an operation costs a channel. The other side's login shell may be any: a remote command line is
 * made of letters, digits and "_./-" only, which every shell takes for what they are; everything
 * else goes over standard input. What a login shell says before our program speaks is dropped.
 *
 * The programs over there are named by the hash of their content and renamed into place, so that
 * what is there under that name is whole.
 */
#include "box/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "box/sha256.h"

#define MARK "\ntinybox-says\n"
#define CONTROL_MAX 70		/* ssh adds 17 to the path while it binds; sun_path has 108 */

static const char *ssh_program(void)
{
	static const char *const places[] = { "/usr/bin/ssh", "/bin/ssh", "/usr/local/bin/ssh" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!access(places[i], X_OK))
			return places[i];
	return NULL;
}

/* ---- The command line ---- */

static char *control_dir(const struct tbx_store *store)
{
	char *dir = bx_format("%s/ssh", store->path);
	struct stat st;

	if (dir && strlen(dir) <= CONTROL_MAX && bx_is_safe_word(dir)) {
		mkdir(dir, 0700);
		return dir;
	}
	free(dir);
	dir = bx_format("/tmp/.tinybox-%u-%s", (unsigned)geteuid(), store->tag);
	if (dir && (!mkdir(dir, 0700) || errno == EEXIST) && !lstat(dir, &st) && S_ISDIR(st.st_mode) &&
	    st.st_uid == geteuid() && !(st.st_mode & 077))
		return dir;
	free(dir);
	return NULL;
}

/* All that makes a connection another one; whether a new key may be taken does not. malloc */
static char *target_hash(const json_t *target)
{
	json_t *same = json_copy((json_t *)(uintptr_t)target);
	uint8_t hash[32];
	char *text, *hex = NULL;

	json_object_del(same, "accept_new_key");
	text = json_dumps(same, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(same);
	if (text) {
		bx_sha256(text, strlen(text), hash);
		hex = bx_hex(hash, 8);
	}
	free(text);
	return hex;
}

static char *control_path(const struct tbx_store *store, const json_t *target)
{
	char *dir = control_dir(store), *hex = target_hash(target);
	char *path = dir && hex ? bx_format("%s/%s", dir, hex) : NULL;

	free(dir);
	free(hex);
	return path;
}

static void word(json_t *words, const char *s)
{
	json_array_append_new(words, bx_json_text(s));
}

static void option(json_t *words, const char *name, const char *value)
{
	char *s = bx_format("%s=%s", name, value);

	word(words, "-o");
	word(words, s);
	free(s);
}

static void files(json_t *words, const json_t *target)
{
	const char *identity = bx_text(target, "identity"), *known = bx_text(target, "known_hosts");
	char *quoted;

	if (identity) {
		word(words, "-i");
		word(words, identity);
		option(words, "IdentitiesOnly", "yes");
	}
	if (known) {
		quoted = bx_format("\"%s\"", known);
		option(words, "UserKnownHostsFile", quoted ? quoted : known);
		free(quoted);
	}
}

json_t *bx_ssh_words(const struct tbx_store *store, const json_t *target)
{
	static const char *const fixed[][2] = {
		{ "BatchMode", "yes" }, { "ConnectTimeout", "20" }, { "ServerAliveInterval", "15" },
		{ "ServerAliveCountMax", "3" }, { "ForwardAgent", "no" }, { "ForwardX11", "no" },
		{ "ClearAllForwardings", "yes" }, { "PermitLocalCommand", "no" },
		{ "RequestTTY", "no" }, { "EscapeChar", "none" }, { "LogLevel", "ERROR" },
		{ "ControlMaster", "auto" }, { "ControlPersist", "300" },
	};
	bool fresh = json_is_true(json_object_get(target, "accept_new_key"));
	char *control = control_path(store, target), port[8];
	json_t *words = json_array();

	word(words, ssh_program() ? ssh_program() : "ssh");
	if (bx_text(target, "config")) {
		word(words, "-F");
		word(words, bx_text(target, "config"));
	}
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		option(words, fixed[i][0], fixed[i][1]);
	option(words, "StrictHostKeyChecking", fresh ? "accept-new" : "yes");
	option(words, "ControlPath", control ? control : "none");
	files(words, target);
	if (bx_number(target, "port")) {
		snprintf(port, sizeof(port), "%u", (unsigned)bx_number(target, "port"));
		word(words, "-p");
		word(words, port);
	}
	word(words, "--");
	word(words, bx_text(target, "destination"));
	free(control);
	return words;
}

/* Starts ssh with a remote command of safe words (NULL-terminated). */
static int run(struct tbx_store *store, const json_t *target, const char *const *remote,
	       struct bx_conn *c)
{
	json_t *words = bx_ssh_words(store, target);
	const char *argv[80];
	size_t n = json_array_size(words), i;
	char *what = bx_target_text(target);
	int status = TBX_OK;

	*c = (struct bx_conn){.store = store, .fd = -1, .child_err = -1};
	if (!ssh_program())
		status = bx_fail(store, TBX_ERR_HOST, "ssh is not installed here (openssh-client)");
	for (i = 0; i < n && i < 70; i++)
		argv[i] = json_string_value(json_array_get(words, i));
	for (; *remote && i < 78 && !status; remote++) {
		if (!bx_is_safe_word(*remote))
			status = bx_fail(store, TBX_ERR_UNSUPPORTED, "%s: '%s' cannot stand in a remote "
					 "command line", what, *remote);
		argv[i++] = *remote;
	}
	argv[i] = NULL;
	if (!status)
		status = bx_spawn(store, argv, what ? what : "ssh", c);
	c->noisy = true;
	json_decref(words);
	free(what);
	return status;
}

/* ---- A script over there, by `sh` ---- */

/* Runs `sh` there, or what `remote` says, with that on its stdin; what it prints, malloc. */
static int feed(struct tbx_store *store, const json_t *target, const char *const *remote,
		const void *data, size_t n, char **out)
{
	struct bx_conn c;
	int status = run(store, target, remote, &c);

	*out = NULL;
	if (!status)
		status = bx_exchange(&c, data, n, bx_step(store), out);
	if (!status && !strstr(*out, MARK)) {
		char *said = bx_child_said(&c);

		status = bx_fail(store, TBX_ERR_HOST, "%s: cannot be used: %s%s", c.what,
				 said ? said : "its login shell did not run our script",
				 said && strstr(said, "host key is known") ?
				 " (--accept-new-host-key takes the one it shows)" : "");
		free(said);
	}
	bx_conn_close(&c);
	if (status) {
		free(*out);
		*out = NULL;
	}
	return status;
}

/* ---- Our programs over there ---- */

struct program {
	char *path;		/* here */
	char name[64];		/* there: NAME-HASH */
};

/* The hash of a file of that size and age is remembered: an exec should not read a megabyte. */
static bool hash_program(struct tbx_store *store, int fd, const char *name, struct program *p)
{
	char *memory = NULL, *hex = NULL;
	uint8_t hash[32];
	struct stat st;
	ssize_t n;

	p->name[0] = '\0';
	if (fd < 0 || fstat(fd, &st))
		return false;
	memory = bx_format("hash-%s-%llx-%llx-%llx", name, (unsigned long long)st.st_ino,
			   (unsigned long long)st.st_size, (unsigned long long)st.st_mtim.tv_sec *
			   BX_SECOND + (unsigned long long)st.st_mtim.tv_nsec);
	n = memory ? readlinkat(store->dir, memory, p->name, sizeof(p->name) - 1) : -1;
	if (n > 0) {
		p->name[n] = '\0';
	} else if (bx_sha256_fd(fd, hash) && (hex = bx_hex(hash, 12))) {
		snprintf(p->name, sizeof(p->name), "%s-%s", name, hex);
		if (memory && symlinkat(p->name, store->dir, memory) && errno != EEXIST)
			bx_progress(store, "%s", strerror(errno));
	}
	free(memory);
	free(hex);
	return p->name[0];
}

static int name_program(struct tbx_store *store, const char *name, struct program *p)
{
	int status = bx_helper(store, name, &p->path), fd;

	if (status)
		return status;
	fd = open(p->path, O_RDONLY | O_CLOEXEC);
	if (!hash_program(store, fd, name, p))
		status = bx_fail(store, TBX_ERR_HOST, "%s: %s", p->path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (status) {
		free(p->path);
		p->path = NULL;
	}
	return status;
}

/* A line "KEY value" behind the mark; malloc. */
static char *line_of(const char *text, const char *key)
{
	const char *at = strstr(text, MARK), *end;
	size_t n = strlen(key);

	while (at && (at = strchr(at, '\n'))) {
		at++;
		if (strncmp(at, key, n) || at[n] != ' ')
			continue;
		end = strchr(at, '\n');
		return end ? strndup(at + n + 1, (size_t)(end - at) - n - 1) : NULL;
	}
	return NULL;
}

static const char look[] =
	"printf '\\n%s%s\\n' tinybox- says\n"
	"umask 077\n"
	"mkdir -p \"$HOME/.cache/tinybox\" \"$HOME/.local/state/tinybox/far\" && echo dirs made\n"
	"printf 'home %s\\n' \"$HOME\"\n"
	"echo machine `uname -s` `uname -m`\n";

static const char receiver[] =
	"printf '\\n%s%s\\n' tinybox- says\n"
	"umask 077\n"
	"cat >\"$HOME/.cache/tinybox/receive.$$\" <<'end of receive'\n"
	"umask 077\n"
	"cd \"$HOME/.cache/tinybox\" || exit 1\n"
	"t=$1.$$\n"
	"cat >\"$t\" && [ `wc -c <\"$t\"` -eq \"$2\" ] && chmod 700 \"$t\" &&\n"
	"if command -v sha256sum >/dev/null; then\n"
	"	case `sha256sum <\"$t\"` in \"$3\"*) : ;; *) false ;; esac\n"
	"fi && mv -f \"$t\" \"$1\" && { printf '\\n%s%s\\n' tinybox- says; echo received \"$1\"; exit 0; }\n"
	"rm -f \"$t\"\n"
	"exit 1\n"
	"end of receive\n"
	"mv -f \"$HOME/.cache/tinybox/receive.$$\" \"$HOME/.cache/tinybox/receive\" && echo receiver made\n";

static int push(struct tbx_store *store, const json_t *target, const struct program *p)
{
	static const char *const sh[] = { "sh", NULL };
	const char *receive[] = { "sh", ".cache/tinybox/receive", p->name, NULL, NULL, NULL };
	char *data = NULL, *said = NULL, size[24];
	size_t n;
	int status = feed(store, target, sh, receiver, sizeof(receiver) - 1, &said);

	free(said);
	said = NULL;
	if (!status)
		status = bx_read_all(store, p->path, &data, &n);
	if (status)
		return status;
	bx_progress(store, "sending %s", p->name);
	snprintf(size, sizeof(size), "%zu", n);
	receive[3] = size;
	receive[4] = strrchr(p->name, '-') + 1;
	status = feed(store, target, receive, data, n, &said);
	free(data);
	free(said);
	return status;
}

/*
 * What is there; pushes the program where it is not. The home directory there, malloc. dir: a
 * state directory to be made, by its name; NULL: none.
 */
static int prepare(struct tbx_store *store, const json_t *target, const struct program *p,
		   const char *dir, char **home)
{
	static const char *const sh[] = { "sh", NULL };
	char *script = bx_format("%s[ -x \"$HOME/.cache/tinybox/%s\" ] && echo have %s\n"
				 "mkdir -p \"$HOME/.local/state/tinybox/far/%s\"\n", look, p->name,
				 p->name, dir ? dir : ""), *said, *have, *machine, *what;
	struct utsname here;
	int status = script ? feed(store, target, sh, script, strlen(script), &said) :
		     bx_memory(store);

	free(script);
	if (status)
		return status;
	*home = line_of(said, "home");
	have = line_of(said, "have");
	machine = line_of(said, "machine");
	free(said);
	what = uname(&here) ? NULL : bx_format("%s %s", here.sysname, here.machine);
	if (!*home || !machine || !what)
		status = bx_fail(store, TBX_ERR_HOST, "the machine does not answer as it should: "
				 "no home directory, or none that may be written");
	else if (strcmp(machine, what))
		status = bx_fail(store, TBX_ERR_UNSUPPORTED, "that machine is a %s, and our programs "
				 "here are for a %s", machine, what);
	else if (!have)
		status = push(store, target, p);
	free(have);
	free(machine);
	free(what);
	return status;
}

/* The target's own memory of what it has: a file in the store, so that a connection costs one. */
static char *memory_name(const json_t *target, const struct program *p)
{
	char *hex = target_hash(target), *name = hex ? bx_format("far-%s-%s", hex, p->name) : NULL;

	free(hex);
	return name;
}

static char *remembered(struct tbx_store *store, const char *name)
{
	char buf[4096];
	ssize_t n = readlinkat(store->dir, name, buf, sizeof(buf));

	return n > 0 && n < (ssize_t)sizeof(buf) ? strndup(buf, (size_t)n) : NULL;
}

/* The home directory over there, when the program is there. */
static int ready(struct tbx_store *store, const json_t *target, struct program *p, bool again,
		 const char *dir, char **home)
{
	char *name = memory_name(target, p);
	int status;

	*home = name && !again && !dir ? remembered(store, name) : NULL;
	if (*home) {
		free(name);
		return TBX_OK;
	}
	status = prepare(store, target, p, dir, home);
	if (!status && name) {
		unlinkat(store->dir, name, 0);
		if (symlinkat(*home, store->dir, name))
			bx_progress(store, "the target is not remembered: %s", strerror(errno));
	}
	free(name);
	return status;
}

int bx_ssh_place(struct tbx_store *store, const json_t *target, const char *name, char **path)
{
	struct program p;
	char *home = NULL;
	int status = name_program(store, "tinybox-init", &p);

	if (status)
		return status;
	status = ready(store, target, &p, false, name, &home);
	free(p.path);
	*path = status ? NULL : bx_format("%s/.local/state/tinybox/far%s%s", home, name ? "/" : "",
					  name ? name : "");
	free(home);
	return status ? status : *path ? TBX_OK : bx_memory(store);
}

/* Starts it there, and does not wait for its words. */
static int start_there(struct tbx_store *store, const json_t *target, struct program *p, bool again,
		       const char *mode, const char *operand, struct bx_conn *c)
{
	char *home = NULL, *path;
	const char *remote[] = { NULL, mode, operand, NULL };
	int status = ready(store, target, p, again, NULL, &home);

	if (status)
		return status;
	path = bx_format("%s/.cache/tinybox/%s", home, p->name);
	remote[0] = path && bx_is_safe_word(path) ? path : path + strlen(home) + 1;
	status = run(store, target, remote, c);
	free(path);
	free(home);
	return status;
}

static int try_spawn(struct tbx_store *store, const json_t *target, struct program *p, bool again,
		     const char *mode, const char *operand, struct bx_conn *c)
{
	int status = start_there(store, target, p, again, mode, operand, c);

	if (!status)
		status = bx_peek_hello(c, bx_step(store));
	/* It ran, and said that there is no server. */
	if (status == TBX_ERR_LOST && strstr(tbx_error(store), "server is not there"))
		status = TBX_ERR_STATE;
	return status;
}

int bx_ssh_soon(struct tbx_store *store, const json_t *target, const char *operand, struct bx_conn *c)
{
	struct program p;
	int status = name_program(store, "tinybox-init", &p);

	if (status)
		return status;
	*c = (struct bx_conn){.store = store, .fd = -1, .child_err = -1};
	status = start_there(store, target, &p, false, "connect", operand, c);
	free(p.path);
	if (status)
		bx_conn_close(c);
	return status;
}

/* Once more from the start when what was there is not any longer. */
int bx_ssh_spawn(struct tbx_store *store, const json_t *target, const char *program,
		 const char *mode, const char *operand, struct bx_conn *c)
{
	struct program p;
	int status = name_program(store, program, &p);

	if (status)
		return status;
	*c = (struct bx_conn){.store = store, .fd = -1, .child_err = -1};
	status = try_spawn(store, target, &p, false, mode, operand, c);
	if (status == TBX_ERR_LOST) {
		bx_conn_close(c);
		status = try_spawn(store, target, &p, true, mode, operand, c);
	}
	free(p.path);
	if (status)
		bx_conn_close(c);
	return status;
}

/* A file over there that we wrote; malloc, a text. */
int bx_ssh_read(struct tbx_store *store, const json_t *target, const char *path, char **text)
{
	static const char *const sh[] = { "sh", NULL };
	char *script, *said, *at;
	int status;

	*text = NULL;
	if (!bx_is_safe_word(path))
		return bx_fail(store, TBX_ERR_UNSUPPORTED, "%s cannot be read there", path);
	script = bx_format("printf '\\n%%s%%s\\n' tinybox- says\ncat %s\n", path);
	status = script ? feed(store, target, sh, script, strlen(script), &said) : bx_memory(store);
	free(script);
	if (status)
		return status;
	at = strstr(said, MARK) + strlen(MARK);
	*text = strdup(at);
	free(said);
	return *text ? TBX_OK : bx_memory(store);
}
