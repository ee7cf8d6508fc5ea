/*
 * Compiled into the guest. jq puts the functions that every program can use
 * together anew in each run, which takes it 17 milliseconds. Here that is done
 * once, when the guest is prepared: recipe makes builtins_bind() keep and take
 * them (bind.h).
 */
#include <compile.h>
#include <builtin.h>

int guest_builtins_take(block *program), guest_builtins_keep(block made);
block block_bind_prepared(block program);
void block_prepare(block defs);
void guest_prepare(void);

static enum { NOTHING, PREPARING, READY } state;

/* True: the program is bound to them. */
int guest_builtins_take(block *program)
{
	if (state != READY)
		return 0;
	state = NOTHING;	/* a second program in the same run makes its own */
	*program = block_bind_prepared(*program);
	return 1;
}

/* True: they are kept, and builtins_bind() has nothing more to do. */
int guest_builtins_keep(block made)
{
	if (state != PREPARING)
		return 0;
	block_prepare(made);
	state = READY;
	return 1;
}

void guest_prepare(void)
{
	block program = gen_noop();

	state = PREPARING;
	builtins_bind(NULL, &program);
}
