/* The conformance suite on the memory filesystem, bare and under a shim. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>

#include "vfs/shim.h"

static struct tsb_fs *make_mem(void *ctx, const struct tsb_mem_options *quota)
{
	(void)ctx;
	return tsb_mem_new(quota);
}

static struct tsb_fs *make_shim(void *ctx, const struct tsb_mem_options *quota)
{
	(void)ctx;
	return shim_new(tsb_mem_new(quota), NULL, NULL);
}

static int checks, failures;

static void report(void *ctx, int good, const char *name, const char *detail)
{
	(void)ctx;
	failures += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++checks, name);
	if (!good && detail)
		printf("# %s\n", detail);
}

int main(void)
{
	tsb_conformance(make_mem, NULL, 0, report);
	tsb_conformance(make_shim, NULL, 0, report);
	printf("1..%d\n", checks);
	return failures != 0;
}
