/* members.c - which members there are: names that cards announce, and which of them are believed.
 *
 * Any agent can publish any card, so a card proves nothing. So each name on a card gets a question
 * under the subject that only its owner may subscribe to, with a random number that only a
 * subscriber sees. An agent that answers with that number is a member; no other is. Names without
 * an answer are counted. */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "exec/nats/nats_impl.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

enum { ASK_TIMES = 10, SLICE_MS = 10 };

/* ---- names: claimed, and believed ---- */

static bool is_card_of(const struct rn_nats_card *c, const struct rn_nats_name *x)
{
	return c->kind == x->kind && !strcmp(c->name, x->name);
}

enum {
	KEY_BYTES = offsetof(struct rn_nats_name, name) - offsetof(struct rn_nats_name, kind) +
		    RN_NATS_NAME_MAX + 1,
};

/* The name of a card that was heard before, or NULL. */
static struct rn_nats_name *known_name(const struct rn_nats *nats, const struct rn_nats_card *card)
{
	struct rn_nats_name key = {.kind = card->kind}, *x;

	memcpy(key.name, card->name, strlen(card->name));
	HASH_FIND(by_name, nats->names, &key.kind, KEY_BYTES, x);
	return x;
}

static struct rn_nats_name *new_name(struct rn_nats *nats, const struct rn_nats_card *card)
{
	struct rn_nats_name *x = rn_calloc(1, sizeof(*x));

	x->kind = card->kind;
	memcpy(x->name, card->name, strlen(card->name));
	HASH_ADD(by_name, nats->names, kind, KEY_BYTES, x);
	return x;
}

static void free_name(struct rn_nats_name *x)
{
	free(x->is);
	free(x->duplicate);
	free(x);
}

/* Forgets all names, or those without an answer. */
static void forget(struct rn_nats *n, bool all)
{
	struct rn_nats_name *x, *next;

	HASH_CLEAR(by_question, n->questions);
	n->waiting_names = n->doubted = 0;
	HASH_ITER(by_name, n->names, x, next)
	{
		x->waits = x->questioned = false;
		if (all || !x->is) {
			HASH_DELETE(by_name, n->names, x);
			free_name(x);
		}
	}
}

void rn_nats_names_forget(struct rn_nats *nats)
{
	forget(nats, true);
	nats->believed = nats->beyond = 0;
	nats->doubts = (struct rn_nats_doubts){0};
}

/* Asks under the subject where only the owner of the name may listen. Nobody else knows the number
 * in the reply. */
static void question(struct rn_nats *nats, struct rn_nats_name *x)
{
	char *token = rn_nats_name_token(x->name), *subject, *reply;

	if (x->questioned)
		HASH_DELETE(by_question, nats->questions, x);
	x->questioned = true;
	x->question = rn_nats_random();
	x->asked = nats->round;
	x->answers = 0;
	nats->waiting_names += !x->waits;
	x->waits = true;
	HASH_ADD(by_question, nats->questions, question, sizeof(x->question), x);
	subject = rn_asprintf("%s.%s.%s.dial", nats->prefix, rn_nats_kind_token[x->kind], token);
	reply = rn_asprintf("%s.asks.%s.%016llx", nats->prefix, nats->instance,
			    (unsigned long long)x->question);
	rn_nats_post(nats, NULL, subject, "", reply, "?", 1);
	free(subject);
	free(reply);
	free(token);
}

void rn_nats_card_heard(struct rn_nats *nats, unsigned round, const char *bytes, size_t len)
{
	struct rn_nats_name *x;
	struct rn_nats_card card;
	bool known;

	if (!len || round > nats->round || !rn_nats_card_read(&card, bytes, len))
		return;
	x = known_name(nats, &card);
	known = x && x->is &&
		(!strcmp(x->is->instance, card.instance) ||
		 (x->duplicate && !strcmp(x->duplicate->instance, card.instance)));
	if (known || (x && x->asked == nats->round))
		return;
	if (!x && (nats->doubted == NATS_NAMES_MAX || nats->believed == NATS_NAMES_MAX)) {
		nats->beyond++;
		return;
	}
	if (!x) {
		x = new_name(nats, &card);
		nats->doubted++;
	}
	question(nats, x);
}

/* The name belongs to the first to answer. If another one answers too, both may listen there. */
static void answers(struct rn_nats *nats, struct rn_nats_name *x, const struct rn_nats_card *card)
{
	struct rn_nats_card **to = x->answers ? &x->duplicate : &x->is;

	if (x->answers == 2 || (x->answers && !strcmp(x->is->instance, card->instance)))
		return;
	if (!x->is) {
		nats->doubted--;
		nats->believed++;
	}
	if (x->answers || !x->is || x->duplicate || strcmp(x->is->instance, card->instance)) {
		x->told = false;
		nats->untold = true;
		rn_nats_wake(nats->fd);
	}
	if (!x->answers) {
		free(x->duplicate);
		x->duplicate = NULL;
	}
	x->answers++;
	nats->news++;
	free(*to);
	*to = rn_malloc(sizeof(*card));
	**to = *card;
}

bool rn_nats_name_answered(struct rn_nats *nats, uint64_t number, const char *kind, natsMsg *msg)
{
	struct rn_nats_name *x;
	bool nobody = !*kind && rn_nats_lib.natsMsg_IsNoResponders(msg);
	struct rn_nats_card card;

	HASH_FIND(by_question, nats->questions, &number, sizeof(number), x);
	if (!x)
		return false;
	if (!nobody && (strcmp(kind, "o") ||
			!rn_nats_card_read(&card, rn_nats_lib.natsMsg_GetData(msg),
					   (size_t)rn_nats_lib.natsMsg_GetDataLength(msg)) ||
			!is_card_of(&card, x)))
		return true;
	nats->waiting_names -= x->waits;
	x->waits = false;
	if (!nobody)
		answers(nats, x, &card);
	return true;
}

/* Keeps the round with the most names claimed without an answer. */
static void note_doubts(struct rn_nats *n)
{
	struct rn_nats_doubts now = {.names = n->doubted, .beyond = n->beyond};

	for (const struct rn_nats_name *x = n->names; x && now.shown < NATS_SHOWN;
	     x = x->by_name.next)
		if (!x->is)
			memcpy(now.some[now.shown++], x->name, sizeof(x->name));
	if (now.names + now.beyond > n->doubts.names + n->doubts.beyond)
		n->doubts = now;
}

void rn_nats_doubts(struct rn_nats *nats, char *to, size_t cap)
{
	struct rn_nats_doubts d;
	size_t k = 0;

	pthread_mutex_lock(&nats->lock);
	note_doubts(nats);
	d = nats->doubts;
	pthread_mutex_unlock(&nats->lock);
	*to = 0;
	for (unsigned i = 0; i < d.shown && k < cap; i++)
		k += (size_t)snprintf(to + k, cap - k, "%s%s", i ? ", " : "", d.some[i]);
	if (d.names > d.shown && k < cap)
		k += (size_t)snprintf(to + k, cap - k, " and %u more", d.names - d.shown);
	if (d.names && k < cap)
		k += (size_t)snprintf(
			to + k, cap - k,
			d.names > 1 ? ": these names were announced, but nobody answers under them"
				    : ": this name was announced, but nobody answers under it");
	if (d.beyond && k < cap)
		snprintf(to + k, cap - k,
			 "%smore than %d names were announced, and %u cards were not looked at: "
			 "nodes that are missing can be named "
			 "in the hosts file",
			 k ? "; " : "", NATS_NAMES_MAX, d.beyond);
}

/* ---- asking for members ---- */

int rn_nats_ask(struct rn_nats *nats, struct rn_err *err)
{
	int r = rn_nats_asking(nats, err);
	char *who, *reply;

	if (r)
		return r;
	pthread_mutex_lock(&nats->lock);
	note_doubts(nats);
	forget(nats, false);
	nats->news = nats->beyond = 0;
	nats->nobody = false;
	who = rn_asprintf("%s.who", nats->prefix);
	reply = rn_asprintf("%s.asks.%s.who.%u", nats->prefix, nats->instance, ++nats->round);
	rn_nats_post(nats, NULL, who, "", reply, "?", 1);
	pthread_mutex_unlock(&nats->lock);
	free(who);
	free(reply);
	return 0;
}

/* A name as it is reported outside of the lock. */
struct telling {
	struct rn_nats_card is, duplicate;
	bool two;
};

static int by_name(const void *a, const void *b)
{
	const struct rn_nats_card *x = &((const struct telling *)a)->is,
				  *y = &((const struct telling *)b)->is;

	return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);
}

/* Lists the names that are not told yet; lock held. */
static struct telling *untold(struct rn_nats *nats, unsigned *count)
{
	struct telling *list = NULL;
	unsigned cap = 0;

	*count = 0;
	for (struct rn_nats_name *x = nats->names; x; x = x->by_name.next) {
		if (!x->is || x->told)
			continue;
		x->told = true;
		rn_vec_room(list, *count, cap);
		list[*count] = (struct telling){.is = *x->is, .two = x->duplicate != NULL};
		if (x->duplicate)
			list[*count].duplicate = *x->duplicate;
		++*count;
	}
	return list;
}

int rn_nats_heard(struct rn_nats *nats, rn_nats_found *found, void *self, struct rn_err *err)
{
	struct telling *list;
	unsigned count;
	int r = 0;

	pthread_mutex_lock(&nats->lock);
	if (!nats->untold) {
		pthread_mutex_unlock(&nats->lock);
		return 0;
	}
	rn_nats_calm(nats->fd);
	nats->untold = false;
	list = untold(nats, &count);
	pthread_mutex_unlock(&nats->lock);
	if (count)
		qsort(list, count, sizeof(*list), by_name);
	for (unsigned i = 0; i < count; i++) {
		const struct rn_nats_card *card = &list[i].is;
		const char *duplicate = list[i].two ? list[i].duplicate.host : NULL;

		found(self, &(struct rn_nats_member){.name = card->name,
						     .host = card->host,
						     .kind = card->kind,
						     .version = card->version,
						     .protocol = card->protocol,
						     .duplicate = duplicate});
		if (!duplicate)
			continue;
		r = rn_err_set(err, -EEXIST, "two %s are called %s: %s, and %s",
			       card->kind == RN_NATS_AGENT ? "agents" : "relays", card->name,
			       card->host, duplicate);
		rn_err_hint(err, "give one of them another name with --node");
	}
	free(list);
	return r;
}

/* Waits until no name was found for wait_ms, and then for those that were asked just now. Does not
 * wait if the server says that no member listens. Claims alone do not count: a stream of claims
 * would hold this for ever. */
static void listen_for(struct rn_nats *n, unsigned wait_ms)
{
	unsigned had = 0, quiet_ms = 0, last_ms = 0;
	bool end = false;

	for (unsigned i = 0; !end && i < ASK_TIMES * (wait_ms / SLICE_MS + 1); i++) {
		poll(&(struct pollfd){.fd = -1}, 1, SLICE_MS);
		pthread_mutex_lock(&n->lock);
		quiet_ms = n->news == had ? quiet_ms + SLICE_MS : 0;
		last_ms = quiet_ms < wait_ms ? 0 : last_ms + SLICE_MS;
		had = n->news;
		end = n->nobody || n->dead.code ||
		      (quiet_ms >= wait_ms && (!n->waiting_names || last_ms >= wait_ms));
		pthread_mutex_unlock(&n->lock);
	}
}

int rn_nats_discover(struct rn_nats *nats, unsigned wait_ms, rn_nats_found *found, void *self,
		     struct rn_err *err)
{
	int r = rn_nats_asking(nats, err);

	if (r)
		return r;
	pthread_mutex_lock(&nats->lock);
	rn_nats_names_forget(nats);
	pthread_mutex_unlock(&nats->lock);
	r = rn_nats_ask(nats, err);
	if (r)
		return r;
	listen_for(nats, wait_ms);
	r = rn_nats_state(nats, err);
	return r ? r : rn_nats_heard(nats, found, self, err);
}

int rn_nats_listen(struct rn_nats *nats, enum rn_nats_kind kind, const char *name,
		   const char *version, struct rn_err *err)
{
	char *token, *subject;
	int r;

	if (!*name || strlen(name) > RN_NATS_NAME_MAX)
		return rn_err_set(
			err, -EINVAL,
			"a node's name has 1 to %d letters: give it another one with --node",
			RN_NATS_NAME_MAX);
	if (!rn_nats_is_printable(name))
		return rn_err_set(err, -EINVAL,
				  "the node's name has characters that are not printable ASCII: "
				  "give it another one with --node");
	token = rn_nats_name_token(name);
	pthread_mutex_lock(&nats->lock);
	nats->listen = rn_asprintf("%s.%s.%s", nats->prefix, rn_nats_kind_token[kind], token);
	nats->card = rn_nats_card_write(nats, kind, name, version);
	pthread_mutex_unlock(&nats->lock);
	subject = rn_asprintf("%s.>", nats->listen);
	r = rn_nats_subscribe(nats, subject, err);
	free(subject);
	free(token);
	if (r)
		return r;
	subject = rn_asprintf("%s.who",
			      nats->prefix); /* last: members that are found can be dialed */
	r = rn_nats_subscribe(nats, subject, err);
	free(subject);
	return r;
}
