/* Mounts and commands of the embedding program. */
#include "box.h"

static int greet_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	tsb_printf(p, "%s%s%s\n", (const char *)tsb_user(p), argc ? " " : "", argc ? argv[0] : "");
	return argc;
}

static const struct tsb_command greet = {
	.version = TSB_COMMAND_VERSION, .name = "greet", .run = greet_run, .user = (void *)"hello",
};
static const struct tsb_command other = {
	.version = TSB_COMMAND_VERSION, .name = "greet", .run = greet_run, .user = (void *)"other",
};
static const struct tsb_command own_ls = {
	.version = TSB_COMMAND_VERSION, .name = "ls", .run = greet_run, .user = (void *)"ls of ours",
};

static size_t count(struct tsb_sandbox *box, const char *name, const struct tsb_command **last)
{
	const struct tsb_command *cmd;
	size_t n = 0;

	for (size_t i = 0; (cmd = tsb_command_at(box, i)); i++) {
		if (strcmp(cmd->name, name))
			continue;
		*last = cmd;
		n++;
	}
	return n;
}

static void commands(struct tsb_sandbox *box)
{
	const struct tsb_command *found = NULL;
	struct tsb_command bad = greet;
	struct tsb_sandbox *branch = NULL;

	is_int(count(box, "greet", &found), 0, "not there at first");
	is_int(tsb_add_command(box, &greet), TSB_OK, "added");
	is_int(says(box, "greet you", "hello you\n"), 1, "runs, with its status");
	says(box, "which greet; ls /usr/bin | grep -c '^greet$'; type greet", "/usr/bin/greet\n1\ngreet is /usr/bin/greet\n");
	is_int(tsb_add_command(box, &other), TSB_OK, "its namesake");
	says(box, "greet", "other\n");
	is_int(tsb_add_command(box, &own_ls), TSB_OK, "and one of a built-in command");
	says(box, "ls", "ls of ours\n");
	is_int(count(box, "ls", &found), 1, "listed once");
	ok(found == &own_ls, "as ours");
	is_int(tsb_branch(box, &branch), TSB_OK, "branches");
	says(branch, "greet; which greet; command -v ls", "other\n/usr/bin/greet\n/usr/bin/ls\n");
	is_int(tsb_sandbox_close(branch), TSB_OK, "closes");
	bad.name = "a/b";
	is_int(tsb_add_command(box, &bad), TSB_ERR_ARGUMENT, "no slashes in names");
	is_str(tsb_error(box), "a command needs version, run, and a name without '/'", "says why");
	bad.name = "..";
	is_int(tsb_add_command(box, &bad), TSB_ERR_ARGUMENT, "no dots");
	bad = greet;
	bad.run = NULL;
	is_int(tsb_add_command(box, &bad), TSB_ERR_ARGUMENT, "nothing to run");
	bad = greet;
	bad.version = 99;
	is_int(tsb_add_command(box, &bad), TSB_ERR_ARGUMENT, "a version of tomorrow");
	is_int(tsb_add_command(NULL, &greet), TSB_ERR_ARGUMENT, "no sandbox");
}

static struct tsb_fs *new_fs(void)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;

	return tsb_mem_new(&opt);
}

static void mounts(struct tsb_sandbox *box)
{
	struct tsb_fs *fs = new_fs();

	is_int(tsb_mount(box, "/mnt/m", fs, 0), TSB_OK, "mounted");
	says(box, "echo x >/mnt/m/f; cat /mnt/m/f; df /mnt/m >/dev/null 2>&1; grep -c /mnt/m /proc/mounts", "x\n1\n");
	is_int(tsb_remount(box, "/mnt/m", TSB_MOUNT_READ_ONLY), TSB_OK, "read-only now");
	says(box, "echo y >/mnt/m/f", "bash: line 1: /mnt/m/f: Read-only file system\n");
	says(box, "rm -f /mnt/m/f; mkdir /mnt/m/d; mv /mnt/m/f /tmp; ln -s x /mnt/m/l", "rm: cannot remove '/mnt/m/f': Read-only file system\n"
	     "mkdir: cannot create directory ‘/mnt/m/d’: Read-only file system\nmv: cannot remove '/mnt/m/f': Read-only file system\n"
	     "ln: failed to create symbolic link '/mnt/m/l': Read-only file system\n");
	is_int(tsb_remount(box, "/mnt/m", 0), TSB_OK, "and back");
	says(box, "echo z >>/mnt/m/f; cat /mnt/m/f", "x\nz\n");
	says(box, "mkdir d; echo a >d/a; ln -s a d/l; mkfifo d/p; mv -v d /mnt/m; ls /mnt/m/d; ls",
	     "created directory '/mnt/m/d'\ncopied 'd/a' -> '/mnt/m/d/a'\ncopied 'd/l' -> '/mnt/m/d/l'\ncopied 'd/p' -> '/mnt/m/d/p'\n"
	     "removed 'd/a'\nremoved 'd/l'\nremoved 'd/p'\nremoved directory 'd'\na\nl\np\n");
	says(box, "cp -x -r /mnt c; find c | sort; ln /mnt/m/f hard", "ln: failed to create hard link 'hard' => '/mnt/m/f': Invalid cross-device link\n");
	says(box, "find c | sort", "c\nc/m\n");
	is_int(tsb_unmount(box, "/mnt/m"), TSB_OK, "unmounted");
	says(box, "ls /mnt/m", "ls: cannot access '/mnt/m': No such file or directory\n");
	is_int(tsb_unmount(box, "/mnt/m"), TSB_ERR_FILE, "twice is once too often");
	is_int(tsb_remount(box, "/mnt/m", 0), TSB_ERR_FILE, "nothing to mount again");
	is_int(tsb_unmount(NULL, "/"), TSB_ERR_ARGUMENT, "no sandbox");
	is_int(tsb_remount(box, NULL, 0), TSB_ERR_ARGUMENT, "no path");
	is_int(tsb_remount(box, "/", 8), TSB_ERR_ARGUMENT, "flags that are none");
	is_int(tsb_mount(box, "/x", NULL, 0), TSB_ERR_ARGUMENT, "no filesystem");
	fs = new_fs();
	is_int(tsb_mount(box, "relative", fs, 0), TSB_ERR_FILE, "nowhere");
	tsb_fs_free(fs);
}

static void foreign(struct tsb_sandbox *box)
{
	struct tsb_fs_ops ops = { .version = 99 };
	struct tsb_fs fs = { .ops = &ops };

	is_int(tsb_mount(box, "/x", &fs, 0), TSB_ERR_ARGUMENT, "a filesystem of tomorrow");
	is_str(tsb_error(box), "filesystem of version 99", "says so");
}

/* While a run is in progress nothing of this may change. */
static int meddle(void *ctx, int fd, const void *data, size_t n)
{
	struct tsb_sandbox *box = ctx, *from = new_box(NULL);
	struct tsb_fs *fs = new_fs();

	(void)fd, (void)data, (void)n;
	is_int(tsb_mount(box, "/x", fs, 0), TSB_ERR_BUSY, "no mount");
	is_str(tsb_error(box), "the sandbox has runs in progress", "says why");
	is_int(tsb_remount(box, "/", 0), TSB_ERR_BUSY, "no remount");
	is_int(tsb_unmount(box, "/"), TSB_ERR_BUSY, "no unmount");
	is_int(tsb_add_command(box, &greet), TSB_ERR_BUSY, "no command");
	is_int(tsb_sandbox_close(box), TSB_ERR_BUSY, "no end");
	is_int(tsb_restore(box, from), TSB_ERR_BUSY, "no other files");
	tsb_fs_free(fs);
	tsb_sandbox_close(from);
	return 0;
}

static void busy(struct tsb_sandbox *box)
{
	struct tsb_run_options opt = TSB_RUN_OPTIONS_INIT;
	struct tsb_result *res;

	opt.output_fn = meddle;
	opt.output_ctx = box;
	is_int(tsb_run(box, "echo x", &opt, &res), TSB_OK, "a run that is looked at");
	tsb_result_free(res);
}

int main(void)
{
	struct tsb_sandbox *box = new_box(NULL);

	mounts(box);
	foreign(box);
	commands(box);
	busy(box);
	is_int(tsb_sandbox_close(box), TSB_OK, "closes");
	return done();
}
