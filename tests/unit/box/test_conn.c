/*
 * Servers that do not speak as they should: each is a script of bytes at the other end of a
 * socket. Whatever they say, the answer is one error in time.
 */
#include "tap.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/internal.h"

static struct tbx_store store;

static void hello(struct wire_out *o, uint32_t version)
{
	wire_begin(o, WIRE_HELLO);
	wire_text(o, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(o, WIRE_F_VERSION, version);
	wire_text(o, WIRE_F_KIND, "fake");
	wire_text(o, WIRE_F_CAPABILITY, "one");
	wire_text(o, WIRE_F_CAPABILITY, "\xff");
	wire_end(o);
}

/* A conversation whose other side says that and closes. */
static void begin(struct bx_conn *c, const void *data, size_t n, bool noisy)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		exit(1);
	*c = (struct bx_conn){.store = &store, .fd = pair[0], .child_err = -1, .noisy = noisy};
	strcpy(c->what, "a server");
	if (n && write(pair[1], data, n) != (ssize_t)n)
		exit(1);
	shutdown(pair[1], SHUT_WR);
}

static void greeting(const void *data, size_t n, bool noisy, int want, const char *name)
{
	struct bx_conn c;

	begin(&c, data, n, noisy);
	is_int(bx_hello(&c, bx_ticks() + 2 * BX_SECOND), want, name);
	bx_conn_close(&c);
}

static void greetings(void)
{
	static const char words[] = "Welcome!\n\1\1\0\7\0\0\0tinybot\n";
	static char noise[2u << 20];
	size_t n = sizeof(words) - 1;
	struct wire_out o = {0}, old = {0};
	char *mixed;

	hello(&o, WIRE_VERSION);
	hello(&old, WIRE_VERSION + 1);
	greeting(o.data, o.size, false, TBX_OK, "as it should");
	greeting("", 0, false, TBX_ERR_LOST, "nothing at all");
	greeting(o.data, o.size - 1, false, TBX_ERR_LOST, "a frame that is cut");
	greeting("\0\0\0\0", 4, false, TBX_ERR_PROTOCOL, "an empty frame");
	greeting("\377\377\377\377", 4, false, TBX_ERR_PROTOCOL, "a frame without end");
	greeting("SSH-2.0-OpenSSH\r\n", 17, false, TBX_ERR_PROTOCOL, "another protocol");
	greeting("\1\0\0\0\1", 5, false, TBX_ERR_PROTOCOL, "a greeting without its word");
	greeting("\3\0\0\0\1\1\0", 7, false, TBX_ERR_PROTOCOL, "damaged fields");
	greeting(old.data, old.size, false, TBX_ERR_PROTOCOL, "another version");
	mixed = malloc(100 + o.size);
	memcpy(mixed, words, n);
	memcpy(mixed + n, o.data, o.size);
	greeting(mixed, n + o.size, true, TBX_OK, "words of a login shell before");
	greeting(mixed, n + o.size, false, TBX_ERR_PROTOCOL, "which nobody else may say");
	greeting(mixed, n, true, TBX_ERR_LOST, "only words");
	memset(noise, 'x', sizeof(noise));
	greeting(noise, 100000, true, TBX_ERR_LOST, "many words");
	free(mixed);
	wire_free(&o);
	wire_free(&old);
}

static int answer(struct wire_out *o)
{
	struct wire_frame f;
	struct bx_conn c;
	int status;

	begin(&c, o->data, o->size, false);
	status = bx_answer(&c, &f, bx_ticks() + 2 * BX_SECOND);
	bx_conn_close(&c);
	wire_free(o);
	return status;
}

static void error(struct wire_out *o, const char *code, const char *text, uint32_t err)
{
	wire_begin(o, WIRE_ERROR);
	wire_text(o, WIRE_F_CODE, code);
	wire_text(o, WIRE_F_TEXT, text);
	if (err)
		wire_u32(o, WIRE_F_ERRNO, err);
	wire_end(o);
}

static void answers(void)
{
	struct wire_out o = {0};

	wire_begin(&o, WIRE_ALIVE);
	wire_end(&o);
	wire_begin(&o, WIRE_OK);
	wire_end(&o);
	is_int(answer(&o), TBX_OK, "signs of life come between");
	error(&o, "policy", "no\033[2Jway", 0);
	is_int(answer(&o), TBX_ERR_POLICY, "an error has its code");
	is_str(tbx_error(&store), "no?[2Jway", "and a sentence that is safe to show");
	error(&o, "no-command", "x", 13);
	is_int(answer(&o), TBX_ERR_COMMAND, "a command that may not be run");
	is_int(tbx_error_status(&store), 126, "is 126");
	error(&o, "no-command", "x", 2);
	answer(&o);
	is_int(tbx_error_status(&store), 127, "one that is not there 127");
	error(&o, "of-tomorrow", NULL, 0);
	is_int(answer(&o), TBX_ERR_SYSTEM, "a code that is not known");
	wire_begin(&o, WIRE_STARTED);
	wire_end(&o);
	is_int(answer(&o), TBX_ERR_PROTOCOL, "a frame that is no answer");
	wire_begin(&o, 99);
	wire_end(&o);
	is_int(answer(&o), TBX_ERR_PROTOCOL, "a frame of no kind");
}

/* A server that holds its tongue. */
static void silence(void)
{
	struct bx_conn c;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		exit(1);
	c = (struct bx_conn){.store = &store, .fd = pair[0], .child_err = -1};
	is_int(bx_hello(&c, bx_ticks() + BX_SECOND / 20), TBX_ERR_TIMEOUT, "nobody waits for ever");
	bx_conn_close(&c);
	close(pair[1]);
}

static void children(void)
{
	const char *argv[] = { "/bin/sh", "-c", "yes complaint | head -c 100000 >&2; echo last words >&2; exit 1",
		NULL };
	const char *none[] = { "/no/such/program", NULL };
	struct bx_conn c;
	char *said;

	is_int(bx_spawn(&store, none, "x", &c), TBX_ERR_SYSTEM, "a program that is not there");
	is_int(bx_spawn(&store, argv, "x", &c), TBX_OK, "a child");
	is_int(bx_hello(&c, bx_ticks() + 10 * BX_SECOND), TBX_ERR_LOST, "that only complains");
	said = bx_child_said(&c);
	ok(said && strlen(said) <= 400, "what it said is bounded");
	free(said);
	bx_conn_close(&c);
	is_int(waitpid(-1, NULL, WNOHANG), -1, "no child is left");
}

int main(void)
{
	greetings();
	answers();
	silence();
	children();
	free(store.error);
	return done();
}
