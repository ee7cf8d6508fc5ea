/*
 * One script of everything under every memory limit: each run must end well or
 * by a message, and nothing may stay charged.
 */
#include "kit_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static struct kit kit;

static int cat_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tsb_reader r;
	char *line;
	size_t n;

	(void)opts;
	(void)argc;
	(void)argv;
	tsb_reader_init(&r, p, 0);
	while ((n = tsb_getdelim(&r, &line, '\n')) > 0)
		tsb_put(p, line, n);
	return 0;
}

static const struct tsb_command c_cat = { .version = 1, .name = "cat", .run = cat_run };
static const struct tsb_command c_own = { .version = 1, .name = "own", .run = cat_run,
					  .user = &kit };
static const struct tsb_command *const commands[] = { &c_cat, &c_own, NULL };

static int feeder(struct tsb_proc *p, void *arg)
{
	(void)arg;
	for (int i = 0; i < 3000; i++)
		tsb_printf(p, "line %d\n", i);
	return tsb_flush(p);
}

static int pipeline(struct tsb_proc *p, const char *program)
{
	const char *argv[] = { program, NULL }, *env[] = { "PATH=/bin", "A=1", NULL };
	struct tsb_fd_map map[] = { { 0, 0 }, { 1, 0 } };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv, .env = env, .fds = map,
				 .n_fds = 2 };
	int fd[2], out, st, r;

	if (tsb_pipe(p, fd) < 0)
		return 1;
	tsb_set_cloexec(p, fd[1], true);
	out = tsb_open(p, "/tmp/out", O_CREAT | O_TRUNC | O_WRONLY, 0644);
	r = kit_child(p, -1, fd[1], feeder, NULL);
	map[0].parent = fd[0];
	map[1].parent = out;
	if (r > 0 && out >= 0)
		r = tsb_spawn(p, &how, NULL);
	tsb_close(p, fd[0]);
	tsb_close(p, fd[1]);
	tsb_close(p, out);
	while (tsb_wait(p, -1, &st, 0) > 0)
		r = st ? st : r;
	return r;
}

static int fifo_child(struct tsb_proc *p, void *arg)
{
	(void)arg;
	return tsb_open(p, "/tmp/fifo", O_WRONLY | O_CREAT, 0) < 0;
}

static int everything(struct tsb_proc *p, void *arg)
{
	struct tsb_dir *dir;
	char **names, *path;
	size_t n;
	int fd;

	(void)arg;
	pipeline(p, "cat");
	pipeline(p, "own");
	tsb_setenv(p, "B", "2");
	tsb_chdir(p, "/tmp");
	tsb_mknod(p, "fifo", S_IFIFO | 0600, 0);
	if (kit_child(p, -1, -1, fifo_child, NULL) > 0 &&
	    (fd = tsb_open(p, "fifo", O_RDONLY, 0)) >= 0)
		tsb_close(p, fd);
	while (tsb_wait(p, -1, NULL, 0) > 0)
		;
	tsb_listdir(p, "/proc/self/fd", &names, &n);
	tsb_opendir(p, "/", &dir);
	tsb_dup(p, 1, 30);
	tsb_find_program(p, "cat", &path);
	proc_set_environ(p, tsb_environ(p));
	heap_alloc(kernel_heap(proc_kernel(p)), 1000);
	tsb_warn(p, "all of it");
	return (int)tsb_exec(p, &(struct tsb_spawn){ .size = sizeof(struct tsb_spawn),
			     .argv = (const char *[]){ "cat", NULL } });
}

int main(void)
{
	static const char *const env[] = { "PATH=/bin", NULL };
	bool well = true, named = true;
	uint64_t peak = 0;
	int ended = 0;

	kit_begin(&kit);
	kit.commands = commands;
	kit_mount(&kit);
	is_int(kit_run(&kit, everything, NULL), 0, "with all the memory");
	peak = kit.report.memory_peak;
	for (uint64_t max = 1000; max < peak + 2000; max += max < 70000 ? 97 : 1009) {
		kit.limits.memory_bytes = max;
		kit.n[1] = 0;
		kit.text[1][0] = '\0';
		if (kernel_begin(kit.k, &kit.opt)) {
			kernel_finish(kit.k);
			continue;
		}
		if (!kernel_init_proc(kit.k, "bash", "/", env, NULL)) {
			kernel_finish(kit.k);
			continue;
		}
		kit.status = kernel_run(kit.k, everything, NULL);
		kernel_report(kit.k, &kit.report);
		well = well && kit.report.memory_peak <= max + (1 << 20) &&
		       (kit.status == 137) == (kit.report.stop == TSB_STOP_MEMORY);
		named = named && (kit.status != 137 || strstr(kit.text[1], "memory_bytes"));
		ended += kit.status == 137;
		kernel_finish(kit.k);
	}
	ok(well, "every run ends well");
	ok(named, "and says why");
	ok(ended > 10, "many of them by the limit");
	kit.limits.memory_bytes = 256 << 20;
	is_int(kit_run(&kit, everything, NULL), 0, "usable after");
	is_int(kit.report.memory_peak, peak, "nothing is still charged");
	kit_unmount(&kit);
	return done();
}
