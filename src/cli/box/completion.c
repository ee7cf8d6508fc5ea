/*
 * Completions for bash, zsh and fish, from the option tables.
 */
#include "cli/box/box.h"

#include <stdio.h>
#include <string.h>

static void words(const struct tsb_command *cmd)
{
	for (const struct tsb_opt *o = cmd->opts; o->kind != TSB_OPTION_END; o++) {
		if (o->long_name)
			printf(" --%s%s", o->long_name, o->arg ? "=" : "");
		if (o->short_name)
			printf(" -%c", o->short_name);
	}
	printf(" --help");
}

static bool wants_box(const struct tsb_command *cmd)
{
	return strstr(cmd->synopsis, "BOX") != NULL;
}

static void bash(void)
{
	puts("_tinybox()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words=\n"
	     "\tCOMPREPLY=()\n\tif [ \"$COMP_CWORD\" = 1 ]; then");
	printf("\t\twords='");
	for (const struct boxc_verb *v = boxc_verbs; v->cmd.name; v++)
		printf("%s ", v->cmd.name);
	puts("'\n\telse\n\t\tcase $verb in");
	for (const struct boxc_verb *v = boxc_verbs; v->cmd.name; v++) {
		printf("\t\t%s) words='", v->cmd.name);
		words(&v->cmd);
		puts("';;");
	}
	puts("\t\tesac\n\t\tcase $verb in");
	printf("\t\t");
	for (const struct boxc_verb *v = boxc_verbs, *first = NULL; v->cmd.name; v++)
		if (wants_box(&v->cmd)) {
			printf("%s%s", first ? "|" : "", v->cmd.name);
			first = v;
		}
	puts(") case $cur in -*) ;; *) words=\"$words $(tinybox ls --quick -q 2>/dev/null)\";; esac;;\n"
	     "\t\tesac\n\tfi\n\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	     "\t[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace\n}\n"
	     "complete -o default -F _tinybox tinybox");
}

static void quoted(const char *s)
{
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", stdout);
		else if (*s == '\n')
			putchar(' ');
		else
			putchar(*s);
}

static void zsh_options(const struct tsb_command *cmd)
{
	for (const struct tsb_opt *o = cmd->opts; o->kind != TSB_OPTION_END; o++) {
		if (!o->long_name)
			continue;
		printf(" '--%s%s[", o->long_name, o->arg ? "=" : "");
		for (const char *p = o->help ? o->help : ""; *p; p++)
			if (*p != '[' && *p != ']' && *p != ':')
				printf(*p == '\'' ? "'\\''" : "%c", *p);
		printf("]%s%s'", o->arg ? ":" : "", o->arg ? "value:_files" : "");
	}
}

static void zsh(void)
{
	puts("#compdef tinybox\n_tinybox()\n{\n\tlocal -a verbs boxes\n\tverbs=(");
	for (const struct boxc_verb *v = boxc_verbs; v->cmd.name; v++) {
		printf("\t\t'%s:", v->cmd.name);
		quoted(v->cmd.summary);
		puts("'");
	}
	puts("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command verbs\n\t\treturn\n\tfi\n"
	     "\tboxes=(${(f)\"$(tinybox ls --quick -q 2>/dev/null)\"})\n\tcase $words[2] in");
	for (const struct boxc_verb *v = boxc_verbs; v->cmd.name; v++) {
		printf("\t%s) _arguments", v->cmd.name);
		zsh_options(&v->cmd);
		printf("%s;;\n", wants_box(&v->cmd) ? " '*:box:compadd -a boxes'" : " '*:file:_files'");
	}
	puts("\tesac\n}\n_tinybox \"$@\"");
}

static void fish(void)
{
	puts("complete -c tinybox -f");
	for (const struct boxc_verb *v = boxc_verbs; v->cmd.name; v++) {
		printf("complete -c tinybox -n __fish_use_subcommand -a %s -d '", v->cmd.name);
		for (const char *p = v->cmd.summary; *p; p++)
			printf(*p == '\'' ? "\\'" : "%c", *p);
		puts("'");
		for (const struct tsb_opt *o = v->cmd.opts; o->kind != TSB_OPTION_END; o++) {
			printf("complete -c tinybox -n '__fish_seen_subcommand_from %s'", v->cmd.name);
			if (o->long_name)
				printf(" -l %s", o->long_name);
			if (o->short_name)
				printf(" -s %c", o->short_name);
			printf("%s -d '", o->arg ? " -r" : "");
			for (const char *p = o->help ? o->help : ""; *p; p++)
				printf(*p == '\'' ? "\\'" : "%c", *p);
			puts("'");
		}
		if (wants_box(&v->cmd))
			printf("complete -c tinybox -n '__fish_seen_subcommand_from %s' "
			       "-a '(tinybox ls --quick -q 2>/dev/null)'\n", v->cmd.name);
	}
}

int boxc_completion(struct boxc *c)
{
	if (!strcmp(c->argv[0], "bash"))
		bash();
	else if (!strcmp(c->argv[0], "zsh"))
		zsh();
	else if (!strcmp(c->argv[0], "fish"))
		fish();
	else
		return boxc_usage(c, "'%s': there are completions for bash, zsh and fish", c->argv[0]);
	return boxc_flush(c, 0);
}
