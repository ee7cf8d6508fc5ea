/* Names and numbers of Linux's signals. */
'use strict';

const list = ['', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGKILL', 'SIGUSR1', 'SIGSEGV',
	'SIGUSR2', 'SIGPIPE', 'SIGALRM', 'SIGTERM', 'SIGSTKFLT', 'SIGCHLD', 'SIGCONT', 'SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGURG',
	'SIGXCPU', 'SIGXFSZ', 'SIGVTALRM', 'SIGPROF', 'SIGWINCH', 'SIGIO', 'SIGPWR', 'SIGSYS'];
exports.names = list;
exports.signals = { __proto__: null };
list.forEach((name, number) => {
	if (!name)
		return;
	exports.signals[name] = number;
	if (name === 'SIGABRT')
		exports.signals.SIGIOT = number;
	if (name === 'SIGIO')
		exports.signals.SIGPOLL = number;
});
