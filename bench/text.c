/*
 * text BYTES: log-like lines, seeded: words by Zipf, numbers, paths, some phone
 * numbers; the same bytes each time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

static uint32_t next(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 33) % below;
}

static int word(char *p)
{
	static const char *const syllables[] = { "ta", "ri", "no", "ble", "con", "ver", "st", "er",
						 "mo", "qua", "in", "de", "lor", "sum", "ip", "ex" };
	uint32_t rank = next(1000), n;
	uint64_t h;

	/* Squared: low ranks are frequent. */
	rank = rank * rank / 1000;
	h = rank * 2654435761u + 12345;
	n = (uint32_t)(h % 3) + 1;
	int len = 0;
	for (uint32_t i = 0; i < n; i++, h /= 16)
		len += sprintf(p + len, "%s", syllables[h % 16]);
	return len;
}

int main(int argc, char **argv)
{
	long long left = argc > 1 ? atoll(argv[1]) : 1000000;
	char line[512];

	for (unsigned long n = 0; left > 0; n++) {
		int len = sprintf(line, "%08lu\t%s-%u\t", n * 7919 % 100000000,
				  next(50) ? "info" : "Error", next(1000));

		for (uint32_t i = 0, words = 4 + next(8); i < words; i++) {
			len += word(line + len);
			line[len++] = ' ';
		}
		if (next(20) == 0)
			len += sprintf(line + len, "call 555-%04u ", next(10000));
		len += sprintf(line + len, "/srv/data/%u/file%u.txt\n", next(100), next(10000));
		if (len > left) {
			len = (int)left;
			line[len - 1] = '\n';
		}
		fwrite(line, 1, (size_t)len, stdout);
		left -= len;
	}
	return 0;
}
