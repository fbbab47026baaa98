/* test_hosts.c - the hosts file: what its lines become, every error with its line, and which nodes
 * `on` means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "exec/hosts/hosts.h"

static struct rn_arena *arena;
static char path[64];

static int setup(void **state)
{
	int fd;

	(void)state;
	arena = rn_arena_create(16 << 20);
	strcpy(path, "/tmp/runnel-hosts-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	rn_arena_destroy(arena);
	return 0;
}

static struct rn_hosts *load(const char *text, struct rn_err *err)
{
	FILE *f = fopen(path, "w");

	*err = (struct rn_err){0};
	fputs(text, f);
	fclose(f);
	return rn_hosts_load(arena, path, "/opt/it's here/runnel", "runnel", err);
}

static void each_transport_has_its_command(void **state)
{
	static const struct {
		const char *line, *name;
		enum rn_host_kind kind;
		const char *command;
	} cases[] = {
		{"a local:", "a", RN_HOST_EXEC, "exec '/opt/it'\\''s here/runnel' agent --stdio"},
		{"  a\tlocal: --lease 3  ", "a", RN_HOST_EXEC,
		 "exec '/opt/it'\\''s here/runnel' agent --stdio --lease 3"},
		{"n.1-x_Y exec: ip netns exec x", "n.1-x_Y", RN_HOST_EXEC,
		 "exec ip netns exec x 'runnel' agent --stdio"},
		{"n exec: runnel agent --node q --stdio", "n", RN_HOST_EXEC,
		 "exec runnel agent --node q --stdio"},
		{"n exec: docker exec -i agent", "n", RN_HOST_EXEC,
		 "exec docker exec -i agent 'runnel' agent --stdio"},
		{"n exec: env X='agent --stdio' socat - TCP:a:1", "n", RN_HOST_EXEC,
		 "exec env X='agent --stdio' socat - TCP:a:1"},
		{"n exec: sh -c \"agent 'x' --stdio\"", "n", RN_HOST_EXEC,
		 "exec sh -c \"agent 'x' --stdio\""},
		{"n exec: ip netns exec my-agent --stdio", "n", RN_HOST_EXEC,
		 "exec ip netns exec my-agent --stdio 'runnel' agent --stdio"},
		{"n exec: docker exec -i c runnel agent --stdio --node q", "n", RN_HOST_EXEC,
		 "exec docker exec -i c runnel agent --stdio --node q"},
		{"n ssh: me@far.example", "n", RN_HOST_EXEC,
		 "exec ssh -o BatchMode=yes -o ConnectTimeout=10 me@far.example runnel agent "
		 "--stdio"},
		{"r relay: /etc/r.hosts", "r", RN_HOST_RELAY,
		 "exec '/opt/it'\\''s here/runnel' relay --stdio -H '/etc/r.hosts'"},
		{"r relay: r.hosts", "r", RN_HOST_RELAY,
		 "exec '/opt/it'\\''s here/runnel' relay --stdio -H '/tmp/r.hosts'"},
		{"r relay: ssh far /etc/r.hosts", "r", RN_HOST_RELAY,
		 "exec ssh far runnel relay --stdio -H '/etc/r.hosts'"},
		{"r relay: ssh far runnel relay --stdio -H x --lease 2", "r", RN_HOST_RELAY,
		 "exec ssh far runnel relay --stdio -H x --lease 2"},
		{"* nats: nats://10.0.0.1:4222", "*", RN_HOST_NATS, "nats://10.0.0.1:4222"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rn_err err;
		struct rn_hosts *h = load(cases[i].line, &err);

		if (!h)
			fail_msg("%s: %s", cases[i].line, err.text);
		assert_int_equal(h->n, 1);
		assert_string_equal(h->entries[0].name, cases[i].name);
		assert_int_equal(h->entries[0].kind, cases[i].kind);
		assert_string_equal(h->entries[0].command, cases[i].command);
		assert_int_equal(h->entries[0].line, 1);
	}
}

static void a_wrong_line_is_named_with_its_number(void **state)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{"", "names no node"},
		{"# a local:\n\n  \n[g]\n", "names no node"},
		{"a", ":1: `a` is not NAME TRANSPORT: ARGUMENTS"},
		{"a local", ":1: `a local` is not NAME"},
		{"a : x", "there is no transport ``"},
		{"a locl:", "did you mean `local:`?"},
		{"a zzzzzzzz:", "there are local, exec, ssh"},
		{"a exec:", "`exec:` needs a command, as in: a exec:"},
		{"a ssh: ", "`ssh:` needs a host"},
		{"a relay:", "`relay:` needs a hosts file"},
		{"a nats:", "`nats:` needs a server"},
		{"* local:", "`*` stands for all nodes"},
		{"a b: x\nc local:", ":1: there is no transport `b`"},
		{"a local:\n\n#\na exec: x", ":4: the node `a` stands in line 1 already"},
		{"ä local:", "is no name of a node"},
		{"a/b local:", "is no name of a node"},
		{"all local:", "`all` has a meaning"},
		{"except exec: x", "`except` has a meaning"},
		{"[g", ":1: `[g` is not [GROUP]"},
		{"[]", "is not [GROUP]"},
		{"[a b]\na local:", "is not [GROUP]"},
		{"[g] x\na local:", "is not [GROUP]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rn_err err;

		assert_null(load(cases[i].line, &err));
		if (!strstr(err.text, cases[i].says) || !strstr(err.text, "[E-HOSTS]") ||
		    strncmp(err.text, path, strlen(path)))
			fail_msg("%s: %s", cases[i].line, err.text);
		assert_true(err.hint[0]);
	}
}

/* Five in full, the others counted; nothing is written beyond the text of an error. */
static void five_errors_are_shown_and_the_rest_counted(void **state)
{
	char text[4000] = "";
	struct rn_err err;
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 40; i++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n,
			"node%d nosuchtransportatallthatislongenough: xxxxxxxxxxxxxxx\n", i);
	assert_null(load(text, &err));
	assert_non_null(strstr(err.text, ":1: "));
	assert_true(strlen(err.text) < sizeof(err.text));
	assert_null(rn_hosts_load(arena, "/nonexistent/x", "p", "p", &err));
	assert_non_null(strstr(err.text, "/nonexistent/x cannot be read: No such file"));
	assert_null(rn_hosts_load(arena, "/tmp", "p", "p", &err));
	assert_non_null(strstr(err.text, "/tmp cannot be read: Is a directory"));
}

static void a_group_holds_the_lines_below_it(void **state)
{
	struct rn_err err;
	struct rn_hosts *h =
		load("a local:\n[x]\nb local:\n# [z]\nc local:\n [y] \nd local:\n", &err);

	(void)state;
	assert_non_null(h);
	assert_null(h->entries[0].group);
	assert_string_equal(h->entries[1].group, "x");
	assert_string_equal(h->entries[2].group, "x");
	assert_string_equal(h->entries[3].group, "y");
}

static void on_and_except_choose_nodes(void **state)
{
	static const struct {
		const char *on[6], *want;
	} cases[] = {
		{{NULL}, "abcd"},
		{{"all"}, "abcd"},
		{{"a"}, "a"},
		{{"a", "c"}, "ac"},
		{{"x"}, "bc"},
		{{"x", "d"}, "bcd"},
		{{"*"}, "abcd"},
		{{"[ab]"}, "ab"},
		{{"all", "except", "a"}, "bcd"},
		{{"except", "a"}, "bcd"},
		{{"x", "except", "b"}, "c"},
		{{"all", "except", "x", "d"}, "a"},
		{{"all", "except", "all"}, ""},
		{{"local"}, "a"},
		{{"all", "except", "local"}, "bcd"},
		{{"y"}, ""},
	};
	static const struct {
		const char *name, *group;
		bool local;
	} nodes[] = {{"a", NULL, true}, {"b", "x", false}, {"c", "x", false}, {"d", "z", false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char got[5] = "";

		for (int k = 0; k < 4; k++)
			if (rn_host_chosen(nodes[k].name, nodes[k].group, nodes[k].local,
					   cases[i].on))
				strcat(got, nodes[k].name);
		if (strcmp(got, cases[i].want))
			fail_msg("case %zu: got %s, want %s", i, got, cases[i].want);
	}
	assert_int_equal(rn_host_chosen("a", NULL, false, NULL), 1);
}

static void a_name_of_no_node_is_found(void **state)
{
	const char *good[] = {"a", "x", "all", "except", "b*", NULL},
		   *bad[] = {"a", "nosuch", NULL};
	struct rn_err err;
	struct rn_hosts *h = load("a local:\n[x]\nb exec: y\n", &err);

	(void)state;
	assert_null(rn_hosts_unknown(h, NULL));
	assert_null(rn_hosts_unknown(h, good));
	assert_string_equal(rn_hosts_unknown(h, bad), "nosuch");
	h = load("a local:\nr relay: x\n", &err);
	assert_null(rn_hosts_unknown(h, bad)); /* one below the relay may be called so */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_transport_has_its_command),
		cmocka_unit_test(a_wrong_line_is_named_with_its_number),
		cmocka_unit_test(five_errors_are_shown_and_the_rest_counted),
		cmocka_unit_test(a_group_holds_the_lines_below_it),
		cmocka_unit_test(on_and_except_choose_nodes),
		cmocka_unit_test(a_name_of_no_node_is_found),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
