/* refusal.c - why none of the servers behind `nats:` lets us in: tries each alone, and reports the
 * system's error for it. */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "exec/nats/nats_impl.h"

/* Returns the system's error for a server; NULL: it lets us in. For all failures before the first
 * byte, libnats only says that there was no server. */
static const char *refused(const char *url)
{
	struct addrinfo want = {.ai_socktype = SOCK_STREAM}, *list = NULL;
	char *host = rn_nats_url_shown(url), *h = strstr(host, "://") + 3, *port, *end;
	const char *why = NULL;
	int r;

	if (*h == '[' && (end = strchr(h, ']'))) {
		*end = 0;
		h++;
		port = end[1] == ':' ? end + 2 : NULL;
	} else if ((port = strrchr(h, ':')))
		*port++ = 0;
	r = getaddrinfo(h, port && *port ? port : "4222", &want, &list);
	if (r)
		why = gai_strerror(r);
	for (struct addrinfo *a = list; a; a = a->ai_next) {
		int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
		    code = 0;
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		socklen_t n = sizeof(code);

		if (fd < 0 || (connect(fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS))
			code = errno;
		else if (poll(&p, 1, NATS_CONNECT_MS) <= 0)
			code = ETIMEDOUT;
		else
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &n);
		if (fd >= 0)
			close(fd);
		why = code ? strerror(code) : NULL;
		if (!why)
			break;
	}
	freeaddrinfo(list);
	free(host);
	return why;
}

static void reason(const struct rn_nats_spec *spec, const char *url, natsStatus st,
		   const char *said, char *to, size_t n)
{
	const char *why = NULL;

	switch (st) {
	case NATS_CONNECTION_AUTH_FAILED:
		snprintf(to, n, "it does not let %s in (%s)",
			 spec->nkey                       ? "the key of nkey="
			 : spec->creds                    ? "the credentials of creds="
			 : spec->user || strchr(url, '@') ? "this user with this password"
							  : "those without user and password",
			 said);
		return;
	case NATS_SECURE_CONNECTION_WANTED:
		snprintf(to, n, "it has no TLS, which was asked for");
		return;
	case NATS_SECURE_CONNECTION_REQUIRED:
		snprintf(to, n,
			 "it wants TLS: write tls:// in its address, and ca=FILE if the CA is one "
			 "of your own");
		return;
	case NATS_SSL_ERROR: snprintf(to, n, "TLS fails: %s", said); return;
	case NATS_TIMEOUT:
		snprintf(to, n, "no NATS server answers there within %d s", NATS_CONNECT_MS / 1000);
		return;
	default:
		why = refused(url);
		snprintf(to, n, "%s",
			 why                    ? why
			 : st == NATS_NO_SERVER ? "what answers there is no NATS server"
						: said);
	}
}

int rn_nats_spec_why(const struct rn_nats_spec *spec, struct rn_err *err)
{
	char all[640] = "", one[300];
	bool auth = false, tls = false;

	for (unsigned i = 0; i < spec->nurl; i++) {
		natsOptions *o;
		natsConnection *nc = NULL;
		natsStatus st, last;
		char *seed, *shown = rn_nats_url_shown(spec->url[i]);
		int r = rn_nats_spec_options(spec, (int)i, &seed, &o, err);
		size_t k = strlen(all);

		if (r) {
			free(shown);
			return r;
		}
		st = rn_nats_lib.natsConnection_Connect(&nc, o);
		reason(spec, spec->url[i], st, rn_nats_lib.nats_GetLastError(&last), one,
		       sizeof(one));
		if (st == NATS_OK)
			snprintf(one, sizeof(one), "it answers only now: try again");
		tls |= st == NATS_SSL_ERROR;
		auth |= st == NATS_CONNECTION_AUTH_FAILED;
		snprintf(all + k, sizeof(all) - k, "%s%s: %s", k ? "; " : "", shown, one);
		rn_nats_lib.natsConnection_Destroy(nc);
		rn_nats_lib.natsOptions_Destroy(o);
		free(seed);
		free(shown);
	}
	rn_err_set(err, auth ? -EACCES : -ECONNREFUSED, "no NATS server can be used: %s", all);
	if (auth)
		rn_err_hint(err, "authenticate by USER:PASSWORD@ in the address, or by user= and "
				 "passfile=, nkey= or creds=");
	else if (tls)
		rn_err_hint(err, "ca=FILE names the CA of the server's certificate; cert=FILE and "
				 "key=FILE are this side's own, if the server asks for one");
	else
		rn_err_hint(err, "is it running, and reachable from here?");
	return err ? err->code : -ECONNREFUSED;
}
