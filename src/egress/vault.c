/*
 * The secrets, in pages that are not swapped out, dumped or inherited where the kernel lets us say so.
 */
#include "egress/egress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool no(const char **why, const char *text)
{
	if (!*why)
		*why = text;
	return false;
}

static bool read_host(struct vault_host *h, const struct wire_field_in *f)
{
	static const char plain[] = "http://";
	bool bad = false;
	char *text = wire_copy(f, &bad), *at = text, *colon;
	uint64_t port = 0;

	h->tls = !text || strncmp(text, plain, sizeof(plain) - 1);
	at += h->tls ? 0 : sizeof(plain) - 1;
	colon = text ? strrchr(at, ':') : NULL;
	bad = bad || !colon || !ht_number(colon + 1, strlen(colon + 1), &port) || !port || port > 65535;
	if (!bad && *at == '[' && colon[-1] == ']') {
		at++;
		colon[-1] = '\0';
	} else if (!bad) {
		*colon = '\0';
	}
	bad = bad || !*at || strlen(at) >= sizeof(h->name) || strpbrk(at, "/@ ");
	if (!bad)
		memcpy(h->name, at, strlen(at) + 1);
	h->port = (uint16_t)port;
	free(text);
	return !bad;
}

static bool read_hosts(struct vault_secret *s, struct wire_iter it)
{
	struct wire_field_in f;

	s->host = calloc(WIRE_SECRET_HOSTS_MAX, sizeof(*s->host));
	while (s->host && wire_step(&it, &f))
		if (f.name == WIRE_F_ADDRESS &&
		    (s->hosts == WIRE_SECRET_HOSTS_MAX || !read_host(&s->host[s->hosts++], &f)))
			return false;
	return s->host && s->hosts;
}

/* A line of a head has to hold it. */
static bool read_value(struct vault_secret *s, struct wire_iter it)
{
	struct wire_field_in f;

	if (!wire_find(it, WIRE_F_VALUE, &f) || f.size < WIRE_SECRET_MIN || f.size > WIRE_SECRET_MAX)
		return false;
	s->value = mmap(NULL, WIRE_SECRET_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->value == MAP_FAILED) {
		s->value = NULL;
		return false;
	}
	mlock(s->value, WIRE_SECRET_MAX);	/* the limit may be too small: then it may be swapped */
	madvise(s->value, WIRE_SECRET_MAX, MADV_DONTDUMP);
	memcpy(s->value, f.data, f.size);
	s->size = f.size;
	for (size_t i = 0; i < f.size; i++)
		if (f.data[i] < ' ' || f.data[i] == 127)
			return false;
	return true;
}

static bool read_secret(struct vault *v, const struct wire_field_in *f, const char **why)
{
	struct wire_iter it = wire_nested(f);
	struct vault_secret *s = &v->secret[v->count];
	bool bad = !wire_whole(it);

	if (v->count++ == WIRE_SECRETS_MAX)
		return no(why, "too many secrets");
	s->name = wire_string(it, WIRE_F_NAME, &bad);
	s->placeholder = wire_string(it, WIRE_F_PLACEHOLDER, &bad);
	if (bad || !s->name || strlen(s->name) > HT_NAME_MAX || !s->placeholder || strlen(s->placeholder) < 32)
		return no(why, "a secret has no name or no placeholder");
	if (!read_value(s, it))
		return no(why, "a secret's value is of no use");
	return read_hosts(s, it) || no(why, "a secret has no host, or one that is not HOST:PORT");
}

bool vault_read(struct vault *v, struct wire_iter fields, const char **why)
{
	struct wire_field_in f;

	if (!wire_whole(fields))
		return no(why, "SECRETS is damaged");
	while (wire_step(&fields, &f))
		if (f.name == WIRE_F_SECRET && !read_secret(v, &f, why))
			return false;
	return v->count || no(why, "SECRETS has none");
}

static bool is_for(const struct vault_secret *s, const char *host, uint16_t port, bool tls)
{
	for (size_t i = 0; i < s->hosts; i++)
		if (s->host[i].port == port && s->host[i].tls == tls && !strcmp(s->host[i].name, host))
			return true;
	return false;
}

size_t vault_swaps(const struct vault *v, const char *host, uint16_t port, bool tls, struct ht_swap *swap)
{
	size_t here = 0;

	for (size_t i = 0; i < v->count; i++) {
		const struct vault_secret *s = &v->secret[i];

		swap[i] = (struct ht_swap){s->name, s->placeholder, s->value, s->size, is_for(s, host, port, tls)};
		here += swap[i].here;
	}
	return here;
}

void vault_wipe(struct vault *v)
{
	for (size_t i = 0; i < v->count && i < WIRE_SECRETS_MAX; i++) {
		struct vault_secret *s = &v->secret[i];

		if (s->value) {
			explicit_bzero(s->value, WIRE_SECRET_MAX);
			munmap(s->value, WIRE_SECRET_MAX);
		}
		free(s->name);
		free(s->placeholder);
		free(s->host);
	}
	*v = (struct vault){0};
}
