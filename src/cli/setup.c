/*
 * From options to an open sandbox, and to a snapshot file at the end. A
 * snapshot is written beside its file and then renamed, so a failure leaves the
 * old one whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

static int set_limits(const struct cli *cli, struct tsb_limits *limits)
{
	tsb_limits_default(limits);
	for (size_t i = 0; i < cli->limits.n; i++) {
		const char *row = cli->limits.at[i], *eq = strchr(row, '=');
		char *name = eq ? strndup(row, (size_t)(eq - row)) : NULL;
		int rc = name ? tsb_limit_set(limits, name, eq + 1) : TSB_ERR_ARGUMENT;

		free(name);
		if (rc)
			return cli_error("bad limit '%s' (NAME=VALUE; see --list-limits)", row);
	}
	return 0;
}

void cli_prompt_limits(const struct cli *cli, struct tsb_limits *limits)
{
	uint64_t wall, commands;

	tsb_limits_default(limits);
	wall = limits->wall_ms;
	commands = limits->commands;
	set_limits(cli, limits);
	limits->wall_ms = limits->wall_ms == wall ? UINT64_MAX : limits->wall_ms;
	limits->commands = limits->commands == commands ? UINT64_MAX : limits->commands;
}

static size_t count_env(const char *const *env)
{
	size_t n = 0;

	while (env[n])
		n++;
	return n;
}

/* The default environment, with --env in the place of its namesakes. */
static const char **make_env(const struct cli *cli)
{
	size_t n = count_env(tsb_default_env());
	const char **env = calloc(n + cli->env.n + 1, sizeof(*env));

	if (!env)
		return NULL;
	memcpy(env, tsb_default_env(), n * sizeof(*env));
	for (size_t i = 0; i < cli->env.n; i++) {
		const char *row = cli->env.at[i];
		size_t name = strcspn(row, "="), k = 0;

		if (!row[name] && getenv(row)) {
			const char *value = getenv(row);
			char *full = malloc(name + strlen(value) + 2);

			if (!full)
				return NULL;
			sprintf(full, "%s=%s", row, value);
			row = full;
		} else if (!row[name]) {
			continue;
		}
		while (k < n && strncmp(env[k], row, name + 1))
			k++;
		env[k] = row;
		n = k == n ? n + 1 : n;
	}
	return env;
}

/* Rows that make_env() composed are its own; the others are borrowed. */
static void free_env(const struct cli *cli, const char **env)
{
	const char *const *standard = tsb_default_env();

	for (size_t i = 0; env && env[i]; i++) {
		bool borrowed = false;

		for (size_t k = 0; standard[k]; k++)
			borrowed |= env[i] == standard[k];
		for (size_t k = 0; k < cli->env.n; k++)
			borrowed |= env[i] == cli->env.at[k];
		if (!borrowed)
			free((char *)(uintptr_t)env[i]);
	}
	free(env);
}

/* A file system of its own, so that it can be read-only as a whole. */
static int copy_read_only(struct tsb_sandbox *box, const struct tsb_limits *limits,
			  const char *host, const char *path)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	struct tsb_fs *fs;
	int rc;

	opt.bytes_max = limits->fs_bytes;
	opt.entries_max = limits->fs_entries;
	opt.file_bytes_max = limits->file_bytes;
	fs = tsb_mem_new(&opt);
	rc = fs ? tsb_mount(box, path, fs, 0) : TSB_ERR_MEMORY;

	if (rc) {
		tsb_fs_free(fs);
		return rc;
	}
	rc = tsb_copy_in(box, host, path);
	return rc ? rc : tsb_remount(box, path, TSB_MOUNT_READ_ONLY);
}

/* host and path, perhaps with ":ro" or ":rw" behind it, which is cut off. */
static int add_mount_at(struct tsb_sandbox *box, const struct tsb_limits *limits, const char *row,
			const char *host, char *path)
{
	char *flag = strchr(path, ':');
	bool read_only = false;
	struct stat st;
	int rc;

	if (flag) {
		read_only = !strcmp(flag, ":ro");
		if (!read_only && strcmp(flag, ":rw"))
			return cli_error("bad mount '%s': '%s' is neither ro nor rw", row, flag + 1);
		*flag = '\0';
	}
	if (read_only && !stat(host, &st) && !S_ISDIR(st.st_mode))
		return cli_error("bad mount '%s': read-only is for directories: give '%s' its own, "
				 "or leave out ':ro'", row, host);
	rc = read_only ? copy_read_only(box, limits, host, path) : tsb_copy_in(box, host, path);
	if (rc && tsb_errno(box) == ENOSPC)
		return cli_error("%s; to allow more: --limit fs_bytes=N, fs_entries=N", tsb_error(box));
	if (rc && tsb_errno(box) == EFBIG)
		return cli_error("%s; to allow more: --limit file_bytes=N", tsb_error(box));
	return rc ? cli_error("%s", tsb_error(box)) : 0;
}

/* HOST:PATH[:ro|:rw]. HOST may not hold a colon. */
static int add_mount(struct tsb_sandbox *box, const struct tsb_limits *limits, const char *row)
{
	const char *colon = strchr(row, ':');
	char *host, *path;
	int rc;

	if (!colon || colon == row || colon[1] != '/')
		return cli_error("bad mount '%s' (HOST:/PATH or HOST:/PATH:ro)", row);
	host = strndup(row, (size_t)(colon - row));
	path = strdup(colon + 1);
	rc = host && path ? add_mount_at(box, limits, row, host, path) : cli_error("no memory");
	free(host);
	free(path);
	return rc;
}

struct stream {
	FILE *f;
	int error;
};

static ssize_t read_snapshot(void *ctx, void *buf, size_t n)
{
	struct stream *s = ctx;
	size_t got = fread(buf, 1, n, s->f);

	return got ? (ssize_t)got : ferror(s->f) ? -EIO : 0;
}

static int write_snapshot(void *ctx, int fd, const void *data, size_t n)
{
	struct stream *s = ctx;

	(void)fd;
	if (fwrite(data, 1, n, s->f) == n)
		return 0;
	s->error = errno;
	return -1;
}

static int load(const struct cli *cli, struct tsb_sandbox *box)
{
	struct stream s = { fopen(cli->restore, "rb"), 0 };
	int rc;

	if (!s.f)
		return cli_error("cannot open %s: %s", cli->restore, strerror(errno));
	rc = tsb_load(box, read_snapshot, &s);
	fclose(s.f);
	return rc ? cli_error("%s: %s", cli->restore, tsb_error(box)) : 0;
}

int cli_save(const struct cli *cli, struct tsb_sandbox *box)
{
	struct stream s = { NULL, 0 };
	char *beside;
	int rc;

	if (!cli->snapshot)
		return 0;
	beside = malloc(strlen(cli->snapshot) + sizeof(".new"));
	if (!beside)
		return cli_error("no memory");
	sprintf(beside, "%s.new", cli->snapshot);
	s.f = fopen(beside, "wb");
	if (!s.f) {
		rc = cli_error("cannot write %s: %s", beside, strerror(errno));
		free(beside);
		return rc;
	}
	rc = tsb_save(box, write_snapshot, &s);
	if (fclose(s.f) || rc || rename(beside, cli->snapshot)) {
		rc = cli_error("cannot write %s: %s", cli->snapshot,
			       s.error ? strerror(s.error) : rc ? tsb_error(box) : strerror(errno));
		unlink(beside);
	}
	free(beside);
	return rc;
}

/* tsb_sandbox_open() says no more than that something is not valid. */
static int check_options(const struct cli *cli)
{
	if (cli->cwd && cli->cwd[0] != '/')
		return cli_error("bad --cwd '%s': it is not absolute", cli->cwd);
	for (size_t i = 0; i < cli->env.n; i++) {
		if (!cli->env.at[i][0] || cli->env.at[i][0] == '=')
			return cli_error("bad --env '%s': it has no name (NAME=VALUE or NAME)",
					 cli->env.at[i]);
	}
	return 0;
}

int cli_open(const struct cli *cli, struct tsb_sandbox **box)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_limits limits;
	const char **env;
	int rc = check_options(cli);

	if (!rc)
		rc = set_limits(cli, &limits);
	if (rc)
		return rc;
	opt.limits = &limits;
	env = make_env(cli);
	opt.env = env;
	opt.cwd = cli->cwd;
	opt.hostname = cli->hostname;
	opt.virtual_time = cli->virtual_time;
	opt.session = true;
	rc = env ? tsb_sandbox_open(box, &opt) : TSB_ERR_MEMORY;
	free_env(cli, env);
	if (rc == TSB_ERR_ARGUMENT && cli->hostname)
		return cli_error("bad --hostname '%s': 1 to 64 bytes without space and '/'",
				 cli->hostname);
	if (rc)
		return cli_error("cannot open a sandbox: no memory");
	if (cli->restore && (rc = load(cli, *box)))
		return rc;
	for (size_t i = 0; i < cli->mounts.n; i++) {
		rc = add_mount(*box, &limits, cli->mounts.at[i]);
		if (rc)
			return rc;
	}
	return 0;
}
