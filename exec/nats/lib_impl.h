/* lib_impl.h - libnats and libcrypto, loaded when a cluster of NATS servers is first needed.
 * Loading them, with TLS and all that they bring, takes some milliseconds, and most runs of the
 * program never need them. */
#ifndef RN_EXEC_NATS_LIB_IMPL_H
#define RN_EXEC_NATS_LIB_IMPL_H
#include <nats/nats.h>
#include <openssl/evp.h>
#include "lang/base/err.h"

/* The functions that are called, by tests too. */
#define NATS_CALLS(X) \
	X(EVP_PKEY_free) \
	X(EVP_PKEY_get_raw_public_key) \
	X(EVP_PKEY_new_raw_private_key) \
	X(natsConnection_Close) \
	X(natsConnection_Connect) \
	X(natsConnection_ConnectTo) \
	X(natsConnection_Destroy) \
	X(natsConnection_Flush) \
	X(natsConnection_FlushTimeout) \
	X(natsConnection_GetConnectedUrl) \
	X(natsConnection_GetLastError) \
	X(natsConnection_GetMaxPayload) \
	X(natsConnection_Publish) \
	X(natsConnection_PublishRequest) \
	X(natsConnection_PublishString) \
	X(natsConnection_Subscribe) \
	X(natsMsg_Destroy) \
	X(natsMsg_GetData) \
	X(natsMsg_GetDataLength) \
	X(natsMsg_GetReply) \
	X(natsMsg_GetSubject) \
	X(natsMsg_IsNoResponders) \
	X(natsOptions_Create) \
	X(natsOptions_Destroy) \
	X(natsOptions_LoadCATrustedCertificates) \
	X(natsOptions_LoadCertificatesChain) \
	X(natsOptions_SetClosedCB) \
	X(natsOptions_SetErrorHandler) \
	X(natsOptions_SetMaxPingsOut) \
	X(natsOptions_SetMaxReconnect) \
	X(natsOptions_SetNKey) \
	X(natsOptions_SetName) \
	X(natsOptions_SetPingInterval) \
	X(natsOptions_SetReconnectJitter) \
	X(natsOptions_SetReconnectWait) \
	X(natsOptions_SetReconnectedCB) \
	X(natsOptions_SetSecure) \
	X(natsOptions_SetServers) \
	X(natsOptions_SetTimeout) \
	X(natsOptions_SetURL) \
	X(natsOptions_SetUserCredentialsFromFiles) \
	X(natsOptions_SetUserInfo) \
	X(natsOptions_SetWriteDeadline) \
	X(natsStatus_GetText) \
	X(natsSubscription_Destroy) \
	X(natsSubscription_SetOnCompleteCB) \
	X(natsSubscription_SetPendingLimits) \
	X(nats_GetLastError) \
	X(nats_ReleaseThreadMemory) \
	X(nats_Sign)

struct rn_nats_lib {
#define MEMBER(name) __typeof__(&(name)) name; // NOLINT(bugprone-macro-parentheses): a declaration
	NATS_CALLS(MEMBER)
#undef MEMBER
};
/* rn_nats_lib_load fills it, once for the whole process: libnats has threads of its own, which
 * nothing ends. */
extern struct rn_nats_lib rn_nats_lib;
/* Any thread may call it, any number of times. -ENOENT: the libraries are missing, or lack
 * something. Then nothing of rn_nats_lib may be called. */
int rn_nats_lib_load(struct rn_err *err);
#endif
