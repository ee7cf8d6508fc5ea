/*
 * Commands on a filesystem whose calls fail: what is wrong is said in the real
 * tools' words, and told in the status. Each row lets one kind of call fail, from
 * its nth on, on files of a mount.
 */
#include "box.h"

#include "vfs/shim.h"

struct rule {
	const char *call;
	int from, error, seen;
};

static struct rule rule;

static int fault(void *ctx, const char *name, const char *path)
{
	(void)ctx;
	(void)path;
	if (!rule.call || strcmp(name, rule.call))
		return 0;
	return ++rule.seen >= rule.from ? -rule.error : 0;
}

/* The call, from its nth on, fails so: the status and what is said. */
static const struct {
	const char *call;
	int from, error, status;
	const char *script, *says;
} rows[] = {
	{ "fsetattr", 1, EIO, 1, "cp -p f /m/new",
	  "cp: preserving times for '/m/new': Input/output error\n" },
	{ "setattr", 1, EIO, 1, "cp -a d /m/new",
	  "cp: preserving times for '/m/new': Input/output error\n" },
	{ "setattr", 1, EIO, 1, "cp -a l /m/new",
	  "cp: failed to preserve ownership for '/m/new': Input/output error\n" },
	{ "setattr", 2, EPERM, 1, "cp -a d /m/new",
	  "cp: preserving permissions for '/m/new': Operation not permitted\n" },
	{ "fsetattr", 2, EIO, 1, "cp -p f /m/new",
	  "cp: preserving permissions for '/m/new': Input/output error\n" },
	{ "fsetattr", 1, EIO, 1, "cp --no-preserve=mode f /m/new",
	  "cp: setting permissions of '/m/new': Input/output error\n" },
	{ "fsetattr", 1, EIO, 1, "cp --preserve=mode f /m/new",
	  "cp: preserving permissions for '/m/new': Input/output error\n" },
	{ "write_at", 1, ENOSPC, 1, "cp f /m/new",
	  "cp: error writing '/m/new': No space left on device\n" },
	{ "write_at", 1, ENOSPC, 1, "cat f >/m/new",
	  "cat: write error: No space left on device\n" },
	{ "write_at", 1, EIO, 1, "echo x >/m/g",
	  "bash: line 1: echo: write error: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "cp /m/f new",
	  "cp: error reading '/m/f': Input/output error\n" },
	{ "read_at", 1, EIO, 1, "cat /m/f",
	  "cat: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "wc -l /m/f",
	  "wc: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "head -1 /m/f",
	  "head: error reading '/m/f': Input/output error\n" },
	{ "read_at", 1, EIO, 1, "tail -1 /m/f",
	  "tail: error reading '/m/f': Input/output error\n" },
	{ "read_at", 1, EIO, 2, "sort /m/f",
	  "sort: read failed: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 2, "grep x /m/f",
	  "grep: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 4, "sed p /m/f",
	  "sed: read error on /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "od /m/f",
	  "od: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "cut -c1 /m/f",
	  "cut: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "tr a b </m/f",
	  "tr: read error: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "uniq /m/f",
	  "uniq: error reading '/m/f'\n" },
	{ "read_at", 1, EIO, 1, "mv /m/f .",
	  "mv: error reading '/m/f': Input/output error\n" },
	{ "read_at", 1, EIO, 0, "read x </m/f; echo $?",
	  "bash: line 1: read: read error: 0: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "split /m/f",
	  "split: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "base64 /m/f",
	  "base64: read error: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "md5sum /m/f",
	  "md5sum: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "comm /m/f f",
	  "comm: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "join /m/f f",
	  "join: read error: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "paste /m/f f",
	  "paste: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "fold /m/f",
	  "fold: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "expand /m/f",
	  "expand: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "nl /m/f",
	  "nl: /m/f: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "tac /m/f",
	  "tac: /m/f: read error: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "tee </m/f",
	  "tee: read error: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "shuf /m/f",
	  "shuf: read error: Input/output error\n" },
	{ "read_at", 1, EIO, 1, "tail -f /m/f",
	  "tail: error reading '/m/f': Input/output error\ntail: no files remaining\n" },
	{ "read_at", 2, EIO, 1, "echo more >>/m/g; tail -n 5 -f --pid=$$ -s 0.01 /m/f",
	  "tail: error reading '/m/f': Input/output error\n" },
	{ "readdir", 1, EIO, 2, "ls /m/d",
	  "ls: reading directory '/m/d': Input/output error\n" },
	{ "readdir", 1, EIO, 1, "rm -r /m/d",
	  "rm: cannot remove '/m/d': Input/output error\n" },
	{ "readdir", 1, EIO, 1, "cp -r /m/d new",
	  "cp: cannot access '/m/d': Input/output error\n" },
	{ "readdir", 1, EIO, 1, "find /m/d",
	  "find: ‘/m/d’: Input/output error\n" },
	{ "readdir", 1, EIO, 1, "du /m/d",
	  "du: cannot read directory '/m/d': Input/output error\n" },
	{ "readdir", 1, EIO, 1, "chmod -R 700 /m/d",
	  "chmod: cannot read directory '/m/d': Input/output error\n" },
	{ "readdir", 1, EIO, 0, "echo /m/d/*",
	  "/m/d/*\n" },
	{ "unlink", 1, EIO, 1, "rm /m/f",
	  "rm: cannot remove '/m/f': Input/output error\n" },
	{ "unlink", 1, EIO, 1, "rm -f /m/f",
	  "rm: cannot remove '/m/f': Input/output error\n" },
	{ "unlink", 1, EIO, 1, "mv /m/f .",
	  "mv: cannot remove '/m/f': Input/output error\n" },
	{ "unlink", 1, EIO, 1, "cp --remove-destination f /m/g",
	  "cp: cannot remove '/m/g': Input/output error\n" },
	{ "unlink", 1, EIO, 1, "unlink /m/f",
	  "unlink: cannot unlink '/m/f': Input/output error\n" },
	{ "rmdir", 1, EIO, 1, "rmdir /m/d",
	  "rmdir: failed to remove '/m/d': Input/output error\n" },
	{ "rmdir", 1, EIO, 1, "rm -r /m/d",
	  "rm: cannot remove '/m/d': Input/output error\n" },
	{ "rmdir", 1, EIO, 1, "mv d /m/d2; mv -T /m/d2 x",
	  "mv: cannot remove '/m/d2': Input/output error\n" },
	{ "mkdir", 1, EIO, 1, "mkdir /m/n",
	  "mkdir: cannot create directory ‘/m/n’: Input/output error\n" },
	{ "mkdir", 1, EIO, 1, "mkdir -p /m/n/o",
	  "mkdir: cannot create directory ‘/m/n’: Input/output error\n" },
	{ "mkdir", 1, ENOSPC, 1, "cp -r d /m/n",
	  "cp: cannot create directory '/m/n': No space left on device\n" },
	{ "mkdir", 1, EIO, 1, "install -d /m/n/o",
	  "install: cannot create directory ‘/m/n’: Input/output error\n" },
	{ "mkdir", 1, EIO, 1, "mv d /m/n",
	  "mv: cannot create directory '/m/n': Input/output error\n" },
	{ "mkdir", 1, EIO, 0, "mktemp -d -p /m XXX 2>&1 | sed 's,/m/...,X,'",
	  "mktemp: failed to create directory via template ‘X’: Input/output error\n" },
	{ "mknod", 1, EIO, 1, "mkfifo /m/n",
	  "mkfifo: cannot create fifo '/m/n': Input/output error\n" },
	{ "mknod", 1, EIO, 1, "cp -a p /m/n",
	  "cp: cannot create fifo '/m/n': Input/output error\n" },
	{ "mknod", 1, EIO, 1, "mv p /m/n",
	  "mv: cannot create fifo '/m/n': Input/output error\n" },
	{ "symlink", 1, EIO, 1, "ln -s a /m/n",
	  "ln: failed to create symbolic link '/m/n': Input/output error\n" },
	{ "symlink", 1, EIO, 1, "cp -a l /m/n",
	  "cp: cannot create symbolic link '/m/n': Input/output error\n" },
	{ "symlink", 1, EIO, 1, "cp -s $PWD/f /m/n",
	  "cp: cannot create symbolic link '/m/n' to '/home/user/f': Input/output error\n" },
	{ "symlink", 1, EIO, 1, "mv l /m/n",
	  "mv: cannot create symbolic link '/m/n': Input/output error\n" },
	{ "readlink", 1, EIO, 1, "cp -P /m/l n",
	  "cp: cannot read symbolic link '/m/l': Input/output error\n" },
	{ "readlink", 1, EIO, 0, "readlink /m/l; echo $?",
	  "1\n" },
	{ "readlink", 1, EIO, 1, "readlink -v /m/l",
	  "readlink: /m/l: Input/output error\n" },
	{ "readlink", 1, EIO, 1, "mv /m/l n",
	  "mv: cannot read symbolic link '/m/l': Input/output error\n" },
	{ "link", 1, EIO, 1, "ln /m/f /m/n",
	  "ln: failed to create hard link '/m/n' => '/m/f': Input/output error\n" },
	{ "link", 1, EIO, 1, "cp -l /m/f /m/n",
	  "cp: cannot create hard link '/m/n' to '/m/f': Input/output error\n" },
	{ "rename", 1, EIO, 1, "mv /m/f /m/n",
	  "mv: cannot move '/m/f' to '/m/n': Input/output error\n" },
	{ "rename", 1, EIO, 4, "sed -i.b p /m/f",
	  "sed: cannot rename /m/f: Input/output error\n" },
	{ "rename", 1, EIO, 1, "mv -b /m/f /m/g",
	  "mv: cannot backup '/m/g': Input/output error\n" },
	{ "rename", 1, EIO, 1, "cp -b /m/f /m/g",
	  "cp: cannot backup '/m/g': Input/output error\n" },
	{ "open_write", 1, EIO, 1, "cp f /m/n",
	  "cp: cannot create regular file '/m/n': Input/output error\n" },
	{ "open_write", 1, EIO, 1, "touch /m/n",
	  "touch: cannot touch '/m/n': Input/output error\n" },
	{ "open_write", 1, EIO, 1, "echo x >/m/n",
	  "bash: line 1: /m/n: Input/output error\n" },
	{ "open_write", 1, EIO, 1, "tee /m/n <f",
	  "tee: /m/n: Input/output error\n" },
	{ "open_write", 1, EIO, 1, "split f /m/x",
	  "split: /m/xaa: Input/output error\n" },
	{ "open_write", 1, EIO, 1, "truncate -s 3 /m/f",
	  "truncate: cannot open '/m/f' for writing: Input/output error\n" },
	{ "open_write", 1, EIO, 2, "sort -o /m/f f",
	  "sort: open failed: /m/f: Input/output error\n" },
	{ "open_write", 1, EIO, 1, "cp -f f /m/g",
	  "cp: cannot create regular file '/m/g': Input/output error\n" },
	{ "open", 1, EIO, 1, "cp /m/f n",
	  "cp: cannot open '/m/f' for reading: Input/output error\n" },
	{ "open", 1, EIO, 1, "cat /m/f",
	  "cat: /m/f: Input/output error\n" },
	{ "open", 1, EIO, 2, "ls /m/d",
	  "ls: cannot open directory '/m/d': Input/output error\n" },
	{ "open", 1, EIO, 1, "cp -r /m/d n",
	  "cp: cannot access '/m/d': Input/output error\n" },
	{ "open", 1, EIO, 1, "rm -r /m/d",
	  "rm: cannot remove '/m/d': Input/output error\n" },
	{ "setattr", 1, EIO, 1, "chmod 600 /m/f",
	  "chmod: changing permissions of '/m/f': Input/output error\n" },
	{ "setattr", 1, EIO, 1, "chmod -R 700 /m/d",
	  "chmod: changing permissions of '/m/d': Input/output error\nchmod: changing permissions of '/m/d/f': Input/output error\n" },
	{ "setattr", 1, EIO, 1, "chown user /m/f",
	  "chown: changing ownership of '/m/f': Input/output error\n" },
	{ "setattr", 1, EIO, 1, "install f /m/n",
	  "install: cannot change permissions of '/m/n': Input/output error\n" },
	{ "setattr", 1, EIO, 1, "install -p f /m/n",
	  "install: cannot change permissions of '/m/n': Input/output error\n" },
	{ "truncate", 1, EIO, 1, "truncate -s 3 /m/f",
	  "truncate: failed to truncate '/m/f' at 3 bytes: Input/output error\n" },
	{ "truncate", 1, EIO, 1, "cp --sparse=always s /m/n",
	  "cp: failed to extend '/m/n': Input/output error\n" },
	{ "fstat", 1, EIO, 1, "cp /m/f n",
	  "cp: cannot fstat '/m/f': Input/output error\n" },
	{ "fstat", 1, EIO, 1, "tail /m/f",
	  "tail: cannot fstat '/m/f': Input/output error\n" },
	{ "lookup", 1, EIO, 2, "ls /m/f",
	  "ls: cannot access '/m/f': Input/output error\n" },
	{ "lookup", 1, EIO, 1, "rm /m/f",
	  "rm: cannot remove '/m/f': Input/output error\n" },
	{ "lookup", 1, EIO, 1, "cp /m/f n",
	  "cp: cannot stat '/m/f': Input/output error\n" },
	{ "lookup", 1, EIO, 0, "test -e /m/f; echo $?",
	  "1\n" },
	{ "statfs", 1, EIO, 1, "stat -f /m",
	  "stat: cannot read file system information for '/m': Input/output error\n" },
	{ "fstat", 2, EIO, 1, "tail -n 1 -s 0.01 -f /m/f",
	  "tail: /m/f: Input/output error\ntail: no files remaining\n" },
	{ "write_at", 1, ENOSPC, 1, "sponge /m/f <f",
	  "error writing buffer to output file: No space left on device\n" },
	{ "read_at", 1, EIO, 1, "sponge f </m/f",
	  "failed to read from stdin: Input/output error\n" },
	{ "readdir", 1, EIO, 1, "mv /m/d moved",
	  "mv: cannot access '/m/d': Input/output error\n" },
};

static void row(size_t i)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	struct tsb_sandbox *box = new_box(NULL);
	struct tsb_fs *fs = shim_new(tsb_mem_new(&opt), fault, NULL);
	int status;

	rule.call = NULL;
	is_int(tsb_mount(box, "/m", fs, 0), TSB_OK, "mounted");
	says(box,
	     "cd /m; echo data >f; echo more >g; mkdir d; echo in >d/f; ln -s f l; mkfifo p; cd\n"
	     "echo home >f; mkdir d; echo x >d/y; ln -s f l; mkfifo p; truncate -s 100000 s; chmod 600 f", "");
	rule = (struct rule){ rows[i].call, rows[i].from, rows[i].error, 0 };
	status = says(box, rows[i].script, rows[i].says);
	is_int(status, rows[i].status, "its status");
	rule.call = NULL;
	tsb_sandbox_close(box);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		row(i);
	return done();
}
