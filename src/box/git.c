/*
 * A repository as the workspace: cloned on this machine, where its keys are, by the system's git, and
 * copied into the box like any other directory. The URL and what comes from there are hostile: no
 * helper programs as transports, no hooks, no filters, no questions, and an end to the waiting.
 */
#include "box/internal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLONE_TIME (600 * BX_SECOND)
#define SAID_MAX 16384

extern char **environ;

/* ---- What may be asked for ---- */

static bool is_graph(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == 127 || *s == '\\')
			return false;
	return true;
}

/* [user@]host of an URL or before a colon; *why is set when it is not. */
static bool good_host(const char *s, size_t n, const char **why)
{
	char *host = strndup(s, n), *at = host ? strrchr(host, '@') : NULL, *colon;
	bool good = host && n && n < 256;

	*why = "its host is not a name";
	if (good && at && memchr(host, ':', (size_t)(at - host))) {
		*why = "a password in it would stay in the box: leave it out, and let git's credential "
			"helper or an ssh key do it";
		good = false;
	}
	/* NAME:PORT */
	colon = good ? strrchr(at ? at : host, ':') : NULL;
	if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1))
		*colon = '\0';
	good = good && bx_is_destination(host);
	free(host);
	return good;
}

static bool good_url(const char *s, const char **why)
{
	static const char *const schemes[] = { "https://", "ssh://", "http://", "git://" };
	const char *colon = strchr(s, ':'), *slash = strchr(s, '/');

	*why = "use https://, ssh://, git://, http://, file:///, [USER@]HOST:PATH or an absolute path";
	if (!*s || *s == '-' || strlen(s) > 4096 || !is_graph(s))
		return false;
	if (*s == '/' || !strncmp(s, "file:///", 8))
		return true;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		size_t n = strlen(schemes[i]);

		if (!strncmp(s, schemes[i], n))
			return good_host(s + n, strcspn(s + n, "/?#"), why);
	}
	/* HOST:PATH; two colons would be a program of git's as transport */
	if (!colon || (slash && slash < colon) || colon[1] == ':' || colon[1] == '-' || !colon[1] ||
	    !strncmp(colon, "://", 3))
		return false;
	return good_host(s, (size_t)(colon - s), why);
}

static bool good_revision(const char *s)
{
	if (!*s || *s == '-' || *s == '.' || *s == '/' || strlen(s) > 250 || strstr(s, "..") ||
	    strstr(s, "//") || strstr(s, "@{"))
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._/+@-", *s))
			return false;
	return true;
}

static int bad(struct tbx_store *store, const char *what, const char *value, const char *why)
{
	char *shown = bx_format("%.80s", value);
	int status;

	if (shown)
		bx_plain(shown);
	status = bx_fail(store, TBX_ERR_ARGUMENT, "%s '%s': %s", what, shown ? shown : "", why);
	free(shown);
	return status;
}

int bx_git_source(struct tbx_store *store, const struct tbx_spec *spec, json_t *source)
{
	const char *why;

	if (!good_url(spec->from, &why))
		return bad(store, "--git", spec->from, why);
	if (spec->revision && !good_revision(spec->revision))
		return bad(store, "--revision", spec->revision, "use the name of a branch or a tag, or a "
			   "commit");
	if (spec->read_only)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--git and --read-only: a repository is copied into a "
			       "workspace of the box's own");
	bx_put(source, "from", bx_json_text(spec->from));
	bx_put(source, "revision", bx_json_text(spec->revision));
	return TBX_OK;
}

bool bx_is_git(const json_t *record)
{
	const char *kind = json_string_value(bx_at(record, "spec.source.kind"));

	return kind && !strcmp(kind, "git") && !json_object_get(record, "begins");
}

/* ---- git ---- */

static const char *git_program(void)
{
	static const char *const places[] = { "/usr/bin/git", "/bin/git", "/usr/local/bin/git" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!access(places[i], X_OK))
			return places[i];
	return NULL;
}

/* Ours, without what others told git to do. */
static char **git_env(void)
{
	static char *const own[] = {
		"GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=/bin/false", "SSH_ASKPASS=/bin/false", "SSH_ASKPASS_REQUIRE=never",
		"GIT_ALLOW_PROTOCOL=https:http:ssh:git:file", "GIT_LFS_SKIP_SMUDGE=1", "LC_ALL=C",
		"GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout=20", NULL,
	};
	size_t n = 0, count = 0;
	char **env;

	while (environ && environ[n])
		n++;
	env = calloc(n + sizeof(own) / sizeof(*own), sizeof(*env));
	for (size_t i = 0; env && i < n; i++)
		if (strncmp(environ[i], "GIT_", 4) && strncmp(environ[i], "SSH_ASKPASS", 11) &&
		    strncmp(environ[i], "LC_ALL=", 7))
			env[count++] = environ[i];
	for (size_t i = 0; env && own[i]; i++)
		env[count++] = own[i];
	return env;
}

static int start(const char *const *argv, int said, pid_t *pid)
{
	char **env = git_env();
	int err = env ? bx_start_child(argv, env, (const int[]){ -1, said, said }, pid) : ENOMEM;

	free(env);
	return err;
}

/* False: it was not in time; all of its group is killed. */
static bool wait_for(pid_t pid, uint64_t deadline, int *status)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	uint64_t now = bx_ticks();
	bool good = p.fd < 0;

	while (!good && now < deadline) {
		good = poll(&p, 1, (int)((deadline - now) / 1000000) + 1) > 0;
		now = bx_ticks();
	}
	if (!good)
		kill(-pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	if (p.fd >= 0)
		close(p.fd);
	return good;
}

/* The last line that git said, without the names of our directories. */
static int git_failed(struct bx *b, int said, bool in_time)
{
	char *text = calloc(1, SAID_MAX + 1), *line, *end;
	ssize_t n = text ? pread(said, text, SAID_MAX, 0) : -1;
	int status;

	if (!in_time)
		status = bx_fail(b->store, TBX_ERR_TIMEOUT, "%s: git took longer than ten minutes", b->id);
	else if (n <= 0)
		status = bx_fail(b->store, TBX_ERR_FILE, "%s: git failed without a word", b->id);
	else {
		line = strstr(text, "fatal: ") ? strstr(text, "fatal: ") + 7 :
			strstr(text, "error: ") ? strstr(text, "error: ") + 7 : text;
		end = line + strcspn(line, "\n");
		*end = '\0';
		bx_plain(line);
		status = bx_fail(b->store, TBX_ERR_FILE, "%s: git: %.300s", b->id, line);
	}
	free(text);
	return status;
}

/* `git` with the words, NULL-ended, behind what holds for all. */
static int run_git(struct bx *b, const char *const *words, uint64_t deadline)
{
	const char *argv[40] = {
		git_program(), "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c",
		"submodule.recurse=false", "-c", "filter.lfs.smudge=", "-c", "filter.lfs.process=", "-c",
		"filter.lfs.required=false", "-c", "protocol.allow=never", "-c", "protocol.https.allow=always",
		"-c", "protocol.http.allow=always", "-c", "protocol.ssh.allow=always", "-c",
		"protocol.git.allow=always", "-c", "protocol.file.allow=always", NULL,
	};
	int said = memfd_create("tinybox-git", MFD_CLOEXEC | MFD_ALLOW_SEALING), status = 0, err;
	size_t n = 0;
	bool in_time;
	pid_t pid;

	if (!argv[0]) {
		close(said);
		return bx_fail(b->store, TBX_ERR_UNSUPPORTED, "--git: there is no git on this machine; install "
			       "it, or clone elsewhere and use --dir");
	}
	while (argv[n])
		n++;
	for (; *words && n < 39; words++)
		argv[n++] = *words;
	err = said < 0 || ftruncate(said, SAID_MAX) || fcntl(said, F_ADD_SEALS, F_SEAL_GROW) ? errno :
		start(argv, said, &pid);
	if (err) {
		status = bx_fail(b->store, TBX_ERR_SYSTEM, "%s: git: %s", b->id, strerror(err));
	} else {
		in_time = wait_for(pid, deadline, &status);
		status = in_time && WIFEXITED(status) && !WEXITSTATUS(status) ? TBX_OK :
			git_failed(b, said, in_time);
	}
	if (said >= 0)
		close(said);
	return status;
}

static int clone_to(struct bx *b, const char *url, const char *revision, const char *to)
{
	/* not by links to the files of a repository on this machine */
	const char *const fetch[] = { "clone", "--quiet", "--no-checkout", "--no-local",
		"--no-recurse-submodules", "--template=", "--", url, to, NULL };
	const char *const named[] = { "-C", to, "checkout", "--quiet", revision, "--", NULL };
	const char *const first[] = { "-C", to, "checkout", "--quiet", "HEAD", "--", NULL };
	const char *const head[] = { "-C", to, "rev-parse", "--quiet", "--verify", "HEAD", NULL };
	uint64_t deadline = bx_ticks() + CLONE_TIME;
	int status;

	bx_progress(b->store, "%s: cloning", b->id);
	status = run_git(b, fetch, deadline);
	if (status || revision)
		return status ? status : run_git(b, named, deadline);
	/* an empty repository has nothing to check out */
	return run_git(b, head, deadline) ? TBX_OK : run_git(b, first, deadline);
}

int bx_git_fill(struct bx *b)
{
	const json_t *source = bx_at(b->record, "spec.source");
	char *url = bx_json_copy(json_object_get(source, "from"));
	char *revision = bx_json_copy(json_object_get(source, "revision"));
	char *to = bx_json_copy(bx_at(b->record, "spec.workspace"));
	char *dir = bx_format("%s/boxes/%s/clone", b->store->path, b->id), *all;
	const char *kind = json_string_value(bx_at(b->record, "placement.workspace.sandbox"));
	int status;

	/* without a wall there is no /workspace: it begins in the one it has */
	if (kind && !strcmp(kind, "passthrough")) {
		free(to);
		to = strdup(".");
	}
	bx_remove_tree(b->dir, "clone");
	status = url && dir && to ? clone_to(b, url, revision, dir) : bx_memory(b->store);
	all = bx_format("%s/.", dir);
	if (!status)
		status = all ? bx_copy_in(b, all, to) : bx_memory(b->store);
	bx_remove_tree(b->dir, "clone");
	free(url);
	free(revision);
	free(to);
	free(dir);
	free(all);
	return status;
}
