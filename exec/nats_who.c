/* nats_who.c - cards: what agents and relays say of themselves, and the list of those that have said it.
 *
 * A card is lines: "runnel", protocol, kind, instance, version of the program, host and process, name. It is read as coming from
 * anybody: what is no card is no member. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "exec/nats_impl.h"
#include "lang/memory.h"

enum { ASK_TIMES = 10, SLICE_MS = 10, CARDS_MAX = 100000 };

const char *const nats_kind_token[RN_NATS_KINDS] = {"node", "relay", "rack"};

char *nats_name_token(const char *name)
{
	char *s = rn_malloc(3 * strlen(name) + 1), *p = s;

	for (; *name; name++) {
		if (isalnum((unsigned char)*name) || *name == '-' || *name == '_')
			*p++ = *name;
		else
			p += sprintf(p, "%%%02X", (unsigned char)*name);
	}
	*p = 0;
	return s;
}

char *nats_card_write(const struct rn_nats *n, enum rn_nats_kind kind, const char *name, const char *version)
{
	char host[128] = "?";

	gethostname(host, sizeof(host) - 1);
	return nats_format("runnel\n%d\n%s\n%s\n%s\n%s, process %d\n%s\n", RN_NATS_PROTOCOL, nats_kind_token[kind], n->instance, version, host,
			   (int)getpid(), name);
}

static bool line(const char **p, const char *end, char *to, size_t size)
{
	const char *nl = memchr(*p, '\n', (size_t)(end - *p));
	size_t n = nl ? (size_t)(nl - *p) : 0;

	if (!nl || !n || n >= size)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)(*p)[i] < ' ' || (*p)[i] == 127)
			return false;
	memcpy(to, *p, n);
	to[n] = 0;
	*p = nl + 1;
	return true;
}

bool nats_card_read(struct nats_card *c, const char *p, size_t n)
{
	const char *end = p + n;
	char word[16];
	int kind;

	memset(c, 0, sizeof(*c));
	if (n > NATS_CARD_MAX || !line(&p, end, word, sizeof(word)) || strcmp(word, "runnel") || !line(&p, end, word, sizeof(word)))
		return false;
	c->protocol = (unsigned)strtoul(word, NULL, 10);
	if (!line(&p, end, word, sizeof(word)))
		return false;
	for (kind = 0; kind < RN_NATS_KINDS && strcmp(word, nats_kind_token[kind]); kind++)
		;
	c->kind = (enum rn_nats_kind)kind;
	return kind < RN_NATS_KINDS && line(&p, end, c->instance, sizeof(c->instance)) && strspn(c->instance, "0123456789abcdef") == 16 &&
		line(&p, end, c->version, sizeof(c->version)) && line(&p, end, c->host, sizeof(c->host)) && line(&p, end, c->name, sizeof(c->name));
}

static int by_instance(const void *a, const void *b)
{
	return strcmp(((const struct nats_card *)a)->instance, ((const struct nats_card *)b)->instance);
}

void nats_cards_forget(struct rn_nats *n)
{
	tdestroy(n->cards, free);
	n->cards = NULL;
	n->ncards = 0;
}

void nats_card_heard(struct rn_nats *n, unsigned round, const char *bytes, size_t len)
{
	struct nats_card *c = rn_malloc(sizeof(*c)), *was;

	if (!len || round > n->round || !nats_card_read(c, bytes, len)) {
		free(c);
		return;
	}
	if (n->ncards == CARDS_MAX)
		nats_cards_forget(n); /* of members that have gone, mostly */
	c->round = round;
	was = *(struct nats_card **)nats_need(tsearch(c, &n->cards, by_instance));
	n->news += round == n->round;
	if (was != c) {
		if (was->round < round)
			was->round = round;
		free(c);
	} else {
		n->ncards++;
		n->untold = true;
		nats_wake(n->fd);
	}
}

int rn_nats_ask(struct rn_nats *n, struct rn_err *err)
{
	int r = nats_asking(n, err);
	char *who, *reply;

	if (r)
		return r;
	pthread_mutex_lock(&n->lock);
	n->news = 0;
	n->nobody = false;
	who = nats_format("%s.who", n->prefix);
	reply = nats_format("%s.asks.%s.who.%u", n->prefix, n->instance, ++n->round);
	nats_post(n, NULL, who, "", reply, "?", 1);
	pthread_mutex_unlock(&n->lock);
	free(who);
	free(reply);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct nats_card *x = a, *y = b;
	int d = x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);

	return d ? d : x->round < y->round ? 1 : x->round > y->round ? -1 : by_instance(a, b);
}

/* All cards as they are; those in the tree become told. */
struct listing { struct nats_card *list; unsigned n; };
static void add_card(const void *node, VISIT when, void *arg)
{
	struct nats_card *c = *(struct nats_card *const *)node;
	struct listing *l = arg;

	if (when != postorder && when != leaf)
		return;
	l->list[l->n++] = *c;
	c->told = true;
}

int rn_nats_heard(struct rn_nats *n, rn_nats_found *found, void *self, struct rn_err *err)
{
	struct listing l = {0};
	int r = 0;

	pthread_mutex_lock(&n->lock);
	if (!n->untold) {
		pthread_mutex_unlock(&n->lock);
		return 0;
	}
	nats_calm(n->fd);
	n->untold = false;
	l.list = rn_malloc(sizeof(*l.list) * (n->ncards + 1));
	twalk_r(n->cards, add_card, &l);
	pthread_mutex_unlock(&n->lock);
	qsort(l.list, l.n, sizeof(*l.list), by_name);
	for (unsigned i = 0, k; i < l.n; i = k) {
		const struct nats_card *c = &l.list[i], *twin = NULL;
		bool new = !c->told;

		for (k = i + 1; k < l.n && l.list[k].kind == c->kind && !strcmp(l.list[k].name, c->name); k++) {
			if (l.list[k].round != c->round)
				continue; /* it has gone, the other one is its successor */
			twin = &l.list[k];
			new |= !twin->told;
		}
		if (!new)
			continue;
		found(self, &(struct rn_nats_member){.name = c->name, .host = c->host, .kind = c->kind, .version = c->version,
						     .protocol = c->protocol, .twin = twin ? twin->host : NULL});
		if (!twin)
			continue;
		r = rn_err_set(err, -EEXIST, "two %s are called %s: %s, and %s", c->kind == RN_NATS_AGENT ? "agents" : "relays", c->name, c->host,
			       twin->host);
		rn_err_hint(err, "give one of them another name with --node");
	}
	free(l.list);
	return r;
}

/* Waits until no card came for wait_ms; not at all if the server says that nobody is there. */
static void listen_for(struct rn_nats *n, unsigned wait_ms)
{
	unsigned had = 0, quiet_ms = 0;
	bool end = false;

	for (unsigned i = 0; !end && quiet_ms < wait_ms && i < ASK_TIMES * (wait_ms / SLICE_MS + 1); i++) {
		poll(&(struct pollfd){.fd = -1}, 1, SLICE_MS);
		pthread_mutex_lock(&n->lock);
		quiet_ms = n->news == had ? quiet_ms + SLICE_MS : 0;
		had = n->news;
		end = n->nobody || n->dead.code;
		pthread_mutex_unlock(&n->lock);
	}
}

int rn_nats_discover(struct rn_nats *n, unsigned wait_ms, rn_nats_found *found, void *self, struct rn_err *err)
{
	int r = nats_asking(n, err);

	if (r)
		return r;
	pthread_mutex_lock(&n->lock);
	nats_cards_forget(n);
	pthread_mutex_unlock(&n->lock);
	r = rn_nats_ask(n, err);
	if (r)
		return r;
	listen_for(n, wait_ms);
	r = rn_nats_state(n, err);
	return r ? r : rn_nats_heard(n, found, self, err);
}

int rn_nats_listen(struct rn_nats *n, enum rn_nats_kind kind, const char *name, const char *version, struct rn_err *err)
{
	char *token, *subject;
	int r;

	if (!*name || strlen(name) > NATS_NAME_MAX)
		return rn_err_set(err, -EINVAL, "a node's name has 1 to %d letters", NATS_NAME_MAX);
	for (const char *p = name; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			return rn_err_set(err, -EINVAL, "the node's name has a control character");
	token = nats_name_token(name);
	pthread_mutex_lock(&n->lock);
	n->listen = nats_format("%s.%s.%s", n->prefix, nats_kind_token[kind], token);
	n->card = nats_card_write(n, kind, name, version);
	pthread_mutex_unlock(&n->lock);
	subject = nats_format("%s.>", n->listen);
	r = nats_subscribe(n, subject, err);
	free(subject);
	free(token);
	if (r)
		return r;
	subject = nats_format("%s.who", n->prefix); /* last: who is found can be dialed */
	r = nats_subscribe(n, subject, err);
	free(subject);
	return r;
}
