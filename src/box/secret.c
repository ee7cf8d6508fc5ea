/*
 * Secrets of a box: what the record says of them (names, sources, hosts, placeholders; never a value), and the values on
 * their way from their sources to tinybox-egress, which is the only one that gets them.
 */
#include "box/internal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/trust.h"

#define AUTHORITIES_MOST (1u << 20)

/* Somebody may have given the value itself: it is not shown. */
static int bad(struct tbx_store *store, const char *value, const char *why)
{
	const char *source = strchr(value, '=');
	bool plain = !source || !strncmp(source, "=env:", 5) || !strncmp(source, "=file:", 6) || !strncmp(source, "=stdin", 6);
	char *shown = plain ? bx_format("%.80s", value) : bx_format("%.*s=...", (int)strcspn(value, "="), value);
	int status;

	if (shown)
		bx_plain(shown);
	status = bx_fail(store, TBX_ERR_ARGUMENT, "--secret '%s': %s", shown ? shown : "", why);
	free(shown);
	return status;
}

/* ---- What the spec says: NAME[=SOURCE]@PLACE[,PLACE]... ---- */

static bool is_variable(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return n && n <= BX_NAME_MAX && !isdigit((unsigned char)*s);
}

/* A host's name or address in lower case, without a dot at its end. */
static bool clean_host(char *s)
{
	size_t n = strlen(s);

	if (*s == '[')
		return n > 4 && s[n - 1] == ']' && strspn(s + 1, "0123456789abcdef:.") == n - 2;
	if (n && s[n - 1] == '.')
		s[--n] = '\0';
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("._-", s[i]))
			return false;
	return n && n <= 253 && *s != '-' && *s != '.' && !strstr(s, "..");
}

/* [http://]HOST[:PORT] as HOST:PORT; malloc. NULL: *why. */
static char *clean_place(const char *place, size_t n, const char **why)
{
	bool plain = n > 7 && !strncasecmp(place, "http://", 7);
	char *host = strndup(place + (plain ? 7 : 0), n - (plain ? 7 : 0)), *colon, *out = NULL, *end;
	unsigned long port = plain ? 80 : 443;

	for (char *p = host; p && *p; p++)
		*p = (char)tolower((unsigned char)*p);
	colon = host ? strrchr(host, ':') : NULL;
	if (colon && *host == '[' && colon < strchr(host, ']'))
		colon = NULL;
	*why = "a host is NAME, NAME:PORT, or http://NAME[:PORT], where it is sent without TLS";
	if (colon) {
		*colon = '\0';
		port = isdigit((unsigned char)colon[1]) ? strtoul(colon + 1, &end, 10) : 0;
		port = port && port < 65536 && !*end ? port : 0;
	}
	if (host && strchr(host, '*'))
		*why = "its host must be named as it is: a star could be anybody's";
	else if (host && port && clean_host(host))
		out = bx_format("%s%s:%lu", plain ? "http://" : "", host, port);
	free(host);
	return out;
}

/* Whether a rule of --allow lets it through. */
static bool allows(const char *rule, const char *place)
{
	const char *at = strncmp(place, "http://", 7) ? place : place + 7, *colon = strrchr(rule, ':');
	size_t n = strlen(at);

	if (!strcasecmp(rule, at))
		return true;
	return colon && *rule == '*' && rule[1] == '.' && n > strlen(rule + 1) &&
		!strcasecmp(at + n - strlen(rule + 1), rule + 1);
}

static int check_allowed(struct tbx_store *store, const struct tbx_spec *spec, const char *text, const char *place)
{
	bool good = !spec->allow || !spec->allow[0];

	for (size_t i = 0; !good && spec->allow[i]; i++)
		good = allows(spec->allow[i], place);
	return good ? TBX_OK : bad(store, text, "--allow has a list, and its host with the port is not in it");
}

static int put_hosts(struct tbx_store *store, const struct tbx_spec *spec, const char *text, const char *places,
		     json_t *secret)
{
	json_t *hosts = json_array();
	int status = TBX_OK;

	bx_put(secret, "hosts", hosts);
	for (const char *at = places; !status; at += strcspn(at, ",") + 1) {
		size_t n = strcspn(at, ",");
		const char *why;
		char *place = clean_place(at, n, &why);

		if (!place)
			status = bad(store, text, why);
		else if (json_array_size(hosts) == WIRE_SECRET_HOSTS_MAX)
			status = bad(store, text, "too many hosts");
		else
			status = check_allowed(store, spec, text, place);
		if (!status)
			json_array_append_new(hosts, json_string(place));
		free(place);
		if (!at[n])
			break;
	}
	return status;
}

static int put_file(struct tbx_store *store, const char *text, const char *path, json_t *secret)
{
	char *cwd = *path == '/' ? NULL : getcwd(NULL, 0);
	char *whole = *path == '/' ? strdup(path) : cwd ? bx_format("%s/%s", cwd, path) : NULL;

	free(cwd);
	if (!whole)
		return bad(store, text, strerror(errno));
	bx_put(secret, "source", json_string("file"));
	bx_put(secret, "from", bx_json_text(whole));
	free(whole);
	return TBX_OK;
}

static int put_from(struct tbx_store *store, const char *text, const char *source, const char *name, json_t *secret)
{
	const char *variable = !source ? name : !strncmp(source, "env:", 4) ? source + 4 : NULL;

	if (source && !strncmp(source, "file:", 5) && source[5])
		return put_file(store, text, source + 5, secret);
	if (source && !strcmp(source, "stdin")) {
		bx_put(secret, "source", json_string("stdin"));
		return TBX_OK;
	}
	if (!variable || !is_variable(variable, strlen(variable)))
		return bad(store, text, "its source is env:VARIABLE, file:PATH or stdin; never the value itself, which "
			   "everybody on this machine could read in a list of processes");
	bx_put(secret, "source", json_string("env"));
	bx_put(secret, "from", json_string(variable));
	return TBX_OK;
}

static bool is_taken(const struct tbx_spec *spec, const json_t *secrets, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; spec->env && spec->env[i]; i++)
		if (!strncmp(spec->env[i], name, n) && spec->env[i][n] == '=')
			return true;
	for (size_t i = 0; i < json_array_size(secrets); i++)
		if (!strcmp(bx_text(json_array_get(secrets, i), "name"), name))
			return true;
	return false;
}

static int put_secret(struct tbx_store *store, const struct tbx_spec *spec, const char *text, json_t *secrets)
{
	char *copy = strdup(text), *at = copy ? strrchr(copy, '@') : NULL, *source;
	json_t *secret = json_object();
	int status = TBX_OK;

	if (!at || !at[1] || !bx_is_utf8(text, strlen(text))) {
		status = bad(store, text, "must be NAME[=SOURCE]@HOST[:PORT][,HOST...]");
	} else {
		*at++ = '\0';
		source = strchr(copy, '=');
		if (source)
			*source++ = '\0';
		if (!is_variable(copy, strlen(copy)))
			status = bad(store, text, "its name is the variable's inside: letters, digits and _, at most 64");
		else if (is_taken(spec, secrets, copy))
			status = bad(store, text, "another variable has that name");
		bx_put(secret, "name", json_string(copy));
		if (!status)
			status = put_from(store, text, source, copy, secret);
		if (!status)
			status = put_hosts(store, spec, text, at, secret);
	}
	json_array_append_new(secrets, secret);
	free(copy);
	return status;
}

int bx_put_secrets(struct tbx_store *store, const struct tbx_spec *spec, json_t *out)
{
	json_t *secrets;
	char *path;
	size_t n = 0;
	int status = TBX_OK;

	if (!spec->secrets || !spec->secrets[0])
		return spec->secret_ca ? bx_fail(store, TBX_ERR_ARGUMENT, "--secret-ca needs --secret") : TBX_OK;
	if (spec->network != TBX_NETWORK_EGRESS)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--secret needs --network egress: only a proxy outside can put a "
			       "value in the place of its placeholder");
	secrets = json_array();
	bx_put(out, "secrets", secrets);
	for (; !status && spec->secrets[n]; n++)
		status = n == WIRE_SECRETS_MAX ? bad(store, spec->secrets[n], "too many secrets") :
			put_secret(store, spec, spec->secrets[n], secrets);
	if (status || !spec->secret_ca)
		return status;
	path = realpath(spec->secret_ca, NULL);
	if (!path)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--secret-ca '%s': %s", spec->secret_ca, strerror(errno));
	bx_put(out, "secret_ca", bx_json_text(path));
	free(path);
	return TBX_OK;
}

static const json_t *secrets_of(const json_t *record)
{
	return json_object_get(json_object_get(record, "spec"), "secrets");
}

int bx_check_secrets(struct tbx_store *store, const json_t *record)
{
	const char *kind = json_string_value(bx_at(record, "placement.workspace.sandbox"));

	if (!json_array_size(secrets_of(record)) || !kind)
		return TBX_OK;
	if (!strcmp(kind, "virtual"))
		return bx_fail(store, TBX_ERR_UNSUPPORTED, "--secret: a virtual box has no network, so nothing in it could "
			       "use one; the sandboxes namespace, docker and microvm have");
	if (!strcmp(kind, "passthrough"))
		return bx_fail(store, TBX_ERR_UNSUPPORTED, "--secret: passthrough has no wall that a secret could be kept "
			       "behind; the sandboxes namespace, docker and microvm have");
	return TBX_OK;
}

/* ---- Values ---- */

struct value {
	char data[WIRE_SECRET_MAX + 3];
	size_t n;
};

static int no_value(struct bx *b, const json_t *secret, const char *why)
{
	const char *from = bx_text(secret, "from"), *source = bx_text(secret, "source");

	return bx_fail(b->store, TBX_ERR_FILE, "the secret %s: %s%s%s: %s", bx_text(secret, "name"), source,
		       from ? " " : "", from ? from : "", why);
}

/* One newline at the end is the editor's. */
static int check_value(struct bx *b, const json_t *secret, struct value *v)
{
	if (v->n && v->data[v->n - 1] == '\n')
		v->n--;
	if (v->n && v->data[v->n - 1] == '\r')
		v->n--;
	if (!v->n)
		return no_value(b, secret, "is empty");
	if (v->n < WIRE_SECRET_MIN || v->n > WIRE_SECRET_MAX)
		return no_value(b, secret, v->n < WIRE_SECRET_MIN ? "is shorter than 8 bytes: it could not be told from other "
				"words where a host sends it back" : "is longer than 8192 bytes");
	for (size_t i = 0; i < v->n; i++)
		if ((unsigned char)v->data[i] < ' ' || v->data[i] == 127)
			return no_value(b, secret, "has a line break or another control byte in it, which a request's head "
					"cannot hold");
	return TBX_OK;
}

static int read_fd(struct bx *b, const json_t *secret, int fd, struct value *v)
{
	ssize_t n = 1;

	while (n && v->n < sizeof(v->data)) {
		n = read(fd, v->data + v->n, sizeof(v->data) - v->n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return no_value(b, secret, strerror(errno));
		v->n += (size_t)n;
	}
	return check_value(b, secret, v);
}

static int read_value(struct bx *b, const json_t *secret, struct value *v)
{
	const char *source = bx_text(secret, "source"), *from = bx_text(secret, "from"), *text;
	int fd, status;

	v->n = 0;
	if (!strcmp(source, "stdin"))
		return isatty(0) ? no_value(b, secret, "is a terminal, which would show it") : read_fd(b, secret, 0, v);
	if (!strcmp(source, "env")) {
		text = getenv(from);
		if (!text)
			return no_value(b, secret, "is not set here");
		v->n = strnlen(text, sizeof(v->data));
		memcpy(v->data, text, v->n);
		return check_value(b, secret, v);
	}
	fd = open(from, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return no_value(b, secret, strerror(errno));
	status = read_fd(b, secret, fd, v);
	close(fd);
	return status;
}

/* ---- To tinybox-egress ---- */

/* Once for the life of a box: its files may hold it. */
static int give_placeholder(struct bx *b, json_t *secret)
{
	unsigned char random[20];
	char *hex, *text;

	if (bx_text(secret, "placeholder"))
		return TBX_OK;
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return bx_fail(b->store, TBX_ERR_SYSTEM, "no random bytes: %s", strerror(errno));
	hex = bx_hex(random, sizeof(random));
	text = hex ? bx_format("tbx_secret_%s", hex) : NULL;
	bx_put(secret, "placeholder", text ? json_string(text) : NULL);
	free(hex);
	free(text);
	return bx_text(secret, "placeholder") ? TBX_OK : bx_memory(b->store);
}

static int put_one(struct bx *b, json_t *secret, struct wire_out *o)
{
	const json_t *hosts = json_object_get(secret, "hosts");
	struct value v;
	size_t mark;
	int status = give_placeholder(b, secret);

	if (!status)
		status = read_value(b, secret, &v);
	if (!status) {
		mark = wire_nest(o, WIRE_F_SECRET);
		wire_text(o, WIRE_F_NAME, bx_text(secret, "name"));
		wire_text(o, WIRE_F_PLACEHOLDER, bx_text(secret, "placeholder"));
		wire_bytes(o, WIRE_F_VALUE, v.data, v.n);
		for (size_t i = 0; i < json_array_size(hosts); i++)
			wire_text(o, WIRE_F_ADDRESS, json_string_value(json_array_get(hosts, i)));
		wire_unnest(o, mark);
	}
	explicit_bzero(&v, sizeof(v));
	return status;
}

static int put_authorities(struct bx *b, struct wire_out *o)
{
	char *path = bx_json_copy(bx_at(b->record, "spec.secret_ca")), *data = NULL;
	size_t n = 0;
	int status = path ? bx_read_all(b->store, path, &data, &n) : TBX_OK;

	if (!status && path && (n > AUTHORITIES_MOST || memchr(data, 0, n)))
		status = bx_fail(b->store, TBX_ERR_FILE, "%s: is no file of certificates", path);
	if (!status && path)
		wire_bytes(o, WIRE_F_CA, data, n);
	free(data);
	free(path);
	return status;
}

/* Variables that are sources of secrets are in no environment of the box's servers. */
static int hide(struct bx *b, const json_t *secrets)
{
	size_t n = json_array_size(secrets);
	char **list = calloc(n + 1, sizeof(*list));

	bx_free_list(b->store->hidden);
	b->store->hidden = list;
	for (size_t i = 0, k = 0; list && i < n; i++) {
		const json_t *secret = json_array_get(secrets, i);

		if (!strcmp(bx_text(secret, "source"), "env") && !(list[k++] = strdup(bx_text(secret, "from"))))
			return bx_memory(b->store);
	}
	return list ? TBX_OK : bx_memory(b->store);
}

static int talk(struct bx *b, const json_t *secrets, struct bx_conn *c, char **ca)
{
	char *name = bx_format("%s-%s", b->id, b->store->tag), *dir = bx_json_copy(json_object_get(b->record, "dir"));
	struct wire_frame f;
	bool damaged = false;
	int status = TBX_OK;

	wire_begin(&c->out, WIRE_SECRETS);
	wire_text(&c->out, WIRE_F_DIR, dir);
	wire_text(&c->out, WIRE_F_BOX, name);
	status = put_authorities(b, &c->out);
	for (size_t i = 0; !status && i < json_array_size(secrets); i++)
		status = put_one(b, json_array_get(secrets, i), &c->out);
	wire_end(&c->out);
	if (!status)
		status = bx_send(c, bx_step(b->store));
	if (c->out.data)
		explicit_bzero(c->out.data, c->out.cap);
	if (!status)
		status = bx_answer(c, &f, bx_step(b->store));
	if (!status)
		*ca = wire_string(wire_fields(&f), WIRE_F_CA, &damaged);
	if (!status && !*ca)
		status = bx_fail(b->store, TBX_ERR_PROTOCOL, "tinybox-egress: a damaged answer");
	free(dir);
	free(name);
	return status;
}

int bx_secrets_start(struct bx *b, struct bx_conn *c, char **ca)
{
	const json_t *secrets = secrets_of(b->record);
	int status;

	*c = (struct bx_conn){.store = b->store, .fd = -1, .child_err = -1};
	*ca = NULL;
	if (!json_array_size(secrets))
		return TBX_OK;
	status = bx_check_secrets(b->store, b->record);
	if (!status)
		status = hide(b, secrets);
	if (!status)
		status = bx_program(b->store, json_object_get(b->record, "target"), "tinybox-egress", "serve", c);
	if (!status) {
		status = talk(b, secrets, c, ca);
		if (status)
			bx_conn_close(c);
	}
	return status;
}

/* ---- Into the box ---- */

/* A container's root may not be written at all, or not by its user, who may be its workspace's. */
static const char *place_of(const struct bx *b)
{
	const char *kind = json_string_value(bx_at(b->record, "placement.workspace.sandbox"));

	return kind && !strcmp(kind, "docker") ? "/dev/shm/.tinybox" : "/etc/tinybox";
}

static bool env_has(const json_t *env, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < json_array_size(env); i++) {
		const char *s = json_string_value(json_array_get(env, i));

		if (s && !strncmp(s, name, n) && s[n] == '=')
			return true;
	}
	return false;
}

static void put_env(struct wire_out *o, const char *name, const char *value, const char *file)
{
	char *text = bx_format("%s=%s%s", name, value, file);

	wire_text(o, WIRE_F_ENV, text);
	o->failed |= !text;
	free(text);
}

void bx_secrets_message(const struct bx *b, struct wire_out *o)
{
	/* the authorities instead of the system's, so the system's are in that file; or beside them */
	static const char *const bundle[] = {"SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO",
		"PIP_CERT", "AWS_CA_BUNDLE", "CARGO_HTTP_CAINFO", "NIX_SSL_CERT_FILE", NULL};
	static const char *const more[] = {"NODE_EXTRA_CA_CERTS", "DENO_CERT", NULL};
	const json_t *secrets = secrets_of(b->record), *env = bx_at(b->record, "spec.env");

	for (size_t i = 0; i < json_array_size(secrets); i++) {
		const json_t *secret = json_array_get(secrets, i), *hosts = json_object_get(secret, "hosts");

		put_env(o, bx_text(secret, "name"), bx_text(secret, "placeholder"), "");
		for (size_t k = 0; k < json_array_size(hosts); k++)
			wire_text(o, WIRE_F_SECRET, json_string_value(json_array_get(hosts, k)));
	}
	for (size_t i = 0; json_array_size(secrets) && bundle[i]; i++)
		if (!env_has(env, bundle[i]))
			put_env(o, bundle[i], place_of(b), "/bundle.pem");
	for (size_t i = 0; json_array_size(secrets) && more[i]; i++)
		if (!env_has(env, more[i]))
			put_env(o, more[i], place_of(b), "/ca.pem");
	if (json_array_size(secrets) && !env_has(env, "WGETRC"))
		put_env(o, "WGETRC", place_of(b), "/wgetrc");
}

static int begin(struct bx *b, struct bx_conn *c, enum wire_type type, const char *path)
{
	int status = bx_connect_now(b, c);

	if (status)
		return status;
	wire_begin(&c->out, type);
	wire_text(&c->out, WIRE_F_PATH, path);
	return TBX_OK;
}

static int make_dir(struct bx *b, const char *path)
{
	struct wire_frame f;
	struct bx_conn c;
	int status = begin(b, &c, WIRE_MKDIR, path);

	if (status)
		return status;
	wire_u32(&c.out, WIRE_F_MODE, 0755);
	wire_u8(&c.out, WIRE_F_PARENTS, 1);
	wire_end(&c.out);
	status = bx_ask(&c, &f);
	bx_conn_close(&c);
	return status;
}

struct text {
	char *data;
	size_t n;
};

static int keep(void *ctx, const void *data, size_t n)
{
	struct text *t = ctx;
	char *more = t->n + n > 4 * AUTHORITIES_MOST ? NULL : realloc(t->data, t->n + n + 1);

	if (!more)
		return TBX_ERR_LIMIT;
	memcpy(more + t->n, data, n);
	t->data = more;
	t->n += n;
	return TBX_OK;
}

/* What the box's own programs trust; nothing if there is none. */
static void read_bundle(struct bx *b, struct text *t)
{
	static const char *const files[] = TRUST_FILES;
	struct wire_frame f;
	struct bx_conn c;
	uint8_t hash[32];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !t->n; i++) {
		if (begin(b, &c, WIRE_READ, files[i]))
			return;
		wire_end(&c.out);
		if (bx_ask(&c, &f) || bx_take_data(&c, 0, keep, t, &f, hash))
			t->n = 0;
		bx_conn_close(&c);
	}
}

static int write_file(struct bx *b, const char *name, const char *data, size_t n)
{
	char *path = bx_format("%s/%s", place_of(b), name);
	struct wire_frame f;
	struct bx_conn c;
	int status = path ? begin(b, &c, WIRE_WRITE, path) : bx_memory(b->store);

	free(path);
	if (status)
		return status;
	wire_u32(&c.out, WIRE_F_MODE, 0644);
	wire_u8(&c.out, WIRE_F_MORE, 1);
	wire_end(&c.out);
	wire_data(&c.out, WIRE_DATA_IN, data, n);
	wire_begin(&c.out, WIRE_CLOSE_IN);
	wire_end(&c.out);
	status = bx_ask(&c, &f);
	bx_conn_close(&c);
	return status;
}

/* wget has no variable of its own for it. */
static int write_wgetrc(struct bx *b)
{
	char *text = bx_format("ca_certificate = %s/bundle.pem\n", place_of(b));
	int status = text ? write_file(b, "wgetrc", text, strlen(text)) : bx_memory(b->store);

	free(text);
	return status;
}

/* A box without its authority's certificate is none. What was wrong stays said. */
static void stop(struct bx *b)
{
	char *said = strdup(tbx_error(b->store));
	struct wire_frame f;
	struct bx_conn c;

	if (!bx_connect_now(b, &c)) {
		wire_begin(&c.out, WIRE_STOP);
		wire_end(&c.out);
		bx_ask(&c, &f);
		bx_conn_close(&c);
	}
	bx_fail(b->store, TBX_ERR_FILE, "the certificate of the box's authority cannot be put into it: %s",
		said ? said : "no memory");
	free(said);
}

int bx_secrets_trust(struct bx *b, const char *ca)
{
	struct text bundle = {0};
	int status;

	if (!ca)
		return TBX_OK;
	read_bundle(b, &bundle);
	status = keep(&bundle, "\n", 1);
	if (!status)
		status = keep(&bundle, ca, strlen(ca));
	if (!status)
		status = make_dir(b, place_of(b));
	if (!status)
		status = write_file(b, "ca.pem", ca, strlen(ca));
	if (!status)
		status = write_wgetrc(b);
	if (!status)
		status = write_file(b, "bundle.pem", bundle.data, bundle.n);
	free(bundle.data);
	if (status == TBX_ERR_LIMIT)
		bx_fail(b->store, status, "the box's own authorities are too many");
	if (status)
		stop(b);
	return status;
}

/* What runs on in a box that begins from a memory goes on using what it had. */
void bx_secrets_adopt(json_t *spec, const json_t *from)
{
	const json_t *ours = json_object_get(spec, "secrets"), *theirs = json_object_get(from, "secrets");

	for (size_t i = 0; i < json_array_size(ours); i++)
		for (size_t k = 0; k < json_array_size(theirs); k++) {
			json_t *secret = json_array_get(ours, i);
			const char *name = bx_text(json_array_get(theirs, k), "name");
			const char *placeholder = bx_text(json_array_get(theirs, k), "placeholder");

			if (name && placeholder && !strcmp(name, bx_text(secret, "name")))
				json_object_set_new(secret, "placeholder", json_string(placeholder));
		}
}

/* Of a snapshot that leaves this store: what is needed, not where it is. */
void bx_secrets_strip(json_t *spec, bool sources)
{
	json_t *secrets = json_object_get(spec, "secrets");

	for (size_t i = 0; i < json_array_size(secrets); i++) {
		json_t *secret = json_array_get(secrets, i);

		json_object_del(secret, "placeholder");
		if (sources) {
			json_object_del(secret, "source");
			json_object_del(secret, "from");
		}
	}
	if (sources)
		json_object_del(spec, "secret_ca");
}
