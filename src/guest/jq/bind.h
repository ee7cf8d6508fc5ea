/*
 * Put at the end of jq's compile.c: a program bound to definitions that were prepared
 * before. block_bind() walks through the program once for each definition, and what no
 * call reaches is dropped an instruction at a time: most of a short run. Here a call
 * finds its definition by name, and only what is reached is taken out. The rest stays
 * where it is, since the guest's memory goes as a whole.
 *
 * Until a program is compiled bytecode_pos is -1 in every instruction: in a prepared
 * definition it is the place in the list.
 */
static struct {
	inst **def;		/* in the order of the list: the first that fits counts */
	unsigned char *needed;
	int n;
	int *slot, *next;	/* a hash table of their names: places plus 1 */
	unsigned mask;
} prepared;

static unsigned prepared_hash(const char *name)
{
	unsigned h = 2166136261u;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h & prepared.mask;
}

void block_prepare(block defs)
{
	int n = 0;

	block_bind(defs, gen_noop(), OP_IS_CALL_PSEUDO);	/* counts parameters */
	for (inst *i = defs.first; i; i = i->next)
		n++;
	for (prepared.mask = 1; prepared.mask < (unsigned)n * 2; )
		prepared.mask = prepared.mask * 2 + 1;
	prepared.n = n;
	prepared.def = jv_mem_alloc(n * sizeof(*prepared.def));
	prepared.needed = jv_mem_calloc(n, 1);
	prepared.next = jv_mem_alloc(n * sizeof(*prepared.next));
	prepared.slot = jv_mem_calloc(prepared.mask + 1, sizeof(*prepared.slot));
	for (inst *i = defs.last; i; i = i->prev) {
		int *slot = &prepared.slot[prepared_hash(i->symbol)];

		prepared.def[--n] = i;
		prepared.next[n] = *slot;
		*slot = n + 1;
		i->bytecode_pos = n;
	}
}

/* As block_bind_subblock() does it with each of them. */
static void bind_call(inst *i)
{
	for (int k = prepared.slot[prepared_hash(i->symbol)]; k && !i->bound_by; k = prepared.next[k - 1]) {
		inst *d = prepared.def[k - 1];

		if (strcmp(i->symbol, d->symbol))
			continue;
		if (i->op == CALL_JQ && i->nactuals == -1)
			i->nactuals = block_count_actuals(i->arglist);
		if (i->nactuals == -1 || i->nactuals == d->nformals)
			i->bound_by = d;
	}
}

/* Binds the calls in b, and notes which definitions these reach. */
static void bind_block(block b)
{
	const int want = OP_IS_CALL_PSEUDO | OP_HAS_BINDING;

	for (inst *i = b.first; i; i = i->next) {
		inst *d;

		if (!i->bound_by && (opcode_describe(i->op)->flags & want) == want)
			bind_call(i);
		d = i->bound_by;
		if (d && d->bytecode_pos >= 0 && !prepared.needed[d->bytecode_pos]) {
			prepared.needed[d->bytecode_pos] = 1;
			bind_block(d->subfn);
			bind_block(d->arglist);
		}
		bind_block(i->subfn);
		bind_block(i->arglist);
	}
}

block block_bind_prepared(block program)
{
	block needed = gen_noop();

	bind_block(program);
	for (int k = 0; k < prepared.n; k++) {
		inst *d = prepared.def[k];

		if (!prepared.needed[k])
			continue;
		d->prev = d->next = NULL;
		d->bytecode_pos = -1;
		needed = block_join(needed, inst_block(d));
	}
	return block_join(needed, program);
}
