/* tls.c - two threads of a process, "client" and "server", that talk over a pair of sockets through
 * libssl, with a certificate made for the occasion. What the client writes, the server reads. In
 * the order given:
 *   write=TEXT    SSL_write and SSL_read        writex=TEXT  SSL_write_ex and SSL_read_ex
 *   pause=MS      the client waits before each write that follows
 *   times=N       each write that follows, N times          fail=1  SSL_read on a connection that
 *                 has nothing to read
 *   again=1       both ends free their connection and make a new one
 *   inner=TEXT    SSL_write through a second TLS connection inside of the first
 *   deep=FILE       five more connections, each inside of the one before by calls of SSL_write and
 *                   SSL_read, and a message through all of them; the number of those calls that
 *                   came when four others were under way in their thread goes to FILE
 *   bench=N       prints the time of an SSL_write of 64 bytes that go nowhere, in ns, of the best
 *                 500; the last step
 * Built where there is no libssl, it only ends with status 77. */
#define _GNU_SOURCE
#ifdef NO_TLS
int main(void)
{
	return 77;
}
#else
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int ends[2], ends2[2], steps;
static char **step;
static SSL_CTX *server_ctx, *client_ctx;

static void need(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "tls: %s failed\n", what);
		exit(2);
	}
}

static void contexts(void)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *x = X509_new();

	need(key && x, "a key");
	ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
	X509_gmtime_adj(X509_getm_notBefore(x), 0);
	X509_gmtime_adj(X509_getm_notAfter(x), 3600);
	X509_set_pubkey(x, key);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
				   (const unsigned char *)"localhost", -1, -1, 0);
	X509_set_issuer_name(x, X509_get_subject_name(x));
	need(X509_sign(x, key, EVP_sha256()) > 0, "a certificate");
	server_ctx = SSL_CTX_new(TLS_server_method());
	client_ctx = SSL_CTX_new(TLS_client_method());
	need(SSL_CTX_use_certificate(server_ctx, x) == 1 &&
		     SSL_CTX_use_PrivateKey(server_ctx, key) == 1,
	     "a context");
}

static SSL *inside(SSL_CTX *ctx, SSL *outer, int client)
{
	BIO *b = BIO_new(BIO_f_ssl());
	SSL *s = SSL_new(ctx);

	BIO_set_ssl(b, outer, BIO_NOCLOSE);
	SSL_set_bio(s, b, b);
	need((client ? SSL_connect(s) : SSL_accept(s)) == 1, "an inner handshake");
	return s;
}

/* Calls within calls, as deep as they come. */
static __thread int depth;
static long beyond;
static int nested(int out, SSL *s, void *data, int n)
{
	int r;

	if (++depth > 4)
		__atomic_fetch_add(&beyond, 1, __ATOMIC_RELAXED);
	r = out ? SSL_write(s, data, n) : SSL_read(s, data, n);
	depth--;
	return r;
}
static int pipe_write(BIO *b, const char *data, int n)
{
	return nested(1, BIO_get_data(b), (void *)data, n);
}
static int pipe_read(BIO *b, char *data, int n)
{
	return nested(0, BIO_get_data(b), data, n);
}
static long pipe_ctrl(BIO *b, int what, long n, void *p)
{
	(void)b, (void)n, (void)p;
	return what == BIO_CTRL_FLUSH;
}

static void deep(SSL *s, int client)
{
	BIO_METHOD *m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "nested");
	char text[] = "through all of them", back[sizeof(text)];

	BIO_meth_set_write(m, pipe_write);
	BIO_meth_set_read(m, pipe_read);
	BIO_meth_set_ctrl(m, pipe_ctrl);
	for (int i = 0; i < 5; i++) {
		BIO *b = BIO_new(m);
		SSL *in = SSL_new(client ? client_ctx : server_ctx);

		BIO_set_data(b, s);
		BIO_set_init(b, 1);
		SSL_set_bio(in, b, b);
		need((client ? SSL_connect(in) : SSL_accept(in)) == 1, "a handshake within");
		s = in;
	}
	need(nested(client, s, client ? text : back, sizeof(text)) == sizeof(text),
	     "a message within");
}

static int is(int i, const char *name)
{
	return !strncmp(step[i], name, strlen(name));
}

static char *value(int i)
{
	return strchr(step[i], '=') + 1;
}

static void read_all(SSL *s, int ex, size_t n)
{
	char buf[1024];

	while (n) {
		size_t got = 0;
		int r;

		if (ex) {
			need(SSL_read_ex(s, buf, sizeof(buf), &got), "SSL_read_ex");
		} else {
			need((r = SSL_read(s, buf, sizeof(buf))) > 0, "SSL_read");
			got = (size_t)r;
		}
		n -= got;
	}
}

static void *server(void *none)
{
	SSL *s = SSL_new(server_ctx), *in = NULL;
	size_t times = 1;

	prctl(PR_SET_NAME, "server");
	SSL_set_fd(s, ends[1]);
	need(SSL_accept(s) == 1, "SSL_accept");
	for (int i = 0; i < steps; i++) {
		if (is(i, "times="))
			times = strtoul(value(i), NULL, 10);
		if (is(i, "again=")) {
			SSL_free(s);
			s = SSL_new(server_ctx);
			SSL_set_fd(s, ends2[1]);
			need(SSL_accept(s) == 1, "SSL_accept");
		}
		if (is(i, "inner=")) {
			in = in ? in : inside(server_ctx, s, 0);
			read_all(in, 0, strlen(value(i)));
		}
		if (is(i, "deep="))
			deep(s, 0);
		for (size_t k = 0; k < times && is(i, "write"); k++)
			read_all(s, is(i, "writex="), strlen(value(i)));
	}
	return none;
}

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void bench(SSL *s, unsigned long n)
{
	enum { ROUND = 500 };
	long best = 0;
	char buf[64] = "";

	SSL_set0_wbio(s, BIO_new(BIO_s_null()));
	for (unsigned long i = 0; i < n; i += ROUND) {
		long t = now_ns();

		for (int k = 0; k < ROUND; k++)
			need(SSL_write(s, buf, sizeof(buf)) == sizeof(buf), "SSL_write");
		t = now_ns() - t;
		best = !best || t < best ? t : best;
	}
	printf("%ld\n", best / ROUND);
}

static void write_one(SSL *s, int ex, const char *text)
{
	size_t n = strlen(text), put;

	if (ex)
		need(SSL_write_ex(s, text, n, &put) && put == n, "SSL_write_ex");
	else
		need(SSL_write(s, text, (int)n) == (int)n, "SSL_write");
}

int main(int argc, char **argv)
{
	unsigned long times = 1, pause_ms = 0;
	SSL *s, *in = NULL, *idle;
	pthread_t t;
	char buf[16];

	step = argv + 1;
	steps = argc - 1;
	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) &&
		     !socketpair(AF_UNIX, SOCK_STREAM, 0, ends2),
	     "socketpair");
	contexts();
	pthread_create(&t, NULL, server, NULL);
	pthread_setname_np(pthread_self(), "client");
	s = SSL_new(client_ctx);
	SSL_set_fd(s, ends[0]);
	need(SSL_connect(s) == 1, "SSL_connect");
	for (int i = 0; i < steps; i++) {
		if (is(i, "times="))
			times = strtoul(value(i), NULL, 10);
		if (is(i, "pause="))
			pause_ms = strtoul(value(i), NULL, 10);
		if (is(i, "bench="))
			bench(s, strtoul(value(i), NULL, 10));
		if (is(i, "fail=")) {
			idle = SSL_new(client_ctx);
			need(SSL_read(idle, buf, sizeof(buf)) <= 0, "failing");
			SSL_free(idle);
		}
		if (is(i, "again=")) {
			SSL_free(s);
			s = SSL_new(client_ctx);
			SSL_set_fd(s, ends2[0]);
			need(SSL_connect(s) == 1, "SSL_connect");
		}
		if (is(i, "inner=")) {
			in = in ? in : inside(client_ctx, s, 1);
			write_one(in, 0, value(i));
		}
		if (is(i, "deep="))
			deep(s, 1);
		for (unsigned long k = 0; k < times && is(i, "write"); k++) {
			usleep((unsigned)(pause_ms * 1000));
			write_one(s, is(i, "writex="), value(i));
		}
	}
	pthread_join(t, NULL);
	for (int i = 0; i < steps; i++)
		if (is(i, "deep=")) {
			FILE *f = fopen(value(i), "w");

			need(f && fprintf(f, "%ld\n", beyond) > 0 && !fclose(f), value(i));
		}
	return 0;
}
#endif
