/* fake_nats.h - libnats with a server that is the test: every call of exec/nats/lib_impl.h that
 * speaks with a server is answered here. The functions below say what a server would send. One
 * connection at a time. */
#ifndef RN_TESTS_SUPPORT_FAKE_NATS_H
#define RN_TESTS_SUPPORT_FAKE_NATS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on nats_lib has these calls. False: libnats and libcrypto are not here, so nothing that
 * needs them runs. */
bool fake_nats_install(void);
/* Calls that follow and may fail are counted; the i-th fails if bit i is set. Connecting never
 * does. */
void fake_nats_fail(uint64_t which);
/* What is published from now on gets this status, by number as in nats/status.h; 0: it is taken. */
void fake_nats_publishing(unsigned status);
/* A message comes. nobody: it is the server's, as nobody listens there. reply: may be NULL. */
void fake_nats_message(const char *subject, const char *reply, const void *data, size_t n,
		       bool nobody);
/* An error of the connection, by number as in nats/status.h, and its text. */
void fake_nats_error(unsigned status, const char *text);
void fake_nats_reconnected(void);
#endif
