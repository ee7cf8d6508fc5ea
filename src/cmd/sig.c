/*
 * Linux's signals. The real-time ones are named from the nearer end of their
 * range: RTMIN+1, RTMAX-1.
 */
#include "cmd/sig.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SIG_RTMIN = 34, SIG_RTMAX = 64 };

static const char sig_names[32][8] = {
	"EXIT", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
	"USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU",
	"URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS",
};

const char *sig_name(int sig, char *buf)
{
	int middle = (SIG_RTMIN + SIG_RTMAX) / 2;

	if (sig >= 0 && sig < 32)
		return sig_names[sig];
	if (sig < SIG_RTMIN || sig > SIG_RTMAX)
		return NULL;
	if (sig <= middle)
		snprintf(buf, 16, sig == SIG_RTMIN ? "RTMIN" : "RTMIN+%d", sig - SIG_RTMIN);
	else
		snprintf(buf, 16, sig == SIG_RTMAX ? "RTMAX" : "RTMAX-%d", SIG_RTMAX - sig);
	return buf;
}

static int sig_number(const char *s)
{
	char *end;
	long v = strtol(s, &end, 10);

	if (*end || v < 0 || v > INT_MAX)
		return -1;
	/* The low bits of a status of a shell or of wait(2). */
	v &= v >= 128 && v < 256 ? 127 : 255;
	return v > SIG_RTMAX || v == 32 || v == 33 ? -1 : (int)v;	/* those two are libc's */
}

static int sig_realtime(const char *s)
{
	int base = !strncasecmp(s, "RTMIN", 5) ? SIG_RTMIN : !strncasecmp(s, "RTMAX", 5) ? SIG_RTMAX : 0;
	long offset;
	char *end;

	if (!base)
		return -1;
	offset = strtol(s + 5, &end, 10);
	if (*end || base + offset < SIG_RTMIN || base + offset > SIG_RTMAX)
		return -1;
	return base + (int)offset;
}

int sig_parse(const char *s)
{
	if (isdigit((unsigned char)*s))
		return sig_number(s);
	if (!strncasecmp(s, "SIG", 3))
		s += 3;
	for (int i = 0; i < 32; i++)
		if (!strcasecmp(s, sig_names[i]))
			return i;
	if (!strcasecmp(s, "IOT"))
		return 6;
	if (!strcasecmp(s, "CLD"))
		return 17;
	return !strcasecmp(s, "IO") ? 29 : sig_realtime(s);
}
