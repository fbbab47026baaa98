/* doctor.c - `runnel doctor`: shows each check of probes/ and of the policy as a row, with
 * advice. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "exec/node/confine.h"
#include "exec/node/policy.h"
#include "lang/values/show.h"
#include "probes/probes.h"
#include "repl/cli/commands.h"
#include "repl/cli/listing.h"
#include "repl/cli/session.h"
#include "repl/out/output.h"

enum { ROWS_MAX = 128 };
struct report {
	struct rn_arena *arena;
	struct rn_check rows[ROWS_MAX];
	unsigned n;
};

static void add(struct report *r, struct rn_check row)
{
	if (r->n < ROWS_MAX)
		r->rows[r->n++] = row;
}

/* Try to confine a child process, because it cannot be undone. The reason of a failure comes
 * through a pipe. */
static void confinement(struct report *r)
{
	char text[768] = "";
	int p[2], pid, status = -1;

	if (pipe(p))
		return;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		struct rn_err err = {0};
		bool failed = rn_confine(&err) < 0;
		char *has = failed ? NULL : rn_confine_has();
		const char *say = failed ? err.text : has && *has ? has : "no capability";

		if (write(p[1], say, strlen(say)) < 0)
			_exit(2);
		_exit(failed);
	}
	close(p[1]);
	for (ssize_t n = 0, got;
	     pid > 0 && (got = read(p[0], text + n, sizeof(text) - 1 - (size_t)n)) > 0;)
		n += got;
	close(p[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	add(r, (struct rn_check){.what = "an agent can be confined",
				 .ok = !status,
				 .detail = rn_arena_strdup(r->arena, text),
				 .advice = "agents do not start, but with --unconfined"});
}

static void policy(struct report *r)
{
	static const char *const states[] = {[RN_PAYLOAD_UNSEEN] = "not shown",
					     [RN_PAYLOAD_ALLOW] = "allow",
					     [RN_PAYLOAD_DENY] = "deny"};
	struct rn_policy policy;
	struct rn_err err = {0};
	uint64_t key[2];
	bool fine =
		rn_policy_load(&policy, &err) == 0 && rn_policy_hash_key(&policy, key, &err) == 0;
	const char *says =
		rn_arena_printf(r->arena, "payload: %s (%s)", states[policy.payload], policy.path);

	for (int i = 0; fine && i < RN_LIMIT_COUNT; i++)
		if (policy.limit[i].line)
			says = rn_arena_printf(r->arena, "%s, %s: %lld", says,
					       rn_policy_limit_name((enum rn_policy_limit)i),
					       (long long)policy.limit[i].max);
	add(r, (struct rn_check){.what = "policy of this node",
				 .ok = fine,
				 .detail = fine ? says : rn_arena_strdup(r->arena, err.text),
				 .advice = "no live query runs until the file is mended"});
}

/* One line: what this machine can do. */
static void conclude(const struct report *r, bool permitted)
{
	unsigned missing = 0, optional = 0;

	for (unsigned i = 0; i < r->n; i++) {
		missing += !r->rows[i].ok;
		optional += !r->rows[i].ok && r->rows[i].optional;
	}
	if (!permitted)
		rn_say("This machine can run no live query; those over a recording (`from "
		       "\"FILE.rnt\"`) work.\n");
	else if (!missing)
		rn_say("This machine can run every query.\n");
	else if (missing == optional)
		rn_say("This machine can run every query; %u optional feature%s missing.\n",
		       missing, missing > 1 ? "s are" : " is");
	else
		rn_say("This machine can run most queries; %u of %u checks found something "
		       "missing.\n",
		       missing - optional, r->n);
}

/* A table has what is missing first, and the advice behind the detail, so that it fits narrow
 * terminals. */
static bool show(struct rn_session *session, const struct report *r)
{
	static const struct rn_heading headings[] = {
		{"check", RN_SHOW_WHOLE}, {"result", 0}, {"detail", 0}, {"advice", 0}};
	bool table = session->opt->format == rn_format_find(NULL);
	struct rn_listing *listing = rn_listing_begin(session, headings, table ? 3 : 4);

	for (int ok = 0; ok < 2; ok++)
		for (unsigned i = 0; i < r->n; i++) {
			const struct rn_check *c = &r->rows[i];
			const char *advice = c->ok ? "" : c->advice, *detail = c->detail;

			if (c->ok != ok)
				continue;
			if (table && *advice)
				detail = rn_arena_printf(r->arena, "%s; %s", detail, advice);
			rn_listing_row(listing, (const char *const[]){c->what, ok ? "ok" : "no",
								      detail, advice});
		}
	return rn_listing_end(listing) >= 0;
}

int rn_cmd_doctor(struct rn_session *session)
{
	struct report r = {.arena = rn_arena_create(1 << 20)};
	struct rn_err err = {0};
	bool permitted = rn_probes_permitted(&err) == 0, shown;

	for (const struct rn_check *c = rn_probes_doctor(r.arena); c->what; c++)
		add(&r, *c);
	policy(&r);
	confinement(&r);
	conclude(&r, permitted);
	shown = show(session, &r);
	rn_arena_destroy(r.arena);
	if (permitted)
		return shown ? RN_EXIT_OK : RN_EXIT_SYSTEM;
	err.hint[0] = 0; /* the table has the advice */
	rn_complain(session, &err);
	return RN_EXIT_SYSTEM;
}
