/*
 * Documents: JSON with a reader by path, and the small words that make it.
 */
#include "box/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

int bx_doc(struct tbx_store *store, json_t *root, struct tbx_doc **out)
{
	struct tbx_doc *doc = root ? malloc(sizeof(*doc)) : NULL;

	if (!doc) {
		json_decref(root);
		return bx_memory(store);
	}
	doc->root = root;
	*out = doc;
	return TBX_OK;
}

void tbx_doc_free(struct tbx_doc *doc)
{
	if (doc)
		json_decref(doc->root);
	free(doc);
}

char *tbx_doc_json(const struct tbx_doc *doc, bool pretty)
{
	return json_dumps(doc->root, pretty ? JSON_INDENT(2) : JSON_COMPACT);
}

/* One step of a path: "name" or "[3]"; *path moves behind it. */
static const json_t *bx_step_into(const json_t *at, const char **path)
{
	const char *p = *path;
	size_t n, index = 0;
	char name[64];

	if (*p == '[') {
		for (p++; *p >= '0' && *p <= '9' && index < 1000000; p++)
			index = index * 10 + (size_t)(*p - '0');
		*path = *p == ']' ? p + 1 : p;
		return json_array_get(at, index);
	}
	p += *p == '.';
	n = strcspn(p, ".[");
	*path = p + n;
	if (!n || n >= sizeof(name))
		return NULL;
	memcpy(name, p, n);
	name[n] = '\0';
	return json_object_get(at, name);
}

const json_t *bx_at(const json_t *root, const char *path)
{
	while (root && *path)
		root = bx_step_into(root, &path);
	return root;
}

const char *tbx_doc_text(const struct tbx_doc *doc, const char *path)
{
	return json_string_value(bx_at(doc->root, path));
}

int64_t tbx_doc_number(const struct tbx_doc *doc, const char *path, int64_t otherwise)
{
	const json_t *value = bx_at(doc->root, path);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

bool tbx_doc_true(const struct tbx_doc *doc, const char *path)
{
	return json_is_true(bx_at(doc->root, path));
}

size_t tbx_doc_count(const struct tbx_doc *doc, const char *path)
{
	const json_t *value = bx_at(doc->root, path);

	return json_is_array(value) ? json_array_size(value) : 0;
}

bool bx_is_utf8(const char *s, size_t n)
{
	return utf8_valid(s, n) && !memchr(s, 0, n);
}

json_t *bx_json_bytes(const char *s, size_t n)
{
	json_t *object, *value;
	char *hex;

	if (bx_is_utf8(s, n))
		return json_stringn(s, n);
	hex = bx_hex(s, n);
	object = json_object();
	value = hex ? json_string(hex) : NULL;
	free(hex);
	if (value && !json_object_set_new(object, "hex", value))
		return object;
	json_decref(object);
	return NULL;
}

json_t *bx_json_text(const char *s)
{
	return s ? bx_json_bytes(s, strlen(s)) : json_null();
}

json_t *bx_json_list(const char *const *list)
{
	json_t *array = json_array();

	for (size_t i = 0; list && list[i]; i++)
		json_array_append_new(array, bx_json_text(list[i]));
	return array;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *bx_unhex(const char *hex)
{
	size_t n = strlen(hex) / 2;
	char *s = malloc(n + 1);

	for (size_t i = 0; s && i < n; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0 || !(high | low)) {
			free(s);
			return NULL;
		}
		s[i] = (char)(high << 4 | low);
	}
	if (s)
		s[n] = '\0';
	return s;
}

char *bx_json_copy(const json_t *value)
{
	const char *hex = json_string_value(json_object_get(value, "hex"));

	if (hex)
		return bx_unhex(hex);
	return json_is_string(value) ? strdup(json_string_value(value)) : NULL;
}

void bx_put(json_t *object, const char *name, json_t *value)
{
	if (value && !json_is_null(value))
		json_object_set(object, name, value);
	json_decref(value);
}

/* JSON's integers have a sign here; what is larger than they are is told as the largest. */
void bx_put_number(json_t *object, const char *name, uint64_t n)
{
	json_object_set_new(object, name, json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n));
}

const char *bx_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

uint64_t bx_number(const json_t *object, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(object, name));

	return n > 0 ? (uint64_t)n : 0;
}
