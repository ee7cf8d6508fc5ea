/* readable.pipe() and unpipe(). */
'use strict';

const { errorOrDestroy, nextTick } = require('internal/stream_destroy');

function flowOn(source, target) {
	const state = source._readableState;
	if (state.awaitDrainWriters === target)
		state.awaitDrainWriters = null;
	else if (state.multiAwaitDrain)
		state.awaitDrainWriters.delete(target);
	if ((!state.awaitDrainWriters || state.awaitDrainWriters.size === 0) && source.listenerCount('data'))
		source.resume();
}

/* The target takes no more for now. */
function waitFor(source, target, state) {
	if (state.pipes.length === 1 && state.pipes[0] === target) {
		state.awaitDrainWriters = target;
		state.multiAwaitDrain = false;
	} else if (state.pipes.length > 1 && state.pipes.includes(target)) {
		if (!state.awaitDrainWriters || !state.multiAwaitDrain) {
			state.awaitDrainWriters = new Set(state.awaitDrainWriters ? [state.awaitDrainWriters] : []);
			state.multiAwaitDrain = true;
		}
		state.awaitDrainWriters.add(target);
	}
	source.pause();
}

/* One source and one target, and the listeners between them. */
class Pipe {
	constructor(source, target, ends) {
		Object.assign(this, { source, target, state: source._readableState, drain: null, cleaned: false });
		this.stop = () => source.unpipe(target);
		this.end = () => target.end();
		this.finish = ends ? this.end : this.stop;
		this.onData = (chunk) => this.write(chunk);
		this.onError = (error) => this.fail(error);
		this.onClose = () => {
			target.removeListener('finish', this.onFinish);
			this.stop();
		};
		this.onFinish = () => {
			target.removeListener('close', this.onClose);
			this.stop();
		};
		this.onUnpipe = (readable, info) => {
			if (readable === source && info && info.hasUnpiped === false) {
				info.hasUnpiped = true;
				this.clean();
			}
		};
	}
	begin() {
		const { source, target, state } = this;
		if (state.endEmitted)
			nextTick(this.finish);
		else
			source.once('end', this.finish);
		target.on('unpipe', this.onUnpipe);
		source.on('data', this.onData);
		target.prependListener('error', this.onError);
		target.once('close', this.onClose);
		target.once('finish', this.onFinish);
		target.emit('pipe', source);
		if (target.writableNeedDrain === true)
			this.hold();
		else if (!state.flowing)
			source.resume();
	}
	write(chunk) {
		if (this.target.write(chunk) === false)
			this.hold();
	}
	/* Until the target has drained. */
	hold() {
		const { source, target, state } = this;
		if (!this.cleaned)
			waitFor(source, target, state);
		if (!this.drain) {
			this.drain = () => flowOn(source, target);
			target.on('drain', this.drain);
		}
	}
	fail(error) {
		const { target } = this;
		this.stop();
		target.removeListener('error', this.onError);
		if (target.listenerCount('error') !== 0)
			return;
		const state = target._writableState || target._readableState;
		if (state && !state.errorEmitted)
			errorOrDestroy(target, error);
		else
			target.emit('error', error);
	}
	clean() {
		const { source, target, state } = this;
		this.cleaned = true;
		target.removeListener('close', this.onClose);
		target.removeListener('finish', this.onFinish);
		if (this.drain)
			target.removeListener('drain', this.drain);
		target.removeListener('error', this.onError);
		target.removeListener('unpipe', this.onUnpipe);
		source.removeListener('end', this.end);
		source.removeListener('end', this.stop);
		source.removeListener('data', this.onData);
		if (this.drain && state.awaitDrainWriters && (!target._writableState || target._writableState.needDrain))
			this.drain();
	}
}

function pipe(target, options) {
	const state = this._readableState;
	if (state.pipes.length === 1 && !state.multiAwaitDrain) {
		state.multiAwaitDrain = true;
		state.awaitDrainWriters = new Set(state.awaitDrainWriters ? [state.awaitDrainWriters] : []);
	}
	state.pipes.push(target);
	const process = require('process');
	new Pipe(this, target, (!options || options.end !== false) && target !== process.stdout && target !== process.stderr).begin();
	return target;
}

function unpipe(target) {
	const state = this._readableState, info = { hasUnpiped: false };
	if (state.pipes.length === 0)
		return this;
	if (!target) {
		const all = state.pipes;
		state.pipes = [];
		this.pause();
		all.forEach((one) => one.emit('unpipe', this, { hasUnpiped: false }));
		return this;
	}
	const at = state.pipes.indexOf(target);
	if (at === -1)
		return this;
	state.pipes.splice(at, 1);
	if (state.pipes.length === 0)
		this.pause();
	target.emit('unpipe', this, info);
	return this;
}

exports.install = function (proto) {
	proto.pipe = pipe;
	proto.unpipe = unpipe;
};
