/* url: the web's URL, and the older parse, format and resolve. */
'use strict';

const { URL, domainToASCII, domainToUnicode, pathToFileURL, fileURLToPath, urlToHttpOptions } = require('internal/url');
const { URLSearchParams } = require('internal/url_params');
const { Url, parse, resolve, resolveObject, format } = require('internal/url_legacy');

module.exports = {
	Url, parse, resolve, resolveObject, format, URL, URLSearchParams, domainToASCII, domainToUnicode, pathToFileURL,
	fileURLToPath, urlToHttpOptions,
};
