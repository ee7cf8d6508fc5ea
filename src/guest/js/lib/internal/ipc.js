/*
 * Messages between a node and one that it has forked: lines of JSON, through two pipes, for the kernel has no pair of sockets.
 * The child finds them by two variables: NODE_CHANNEL_FD, as Node's own, and NODE_CHANNEL_OUT.
 */
'use strict';

const loop = require('internal/loop');
const { codes } = require('internal/errors');
const { Buffer } = require('buffer');
const { validateFunction, validateObject } = require('internal/validators');
const { error: refused } = require('internal/refused');
const EAGAIN = 11, READABLE = 1, WRITABLE = 4, CHUNK = 65536, MOST_WAITING = 131072;

/* What process.channel and child.channel are. */
class Control {
	#refs;
	constructor(refs) { this.#refs = refs; }
	ref() { this.#refs(true); }
	unref() { this.#refs(false); }
	get fd() { return undefined; }
}

class Channel {
	#input; #output; #advanced; #onMessage; #onEnd; #onError;
	#reading = null; #writing = null;
	#parts = [];		/* of a line that has not ended */
	#queue = [];		/* { bytes, at, callback } */
	waiting = 0;

	constructor([input, output], advanced, { onMessage, onEnd, onError }) {
		this.#input = input;
		this.#output = output;
		this.#advanced = advanced;
		this.#onMessage = onMessage;
		this.#onEnd = onEnd;
		this.#onError = onError;
		this.#reading = loop.watch(input, READABLE, () => this.#fill());
	}

	ref() { this.#reading?.ref(); }
	unref() { this.#reading?.unref(); }

	#fill() {
		const bytes = Buffer.allocUnsafeSlow(CHUNK), n = host.tryRead(this.#input, bytes, 0, CHUNK, -1);
		if (n === -EAGAIN)
			return;
		if (n <= 0) {
			this.close();
			return;
		}
		let from = 0;
		for (let at; (at = bytes.subarray(0, n).indexOf(10, from)) >= 0; from = at + 1) {
			this.#parts.push(bytes.subarray(from, at));
			const line = Buffer.concat(this.#parts.splice(0)).toString();
			this.#onMessage(this.#advanced ? require('v8').deserialize(Buffer.from(line, 'base64')) : JSON.parse(line));
		}
		if (from < n)
			this.#parts.push(Buffer.from(bytes.subarray(from, n)));
	}

	write(message, callback) {
		const text = this.#advanced ? require('v8').serialize(message).toString('base64') : JSON.stringify(message);
		const bytes = Buffer.from(`${text}\n`);
		this.#queue.push({ bytes, at: 0, callback });
		this.waiting += bytes.length;
		this.#flush();
		return this.waiting < MOST_WAITING;
	}

	#flush() {
		while (this.#queue.length && this.#output >= 0) {
			const one = this.#queue[0], n = host.tryWrite(this.#output, one.bytes, one.at, one.bytes.length - one.at, -1);
			if (n === -EAGAIN) {
				this.#writing ??= loop.watch(this.#output, WRITABLE, () => this.#flush());
				return;
			}
			if (n >= 0 && (one.at += n) < one.bytes.length)
				continue;
			this.waiting -= one.bytes.length;
			this.#queue.shift();
			const error = n < 0 ? host.errnoError(n, 'write') : null;
			if (one.callback)
				process.nextTick(one.callback, error);
			else if (error)
				process.nextTick(this.#onError, error);
		}
		this.#writing?.close();
		this.#writing = null;
	}

	close() {
		if (this.#input < 0)
			return;
		this.#reading.close();
		this.#writing?.close();
		this.#writing = null;
		host.close(this.#input);
		host.close(this.#output);
		this.#input = this.#output = -1;
		this.#onEnd();
	}
}

function checkMessage(message, handle, options) {
	if (message === undefined)
		throw new codes.ERR_MISSING_ARGS('message');
	if (!['string', 'object', 'number', 'boolean'].includes(typeof message))
		throw new codes.ERR_INVALID_ARG_TYPE('message', ['string', 'object', 'number', 'boolean'], message);
	if (options !== undefined)
		validateObject(options, 'options');
	if (handle)
		throw refused('A handle as an argument of send()', 'there are no sockets to hand over');
}

function addSend(target, channel) {
	function fail(error, callback) {
		if (callback)
			process.nextTick(callback, error);
		else
			process.nextTick(() => target.emit('error', error));
		return false;
	}
	target.send = function (message, handle, options, callback) {
		if (typeof handle === 'function')
			[callback, handle, options] = [handle, undefined, undefined];
		else if (typeof options === 'function')
			[callback, options] = [options, undefined];
		if (callback !== undefined)
			validateFunction(callback, 'callback');
		checkMessage(message, handle, options);
		return target.connected ? channel.write(message, callback) : fail(new codes.ERR_IPC_CHANNEL_CLOSED(), callback);
	};
	target.disconnect = function () {
		if (!target.connected) {
			target.emit('error', new codes.ERR_IPC_DISCONNECTED());
			return;
		}
		target.connected = false;
		process.nextTick(() => channel.close());
	};
	target._disconnect = () => channel.close();
}

/* Gives target, a child or the process, send(), disconnect() and their events. */
exports.add = function (target, ends, advanced, onEnd) {
	const pending = [];
	function emit(event, message) {
		if (event === 'internalMessage' || target.listenerCount('message'))
			target.emit(event, message, undefined);
		else
			pending.push([event, message]);
	}
	function end() {
		target.connected = false;
		target.channel = null;
		target._channel = null;
		process.nextTick(() => {
			target.emit('disconnect');
			onEnd?.();
		});
	}
	function onMessage(message) {
		const internal = message !== null && typeof message === 'object' && typeof message.cmd === 'string' && message.cmd.startsWith('NODE_');
		process.nextTick(emit, internal ? 'internalMessage' : 'message', message);
	}
	const channel = new Channel(ends, advanced, { onMessage, onEnd: end, onError: (error) => target.emit('error', error) });

	target.on('newListener', () => process.nextTick(() => {
		if (target.connected && target.listenerCount('message')) {
			for (const [event, message] of pending.splice(0))
				target.emit(event, message, undefined);
		}
	}));
	target.channel = new Control((on) => on ? channel.ref() : channel.unref());
	Object.defineProperty(target, '_channel', { get() { return target.channel; }, set() {}, enumerable: true, configurable: true });
	target.connected = true;

	addSend(target, channel);
	return channel;
};

/* This process was forked: process.send() and the like; the channel keeps it alive while somebody listens. */
exports.begin = function (fd) {
	const { env } = process, output = env.NODE_CHANNEL_OUT, advanced = env.NODE_CHANNEL_SERIALIZATION_MODE === 'advanced';
	for (const name of ['NODE_CHANNEL_FD', 'NODE_CHANNEL_OUT', 'NODE_CHANNEL_SERIALIZATION_MODE'])
		delete env[name];
	const channel = exports.add(process, [+fd, +output], advanced);
	channel.unref();
	const waits = (name) => name === 'message' || name === 'disconnect';
	process.on('newListener', (name) => { if (waits(name)) channel.ref(); });
	process.on('removeListener', (name) => {
		if (waits(name) && !process.listenerCount('message') && !process.listenerCount('disconnect'))
			channel.unref();
	});
};
