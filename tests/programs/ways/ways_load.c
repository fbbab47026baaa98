/* ways_load.c - traffic of known amount, for the soak test.
 *
 *     ways load SECONDS THREADS DIR TAG EVERY SIZE OUT     noise on all roads, the tag in every
 *                                                          EVERY-th block
 *     ways load fill FILLING CALLS SIZE DIR OUT            CALLS writes of SIZE bytes that repeat
 *                                                          the text FILLING
 *
 * Threads move blocks of 1 to SIZE bytes on each of the roads below, one after the other. OUT gets
 * a line for each path of the ledger: its name, bytes, and how many of the blocks' trips held the
 * tag; the last line: `all`, and the sums. Maps count only what is written back. What this machine
 * refuses is left out. */
#include <fcntl.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include "ways.h"

enum road { FILES, PIPES, SOCKETS, PAGES, RING, AIO, VM, MAP, TLS, ROADS };
static const char *const road_names[ROADS] = {"file", "pipe",       "socket", "pages", "io_uring",
					      "aio",  "process_vm", "mmap",   "tls"};
enum { THREADS = 16, TLS_BYTES = 512 << 10 };

struct load {
	const char *dir, *tag;
	double seconds;
	long every, size;
	unsigned index;
	int fd, copy, map_fd, pipe[2], pair[2]; /* copy: the file that copy_file_range writes to */
	unsigned char *map, *block, *back;
	struct ring *ring;
	unsigned long aio;
	SSL *ssl[2];
	uint64_t bytes[ROADS], tagged[ROADS];
	int bad;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the roads: there and back, n bytes each way; how many ways there were, 0 if there was none
 * ---- */

static int by_file(struct load *l, ssize_t n)
{
	return pwrite(l->fd, l->block, n, 0) == n && pread(l->fd, l->back, n, 0) == n ? 2 : 0;
}

static int by_pipe(struct load *l, ssize_t n)
{
	return write(l->pipe[1], l->block, n) == n && read(l->pipe[0], l->back, n) == n ? 2 : 0;
}

static int by_socket(struct load *l, ssize_t n)
{
	return send(l->pair[1], l->block, n, 0) == n &&
			       recv(l->pair[0], l->back, n, MSG_WAITALL) == n
		       ? 2
		       : 0;
}

static int by_pages(struct load *l, ssize_t n) /* what by_file wrote */
{
	off_t from = 0, to = 0;

	return copy_file_range(l->fd, &from, l->copy, &to, n, 0) == n;
}

static int by_ring(struct load *l, ssize_t n)
{
	return ring_move(l->ring, false, l->fd, l->block, n) == n &&
			       ring_move(l->ring, true, l->fd, l->back, n) == n
		       ? 2
		       : 0;
}

static int by_aio(struct load *l, ssize_t n)
{
	return aio_move(&l->aio, false, l->fd, l->block, n) == n &&
			       aio_move(&l->aio, true, l->fd, l->back, n) == n
		       ? 2
		       : 0;
}

static int by_vm(struct load *l, ssize_t n)
{
	struct iovec from = {l->block, n}, to = {l->back, n};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == n;
}

static int by_map(struct load *l, ssize_t n)
{
	memcpy(l->map, l->block, n);
	return !msync(l->map, n, MS_ASYNC);
}

static int by_tls(struct load *l, ssize_t n)
{
	if (SSL_write(l->ssl[0], l->block, (int)n) != n)
		return 0;
	for (ssize_t got = 0, k; got < n; got += k)
		if ((k = SSL_read(l->ssl[1], l->back + got, (int)(n - got))) <= 0)
			return 0;
	return 2;
}

static int (*const by[ROADS])(struct load *l, ssize_t n) = {
	by_file, by_pipe, by_socket, by_pages, by_ring, by_aio, by_vm, by_map, by_tls};

/* ---- making them ---- */

/* Two ends of a connection in one thread, the ciphertext in memory between them; anonymous, which
 * needs no certificate. */
static int tls_open(struct load *l)
{
	BIO *b[2];
	int done[2] = {0, 0};

	if (!BIO_new_bio_pair(&b[0], TLS_BYTES, &b[1], TLS_BYTES))
		return -1;
	for (int i = 0; i < 2; i++) {
		SSL_CTX *c = SSL_CTX_new(i ? TLS_server_method() : TLS_client_method());

		if (!c || !SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION) ||
		    !SSL_CTX_set_cipher_list(c, "AECDH-AES128-SHA:@SECLEVEL=0"))
			return -1;
		l->ssl[i] = SSL_new(c);
		SSL_set_bio(l->ssl[i], b[i], b[i]);
		if (i)
			SSL_set_accept_state(l->ssl[i]);
		else
			SSL_set_connect_state(l->ssl[i]);
	}
	for (int k = 0; k < 20 && (done[0] != 1 || done[1] != 1); k++)
		done[k & 1] = SSL_do_handshake(l->ssl[k & 1]);
	return done[0] == 1 && done[1] == 1 ? 0 : -1;
}

static int open_file(const struct load *l, const char *what)
{
	char path[FILE_BYTES];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.%u", l->dir, what, l->index);
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	return fd;
}

static void remove_file(const struct load *l, const char *what)
{
	char path[FILE_BYTES];

	snprintf(path, sizeof(path), "%s/%s.%u", l->dir, what, l->index);
	unlink(path);
}

/* All of a map is touched before any tag is in it. */
static void map_open(struct load *l)
{
	l->map_fd = open_file(l, "map");
	l->map = l->map_fd < 0 || ftruncate(l->map_fd, l->size)
			 ? MAP_FAILED
			 : mmap(NULL, (size_t)l->size, PROT_READ | PROT_WRITE, MAP_SHARED,
				l->map_fd, 0);
	if (l->map == MAP_FAILED)
		l->bad = 1;
	else
		memset(l->map, '.', (size_t)l->size);
}

static void load_open(struct load *l)
{
	int big = 4 << 20;

	l->block = malloc((size_t)l->size);
	l->back = malloc((size_t)l->size);
	noise_fill(l->block, (size_t)l->size, NULL, 0);
	memset(l->back, 0, (size_t)l->size);
	l->fd = open_file(l, "load");
	l->copy = open_file(l, "copy");
	l->bad = l->fd < 0 || l->copy < 0 || pipe(l->pipe) ||
		 fcntl(l->pipe[1], F_SETPIPE_SZ, MAX_SIZE) < 0 ||
		 socketpair(AF_UNIX, SOCK_STREAM, 0, l->pair) ||
		 setsockopt(l->pair[1], SOL_SOCKET, SO_SNDBUFFORCE, &big, sizeof(big)) ||
		 tls_open(l);
	l->ring = ring_new();
	map_open(l);
}

static void *load_run(void *arg)
{
	struct load *l = arg;
	size_t len = strlen(l->tag);
	double end;

	load_open(l);
	end = now_s() + l->seconds;
	for (long k = 0; !l->bad && now_s() < end; k++) {
		size_t n = len + 1 + (size_t)(k * 7919 % (l->size - (long)len - 1)),
		       at = (size_t)k * 104729 % (n - len);
		bool tagged = k % l->every == 0;
		unsigned char saved[MAX_TAG];

		memcpy(saved, l->block + at, len);
		if (tagged)
			memcpy(l->block + at, l->tag, len);
		for (int r = 0; r < ROADS && !l->bad; r++) {
			int ways = r == RING && !l->ring ? 0 : by[r](l, (ssize_t)n);

			l->bad = !ways && r != RING && r != AIO;
			l->bytes[r] += (uint64_t)ways * n;
			l->tagged[r] += tagged ? (uint64_t)ways : 0;
		}
		memcpy(l->block + at, saved, len);
	}
	/* so that nothing is left to be written when it is unmapped */
	if (l->map != MAP_FAILED && ftruncate(l->map_fd, 0))
		l->bad = 1;
	remove_file(l, "load");
	remove_file(l, "copy");
	remove_file(l, "map");
	return NULL;
}

static int load_fill(char **argv)
{
	size_t size = strtoul(argv[3], NULL, 10), len = strlen(argv[1]);
	unsigned char *block = malloc(size);
	char path[FILE_BYTES];
	long calls = atol(argv[2]);
	double begin;
	FILE *out = fopen(argv[5], "w");
	int fd;

	snprintf(path, sizeof(path), "%s/fill", argv[4]);
	for (size_t i = 0; i < size; i++)
		block[i] = (unsigned char)argv[1][i % len];
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (!out || fd < 0)
		return 1;
	prctl(PR_SET_NAME, "ways");
	begin = now_s();
	for (long i = 0; i < calls; i++)
		if (pwrite(fd, block, size, 0) != (ssize_t)size)
			return 1;
	fprintf(out, "%ld %zu %.6f\n", calls, calls * size, now_s() - begin);
	unlink(path);
	return fclose(out) ? 1 : 0;
}

int load_main(int argc, char **argv)
{
	struct load l[THREADS] = {0}, sum = {0};
	uint64_t bytes = 0, tagged = 0;
	pthread_t t[THREADS];
	unsigned n;
	FILE *out;

	if (argc == 6 && !strcmp(argv[0], "fill"))
		return load_fill(argv);
	if (argc != 7)
		return 2;
	n = (unsigned)atoi(argv[1]);
	out = fopen(argv[6], "w");
	if (!out || n < 1 || n > THREADS)
		return 2;
	prctl(PR_SET_NAME, "ways");
	for (unsigned i = 0; i < n; i++) {
		l[i] = (struct load){.dir = argv[2],
				     .tag = argv[3],
				     .seconds = atof(argv[0]),
				     .every = atol(argv[4]),
				     .size = atol(argv[5]),
				     .index = i};
		if (pthread_create(&t[i], NULL, load_run, &l[i]))
			return 1;
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(t[i], NULL);
		sum.bad |= l[i].bad;
		for (int r = 0; r < ROADS; r++) {
			sum.bytes[r] += l[i].bytes[r];
			sum.tagged[r] += l[i].tagged[r];
		}
	}
	for (int r = 0; r < ROADS; r++) {
		fprintf(out, "%s %lu %lu\n", road_names[r], sum.bytes[r], sum.tagged[r]);
		bytes += sum.bytes[r];
		tagged += sum.tagged[r];
	}
	fprintf(out, "all %lu %lu\n", bytes, tagged);
	return fclose(out) || sum.bad;
}
