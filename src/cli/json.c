/*
 * See json.h. A byte that is no UTF-8 comes from Python as the escape of a lone
 * surrogate, which jansson rightly refuses. So before parsing such an escape
 * becomes a character of the last private-use page (U+10FF00 + byte), and
 * json_bytes() turns it back; a text that holds that page itself is refused.
 */
#include "cli/json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"

static int hex4(const char *p)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef", *d;
		char c = p[i] >= 'A' && p[i] <= 'F' ? (char)(p[i] + 32) : p[i];

		d = c ? strchr(digits, c) : NULL;
		if (!d)
			return -1;
		value = value * 16 + (int)(d - digits);
	}
	return value;
}

/* U+10FF80 .. U+10FFFF are F4 8F BE 80 .. F4 8F BF BF. */
static size_t put_private(char *to, int byte)
{
	to[0] = (char)0xf4;
	to[1] = (char)0x8f;
	to[2] = (char)(byte < 0xc0 ? 0xbe : 0xbf);
	to[3] = (char)(0x80 | (byte & 0x3f));
	return 4;
}

/* The text with lone low surrogates replaced; malloc. */
static char *replace_surrogates(const char *p, size_t n, size_t *out_n, bool *replaced)
{
	char *out = malloc(n + 1);
	size_t k = 0;
	bool pair = false;	/* the escape before was a high surrogate */

	for (size_t i = 0; out && i < n;) {
		int code = -1;

		if (p[i] == '\\' && i + 6 <= n && p[i + 1] == 'u')
			code = hex4(p + i + 2);
		if (code >= 0xdc80 && code <= 0xdcff && !pair) {
			k += put_private(out + k, code & 0xff);
			*replaced = true;
			i += 6;
			continue;
		}
		pair = code >= 0xd800 && code <= 0xdbff;
		for (int rest = code >= 0 ? 6 : p[i] == '\\' && i + 1 < n ? 2 : 1; rest; rest--)
			out[k++] = p[i++];
	}
	if (out)
		out[k] = '\0';
	*out_n = k;
	return out;
}

json_t *json_parse_line(const char *line, size_t n, char **why)
{
	bool replaced = false;
	json_error_t error;
	json_t *value;
	size_t text_n;
	char *text;

	*why = NULL;
	text = replace_surrogates(line, n, &text_n, &replaced);
	if (replaced && (memmem(line, n, "\xf4\x8f\xbe", 3) || memmem(line, n, "\xf4\x8f\xbf", 3))) {
		free(text);
		*why = strdup("lone surrogates beside private-use characters");
		return NULL;
	}
	value = text ? json_loadb(text, text_n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error) : NULL;
	if (!value && asprintf(why, "bad JSON at byte %d: %s", text ? error.position : 0,
			       text ? error.text : "no memory") < 0)
		*why = NULL;
	free(text);
	return value;
}

static size_t restore_bytes(char *p, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n;) {
		if (i + 4 <= n && !memcmp(p + i, "\xf4\x8f", 2) && ((unsigned char)p[i + 2] & 0xfe) == 0xbe) {
			p[k++] = (char)(((unsigned char)p[i + 2] == 0xbe ? 0x80 : 0xc0) |
					((unsigned char)p[i + 3] & 0x3f));
			i += 4;
		} else {
			p[k++] = p[i++];
		}
	}
	p[k] = '\0';
	return k;
}

/* ---- base64 ---- */

static char *base64_encode(const unsigned char *p, size_t n)
{
	char *out = malloc(n / 3 * 4 + 5), *o = out;

	for (size_t i = 0; out && i < n; i += 3, o += 4)
		letters_encode(&letters_64, p + i, n - i < 3 ? n - i : 3, o);
	if (out)
		*o = '\0';
	return out;
}

static char *base64_decode(const char *p, size_t n, size_t *out_n)
{
	char *out = malloc(n / 4 * 3 + 4);
	signed char values[256];
	size_t got;
	bool ok = true;

	*out_n = 0;
	letters_values(&letters_64, values);
	for (size_t i = 0; out && ok && i < n; i += 4, *out_n += got)
		ok = letters_decode(&letters_64, values, (const unsigned char *)p + i,
				    n - i < 4 ? n - i : 4, out + *out_n, &got);
	if (!ok) {
		free(out);
		return NULL;
	}
	if (out)
		out[*out_n] = '\0';
	return out;
}

/* ---- Values ---- */

char *json_bytes(const json_t *value, size_t *n)
{
	const json_t *b64 = json_object_get(value, "b64");
	char *copy;

	if (json_is_string(b64))
		return base64_decode(json_string_value(b64), json_string_length(b64), n);
	if (!json_is_string(value))
		return NULL;
	*n = json_string_length(value);
	copy = malloc(*n + 1);
	if (!copy)
		return NULL;
	memcpy(copy, json_string_value(value), *n);
	copy[*n] = '\0';
	*n = restore_bytes(copy, *n);
	return copy;
}

static json_t *base64_value(const void *data, size_t n)
{
	char *text = base64_encode(data, n);
	json_t *value = text ? json_string(text) : NULL;

	free(text);
	return value;
}

json_t *json_value_of(const void *data, size_t n)
{
	json_t *text = json_stringn(data, n);

	return text ? text : json_pack("{s:o}", "b64", base64_value(data, n));
}

/* Sets NAME to text, or NAME_b64. */
static void json_put_bytes(json_t *object, const char *name, const void *data, size_t n)
{
	json_t *text = json_stringn(data, n);
	char key[64];

	if (text) {
		json_object_set_new(object, name, text);
		return;
	}
	snprintf(key, sizeof(key), "%s_b64", name);
	json_object_set_new(object, key, base64_value(data, n));
}

static const char *stop_name(enum tsb_stop stop)
{
	switch (stop) {
	case TSB_STOP_NONE: return NULL;
	case TSB_STOP_TIME: return "time";
	case TSB_STOP_COMMANDS: return "commands";
	case TSB_STOP_MEMORY: return "memory";
	case TSB_STOP_CANCEL: return "cancel";
	}
	return NULL;
}

static json_t *ms(uint64_t ns)
{
	return json_real((double)ns / 1e6);
}

static json_t *command_list(const struct tsb_result *r)
{
	const struct tsb_command_record *at;
	size_t n = tsb_result_commands(r, &at);
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *row = json_object();

		json_put_bytes(row, "name", at[i].name, strlen(at[i].name));
		json_object_set_new(row, "pid", json_integer(at[i].pid));
		json_object_set_new(row, "start_ms", ms(at[i].start_ns));
		json_object_set_new(row, "wall_ms", ms(at[i].wall_ns));
		json_object_set_new(row, "status", json_integer(at[i].status));
		json_array_append_new(list, row);
	}
	return list;
}

json_t *json_result(const struct tsb_result *r)
{
	json_t *object = json_object(), *pipes = json_array();
	const char *stop = stop_name(tsb_result_stop(r)), *limit = tsb_result_limit(r), *text;
	const uint64_t *bytes;
	size_t n;

	json_object_set_new(object, "status", json_integer(tsb_result_status(r)));
	text = tsb_result_out(r, &n);
	json_put_bytes(object, "stdout", text, n);
	text = tsb_result_err(r, &n);
	json_put_bytes(object, "stderr", text, n);
	json_object_set_new(object, "stop", stop ? json_string(stop) : json_null());
	json_object_set_new(object, "limit", limit ? json_string(limit) : json_null());
	json_object_set_new(object, "stdout_truncated", json_boolean(tsb_result_out_truncated(r)));
	json_object_set_new(object, "stderr_truncated", json_boolean(tsb_result_err_truncated(r)));
	json_object_set_new(object, "wall_ms", ms(tsb_result_wall_ns(r)));
	json_object_set_new(object, "memory_peak", json_integer((json_int_t)tsb_result_memory_peak(r)));
	json_object_set_new(object, "commands", command_list(r));
	n = tsb_result_pipes(r, &bytes);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(pipes, json_integer((json_int_t)bytes[i]));
	json_object_set_new(object, "pipe_bytes", pipes);
	return object;
}
