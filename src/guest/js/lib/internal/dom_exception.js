/* DOMException: the errors of the web's interfaces, with a name and its old number. */
'use strict';

const numbers = {
	__proto__: null,
	IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5, NoModificationAllowedError: 7,
	NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10, InvalidStateError: 11, SyntaxError: 12,
	InvalidModificationError: 13, NamespaceError: 14, InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18,
	NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23,
	InvalidNodeTypeError: 24, DataCloneError: 25,
};
const constants = {
	__proto__: null,
	INDEX_SIZE_ERR: 1, DOMSTRING_SIZE_ERR: 2, HIERARCHY_REQUEST_ERR: 3, WRONG_DOCUMENT_ERR: 4, INVALID_CHARACTER_ERR: 5,
	NO_DATA_ALLOWED_ERR: 6, NO_MODIFICATION_ALLOWED_ERR: 7, NOT_FOUND_ERR: 8, NOT_SUPPORTED_ERR: 9,
	INUSE_ATTRIBUTE_ERR: 10, INVALID_STATE_ERR: 11, SYNTAX_ERR: 12, INVALID_MODIFICATION_ERR: 13, NAMESPACE_ERR: 14,
	INVALID_ACCESS_ERR: 15, VALIDATION_ERR: 16, TYPE_MISMATCH_ERR: 17, SECURITY_ERR: 18, NETWORK_ERR: 19, ABORT_ERR: 20,
	URL_MISMATCH_ERR: 21, QUOTA_EXCEEDED_ERR: 22, TIMEOUT_ERR: 23, INVALID_NODE_TYPE_ERR: 24, DATA_CLONE_ERR: 25,
};

const OWN = '\n    at new DOMException (node:internal/per_context/domexception:53:5)';

/* Made by a function of Node's: its frame comes behind the constructor's. */
exports.within = function (error, frame) {
	const lines = error.stack.split('\n'), at = lines.indexOf(OWN.slice(1));
	if (at >= 0)
		lines.splice(at + 1, 0, `    at ${frame}`);
	error.stack = lines.slice(0, at + 11).join('\n');
	return error;
};

class DOMException {
	#name;
	#message;
	#made = true;
	constructor(message = '', options = 'Error') {
		this.#message = `${message}`;
		if (options !== null && typeof options === 'object') {
			this.#name = 'name' in options ? `${options.name}` : 'Error';
			if ('cause' in options)
				Object.defineProperty(this, 'cause', { value: options.cause, configurable: true, writable: true, enumerable: false });
		} else {
			this.#name = `${options}`;
		}
		const frames = String(new Error('').stack), at = frames.indexOf('\n    at ');
		const head = this.#message === '' ? this.#name : `${this.#name}: ${this.#message}`;
		Object.defineProperty(this, 'stack', {
			value: at < 0 ? head : head + OWN + frames.slice(at).split('\n').slice(0, 10).join('\n'), writable: true, configurable: true, enumerable: false,
		});
	}
	static #check(self) {
		if (self === null || typeof self !== 'object' || !(#made in self))
			throw new (require('internal/errors').codes.ERR_INVALID_THIS)('DOMException');
		return self;
	}
	get name() { return DOMException.#check(this).#name; }
	get message() { return DOMException.#check(this).#message; }
	get code() { return numbers[DOMException.#check(this).#name] ?? 0; }
}

Object.setPrototypeOf(DOMException.prototype, Error.prototype);
Object.defineProperties(DOMException.prototype, {
	[Symbol.toStringTag]: { configurable: true, value: 'DOMException' },
	name: { enumerable: true }, message: { enumerable: true }, code: { enumerable: true },
});
for (const name of Object.keys(constants)) {
	Object.defineProperty(DOMException, name, { value: constants[name], enumerable: true });
	Object.defineProperty(DOMException.prototype, name, { value: constants[name], enumerable: true });
}

exports.DOMException = DOMException;
