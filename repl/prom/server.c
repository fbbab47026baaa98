/* server.c - see server.h. This file binds the address before libmicrohttpd starts, so that errors
 * are in our words and come before anything is attached. Signals stay with the thread that runs the
 * query. The library (with TLS and its other dependencies) is loaded only to serve: other runs of
 * the program start some milliseconds earlier. */
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "repl/prom/server.h"
#include "lang/base/memory.h"

enum { CONNECTIONS = 64, CONNECTION_BYTES = 16 << 10, IDLE_SECONDS = 10 };

/* The functions of the library that we call, found by their names. */
#define CALLS(X) \
	X(start_daemon) \
	X(stop_daemon) \
	X(create_response_from_buffer) \
	X(add_response_header) \
	X(queue_response) \
	X(destroy_response)
#define CALL(name) \
	__typeof__(&MHD_##name) name; // NOLINT(bugprone-macro-parentheses): a declaration
struct mhd {
	CALLS(CALL)
};

struct rn_prom_server {
	struct mhd mhd;
	void *library;
	struct MHD_Daemon *daemon;
	pthread_mutex_t lock; /* of text */
	char *text;
	size_t len; /* text NULL: nothing yet */
	char where[300];
};

/* ---- answering ---- */

static enum MHD_Result answer(const struct mhd *m, struct MHD_Connection *c, unsigned status,
			      struct MHD_Response *r, const char *type)
{
	enum MHD_Result done = MHD_NO;

	if (r && m->add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES) {
		if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
			m->add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
		done = m->queue_response(c, status, r);
	}
	if (r)
		m->destroy_response(r);
	return done;
}

static enum MHD_Result plain(const struct mhd *m, struct MHD_Connection *c, unsigned status,
			     const char *text)
{
	return answer(
		m, c, status,
		m->create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT),
		"text/plain; charset=utf-8");
}

static enum MHD_Result metrics(struct rn_prom_server *s, struct MHD_Connection *c)
{
	struct MHD_Response *r;
	bool none;

	pthread_mutex_lock(&s->lock);
	r = s->text ? s->mhd.create_response_from_buffer(s->len, s->text, MHD_RESPMEM_MUST_COPY)
		    : NULL;
	none = !s->text;
	pthread_mutex_unlock(&s->lock);
	if (none)
		return plain(&s->mhd, c, MHD_HTTP_SERVICE_UNAVAILABLE,
			     "no whole window is over yet\n");
	return answer(&s->mhd, c, MHD_HTTP_OK, r, "text/plain; version=0.0.4; charset=utf-8");
}

static enum MHD_Result handle(void *self, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **state)
{
	static char begun;
	struct rn_prom_server *server = self;

	(void)version;
	(void)data;
	if (!*state) { /* only the head of the request has come */
		*state = &begun;
		return MHD_YES;
	}
	if (*size) { /* a body is ignored */
		*size = 0;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return plain(&server->mhd, c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only\n");
	if (strcmp(url, "/metrics"))
		return plain(&server->mhd, c, MHD_HTTP_NOT_FOUND, "the metrics are at /metrics\n");
	return metrics(server, c);
}

/* ---- the address ---- */

static int wrong(const char *address, struct rn_err *err)
{
	rn_err_set(err, -EINVAL, "`%s` is no address to serve at", address);
	rn_err_hint(err, "write a port of this machine alone, as in :9410, or ADDRESS:PORT, as in "
			 "0.0.0.0:9410 for all that can reach it");
	return err->code;
}

/* Split the address; the host is 127.0.0.1 if it is left out. */
static bool split(const char *address, char host[256], char port[8])
{
	const char *colon = strrchr(address, ':'), *p = colon ? colon + 1 : address;
	size_t n = colon ? (size_t)(colon - address) : 0;

	if (!*p || strlen(p) > 5 || p[strspn(p, "0123456789")] ||
	    (int)strtol(p, NULL, 10) > 65535 || n > 255)
		return false;
	memcpy(port, p, strlen(p) + 1);
	if (n > 1 && *address == '[' && address[n - 1] == ']') {
		address++;
		n -= 2;
	} else if (memchr(address, ':', n)) { /* an IPv6 address without brackets */
		return false;
	}
	snprintf(host, 256, "%.*s", n ? (int)n : 256, n ? address : "127.0.0.1");
	return true;
}

static int refused(const char *address, int code, struct rn_err *err)
{
	rn_err_set(err, -code, "cannot serve at %s: %s", address,
		   code == EADDRINUSE ? "the address is in use" : strerror(code));
	if (code == EADDRINUSE)
		rn_err_hint(err, "another program listens there (`ss -ltnp` shows which); take "
				 "another port");
	else if (code == EACCES)
		rn_err_hint(err, "ports below 1024 need root; take another one, such as :9410");
	else if (code == EADDRNOTAVAIL)
		rn_err_hint(err,
			    "that is no address of this machine; `ip address` shows which it has");
	return -code;
}

static int listen_at(const char *address, int *fd, struct rn_err *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *all;
	char host[256], port[8];
	int on = 1, code = 0;
	int r;

	if (!split(address, host, port))
		return wrong(address, err);
	r = getaddrinfo(host, port, &hints, &all);
	if (r) {
		rn_err_set(err, -EINVAL, "cannot serve at %s: %s", address, gai_strerror(r));
		rn_err_hint(err,
			    "write an address of this machine: :9410, 127.0.0.1:9410, [::1]:9410");
		return err->code;
	}
	*fd = socket(all->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(*fd, all->ai_addr, all->ai_addrlen) || listen(*fd, 64))
		code = errno;
	freeaddrinfo(all);
	if (code && *fd >= 0)
		close(*fd);
	return code ? refused(address, code, err) : 0;
}

static void say_where(struct rn_prom_server *s, int fd)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	char host[256] = "", port[8] = "";

	getsockname(fd, (struct sockaddr *)&at, &n);
	getnameinfo((struct sockaddr *)&at, n, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(s->where, sizeof(s->where), strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

static int load(struct rn_prom_server *server, struct rn_err *err)
{
	static const char *const names[] = {
#define NAME(name) "MHD_" #name,
		CALLS(NAME)};
	void **call = (void **)&server->mhd; /* struct mhd holds only pointers */

	server->library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
	for (unsigned i = 0; server->library && i < sizeof(names) / sizeof(*names); i++) {
		call[i] = dlsym(server->library, names[i]);
		if (call[i])
			continue;
		dlclose(server->library);
		server->library = NULL;
	}
	if (server->library)
		return 0;
	rn_err_set(err, -ENOENT, "libmicrohttpd, which serves what is exported, is not here");
	rn_err_hint(err, "install the package libmicrohttpd12");
	return err->code;
}

/* ---- life ---- */

int rn_prom_server_create(const char *address, struct rn_prom_server **out, struct rn_err *err)
{
	sigset_t all, before;
	int fd = -1;
	struct rn_prom_server *server = rn_calloc(1, sizeof(*server));
	int code;

	pthread_mutex_init(&server->lock, NULL);
	code = listen_at(address, &fd, err);
	if (!code && load(server, err)) {
		code = err->code;
		close(fd);
	}
	if (code) {
		rn_prom_server_destroy(server);
		return code;
	}
	say_where(server, fd);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* the server's thread inherits this */
	server->daemon = server->mhd.start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL, handle, server,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!server->daemon) {
		close(fd);
		rn_prom_server_destroy(server);
		return rn_err_set(err, -EIO, "cannot serve at %s: the server does not start",
				  address);
	}
	*out = server;
	return 0;
}

const char *rn_prom_server_where(const struct rn_prom_server *server)
{
	return server->where;
}

void rn_prom_server_put(struct rn_prom_server *server, char *text, size_t len)
{
	char *old;

	pthread_mutex_lock(&server->lock);
	old = server->text;
	server->text = text;
	server->len = len;
	pthread_mutex_unlock(&server->lock);
	free(old);
}

void rn_prom_server_destroy(struct rn_prom_server *server)
{
	if (!server)
		return;
	if (server->daemon)
		server->mhd.stop_daemon(server->daemon);
	if (server->library)
		dlclose(server->library);
	pthread_mutex_destroy(&server->lock);
	free(server->text);
	free(server);
}
