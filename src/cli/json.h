/*
 * JSON for results, requests and files, on jansson. Bytes that are no UTF-8
 * travel as base64 under NAME_b64 (or {"b64": ...}).
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stddef.h>

#include <tinysandbox/sandbox.h>

/* A text line to a value; escapes of lone surrogates \udc80 .. \udcff, by which
 * Python writes single bytes, become those bytes: read strings with
 * json_bytes(). NULL and *why on bad JSON (free it). */
json_t *json_parse_line(const char *line, size_t n, char **why);
/* A string or {"b64": ...} as bytes; malloc, NUL behind. NULL: it is neither. */
char *json_bytes(const json_t *value, size_t *n);
/* The bytes as a value by itself: "text" or {"b64": ...}. */
json_t *json_value_of(const void *data, size_t n);
/* status, stdout, stderr, stop, limit, truncation, times, commands, pipes. */
json_t *json_result(const struct tsb_result *r);

#endif
