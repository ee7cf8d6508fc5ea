/*
 * The half of <tinysandbox/js.h> that callbacks use: filling in the answer to a
 * call. It is made outside of the sandbox's memory, because a callback runs on
 * the host's side, and bounded by the limit of the call.
 */
#include "guest/offer.h"

#include <stdlib.h>
#include <string.h>

#include <tinysandbox/sandbox.h>

static void text_clear(struct tsb_js_call *call, struct offer_text *t)
{
	call->left += t->n;
	t->n = 0;
}

static int text_add(struct tsb_js_call *call, struct offer_text *t, const void *data, size_t n)
{
	if (n > call->left) {
		call->too_large = true;
		return TSB_ERR_MEMORY;
	}
	if (n > t->cap - t->n) {
		size_t cap = t->n + n > t->cap * 2 ? t->n + n : t->cap * 2;
		char *at = realloc(t->at, cap);

		if (!at) {
			call->too_large = true;
			return TSB_ERR_MEMORY;
		}
		t->at = at;
		t->cap = cap;
	}
	if (n)
		memcpy(t->at + t->n, data, n);
	t->n += n;
	call->left -= n;
	return TSB_OK;
}

static int text_add_string(struct tsb_js_call *call, struct offer_text *t, const char *s)
{
	return text_add(call, t, s, strlen(s) + 1);
}

static void answer_begin(struct tsb_js_call *call, enum offer_answer answer)
{
	text_clear(call, &call->head);
	text_clear(call, &call->body);
	call->answer = answer;
	call->status = 0;
}

void offer_call_end(struct tsb_js_call *call)
{
	free(call->head.at);
	free(call->body.at);
	memset(call, 0, sizeof(*call));
}

const char *tsb_js_arguments(const struct tsb_js_call *call, size_t *n)
{
	if (n)
		*n = call->arguments_n;
	return call->arguments;
}

int tsb_js_return(struct tsb_js_call *call, const char *json, size_t n)
{
	if (!call || !json)
		return TSB_ERR_ARGUMENT;
	answer_begin(call, OFFER_VALUE);
	return text_add(call, &call->body, json, n);
}

int tsb_js_throw(struct tsb_js_call *call, const char *code, const char *message)
{
	int rc;

	if (!call || !message)
		return TSB_ERR_ARGUMENT;
	answer_begin(call, OFFER_ERROR);
	rc = text_add_string(call, &call->head, code ? code : "");
	return rc ? rc : text_add(call, &call->body, message, strlen(message));
}

/* ---- fetch ---- */

static bool is_token(const char *s)
{
	static const char extra[] = "!#$%&'*+-.^_`|~";

	for (const char *p = s; *p; p++) {
		bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');

		if (!letter && !(*p >= '0' && *p <= '9') && !strchr(extra, *p))
			return false;
	}
	return *s != '\0';
}

int tsb_js_status(struct tsb_js_call *call, int status, const char *text)
{
	if (!call || status < 200 || status > 599 || (text && strpbrk(text, "\r\n")))
		return TSB_ERR_ARGUMENT;
	answer_begin(call, OFFER_VALUE);
	call->status = status;
	return text_add_string(call, &call->head, text ? text : "");
}

int tsb_js_header(struct tsb_js_call *call, const char *name, const char *value)
{
	int rc;

	if (!call || !call->status || !name || !value || !is_token(name) || strpbrk(value, "\r\n"))
		return TSB_ERR_ARGUMENT;
	rc = text_add_string(call, &call->head, name);
	return rc ? rc : text_add_string(call, &call->head, value);
}

int tsb_js_body(struct tsb_js_call *call, const void *data, size_t n)
{
	if (!call || !call->status || (!data && n))
		return TSB_ERR_ARGUMENT;
	return text_add(call, &call->body, data, n);
}
