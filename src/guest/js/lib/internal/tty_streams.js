/* process.stdin, stdout and stderr as streams; tty gives the same classes. Output is written at once, as Node does it for
 * files, pipes and terminals on Linux. */
'use strict';

const { Readable, Writable } = require('stream');
const loop = require('internal/loop');
const EAGAIN = 11, READABLE = 1, WRITABLE = 4, CHUNK = 65536;

function writeAll(fd, bytes) {
	for (let at = 0; at < bytes.length;) {
		const r = host.tryWrite(fd, bytes, at, bytes.length - at, -1);
		if (r === -EAGAIN)
			host.poll(Int32Array.of(fd, WRITABLE, 0), -1);
		else if (r < 0)
			return host.errnoError(r, 'write');
		else
			at += r;
	}
	return null;
}

class Output extends Writable {
	constructor(fd) {
		super({ decodeStrings: true, emitClose: false });
		this.fd = fd;
	}
	_write(chunk, encoding, callback) {
		callback(writeAll(this.fd, chunk));
	}
}

/* process.stdout and stderr cannot be closed by scripts. */
function neverDestroyed(stream) {
	stream._destroy = (error, callback) => callback(error);
	return stream;
}

/* A terminal that does not know its size is 80 by 24. */
function size(fd) {
	const [columns, rows] = host.ttySize(fd);
	return columns && rows ? [columns, rows] : [80, 24];
}

class WriteStream extends Output {
	constructor(fd) {
		super(fd);
		this.isTTY = true;
		[this.columns, this.rows] = size(fd);
		/* Who listens for a new size, or asks for it, hears of the signal. */
		this.on('newListener', (event) => {
			if (event !== 'resize' || this.listenerCount('resize'))
				return;
			require('process').on('SIGWINCH', () => this._refreshSize());
		});
	}
	_refreshSize() {
		const [columns, rows] = size(this.fd);
		if (columns === this.columns && rows === this.rows)
			return;
		this.columns = columns;
		this.rows = rows;
		this.emit('resize');
	}
	getWindowSize() {
		this._refreshSize();
		return [this.columns, this.rows];
	}
	getColorDepth(env = require('process').env) {
		if (env.FORCE_COLOR !== undefined)
			return { '': 4, 1: 4, true: 4, 2: 8, 3: 24 }[env.FORCE_COLOR] ?? 1;
		if (env.NODE_DISABLE_COLORS || env.NO_COLOR || env.TERM === 'dumb')
			return 1;
		if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit')
			return 24;
		return /256/.test(env.TERM || '') ? 8 : /^(xterm|screen|vt100|linux|ansi|rxvt|tmux)/.test(env.TERM || '') ? 4 : 1;
	}
	hasColors(count, env) {
		if (typeof count === 'object') {
			env = count;
			count = 16;
		}
		return (count ?? 16) <= 2 ** this.getColorDepth(env);
	}
	clearLine(direction, callback) {
		return this.write(`\x1b[${{ '-1': 1, 0: 2, 1: 0 }[direction] ?? 2}K`, callback);
	}
	clearScreenDown(callback) {
		return this.write('\x1b[0J', callback);
	}
	cursorTo(x, y, callback) {
		if (typeof y === 'function') {
			callback = y;
			y = undefined;
		}
		return this.write(y === undefined ? `\x1b[${x + 1}G` : `\x1b[${y + 1};${x + 1}H`, callback);
	}
	moveCursor(dx, dy, callback) {
		let text = dx < 0 ? `\x1b[${-dx}D` : dx > 0 ? `\x1b[${dx}C` : '';
		text += dy < 0 ? `\x1b[${-dy}A` : dy > 0 ? `\x1b[${dy}B` : '';
		return text ? this.write(text, callback) : true;
	}
}
exports.WriteStream = WriteStream;

class Input extends Readable {
	#watch = null;
	#alive = true;
	constructor(fd) {
		super({ highWaterMark: CHUNK, emitClose: false });
		this.fd = fd;
		this.on('pause', () => this.#stop());
	}
	#stop() {
		if (!this.#watch)
			return;
		this.#watch.close();
		this.#watch = null;
		if (this._readableState)
			this._readableState.reading = false;
	}
	_read() {
		if (this.#watch)
			return;
		this.#watch = loop.watch(this.fd, READABLE, () => this.#ready());
		if (!this.#alive)
			this.#watch.unref();
	}
	#ready() {
		const bytes = Buffer.allocUnsafeSlow(CHUNK);
		const r = host.tryRead(this.fd, bytes, 0, CHUNK, -1);
		if (r === -EAGAIN)
			return;
		this.#watch.close();
		this.#watch = null;
		if (r < 0)
			this.destroy(host.error(r, 'read'));
		else
			this.push(r === 0 ? null : bytes.subarray(0, r));
	}
	_destroy(error, callback) {
		this.#stop();
		callback(error);
	}
	ref() {
		this.#alive = true;
		if (this.#watch)
			this.#watch.ref();
		return this;
	}
	unref() {
		this.#alive = false;
		if (this.#watch)
			this.#watch.unref();
		return this;
	}
}

class ReadStream extends Input {
	constructor(fd) {
		super(fd);
		this.isTTY = true;
		this.isRaw = false;
	}
	setRawMode(mode) {
		const r = host.ttyRaw(this.fd, mode);
		if (r < 0)
			this.emit('error', host.error(r, 'setRawMode'));
		else
			this.isRaw = !!mode;
		return this;
	}
}
exports.ReadStream = ReadStream;

exports.output = function (fd) {
	const stream = neverDestroyed(host.isatty(fd) ? new WriteStream(fd) : new Output(fd));
	stream._type = host.isatty(fd) ? 'tty' : 'pipe';
	stream._isStdio = true;
	return stream;
};

exports.input = function (fd) {
	return host.isatty(fd) ? new ReadStream(fd) : new Input(fd);
};
