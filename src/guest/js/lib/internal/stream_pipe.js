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

function pipe(target, options) {
	const source = this, state = this._readableState;
	if (state.pipes.length === 1 && !state.multiAwaitDrain) {
		state.multiAwaitDrain = true;
		state.awaitDrainWriters = new Set(state.awaitDrainWriters ? [state.awaitDrainWriters] : []);
	}
	state.pipes.push(target);
	const process = require('process');
	const ends = (!options || options.end !== false) && target !== process.stdout && target !== process.stderr;
	let onDrain, cleaned = false;
	const stop = () => source.unpipe(target);
	const onEnd = () => target.end();
	const finish = ends ? onEnd : stop;
	function onData(chunk) {
		if (target.write(chunk) === false) {
			if (!cleaned)
				waitFor(source, target, state);
			if (!onDrain) {
				onDrain = () => flowOn(source, target);
				target.on('drain', onDrain);
			}
		}
	}
	function onError(error) {
		stop();
		target.removeListener('error', onError);
		if (target.listenerCount('error') === 0) {
			const s = target._writableState || target._readableState;
			if (s && !s.errorEmitted)
				errorOrDestroy(target, error);
			else
				target.emit('error', error);
		}
	}
	function onClose() {
		target.removeListener('finish', onFinish);
		stop();
	}
	function onFinish() {
		target.removeListener('close', onClose);
		stop();
	}
	function onUnpipe(readable, info) {
		if (readable !== source || !info || info.hasUnpiped !== false)
			return;
		info.hasUnpiped = true;
		cleaned = true;
		target.removeListener('close', onClose);
		target.removeListener('finish', onFinish);
		if (onDrain)
			target.removeListener('drain', onDrain);
		target.removeListener('error', onError);
		target.removeListener('unpipe', onUnpipe);
		source.removeListener('end', onEnd);
		source.removeListener('end', stop);
		source.removeListener('data', onData);
		if (onDrain && state.awaitDrainWriters && (!target._writableState || target._writableState.needDrain))
			onDrain();
	}
	if (state.endEmitted)
		nextTick(finish);
	else
		source.once('end', finish);
	target.on('unpipe', onUnpipe);
	source.on('data', onData);
	target.prependListener('error', onError);
	target.once('close', onClose);
	target.once('finish', onFinish);
	target.emit('pipe', source);
	if (target.writableNeedDrain === true)
		waitFor(source, target, state);
	else if (!state.flowing)
		source.resume();
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
