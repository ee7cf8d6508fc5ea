/*
 * Where Node says that a synchronous error of fs came from: scripts print stacks, so the frames above the script's own are Node's
 * (20.20.2), not those of this library.
 */
'use strict';

/* What calls what inside Node; a name begins with ~ when it is called as a method of fs. */
const OPEN = '~openSync (node:fs:573:18)', WRITE_TEXT = '~writeFileSync (node:fs:2380:20)', WRITE_BYTES = '~writeFileSync (node:fs:2393:35)';
const APPEND = '~appendFileSync (node:fs:2461:6)', LSTAT = 'lstatSync (node:fs:1656:25)', CP = 'node:internal/fs/cp/cp-sync';

const places = {
	__proto__: null,
	accessSync: '244:11', chmodSync: '1999:11', chownSync: '2112:11', closeSync: '525:11', copyFileSync: '3047:11', fchmodSync: '1923:11',
	fchownSync: '2077:11', fdatasyncSync: '1296:11', fstatSync: '1633:25', fsyncSync: '1326:11', ftruncateSync: '1126:11',
	futimesSync: '2195:11', lchownSync: '2034:11', linkSync: '1862:11', lstatSync: '1656:25', lutimesSync: '2233:11', mkdirSync: '1386:26',
	mkdtempSync: '3005:18', openSync: '573:18', readSync: '750:18', readdirSync: '1521:26', readlinkSync: '1729:18', readvSync: '804:18',
	realpathSync: '2741:29', renameSync: '1032:11', rmSync: '1260:13', rmdirSync: '1214:11', statSync: '1681:25', statfsSync: '1695:25',
	symlinkSync: '1822:11', unlinkSync: '1889:11', utimesSync: '2150:11', writeSync: '933:3', writevSync: '999:18',
};

const isUtf8 = (options) => /^utf-?8$/.test(typeof options === 'string' ? options : options?.encoding ?? '');

function readFile(error, [, options]) {
	if (isUtf8(options))
		return ['~readFileSync (node:fs:448:20)'];
	return error.syscall === 'open' ? [OPEN, '~readFileSync (node:fs:452:35)'] :
		['~readSync (node:fs:750:18)', 'tryReadSync (node:fs:424:20)', '~readFileSync (node:fs:478:19)'];
}

const writeFile = (error, [, data]) => typeof data === 'string' ? [WRITE_TEXT] : [OPEN, WRITE_BYTES];

/* Those of several frames. */
const deep = {
	__proto__: null,
	readFileSync: readFile, writeFileSync: writeFile,
	appendFileSync: (error, args) => [...writeFile(error, args), APPEND],
	truncateSync: () => [OPEN, '~truncateSync (node:fs:1088:17)'],
	opendirSync: () => ['~opendirSync (node:internal/fs/dir:327:29)'],
	cpSync: (error) => [...(error.syscall === 'cp' ? [`getStats (${CP}:160:11)`, `checkParentDir (${CP}:150:10)`, `cpSyncFn (${CP}:61:10)`] :
		[LSTAT, `getStatsSync (${CP}:120:19)`, `checkPathsSync (${CP}:72:33)`, `cpSyncFn (${CP}:58:42)`]), '~cpSync (node:fs:3089:3)'],
};

function framesOf(name, error, args) {
	if (name === 'readdirSync' && args[1]?.recursive)
		return ['read (node:fs:1413:35)', 'readdirSyncRecursive (node:fs:1451:5)', '~readdirSync (node:fs:1518:12)'];
	return deep[name] ? deep[name](error, args) : [`~${name} (node:fs:${places[name]})`];
}

const INTERNAL = /^ {4}at (?:.*\()?node:(?!internal\/(?:modules|main|process)\/)/;

function reframe(name, error, args) {
	const [, ...lines] = error.stack.slice(error.stack.indexOf('\n    at ')).split('\n');
	const at = lines.findIndex((line) => !INTERNAL.test(line)), own = at < 0 ? [] : lines.slice(at);
	/* a function taken out of the module runs on no object */
	const method = lines.slice(0, Math.max(at, 0)).some((line) => line.includes(`at Object.${name} `));
	const frames = framesOf(name, error, args).map((one, i, all) => one.replace('~', i < all.length - 1 || method ? 'Object.' : ''));
	const head = error.name === 'SystemError' ? `SystemError [${error.code}]: ${error.message}` : `Error: ${error.message}`;
	Object.defineProperty(error, 'stack', {
		value: [head, ...frames.map((one) => `    at ${one}`), ...own].join('\n'), writable: true, configurable: true, enumerable: false,
	});
}

/* fn(...args), whose errors of the system come out of the function `name` of fs. */
exports.run = function (name, fn, args) {
	try {
		return fn(...args);
	} catch (e) {
		if (e && typeof e === 'object' && e.syscall !== undefined && typeof e.stack === 'string' && (deep[name] || places[name]))
			reframe(name, e, args);
		throw e;
	}
};
