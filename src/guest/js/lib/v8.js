/* The module v8, as far as another engine has what it tells. */
'use strict';

exports.getHeapStatistics = function getHeapStatistics() {
	const [used, linear] = host.memory();
	return {
		total_heap_size: Math.max(linear, used), total_heap_size_executable: 0, total_physical_size: linear,
		total_available_size: Math.max(0, host.limit - used), used_heap_size: used, heap_size_limit: host.limit,
		malloced_memory: used, peak_malloced_memory: linear, does_zap_garbage: 0, number_of_native_contexts: 1,
		number_of_detached_contexts: 0, total_global_handles_size: 0, used_global_handles_size: 0, external_memory: 0,
	};
};
exports.getHeapSpaceStatistics = () => [];
exports.getHeapCodeStatistics = () => ({ code_and_metadata_size: 0, bytecode_and_metadata_size: 0, external_script_source_size: 0, cpu_profiler_metadata_size: 0 });
exports.cachedDataVersionTag = () => 0;
exports.setFlagsFromString = function setFlagsFromString(flags) {
	if (typeof flags !== 'string')
		throw require('internal/errors').codes.ERR_INVALID_ARG_TYPE('flags', 'string', flags);
	if (/^--?expose[-_]gc$/.test(flags))
		globalThis.gc = function gc() { host.gc(); };
};

exports.serialize = (value) => require('internal/v8_format').serialize(value);
exports.deserialize = (bytes) => require('internal/v8_format').deserialize(bytes);
