/* limits.c - see limits.h. A ring of the usage, second by second. The oldest entry within ten
 * seconds is subtracted from the present usage. */
#include "exec/node/limits.h"
#include "lang/base/memory.h"
#include <errno.h>
#include <stdlib.h>

enum { SPAN_S = 10, SAMPLES = SPAN_S + 1 };
#define SECOND_NS INT64_C(1000000000)

struct sample {
	int64_t at_ns, events, cpu_ns;
};
struct rn_limits {
	struct rn_policy policy;
	struct sample samples[SAMPLES]; /* from `first` on, n of them, a second or more apart */
	unsigned first, n;
	int64_t begin_ns;
};

struct rn_limits *rn_limits_create(const struct rn_policy *policy)
{
	struct rn_limits *l = rn_calloc(1, sizeof(*l));

	l->policy = *policy;
	return l;
}

void rn_limits_destroy(struct rn_limits *limits)
{
	free(limits);
}

static bool is_set(const struct rn_limits *l, enum rn_policy_limit which)
{
	return l->policy.limit[which].line;
}

bool rn_limits_any(const struct rn_limits *limits)
{
	return is_set(limits, RN_MAX_EVENTS) || is_set(limits, RN_MAX_CPU) ||
	       is_set(limits, RN_MAX_MEMORY) || is_set(limits, RN_MAX_SECONDS);
}

/* Returns the usage ten seconds ago, or when the query began, or at the last look before that. */
static struct sample since(struct rn_limits *l, const struct sample *now)
{
	const struct sample *last = &l->samples[(l->first + l->n - 1) % SAMPLES];

	if (!l->n || now->at_ns - last->at_ns >= SECOND_NS) {
		if (l->n == SAMPLES) {
			l->first = (l->first + 1) % SAMPLES;
			l->n--;
		}
		l->samples[(l->first + l->n++) % SAMPLES] = *now;
	}
	while (l->n > 1 &&
	       now->at_ns - l->samples[(l->first + 1) % SAMPLES].at_ns >= SPAN_S * SECOND_NS) {
		l->first = (l->first + 1) % SAMPLES;
		l->n--;
	}
	return l->samples[l->first];
}

static int beyond(const struct rn_limits *l, enum rn_policy_limit which, const char *what,
		  long long got, const char *unit, struct rn_err *err)
{
	rn_err_set(err, -EDQUOT,
		   "ended by the policy of this node: %s %lld%s, and %lld%s %s allowed: %s:%u "
		   "[E-POLICY]",
		   what, got, unit, (long long)l->policy.limit[which].max, unit,
		   l->policy.limit[which].max == 1 ? "is" : "are", l->policy.path,
		   l->policy.limit[which].line);
	rn_err_hint(
		err,
		"a query with fewer events, groups or tags takes less; the owner of the node can "
		"raise `%s` there",
		rn_policy_limit_name(which));
	return -EDQUOT;
}

/* Is the use in span_ns more than max a second? scale: how many units of max one unit used in each
 * nanosecond is. Also gives the rate. */
static bool too_much(int64_t used, int64_t scale, int64_t span_ns, int64_t max, long long *rate)
{
	int64_t allowed_ns = span_ns > SPAN_S * SECOND_NS ? span_ns : SPAN_S * SECOND_NS;

	*rate = (long long)((long double)used * scale /
			    (span_ns > SECOND_NS ? span_ns : SECOND_NS));
	return (long double)used * scale > (long double)max * allowed_ns;
}

void rn_limits_begin(struct rn_limits *limits, int64_t now_ns)
{
	if (!limits->n)
		limits->samples[limits->n++] = (struct sample){.at_ns = now_ns};
	limits->begin_ns = now_ns;
}

int rn_limits_step(struct rn_limits *limits, int64_t now_ns, int64_t seen_events, int64_t cpu_ns,
		   int64_t memory_bytes, struct rn_err *err)
{
	struct sample now = {now_ns, seen_events, cpu_ns}, from;
	long long rate;

	if (!limits->n) {
		limits->begin_ns = now_ns;
		/* its first second gets whatever it has used before */
		limits->samples[limits->n++] = (struct sample){.at_ns = now_ns};
	}
	from = since(limits, &now);
	if (is_set(limits, RN_MAX_SECONDS) &&
	    now_ns - limits->begin_ns >= limits->policy.limit[RN_MAX_SECONDS].max * SECOND_NS)
		return beyond(limits, RN_MAX_SECONDS, "the query has run",
			      (now_ns - limits->begin_ns) / SECOND_NS, " s", err);
	if (is_set(limits, RN_MAX_EVENTS) &&
	    too_much(now.events - from.events, SECOND_NS, now_ns - from.at_ns,
		     limits->policy.limit[RN_MAX_EVENTS].max, &rate))
		return beyond(limits, RN_MAX_EVENTS, "the query sees", rate, " events/s", err);
	if (is_set(limits, RN_MAX_CPU) &&
	    too_much(now.cpu_ns - from.cpu_ns, 100, now_ns - from.at_ns,
		     limits->policy.limit[RN_MAX_CPU].max, &rate))
		return beyond(limits, RN_MAX_CPU, "the query takes", rate, "% of a CPU", err);
	if (is_set(limits, RN_MAX_MEMORY) && memory_bytes > limits->policy.limit[RN_MAX_MEMORY].max
								    << 20)
		return beyond(limits, RN_MAX_MEMORY, "the query holds",
			      ((memory_bytes - 1) >> 20) + 1, " MiB", err);
	return 0;
}
