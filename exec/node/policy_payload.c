/* policy_payload.c - which parts of payload a policy lets out, which it refuses, and the key of
 * hashes.
 *
 * The asker is the adversary: the fragment may be anything that passed rn_fragment_bind. This
 * node's own catalogue tells what a field reveals (rn_field.tells). Each place of a fragment that
 * can use a field is checked. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "exec/node/policy_payload_impl.h"
#include "lang/base/str.h"
#include "lang/base/siphash.h"

/* ---- what a fragment asks for ---- */

struct look {
	enum rn_tells tells;
	bool any;
	struct rn_span span;
	const char *name;
};

static void look_at(struct look *l, const struct rn_field *field, struct rn_span span)
{
	if (field->tells != l->tells || l->any)
		return;
	l->any = true;
	l->span = span;
	l->name = field->name;
}

static void look(void *self, const struct rn_expr *e)
{
	if (e->kind == RN_E_FIELD)
		look_at(self, e->field, e->span);
}

/* Is it only shown, a key, or counted? */
static bool is_plain(const struct rn_expr *e)
{
	return e->kind == RN_E_FIELD;
}

/* Does the aggregate reveal only which values are equal, and how often they come? */
static bool counts_alike(const struct rn_agg_call *c)
{
	static const char *const names[] = {"set", "distinct", "top"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(c->def->sig.name, names[i]))
			return true;
	return false;
}

static void look_where(struct look *l, const struct rn_conjunct *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		rn_expr_look(w[i].expr, look, l);
}

/* Finds the uses of such fields in a fragment. plain: also those in which the value is only shown,
 * a key, or counted. */
static void look_through(struct look *l, const struct rn_fragment *fragment, bool plain)
{
	for (unsigned i = 0; i < fragment->ncols; i++)
		if (plain || !is_plain(fragment->cols[i].expr))
			rn_expr_look(fragment->cols[i].expr, look, l);
	for (unsigned i = 0; i < fragment->nkeys; i++)
		if (plain || !is_plain(fragment->keys[i]))
			rn_expr_look(fragment->keys[i], look, l);
	for (unsigned i = 0; i < fragment->naggs; i++)
		if (fragment->aggs[i].arg && (plain || !is_plain(fragment->aggs[i].arg) ||
					      !counts_alike(&fragment->aggs[i])))
			rn_expr_look(fragment->aggs[i].arg, look, l);
	for (unsigned i = 0; i < fragment->naggs; i++)
		rn_expr_look(fragment->aggs[i].where, look, l);
	look_where(l, fragment->where, fragment->nwhere);
	for (unsigned i = 0; fragment->ends && i < 2; i++)
		look_where(l, fragment->ends[i].where, fragment->ends[i].nwhere);
	for (unsigned i = 0; fragment->cls->pair && i < fragment->cls->pair->nkeys; i++)
		for (unsigned k = 0; k < 2; k++)
			look_at(l, fragment->cls->pair->key[i][k], fragment->span);
	/* its row leaves the kernel; the checks above know better where it was written */
	for (unsigned i = 0; plain && i < fragment->nfields; i++)
		look_at(l, fragment->fields[i], (struct rn_span){0});
}

static struct look uses(const struct rn_fragment *f, enum rn_tells tells, bool plain)
{
	struct look l = {.tells = tells};

	look_through(&l, f, plain);
	return l;
}

static int refuse(const struct rn_policy *p, const struct look *l, struct rn_err *err,
		  const char *what)
{
	if (p->payload_line)
		rn_err_set(err, -EPERM,
			   "the policy of this node does not let a query %s: %s:%u [E-POLICY]",
			   what, p->path, p->payload_line);
	else
		rn_err_set(err, -EPERM,
			   "the policy of this node does not let a query %s: %s does not allow it "
			   "[E-POLICY]",
			   what, p->path);
	err->span = l->span;
	return -EPERM;
}

static int check_tags(const struct rn_policy *policy, const struct rn_fragment *fragment,
		      struct rn_err *err)
{
	const unsigned line = policy->list[RN_LIST_TAGS].line;
	struct rn_arena *arena;
	unsigned i = 0;

	while (i < fragment->ntags && rn_policy_admits(policy, fragment->tags[i]))
		i++;
	if (i == fragment->ntags)
		return 0;
	arena = rn_arena_create(1 << 12);
	rn_err_set(err, -EPERM,
		   "the policy of this node does not let a query search for the tag `%s`: %s:%u "
		   "[E-POLICY]",
		   rn_tag_source(arena, fragment->tags[i]), policy->path,
		   line ? line : policy->payload_line);
	rn_err_hint(
		err,
		"the owner of the node can add a line of tags that may be searched, `tags = GLOB, "
		"\"GLOB\"`, to %s",
		policy->path);
	err->span = fragment->span;
	rn_arena_destroy(arena);
	return -EPERM;
}

static int check_denied(const struct rn_policy *p, const struct rn_fragment *f, struct rn_err *err)
{
	const struct look like = uses(f, RN_TELLS_LIKENESS, true),
			  equal = uses(f, RN_TELLS_EQUAL, false);

	if (like.any) {
		refuse(p, &like, err, "have the field sketch, which similar() takes");
		rn_err_hint(err, "`hash`, keyed, says which payloads are the same: show it, group "
				 "by it, or take set, distinct or top of it");
		return -EPERM;
	}
	if (equal.any) {
		refuse(p, &equal, err, "use `hash` so");
		rn_err_hint(err, "show it, group by it, or take set, distinct or top of it: no "
				 "condition, no calculation and no other aggregate may have it");
		return -EPERM;
	}
	return check_tags(p, f, err);
}

int rn_policy_check_payload(const struct rn_policy *policy, const struct rn_fragment *fragment,
			    struct rn_err *err)
{
	const struct look bytes = uses(fragment, RN_TELLS_CONTENT, true);
	char what[128];

	if (policy->payload == RN_PAYLOAD_ALLOW)
		return 0;
	if (bytes.any) {
		snprintf(what, sizeof(what), "have payload, the field %.80s", bytes.name);
		refuse(policy, &bytes, err, what);
		rn_err_hint(err,
			    policy->payload == RN_PAYLOAD_DENY
				    ? "`hash`, keyed, may be shown; `payload = allow` in %s would "
				      "let every query have all payload"
				    : "the owner of the node can write `payload = allow` into %s; "
				      "tags, hash and similar() need no leave",
			    policy->path);
		return -EPERM;
	}
	return policy->payload == RN_PAYLOAD_DENY ? check_denied(policy, fragment, err) : 0;
}

/* ---- the key of hashes ---- */

/* Many nodes may share the key, so no way out overwrites an existing file. */
static int bad_file(const struct rn_policy *p, int code, struct rn_err *err, const char *what,
		    const char *way_out)
{
	rn_err_set(err, code, "the key of hashes of this node, %.120s, %s: %s:%u [E-POLICY]",
		   p->hash_key.path, what, p->path, p->hash_key.line);
	rn_err_hint(err, "the owner of the node %s", way_out);
	return code;
}

static int read_key(const struct rn_policy *policy, int fd, uint64_t key[2], struct rn_err *err)
{
	unsigned char bytes[RN_HASH_KEY_MAX + 1];
	struct stat st;
	XXH128_hash_t h;
	ssize_t n;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return bad_file(policy, -EINVAL, err, "is no regular file",
				"names a file with 16 or more random bytes");
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return bad_file(policy, -EPERM, err,
				"belongs neither to root nor to the user of this process",
				"gives it to root: chown");
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return bad_file(policy, -EPERM, err,
				"may be read or written by others than its owner",
				"says `chmod 600`; if others have read it, a new key is renamed "
				"over it (docs/security.md, Keys of hashes)");
	n = read(fd, bytes, sizeof(bytes));
	if (n < 0)
		return bad_file(policy, -errno, err, strerror(errno),
				"sees to it that it can be read");
	if (n < RN_HASH_KEY_MIN || n > RN_HASH_KEY_MAX)
		return bad_file(policy, -EINVAL, err,
				n < RN_HASH_KEY_MIN ? "has less than 16 bytes"
						    : "has more than 4,096 bytes",
				"names a file with 16 to 4,096 random bytes");
	/* gathers random bits: nobody sees the result, so it need not be one-way */
	h = XXH3_128bits(bytes, (size_t)n);
	key[0] = h.low64;
	key[1] = h.high64;
	explicit_bzero(bytes, sizeof(bytes));
	return 0;
}

int rn_policy_hash_key(const struct rn_policy *policy, uint64_t key[2], struct rn_err *err)
{
	int fd, r;

	if (!policy->hash_key.line) {
		if (getrandom(key, 2 * sizeof(*key), 0) == 2 * sizeof(*key))
			return 0;
		return rn_err_set(err, -errno, "the kernel gives no random numbers: %s",
				  strerror(errno));
	}
	fd = open(policy->hash_key.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return bad_file(policy, -errno, err, strerror(errno),
				errno == ENOENT
					? "makes one by `umask 077; head -c 32 /dev/urandom "
					  ">FILE`, or copies that of the other nodes"
					: "sees to it that it can be read");
	r = read_key(policy, fd, key, err);
	close(fd);
	return r;
}

/* The hash of an empty message, as which no payload is hashed. */
static uint64_t id_of(const uint64_t key[2])
{
	const rn_sip_word none[] = {0};

	return rn_siphash(key[0], key[1], none, 1);
}

int rn_policy_withhold(const struct rn_policy *policy, struct rn_fragment *fragment,
		       struct rn_err *err)
{
	int r;

	fragment->withhold = (struct rn_withhold){.payload = policy->payload == RN_PAYLOAD_DENY,
						  .hash_least = RN_HASH_LEAST};
	if (!fragment->withhold.payload || !uses(fragment, RN_TELLS_EQUAL, true).any)
		return 0;
	fragment->withhold.own_key = !policy->hash_key.line;
	r = rn_policy_hash_key(policy, fragment->withhold.hash_key, err);
	fragment->withhold.key_id = r ? 0 : id_of(fragment->withhold.hash_key);
	return r;
}

/* ---- explaining ---- */

static void explain_fragment(struct rn_strbuf *buf, struct rn_arena *arena,
			     const struct rn_policy *policy, const struct rn_fragment *fragment)
{
	struct rn_err err = {0};

	if (rn_policy_check_payload(policy, fragment, &err)) {
		rn_strbuf_put(buf, rn_arena_printf(arena, "refused here: %s\n", err.text));
		return;
	}
	if (policy->payload != RN_PAYLOAD_DENY)
		return;
	if (uses(fragment, RN_TELLS_EQUAL, true).any)
		rn_strbuf_put(buf,
			      rn_arena_printf(arena,
					      "withheld by %s: hash is keyed by %s; of payloads of "
					      "less than %d bytes and of terminals there is none\n",
					      policy->path,
					      policy->hash_key.line ? policy->hash_key.path
								    : "a key of this query alone",
					      RN_HASH_LEAST));
	if (uses(fragment, RN_TELLS_AROUND, true).any)
		rn_strbuf_put(buf,
			      rn_arena_printf(arena,
					      "withheld by %s: what lies around a tag, so that "
					      "fewer hops are linked for certain\n",
					      policy->path));
}

static void explain_plan(struct rn_strbuf *t, struct rn_arena *a, const struct rn_policy *policy,
			 const struct rn_plan *p)
{
	for (unsigned i = 0; i < p->nsets; i++)
		explain_plan(t, a, policy, p->sets[i]);
	if (p->child)
		explain_plan(t, a, policy, p->child);
	else if (!p->from && !p->given)
		explain_fragment(t, a, policy, &p->frag);
}

const char *rn_policy_explain(struct rn_arena *arena, const struct rn_plan *plan)
{
	struct rn_policy policy;
	struct rn_err err = {0};
	struct rn_strbuf t;

	rn_strbuf_init(&t, arena);
	if (!rn_policy_load(&policy, &err))
		explain_plan(&t, arena, &policy, plan);
	return rn_strbuf_cstr(&t);
}
