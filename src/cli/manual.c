/*
 * What tinysandbox(1) says behind its options: man(7) source, for tools/make-docs.
 */
#include "cli/cli.h"

const char cli_manual[] =
".SH LIMITS\n"
"\\fB\\-\\-list\\-limits\\fR names them with their defaults. Sizes may end in K, M, G, counts too (of 1000), times in ms, s, m. All are hard. "
"What fires is named on standard error, and in \\fB\\-\\-json\\fR.\n"
".SH \"EXIT STATUS\"\n"
"The script's; 124 when its time was over, 125 when it had started too many commands, 137 when its memory was used up; 127 and 126 for a FILE "
"that is not there or cannot be read; 2 for a bad option or a sandbox that cannot be made.\n"
".SH JSON\n"
"\\fB\\-\\-json\\fR prints one object: status, stdout and stderr (or stdout_b64, stderr_b64 where they are no UTF\\-8), stdout_truncated, stderr_truncated, "
"stop (time, commands, memory, cancel, or null), limit, wall_ms, memory_peak, commands [{name, status, pid, start_ms, wall_ms}], pipe_bytes.\n"
".SH BATCH\n"
"\\fB\\-\\-batch\\fR reads a request a line and writes a reply a line; each is served in a fresh sandbox. A request:\n"
".PP\n.nf\n"
"{\"script\": TEXT, \"args\": [TEXT...], \"name\": TEXT, \"cwd\": DIR, \"env\": {NAME: TEXT},\n"
" \"stdin\": TEXT, \"limits\": {NAME: NUMBER}, \"files\": {PATH: FILE}, \"read\": [PATH...]}\n"
".fi\n.PP\n"
"Only script is needed; null is as if the key were not there. A FILE is a TEXT, or {\"content\": TEXT} or {\"b64\": TEXT} or {\"link\": TARGET} or "
"{\"dir\": true}, with \"mode\" (a number: 493 is 0755) and \"mtime\" (seconds). A TEXT may also be {\"b64\": ...}: any bytes. Paths are absolute or below cwd, "
"which is made. The reply is the object of \\fB\\-\\-json\\fR with \"read\": {PATH: TEXT, {\"b64\": ...}, {\"dir\": true}, {\"link\": TARGET} or null}. "
"A request that cannot be served gets {\"error\": SENTENCE}, and the next one is served.\n"
".PP\n.nf\n"
"echo '{\"script\": \"sort in >out\", \"files\": {\"in\": \"b\\\\na\\\\n\"}, \"read\": [\"out\"]}' | tinysandbox \\-\\-batch\n"
".fi\n";
