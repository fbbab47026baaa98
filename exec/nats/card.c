/* card.c - cards: how agents and relays introduce themselves.
 *
 * A card is lines: "runnel", protocol, kind, instance, version of the program, host and process,
 * name. It may come from anybody: what is no valid card is no member. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "exec/nats/nats_impl.h"
#include "lang/base/memory.h"

const char *const rn_nats_kind_token[RN_NATS_KINDS] = {"node", "relay", "rack"};

char *rn_nats_name_token(const char *name)
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

char *rn_nats_card_write(const struct rn_nats *nats, enum rn_nats_kind kind, const char *name,
			 const char *version)
{
	char host[128] = "?";

	gethostname(host, sizeof(host) - 1);
	return rn_asprintf("runnel\n%d\n%s\n%s\n%s\n%s, process %d\n%s\n", RN_NATS_PROTOCOL,
			   rn_nats_kind_token[kind], nats->instance, version, host, (int)getpid(),
			   name);
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

bool rn_nats_is_printable(const char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			return false;
	return true;
}

bool rn_nats_card_read(struct rn_nats_card *card, const char *p, size_t n)
{
	const char *end = p + n;
	char word[16];
	int kind;

	memset(card, 0, sizeof(*card));
	if (n > NATS_CARD_MAX || !line(&p, end, word, sizeof(word)) || strcmp(word, "runnel") ||
	    !line(&p, end, word, sizeof(word)))
		return false;
	card->protocol = (unsigned)strtoul(word, NULL, 10);
	if (!line(&p, end, word, sizeof(word)))
		return false;
	for (kind = 0; kind < RN_NATS_KINDS && strcmp(word, rn_nats_kind_token[kind]); kind++)
		;
	card->kind = (enum rn_nats_kind)kind;
	return kind < RN_NATS_KINDS && line(&p, end, card->instance, sizeof(card->instance)) &&
	       strspn(card->instance, "0123456789abcdef") == 16 &&
	       line(&p, end, card->version, sizeof(card->version)) &&
	       line(&p, end, card->host, sizeof(card->host)) &&
	       line(&p, end, card->name, sizeof(card->name)) && rn_nats_is_printable(card->name);
}
