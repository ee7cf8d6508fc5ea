/*
 * A request of --batch, looked at before anything is done for it: what nobody would look at, or
 * would look at as something else, is not taken. Two tables: the keys of a request, and of a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"

/* A key, and what its value is to be. */
struct batch_key {
	const char *name;
	bool (*is)(const json_t *value);
	const char *what;
};

/* A text, or its bytes in base64. */
static bool is_bytes(const json_t *value)
{
	return json_is_string(value) || (json_object_size(value) == 1 &&
					 json_is_string(json_object_get(value, "b64")));
}

/* The same, for what C calls a string. */
static bool is_text(const json_t *value)
{
	size_t n = 0;
	char *text = is_bytes(value) ? json_bytes(value, &n) : NULL;
	bool is = text && strlen(text) == n;

	free(text);
	return is;
}

static bool is_string(const json_t *value)
{
	return json_is_string(value);
}

static bool is_integer(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool is_number(const json_t *value)
{
	return json_is_number(value) && json_number_value(value) > -9e15 && json_number_value(value) < 9e15;
}

static bool is_mode(const json_t *value)
{
	return is_integer(value) && json_integer_value(value) <= 07777;
}

static bool is_boolean(const json_t *value)
{
	return json_is_boolean(value);
}

static bool is_object(const json_t *value)
{
	return json_is_object(value);
}

static bool is_texts(const json_t *value)
{
	for (size_t i = 0; i < json_array_size(value); i++) {
		if (!is_text(json_array_get(value, i)))
			return false;
	}
	return json_is_array(value);
}

/* Their values are the keys of the answer, so they are no base64. */
static bool is_paths(const json_t *value)
{
	for (size_t i = 0; i < json_array_size(value); i++) {
		if (!json_is_string(json_array_get(value, i)))
			return false;
	}
	return is_texts(value);
}

static bool is_named_texts(const json_t *value)
{
	void *at = json_object_iter((json_t *)(uintptr_t)value);

	for (; at; at = json_object_iter_next((json_t *)(uintptr_t)value, at)) {
		if (!is_text(json_object_iter_value(at)))
			return false;
	}
	return json_is_object(value);
}

static const struct batch_key request_keys[] = {
	{ "script", is_bytes, "a text" },
	{ "args", is_texts, "a list of texts without NUL" },
	{ "name", is_text, "a text without NUL" },
	{ "cwd", is_text, "a text without NUL" },
	{ "env", is_named_texts, "an object of texts without NUL" },
	{ "stdin", is_bytes, "a text, or {\"b64\": ...}" },
	{ "read", is_paths, "a list of paths" },
	{ "limits", is_object, "an object" },
	{ "files", is_object, "an object" },
	{ NULL, NULL, NULL }
};

static const struct batch_key file_keys[] = {
	{ "content", is_string, "a text" },
	{ "b64", is_string, "a text" },
	{ "dir", is_boolean, "true or false" },
	{ "link", is_text, "a text without NUL" },
	{ "mode", is_mode, "a number from 0 to 4095 (JSON has no octal)" },
	{ "mtime", is_number, "a number of seconds" },
	{ NULL, NULL, NULL }
};

static char *say(const char *fmt, ...) TSB_PRINTF(1, 2);
static char *say(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = strdup("no memory");
	va_end(ap);
	return text;
}

/* null is a key that is not there. */
static void drop_nulls(json_t *object)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(object, next, key, value) {
		if (json_is_null(value))
			json_object_del(object, key);
	}
}

/* where: before the key in a sentence. */
static char *check(json_t *object, const struct batch_key *keys, const char *where, const char *of)
{
	const char *key;
	json_t *value;

	drop_nulls(object);
	json_object_foreach(object, key, value) {
		const struct batch_key *k = keys;

		while (k->name && strcmp(k->name, key))
			k++;
		if (!k->name)
			return say("%s%s: there is no such key in a %s", where, key, of);
		if (!k->is(value))
			return say("%s%s: must be %s", where, key, k->what);
	}
	return NULL;
}

/* A file has one kind. */
static char *check_file(const char *path, json_t *file)
{
	static const char *const kinds[] = { "content", "b64", "link" };
	char *where = say("files: %s: ", path), *why = check(file, file_keys, where, "file");
	int n = json_is_true(json_object_get(file, "dir"));

	free(where);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		n += json_object_get(file, kinds[i]) != NULL;
	if (!why && n != 1)
		why = say("files: %s: needs one of content, b64, dir and link", path);
	return why;
}

char *batch_check(json_t *request)
{
	char *why = check(request, request_keys, "", "request");
	const char *key;
	json_t *value;

	if (why)
		return why;
	json_object_foreach(json_object_get(request, "env"), key, value) {
		if (!*key || strchr(key, '='))
			return say("env: '%s' is no name", key);
	}
	json_object_foreach(json_object_get(request, "files"), key, value) {
		if (json_is_string(value))
			continue;
		why = json_is_object(value) ? check_file(key, value) :
		      say("files: %s: neither text nor base64", key);
		if (why)
			return why;
	}
	return NULL;
}
