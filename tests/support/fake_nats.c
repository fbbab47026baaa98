/* fake_nats.c - see fake_nats.h. Objects of libnats are one dummy each; messages are real, so that
 * each must be freed once. */
#include "tests/support/fake_nats.h"
#include <stdlib.h>
#include <string.h>
#include "exec/nats/lib_impl.h"

enum { SUBSCRIPTIONS = 8 };
struct message {
	char *subject, *reply, *data;
	size_t n;
	bool nobody;
};
struct subscription {
	natsOnCompleteCB done;
	void *done_arg;
};

static char dummy[64];
static uint64_t failing;
/* status of what is published; atomic, since that is done in a thread of its own */
static int publishing;
static char last_error[512];
static natsMsgHandler comes;
static void *comes_arg;
static natsConnectionHandler on_closed, on_reconnected;
static natsErrHandler on_error;
static void *arg;
static struct subscription subs[SUBSCRIPTIONS];
static unsigned nsubs;

void fake_nats_publishing(unsigned status)
{
	__atomic_store_n(&publishing, (int)status, __ATOMIC_RELAXED);
}

void fake_nats_fail(uint64_t which)
{
	failing = which;
	fake_nats_publishing(0);
	nsubs = 0;
	comes = NULL;
	*last_error = 0;
}

static natsStatus may_fail(void)
{
	bool fails = failing & 1;

	failing >>= 1;
	return fails ? NATS_ERR : NATS_OK;
}

/* ---- options ---- */

static natsStatus options_create(natsOptions **o)
{
	*o = (natsOptions *)(void *)dummy;
	return may_fail();
}

static void options_destroy(natsOptions *o)
{
	(void)o;
}

#define OPTION(name, ...) static natsStatus name(__VA_ARGS__)
OPTION(set_servers, natsOptions *o, const char **v, int n)
{
	return (void)o, (void)v, (void)n, may_fail();
}
OPTION(set_text, natsOptions *o, const char *text)
{
	return (void)o, (void)strlen(text), may_fail();
}
OPTION(set_bool, natsOptions *o, bool on)
{
	return (void)o, (void)on, may_fail();
}
OPTION(set_int64, natsOptions *o, int64_t v)
{
	return (void)o, (void)v, may_fail();
}
OPTION(set_int, natsOptions *o, int v)
{
	return (void)o, (void)v, may_fail();
}
OPTION(set_two, natsOptions *o, int64_t a, int64_t b)
{
	return (void)o, (void)a, (void)b, may_fail();
}
OPTION(set_chain, natsOptions *o, const char *a, const char *b)
{
	return (void)o, (void)strlen(a), (void)(b && strlen(b)), may_fail();
}
OPTION(set_nkey, natsOptions *o, const char *pub, natsSignatureHandler f, void *p)
{
	return (void)o, (void)strlen(pub), (void)f, (void)p, may_fail();
}
OPTION(set_closed, natsOptions *o, natsConnectionHandler f, void *p)
{
	return (void)o, on_closed = f, arg = p, may_fail();
}
OPTION(set_reconnected, natsOptions *o, natsConnectionHandler f, void *p)
{
	return (void)o, (void)p, on_reconnected = f, may_fail();
}
OPTION(set_error, natsOptions *o, natsErrHandler f, void *p)
{
	return (void)o, (void)p, on_error = f, may_fail();
}

/* ---- the connection ---- */

static natsStatus connect_to(natsConnection **nc, natsOptions *o)
{
	(void)o;
	*nc = (natsConnection *)(void *)dummy;
	return NATS_OK;
}

static void close_all(natsConnection *nc)
{
	for (unsigned i = 0; i < nsubs; i++)
		if (subs[i].done)
			subs[i].done(subs[i].done_arg);
	nsubs = 0;
	if (on_closed)
		on_closed(nc, arg);
}

static void destroy_connection(natsConnection *nc)
{
	(void)nc;
}
static natsStatus flush(natsConnection *nc, int64_t ms)
{
	return (void)nc, (void)ms, may_fail();
}
static int64_t max_payload(natsConnection *nc)
{
	return (void)nc, may_fail() == NATS_OK ? 1 << 20 : 1000;
}
static natsStatus url_of(natsConnection *nc, char *to, size_t n)
{
	return (void)nc, strncpy(to, "nats://a:b@c:4222", n), NATS_OK;
}

static natsStatus error_of(natsConnection *nc, const char **text)
{
	(void)nc;
	*text = *last_error ? last_error : NULL;
	return *last_error ? NATS_NOT_PERMITTED : NATS_OK;
}

static natsStatus publish(natsConnection *nc, const char *subject, const void *p, int n)
{
	int st = __atomic_load_n(&publishing, __ATOMIC_RELAXED);

	(void)nc, (void)strlen(subject), (void)p, (void)n;
	/* once: it would be tried for ever */
	if (st == NATS_INSUFFICIENT_BUFFER || st == NATS_CONNECTION_DISCONNECTED)
		fake_nats_publishing(0);
	return (natsStatus)st;
}

static natsStatus publish_request(natsConnection *nc, const char *subject, const char *reply,
				  const void *p, int n)
{
	return (void)strlen(reply), publish(nc, subject, p, n);
}

static natsStatus subscribe(natsSubscription **sub, natsConnection *nc, const char *subject,
			    natsMsgHandler f, void *p)
{
	(void)nc;
	if (nsubs == SUBSCRIPTIONS || may_fail() != NATS_OK || !strlen(subject))
		return NATS_ERR;
	comes = f;
	comes_arg = p;
	subs[nsubs] = (struct subscription){0};
	*sub = (natsSubscription *)(void *)&subs[nsubs++];
	return NATS_OK;
}

static natsStatus on_complete(natsSubscription *sub, natsOnCompleteCB f, void *p)
{
	*(struct subscription *)(void *)sub = (struct subscription){f, p};
	return NATS_OK;
}

static natsStatus limits(natsSubscription *sub, int msgs, int bytes)
{
	return (void)sub, (void)msgs, (void)bytes, may_fail();
}
static void destroy_subscription(natsSubscription *sub)
{
	(void)sub;
}
static const char *last(natsStatus *st)
{
	return st ? *st = NATS_ERR : 0, last_error;
}
static const char *status_text(natsStatus st)
{
	return (void)st, "status";
}
static void release(void)
{
}

/* ---- messages ---- */

static struct message *of(natsMsg *m)
{
	return (struct message *)(void *)m;
}
static const char *subject_of(const natsMsg *m)
{
	return of((natsMsg *)(uintptr_t)m)->subject;
}
static const char *reply_of(const natsMsg *m)
{
	return of((natsMsg *)(uintptr_t)m)->reply;
}
static const char *data_of(const natsMsg *m)
{
	return of((natsMsg *)(uintptr_t)m)->data;
}
static int length_of(const natsMsg *m)
{
	return (int)of((natsMsg *)(uintptr_t)m)->n;
}
static bool is_nobody(natsMsg *m)
{
	return of(m)->nobody;
}

static void destroy_message(natsMsg *m)
{
	if (!m)
		return;
	free(of(m)->subject);
	free(of(m)->reply);
	free(of(m)->data);
	free(m);
}

void fake_nats_message(const char *subject, const char *reply, const void *data, size_t n,
		       bool nobody)
{
	struct message *m = calloc(1, sizeof(*m));

	if (!m || !comes) {
		free(m);
		return;
	}
	*m = (struct message){strdup(subject), reply ? strdup(reply) : NULL, malloc(n ? n : 1), n,
			      nobody};
	if (n && m->data)
		memcpy(m->data, data, n);
	comes((natsConnection *)(void *)dummy, (natsSubscription *)(void *)&subs[0],
	      (natsMsg *)(void *)m, comes_arg);
}

void fake_nats_error(unsigned status, const char *text)
{
	strncpy(last_error, text, sizeof(last_error) - 1);
	if (on_error)
		on_error((natsConnection *)(void *)dummy, NULL, (natsStatus)status, arg);
}

void fake_nats_reconnected(void)
{
	if (on_reconnected)
		on_reconnected((natsConnection *)(void *)dummy, arg);
}

bool fake_nats_install(void)
{
	struct rn_nats_lib *l = &rn_nats_lib;

	if (rn_nats_lib_load(NULL))
		return false;
	l->natsOptions_Create = options_create;
	l->natsOptions_Destroy = options_destroy;
	l->natsOptions_SetServers = set_servers;
	l->natsOptions_SetURL = l->natsOptions_SetName = l->natsOptions_LoadCATrustedCertificates =
		set_text;
	l->natsOptions_SetSecure = set_bool;
	l->natsOptions_SetTimeout = l->natsOptions_SetPingInterval =
		l->natsOptions_SetWriteDeadline = l->natsOptions_SetReconnectWait = set_int64;
	l->natsOptions_SetMaxPingsOut = l->natsOptions_SetMaxReconnect = set_int;
	l->natsOptions_SetReconnectJitter = set_two;
	l->natsOptions_LoadCertificatesChain = l->natsOptions_SetUserInfo =
		l->natsOptions_SetUserCredentialsFromFiles = set_chain;
	l->natsOptions_SetNKey = set_nkey;
	l->natsOptions_SetClosedCB = set_closed;
	l->natsOptions_SetReconnectedCB = set_reconnected;
	l->natsOptions_SetErrorHandler = set_error;
	l->natsConnection_Connect = connect_to;
	l->natsConnection_Close = close_all;
	l->natsConnection_Destroy = destroy_connection;
	l->natsConnection_FlushTimeout = flush;
	l->natsConnection_GetMaxPayload = max_payload;
	l->natsConnection_GetConnectedUrl = url_of;
	l->natsConnection_GetLastError = error_of;
	l->natsConnection_Publish = publish;
	l->natsConnection_PublishRequest = publish_request;
	l->natsConnection_Subscribe = subscribe;
	l->natsSubscription_SetOnCompleteCB = on_complete;
	l->natsSubscription_SetPendingLimits = limits;
	l->natsSubscription_Destroy = destroy_subscription;
	l->nats_GetLastError = last;
	l->natsStatus_GetText = status_text;
	l->nats_ReleaseThreadMemory = release;
	l->natsMsg_GetSubject = subject_of;
	l->natsMsg_GetReply = reply_of;
	l->natsMsg_GetData = data_of;
	l->natsMsg_GetDataLength = length_of;
	l->natsMsg_IsNoResponders = is_nobody;
	l->natsMsg_Destroy = destroy_message;
	return true;
}
