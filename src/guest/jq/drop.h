/*
 * Put at the end of jq's compile.c: block_drop_unreferenced() with one count for
 * all definitions, instead of one walk through the whole program for each. A
 * reference from inside a definition to itself does not count. Until the program
 * is compiled, bytecode_pos is -1 in every instruction: here it counts up from that.
 */
static void count_block(block b, inst *owner, int by);

static void count_inst(inst *i, inst *owner, int by)
{
	if (i->bound_by && i->bound_by != i && i->bound_by != owner)
		i->bound_by->bytecode_pos += by;
	count_block(i->subfn, owner, by);
	count_block(i->arglist, owner, by);
}

static void count_block(block b, inst *owner, int by)
{
	for (inst *i = b.first; i; i = i->next)
		count_inst(i, owner, by);
}

static void count_reset(block b)
{
	for (inst *i = b.first; i; i = i->next) {
		i->bytecode_pos = -1;
		count_reset(i->subfn);
		count_reset(i->arglist);
	}
}

static void drop_one(block *body, inst *i)
{
	*(i->prev ? &i->prev->next : &body->first) = i->next;
	*(i->next ? &i->next->prev : &body->last) = i->prev;
	i->next = i->prev = NULL;
	count_inst(i, i, -1);
	block_free(inst_block(i));
}

block block_drop_unreferenced(block body)
{
	inst *end = body.first, *i, *before;
	int dropped;

	for (i = body.first; i; i = i->next)
		count_inst(i, i, 1);
	while (end && end->op != TOP)
		end = end->next;
	do {		/* from the back, since definitions use earlier ones */
		dropped = 0;
		for (i = end ? end->prev : body.last; i; i = before) {
			before = i->prev;
			if (i->bytecode_pos != -1)
				continue;
			drop_one(&body, i);
			dropped = 1;
		}
	} while (dropped);
	count_reset(body);
	return body;
}
