/*
 * The list of what a box may reach, and what no box may reach by a name alone. Addresses are compared
 * as IPv6, with IPv4 mapped, so that no other way of writing one is another address; what carries an
 * IPv4 address inside (NAT64, 6to4) is judged by that.
 */
#include "init/egress_in.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum range { PUBLIC, PRIVATE, SPECIAL };

static bool digits(const char *s, size_t size, unsigned *n)
{
	*n = 0;
	for (size_t i = 0; i < size; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		*n = *n * 10 + (unsigned)(s[i] - '0');
		if (*n > 65535)
			return false;
	}
	return size > 0;
}

bool eg_address_read(struct in6_addr *ip, const char *text)
{
	struct in_addr v4;

	if (inet_pton(AF_INET6, text, ip) == 1)
		return true;
	if (inet_pton(AF_INET, text, &v4) != 1)
		return false;
	memset(ip, 0, sizeof(*ip));
	ip->s6_addr[10] = ip->s6_addr[11] = 0xff;
	memcpy(ip->s6_addr + 12, &v4, 4);
	return true;
}

bool eg_name_clean(char *clean, const char *name, size_t size)
{
	struct in6_addr ip;

	if (size && name[size - 1] == '.')
		size--;
	if (!size || size > EG_NAME_MAX || name[0] == '-' || name[0] == '.')
		return false;
	for (size_t i = 0; i < size; i++) {
		char c = name[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
		      c == '_' || c == ':'))
			return false;
		if (c == '.' && name[i - 1] == '.')
			return false;
		clean[i] = c;
	}
	clean[size] = 0;
	return !strchr(clean, ':') || eg_address_read(&ip, clean);
}

bool eg_rule_read(struct eg_rule *r, const char *text)
{
	const char *colon = strrchr(text, ':'), *name = text;
	size_t size = colon ? (size_t)(colon - text) : 0;
	unsigned port = 0;

	memset(r, 0, sizeof(*r));
	if (!size || (strcmp(colon, ":*") && (!digits(colon + 1, strlen(colon + 1), &port) || !port)))
		return false;
	r->port = (uint16_t)port;
	if (name[0] == '[' && name[size - 1] == ']') {
		name++;
		size -= 2;
	}
	if (size == 1 && *name == '*') {
		r->any = true;
		return true;
	}
	if (size > 2 && name[0] == '*' && name[1] == '.') {
		r->wild = true;
		name += 2;
		size -= 2;
	}
	if (!eg_name_clean(r->name, name, size))
		return false;
	r->address = eg_address_read(&r->ip, r->name);
	return !(r->wild && r->address);
}

static bool below(const char *name, const char *domain)
{
	size_t n = strlen(name), d = strlen(domain);

	return n > d + 1 && name[n - d - 1] == '.' && !strcmp(name + n - d, domain);
}

static bool matches(const struct eg_rule *r, const char *name, uint16_t port)
{
	struct in6_addr ip;

	if (r->port && r->port != port)
		return false;
	if (r->any)
		return true;
	if (r->address)
		return eg_address_read(&ip, name) && !memcmp(&ip, &r->ip, sizeof(ip));
	return r->wild ? below(name, r->name) : !strcmp(name, r->name);
}

const char *eg_name_refused(const struct eg_rule *r, size_t count, const char *name, uint16_t port)
{
	for (size_t i = 0; i < count; i++) {
		if (matches(&r[i], name, port))
			return NULL;
	}
	return count ? "not in the list of what may be reached" : NULL;
}

static enum range range_v4(const uint8_t *b)
{
	static const struct {
		uint8_t net[4];
		uint8_t bits;
		enum range range;
	} table[] = {{{0, 0, 0, 0}, 8, SPECIAL}, {{10, 0, 0, 0}, 8, PRIVATE},
		{{100, 64, 0, 0}, 10, PRIVATE}, {{127, 0, 0, 0}, 8, SPECIAL},
		{{169, 254, 0, 0}, 16, SPECIAL}, {{172, 16, 0, 0}, 12, PRIVATE},
		{{192, 0, 0, 0}, 24, SPECIAL}, {{192, 0, 2, 0}, 24, SPECIAL},
		{{192, 88, 99, 0}, 24, SPECIAL}, {{192, 168, 0, 0}, 16, PRIVATE},
		{{198, 18, 0, 0}, 15, SPECIAL}, {{198, 51, 100, 0}, 24, SPECIAL},
		{{203, 0, 113, 0}, 24, SPECIAL}, {{224, 0, 0, 0}, 3, SPECIAL}};
	uint32_t ip = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];

	/* Alibaba's and Oracle's metadata are in otherwise private ranges */
	if (ip == 0x646464c8u || ip == 0xc00000c0u)
		return SPECIAL;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const uint8_t *n = table[i].net;
		uint32_t net = (uint32_t)n[0] << 24 | (uint32_t)n[1] << 16 | (uint32_t)n[2] << 8 | n[3];

		if ((ip ^ net) >> (32 - table[i].bits) == 0)
			return table[i].range;
	}
	return PUBLIC;
}

static enum range range_of(const struct in6_addr *ip)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	static const uint8_t nat64[12] = {0, 0x64, 0xff, 0x9b};
	static const uint8_t aws[16] = {0xfd, 0, 0x0e, 0xc2, [14] = 2, [15] = 0x54};
	const uint8_t *b = ip->s6_addr;

	if (!memcmp(b, mapped, 12) || !memcmp(b, nat64, 12))
		return range_v4(b + 12);
	if (b[0] == 0x20 && b[1] == 0x02)
		return range_v4(b + 2);
	if (!memcmp(b, aws, 16))
		return SPECIAL;
	if ((b[0] & 0xfe) == 0xfc)
		return PRIVATE;
	/* Teredo, benchmarks, documentation */
	if (b[0] == 0x20 && b[1] == 0x01 && ((!b[2] && !b[3]) || (!b[2] && b[3] == 2) ||
					     (b[2] == 0x0d && b[3] == 0xb8)))
		return SPECIAL;
	return (b[0] & 0xe0) == 0x20 ? PUBLIC : SPECIAL;
}

/* Whether it is one of this machine's: only those can be bound to. */
static bool is_ours(const struct in6_addr *ip)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = *ip};
	struct sockaddr_in a4 = {.sin_family = AF_INET};
	bool v4 = IN6_IS_ADDR_V4MAPPED(ip), bound;
	int fd = socket(v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(&a4.sin_addr, ip->s6_addr + 12, 4);
	bound = fd >= 0 && !(v4 ? bind(fd, (struct sockaddr *)&a4, sizeof(a4)) :
			     bind(fd, (struct sockaddr *)&a, sizeof(a)));
	if (fd >= 0)
		close(fd);
	return bound;
}

const char *eg_address_refused(const struct eg_rule *r, size_t count, const char *name,
			       const struct in6_addr *ip, uint16_t port)
{
	enum range range = range_of(ip);

	if (range == PUBLIC && is_ours(ip))
		range = SPECIAL;
	if (range == PUBLIC)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (r[i].port && r[i].port != port)
			continue;
		if (r[i].address && !memcmp(&r[i].ip, ip, sizeof(*ip)))
			return NULL;
		if (range == PRIVATE && !r[i].any && !r[i].wild && !r[i].address &&
		    !strcmp(r[i].name, name))
			return NULL;
	}
	return range == PRIVATE ? "an address of a private network" :
		"an address of this machine, link-local or reserved";
}

void egress_report(const struct spec *spec, struct report *r, const char *by)
{
	if (spec->report_only)
		report_open(r, "network", "egress", "what --allow does not name is written down, and not refused",
			    "leave out --allow-report-only");
	else
		report_enforced(r, "network", "egress", by);
}
