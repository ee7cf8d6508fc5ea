/* A Transform whose streaming half is made when somebody streams: most hashes never do. */
'use strict';

const { Transform } = require('stream');
const beginning = new WeakSet();

function begin(self) {
	beginning.add(self);
	Reflect.apply(Transform, self, [self._options]);
	self._writableState.decodeStrings = true;
	beginning.delete(self);
}

/* Class calls no constructor of Transform; it sets _options. */
exports.inherit = function (Class) {
	Object.setPrototypeOf(Class.prototype, Transform.prototype);
	Object.setPrototypeOf(Class, Transform);
	for (const name of ['_readableState', '_writableState']) {
		Object.defineProperty(Class.prototype, name, {
			get() {
				if (this === Class.prototype || beginning.has(this))
					return undefined;
				begin(this);
				return this[name];
			},
			set(value) {
				Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
			},
			enumerable: true, configurable: true,
		});
	}
};
