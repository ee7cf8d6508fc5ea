/*
 * Files that the host holds open, and its changes of names and modes: results as Linux's calls give them.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <tinysandbox/sandbox.h>

#include "tap.h"

static void streams(struct tsb_sandbox *box)
{
	struct tsb_stream *s, *again;
	struct tsb_stat st;
	char buf[16];

	ok(tsb_stream_open(box, "/tmp/none", false, 0, &s) == TSB_ERR_FILE && !s, "no such file");
	ok(tsb_errno(box) == ENOENT, "its errno");
	ok(tsb_stream_open(box, "/tmp", false, 0, &s) == TSB_ERR_FILE && tsb_errno(box) == EISDIR,
	   "a directory");
	ok(tsb_stream_open(box, "/dev/zero", false, 0, &s) == TSB_ERR_FILE, "a device");
	ok(tsb_stream_open(box, NULL, false, 0, &s) == TSB_ERR_ARGUMENT, "no name");
	ok(!tsb_stream_open(box, "/tmp/f", true, 0640, &s), "a new file");
	ok(tsb_stream_open(box, "/tmp/f", true, 0640, &again) == TSB_ERR_FILE &&
	   tsb_errno(box) == EEXIST, "which is there now");
	ok(!tsb_stream_write(s, "hello world", 11, 0) && !tsb_stream_write(s, "W", 1, 6), "writes");
	ok(!tsb_stream_stat(s, &st) && st.size == 11 && (st.mode & 07777) == 0640, "its size and mode");
	ok(!tsb_stream_close(s), "close");
	ok(!tsb_stream_open(box, "/tmp/f", false, 0, &s), "again, for reading");
	ok(tsb_stream_read(s, buf, sizeof(buf), 6) == 5 && !memcmp(buf, "World", 5), "a part of it");
	ok(tsb_stream_read(s, buf, sizeof(buf), 11) == 0, "its end");
	ok(tsb_stream_write(s, "x", 1, 0) < 0, "it is not for writing");
	tsb_stream_close(s);
	ok(!tsb_stream_close(NULL), "none is fine");
}

static void names(struct tsb_sandbox *box)
{
	struct tsb_stat st;

	tsb_make_dir(box, "/tmp/d/e", 0755);
	ok(tsb_remove_dir(box, "/tmp/d") == TSB_ERR_FILE && tsb_errno(box) == ENOTEMPTY, "not empty");
	ok(!tsb_remove_dir(box, "/tmp/d/e") && !tsb_remove_dir(box, "/tmp/d"), "empty directories go");
	ok(tsb_remove_dir(box, "/tmp/f") == TSB_ERR_FILE && tsb_errno(box) == ENOTDIR, "a file does not");
	ok(!tsb_rename_file(box, "/tmp/f", "/tmp/g"), "rename");
	ok(tsb_rename_file(box, "/tmp/f", "/tmp/h") == TSB_ERR_FILE && tsb_errno(box) == ENOENT,
	   "the old name is gone");
	ok(tsb_rename_file(box, "/tmp/g", "/none/h") == TSB_ERR_FILE, "no such directory");
	ok(!tsb_set_mode(box, "/tmp/g", 0700), "a mode");
	ok(!tsb_stat_file(box, "/tmp/g", &st) && (st.mode & 07777) == 0700, "it is that");
	ok(tsb_set_mode(box, "/tmp/none", 0700) == TSB_ERR_FILE, "of nothing");
	tsb_make_link(box, "g", "/tmp/l");
	ok(!tsb_stat_file(box, "/tmp/l", &st) && S_ISLNK(st.mode), "a link by itself");
	ok(!tsb_stat_target(box, "/tmp/l", &st) && S_ISREG(st.mode), "and what it leads to");
	ok(tsb_stat_target(box, "/tmp/none", &st) == TSB_ERR_FILE, "nothing");
}

int main(void)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_sandbox *box;

	if (tsb_sandbox_open(&box, &opt))
		return 1;
	streams(box);
	names(box);
	tsb_sandbox_close(box);
	return done();
}
