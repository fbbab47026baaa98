/* fuzz_policy.c - libFuzzer target of a node's policy. The first line of the input is the client's
 * name, and the content of the file /dev/fd/101, which `hash_key` may name. The rest is the policy.
 * Fragments of each kind are checked against it. A refusal has an error with a place in the file or
 * the text. Every policy that denies payload refuses what takes payload. */
#include <stdbool.h>
#include <sys/stat.h>
#include "exec/node/policy.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "tests/support/fake_catalog.h"
#include "tests/fuzz/fuzz.h"

/* taken: what is in the payload comes out, or can be found out; no policy with `payload = deny`
 * lets it pass. */
static const struct {
	const char *text;
	bool taken;
} queries[] = {
	{"count of syscall by proc", false},
	{"time, data of write where pid = 3", true},
	{"hash, bytes of read", false},
	{"count of tag abcd, x\"00ff1234\" by file", false},
	{"count of io where similar(data, \"abcdefgh\") > 0 by hash", true},
	{"count of write where data = x\"00ff\"", true},
	{"events of tracepoint \"sched:sched_switch\"", false},
	{"max(latency) of between openat and close on pid, fd by end_proc", false},
	{"set(hash), distinct(sketch) of write by proc every 1s", true},
	{"count of read where hash = 3 by name", true},
	{"set(hash), distinct(hash), top(hash, 3) of write by proc", false},
	{"first(hash) of write by proc", true},
	{"count of between (events of write where bytes > 3) and read on pid, fd", false},
};
enum { NQUERIES = sizeof(queries) / sizeof(*queries) };

/* The fragments are checked by every input and changed by none: a copy of each is what is
 * capped. */
static const struct rn_plan *plan_of(unsigned i)
{
	static struct rn_plan *plan[NQUERIES];
	static struct rn_arena *a;

	if (!plan[i]) {
		struct rn_diag *d;
		struct rn_names names;
		struct rn_ast_stmt *s;
		struct rn_ast_query *q;

		if (!a)
			a = rn_arena_create(RN_ARENA_CAP);
		d = rn_diag_new(a);
		names = (struct rn_names){.catalog = rn_fake_catalog()};
		s = rn_parse(a, d,
			     rn_diag_source(d, "query", queries[i].text, strlen(queries[i].text)))
			    ->stmts;
		q = s ? s->query : NULL;

		plan[i] = q && rn_resolve(a, d, q, &names)
				  ? rn_plan_query(a, d, q, &names, &(struct rn_plan_opts){0})
				  : NULL;
		if (!plan[i])
			fputs(rn_diag_render(d, a, false), stderr);
		MUST(plan[i]);
	}
	return plan[i];
}

static void check(const struct rn_policy *p, const char *asker)
{
	struct rn_err err = {0};

	for (unsigned i = 0; i < NQUERIES; i++) {
		struct rn_fragment f = plan_of(i)->frag;
		int mine = rn_policy_check(p, &f, NULL, &err), theirs;

		theirs = rn_policy_check(p, &f, asker, &err);
		MUST(theirs || p->payload != RN_PAYLOAD_DENY || !queries[i].taken);
		MUST(!mine || theirs); /* what is refused here is refused to all */
		MUST(!theirs || (err.code == theirs && strstr(err.text, "E-POLICY")));
		mine = rn_policy_cap(p, &f, &err);
		MUST(!mine || (err.code == mine && strstr(err.text, "E-POLICY")));
		MUST(f.withhold.payload == (p->payload == RN_PAYLOAD_DENY));
		MUST(!p->limit[RN_MAX_ALL_GROUPS].line ||
		     f.max_groups <= p->limit[RN_MAX_ALL_GROUPS].max);
	}
	for (unsigned running = 0; running < 3; running++)
		rn_policy_room(p, running, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *asker = fuzz_line(&data, &n);
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_err err = {0};
	struct rn_policy p;

	fuzz_file(1, (const uint8_t *)asker, strlen(asker));
	MUST(!fchmod(FUZZ_FILE_FD + 1, 0600));
	setenv("RUNNEL_POLICY", fuzz_file(0, data, n), 1);
	if (rn_policy_load(&p, &err))
		MUST(err.code < 0 && strstr(err.text, "E-POLICY"));
	else
		check(&p, asker);
	for (unsigned i = 0; i < NQUERIES; i++)
		MUST(rn_policy_explain(a, plan_of(i)));
	for (int i = 0; i < RN_LIMIT_COUNT; i++)
		MUST(strcmp(rn_policy_limit_name((enum rn_policy_limit)i), "?"));
	rn_arena_destroy(a);
	free(asker);
	return 0;
}
