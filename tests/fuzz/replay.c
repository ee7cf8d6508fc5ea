/*
 * A fuzz target without libFuzzer: gives it every input of a corpus file, which is
 * gzip of inputs, each behind its length as four bytes (little end first), as
 * tests/fuzz/corpus.py packs them. TAP: one test, for what fails ends the process.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { INPUT_MAX = 1 << 20 };

static uint8_t *replay_read(gzFile f, size_t *n)
{
	uint8_t head[4], *data;
	int got = gzread(f, head, sizeof(head));

	if (got != sizeof(head)) {
		*n = got ? SIZE_MAX : 0;
		return NULL;
	}
	*n = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
	/* malloc, of this length: a sanitizer sees what reads behind it */
	data = *n <= INPUT_MAX ? malloc(*n ? *n : 1) : NULL;
	if (!data || gzread(f, data, (unsigned)*n) != (int)*n) {
		free(data);
		*n = SIZE_MAX;
		return NULL;
	}
	return data;
}

int main(int argc, char **argv)
{
	gzFile f = argc == 2 ? gzopen(argv[1], "rb") : NULL;
	unsigned done = 0;
	uint8_t *data;
	size_t n;

	if (!f) {
		printf("Bail out! no corpus\n");
		return 1;
	}
	while ((data = replay_read(f, &n))) {
		LLVMFuzzerTestOneInput(data, n);
		free(data);
		done++;
	}
	gzclose(f);
	if (n || !done) {
		printf("Bail out! a damaged corpus, behind input %u\n", done);
		return 1;
	}
	printf("ok 1 - %u inputs\n1..1\n", done);
	return 0;
}
