/* test_nats_auth.c - what is written behind `nats:`, who is let in, and what is said to those who
 * are not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>
#include <cmocka.h>
#include "lang/base/memory.h"
#include "exec/nats/nats_impl.h"
#include "tests/support/nats_server.h"

/* A user's key: its seed, its public half, and its seed with a slip of the pen. */
#define SEED "SUAIYL6SQZQUBKAWGMD63ZGMY37Q5KV2SQWMFZLE7MVMDXJDGWZDUHWMNM"
#define KEY "UBD2J6CXQVKF6FRTD2SHKKK2XMSOOFO3HECUNW2WMXVDENH7Y2WX2A3Z"
#define NOT_SEED "SUAIYL6SQZQUBKAWGMD6AZGMY37Q5KV2SQWMFZLE7MVMDXJDGWZDUHWMNM"

static char dir[] = "/tmp/runnel-nats-auth-XXXXXX";

static const char *file(const char *name, const char *text)
{
	static char path[4][128];
	static unsigned at;
	char *p = path[at++ % 4];

	snprintf(p, sizeof(*path), "%s/%s", dir, name);
	if (text) {
		FILE *f = fopen(p, "w");

		assert_non_null(f);
		fputs(text, f);
		fclose(f);
	}
	return p;
}

/* As rn_nats_open; again where a server stood still for as long as is waited for it. */
static int open_soon(const char *spec, struct rn_nats **n, struct rn_err *err)
{
	int r = 0;

	for (int i = 0; i < 30; i++) {
		*err = (struct rn_err){0};
		r = rn_nats_open(spec, n, err);
		if (!r || (!strstr(err->text, "answers only now") &&
			   !strstr(err->text, "answers there within")))
			break;
	}
	return r;
}

/* Opens, and expects what is said to hold all of the words; NULL: success. */
__attribute__((format(printf, 3, 4))) static void try(const char *word, const char *word2,
						      const char *fmt, ...)
{
	struct rn_nats *n = NULL;
	struct rn_err err = {0};
	char spec[1024];
	va_list ap;
	int r;

	va_start(ap, fmt);
	vsnprintf(spec, sizeof(spec), fmt, ap);
	va_end(ap);
	r = word && strstr(word, "answers") ? rn_nats_open(spec, &n, &err)
					    : open_soon(spec, &n, &err);

	if (!word && r)
		fail_msg("%s: %s", spec, err.text);
	if (word && !r)
		fail_msg("%s: no error", spec);
	if (word && (!strstr(err.text, word) || !strstr(err.text, word2 ? word2 : "")))
		fail_msg("%s: `%s` has no `%s`, or no `%s`", spec, err.text, word,
			 word2 ? word2 : "");
	if (strstr(err.text, "s3cret") || strstr(err.hint, "s3cret"))
		fail_msg("a password is shown: %s", err.text);
	rn_nats_close(n);
}

static void wrong_words_of_a_server_are_errors(void **state)
{
	static const struct {
		const char *spec, *says;
	} cases[] = {
		{"", "no NATS server is named"},
		{"  ", "no NATS server is named"},
		{"http://h:4222", "must begin with nats:// or tls://"},
		{"nats://", "names no NATS server"},
		{"nats://a,", "names no NATS server"},
		{"nats://:4222", "names no NATS server"},
		{"nats://h bogus=1", "`bogus` is no option of NATS"},
		{"nats://h nonsense", "`nonsense` is no option of NATS"},
		{"nats://h ca=/nonexistent/ca", "/nonexistent/ca"},
		{"nats://h nkey=", "`nkey=` of NATS is empty"},
		{"nats://h user=a creds=/dev/null", "exclude each other"},
		{"nats://h passfile=/dev/null", "needs user="},
		{"nats://h cert=/dev/null", "belong together"},
		{"nats://h subject=a.*", "is no prefix of subjects"},
		{"nats://h subject=.a", "is no prefix of subjects"},
		{"nats://h subject=a..b", "is no prefix of subjects"},
		{"nats://h subject=a.", "is no prefix of subjects"},
		{"nats://h nkey=/dev/null", "is empty"},
		{"nats://h user=u passfile=/dev/null", "is empty"},
		{"ca=/dev/null", "no NATS server is named"},
		{"nats://h ca=/dev/null", "holds no certificate"},
		{"nats://u:s3cret@h:1 nonsense", "is no option"},
		{"http://u:s3cret@h", "`http://h`"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		try(cases[i].says, NULL, "%s", cases[i].spec);
	try("holds no seed of a user", "bad.nk", "nats://h nkey=%s", file("bad.nk", NOT_SEED "\n"));
}

static void the_public_key_follows_from_the_seed(void **state)
{
	char pub[64];

	(void)state;
	assert_int_equal(rn_nats_key_public(SEED, pub), 0);
	assert_string_equal(pub, KEY);
	assert_int_equal(rn_nats_key_public(NOT_SEED, pub), -EINVAL);
	assert_int_equal(rn_nats_key_public("", pub), -EINVAL);
	assert_int_equal(rn_nats_key_public(KEY, pub), -EINVAL);
	assert_int_equal(rn_nats_key_public(SEED "A", pub), -EINVAL);
}

static void no_secret_is_in_an_error(void **state)
{
	int port = nats_free_port(), fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(a);
	char *spec = rn_asprintf("nats://u:s3cret@127.0.0.1:%d", port),
	     *where = rn_asprintf("nats://127.0.0.1:%d: Connection refused", port);

	(void)state;
	try("no NATS server can be used", where, "%s", spec);
	free(spec);
	free(where);
	try("nats://no-such-host.invalid: ", NULL, "nats://no-such-host.invalid");
	/* Something else listens there, and says nothing. */
	assert_int_equal(bind(fd, (struct sockaddr *)&a, n) || listen(fd, 16) ||
				 getsockname(fd, (struct sockaddr *)&a, &n),
			 0);
	spec = rn_asprintf("nats://127.0.0.1:%d,127.0.0.1:%d", ntohs(a.sin_port), port);
	try("no NATS server answers there", "Connection refused", "%s", spec);
	free(spec);
	close(fd);
}

static void a_password_lets_in(void **state)
{
	struct nats_server s = {0};
	char at[64];

	(void)state;
	nats_server_start(&s, "authorization { user: runnel, password: s3cret }", 0);
	snprintf(at, sizeof(at), "127.0.0.1:%d", s.port);
	try(NULL, NULL, "nats://runnel:s3cret@%s", at);
	try(NULL, NULL, "%s user=runnel passfile=%s", at, file("pass", "s3cret\n"));
	try("does not let this user with this password in", at, "nats://runnel:wrong@%s", at);
	try("does not let this user", at, "%s user=runnel passfile=%s", at,
	    file("pass", "s3cretx\n"));
	try("does not let those without user and password in", at, "nats://%s", at);
	nats_server_end(&s);
}

static void an_nkey_lets_in(void **state)
{
	struct nats_server s = {0};
	const char *right = file("right.nk", "# of the test\n" SEED "\n");

	(void)state;
	nats_server_start(&s, "authorization { users: [ { nkey: " KEY " } ] }", 0);
	try(NULL, NULL, "%s nkey=%s", s.url, right);
	try("does not let", s.url, "%s", s.url);
	nats_server_end(&s);
	memset(&s, 0, sizeof(s));
	nats_server_start(&s,
			  "authorization { users: [ { nkey: "
			  "UDTDJBVUB6XV3WWBKV4VUBT5KLTBG3CMAZ7AGKZW7J2GIOIYAVEUXQ26 } ] }",
			  0);
	try("does not let the key of nkey= in", s.url, "%s nkey=%s", s.url, right);
	nats_server_end(&s);
}

static void small_payload(void **state)
{
	struct nats_server s = {0};

	(void)state;
	nats_server_start(&s, "max_payload: 65536", 0);
	try("takes messages of at most 65536 bytes, these are up to 1048576", s.url, "%s", s.url);
	nats_server_end(&s);
}

static void missing_permissions_are_named(void **state)
{
	struct nats_server s = {0};
	struct rn_nats *n = NULL, *c = NULL;
	struct rn_err err = {0};
	const unsigned char *chunk;
	struct rn_transport *t;
	char spec[64];
	size_t len;
	int r = 0;

	(void)state;
	nats_server_start(
		&s,
		"authorization { users: ["
		" { user: agent, password: p, permissions: { subscribe: [\"runnel.who\", "
		"\"runnel.node.n1.>\"], publish: \"runnel.asks.>\" } },"
		" { user: asker, password: p, permissions: { subscribe: \"runnel.asks.>\", "
		"publish: [\"runnel.who\", \"runnel.node.n1.>\"] } } ] }",
		0);
	snprintf(spec, sizeof(spec), "nats://agent:p@127.0.0.1:%d", s.port);
	assert_int_equal(open_soon(spec, &n, &err), 0);
	snprintf(spec, sizeof(spec), "nats://asker:p@127.0.0.1:%d", s.port);
	assert_int_equal(open_soon(spec, &c, &err), 0);
	assert_int_equal(rn_nats_listen(n, RN_NATS_AGENT, "n1", "1", &err), 0);
	t = rn_nats_dial(c, RN_NATS_AGENT, "n2", &err);
	assert_non_null(t);
	for (int i = 0; i < 6000 && !(r = t->ops->recv(t, &chunk, &len, &err)); i++)
		usleep(10000);
	assert_int_equal(r, -EACCES);
	assert_non_null(strstr(err.text, "does not permit what it takes to reach n2"));
	t->ops->close(t);
	rn_nats_close(c);
	for (int i = 0; i < 32; i++) { /* who hears of the refusal first differs */
		err = (struct rn_err){0};
		assert_int_equal(open_soon(spec, &c, &err), 0);
		assert_int_equal(rn_nats_listen(c, RN_NATS_AGENT, "n1", "1", &err), -EACCES);
		assert_non_null(strstr(err.text, "does not permit this"));
		rn_nats_close(c);
	}
	rn_nats_close(n);
	nats_server_end(&s);
}

static void make_certificates(void)
{
	char *cmd = rn_asprintf(
		"cd %s && exec >log 2>&1 && openssl req -x509 -newkey ec -pkeyopt "
		"ec_paramgen_curve:P-256 -nodes -days 2 -keyout ca.key "
		"-out ca.pem -subj /CN=runnel-test-ca && for n in server client; do openssl req "
		"-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
		"-keyout $n.key -out $n.csr -subj /CN=$n && printf "
		"'subjectAltName=DNS:localhost,IP:127.0.0.1\\n' >ext && openssl x509 -req "
		"-in $n.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out "
		"$n.pem || exit 1; done",
		dir);

	assert_int_equal(system(cmd), 0);
	free(cmd);
}

static void certificates_are_verified(void **state)
{
	struct nats_server s = {0}, plain = {0};
	char *conf;
	char *mine;

	(void)state;
	make_certificates();
	conf = rn_asprintf("tls { cert_file: \"%s/server.pem\", key_file: \"%s/server.key\", "
			   "ca_file: \"%s/ca.pem\", verify: true }",
			   dir, dir, dir);
	nats_server_start(&s, conf, 0);
	nats_server_start(&plain, "", 0);
	mine = rn_asprintf("ca=%s/ca.pem cert=%s/client.pem key=%s/client.key", dir, dir, dir);

	try(NULL, NULL, "tls://127.0.0.1:%d %s", s.port, mine);
	try(NULL, NULL, "tls://localhost:%d %s", s.port, mine);
	try(NULL, NULL, "127.0.0.1:%d %s", s.port, mine);
	try(NULL, NULL, "tls://127.0.0.2:%d,tls://127.0.0.1:%d %s", s.port, s.port, mine);
	try("TLS fails", "certificate", "nats://127.0.0.1:%d", s.port);
	try("TLS fails", "certificate", "tls://127.0.0.1:%d", s.port);
	try("TLS fails", "certificate", "tls://127.0.0.1:%d ca=%s/client.pem", s.port, dir);
	try("127.0.0.1", NULL, "tls://127.0.0.1:%d ca=%s/ca.pem", s.port, dir);
	try("cert= and key= of NATS", "ca.key", "127.0.0.1:%d cert=%s/ca.key key=%s/ca.key", s.port,
	    dir, dir);
	try("it has no TLS", NULL, "tls://127.0.0.1:%d ca=%s/ca.pem", plain.port, dir);
	nats_server_end(&s);
	nats_server_end(&plain);
	free(conf);
	free(mine);
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

static void no_server(void **state)
{
	(void)state;
	print_message("# there is no nats-server: install the package of that name\n");
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_words_of_a_server_are_errors),
		cmocka_unit_test(the_public_key_follows_from_the_seed),
		cmocka_unit_test(no_secret_is_in_an_error),
		cmocka_unit_test(a_password_lets_in),
		cmocka_unit_test(an_nkey_lets_in),
		cmocka_unit_test(small_payload),
		cmocka_unit_test(missing_permissions_are_named),
		cmocka_unit_test(certificates_are_verified),
	};
	const struct CMUnitTest some[] = {cmocka_unit_test(wrong_words_of_a_server_are_errors),
					  cmocka_unit_test(the_public_key_follows_from_the_seed),
					  cmocka_unit_test(no_server)};

	if (!nats_server_present())
		return cmocka_run_group_tests_name("nats_auth", some, begin, end);
	return cmocka_run_group_tests_name("nats_auth", tests, begin, end);
}
