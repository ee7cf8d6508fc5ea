/*
 * Signals by name and number, as operands give them: "TERM", "SIGTERM", "15".
 */
#ifndef CMD_SIG_H
#define CMD_SIG_H

/* -1: no signal. A number may be one that a shell shows as a status (143). */
int sig_parse(const char *s);
/* "TERM"; NULL: no signal. buf has 16 bytes. */
const char *sig_name(int sig, char *buf);

#endif
