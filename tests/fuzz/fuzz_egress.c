/*
 * What a box says to the proxy in its keeper, and what getent could print: any bytes, given in pieces. It
 * must end, stay in its buffers, and use no more than there is.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "init/egress_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ask(const char *data, size_t n)
{
	char answer[512], clean[EG_NAME_MAX + 1];
	enum eg_more m = EG_MORE;
	struct eg_ask a;

	memset(&a, 0, sizeof(a));
	for (size_t i = 1; m == EG_MORE; i = i + 1 + i / 8 < n ? i + 1 + i / 8 : n) {
		char *part = malloc(i);

		memcpy(part, data, i);
		m = eg_ask_read(&a, part, i);
		free(part);
		if (i >= n)
			break;
	}
	if (m == EG_DONE) {
		if (a.used > n || a.head_size > n + 512 || a.name_size > 255)
			abort();
		eg_name_clean(clean, a.name, a.name_size);
	}
	eg_ask_answer(&a, NULL, answer, sizeof(answer));
	eg_ask_answer(&a, "why", answer, sizeof(answer));
	free(a.head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct eg_resolver r = {.size = n < sizeof(r.text) - 1 ? n : sizeof(r.text) - 1};
	struct in6_addr ip[EG_ADDRESSES];
	struct eg_rule rule;
	char *text;

	if (!n || n > EG_REQUEST_MAX)
		return 0;
	ask((const char *)data, n);
	memcpy(r.text, data, r.size);
	eg_resolve_addresses(&r, ip, EG_ADDRESSES);
	text = malloc(n + 1);
	memcpy(text, data, n);
	text[n] = 0;
	eg_rule_read(&rule, text);
	free(text);
	return 0;
}
