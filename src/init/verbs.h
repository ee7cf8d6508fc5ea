/*
 * What `tinybox-init` does: one function a verb, each returns the exit status.
 */
#ifndef INIT_VERBS_H
#define INIT_VERBS_H

#include "wire/wire.h"

/* Where main's words are, for verb_forget(). */
void verb_words(int argc, char **argv);
/* Process 1's command line tells those inside nothing about the host. */
void verb_forget(void);
int verb_serve(void);
int verb_connect(const char *dir);
int verb_host(void);

/*
 * Starts a box's server from START's fields; its answer, OK or ERROR, is written to `answer`
 * (a descriptor that the server does not keep). Returns true when the server runs.
 */
bool serve_start(struct wire_iter fields, int answer);

/* The socket of the box in DIR, whatever the length of its name; -1: errno. */
int socket_connect(const char *dir);
/* Bytes both ways between a pair of descriptors and a socket until both have ended. */
int relay(int in, int out, int socket);

/* One frame from a blocking descriptor; false: end, or `in->error`. */
bool read_frame(int fd, struct wire_in *in, struct wire_frame *f);
/* sends and empties it */
bool send_frames(int fd, struct wire_out *o);

#endif
