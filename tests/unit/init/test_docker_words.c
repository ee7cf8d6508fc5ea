/* The command line of a container, as a function of the spec: nothing of a value becomes an option. */
#include <stdlib.h>
#include <string.h>

#include "init/docker.h"
#include "tap.h"

static const struct spec plain = {.box = "box-1-12345678", .dir = "/state/run", .kind = SPEC_DOCKER};

/* All words in one line, each in brackets; to be freed. */
static char *line_of(const struct spec *s, const char *user, const char *image, bool disk)
{
	struct docker_words w = {0};
	char *line = calloc(1, 65536);

	docker_create_words(&w, s, "0123456789abcdef0123456789abcdef", user, image, disk);
	for (size_t i = 0; line && !w.failed && i < w.count; i++) {
		strcat(line, "[");
		strcat(line, w.at[i]);
		strcat(line, "]");
	}
	docker_free_words(&w);
	return line;
}

static void has(const struct spec *s, const char *user, const char *part, bool wanted, const char *name)
{
	char *line = line_of(s, user, "img", s->disk != 0);

	ok(line && !strstr(line, part) == !wanted, name);
	free(line);
}

static void test_plain(void)
{
	char *line = line_of(&plain, "0:0", "alpine:3", false);

	is_str(line, "[run][--detach][--name=tinybox-box-1-12345678][--label=tinybox.box=box-1-12345678]"
	       "[--label=tinybox.attempt=0123456789abcdef0123456789abcdef][--hostname=box-1-12345678]"
	       "[--entrypoint=/dev/tinybox/init][--init=false][--no-healthcheck][--workdir=/]"
	       "[--log-driver=none][--restart=no][--env=GLIBC_TUNABLES=][--ipc=private][--network=none]"
	       "[--security-opt=no-new-privileges][--cap-drop=ALL][--user=0:0][--cap-add=CHOWN]"
	       "[--cap-add=DAC_OVERRIDE][--cap-add=FOWNER][--cap-add=FSETID][--cap-add=KILL]"
	       "[--cap-add=SETGID][--cap-add=SETUID]"
	       "[--mount=type=bind,\"source=/state/run/inside\",\"target=/dev/tinybox\",readonly]"
	       "[--][alpine:3][inside]", "a box of no more than an image");
	free(line);
}

static void test_limits(void)
{
	struct spec s = plain;

	s.memory = 64 << 20;
	s.pids = 7;
	s.cpu = 1050;
	s.disk = 1 << 30;
	s.devices = (const char *[]){"/dev/kvm", "/dev/net/tun", NULL};
	has(&s, "0:0", "[--device=/dev/kvm][--device=/dev/net/tun]", true, "devices by name");
	has(&s, "0:0", "[--memory=67108864][--memory-swap=67108864][--pids-limit=7][--cpus=1.050]"
	    "[--storage-opt=size=1073741824]", true, "limits, without swap");
	s.cpu = 5;
	has(&s, "0:0", "[--cpus=0.005]", true, "a small part of a processor");
	has(&s, "1000:1000", "--cap-add", false, "a user has no capability");
	has(&s, "1000:1000", "[--user=1000:1000]", true, "and is who he is");
	has(&s, "10:1000", "--cap-add", false, "ten is not zero");
}

static void test_network(void)
{
	struct spec s = plain;

	s.network = SPEC_NETWORK_EGRESS;
	has(&s, "0:0", "[--network=none]", true, "egress is the keeper's: no network");
	s.network = SPEC_NETWORK_OPEN;
	has(&s, "0:0", "--network", false, "open is the engine's own");
	has(&s, "0:0", "--publish", false, "no port is the engine's");
}

static void test_files(void)
{
	struct spec s = plain;

	s.workspace = "/a,\"b\"\n--privileged";
	s.target = "/w=,";
	has(&s, "0:0", "[--mount=type=bind,\"source=/a,\"\"b\"\"\n--privileged\",\"target=/w=,\"]", true,
	    "a hostile name is one field");
	s.readonly = true;
	has(&s, "0:0", "\"target=/w=,\",readonly]", true, "read-only");
	s.workspace = NULL;
	s.readonly = false;
	s.readonly_root = true;
	has(&s, "0:0", "[--read-only][--mount=type=tmpfs,\"target=/tmp\"][--mount=type=tmpfs,\"target=/w=,\"]",
	    true, "a root that cannot be written has room elsewhere");
}

static void test_names(void)
{
	ok(docker_can_say("/a b/\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "UTF-8 can be said");
	ok(!docker_can_say("/a\xff") && !docker_can_say("\xc3") && !docker_can_say("\xe2\x82") &&
	   !docker_can_say("\xc0\x80"), "other bytes cannot");
	ok(!docker_can_say("a\rb"), "nor what CSV would change");
	is_int((long long)docker_cap_mask(), 0xfb, "the mask is the list");
}

int main(void)
{
	test_plain();
	test_limits();
	test_network();
	test_files();
	test_names();
	return done();
}
