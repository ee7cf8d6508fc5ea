/* Which global names the library gives, and from which file: internal/globals makes getters of them. */
'use strict';

require('internal/error_stack');
require('internal/locale_methods');

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
	CustomEvent: 'internal/event_target', BroadcastChannel: 'internal/message', ReadableStreamDefaultReader: 'stream/web',
	ReadableStreamBYOBReader: 'stream/web', ReadableStreamDefaultController: 'stream/web', TransformStreamDefaultController: 'stream/web',
	WritableStreamDefaultController: 'stream/web', WritableStreamDefaultWriter: 'stream/web',
};
