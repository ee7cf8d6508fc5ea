/*
 * The doing half of the shell among itself: what eval*.c, redir.c, pipeline.c,
 * job.c, trap.c and the builtins need of one another. shell.h is the manual of
 * the whole room; this is the part that the words half does not see.
 */
#ifndef SHELL_DOING_H
#define SHELL_DOING_H

#include "kernel/kernel.h"
#include "lang/parse.h"
#include "shell/shell.h"

/* ---- Statuses bash gives ---- */
enum {
	STATUS_USAGE = 2, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127, STATUS_SIGNAL = 128
};

/* ---- Traps (trap.c) ---- */
enum {
	TRAP_EXIT = 0, TRAP_SIGNALS = 65, TRAP_DEBUG = 65, TRAP_ERR = 66, TRAP_RETURN = 67,
	TRAP_COUNT = 68
};

enum { LIMIT_COUNT = 40 };	/* of ulimit, soft and hard */

/* ---- Jobs (job.c) ---- */
struct job_process {
	int pid;
	int status;		/* as wait(2) gives it */
	bool done, stopped;
	char *text;		/* of a pipeline's stage; NULL: the job's */
};
struct job {
	struct job *next;
	int id;			/* %1 */
	int pgid;		/* pid of the first process */
	unsigned n;
	struct job_process *at;
	char *text;
	char *dir;		/* where it began; NULL: not known */
	bool stopped;		/* none of it runs, and one is stopped */
	bool told;		/* nothing new since it was shown */
	bool front;		/* fg brought it to the foreground */
	bool just_killed;	/* by kill: its end is told one command later, as it comes a little later elsewhere */
	bool controlled;	/* began under set -m */
	bool disowned;
	bool foreign;		/* of the shell around this $( ) */
	bool substitution;
	char *coproc;		/* variable that holds its descriptors, or NULL */
	int coproc_fd[2];
};

/* Ended background processes whose status can still be asked for. */
struct past {
	int pid, status;
};

struct frame_args {		/* positional parameters and who owns them */
	char **args;
	size_t n;
	void *owned;		/* heap block under args, or NULL: borrowed */
};

/* A group of descriptors changed by redirections, to be changed back. */
struct redir_saved {
	int fd;
	int saved;		/* where its old self lives (>= 10), or -1: was closed */
};
enum { REDIR_INLINE = 4 };
struct redir_undo {
	struct redir_undo *outer;	/* chain of the active ones */
	unsigned n, cap;
	bool stdin_given;		/* before */
	struct redir_saved *more;	/* heap, when more than REDIR_INLINE */
	struct redir_saved at[REDIR_INLINE];
};

/* Functions are shared between a shell and its subshells until one changes;
 * sh->functions is a view of the table's map. */
struct function_table {
	unsigned refs;
	struct tsb_heap *heap;	/* script_heap of who made it */
	struct map map;		/* name -> struct function * */
};

/* declare a=(1 2): argument `index` is that tree. */
struct decl_tree {
	struct decl_tree *next;
	int index;
	const struct assign *assign;
};

struct history_line {
	char *text;
	int64_t time;
};

struct doing {
	struct tsb_heap *script_heap;	/* where this shell's scripts live: see shell.c */
	const char *stack_base;		/* where this process's stack begins */
	struct str out;			/* what the running builtin prints */
	struct str *capture;		/* standard output of $(builtin) run in this process */
	struct str message;
	struct frame_args args;		/* owner of sh->args */
	struct redir_undo *undo;
	struct decl_tree *decl;	/* array literals of the running declaration builtin */
	VEC(struct past) past;
	struct job *job_now, *job_before;	/* %+ and %-; NULL: none */
	bool line_starts;	/* a pipeline is being started, whose first process makes its group */
	int line_group;
	bool waited;		/* a child of the foreground was waited for: time to tell of jobs */
	bool suspended;		/* a job got SIGTSTP: loops end */
	unsigned jobs_frozen;	/* none is forgotten: a trap runs in the midst of wait */
	bool control_off;	/* in a subshell: set -m is shown, but does nothing until it is set again */
	VEC(int) open_substitutions;	/* descriptors of <( ) still to be closed */
	unsigned n_traps;		/* traps set on signals, EXIT, DEBUG ... */
	uint64_t pending;		/* signals taken and not yet handled */
	bool trap_hidden[3];	/* DEBUG, ERR, RETURN: in a function that does not inherit them */
	uint64_t ignored;		/* signals ignored when the shell began: they stay so, whatever trap says */
	bool ignored_known;
	bool stdin_given;	/* by a redirection or a pipe: background commands read it too */
	bool stage_input;	/* this process is a ( ) that a pipe leads to */
	bool exiting;			/* exit was called: functions are not left before the EXIT trap */
	bool failing;			/* set -e ends the shell */
	unsigned call_redirs;		/* redirected functions, eval ... that run */
	bool exit_trap_done, in_substitution;
	enum { DUMP_NONE, DUMP_STRINGS, DUMP_PO } dump;	/* -D */
	bool first;			/* the outermost shell of a run */
	VEC(char *) main_argv;		/* the script's arguments, of BASH_ARGV */
	bool main_argv_known;
	bool main_frame;		/* a script file: FUNCNAME ends with main */
	const struct script *script;	/* running; sh->script is the one sh->current is from */
	int trap_now, before_trap;	/* the trap that runs, plus 1 (0: none), and $? before it */
	unsigned running_traps;	/* while one runs, BASH_COMMAND stays what it was */
	const char *shown;	/* or is this: what DEBUG and ERR are about */
	const struct node *simple;	/* the simple command being run */
	const struct arith *part;	/* of a for ((;;)), if sh->current is one */
	const struct node *announced;	/* a stage: its DEBUG trap has run */
	const struct node *negated;	/* behind !: it does not fail */
	const struct node *stage;	/* of a pipeline, in its own process: %1 is a name there */
	const struct node *exec_node;	/* this process does nothing else: its program
					   takes its place */
	uint32_t line_lost;	/* lines of the item that was given up, behind the error */
	bool exec_last;		/* bash -c: so does the last command of the text */
	uint32_t umask;		/* plus 1, of a kept session; 0: not told */
	uint64_t *limits;	/* ulimit: LIMIT_COUNT, soft and hard; 0: not set; NULL: none is */
	bool *frame_opts;	/* local -: options to give back when the function returns */
	bool ambiguous;		/* the last job_find() knew more than one: some say no more then */
	bool commanded;		/* `command` runs a builtin: nothing special about it */
	bool misused;		/* the running builtin was: POSIX lets a special one end the shell */
	bool keep_redirs;		/* exec without a command: they stay */
	int trace_fd;		/* BASH_XTRACEFD as it was when it was set; 0: none */
	unsigned trace_level;		/* + signs of PS4 */
	uint64_t disabled[2];		/* builtins switched off by enable -n, by index */
	VEC(struct history_line) history;
	struct histexp *histexp;	/* histexp.c; NULL: nothing yet */
	bool history_saved;	/* the running command is its last line */
	size_t history_base;	/* lines that HISTSIZE took from the front */
	size_t history_new, history_seen;	/* lines not yet in HISTFILE; lines read from it */
	unsigned inner;		/* texts within commands that run: they leave no history */
	VEC(char *) hash_order;
	struct map completions, bindings;
	struct prompting *prompting;	/* see prompting(); NULL: nothing yet */
	unsigned interrupt_held;	/* see job_hold_interrupt() */
	bool interrupt_judged, interrupt_default;
	unsigned prompts_shown, exit_warned;	/* exit_warned: the line where exit told of stopped jobs */
	bool completes;			/* there ever was one */
	struct map hash_hits;
	char *previous_dir;
	struct call base_call;
	const struct node *start_node;	/* what a cloned child runs */
	char **start_argv;		/* or the arguments it begins with */
	int start_argc;
	struct function_table *functions;
	int64_t started_ns;	/* printf %(..)T -2; on the monotonic clock */
	VEC(struct script *) held;	/* references this process must give back when it ends */
};

static inline struct doing *doing(const struct shell *sh)
{
	return sh->doing_private;
}

/* ---- shell.c ---- */
/* A child process with a clone of this shell in it, not yet started. NULL after
 * a message ("fork: retry: Resource temporarily unavailable"). */
struct shell *shell_fork(struct shell *sh, struct tsb_proc **child);
/* proc_fork() with bash's message on failure. */
int shell_fork_plain(struct shell *sh, struct tsb_proc **child);
/* Starts the clone on a node; it ends with the node's status. */
void shell_start(struct shell *child, const struct node *n);
/* The command of a list or pipeline that has only one. */
const struct node *only_command(const struct node *n);
/* Behind which there is nothing more in n: a simple command, or all of n. NULL: neither. */
const struct node *last_command(const struct node *n);
/* Remembers where the stack begins; call at the start of a process. */
void shell_enter_process(struct shell *sh);
/* The end of a shell: EXIT trap, then the status. */
int shell_finish(struct shell *sh, enum flow flow);
/* false, after a message, when the nesting or the stack is used up. */
bool shell_deeper(struct shell *sh);
/* Replaces the positional parameters by copies. */
void shell_set_args(struct shell *sh, size_t n, char *const *args);
void shell_shift(struct shell *sh, size_t n);
/* Letters of $- are the words half's; this switches one option of set on or off. */
bool shell_set_option(struct shell *sh, enum opt_id id, bool on);

/* ---- message.c ---- */
/* Where messages say they come from: file and line, "bash: line 3: ". */
void message_prefix(struct shell *sh, struct str *out);
void message_write(struct shell *sh, const struct str *text);
/* absent.c: a line about a program that is not here on purpose, if it is one. */
void absent_explain(struct shell *sh, const char *name);
/* "usage: " line after a builtin's invalid option; status 2. */
int builtin_usage(struct shell *sh);
void parse_warnings(struct shell *sh, const struct script *s);
void parse_warned(void *ctx, uint32_t line, const char *message);	/* ctx: the shell */
void parse_message(struct shell *sh, const struct parse_error *err, const char *what);

/* ---- eval.c ---- */
/* After a command whose status is not 0: ERR trap, errexit. */
enum flow eval_failed(struct shell *sh);
void eval_leave(struct shell *sh, bool simple);	/* before redirections are given back */
enum flow eval_body(struct shell *sh, const struct node *n);
/* (( )) and the parts of for (( )), with the trace. */
bool arith_eval_command(struct shell *sh, const struct arith *a, int64_t *v);
static inline enum flow eval_check(struct shell *sh)
{
	return sh->status ? eval_failed(sh) : FLOW_NEXT;
}
/* A child of this shell's status as $? */
int status_of_wait(int wait_status);
void set_pipe_status(struct shell *sh, const int *at, size_t n);
/* PIPESTATUS is $?: a command has ended. What runs none (a loop of no turns) leaves it. */
static inline void pipe_status_is(struct shell *sh)
{
	sh->pipe_status.n = 0;
	sh->pipe_one = sh->status + 1;
}

/* What a turn's flow means for the loop around it: true if the loop ends with *f. */
bool loop_ends(struct shell *sh, enum flow *f);
bool loop_name_good(struct shell *sh, const struct node *n);
enum flow loop_words(struct shell *sh, const struct node *n, struct fields *words);
void loop_trace(struct shell *sh, const struct node *n);
/* sh->script holds on to s, the script of sh->current, and lets the one before go. */
void command_script(struct shell *sh, const struct script *s);
/* n is what BASH_COMMAND shows from now on. */
static inline void command_is(struct shell *sh, const struct node *n)
{
	if (doing(sh)->running_traps)
		return;
	if (sh->script != doing(sh)->script)
		command_script(sh, doing(sh)->script);
	sh->current = n;
}
/* As BASH_COMMAND shows it, of a loop or case only the head; in sh->turn. */
char *command_text(struct shell *sh, const struct node *n);
/* The DEBUG trap, if set, before the command n (text: as BASH_COMMAND shows it,
 * NULL: as printed). *skip: extdebug says not to run it. */
enum flow eval_debug_slow(struct shell *sh, const struct node *n, const char *text, bool *skip);
static inline enum flow eval_debug(struct shell *sh, const struct node *n, const char *text,
				   bool *skip)
{
	*skip = false;
	return doing(sh)->n_traps ? eval_debug_slow(sh, n, text, skip) : FLOW_NEXT;
}
enum flow eval_for(struct shell *sh, const struct node *n);
enum flow eval_select(struct shell *sh, const struct node *n);
enum flow eval_for_arith(struct shell *sh, const struct node *n);
enum flow eval_while(struct shell *sh, const struct node *n);
enum flow eval_case(struct shell *sh, const struct node *n);

/* ---- eval_simple.c, run.c ---- */
enum flow eval_simple(struct shell *sh, const struct node *n);
/* argv ready, redirections done: finds and runs function, builtin or program. */
enum {
	RUN_NO_FUNCTION = 1,	/* command */
	RUN_STANDARD_PATH = 2,	/* command -p */
	RUN_UNHASHED = 4	/* in a child of bash: this shell's hash table sees nothing of it */
};
int run_command(struct shell *sh, int argc, char **argv, unsigned flags, enum flow *flow);
/* Is it neither function nor builtin? */
bool run_is_program(struct shell *sh, const char *name, size_t n);
/* The simple command in a child, its redirections too, as bash does it for programs:
 * what they change is gone with it. argc 0: they alone. The status. */
int run_in_child(struct shell *sh, const struct node *n, int argc, char **argv);
int run_builtin(struct shell *sh, const struct builtin *b, int argc, char **argv, enum flow *flow);
/* Looks the program up with bash's messages: 0, or the status. */
int run_find(struct shell *sh, const char *name, unsigned flags, struct program *out);
/* Starts it as a child: its pid, or -1 after a message. */
/* Of a program that takes the shell's place: the shell is no level of its own then. */
const char *const *run_without_level(struct shell *sh, const char *const *env);
int run_start(struct shell *sh, const struct program *program, char **argv);

/* What a stage or background command can be run as without cloning the shell. */
enum quick { QUICK_NO, QUICK_BUILTIN, QUICK_PROGRAM, QUICK_FAILED };
struct quick_command {
	enum quick kind;
	struct fields fields;
	const struct builtin *builtin;
	struct program program;	/* its command is set when the look-up has told it */
};
/* Is it a simple command whose words can be expanded here? Then expands them. */
enum quick quick_prepare(struct shell *sh, const struct node *n, struct quick_command *out);

/* ---- pipeline.c ---- */
enum flow eval_pipeline(struct shell *sh, const struct node *n);
/* Starts the stages and returns: their pids, how many run. in: stdin of the first. */
unsigned pipeline_background(struct shell *sh, const struct node *n, int in, int *pids);
enum flow eval_subshell(struct shell *sh, const struct node *n);

/* ---- function.c ---- */
struct function *function_find(struct shell *sh, const char *name, size_t n);
void function_define(struct shell *sh, const struct node *n);
bool function_unset(struct shell *sh, const char *name, size_t n);
void function_change(struct shell *sh, const char *name, size_t n, uint32_t on, uint32_t off);
void function_print(struct shell *sh, const struct function *f, struct str *out);
/* Sorted by name, NULL-terminated, in sh->turn. */
struct function **function_sorted(struct shell *sh);
void functions_share(struct shell *to, const struct shell *from);
void functions_drop(struct shell *sh);
void function_table_drop(struct function_table *t);	/* one reference; may be NULL */
void functions_import(struct shell *sh, const char *const *env);

/* ---- subst.c ---- */
size_t substitution_mark(struct shell *sh);
/* Moves a descriptor to a number near the top, as bash gives: 63, 62, ... */
int shell_high_fd(struct shell *sh, int fd);
void substitution_close(struct shell *sh, size_t mark);

/* ---- redir.c ---- */
/* Does them in order. Not 0: message given, all undone, the status to use;
 * *flow is set when expansion went further than failing. */
int redir_apply(struct shell *sh, const struct redir *r, struct redir_undo *undo, enum flow *flow);
/* A descriptor put in another's place, with the old one kept in undo. */
int redir_place(struct shell *sh, int from, int to, struct redir_undo *undo);
void redir_begin(struct shell *sh, struct redir_undo *undo);
void redir_restore(struct shell *sh, struct redir_undo *undo);
/* Where the shell's own standard error is while the simple command that runs has
 * redirected it; -1: closed. */
int redir_outer_error(struct shell *sh);
void redir_keep(struct shell *sh, struct redir_undo *undo);	/* exec */
/* here.c: a descriptor that reads as that text, or -errno. */
int here_open(struct shell *sh, struct slice text);

/* main.c: an interactive shell from now on, if it is on a terminal. */
void shell_prompts(struct shell *sh);

/* ---- terminal.c ---- */
/* What a shell at a terminal keeps between lines; apart, since most shells have none. */
struct prompting {
	struct tsb_termios terminal;	/* as it was when it was lent */
	bool terminal_lent;
	struct str kills[10];		/* what the line editor's keys killed, the last one behind the others */
	size_t n_kills, kill_at;	/* kill_at: what a yank gives */
	struct str macro;		/* keys of the last macro */
	bool recording, inputrc_read;
	unsigned including;		/* files of $include within one another */
	struct str sought;		/* what it was last told to search */
	size_t from;			/* C-o: the next line begins as this one of the past; 0: empty */
};
struct prompting *prompting(struct shell *sh);	/* this process's own */
/* At a prompt with job control the terminal is that of the process group while it is waited
 * for; then it is the shell's again, as it was if the job did not end by itself. */
void terminal_lend(struct shell *sh, int group);
void terminal_back(struct shell *sh, int wait_status);
/* LINES and COLUMNS after a program of the foreground has ended. */
void terminal_size(struct shell *sh);

/* ---- job.c ---- */
struct job *job_add(struct shell *sh, const int *pids, unsigned n, char *text);
/* Waits for a child; its wait status. Signals that come meanwhile are kept for afterwards. */
int job_wait_pid(struct shell *sh, int pid);
/* The same for one that may become a job: with set -m it also ends when the child is stopped,
 * which job_report() then has to know. */
int job_wait_front(struct shell *sh, int pid);
/* Around waiting for what is in front: an interrupt ends the shell only if it ended that. */
void job_hold_interrupt(struct shell *sh);
void job_judge_interrupt(struct shell *sh, int wait_status);
/* set -m, and not in a subshell. */
static inline bool job_monitor(const struct shell *sh)
{
	return sh->opts[OPT_MONITOR] && !doing(sh)->control_off;
}
/* set -m: a process group of its own for a child that is about to start. */
void job_group(struct shell *sh, struct tsb_proc *child);
void job_forget(struct shell *sh, struct job *j);
/* A child that `jobs` does not show, but wait knows (process substitutions). */
void job_add_hidden(struct shell *sh, int pid);
struct job *job_of_pid(struct shell *sh, int pid);
/* %1, %%, %+, %-, %text, %?text, or a pid. NULL: none (message given if loud). */
struct job *job_find(struct shell *sh, const char *spec, bool loud);
/* Takes what has ended, without waiting. */
unsigned job_reap(struct shell *sh);	/* how many processes have ended */
void job_reap_quietly(struct shell *sh);
bool job_alive(const struct job *j);
static inline bool job_running(const struct job *j)
{
	return !j->stopped && job_alive(j);
}
/* Its processes are to run again, or were told to: SIGCONT. */
void job_continue(struct shell *sh, struct job *j);
void job_here(struct shell *sh, struct job *j);	/* began in this directory */
void job_changed(struct shell *sh, struct job *j);	/* a process of it did */
void job_took(struct shell *sh, struct job *j, struct job_process *p, int wait_status);
void job_make_now(struct shell *sh, struct job *j);	/* %+ */
void job_choose_now(struct shell *sh);
int job_status(const struct job *j);
/* As `jobs` shows it; form: 0, 'l' or 'p'. */
void job_print(struct shell *sh, struct job *j, struct str *out, int form);
void job_put_dir(struct shell *sh, const struct job *j, struct str *out, const char *before);
void jobs_clone(struct shell *to, const struct shell *from);
/* Tells what is new, as before a line is read and behind a command of the foreground; those that
 * have ended go. */
void jobs_notify(struct shell *sh);
/* Behind a command, if there are jobs. */
enum flow jobs_step(struct shell *sh, enum flow f);
/* A foreground process was killed, or stopped and is a job now: on descriptor fd. */
void job_report(struct shell *sh, int wait_status, int pid, const char *text, int fd);
/* The same for a pipeline; texts in sh->turn are set. */
void job_report_line(struct shell *sh, const struct node *first, struct job_process *at, unsigned n);
void jobs_reset(struct shell *sh);
enum flow eval_background(struct shell *sh, const struct node *n);
enum flow eval_coproc(struct shell *sh, const struct node *n);
/* The command's own text, for jobs and messages; in sh->turn. */
char *node_text(struct shell *sh, const struct node *n);

/* ---- trap.c ---- */
/* Runs what is due. Cheap when nothing is. */
enum flow trap_pending_slow(struct shell *sh);
static inline enum flow trap_pending(struct shell *sh)
{
	return doing(sh)->n_traps || sh->prompts ? trap_pending_slow(sh) : FLOW_NEXT;
}
void trap_set(struct shell *sh, int number, const char *action);	/* NULL: default */
/* Runs the action of DEBUG, ERR, RETURN or EXIT; keeps $?. */
enum flow trap_run(struct shell *sh, int number);
void trap_take(struct shell *sh);	/* moves caught signals to d->pending */
bool trap_has(const struct shell *sh, int number);	/* set and active here */
void traps_init(struct shell *sh);
void traps_stop(struct shell *sh);	/* none runs any more */
void traps_clone(struct shell *to, const struct shell *from);
const char *signal_name(int sig);	/* "INT"; NULL */
const char *signal_text(int sig);	/* "Interrupt" */
int signal_number(const char *name);	/* "INT", "sigint", "2", "EXIT", ...; -1 */
/* The same, and its own status in *status. */
enum flow trap_run_status(struct shell *sh, int number, int *status);
void trap_signal_self(struct shell *sh, int sig);	/* dies of it */

/* ---- restrict.c, show.c ---- */
static inline bool restricted(const struct shell *sh)
{
	return sh->opts[SHOPT_RESTRICTED_SHELL];
}
/* true, after a message (of what, if that is not NULL): the shell is restricted. */
bool builtin_restricted(struct shell *sh, const char *what);
bool restricted_path(struct shell *sh, const char *path);	/* it has a slash, and that */
void shell_restrict(struct shell *sh);
void translations_wanted(struct shell *sh, struct parse_options *opt);	/* -D */
enum flow show_pretty(struct shell *sh, const char *text, size_t n);	/* --pretty-print */

/* ---- xtrace.c ---- */
void trace_words(struct shell *sh, const struct fields *f);
void trace_text(struct shell *sh, const char *text, size_t n);
void trace_assign(struct shell *sh, const struct assign *a, const struct slice *value);
void trace_array(struct shell *sh, const struct assign *a);
void trace_array_quoted(struct shell *sh, const struct assign *a);	/* of declare */
/* A name for a message: $'...' where bash would not print it as it is. */
const char *printable_name(struct shell *sh, const char *name);
/* Quotes as bash does in traces and lists: only where needed. */
void quote_trace(struct str *out, const char *s, size_t n);

/* ---- command.c ---- */
/* The file that `name` runs, from the hash or PATH: in sh->turn; NULL. */
const char *command_path(struct shell *sh, const char *name, unsigned flags);
/* Also what it is, when that was seen on the way (found->command is set then). */
const char *command_program(struct shell *sh, const char *name, unsigned flags,
			    struct program *found);
/* The same without the hash table. */
const char *command_find_path(struct shell *sh, const char *name, unsigned flags);
/* All files of that name in PATH. */
void command_paths(struct shell *sh, const char *name, const char *path, struct fields *out);
bool builtin_enabled(const struct shell *sh, const struct builtin *b);
const struct builtin *builtin_active(struct shell *sh, const char *name, size_t n);
size_t builtin_index(const struct builtin *b);
void hash_forget(struct shell *sh);
void hash_hit(struct shell *sh, const char *name, size_t n);	/* counts a use */
void hash_put(struct shell *sh, const char *name, const char *path);

/* ---- text.c ---- */
struct parse_options shell_parse_options(struct shell *sh, const char *name, uint32_t line);
/* Reads a whole file: 0 or -errno. */
int file_read_all(struct shell *sh, int fd, struct str *out);
bool text_is_binary(const char *text, size_t n);
void text_cut_backslash(struct str *text);
/* Parses and runs a text; name is what messages of syntax errors call it. */
enum flow run_text(struct shell *sh, const char *text, size_t n, const char *name, uint32_t line,
		   const char *what);
/* Reads commands from a descriptor and runs each when it is complete (bash -s). */
enum flow run_stream(struct shell *sh, int fd, const char *name);
enum flow source_file(struct shell *sh, const char *path, const char *shown, int argc, char **argv,
		      bool optional);

/* ---- builtin/set.c, builtin/history.c, builtin/ulimit.c ---- */
void ulimit_attach(struct shell *sh);	/* a session's limits hold in a new process */
int set_option_letter(enum opt_id id);	/* 0: none */
/* A command line that is about to run, as HISTCONTROL and HISTIGNORE have it. */
void history_line(struct shell *sh, const char *text, size_t n);
void history_save(struct shell *sh);	/* the end of a prompt: to HISTFILE, as HISTFILESIZE says */
void history_begin(struct shell *sh);	/* set -o history: what HISTFILE holds */
/* A line, without its newline, that begins within `quote` (or 0), with its events put in: 1; 0: there
 * were none; 2: it is only to be shown; -1: out has what is wrong. */
int history_expand(struct shell *sh, const char *text, size_t n, char quote, struct str *out);

/* A redirection closed this descriptor of the shell: a coprocess's array says so. */
void coproc_closed(struct shell *sh, int fd);
/* Before traps are shown or set: those signals that came ignored. */
void traps_know_ignored(struct shell *sh);

/* ---- What builtins share (builtin/builtin.c) ---- */
static inline void put(struct shell *sh, const char *s, size_t n)
{
	str_addn(&doing(sh)->out, s, n);
}
static inline void puts_(struct shell *sh, const char *s)
{
	str_adds(&doing(sh)->out, s);
}
void putf(struct shell *sh, const char *fmt, ...) TSB_PRINTF(2, 3);
/* Writes what was printed: 0, or 1 after a message. */
int put_flush(struct shell *sh);

/* Options of builtins as bash's internal_getopt reads them. */
struct bopt {
	struct shell *sh;
	int argc;
	char **argv;
	int at;			/* the operand to look at next */
	const char *next;	/* inside a cluster */
	const char *arg;	/* argument of an option with ':' */
	bool plus;		/* the option began with + */
};
void bopt_init(struct bopt *o, struct shell *sh, int argc, char **argv);
/* The next letter, 0 at the end, -1 after a message (usage given). spec: letters,
 * ':' behind those with an argument, ';' with one that may be missing, a leading '+' where +x is an option too. */
int bopt_next(struct bopt *o, const char *spec);

/* The three one after the other, in sh->turn; b and c may be NULL. */
char *turn_join(struct shell *sh, const char *a, const char *b, const char *c);
/* n bytes of dir, a slash if it has none, and the name; in sh->turn. */
char *turn_path(struct shell *sh, const char *dir, size_t n, const char *name);
/* Checked whole number; false if it is none. */
bool text_number(const char *s, int64_t *out);
bool text_is_name(const char *s);
/* The value of "x" or "a[i]" as text, in sh->turn; false if unset. */
bool var_get_reference(struct shell *sh, const char *ref, size_t n, struct slice *value);
/* Name with an optional [subscript]. */
bool reference_valid(const char *s, size_t n);
bool reference_usable(struct shell *sh, const char *s, size_t n);	/* as assoc_expand_once has it */

#endif
