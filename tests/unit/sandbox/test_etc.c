/*
 * The tables of /etc as an embedding program may write them: whole, damaged,
 * and not there.
 */
#include "box.h"

static void put(struct tsb_sandbox *box, const char *path, const char *text)
{
	is_int(tsb_write_file(box, path, text, strlen(text), 0644), TSB_OK, path);
}

static void groups(struct tsb_sandbox *box)
{
	put(box, "/etc/group", "root:x:0:\nbroken\nbad:x:y:user\nuser:x:1000:\nwheel:x:10:root,user\n"
			       "many:x:4294967296:user\nstaff:x:50:user\nother:x:51:root,users\n");
	says(box, "id user", "uid=1000(user) gid=1000(user) groups=1000(user),10(wheel),50(staff)\n");
	says(box, "id -Gn user", "user wheel staff\n");
	says(box, "getent group wheel 50", "wheel:x:10:root,user\nstaff:x:50:user\n");
	says(box, "getent initgroups user", "user                  10 50\n");
	put(box, "/etc/passwd", "root:x:0:0:root:/root:/bin/bash\n\nuser:x:1000:1000:User:/home/user:/bin/bash\n"
				"nobody:x:-1:5::/:\nlast:x:7:10::/tmp");
	says(box, "id last", "uid=7(last) gid=10(wheel) groups=10(wheel)\n");
	says(box, "id nobody", "id: ‘nobody’: no such user\n");
	is_int(tsb_remove(box, "/etc/group"), TSB_OK, "no groups at all");
	says(box, "id user", "uid=1000(user) gid=1000 groups=1000\n");
	is_int(tsb_remove(box, "/etc/passwd"), TSB_OK, "no users at all");
	says(box, "id -u", "1000\n");
	says(box, "id user", "id: ‘user’: no such user\n");
}

static void words(struct tsb_sandbox *box)
{
	put(box, "/etc/protocols", "# the protocols\nip 0 IP\ntcp\t6\tTCP # transmission\nnothing\nudp 17 UDP\n");
	says(box, "getent protocols tcp 17", "tcp                   6 TCP\nudp                   17 UDP\n");
	says(box, "getent protocols", "ip                    0 IP\ntcp                   6 TCP\n"
				      "udp                   17 UDP\n");
	is_int(says(box, "getent protocols nosuch", ""), 2, "what is not there");
	put(box, "/etc/hosts", "127.0.0.1 localhost\n\n10.0.0.1\n# no\n10.0.0.2 two deux # a comment\n::2 two\n");
	says(box, "getent hosts", "127.0.0.1       localhost\n10.0.0.2        two deux\n::2             two\n");
	says(box, "getent ahostsv4 two", "10.0.0.2        STREAM two\n10.0.0.2        DGRAM  \n"
					 "10.0.0.2        RAW    \n");
	says(box, "getent hosts DEUX", "10.0.0.2        two deux\n");
}

int main(void)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_sandbox *box = new_box(&opt);

	words(box);
	groups(box);
	tsb_sandbox_close(box);
	return done();
}
