/* server_options.c - parses what follows `nats:`: servers, and the credentials for them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "exec/nats/nats_impl.h"
#include "lang/base/memory.h"

enum { PING_MS = 5000, WRITE_MS = 5000, RECONNECT_MS = 250, SECRET_MAX = 256 };

/* The keys of the options, and where each value goes. */
struct word {
	const char *name;
	size_t at;
	bool file;
};
#define WORD(x, f) \
	{ \
#x, offsetof(struct rn_nats_spec, x), f \
	}
static const struct word words[] = {
	WORD(ca, true),       WORD(cert, true), WORD(key, true),   WORD(user, false),
	WORD(passfile, true), WORD(nkey, true), WORD(creds, true), WORD(subject, false),
};

void rn_nats_spec_free(struct rn_nats_spec *spec)
{
	for (unsigned i = 0; i < spec->nurl; i++)
		free(spec->url[i]);
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		free(*(char **)(void *)((char *)spec + words[i].at));
	memset(spec, 0, sizeof(*spec));
}

char *rn_nats_url_shown(const char *url)
{
	const char *host = strstr(url, "://"), *at;

	host = host ? host + 3 : url;
	at = strrchr(host, '@');
	return rn_asprintf("%.*s%s", (int)(host - url), url, at ? at + 1 : host);
}

static int add_url(struct rn_nats_spec *spec, const char *p, size_t n, struct rn_err *err)
{
	char *text = rn_strndup(p, n), *scheme = strstr(text, "://"),
	     *shown = rn_nats_url_shown(text), *host;
	int r = 0;

	host = strstr(shown, "://");
	host = host ? host + 3 : shown;
	if (scheme && strncmp(text, "nats://", 7) && strncmp(text, "tls://", 6))
		r = rn_err_set(
			err, -EINVAL,
			"`%s` is no address of a NATS server: it must begin with nats:// or tls://",
			shown);
	else if (!*host || *host == ':')
		r = rn_err_set(err, -EINVAL,
			       "`%s` names no NATS server: write nats://HOST or nats://HOST:PORT",
			       shown);
	else if (spec->nurl == NATS_URLS)
		r = rn_err_set(err, -E2BIG,
			       "more than %d NATS servers: a few are enough, they name the others",
			       NATS_URLS);
	else
		spec->url[spec->nurl++] = scheme ? rn_strdup(text) : rn_asprintf("nats://%s", text);
	free(shown);
	free(text);
	return r;
}

static int add_urls(struct rn_nats_spec *s, const char *p, size_t n, struct rn_err *err)
{
	for (const char *end = p + n; p <= end;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		size_t k = (size_t)((comma ? comma : end) - p);
		int r = add_url(s, p, k, err);

		if (r)
			return r;
		p += k + 1;
	}
	return 0;
}

static int add_word(struct rn_nats_spec *spec, const char *p, size_t n, struct rn_err *err)
{
	const char *eq = memchr(p, '=', n);

	for (unsigned i = 0; eq && i < sizeof(words) / sizeof(*words); i++) {
		char **to = (char **)(void *)((char *)spec + words[i].at);

		if (strlen(words[i].name) != (size_t)(eq - p) ||
		    strncmp(words[i].name, p, (size_t)(eq - p)))
			continue;
		if (eq + 1 == p + n)
			return rn_err_set(err, -EINVAL, "`%s=` of NATS is empty", words[i].name);
		free(*to);
		*to = rn_strndup(eq + 1, (size_t)(p + n - eq - 1));
		if (words[i].file && access(*to, R_OK))
			return rn_err_set(err, -errno, "the file %s, %s= of NATS: %s", *to,
					  words[i].name, strerror(errno));
		return 0;
	}
	rn_err_set(err, -EINVAL, "`%.*s` is no option of NATS", (int)(eq ? eq - p : (ptrdiff_t)n),
		   p);
	rn_err_hint(err, "the addresses, separated by commas, then any of ca= cert= key= user= "
			 "passfile= nkey= creds= subject=");
	return -EINVAL;
}

static int check(const struct rn_nats_spec *spec, struct rn_err *err)
{
	if (!spec->nurl)
		return rn_err_set(err, -EINVAL,
				  "no NATS server is named: write nats://HOST or nats://HOST:PORT");
	if (!spec->cert != !spec->key)
		return rn_err_set(err, -EINVAL,
				  "cert= and key= of NATS belong together: the certificate of this "
				  "side and its key");
	if (!!spec->user + !!spec->nkey + !!spec->creds > 1)
		return rn_err_set(err, -EINVAL,
				  "user=, nkey= and creds= of NATS exclude each other");
	if (spec->passfile && !spec->user)
		return rn_err_set(err, -EINVAL, "passfile= of NATS needs user=");
	for (const char *p = spec->subject ? spec->subject : ""; *p; p++)
		if (strchr("*>", *p) || *p <= ' ' ||
		    (*p == '.' && (p == spec->subject || !p[1] || p[1] == '.')))
			return rn_err_set(err, -EINVAL,
					  "`%s` is no prefix of subjects: words separated by "
					  "single dots, without * and >",
					  spec->subject);
	return 0;
}

int rn_nats_spec_parse(const char *text, struct rn_nats_spec *spec, struct rn_err *err)
{
	int r = 0;

	memset(spec, 0, sizeof(*spec));
	for (const char *p = text; !r && *(p += strspn(p, " \t\r\n"));) {
		size_t n = strcspn(p, " \t\r\n");
		const char *eq = memchr(p, '=', n);

		if (spec->nurl || (eq && !memchr(p, ':', (size_t)(eq - p))))
			r = add_word(spec, p, n, err);
		else
			r = add_urls(spec, p, n, err);
		p += n;
	}
	if (!r)
		r = check(spec, err);
	if (!r && !spec->subject)
		spec->subject = rn_strdup("runnel");
	if (r)
		rn_nats_spec_free(spec);
	return r;
}

/* Reads the first line of a secret file, or the line with a seed in it. */
static int read_secret(const char *path, const char *what, char out[SECRET_MAX], struct rn_err *err)
{
	FILE *f = fopen(path, "re");
	char line[SECRET_MAX];

	*out = 0;
	if (!f)
		return rn_err_set(err, -errno, "the file %s, %s of NATS: %s", path, what,
				  strerror(errno));
	while (!*out && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\r\n")] = 0;
		if (*line && (*line != '#' || strcmp(what, "nkey=")))
			memcpy(out, line, sizeof(line));
	}
	(void)fclose(f);
	explicit_bzero(line, sizeof(line));
	return *out ? 0 : rn_err_set(err, -EINVAL, "the file %s, %s of NATS, is empty", path, what);
}

static natsStatus sign(char **why, unsigned char **signature, int *n, const char *nonce, void *seed)
{
	(void)why;
	return rn_nats_lib.nats_Sign(seed, nonce, signature, n);
}

static int set_nkey(const struct rn_nats_spec *spec, char **seed, natsOptions *o,
		    struct rn_err *err)
{
	char secret[SECRET_MAX], pub[64];
	int r = read_secret(spec->nkey, "nkey=", secret, err);

	if (r)
		return r;
	if (rn_nats_key_public(secret, pub)) {
		explicit_bzero(secret, sizeof(secret));
		return rn_err_set(err, -EINVAL,
				  "the file %s, nkey= of NATS, holds no seed of a user (SU and 56 "
				  "more letters and digits)",
				  spec->nkey);
	}
	*seed = rn_strdup(secret);
	explicit_bzero(secret, sizeof(secret));
	return rn_nats_lib.natsOptions_SetNKey(o, pub, sign, *seed) == NATS_OK
		       ? 0
		       : rn_err_set(err, -EINVAL, "nkey= of NATS: %s",
				    rn_nats_lib.nats_GetLastError(NULL));
}

static int set_user(const struct rn_nats_spec *s, natsOptions *o, struct rn_err *err)
{
	char secret[SECRET_MAX] = "";
	int r = s->passfile ? read_secret(s->passfile, "passfile=", secret, err) : 0;

	if (!r && rn_nats_lib.natsOptions_SetUserInfo(o, s->user, secret) != NATS_OK)
		r = rn_err_set(err, -EINVAL, "user= of NATS: %s",
			       rn_nats_lib.nats_GetLastError(NULL));
	explicit_bzero(secret, sizeof(secret));
	return r;
}

static int set_tls(const struct rn_nats_spec *s, natsOptions *o, struct rn_err *err)
{
	if ((s->ca || s->cert) && rn_nats_lib.natsOptions_SetSecure(o, true) != NATS_OK)
		return rn_err_set(err, -EINVAL, "TLS of NATS: %s",
				  rn_nats_lib.nats_GetLastError(NULL));
	if (s->ca && rn_nats_lib.natsOptions_LoadCATrustedCertificates(o, s->ca) != NATS_OK)
		return rn_err_set(err, -EINVAL,
				  "the file %s, ca= of NATS, holds no certificate: %s", s->ca,
				  rn_nats_lib.nats_GetLastError(NULL));
	if (s->cert && rn_nats_lib.natsOptions_LoadCertificatesChain(o, s->cert, s->key) != NATS_OK)
		return rn_err_set(err, -EINVAL, "the files %s and %s, cert= and key= of NATS: %s",
				  s->cert, s->key, rn_nats_lib.nats_GetLastError(NULL));
	return 0;
}

int rn_nats_spec_options(const struct rn_nats_spec *spec, int url, char **seed, natsOptions **out,
			 struct rn_err *err)
{
	natsOptions *o = NULL;
	natsStatus st = rn_nats_lib.natsOptions_Create(&o);
	int r = 0;

	*seed = NULL;
	if (st == NATS_OK)
		st = url < 0 ? rn_nats_lib.natsOptions_SetServers(
				       o, (const char **)(void *)(uintptr_t)spec->url,
				       (int)spec->nurl)
			     : rn_nats_lib.natsOptions_SetURL(o, spec->url[url]);
	if (st == NATS_OK &&
	    (rn_nats_lib.natsOptions_SetTimeout(o, NATS_CONNECT_MS) ||
	     rn_nats_lib.natsOptions_SetPingInterval(o, PING_MS) ||
	     rn_nats_lib.natsOptions_SetMaxPingsOut(o, 2) ||
	     rn_nats_lib.natsOptions_SetWriteDeadline(o, WRITE_MS) ||
	     rn_nats_lib.natsOptions_SetMaxReconnect(o, -1) ||
	     rn_nats_lib.natsOptions_SetReconnectWait(o, RECONNECT_MS) ||
	     rn_nats_lib.natsOptions_SetReconnectJitter(o, RECONNECT_MS, RECONNECT_MS) ||
	     rn_nats_lib.natsOptions_SetName(o, "runnel")))
		r = rn_err_set(err, -EINVAL, "NATS: %s", rn_nats_lib.nats_GetLastError(NULL));
	else if (st != NATS_OK)
		r = rn_err_set(err, -EINVAL, "the addresses of NATS servers: %s",
			       rn_nats_lib.nats_GetLastError(NULL));
	if (!r)
		r = set_tls(spec, o, err);
	if (!r && spec->user)
		r = set_user(spec, o, err);
	if (!r && spec->nkey)
		r = set_nkey(spec, seed, o, err);
	if (!r && spec->creds &&
	    rn_nats_lib.natsOptions_SetUserCredentialsFromFiles(o, spec->creds, NULL) != NATS_OK)
		r = rn_err_set(err, -EINVAL, "the file %s, creds= of NATS: %s", spec->creds,
			       rn_nats_lib.nats_GetLastError(NULL));
	*out = o;
	if (!r)
		return 0;
	rn_nats_lib.natsOptions_Destroy(o);
	*out = NULL;
	return r;
}
