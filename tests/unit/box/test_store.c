/*
 * Records, numbers, names, locks; what is refused in a spec; trees that are removed.
 */
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/internal.h"

static char root[] = "/tmp/tinybox-test-XXXXXX";

static struct tbx_store *open_store(void)
{
	struct tbx_options opt = TBX_OPTIONS_INIT;
	struct tbx_store *store;

	opt.state_dir = root;
	if (tbx_open(&store, &opt))
		printf("Bail out! %s\n", tbx_error(store));
	return store;
}

/* A box as it is in the middle of its creation. */
static void new_box(struct tbx_store *store, const char *state, const char *name, struct bx *b)
{
	struct tbx_spec spec = TBX_SPEC_INIT;
	json_t *record;

	spec.name = name;
	if (bx_record_of(store, &spec, &record) || bx_new(store, false, b))
		printf("Bail out! %s\n", tbx_error(store));
	b->record = record;
	json_object_set_new(record, "id", json_string(b->id));
	bx_set_state(b, state);
}

static void numbers(struct tbx_store *store)
{
	struct bx a, b;

	new_box(store, "ready", NULL, &a);
	is_str(a.id, "box-1", "the first number");
	is_int(bx_forget(&a), TBX_OK, "forgotten");
	bx_close(&a);
	new_box(store, "ready", NULL, &b);
	is_str(b.id, "box-2", "a number is not given twice");
	unlinkat(store->dir, "counter", 0);
	new_box(store, "ready", NULL, &a);
	is_str(a.id, "box-3", "nor when the counter is lost");
	bx_forget(&a);
	bx_forget(&b);
	bx_close(&a);
	bx_close(&b);
}

static void names(struct tbx_store *store)
{
	struct bx a, b, c;

	new_box(store, "ready", "one", &a);
	is_int(bx_claim_name(&a, "one"), TBX_OK, "a name");
	new_box(store, "ready", "one", &b);
	is_int(bx_claim_name(&b, "one"), TBX_ERR_EXISTS, "is taken");
	is_int(bx_open(store, "one", BX_LOCK_NONE, &c), TBX_OK, "finds its box");
	is_str(c.id, a.id, "which it is");
	bx_close(&c);
	bx_forget(&a);
	is_int(bx_open(store, "one", BX_LOCK_NONE, &c), TBX_ERR_UNKNOWN, "and goes with it");
	is_int(bx_claim_name(&b, "one"), TBX_OK, "free again");
	bx_forget(&b);
	bx_close(&a);
	bx_close(&b);
	is_int(bx_open(store, "../box", BX_LOCK_NONE, &c), TBX_ERR_ARGUMENT, "a path is no name");
}

static void locks(struct tbx_store *store)
{
	struct bx a, b;
	int status;

	new_box(store, "ready", NULL, &a);
	is_int(bx_open(store, a.id, BX_LOCK_TRY, &b), TBX_ERR_BUSY, "locked by its maker");
	if (!fork())
		_exit(bx_open(store, a.id, BX_LOCK_TRY, &b) != TBX_ERR_BUSY);
	wait(&status);
	is_int(status, 0, "for other processes too");
	close(a.lock);
	a.lock = -1;
	is_int(bx_open(store, a.id, BX_LOCK_TRY, &b), TBX_OK, "until it is gone");
	bx_forget(&b);
	bx_close(&a);
	bx_close(&b);
}

static void write_record(struct bx *b, const char *text)
{
	int fd = openat(b->dir, "record.json", O_WRONLY | O_TRUNC);

	if (write(fd, text, strlen(text)) < 0)
		puts("Bail out!");
	close(fd);
}

static void records(struct tbx_store *store)
{
	struct tbx_doc *doc;
	struct bx a, b;
	char id[65], path[256];

	new_box(store, "ready", NULL, &a);
	strcpy(id, a.id);
	json_object_set_new(a.record, "of_a_later_version", json_integer(7));
	bx_save(&a);
	bx_close(&a);
	bx_open(store, id, BX_LOCK_WRITE, &b);
	bx_set_state(&b, "stopped");
	bx_read_record(&b, false);
	is_int(bx_number(b.record, "of_a_later_version"), 7, "a field that is not known is kept");
	write_record(&b, "{\"version\":1, ");
	bx_close(&b);
	is_int(bx_open(store, id, BX_LOCK_NONE, &a), TBX_ERR_STORE, "damaged: cut");
	is_int(tbx_list(store, false, &doc), TBX_OK, "the list goes on");
	is_int(tbx_doc_count(doc, "damaged"), 1, "and names it");
	tbx_doc_free(doc);
	is_int(tbx_reap(store, false, &doc), TBX_OK, "reap");
	is_int(tbx_doc_count(doc, "strays"), 1, "takes it");
	ok(tbx_doc_true(doc, "strays[0].done"), "and sets it aside");
	tbx_doc_free(doc);
	snprintf(path, sizeof(path), "%s/boxes/%s", root, id);
	ok(access(path, F_OK), "it is not among the boxes");
	snprintf(path, sizeof(path), "%s/damaged", root);
	ok(!access(path, F_OK), "but kept");
}

static void newer(struct tbx_store *store)
{
	struct bx a, b;

	new_box(store, "ready", NULL, &a);
	json_object_set_new(a.record, "version", json_integer(99));
	bx_save(&a);
	is_int(bx_open(store, a.id, BX_LOCK_NONE, &b), TBX_ERR_UNSUPPORTED,
	       "a newer version is not touched");
	json_object_set_new(a.record, "version", json_integer(1));
	json_object_set_new(a.record, "id", json_string("box-77"));
	bx_save(&a);
	is_int(bx_open(store, a.id, BX_LOCK_NONE, &b), TBX_ERR_STORE, "nor another box's record");
	bx_forget(&a);
	bx_close(&a);
}

static void reap_dead(struct tbx_store *store)
{
	struct tbx_doc *doc;
	struct bx a;

	new_box(store, "creating", "dead", &a);
	bx_claim_name(&a, "dead");
	tbx_reap(store, false, &doc);
	is_int(tbx_doc_count(doc, "boxes"), 0, "a creation that lives stays");
	tbx_doc_free(doc);
	bx_close(&a);
	tbx_reap(store, true, &doc);
	is_int(tbx_doc_count(doc, "boxes"), 1, "dry: told");
	ok(!tbx_doc_true(doc, "boxes[0].done"), "and not done");
	tbx_doc_free(doc);
	tbx_reap(store, false, &doc);
	ok(tbx_doc_true(doc, "boxes[0].done"), "a creation that died goes");
	tbx_doc_free(doc);
	mkdirat(store->boxes, "box-500", 0700);
	mkdirat(store->boxes, ".gone-box-3", 0700);
	if (symlinkat("box-999", store->names, "nobody"))
		puts("Bail out!");
	tbx_reap(store, false, &doc);
	is_int(tbx_doc_count(doc, "strays"), 2, "directories without a record, half removed ones");
	tbx_doc_free(doc);
	ok(faccessat(store->boxes, "box-500", F_OK, 0) && faccessat(store->boxes, ".gone-box-3", F_OK, 0) &&
	   faccessat(store->names, "nobody", F_OK, AT_SYMLINK_NOFOLLOW), "and names are gone");
}

static int spec_status(struct tbx_store *store, const struct tbx_spec *spec)
{
	struct tbx_doc *doc = NULL;
	int status = tbx_plan(store, spec, &doc);

	tbx_doc_free(doc);
	return status;
}

static void specs(struct tbx_store *store)
{
	const char *env[] = { "A", NULL }, *allow[] = { "x:1", NULL }, *accept[] = { "nothing", NULL };
	struct tbx_port port = { 0, 1, NULL };
	struct tbx_spec s = TBX_SPEC_INIT, none = TBX_SPEC_INIT;

	is_int(spec_status(store, &s), TBX_OK, "the least of a spec");
	s.sandbox = "docker";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "a sandbox that is not there");
	s = none, s.env = env;
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "a variable without a value");
	s = none, s.allow = allow;
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "allow without egress");
	s.network = TBX_NETWORK_EGRESS;
	is_int(spec_status(store, &s), TBX_OK, "and with it");
	s = none, s.accept = accept;
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "a control that is none");
	s = none, s.ports = &port, s.port_count = 1;
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "port 0 inside");
	s = none, s.persistent = true, s.ttl = 1;
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "an end of what has none");
	s = none, s.name = "box-1";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "a name like an id");
	s = none, s.source = TBX_SOURCE_DIR, s.from = "/nonexistent";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "a directory that is not there");
	s.from = "/etc/passwd";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "that is none");
	s = none, s.source = TBX_SOURCE_GIT, s.from = "x";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "a repository that has no place");
	s.from = "ext::sh -c x";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "one that is a program");
	s.from = "https://host/x", s.revision = "--orphan";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "a revision that is an option");
	s.revision = "v1.0/x";
	is_int(spec_status(store, &s), TBX_OK, "one that is none");
	s = none, s.source = TBX_SOURCE_SNAPSHOT, s.from = "snap-1";
	is_int(spec_status(store, &s), TBX_ERR_UNKNOWN, "a snapshot that is not there");
	s = none, s.source = TBX_SOURCE_TEMPLATE, s.from = "t";
	is_int(spec_status(store, &s), TBX_ERR_UNKNOWN, "nor is a template");
	s.from = "snap-1";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "a snapshot is no template");
	s = none, s.target.host = "ssh", s.target.destination = "-oProxyCommand=touch x";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "a destination that is an option");
	s.target.destination = "host", s.target.known_hosts = "/tmp/a b";
	is_int(spec_status(store, &s), TBX_OK, "a file with a blank in its name");
	s.target.known_hosts = "/tmp/%h";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "one that ssh would expand");
	s.target.known_hosts = "/tmp/a\" b";
	is_int(spec_status(store, &s), TBX_ERR_ARGUMENT, "one that would be two");
}

static void trees(void)
{
	int dir = open(root, O_RDONLY | O_DIRECTORY), at, next;

	mkdirat(dir, "deep", 0700);
	at = openat(dir, "deep", O_RDONLY);
	for (int i = 0; i < 600; i++) {
		mkdirat(at, "a directory with a name that is long", i % 7 ? 0700 : 0500);
		if (symlinkat("/etc", at, "link"))
			puts("Bail out!");
		next = openat(at, "a directory with a name that is long", O_RDONLY);
		fchmod(next, 0700);
		close(at);
		at = next;
	}
	close(at);
	is_int(bx_remove_tree(dir, "deep"), 0, "a tree deeper than any path");
	ok(faccessat(dir, "deep", F_OK, 0), "is gone");
	ok(!access("/etc/passwd", F_OK), "and nothing that a link named");
	close(dir);
}

/* A program with another header: what it does not have is the default, what is not known is refused. */
static void test_sizes(struct tbx_store *store)
{
	struct { struct tbx_spec spec; uint64_t more[4]; } n = {TBX_SPEC_INIT, {0}};
	struct { struct tbx_options opt; uint64_t more; } o = {TBX_OPTIONS_INIT, 1};
	struct tbx_exec exec = TBX_EXEC_INIT;
	struct tbx_sync sync = TBX_SYNC_INIT;
	struct tbx_fork fork = TBX_FORK_INIT;
	struct tbx_snap snap = TBX_SNAP_INIT;
	struct tbx_stream *s;
	struct tbx_store *other;
	struct tbx_doc *doc;
	json_t *record;

	n.spec.size = offsetof(struct tbx_spec, target);
	n.spec.target.host = (const char *)1;
	is_int(bx_record_of(store, &n.spec, &record), TBX_OK, "an older spec");
	json_decref(record);
	n.spec = (struct tbx_spec)TBX_SPEC_INIT;
	n.spec.size += 8;
	is_int(bx_record_of(store, &n.spec, &record), TBX_OK, "a newer one");
	json_decref(record);
	n.more[0] = 1;
	is_int(bx_record_of(store, &n.spec, &record), TBX_ERR_ARGUMENT, "that asks for more");
	exec.size = sync.size = fork.size = snap.size = 1;
	is_int(tbx_stream_open(store, "box-1", &exec, &s), TBX_ERR_ARGUMENT, "no size of an exec");
	is_int(tbx_sync_to(store, &sync, &doc), TBX_ERR_ARGUMENT, "of a sync");
	is_int(tbx_fork(store, "box-1", &fork, &doc), TBX_ERR_ARGUMENT, "of a fork");
	is_int(tbx_snapshot(store, "box-1", &snap, &doc), TBX_ERR_ARGUMENT, "of a snapshot");
	ok(strstr(tbx_error(store), "struct tbx_snap: its size"), "which is said");
	o.opt.state_dir = root;
	o.opt.size += 8;
	is_int(tbx_open(&other, &o.opt), TBX_ERR_ARGUMENT, "nor is a store opened");
	tbx_close(other);
}

int main(void)
{
	struct tbx_store *store;
	int dir;

	if (!mkdtemp(root))
		return 1;
	store = open_store();
	numbers(store);
	names(store);
	locks(store);
	newer(store);
	records(store);
	reap_dead(store);
	specs(store);
	test_sizes(store);
	trees();
	tbx_close(store);
	dir = open("/tmp", O_RDONLY | O_DIRECTORY);
	bx_remove_tree(dir, root + 5);
	return done();
}
