/* The host calls check what they are given: a pointer that is not the guest's ends the guest. */
#include "unit/kernel/kit.h"

#include <errno.h>

#include "guest/memory.h"
#include "tiny.h"

static struct kit kit;
enum { END = TINY_PAGES * (int)GUEST_PAGE };

#define SYS(name) SYS_##name,
enum sys_number {
#include "guest/sys.def"
	SYS_END
};
#undef SYS

struct wire {
	int64_t number;
	uint32_t at, n;
};

static void read_wild(struct tiny *t) { Z_hZ_read(t->g, 0, END - 1, 2); }
static void read_wrap(struct tiny *t) { Z_hZ_read(t->g, 0, 16, UINT32_MAX); }
static void write_wild(struct tiny *t) { Z_hZ_write(t->g, 1, END, 1); }
static void open_wild(struct tiny *t) { Z_hZ_open(t->g, UINT32_MAX, 2, 0, 0); }
static void stat_wild(struct tiny *t) { Z_hZ_stat(t->g, (uint32_t)-1, 0, 1, END - 8); }
static void random_wild(struct tiny *t) { Z_hZ_random(t->g, 0, END + 1); }
static void text_wild(struct tiny *t) { Z_hZ_text(t->g, 0, 0, END - 1, 2); }
static void realpath_wild(struct tiny *t) { Z_hZ_realpath(t->g, 0, 1, END - 1, 2); }
static void library_wild(struct tiny *t) { Z_hZ_library(t->g, 0, 1, END - 10, 11); }
static void args_wild(struct tiny *t) { Z_hZ_sys(t->g, SYS_cwd, END - 8, 1); }
static void args_wrap(struct tiny *t) { Z_hZ_sys(t->g, SYS_cwd, UINT32_MAX - 8, 2); }

static void arg_wild(struct tiny *t)
{
	struct wire w = { 0, END - 4, 5 };

	memcpy(t->memory.data, &w, sizeof(w));
	Z_hZ_sys(t->g, SYS_chdir, 0, 1);
}

static void good(struct tiny *t)
{
	struct wire w[5] = { { 0 } };
	bool fine = true;

	fine = fine && Z_hZ_sys(t->g, SYS_END, 0, 0) == (uint64_t)-ENOSYS;
	fine = fine && Z_hZ_sys(t->g, UINT32_MAX, 0, 0) == (uint64_t)-ENOSYS;
	fine = fine && Z_hZ_sys(t->g, SYS_cwd, 0, SYS_ARGS + 1) == (uint64_t)-ENOSYS;
	fine = fine && Z_hZ_sys(t->g, SYS_cwd, END, 0) == 1;	/* "/" */
	memcpy(t->memory.data + 200, "/tmp\0x", 6);
	w[0] = (struct wire){ 0, 200, 6 };
	memcpy(t->memory.data, w, sizeof(w));
	fine = fine && Z_hZ_sys(t->g, SYS_chdir, 0, 1) == (uint64_t)-EINVAL;
	fine = fine && Z_hZ_sys(t->g, SYS_host_call, 0, 3) == (uint64_t)-EINVAL;
	fine = fine && Z_hZ_sys(t->g, SYS_fetch, 0, 5) == (uint64_t)-ENETUNREACH;
	fine = fine && Z_hZ_read(t->g, 77, END, 0) == (uint32_t)-EBADF;
	Z_hZ_exit(t->g, fine ? 0 : 1);
}

/* Every call without arguments, and with numbers where bytes are wanted. */
static void all_calls(struct tiny *t)
{
	struct wire w[SYS_ARGS];

	for (uint32_t what = 0; what < SYS_END; what++) {
		if (what == SYS_exit || what == SYS_sleep || what == SYS_poll || what == SYS_kill ||
		    what == SYS_wait)
			continue;
		for (int64_t number = -1; number < 2; number++) {
			for (int i = 0; i < SYS_ARGS; i++)
				w[i] = (struct wire){ number, 0, UINT32_MAX };
			memcpy(t->memory.data, w, sizeof(w));
			Z_hZ_sys(t->g, what, 0, SYS_ARGS);
			Z_hZ_sys(t->g, what, 0, 0);
		}
	}
}

static void is_wild(tiny_main_fn *fn, const char *name)
{
	tiny_now = fn;
	kit_run(&kit, tiny_process, NULL);
	is_str(kit.text[1], "bash: memory access out of bounds\n", name);
}

int main(void)
{
	kit_begin(&kit);
	is_wild(read_wild, "read");
	is_wild(read_wrap, "read that wraps");
	is_wild(write_wild, "write");
	is_wild(open_wild, "open");
	is_wild(stat_wild, "stat");
	is_wild(random_wild, "random");
	is_wild(text_wild, "text");
	is_wild(realpath_wild, "realpath");
	is_wild(library_wild, "library");
	is_wild(args_wild, "the arguments");
	is_wild(args_wrap, "arguments that wrap");
	is_wild(arg_wild, "bytes of an argument");
	tiny_now = good;
	is_int(kit_run(&kit, tiny_process, NULL), 0, "what is good is not wild");
	tiny_now = all_calls;
	is_int(kit_run(&kit, tiny_process, NULL), 0, "all calls, with nothing");
	kit_end(&kit);
	return done();
}
