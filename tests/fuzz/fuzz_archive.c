/*
 * Any bytes as a snapshot: refused whole, or loaded whole. A correct head is put
 * in front, so that the records are reached.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tinysandbox/sandbox.h>

struct input {
	const uint8_t *p;
	size_t n, at;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static ssize_t read_some(void *ctx, void *buf, size_t n)
{
	static const char head[] = "tinysandbox snapshot 1\n";
	struct input *in = ctx;
	size_t total = sizeof(head) - 1 + in->n, k = 0;

	for (; k < n && in->at < total; in->at++)
		((char *)buf)[k++] = in->at < sizeof(head) - 1 ? head[in->at]
							       : (char)in->p[in->at - sizeof(head) + 1];
	return (ssize_t)k;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct input in = { data, n, 0 };
	struct tsb_sandbox *box;

	if (tsb_sandbox_open(&box, NULL))
		abort();
	tsb_load(box, read_some, &in);
	tsb_sandbox_close(box);
	return 0;
}
