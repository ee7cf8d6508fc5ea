/*
 * JSON lines in, JSON lines out: each request is a run in a fresh sandbox.
 *
 *	request {"script": "...", "args": [...], "name": "bash", "cwd": DIR, "env": {...},
 *	         "stdin": TEXT | {"b64": ...}, "read": [PATH...], "limits": {NAME: N},
 *	         "files": {PATH: TEXT | {"content": TEXT | "b64": ... | "dir": true |
 *	                   "link": TARGET, "mode": N, "mtime": N}}}
 *	reply   the result (json_result), and "read": {PATH: TEXT | {"b64": ...} |
 *	        {"dir": true} | {"link": TARGET} | null}; or {"error": SENTENCE}
 *
 * Relative paths lie under cwd; null is a key that is not there. A line that cannot be served gets an error reply,
 * and the next one is served.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/json.h"

struct request {
	json_t *json;
	struct tsb_sandbox *box;
	char *cwd;
	char *error;
};

static int fail(struct request *q, const char *fmt, ...) TSB_PRINTF(2, 3);
static int fail(struct request *q, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&q->error, fmt, ap) < 0)
		q->error = NULL;
	va_end(ap);
	return -1;
}

/* malloc; NULL: the key is not there. */
static char *text_of(const struct request *q, const char *key)
{
	size_t n;

	return json_bytes(json_object_get(q->json, key), &n);
}

static char *absolute(const struct request *q, const char *path)
{
	char *full;

	if (path[0] == '/')
		return strdup(path);
	return asprintf(&full, "%s/%s", strcmp(q->cwd, "/") ? q->cwd : "", path) < 0 ? NULL : full;
}

/* ---- Before the run: files, limits, environment ---- */

static int make_content(struct request *q, const char *path, const json_t *value, const char *key)
{
	json_int_t mode = json_integer_value(json_object_get(value, "mode"));
	const json_t *content = json_is_string(value) ? value : json_object_get(value, "content");
	size_t n;
	char *data = json_bytes(content ? content : value, &n);
	int rc;

	if (!data)
		return fail(q, "files: %s: neither text nor base64", key);
	rc = tsb_write_file(q->box, path, data, n, (uint32_t)mode & 07777);
	free(data);
	return rc ? fail(q, "files: %s", tsb_error(q->box)) : 0;
}

static int make_file(struct request *q, const char *path, const json_t *value, const char *key)
{
	size_t n;
	char *link = json_bytes(json_object_get(value, "link"), &n);
	const json_t *mtime = json_object_get(value, "mtime");
	json_int_t mode = json_integer_value(json_object_get(value, "mode"));
	int rc;

	if (json_is_true(json_object_get(value, "dir")))
		rc = tsb_make_dir(q->box, path, (uint32_t)mode & 07777);
	else if (link)
		rc = tsb_make_link(q->box, link, path);
	else if (make_content(q, path, value, key))
		return -1;
	else
		rc = TSB_OK;
	free(link);
	if (!rc && json_is_number(mtime))
		rc = tsb_set_times(q->box, path,
				   (struct tsb_time){ (int64_t)json_number_value(mtime), 0 });
	return rc ? fail(q, "files: %s", tsb_error(q->box)) : 0;
}

static int make_files(struct request *q)
{
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(q->json, "files"), key, value) {
		size_t n;
		json_t *text = json_string(key);
		char *name = json_bytes(text, &n), *path = name ? absolute(q, name) : NULL;
		int rc = path ? make_file(q, path, value, key) : fail(q, "no memory");

		json_decref(text);
		free(name);
		free(path);
		if (rc)
			return rc;
	}
	return 0;
}

static int make_limits(struct request *q, struct tsb_limits *limits)
{
	const char *key;
	json_t *value;

	tsb_limits_default(limits);
	json_object_foreach(json_object_get(q->json, "limits"), key, value) {
		char number[32];

		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(value));
		if (!json_is_integer(value) || tsb_limit_set(limits, key, number))
			return fail(q, "limits: %s: unknown name or bad value", key);
	}
	return 0;
}

/* A NULL-terminated list of malloc'd strings. */
static char **list_new(size_t n)
{
	return calloc(n + 1, sizeof(char *));
}

static void list_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

static char **make_env(const json_t *env)
{
	char **list = list_new(json_object_size(env));
	const char *key;
	json_t *value;
	size_t n, i = 0;

	json_object_foreach((json_t *)(uintptr_t)env, key, value) {
		char *text = json_bytes(value, &n);

		if (!list || !text || asprintf(&list[i], "%s=%s", key, text) < 0) {
			free(text);
			if (list)
				list[i] = NULL;
			list_free(list);
			return NULL;
		}
		free(text);
		i++;
	}
	return list;
}

static char **make_args(const json_t *args)
{
	char **list = list_new(json_array_size(args));
	size_t n;

	for (size_t i = 0; list && i < json_array_size(args); i++) {
		list[i] = json_bytes(json_array_get(args, i), &n);
		if (!list[i]) {
			list_free(list);
			return NULL;
		}
	}
	return list;
}

/* ---- After it ---- */

static json_t *read_one(struct request *q, const char *path)
{
	char target[TSB_PATH_MAX + 1];
	struct tsb_stat st;
	json_t *value;
	void *data;
	size_t n;

	if (tsb_stat_file(q->box, path, &st))
		return json_null();
	if (S_ISDIR(st.mode))
		return json_pack("{s:b}", "dir", 1);
	if (S_ISLNK(st.mode)) {
		if (tsb_read_link(q->box, path, target, sizeof(target), &n))
			return json_null();
		return json_pack("{s:o}", "link", json_value_of(target, n));
	}
	if (tsb_read_file(q->box, path, &data, &n))
		return json_null();
	value = json_value_of(data, n);
	free(data);
	return value;
}

static json_t *read_files(struct request *q)
{
	const json_t *list = json_object_get(q->json, "read");
	json_t *object = json_object();

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *item = json_array_get(list, i);
		size_t n;
		char *name = json_bytes(item, &n), *path = name ? absolute(q, name) : NULL;

		if (path)
			json_object_set_new(object, json_string_value(item), read_one(q, path));
		free(name);
		free(path);
	}
	return object;
}

/* ---- One request ---- */

static int run(struct request *q, const struct tsb_limits *limits, json_t **reply)
{
	struct tsb_run_options opt = TSB_RUN_OPTIONS_INIT;
	const json_t *env = json_object_get(q->json, "env"), *input = json_object_get(q->json, "stdin");
	size_t script_n = 0, input_n = 0;
	char *script = json_bytes(json_object_get(q->json, "script"), &script_n);
	char *bytes = input ? json_bytes(input, &input_n) : NULL, *name = text_of(q, "name");
	char **env_list = env ? make_env(env) : NULL;
	char **args = make_args(json_object_get(q->json, "args"));
	struct tsb_result *result;
	int rc;

	opt.name = name;
	opt.args = (const char *const *)args;
	opt.env = (const char *const *)env_list;
	opt.input = bytes;
	opt.input_size = input_n;
	opt.limits = limits;
	if (!script)
		rc = fail(q, "script: a text is needed");
	else if (input && !bytes)
		rc = fail(q, "stdin: neither text nor base64");
	else if (!args || (env && !env_list))
		rc = fail(q, "no memory");
	else if (tsb_run_bytes(q->box, script, script_n, &opt, &result))
		rc = fail(q, "%s", tsb_error(q->box));
	else {
		*reply = json_result(result);
		json_object_set_new(*reply, "read", read_files(q));
		tsb_result_free(result);
		rc = 0;
	}
	free(script);
	free(bytes);
	free(name);
	list_free(env_list);
	list_free(args);
	return rc;
}

static json_t *serve(struct request *q)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_limits limits;
	json_t *reply = NULL;

	if (!json_is_object(q->json)) {
		fail(q, "a request is an object");
		return NULL;
	}
	q->error = batch_check(q->json);
	if (q->error)
		return NULL;
	q->cwd = text_of(q, "cwd");
	if (!q->cwd)
		q->cwd = strdup("/home/user");
	opt.limits = &limits;
	opt.cwd = q->cwd;
	if (!q->cwd || make_limits(q, &limits))
		return NULL;
	if (tsb_sandbox_open(&q->box, &opt)) {
		fail(q, "cwd must be absolute");
		return NULL;
	}
	if (tsb_make_dir(q->box, q->cwd, 0))
		fail(q, "cwd: %s", tsb_error(q->box));
	else if (!make_files(q))
		run(q, &limits, &reply);
	tsb_sandbox_close(q->box);
	return reply;
}

static int answer(const char *line, size_t n)
{
	struct request q = { 0 };
	json_t *reply = NULL;
	int rc;

	q.json = json_parse_line(line, n, &q.error);
	if (q.json)
		reply = serve(&q);
	if (!reply)
		reply = json_pack("{s:s}", "error", q.error ? q.error : "no memory");
	rc = json_dumpf(reply, stdout, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));
	fputc('\n', stdout);
	json_decref(reply);
	json_decref(q.json);
	free(q.cwd);
	free(q.error);
	return rc || fflush(stdout) ? 1 : 0;
}

int cli_batch(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int rc = 0;

	while (!rc && (n = getline(&line, &cap, stdin)) > 0) {
		if (line[n - 1] == '\n')
			n--;
		if (n)
			rc = answer(line, (size_t)n);
	}
	free(line);
	return rc;
}
