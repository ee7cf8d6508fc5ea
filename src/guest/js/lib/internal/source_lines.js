/*
 * What Node prints above an error that came out of its own code: where that is, the line there, and the column of the mark. The
 * keys are places as stacks have them.
 */
'use strict';

const lines = {
	__proto__: null,
	'fs:448': ['    return binding.readFileUtf8(path, stringToFlags(options.flag));', 19],
	'fs:573': ['  return binding.open(', 17],
	'fs:750': ['  return binding.read(fd, buffer, offset, length, position);', 17],
	'fs:2380': ['    return binding.writeFileUtf8(', 19],
	'fs:244': ['  binding.access(pathModule.toNamespacedPath(path), mode);', 10],
	'fs:1999': ['  binding.chmod(', 10],
	'fs:2112': ['  binding.chown(', 10],
	'fs:525': ['  binding.close(fd);', 10],
	'fs:3047': ['  binding.copyFile(', 10],
	'fs:1633': ['  const stats = binding.fstat(fd, options.bigint, undefined, false);', 24],
	'fs:1862': ['  binding.link(', 10],
	'fs:1656': ['  const stats = binding.lstat(', 24],
	'fs:1386': ['  const result = binding.mkdir(', 25],
	'fs:3005': ['  return binding.mkdtemp(prefix, options.encoding);', 17],
	'fs:1521': ['  const result = binding.readdir(', 25],
	'fs:1413': ['    const readdirResult = binding.readdir(', 34],
	'fs:1729': ['  return binding.readlink(', 17],
	'fs:2741': ['      const stats = binding.lstat(baseLong, true, undefined, true /* throwIfNoEntry */);', 28],
	'fs:1032': ['  binding.rename(', 10],
	'internal/errors:541': ['      throw error;', 6],
	'fs:1214': ['  binding.rmdir(pathModule.toNamespacedPath(path));', 10],
	'fs:1681': ['  const stats = binding.stat(', 24],
	'fs:1822': ['  binding.symlink(', 10],
	'fs:1889': ['  binding.unlink(path);', 10],
	'fs:2150': ['  binding.utimes(', 10],
	'internal/fs/utils:351': ['    throw err;', 4],
	'internal/fs/dir:327': ['  const handle = dirBinding.opendirSync(', 28],
	'fs:1126': ['  binding.ftruncate(fd, len);', 10],
	'fs:1326': ['  binding.fsync(fd);', 10],
	'internal/modules/cjs/loader:1207': ['  throw err;', 2, 1210],
	'assert:90': ['  throw new AssertionError(obj);', 2], 'assert:137': ['  throw err;', 2], 'assert:733': ['    throw newErr;', 4],
	'assert:768': ['    throw err;', 4], 'internal/assert/utils:281': ['    throw err;', 4],
	'internal/util/parse_args/parse_args:107': ['      throw new ERR_PARSE_ARGS_UNKNOWN_OPTION(', 6],
	'internal/util/parse_args/parse_args:387': ['        throw new ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL(token.value);', 8],
	'internal/util/parse_args/parse_args:116': ["    throw new ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${shortAndLong} <value>' argument missing`);", 4],
	'internal/process/per_thread:220': ['        throw new ERR_UNKNOWN_SIGNAL(sig);', 8], 'child_process:966': ['    throw err;', 4],
	'internal/process/promises:389': ['      new UnhandledPromiseRejection(reason);', 6],
	'internal/modules/esm/resolve:873': ['  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);', 8],
	'internal/modules/esm/resolve:283': ['    throw new ERR_MODULE_NOT_FOUND(', 10],
};

/* "node:fs:448\nline\n    ^\n" of "node:fs:448:20"; undefined: not known. */
exports.of = function (place) {
	const at = place.replace(/^node:/, '').replace(/:\d+$/, ''), found = lines[at];
	return found && `node:${found[2] ? at.replace(/\d+$/, found[2]) : at}\n${found[0]}\n${' '.repeat(found[1])}^\n`;
};
