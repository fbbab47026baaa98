/* doctor.c - `runnel doctor`: each check of probes/ and the policy as a row, with what to do about it. */
#include "exec/policy.h"
#include "probes/probes.h"
#include "repl/session.h"

int rn_doctor(struct rn_session *s)
{
	static const char *const labels[] = {"check", "result", "detail", "advice"};
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_listing *l = rn_listing_begin(s, labels, 4);
	for (const struct rn_check *c = rn_probes_doctor(a); c->what; c++)
		rn_listing_row(l, (const char *const[]){c->what, c->ok ? "ok" : "no", c->detail, c->ok ? "" : c->advice});
	struct rn_policy policy;
	struct rn_err err = {0};
	bool fine = rn_policy_load(&policy, &err) == 0;
	const char *payload = rn_arena_printf(a, "payload: %s (%s)", policy.payload ? "allow" : "deny", policy.path);
	rn_listing_row(l, (const char *const[]){"policy of this node", fine ? "ok" : "no", fine ? payload : err.text,
						fine ? "" : "no live query runs until the file is mended"});
	rn_listing_end(l);
	rn_arena_destroy(a);
	err = (struct rn_err){0};
	if (rn_probes_permitted(&err) == 0)
		return RN_EXIT_OK;
	err.hint[0] = 0; /* the table has the advice */
	fputs("queries over a recorded trace (`from \"FILE.rnt\"`) work without any right\n", stderr);
	rn_complain(s, &err);
	return RN_EXIT_SYSTEM;
}
