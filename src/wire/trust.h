/*
 * Where a Linux system keeps the authorities that its programs trust, as one file of PEM: the first that is there.
 * Both the proxy outside of a box and who writes the box's own list look at these.
 */
#ifndef WIRE_TRUST_H
#define WIRE_TRUST_H

#define TRUST_FILES { \
	"/etc/ssl/certs/ca-certificates.crt",			/* Debian, Alpine, Arch */ \
	"/etc/pki/tls/certs/ca-bundle.crt",			/* Fedora, RHEL 6 */ \
	"/etc/ssl/ca-bundle.pem",				/* openSUSE */ \
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",	/* RHEL 7 and later */ \
	"/etc/ssl/cert.pem",					/* OpenSSL's own default */ \
}

#endif
