/*
 * TLS on both sides. Inside, the box's own authority (a key of P-256 that nothing else has ever seen) signs for the host
 * that was asked for; outside, the host's certificate is checked by name against what this machine trusts.
 */
#include "egress/egress.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wire/trust.h"

#define DAY 86400L

static const unsigned char alpn[] = "\x08http/1.1";

static bool is_address(const char *host)
{
	struct in6_addr ip;

	return inet_pton(AF_INET, host, &ip) == 1 || inet_pton(AF_INET6, host, &ip) == 1;
}

/* ---- Certificates ---- */

static bool extend(X509 *cert, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *e;
	bool good;

	X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
	e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	good = e && X509_add_ext(cert, e, -1);
	X509_EXTENSION_free(e);
	return good;
}

static bool number(X509 *cert)
{
	unsigned char bytes[16];
	BIGNUM *n = RAND_bytes(bytes, sizeof(bytes)) == 1 ? BN_bin2bn(bytes, sizeof(bytes) - 1, NULL) : NULL;
	bool good = n && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(cert));

	BN_free(n);
	return good;
}

/* The box's clock may not be ours. issuer NULL: its own. */
static X509 *new_cert(EVP_PKEY *key, const char *name, X509 *issuer, long days)
{
	X509 *cert = X509_new();
	X509_NAME *n = cert ? X509_get_subject_name(cert) : NULL;
	bool good = n && X509_set_version(cert, 2) && number(cert) &&
		X509_gmtime_adj(X509_getm_notBefore(cert), -2 * DAY) &&
		X509_time_adj_ex(X509_getm_notAfter(cert), (int)days, 0, NULL) && X509_set_pubkey(cert, key) &&
		X509_NAME_add_entry_by_txt(n, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0) &&
		X509_set_issuer_name(cert, issuer ? X509_get_subject_name(issuer) : n);

	if (good)
		return cert;
	X509_free(cert);
	return NULL;
}

static X509 *authority(EVP_PKEY *key, const char *box)
{
	char name[64];
	X509 *cert;

	snprintf(name, sizeof(name), "tinybox %.40s", box);
	cert = new_cert(key, name, NULL, 3650);
	if (cert && extend(cert, cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
	    extend(cert, cert, NID_key_usage, "critical,keyCertSign") &&
	    extend(cert, cert, NID_subject_key_identifier, "hash") && X509_sign(cert, key, EVP_sha256()))
		return cert;
	X509_free(cert);
	return NULL;
}

static X509 *leaf(const struct tls *t, const char *host)
{
	char name[300], common[64];
	X509 *cert;

	snprintf(name, sizeof(name), "%s:%s", is_address(host) ? "IP" : "DNS", host);
	snprintf(common, sizeof(common), "%s", host);
	cert = new_cert(t->key, common, t->ca, 30);
	if (cert && extend(cert, t->ca, NID_basic_constraints, "critical,CA:FALSE") &&
	    extend(cert, t->ca, NID_key_usage, "critical,digitalSignature") &&
	    extend(cert, t->ca, NID_ext_key_usage, "serverAuth") &&
	    extend(cert, t->ca, NID_subject_alt_name, name) &&
	    extend(cert, t->ca, NID_authority_key_identifier, "keyid") && X509_sign(cert, t->ca_key, EVP_sha256()))
		return cert;
	X509_free(cert);
	return NULL;
}

static char *pem_of(X509 *cert)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *data = NULL, *copy = NULL;
	long n;

	if (bio && PEM_write_bio_X509(bio, cert) && (n = BIO_get_mem_data(bio, &data)) > 0)
		copy = strndup(data, (size_t)n);
	BIO_free(bio);
	return copy;
}

/* ---- What is trusted ---- */

static bool load_machine(SSL_CTX *ctx)
{
	static const char *const files[] = TRUST_FILES;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (SSL_CTX_load_verify_file(ctx, files[i]) == 1)
			return true;
	return false;
}

/* How many there were; -1: it is no list of certificates. */
static int load_more(SSL_CTX *ctx, const char *pem)
{
	BIO *bio = BIO_new_mem_buf(pem, -1);
	X509_STORE *store = SSL_CTX_get_cert_store(ctx);
	int n = 0;
	X509 *cert;

	while (bio && (cert = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
		n += X509_STORE_add_cert(store, cert) == 1;
		X509_free(cert);
	}
	BIO_free(bio);
	return n ? n : -1;
}

/* ---- Contexts ---- */

static int choose(SSL *ssl, const unsigned char **out, unsigned char *size, const unsigned char *in, unsigned n,
		  void *arg)
{
	(void)ssl;
	(void)arg;
	if (SSL_select_next_proto((unsigned char **)(uintptr_t)out, size, alpn, sizeof(alpn) - 1, in, n) ==
	    OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_OK;
	return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static SSL_CTX *context(const SSL_METHOD *method)
{
	SSL_CTX *ctx = SSL_CTX_new(method);

	if (!ctx || SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1) {
		SSL_CTX_free(ctx);
		return NULL;
	}
	SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
			    SSL_OP_CIPHER_SERVER_PREFERENCE);
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
			 SSL_MODE_RELEASE_BUFFERS);
	return ctx;
}

static bool open_far(struct tls *t, const char *more, bool far, const char **why)
{
	bool machine;

	t->far = context(TLS_client_method());
	if (!t->far)
		return false;
	SSL_CTX_set_verify(t->far, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_alpn_protos(t->far, alpn, sizeof(alpn) - 1);
	if (!far)
		return true;
	machine = load_machine(t->far);
	*why = "the file of authorities holds no certificate";
	if (more && *more && load_more(t->far, more) < 0)
		return false;
	*why = "that machine trusts no authority: ca-certificates is not installed there";
	return machine || (more && *more);
}

bool tls_open(struct tls *t, const char *box, const char *more, bool far, const char **why)
{
	*why = "the box's authority cannot be made";
	OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	t->ca_key = EVP_EC_gen("P-256");
	t->key = EVP_EC_gen("P-256");
	t->ca = t->ca_key ? authority(t->ca_key, box) : NULL;
	t->pem = t->ca ? pem_of(t->ca) : NULL;
	t->near = context(TLS_server_method());
	if (!t->key || !t->pem || !t->near)
		return false;
	SSL_CTX_set_alpn_select_cb(t->near, choose, NULL);
	return open_far(t, more, far, why);
}

SSL *tls_near(const struct tls *t, const char *host, int fd)
{
	X509 *cert = leaf(t, host);
	SSL *ssl = cert ? SSL_new(t->near) : NULL;
	bool good = ssl && SSL_use_certificate(ssl, cert) == 1 && SSL_use_PrivateKey(ssl, t->key) == 1 &&
		SSL_set_fd(ssl, fd) == 1;

	X509_free(cert);
	if (good) {
		SSL_set_accept_state(ssl);
		return ssl;
	}
	SSL_free(ssl);
	ERR_clear_error();
	return NULL;
}

SSL *tls_far(const struct tls *t, const char *host, int fd)
{
	SSL *ssl = SSL_new(t->far);
	bool good;

	if (!ssl)
		return NULL;
	SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	if (is_address(host))
		good = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1;
	else
		good = SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
	if (good && SSL_set_fd(ssl, fd) == 1) {
		SSL_set_connect_state(ssl);
		return ssl;
	}
	SSL_free(ssl);
	ERR_clear_error();
	return NULL;
}

const char *tls_why(const SSL *far)
{
	long result = SSL_get_verify_result(far);

	return result == X509_V_OK ? "the host does not speak TLS as it should" :
		X509_verify_cert_error_string(result);
}

void tls_close(struct tls *t)
{
	EVP_PKEY_free(t->ca_key);
	EVP_PKEY_free(t->key);
	X509_free(t->ca);
	SSL_CTX_free(t->near);
	SSL_CTX_free(t->far);
	free(t->pem);
	*t = (struct tls){0};
}
