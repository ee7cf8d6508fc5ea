/*
 * Compiled into the guest. jq puts the functions that every program can use
 * together anew in each run, which takes it 17 milliseconds. Here that is done
 * once, when the guest is prepared: recipe makes builtins_bind() keep and take
 * them.
 */
#include <compile.h>
#include <builtin.h>

int guest_builtins_take(block *out), guest_builtins_keep(block made);
void guest_prepare(void);

static block prepared;
static enum { NOTHING, PREPARING, READY } state;

int guest_builtins_take(block *out)
{
	if (state != READY)
		return 0;
	state = NOTHING;	/* a second program in the same run makes its own */
	*out = prepared;
	return 1;
}

/* True: they are kept, and builtins_bind() has nothing more to do. */
int guest_builtins_keep(block made)
{
	if (state != PREPARING)
		return 0;
	prepared = made;
	state = READY;
	return 1;
}

void guest_prepare(void)
{
	block program = gen_noop();

	state = PREPARING;
	builtins_bind(NULL, &program);
}
