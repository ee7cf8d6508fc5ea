/* The host's calls on files: what they do, and what they say when they cannot. */
#include "box.h"

struct listed {
	char text[256];
	int stop_at, n;
};

static int list_one(void *ctx, const char *name, const struct tsb_stat *st)
{
	struct listed *l = ctx;

	snprintf(l->text + strlen(l->text), sizeof(l->text) - strlen(l->text), "%s%s ", name,
		 S_ISDIR(st->mode) ? "/" : S_ISLNK(st->mode) ? "@" : "");
	return ++l->n == l->stop_at;
}

static void written_and_read(struct tsb_sandbox *box)
{
	void *data = NULL;
	struct tsb_stat st;
	char big[10000];
	size_t n = 0;

	is_int(tsb_write_file(box, "/home/user/a/b/f", "text\n", 5, 0), TSB_OK, "parents are made");
	says(box, "cat a/b/f; stat -c '%a %U' a/b/f a a/b", "text\n644 user\n755 user\n755 user\n");
	is_int(tsb_write_file(box, "/home/user/run", "echo ran", 8, 0755), TSB_OK, "with a mode");
	says(box, "./run", "ran\n");
	memset(big, 'x', sizeof(big));
	is_int(tsb_write_file(box, "/home//user/big", big, sizeof(big), 0), TSB_OK, "longer ones");
	is_int(tsb_read_file(box, "/home/user/big", &data, &n), TSB_OK, "reads");
	ok(data && n == sizeof(big) && !memcmp(data, big, n) && !((char *)data)[n], "all of it");
	free(data);
	is_int(tsb_write_file(box, "/home/user/big", "", 0, 0), TSB_OK, "empties");
	is_int(tsb_read_file(box, "/home/user/big", &data, &n), TSB_OK, "reads nothing");
	ok(data && n == 0, "an empty text");
	free(data);
	is_int(tsb_stat_file(box, "/home/user/run", &st), TSB_OK, "stat");
	ok(S_ISREG(st.mode) && (st.mode & 0777) == 0755 && st.size == 8, "what it is");
	is_int(tsb_set_times(box, "/home/user/run", (struct tsb_time){ 1000000000, 0 }), TSB_OK, "times");
	says(box, "TZ=UTC stat -c %y run", "2001-09-09 01:46:40.000000000 +0000\n");
}

static void links_and_folders(struct tsb_sandbox *box)
{
	struct listed l = { .n = 0 };
	char target[16] = "";
	size_t n = 0;

	is_int(tsb_make_dir(box, "/home/user/d/e", 0700), TSB_OK, "folders");
	is_int(tsb_make_dir(box, "/home/user/d/e", 0), TSB_OK, "which may be there");
	says(box, "stat -c %a d d/e", "755\n700\n");
	is_int(tsb_make_link(box, "../run", "/home/user/d/l"), TSB_OK, "a link");
	is_int(tsb_read_link(box, "/home/user/d/l", target, sizeof(target), &n), TSB_OK, "its target");
	ok(n == 6 && !memcmp(target, "../run", 6), "is what was given");
	is_int(tsb_read_link(box, "/home/user/d/l", target, 3, &n), TSB_OK, "or what fits of it");
	is_int(n, 3, "three bytes");
	says(box, "d/l; stat -c %U d/l", "ran\nuser\n");
	is_int(tsb_list(box, "/home/user/d", list_one, &l), TSB_OK, "lists");
	ok(!strcmp(l.text, "e/ l@ ") || !strcmp(l.text, "l@ e/ "), "both");
	l = (struct listed){ .stop_at = 1 };
	is_int(tsb_list(box, "/home/user/d", list_one, &l), TSB_OK, "until told to stop");
	is_int(l.n, 1, "after one");
	says(box, "mkdir -p d/x/y/z; touch d/x/1 d/x/y/2 d/x/y/z/3", "");
	is_int(tsb_remove(box, "/home/user/d"), TSB_OK, "removes a tree");
	says(box, "ls d", "ls: cannot access 'd': No such file or directory\n");
	is_int(tsb_remove(box, "/home/user/run"), TSB_OK, "and a file");
}

#define FAILS(call, error, text) do { \
	is_int(call, TSB_ERR_FILE, #call); \
	is_int(tsb_errno(box), error, "the reason"); \
	is_str(tsb_error(box), text, "the sentence"); \
} while (0)

static void refused(struct tsb_sandbox *box)
{
	struct listed l = { .n = 0 };
	struct tsb_stat st;
	char buf[4];
	void *data;
	size_t n;

	FAILS(tsb_read_file(box, "/nope", &data, &n), ENOENT, "cannot read /nope: No such file or directory");
	FAILS(tsb_read_file(box, "/etc", &data, &n), EISDIR, "cannot read /etc: Is a directory");
	FAILS(tsb_read_file(box, "/dev/zero", &data, &n), EINVAL, "cannot read /dev/zero: Invalid argument");
	FAILS(tsb_read_file(box, "rel", &data, &n), EINVAL, "cannot read rel: Invalid argument");
	FAILS(tsb_write_file(box, "/etc", "x", 1, 0), EISDIR, "cannot write /etc: Is a directory");
	FAILS(tsb_write_file(box, "/etc/passwd/x", "x", 1, 0), ENOTDIR, "cannot write /etc/passwd/x: Not a directory");
	FAILS(tsb_make_dir(box, "/etc/passwd", 0), ENOTDIR, "cannot make the directory /etc/passwd: Not a directory");
	FAILS(tsb_make_link(box, "x", "/etc/passwd"), EEXIST, "cannot make the link /etc/passwd: File exists");
	FAILS(tsb_set_times(box, "/nope", (struct tsb_time){ 0, 0 }), ENOENT, "cannot set the times of /nope: No such file or directory");
	FAILS(tsb_stat_file(box, "/nope", &st), ENOENT, "cannot stat /nope: No such file or directory");
	FAILS(tsb_read_link(box, "/etc/passwd", buf, 4, &n), EINVAL, "cannot read the link /etc/passwd: Invalid argument");
	FAILS(tsb_remove(box, "/nope"), ENOENT, "cannot remove /nope: No such file or directory");
	FAILS(tsb_list(box, "/etc/passwd", list_one, &l), ENOTDIR, "cannot list /etc/passwd: Not a directory");
	is_int(tsb_remove(box, "/"), TSB_ERR_ARGUMENT, "never the root");
	is_int(tsb_write_file(box, "/x", NULL, 1, 0), TSB_ERR_ARGUMENT, "bytes of nothing");
	is_int(tsb_write_file(NULL, "/x", "", 0, 0), TSB_ERR_ARGUMENT, "no sandbox");
	is_int(tsb_read_file(box, NULL, &data, &n), TSB_ERR_ARGUMENT, "no path");
	is_int(tsb_make_dir(box, NULL, 0), TSB_ERR_ARGUMENT, "no path");
	is_int(tsb_make_link(box, NULL, "/x"), TSB_ERR_ARGUMENT, "no target");
	is_int(tsb_set_times(box, NULL, (struct tsb_time){ 0, 0 }), TSB_ERR_ARGUMENT, "no path");
	is_int(tsb_stat_file(box, "/", NULL), TSB_ERR_ARGUMENT, "nowhere to put it");
	is_int(tsb_read_link(box, "/", NULL, 0, &n), TSB_ERR_ARGUMENT, "nowhere to put it");
	is_int(tsb_list(box, "/", NULL, NULL), TSB_ERR_ARGUMENT, "nobody to tell");
}

static void quota(void)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_limits limits;
	struct tsb_sandbox *box;
	struct tsb_stat st;
	char big[5000] = "";

	tsb_limits_default(&limits);
	limits.file_bytes = 4096;
	opt.limits = &limits;
	box = new_box(&opt);
	FAILS(tsb_write_file(box, "/home/user/f", big, sizeof(big), 0), EFBIG, "cannot write /home/user/f: File too large");
	is_int(tsb_stat_file(box, "/home/user/f", &st), TSB_ERR_FILE, "and nothing of it stays");
	tsb_sandbox_close(box);
}

/* ---- A tree of the host ---- */

static void copied(struct tsb_sandbox *box)
{
	char dir[] = "/tmp/tsb-files-XXXXXX", path[64];

	if (!ok(mkdtemp(dir) != NULL, "a folder of the host"))
		return;
#define IN(name) (snprintf(path, sizeof(path), "%s/" name, dir), path)
	mkdir(IN("sub"), 0755);
	mkdir(IN("sub/empty"), 0750);
	int fd = open(IN("sub/f"), O_WRONLY | O_CREAT, 0640);
	ok(fd >= 0 && write(fd, "host\n", 5) == 5, "a file of the host");
	close(fd);
	ok(!symlink("f", IN("sub/l")), "a link of the host");
	is_int(tsb_copy_in(box, dir, "/home/user/in/here"), TSB_OK, "copies a tree");
	says(box, "cd in/here; find . | sort; cat sub/l; readlink sub/l; stat -c '%a %U' sub/f sub/empty",
	     ".\n./sub\n./sub/empty\n./sub/f\n./sub/l\nhost\nf\n640 user\n750 user\n");
	is_int(tsb_copy_in(box, IN("sub/l"), "/home/user/one"), TSB_OK, "a link as the operand");
	says(box, "cat one", "host\n");
	mkfifo(IN("sub/p"), 0600);
	is_int(tsb_copy_in(box, dir, "/home/user/in2"), TSB_ERR_FILE, "a FIFO has no content");
	is_int(tsb_errno(box), EOPNOTSUPP, "so it is refused");
	is_int(tsb_copy_in(box, IN("nope"), "/home/user/x"), TSB_ERR_FILE, "nothing there");
	is_int(tsb_errno(box), ENOENT, "is told");
	is_int(tsb_copy_in(box, dir, "/etc/passwd"), TSB_ERR_FILE, "a folder onto a file");
	is_int(tsb_copy_in(box, NULL, "/x"), TSB_ERR_ARGUMENT, "no source");
	unlink(IN("sub/p"));
	unlink(IN("sub/l"));
	unlink(IN("sub/f"));
	rmdir(IN("sub/empty"));
	rmdir(IN("sub"));
	rmdir(dir);
}

int main(void)
{
	struct tsb_sandbox *box = new_box(NULL);

	written_and_read(box);
	links_and_folders(box);
	refused(box);
	quota();
	copied(box);
	is_int(tsb_sandbox_close(box), TSB_OK, "closes");
	return done();
}
