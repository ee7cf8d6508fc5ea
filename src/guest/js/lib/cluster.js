/* cluster: this is the primary, and there are no workers. */
'use strict';

const Emitter = require('events');
const { functions, classes } = require('internal/refused');
const INSTEAD = 'use child_process to run programs side by side';

const cluster = module.exports = new Emitter();
Object.assign(cluster, { isWorker: false, isMaster: true, isPrimary: true, workers: {}, settings: {}, SCHED_NONE: 1, SCHED_RR: 2,
	schedulingPolicy: 2 });
functions(cluster, 'cluster', INSTEAD, ['setupPrimary', 'setupMaster', 'fork']);
classes(cluster, 'cluster', INSTEAD, ['Worker'], Emitter);
cluster.disconnect = function disconnect(callback) {
	if (callback)
		process.nextTick(callback);
};
