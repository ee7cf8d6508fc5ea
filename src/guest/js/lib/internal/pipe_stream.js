/* One end of a pipe as a stream: what a child process's stdin, stdout and stderr are. */
'use strict';

const { Duplex } = require('stream');
const { Buffer } = require('buffer');
const loop = require('internal/loop');
const EAGAIN = 11, READABLE = 1, WRITABLE = 4, CHUNK = 65536;

class Socket extends Duplex {
	#watch = null;
	#alive = true;

	/* fd is ours from now on and never waits; reads or writes, one of both. */
	constructor(fd, readable) {
		super({ readable, writable: !readable, allowHalfOpen: false, highWaterMark: readable ? CHUNK : 16384, decodeStrings: true });
		this._fd = fd;
		this.bytesRead = 0;
		this.bytesWritten = 0;
		this.connecting = false;
		if (readable)
			this.read(0);
	}
	#wait(events, ready) {
		this.#watch = loop.watch(this._fd, events, ready);
		if (!this.#alive)
			this.#watch.unref();
	}
	#stop() {
		this.#watch?.close();
		this.#watch = null;
	}

	_read() {
		if (!this.#watch && this._fd >= 0)
			this.#wait(READABLE, () => this.#fill());
	}
	/* What is there, as long as somebody wants it. */
	#fill() {
		for (let more = true; more && this._fd >= 0;) {
			const bytes = Buffer.allocUnsafeSlow(CHUNK), r = host.tryRead(this._fd, bytes, 0, CHUNK, -1);
			if (r === -EAGAIN)
				return;
			if (r < 0) {
				this.destroy(host.errnoError(r, 'read'));
				return;
			}
			this.bytesRead += r;
			if (r === 0)
				this.#stop();
			more = this.push(r === 0 ? null : Buffer.from(bytes.subarray(0, r))) && r > 0;
			if (!more)
				this.#stop();
		}
	}

	_write(chunk, encoding, callback) {
		let at = 0;
		const step = () => {
			while (at < chunk.length && this._fd >= 0) {
				const r = host.tryWrite(this._fd, chunk, at, chunk.length - at, -1);
				if (r === -EAGAIN) {
					if (!this.#watch)
						this.#wait(WRITABLE, step);
					return;
				}
				if (r < 0) {
					this.#stop();
					callback(host.errnoError(r, 'write'));
					return;
				}
				at += r;
				this.bytesWritten += r;
			}
			this.#stop();
			callback(null);
		};
		step();
	}
	_destroy(error, callback) {
		this.#stop();
		if (this._fd >= 0)
			host.close(this._fd);
		this._fd = -1;
		loop.defer(callback, error);	/* handles are closed at the end of a turn */
	}
	get pending() { return false; }
	get readyState() { return this.readable ? 'readOnly' : this.writable ? 'writeOnly' : 'closed'; }
	destroySoon() {
		if (this.writable)
			this.end();
		if (this.writableFinished || this.writable === false)
			this.destroy();
		else
			this.once('finish', this.destroy);
	}
	setTimeout() { return this; }
	setNoDelay() { return this; }
	setKeepAlive() { return this; }
	address() { return {}; }
	ref() {
		this.#alive = true;
		this.#watch?.ref();
		return this;
	}
	unref() {
		this.#alive = false;
		this.#watch?.unref();
		return this;
	}
}

exports.Socket = Socket;
