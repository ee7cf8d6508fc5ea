/*
 * gawk's options as a table, for the documentation; awk.c reads them. What is not
 * supported ends awk with a message and status 2.
 */
#include "cmd/awk/awk.h"

const struct tsb_opt ak_options[] = {
#define ROW(s, l, arg, help) { TSB_OPTION_FLAG, (s), (l), (arg), (help), 0, 0, 0, NULL }
#define ROW_OPT(s, l, arg, help) \
	{ TSB_OPTION_FLAG, (s), (l), (arg), (help), 0, 0, TSB_ARG_OPTIONAL, NULL }
	ROW('f', "file", "PROGFILE", "read the program from PROGFILE; may be repeated"),
	ROW('F', "field-separator", "FS", "the value of FS"),
	ROW('v', "assign", "VAR=VAL", "assign before the program begins"),
	ROW('b', "characters-as-bytes", NULL, "each byte is a character"),
	ROW('c', "traditional", NULL, "no extensions of gawk"),
	ROW('C', "copyright", NULL, "print the copyright and exit"),
	ROW_OPT('d', "dump-variables", "FILE", "write the variables at the end (to awkvars.out)"),
	ROW_OPT('D', "debug", "FILE", "not supported: an error"),
	ROW('e', "source", "PROGRAM-TEXT", "program text; may be mixed with -f"),
	ROW('E', "exec", "FILE", "as -f, and the last option"),
	ROW('g', "gen-pot", NULL, "not supported: an error"),
	ROW('h', "help", NULL, "print a summary of the options and exit"),
	ROW('i', "include", "INCLUDEFILE", "a library of awk functions"),
	ROW('I', "trace", NULL, "not supported: an error"),
	ROW('l', "load", "LIBRARY", "an extension of gawk: ordchr, readfile, time, fnmatch, intdiv, revoutput, revtwoway; of filefuncs chdir and stat"),
	ROW_OPT('L', "lint", "VALUE", "warn of what is doubtful; fatal: and end; no-ext: not of extensions"),
	ROW('M', "bignum", NULL, "not supported: an error"),
	ROW('N', "use-lc-numeric", NULL, "the locale's decimal point, which is a point"),
	ROW('n', "non-decimal-data", NULL, "octal and hexadecimal numbers in the input"),
	ROW_OPT('o', "pretty-print", "FILE", "write the program, formatted, and do not run it (awkprof.out)"),
	ROW('O', "optimize", NULL, "the default"),
	ROW_OPT('p', "profile", "FILE", "not supported: an error"),
	ROW('P', "posix", NULL, "POSIX only"),
	ROW('r', "re-interval", NULL, "the default"),
	ROW('s', "no-optimize", NULL, "changes no result"),
	ROW('S', "sandbox", NULL, "no commands, no other files"),
	ROW('t', "lint-old", NULL, "warn of what the awk of 1978 did not have"),
	ROW('V', "version", NULL, "print the version and exit"),
	TSB_OPT_END
};
