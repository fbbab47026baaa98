/* doctor.c - `runnel doctor`: shows each check of probes/ and of the policy as a row, with
 * advice. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "exec/node/confine.h"
#include "exec/node/policy.h"
#include "probes/probes.h"
#include "repl/cli/commands.h"
#include "repl/cli/listing.h"
#include "repl/cli/session.h"

/* Try to confine a child process, because it cannot be undone. The reason of a failure comes
 * through a pipe. */
static void confinement(struct rn_listing *listing)
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
	for (ssize_t n = 0, r;
	     pid > 0 && (r = read(p[0], text + n, sizeof(text) - 1 - (size_t)n)) > 0;)
		n += r;
	close(p[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	rn_listing_row(
		listing,
		(const char *const[]){"an agent can be confined", status ? "no" : "ok", text,
				      status ? "agents do not start, but with --unconfined" : ""});
}

int rn_cmd_doctor(struct rn_session *session)
{
	static const char *const states[] = {[RN_PAYLOAD_UNSEEN] = "not shown",
					     [RN_PAYLOAD_ALLOW] = "allow",
					     [RN_PAYLOAD_DENY] = "deny"};
	static const struct rn_heading headings[] = {
		{"check", 0}, {"result", 0}, {"detail", 0}, {"advice", 0}};
	struct rn_arena *arena = rn_arena_create(1 << 20);
	struct rn_listing *listing = rn_listing_begin(session, headings, 4);
	struct rn_policy policy;
	struct rn_err err;
	uint64_t key[2];
	bool fine, shown;
	const char *payload;

	for (const struct rn_check *c = rn_probes_doctor(arena); c->what; c++)
		rn_listing_row(listing, (const char *const[]){c->what, c->ok ? "ok" : "no",
							      c->detail, c->ok ? "" : c->advice});
	err = (struct rn_err){0};
	fine = rn_policy_load(&policy, &err) == 0 && rn_policy_hash_key(&policy, key, &err) == 0;
	payload = rn_arena_printf(arena, "payload: %s (%s)", states[policy.payload], policy.path);
	for (int i = 0; fine && i < RN_LIMIT_COUNT; i++)
		if (policy.limit[i].line)
			payload = rn_arena_printf(arena, "%s, %s: %lld", payload,
						  rn_policy_limit_name((enum rn_policy_limit)i),
						  (long long)policy.limit[i].max);
	rn_listing_row(listing,
		       (const char *const[]){
			       "policy of this node", fine ? "ok" : "no", fine ? payload : err.text,
			       fine ? "" : "no live query runs until the file is mended"});
	confinement(listing);
	shown = rn_listing_end(listing) >= 0;
	rn_arena_destroy(arena);
	err = (struct rn_err){0};
	if (rn_probes_permitted(&err) == 0)
		return shown ? RN_EXIT_OK : RN_EXIT_SYSTEM;
	err.hint[0] = 0; /* the table has the advice */
	fputs("queries over a recorded trace (`from \"FILE.rnt\"`) work without any right\n",
	      stderr);
	rn_complain(session, &err);
	return RN_EXIT_SYSTEM;
}
