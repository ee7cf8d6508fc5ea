/*
 * Where h.sys() arrives: checks the arguments, finds the function. And the
 * library's texts, which a guest reads while it is prepared.
 */
#include "guest/sys.h"

#include <errno.h>
#include <string.h>

uint64_t Z_hZ_sys(struct guest *g, uint32_t what, uint32_t args, uint32_t n);
uint32_t Z_hZ_library(struct guest *g, uint32_t index, uint32_t what, uint32_t p, uint32_t cap);
uint32_t Z_hZ_stack_left(struct guest *g);

static guest_sys_fn *const calls[] = {
#define SYS(name) sys_##name,
#include "guest/sys.def"
#undef SYS
};

enum { N_CALLS = sizeof(calls) / sizeof(*calls), STEP_BYTES = 256, STACK_HALF = 4 << 20 };

/* struct sys_arg of js/glue.h, as a guest lays it out. */
struct wire {
	int64_t number;
	uint32_t at, n;
};

static uint8_t *checked(struct guest *g, uint32_t p, uint32_t n)
{
	if ((uint64_t)p + n > g->memory->size)
		guest_leave(g, GUEST_WILD);
	return g->memory->data + p;
}

uint64_t Z_hZ_sys(struct guest *g, uint32_t what, uint32_t args, uint32_t n)
{
	struct guest_arg a[SYS_ARGS];
	uint64_t sum = 0;	/* of what may be copied and looked through */
	int64_t r;

	if (what >= N_CALLS || n > SYS_ARGS || g->preparing)
		return (uint64_t)-ENOSYS;
	memset(a, 0, sizeof(a));
	for (uint32_t i = 0; i < n; i++) {
		struct wire w;

		memcpy(&w, checked(g, args + i * (uint32_t)sizeof(w), sizeof(w)), sizeof(w));
		a[i].number = w.number;
		if (!w.at)
			continue;
		a[i].n = w.n;
		a[i].at = checked(g, w.at, w.n);
		sum += w.n;
	}
	guest_pause();
	tsb_tick(g->p, 1 + (size_t)(sum / STEP_BYTES));
	r = calls[what](g, a);
	guest_resume(g);
	return (uint64_t)r;
}

uint32_t Z_hZ_library(struct guest *g, uint32_t index, uint32_t what, uint32_t p, uint32_t cap)
{
	const char *text;
	size_t n;
	uint8_t *to = checked(g, p, cap);

	for (uint32_t i = 0; i <= index; i++)
		if (!js_library[i].name)
			return (uint32_t)-ENOENT;
	text = what ? js_library[index].text : js_library[index].name;
	n = what ? js_library[index].n : strlen(text);
	memcpy(to, text, n < cap ? n : cap);
	return (uint32_t)n;
}

/*
 * Bytes of native stack that are left to a guest that asks, of half of it: scripts recurse deep enough
 * in that, and what is quadratic in the depth (JSON.stringify) stays short. Host calls need some of them.
 */
uint32_t Z_hZ_stack_left(struct guest *g)
{
	intptr_t left = (const char *)__builtin_frame_address(0) - g->stack_low - (intptr_t)STACK_HALF;

	return left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (uint32_t)left;
}

/* ---- For the calls ---- */

char *sys_blob(struct guest *g, size_t n)
{
	tsb_free(g->p, g->more->blob);
	g->more->blob = NULL;
	g->more->blob_n = 0;
	g->more->blob = tsb_alloc(g->p, n + 1);
	g->more->blob_n = n;
	return g->more->blob;
}

int64_t sys_give(struct guest *g, const void *at, size_t n)
{
	memcpy(sys_blob(g, n), at, n);
	return (int64_t)n;
}

/* take(bytes): the last answer, from its beginning. */
int64_t sys_take(struct guest *g, const struct guest_arg *a)
{
	size_t n = g->more->blob_n < a[0].n ? g->more->blob_n : a[0].n;

	if (n)
		memcpy(a[0].at, g->more->blob, n);
	return (int64_t)n;
}

char *sys_name(struct guest *g, const struct guest_arg *a)
{
	if (!a->at || memchr(a->at, 0, a->n))
		return NULL;
	return tsb_strndup(g->p, (const char *)a->at, a->n);
}

char **sys_strings(struct guest *g, const struct guest_arg *a)
{
	size_t count = 0, i = 0;
	char **made, *text;

	for (uint32_t at = 0; at < a->n; at++)
		count += !a->at[at];
	made = tsb_alloc(g->p, (count + 1) * sizeof(*made) + a->n + 1);
	text = (char *)(made + count + 1);
	if (a->n)
		memcpy(text, a->at, a->n);
	for (; i < count; i++) {
		made[i] = text;
		text += strlen(text) + 1;
	}
	made[count] = NULL;
	return made;
}
