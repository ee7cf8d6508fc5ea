/* Stats, BigIntStats, StatFs and Dirent. */
'use strict';

const { constants } = require('internal/fs_constants');
const { S_IFMT } = constants;

/* [method, S_IF constant, UV_DIRENT constant] */
const kinds = [
	['isDirectory', constants.S_IFDIR, constants.UV_DIRENT_DIR], ['isFile', constants.S_IFREG, constants.UV_DIRENT_FILE],
	['isBlockDevice', constants.S_IFBLK, constants.UV_DIRENT_BLOCK],
	['isCharacterDevice', constants.S_IFCHR, constants.UV_DIRENT_CHAR],
	['isSymbolicLink', constants.S_IFLNK, constants.UV_DIRENT_LINK], ['isFIFO', constants.S_IFIFO, constants.UV_DIRENT_FIFO],
	['isSocket', constants.S_IFSOCK, constants.UV_DIRENT_SOCKET],
];

function method(proto, name, fn) {
	Object.defineProperty(proto, name, { value: { [name](...args) { return fn.apply(this, args); } }[name], writable: true,
		configurable: true, enumerable: true });
}

/* ---- Stats ---- */

function StatsBase(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks) {
	Object.assign(this, { dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks });
}

for (const [name, bits] of kinds)
	method(StatsBase.prototype, name, function () { return this._checkModeProperty(bits); });

const dateOf = (ms) => new Date(Math.round(Number(ms)));

function dates(stats) {
	for (const name of ['atime', 'mtime', 'ctime', 'birthtime'])
		stats[name] = dateOf(stats[`${name}Ms`]);
}

function Stats(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks, atimeMs, mtimeMs, ctimeMs, birthtimeMs) {
	if (!(this instanceof Stats))
		return new Stats(...arguments);
	StatsBase.call(this, dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks);
	Object.assign(this, { atimeMs, mtimeMs, ctimeMs, birthtimeMs });
	dates(this);
}
Object.setPrototypeOf(Stats.prototype, StatsBase.prototype);
Object.setPrototypeOf(Stats, StatsBase);
Stats.prototype.isFile = StatsBase.prototype.isFile;
Stats.prototype._checkModeProperty = function (bits) { return (this.mode & S_IFMT) === bits; };
exports.Stats = Stats;

function BigIntStats(fields, ns) {
	StatsBase.apply(this, fields);
	const names = ['atime', 'mtime', 'ctime', 'birthtime'];
	names.forEach((name, i) => { this[`${name}Ms`] = ns[i] / 1000000n; });
	names.forEach((name, i) => { this[`${name}Ns`] = ns[i]; });
	dates(this);
}
Object.setPrototypeOf(BigIntStats.prototype, StatsBase.prototype);
Object.setPrototypeOf(BigIntStats, StatsBase);
BigIntStats.prototype._checkModeProperty = function (bits) { return (this.mode & BigInt(S_IFMT)) === BigInt(bits); };

/* From the host's 18 numbers. */
exports.make = function (raw, bigint) {
	if (bigint) {
		const ns = [10, 12, 14, 16].map((i) => BigInt(raw[i]) * 1000000000n + BigInt(raw[i + 1]));
		return new BigIntStats(Array.from(raw.subarray(0, 10), BigInt), ns);
	}
	const times = [10, 12, 14, 16].map((i) => raw[i] * 1000 + raw[i + 1] / 1e6);
	return new Stats(...raw.subarray(0, 10), ...times);
};

function StatFs(type, bsize, blocks, bfree, bavail, files, ffree) {
	Object.assign(this, { type, bsize, blocks, bfree, bavail, files, ffree });
}

exports.makeStatFs = (raw, bigint) => new StatFs(...(bigint ? Array.from(raw, BigInt) : raw));

/* ---- Dirent ---- */

const kType = Symbol('type');

class Dirent {
	constructor(name, type, path) {
		this.name = name;
		this.parentPath = path;
		this.path = path;
		this[kType] = type;
	}
}
for (const [name, , type] of kinds) {
	Object.defineProperty(Dirent.prototype, name, {
		value: { [name]() { return this[kType] === type; } }[name], writable: true, configurable: true,
	});
}
exports.Dirent = Dirent;
exports.kType = kType;
