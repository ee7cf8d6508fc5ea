/* Which global names the library gives, and from which file: internal/globals makes getters of them. */
'use strict';

exports.names = {
	__proto__: null,
	Buffer: 'buffer', Blob: 'buffer', File: 'buffer', atob: 'buffer', btoa: 'buffer',
	URL: 'internal/url', URLSearchParams: 'internal/url_params',
	TextEncoder: 'internal/text_codec', TextDecoder: 'internal/text_codec',
	Event: 'internal/event_target', EventTarget: 'internal/event_target',
	AbortController: 'internal/abort', AbortSignal: 'internal/abort', DOMException: 'internal/dom_exception',
	structuredClone: 'internal/structured_clone', performance: 'perf_hooks',
	PerformanceEntry: 'perf_hooks', PerformanceMark: 'perf_hooks', PerformanceMeasure: 'perf_hooks',
	PerformanceObserver: 'perf_hooks', PerformanceObserverEntryList: 'perf_hooks', Performance: 'perf_hooks',
	CustomEvent: 'internal/event_target',
};

/* Defines them on `target` as getters that load the file at the first use; writable, as in Node. */
exports.define = function (target) {
	for (const [name, file] of Object.entries(exports.names)) {
		Object.defineProperty(target, name, {
			configurable: true, enumerable: name === 'structuredClone' || name === 'atob' || name === 'btoa' || name === 'performance',
			get() {
				const value = require(file)[name];
				Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
				return value;
			},
			set(value) {
				Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
			},
		});
	}
};
