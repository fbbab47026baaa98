/* ways_tls.c - plaintext at SSL_read and SSL_write. The two ends of a connection exchange their
 * ciphertext through memory that they share, so no system call carries any of it; both are
 * anonymous, which needs no certificate. */
#include <openssl/ssl.h>
#include <sched.h>
#include <sys/mman.h>
#include "ways.h"

struct box {
	volatile int full;
	size_t n;
	unsigned char bytes[256 * 1024];
}; /* one direction */
static struct {
	struct box *box;
	SSL *ssl;
	BIO *in, *out;
	bool server;
} tls;

/* Moves what is waiting, one box at most each way. */
static void pump(void)
{
	struct box *mine = &tls.box[tls.server], *theirs = &tls.box[!tls.server];
	int n;

	if (!__atomic_load_n(&mine->full, __ATOMIC_ACQUIRE) &&
	    (n = BIO_read(tls.out, mine->bytes, sizeof(mine->bytes))) > 0) {
		mine->n = (size_t)n;
		__atomic_store_n(&mine->full, 1, __ATOMIC_RELEASE);
	}
	if (__atomic_load_n(&theirs->full, __ATOMIC_ACQUIRE)) {
		BIO_write(tls.in, theirs->bytes, (int)theirs->n);
		__atomic_store_n(&theirs->full, 0, __ATOMIC_RELEASE);
	}
	sched_yield();
}

static int shake(bool server)
{
	static SSL_CTX *ctx[2];
	int done;

	tls.server = server;
	if (!ctx[server]) {
		ctx[server] = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
		if (!ctx[server] || !SSL_CTX_set_max_proto_version(ctx[server], TLS1_2_VERSION) ||
		    !SSL_CTX_set_cipher_list(ctx[server], "AECDH-AES128-SHA:@SECLEVEL=0"))
			return -1;
	}
	tls.ssl = SSL_new(ctx[server]);
	tls.in = BIO_new(BIO_s_mem());
	tls.out = BIO_new(BIO_s_mem());
	SSL_set_bio(tls.ssl, tls.in, tls.out);
	if (server)
		SSL_set_accept_state(tls.ssl);
	else
		SSL_set_connect_state(tls.ssl);
	while ((done = SSL_do_handshake(tls.ssl)) != 1) {
		if (SSL_get_error(tls.ssl, done) != SSL_ERROR_WANT_READ)
			return -1;
		pump();
	}
	while (BIO_pending(tls.out))
		pump();
	return 0;
}

static int put(struct job *j, bool ex)
{
	for (size_t off = 0; off < j->size;) {
		size_t n = call_bytes(j->w, j->c, off), done = 0;
		int k = ex ? SSL_write_ex(tls.ssl, j->data + off, n, &done)
			   : SSL_write(tls.ssl, j->data + off, (int)n);

		if (k <= 0)
			return -1;
		off += ex ? done : (size_t)k;
		j->calls++;
	}
	while (BIO_pending(tls.out) || tls.box[tls.server].full)
		pump();
	return 0;
}

/* A call gives a record at most, or what the cell's call asks for. */
static int get(struct job *j, bool ex)
{
	for (size_t off = 0; off < j->size;) {
		size_t n = call_bytes(j->w, j->c, off), done = 0;
		int k = ex ? SSL_read_ex(tls.ssl, j->buf + off, n, &done)
			   : SSL_read(tls.ssl, j->buf + off, (int)n);

		if (k <= 0) {
			if (SSL_get_error(tls.ssl, k) != SSL_ERROR_WANT_READ)
				return -1;
			pump();
			continue;
		}
		off += ex ? done : (size_t)k;
		j->calls++;
	}
	return memcmp(j->buf, j->data, j->size);
}

static int body_tls(struct job *j)
{
	return shake(true) || (j->w->aux & 1 ? get(j, false) : put(j, false));
}

RUN(run_tls)
{
	pid_t pid;
	int bad;

	if (!tls.box) {
		tls.box = mmap(NULL, 2 * sizeof(struct box), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (tls.box == MAP_FAILED)
			return -1;
	}
	tls.box[0].full = tls.box[1].full = 0;
	memset(j->buf, 0, j->size);
	pid = peer_start(j, body_tls);
	bad = shake(false) || (j->w->aux & 1 ? put(j, j->w->aux & 2) : get(j, j->w->aux & 2));
	SSL_free(tls.ssl);
	if (peer_join(pid) && !bad)
		bad = 1;
	return bad ? -1 : 0;
}
