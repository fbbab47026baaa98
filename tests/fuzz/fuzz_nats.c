/* fuzz_nats.c - libFuzzer target of what NATS brings: options, cards, and messages of anybody, as
 * the server passes them on (tests/support/fake_nats.h).
 *
 * The input is lines. The first is what stands behind `nats:`, the second a number (which calls of
 * libnats fail, as bits) and the first line of the file /dev/fd/100, which options may name. What
 * follows is done in turn: see `ops`. Random numbers are 1, 2, ..., so that subjects of the input
 * can hold them. */
#include <stdbool.h>
#include <poll.h>
#include <sys/random.h>
#include "exec/nats/nats_impl.h"
#include "exec/link/link.h"
#include "tests/support/fake_nats.h"
#include "tests/fuzz/fuzz.h"

enum { LINES_MAX = 64, TRANSPORTS = 4 };

static uint64_t numbers;
/* These two stand in for the C library's. */
ssize_t getrandom(void *to, size_t n, unsigned flags)
{
	(void)flags;
	numbers++;
	memset(to, 0, n);
	memcpy(to, &numbers, n < sizeof(numbers) ? n : sizeof(numbers));
	return (ssize_t)n;
}

/* Nobody is waited for: what is to come stands in the input. */
int poll(struct pollfd *fds, nfds_t n, int ms)
{
	(void)fds, (void)n, (void)ms;
	return 0;
}

struct state {
	struct rn_nats *n;
	struct rn_transport *t[TRANSPORTS];
	bool listens;
	unsigned answers, found;
};

static void found(void *self, const struct rn_nats_member *m)
{
	struct state *s = self;

	MUST(*m->name && strlen(m->name) <= RN_NATS_NAME_MAX && m->kind < RN_NATS_KINDS &&
	     *m->version && *m->host);
	for (const char *p = m->name; *p; p++)
		MUST((unsigned char)*p >= ' ' && *p != 127);
	s->found++;
}

/* `\n` and `\xHH` of a text, in place; its length. */
static size_t unescape(char *s)
{
	char *to = s;
	unsigned byte;

	for (char *p = s; *p; p++) {
		if (p[0] == '\\' && p[1] == 'n') {
			*to++ = '\n';
			p++;
		} else if (p[0] == '\\' && p[1] == 'x' && sscanf(p + 2, "%2x", &byte) == 1 &&
			   p[2] && p[3]) {
			*to++ = (char)byte;
			p += 3;
		} else {
			*to++ = *p;
		}
	}
	*to = 0;
	return (size_t)(to - s);
}

static void keep(struct state *s, struct rn_transport *t)
{
	for (unsigned i = 0; t && i < TRANSPORTS; i++)
		if (!s->t[i]) {
			s->t[i] = t;
			return;
		}
	if (t)
		t->ops->close(t);
}

static char *word(char **rest)
{
	char *w = strsep(rest, " ");

	return w ? w : "";
}

/* ---- the lines ---- */

static void ask(struct state *s, char *rest)
{
	(void)rest, rn_nats_ask(s->n, NULL);
}
static void hear(struct state *s, char *rest)
{
	struct rn_err err = {0};
	int r = rn_nats_heard(s->n, found, s, &err);

	(void)rest;
	MUST(!r || *err.text);
}
static void listen_as(struct state *s, char *rest) /* l KIND NAME */
{
	unsigned kind = (unsigned)strtoul(word(&rest), NULL, 10) % RN_NATS_KINDS;

	if (!s->listens)
		s->listens = true,
		rn_nats_listen(s->n, (enum rn_nats_kind)kind, rest ? rest : "", "0.1.0", NULL);
}
static void dial(struct state *s, char *rest) /* d KIND NAME */
{
	unsigned kind = (unsigned)strtoul(word(&rest), NULL, 10) % RN_NATS_KINDS;

	keep(s, rn_nats_dial(s->n, (enum rn_nats_kind)kind, rest ? rest : "", NULL));
}
static void accept_one(struct state *s, char *rest)
{
	(void)rest, keep(s, rn_nats_accept(s->n));
}
static void message(struct state *s, char *rest) /* m SUBJECT REPLY DATA */
{
	char *subject = word(&rest), *reply = word(&rest);
	size_t n = strlen(subject);

	s->answers += n > 2 && !strcmp(subject + n - 2, ".o");
	n = rest ? unescape(rest) : 0;
	fake_nats_message(subject, *reply ? reply : NULL, rest, n, false);
}
static void nobody(struct state *s, char *rest)
{
	(void)s, fake_nats_message(rest ? rest : "", NULL, "", 0, true);
}
static void talk(struct state *s, char *rest) /* t WHICH TEXT */
{
	struct rn_transport *t = s->t[strtoul(word(&rest), NULL, 10) % TRANSPORTS];
	const unsigned char *chunk;
	int fd[2];
	short events[2];
	size_t n;

	if (!t)
		return;
	t->ops->send(t, rest ? rest : "", rest ? strlen(rest) : 0, NULL);
	for (unsigned i = 0; i < 3 && t->ops->recv(t, &chunk, &n, NULL) == 1; i++)
		MUST(n && memchr(chunk, chunk[n - 1], n));
	t->ops->flush(t, NULL);
	MUST(t->ops->polls(t, fd, events) == 1);
}
static void hang_up(struct state *s, char *rest) /* c WHICH */
{
	struct rn_transport **t = &s->t[strtoul(word(&rest), NULL, 10) % TRANSPORTS];

	if (*t)
		(*t)->ops->close(*t);
	*t = NULL;
}
static void error(struct state *s, char *rest) /* e STATUS TEXT */
{
	unsigned status = (unsigned)strtoul(word(&rest), NULL, 10);

	(void)s;
	fake_nats_error(status % 50, rest ? rest : "");
}
static void reconnect(struct state *s, char *rest)
{
	(void)s, (void)rest, fake_nats_reconnected();
}
/* p STATUS */
static void publishing(struct state *s, char *rest)
{
	(void)s, fake_nats_publishing(rest ? (unsigned)strtoul(rest, NULL, 10) % 50 : 0);
}
static void doubts(struct state *s, char *rest) /* b BYTES */
{
	size_t cap = rest ? strtoul(rest, NULL, 10) % 1000 + 1 : 1;
	char *to = malloc(cap);

	MUST(to);
	rn_nats_doubts(s->n, to, cap);
	MUST(strnlen(to, cap) < cap);
	free(to);
}
static void discover(struct state *s, char *rest)
{
	(void)rest, rn_nats_discover(s->n, 0, found, s, NULL);
}

static const struct {
	char name;
	void (*run)(struct state *s, char *rest);
} ops[] = {
	{'w', ask},       {'h', hear},       {'l', listen_as}, {'d', dial},     {'a', accept_one},
	{'m', message},   {'n', nobody},     {'t', talk},      {'c', hang_up},  {'e', error},
	{'r', reconnect}, {'p', publishing}, {'b', doubts},    {'f', discover},
};

static void run(struct state *s, char *lines)
{
	char *line;

	for (unsigned i = 0; i < LINES_MAX && (line = strsep(&lines, "\n")); i++)
		for (unsigned k = 0; *line && k < sizeof(ops) / sizeof(*ops); k++)
			if (*line == ops[k].name)
				ops[k].run(s, line[1] == ' ' ? line + 2 : line + 1);
}

/* Passwords are never shown. */
static void options(const char *text)
{
	struct rn_err err = {0};
	struct rn_nats_spec spec;
	natsOptions *o;
	char *seed;

	if (rn_nats_spec_parse(text, &spec, &err)) {
		MUST(err.code < 0 && *err.text);
		return;
	}
	for (int url = -1; url < (int)spec.nurl; url++) {
		int r = rn_nats_spec_options(&spec, url, &seed, &o, &err);

		MUST(!r == (o != NULL) && (!r || *err.text));
		free(seed);
	}
	rn_nats_spec_free(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static int here = -1;
	char *spec = fuzz_line(&data, &n), *file = fuzz_line(&data, &n), *secret, *lines;
	struct state s = {0};
	struct rn_err err = {0};
	int fd[2];
	short events[2];
	uint64_t failing = strtoull(file, &secret, 16);

	if (here < 0)
		here = fake_nats_install();
	numbers = 0;
	secret += *secret == ' ';
	fuzz_file(0, (uint8_t *)secret, unescape(secret));
	fake_nats_fail(0);
	if (here)
		options(spec);
	fake_nats_fail(failing);
	lines = fuzz_text(data, n);
	if (here && !rn_nats_open(spec, &s.n, NULL)) {
		run(&s, lines);
		MUST(s.found <= s.answers); /* who is found has answered under its name */
		rn_nats_state(s.n, &err);
		MUST(rn_nats_polls(s.n, fd, events) == 1 && *rn_nats_servers(s.n) &&
		     !strstr(rn_nats_servers(s.n), "@"));
		for (unsigned i = 0; i < TRANSPORTS; i++)
			if (s.t[i])
				s.t[i]->ops->close(s.t[i]);
		rn_nats_close(s.n);
	}
	free(spec);
	free(file);
	free(lines);
	return 0;
}
