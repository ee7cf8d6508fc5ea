/*
 * Quick start: open a sandbox, put a file in, run a script, read what it made.
 *
 *	cc quick_start.c -ltinysandbox
 */
#include <stdio.h>
#include <stdlib.h>

#include <tinysandbox/sandbox.h>

int main(void)
{
	struct tsb_sandbox *box;
	struct tsb_result *result;
	void *data;
	size_t n;

	if (tsb_sandbox_open(&box, NULL))
		return 1;
	tsb_write_file(box, "/home/user/fruit.txt", "pear\napple\nfig\napple\n", 21, 0);
	if (tsb_run(box, "sort fruit.txt | uniq -c > count.txt\n"
			 "echo \"$(wc -l < count.txt) kinds\"; ls /nowhere", NULL, &result)) {
		fprintf(stderr, "%s\n", tsb_error(box));
		return 1;
	}
	printf("status %d\n", tsb_result_status(result));
	printf("out: %s", tsb_result_out(result, NULL));
	printf("err: %s", tsb_result_err(result, NULL));
	tsb_result_free(result);
	if (!tsb_read_file(box, "/home/user/count.txt", &data, &n))
		fwrite(data, 1, n, stdout);
	free(data);
	tsb_sandbox_close(box);
	return 0;
}
