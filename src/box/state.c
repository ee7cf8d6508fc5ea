/*
 * A change of a box's state where the disk is full: a box must be stopped all the same. The record cannot be
 * written then; a link in its directory, which takes no block, says the state of that very record: what is written later
 * has another time, and the link is void.
 */
#include "box/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE "state"

/* "@SECONDS.NANOSECONDS" of the record as it is. */
static bool record_time(const struct bx *b, char text[64])
{
	struct stat st;

	return !fstatat(b->dir, "record.json", &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       snprintf(text, 64, "@%lld.%09ld", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec) < 64;
}

int bx_change_state(struct bx *b, const char *state)
{
	int status = bx_set_state(b, state), error = errno;
	char time[64], note[96];

	if (!status || (error != ENOSPC && error != EDQUOT) || !record_time(b, time))
		return status;
	snprintf(note, sizeof(note), "%.16s%s", state, time);
	unlinkat(b->dir, NOTE, 0);
	return symlinkat(note, b->dir, NOTE) ? status : TBX_OK;
}

void bx_read_note(struct bx *b)
{
	char note[96], time[64], *at;
	ssize_t n = readlinkat(b->dir, NOTE, note, sizeof(note) - 1);

	if (n <= 0)
		return;
	note[n] = '\0';
	at = strchr(note, '@');
	if (!at || !record_time(b, time) || strcmp(at, time))
		return;
	*at = '\0';
	if (bx_is_state(note))
		json_object_set_new(b->record, "state", json_string(note));
}
