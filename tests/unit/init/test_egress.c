/* What egress allows, and what clients of the proxy may say. */
#include <stdlib.h>

#include "init/egress_in.h"
#include "tap.h"

static const char *refused(const char *rules, const char *name, uint16_t port, const char *address)
{
	static struct eg_rule r[8];
	char copy[256], clean[EG_NAME_MAX + 1];
	struct in6_addr ip;
	size_t n = 0;
	const char *why;

	snprintf(copy, sizeof(copy), "%s", rules);
	for (char *s = strtok(copy, " "); s; s = strtok(NULL, " ")) {
		if (!eg_rule_read(&r[n++], s))
			return "bad rule";
	}
	if (!eg_name_clean(clean, name, strlen(name)))
		return "bad name";
	why = eg_name_refused(r, n, clean, port);
	if (why)
		return "list";
	if (!eg_address_read(&ip, address))
		return "bad address";
	return eg_address_refused(r, n, clean, &ip, port) ? "address" : "yes";
}

static void rules(void)
{
	static const char *const special[] = {"127.0.0.1", "127.8.8.8", "0.0.0.0", "169.254.169.254",
		"::1", "::", "fe80::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1",
		"2002:7f00:1::", "fd00:ec2::254", "224.0.0.1", "255.255.255.255", "ff02::1",
		"100.100.100.200", "192.0.0.192", "198.18.0.1", "::127.0.0.1", "2001:db8::1", "2001::1"};
	static const char *const private[] = {"10.1.2.3", "172.16.0.1", "172.31.255.255",
		"192.168.1.1", "100.64.0.1", "fd12::1", "::ffff:10.0.0.1", "64:ff9b::a00:1"};

	is_str(refused("", "example.com", 443, "93.184.216.34"), "yes", "no list: what is public");
	is_str(refused("", "example.com", 443, "2606:2800::1"), "yes", "no list: what is public, IPv6");
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++) {
		is_str(refused("", "x.org", 80, special[i]), "address", special[i]);
		is_str(refused("x.org:80 *:*", "x.org", 80, special[i]), "address", special[i]);
	}
	for (size_t i = 0; i < sizeof(private) / sizeof(*private); i++) {
		is_str(refused("", "x.org", 80, private[i]), "address", private[i]);
		is_str(refused("*.org:80 *:*", "x.org", 80, private[i]), "address", private[i]);
		is_str(refused("x.org:80", "x.org", 80, private[i]), "yes", private[i]);
	}
	is_str(refused("x.org:443", "x.org", 80, "1.1.1.1"), "list", "another port");
	is_str(refused("x.org:*", "x.org", 80, "1.1.1.1"), "yes", "any port");
	is_str(refused("X.Org:80", "x.ORG.", 80, "1.1.1.1"), "yes", "case and a dot at the end");
	is_str(refused("x.org:80", "evilx.org", 80, "1.1.1.1"), "list", "a longer name");
	is_str(refused("x.org:80", "a.x.org", 80, "1.1.1.1"), "list", "a name below");
	is_str(refused("*.x.org:80", "a.b.x.org", 80, "1.1.1.1"), "yes", "below a wildcard");
	is_str(refused("*.x.org:80", "x.org", 80, "1.1.1.1"), "list", "a wildcard is not its domain");
	is_str(refused("*.x.org:80", "evilx.org", 80, "1.1.1.1"), "list", "not below a wildcard");
	is_str(refused("127.0.0.1:80", "127.0.0.1", 80, "127.0.0.1"), "yes", "an address");
	is_str(refused("127.0.0.1:80", "::ffff:127.0.0.1", 80, "127.0.0.1"), "yes", "written otherwise");
	is_str(refused("x.org:80 127.0.0.1:80", "x.org", 80, "127.0.0.1"), "yes", "a name, and its address");
	is_str(refused("x.org:80 127.0.0.1:81", "x.org", 80, "127.0.0.1"), "address", "its other port");
	is_str(refused("[::1]:80", "::1", 80, "::1"), "yes", "IPv6 in brackets");
	is_str(refused("10.0.0.1:*", "10.0.0.1", 80, "10.0.0.1"), "yes", "a private address");
	is_str(refused("x*.org:80", "x.org", 80, "1.1.1.1"), "bad rule", "a star inside");
	is_str(refused("x.org", "x.org", 80, "1.1.1.1"), "bad rule", "no port");
	is_str(refused("x.org:0", "x.org", 80, "1.1.1.1"), "bad rule", "port 0");
	is_str(refused("x.org:65536", "x.org", 80, "1.1.1.1"), "bad rule", "port 65536");
	is_str(refused(":80", "x.org", 80, "1.1.1.1"), "bad rule", "no name");
	is_str(refused("*.1.2.3.4:80", "x.org", 80, "1.1.1.1"), "bad rule", "below an address");
}

static void names(void)
{
	char clean[EG_NAME_MAX + 1], longest[300];

	memset(longest, 'a', sizeof(longest));
	ok(eg_name_clean(clean, longest, 253), "253 bytes");
	ok(!eg_name_clean(clean, longest, 254), "254 bytes");
	ok(!eg_name_clean(clean, "a\0.x.org", 8), "a NUL inside");
	ok(!eg_name_clean(clean, "-x.org", 6), "a dash first");
	ok(!eg_name_clean(clean, "x..org", 6), "two dots");
	ok(!eg_name_clean(clean, ".", 1), "a dot alone");
	ok(!eg_name_clean(clean, "", 0), "nothing");
	ok(!eg_name_clean(clean, "x org", 5), "a blank");
	ok(!eg_name_clean(clean, "x\xc3\xa9.org", 7), "not ASCII");
	ok(!eg_name_clean(clean, "x:y", 3), "a colon that is no address");
}

/* Given a byte at a time, too: more is asked for until the last. */
static enum eg_more whole(struct eg_ask *a, const char *data, size_t size)
{
	enum eg_more m = EG_MORE;

	memset(a, 0, sizeof(*a));
	for (size_t i = 1; i <= size && m == EG_MORE; i++) {
		m = eg_ask_read(a, data, i);
		if (m != EG_MORE && i != size)
			return (enum eg_more)(10 + m);
	}
	return m;
}

static void asks(void)
{
	static const char connect[] = "CONNECT x.org:443 HTTP/1.1\r\nHost: y\r\n\r\n";
	static const char get[] = "GET http://x.org:81/p?q HTTP/1.1\r\nHost: evil.org\r\nA: b\r\n"
		"Connection: keep-alive\r\nproxy-authorization: z\r\n\r\n";
	static const char socks[] = "\5\1\0\5\1\0\3\5x.org\1\273";
	static const char nul[] = "\5\1\0\5\1\0\3\7x\0.org\0\1\273";
	static const char *const bad[] = {"CONNECT x.org HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
		"GET https://x.org/ HTTP/1.1\r\n\r\n", "CONNECT x.org:0 HTTP/1.1\r\n\r\n",
		"CONNECT x.org:70000 HTTP/1.1\r\n\r\n", "CONNECT x.org:4x HTTP/1.1\r\n\r\n",
		"GET http://a@x.org/ HTTP/1.1\r\n\r\n", "CONNECT [::1:443 HTTP/1.1\r\n\r\n",
		"CONNECT :443 HTTP/1.1\r\n\r\n", "GET http://x.org/\na HTTP/1.1\r\n\r\n",
		"GET http://x.org/ HTTP/1.1\r\nA: b\nHost: y\r\n\r\n", "GET http://x.org/ HTTP/1.1\r\nA\rB\r\n\r\n", " x HTTP/1.1\r\n\r\n", "GET http://x.org/\r\n\r\n",
		"\r\n\r\n"};
	struct eg_ask a;

	is_int(whole(&a, connect, sizeof(connect) - 1), EG_DONE, "CONNECT");
	is_str(a.name, "x.org", "its name");
	is_int(a.port, 443, "its port");
	is_int(whole(&a, "CONNECT [::1]:443 HTTP/1.0\r\n\r\n", 30), EG_DONE, "CONNECT to IPv6");
	is_str(a.name, "::1", "its address");
	is_int(whole(&a, get, sizeof(get) - 1), EG_DONE, "GET");
	is_int(a.port, 81, "its port");
	ok(a.head && a.head_size < 200, "what is sent on");
	a.head[a.head_size] = 0;
	is_str(a.head, "GET /p?q HTTP/1.1\r\nHost: x.org:81\r\nConnection: close\r\nA: b\r\n\r\n",
	       "its host is the URL's, and it is the last");
	free(a.head);
	is_int(whole(&a, "GET http://x.org?q HTTP/1.1\r\n\r\n", 31), EG_DONE, "a URL without a path");
	is_int(a.port, 80, "port 80");
	a.head[a.head_size] = 0;
	is_str(a.head, "GET /?q HTTP/1.1\r\nHost: x.org\r\nConnection: close\r\n\r\n", "gets one");
	free(a.head);
	is_int(whole(&a, socks, sizeof(socks) - 1), EG_DONE, "SOCKS5");
	is_str(a.name, "x.org", "its name");
	is_int(a.port, 443, "its port");
	is_int(a.used, sizeof(socks) - 1, "what it used");
	is_int(whole(&a, nul, sizeof(nul) - 1), EG_DONE, "SOCKS5 with a NUL in the name");
	is_int(a.name_size, 7, "which is taken by its length");
	is_int(whole(&a, "\5\1\2", 3), EG_BAD, "SOCKS5 with a password only");
	is_int(whole(&a, "\5\1\0\5\2\0\3\1x\0\1", 11), 10 + EG_BAD, "SOCKS5 BIND");
	is_int(whole(&a, "\5\1\0\5\1\0\1\177\0\0\1\0\0", 13), EG_BAD, "SOCKS5 to port 0");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		is_int(whole(&a, bad[i], strlen(bad[i])), EG_BAD, "not a request of a proxy");
}

int main(void)
{
	rules();
	names();
	asks();
	return done();
}
