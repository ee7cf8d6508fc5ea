/*
 * What no friend would send, and more of it than can be taken.
 */
#include "host.h"

/* ---- The flood ---- */

void hostile(struct host *h)
{
	static const char *const frames[] = {
		"", "x", "{", "[]", "null", "\"\"", "1", "{}", "{\"header\":1}", "{\"header\":{}}",
		"{\"header\":{\"kind\":7}}", "{\"header\":{\"kind\":\"method_call\"}}",
		"{\"header\":{\"kind\":\"method_call\",\"serial\":0},\"body\":[]}",
		"{\"header\":{\"kind\":\"method_call\",\"serial\":-1},\"body\":[]}",
		"{\"header\":{\"kind\":\"method_call\",\"serial\":\"1\"},\"body\":[]}",
		"{\"header\":{\"kind\":\"method_call\",\"serial\":1.5},\"body\":[]}",
		"{\"header\":{\"kind\":\"method_return\",\"serial\":9,\"reply_serial\":1}}",
		"{\"header\":{\"kind\":\"error\",\"serial\":9,\"reply_serial\":2,\"error_name\":\"a.b\"}}",
		"{\"header\":{\"kind\":\"signal\",\"serial\":9}}", "{\"header\":{\"kind\":\"a\",\"kind\":\"b\"}}",
		"{\"header\":{\"kind\":\"method_call\",\"serial\":1,\"serial\":2}}", "\xff\xfe", "{\"a\":\"\\ud800\"}",
	};
	int before = h->faults;
	char *big = malloc(TB_FRAME_MAX + 2);
	size_t n;
	json_t *reply;

	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		while (deliver_text(h, frames[i]) == TB_BACKPRESSURE)
			usleep(1000);
	memset(big, '[', TB_FRAME_MAX + 1);
	ok(h->module.deliver(h->module.ctx, (const uint8_t *)big, TB_FRAME_MAX) == TB_OK, "16 MiB of brackets");
	ok(h->module.deliver(h->module.ctx, (const uint8_t *)big, TB_FRAME_MAX + 1) == TB_BAD_ARGUMENT, "one byte more");
	ok(h->module.deliver(h->module.ctx, NULL, 5) == TB_BAD_ARGUMENT, "no bytes at all");
	memset(big, ' ', TB_FRAME_MAX);
	n = (size_t)sprintf(big, "{\"header\":{\"kind\":\"method_call\",\"serial\":77,\"path\":\"" OBJECT "\",\"interface\":\""
			    IFACE "\",\"member\":\"Inspect\"},\"body\":[\"");
	memset(big + n, 'x', TB_FRAME_MAX - n - 3);
	memcpy(big + TB_FRAME_MAX - 3, "\"]}", 3);
	ok(h->module.deliver(h->module.ctx, (const uint8_t *)big, TB_FRAME_MAX) == TB_OK, "a text of 16 MiB");
	reply = wait_reply(h, 77, PATIENCE);
	ok(!strcmp(error_of(reply), "BadArguments"), "... is too long an id");
	json_decref(reply);
	n = (size_t)sprintf(big, "{\"header\":{\"kind\":\"method_call\",\"serial\":78,\"path\":\"" OBJECT "\",\"member\":\"Exec\"},"
			    "\"body\":[{\"resource\":\"x\",\"argv\":[\"cat\"],\"stdin\":[0");
	while (n < TB_FRAME_MAX - 10) {
		big[n++] = ',';
		big[n++] = '1';
	}
	strcpy(big + n, "]}]}");
	ok(deliver_text(h, big) == TB_OK, "eight million numbers");
	free(big);
	h->serial += 100;
	reply = call(h, "Describe", json_array());
	ok(is_return(reply), "it lives");
	json_decref(reply);
	ok(h->faults == before, "and did not complain of itself");
}

void objects(struct host *h)
{
	static const struct { const char *header, *error; } cases[] = {
		{ "\"path\":\"/x\",\"interface\":\"" IFACE "\",\"member\":\"Describe\"", "UnknownObject" },
		{ "\"interface\":\"" IFACE "\",\"member\":\"Describe\"", "UnknownObject" },
		{ "\"path\":\"" OBJECT "\",\"interface\":\"a.b\",\"member\":\"Describe\"", "UnknownInterface" },
		{ "\"path\":\"" OBJECT "\"", "UnknownMethod" },
		{ "\"path\":\"" OBJECT "\",\"member\":7", "UnknownMethod" },
	};
	char text[512];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *reply;
		uint64_t serial = ++h->serial;

		snprintf(text, sizeof(text), "{\"header\":{\"kind\":\"method_call\",\"serial\":%llu,%s},\"body\":[]}",
			 (unsigned long long)serial, cases[i].header);
		deliver_text(h, text);
		reply = wait_reply(h, serial, PATIENCE);
		ok(!strcmp(error_of(reply), cases[i].error), "%s", cases[i].error);
		json_decref(reply);
	}
}

/* Nothing is taken from us: the queue fills, says so, and wakes us when there is room. */
void backpressure(struct host *h)
{
	char text[256];
	uint64_t first = h->serial + 1;
	int taken = 0, answered = 0;
	struct timespec until;
	int32_t code = TB_OK;

	pthread_mutex_lock(&h->lock);
	h->full = true;
	h->wakes = 0;
	pthread_mutex_unlock(&h->lock);
	for (int i = 0; i < 20000 && !code; i++) {
		snprintf(text, sizeof(text), "{\"header\":{\"kind\":\"method_call\",\"serial\":%llu,\"path\":\"" OBJECT
			 "\",\"member\":\"Forward\"},\"body\":[1]}", (unsigned long long)h->serial + 1);
		code = deliver_text(h, text);
		h->serial += !code;
		taken += !code;
	}
	ok(code == TB_BACKPRESSURE, "a full queue says so, behind %d", taken);
	ok(taken >= 256 && taken < 3000, "it has a bound");
	pthread_mutex_lock(&h->lock);
	h->full = false;
	until = later(PATIENCE);
	while (!h->wakes && !pthread_cond_timedwait(&h->news, &h->lock, &until))
		;
	pthread_mutex_unlock(&h->lock);
	ok(h->wakes >= 1, "and wakes us when there is room");
	for (int i = 0; i < taken; i++) {
		json_t *reply = wait_reply(h, first + (uint64_t)i, PATIENCE);

		answered += reply != NULL;
		json_decref(reply);
	}
	ok(answered == taken, "each was answered: %d", answered);
}

void reservations(struct host *h)
{
	int good = 0;
	json_t *reply = NULL;
	uint64_t first = h->serial + 1;

	for (int i = 0; i < 4097; i++)
		post(h, "Reserve", json_pack("[s]", "Resource"));
	for (int i = 0; i < 4097; i++) {
		json_decref(reply);
		reply = wait_reply(h, first + (uint64_t)i, PATIENCE);
		good += is_return(reply);
	}
	ok(good <= 4096 && good > 3900, "%d ids were reserved", good);
	ok(!strcmp(error_of(reply), "ResourceLimit"), "the last is ResourceLimit");
	json_decref(reply);
}

/* Many at once, from many threads. */
struct crowd {
	struct host *h;
	const char *id;
	int good;
};

static void *one_of_many(void *arg)
{
	struct crowd *c = arg;
	char text[400];

	for (int i = 0; i < 20; i++) {
		json_t *reply;
		uint64_t serial;
		int32_t code;

		pthread_mutex_lock(&c->h->lock);
		serial = ++c->h->serial;
		pthread_mutex_unlock(&c->h->lock);
		snprintf(text, sizeof(text), "{\"header\":{\"kind\":\"method_call\",\"serial\":%llu,\"path\":\"" OBJECT
			 "\",\"member\":\"Exec\"},\"body\":[{\"resource\":\"%s\",\"argv\":[\"echo\",\"%d\"]}]}",
			 (unsigned long long)serial, c->id, i);
		while ((code = deliver_text(c->h, text)) == TB_BACKPRESSURE)
			usleep(1000);
		reply = wait_reply(c->h, serial, PATIENCE);
		c->good += is_return(reply) || !strcmp(error_of(reply), "ResourceLimit");
		json_decref(reply);
	}
	return NULL;
}

void crowd(struct host *h, const char *backend)
{
	pthread_t t[8];
	struct crowd c[8];
	json_t *reply;
	char *id = create(h, backend, &reply);
	int good = 0;

	json_decref(reply);
	for (int i = 0; i < 8; i++) {
		c[i] = (struct crowd){h, id, 0};
		pthread_create(&t[i], NULL, one_of_many, &c[i]);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(t[i], NULL);
		good += c[i].good;
	}
	ok(good == 160, "%s: eight threads, %d answers", backend, good);
	gives(h, "Close", json_pack("[s]", id), "after a crowd");
	free(id);
}

/* Closed while it is being made. */
void race(struct host *h, const char *backend)
{
	int good = 0;

	for (int i = 0; i < 6; i++) {
		char *id = reserve(h, "Resource", NULL);
		uint64_t made = post(h, "Create", create_args(id, backend));
		json_t *a, *b;

		usleep((useconds_t)i * 3000);
		b = call(h, "Close", json_pack("[s]", id));
		a = wait_reply(h, made, PATIENCE);
		if (!is_return(b)) {	/* it was too early: nothing was there yet */
			json_decref(b);
			b = call(h, "Close", json_pack("[s]", id));
		}
		good += a && is_return(b);
		json_decref(a);
		json_decref(b);
		free(id);
	}
	ok(good == 6, "%s: closed while they were made: %d", backend, good);
}

