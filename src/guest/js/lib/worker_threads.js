/* worker_threads: this is the main thread; ports and channels are those of the globals. */
'use strict';

const message = require('internal/message');
const { error, functions, classes } = require('internal/refused');
const INSTEAD = 'use child_process to run programs side by side';
const shared = new Map();

Object.assign(exports, {
	isMainThread: true, threadId: 0, parentPort: null, workerData: null, resourceLimits: {},
	SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'), MessagePort: message.MessagePort, MessageChannel: message.MessageChannel,
	BroadcastChannel: message.BroadcastChannel, receiveMessageOnPort: message.receiveMessageOnPort,
});
exports.setEnvironmentData = function setEnvironmentData(key, value) {
	if (value === undefined)
		shared.delete(key);
	else
		shared.set(key, value);
};
exports.getEnvironmentData = (key) => shared.get(key);
functions(exports, 'worker_threads', INSTEAD, ['markAsUntransferable', 'moveMessagePortToContext', 'postMessageToThread']);
classes(exports, 'worker_threads', INSTEAD, ['Worker'], require('events'));
