/* Prints the probes, tab-separated: for the tests of the wall, and to look at. */
#include <stdio.h>

#include "init/probe.h"

int main(void)
{
	static const char *const word[] = {"ok", "limited", "missing"};
	static struct probe p[PROBE_MAX];
	size_t n = probe_all(p);

	for (size_t i = 0; i < n; i++)
		printf("%s\t%s\t%s\t%s\n", p[i].name, word[p[i].state], p[i].text, p[i].fix);
	return 0;
}
