/* decode.c - packed values of the kernel side to rn_value, by a table of decoders.
 *
 * Some values need a lookup: a path by its key, a user's name, a cgroup's path. Each is looked up
 * once and kept in one hash table of texts, for the life of the query. Paths are the exception:
 * those that did not occur for some turns (windows, or rounds of the ring) are dropped, here and in
 * the kernel's map. So a query over short-lived files can be kept running. The kernel drops a path
 * first: this table names it for as many turns more, for events counted by its key before. */
#include <inttypes.h>
#include "lang/base/hash.h"
#include "lang/base/memory.h"
#include "lang/catalog/numbering.h"
#include "probes/kernel/cgroups.h"
#include "probes/live/decode.h"
#include "probes/uprobe/user.h"
#include <dirent.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "lang/base/str.h"
#include "lang/base/utf8.h"

/* fewer names are never swept; turns between sweeps, and between the steps of dropping */
enum { KEEP_NAMES = 4096, SWEEP_TURNS = 4 };

/* forgotten: by the kernel; met: last turn of use */
struct name {
	uint64_t key[2];
	uint8_t kind;
	bool forgotten;
	uint32_t len, met;
	char *text;
};
struct rn_names_cache {
	struct name *names;
	uint32_t n, cap, turn;
	struct rn_secret secret;
};

static uint32_t place(const struct rn_names_cache *c, const uint64_t key[2], uint8_t kind)
{
	const uint64_t w[3] = {key[0], key[1], kind};
	uint64_t h = rn_hash_secret(&c->secret, w, sizeof(w)) & (c->cap - 1);

	while (c->names[h].text && (c->names[h].key[0] != key[0] || c->names[h].key[1] != key[1] ||
				    c->names[h].kind != kind))
		h = (h + 1) & (c->cap - 1);
	return (uint32_t)h;
}

static void resize(struct rn_event_decoder *d, uint32_t cap)
{
	struct rn_names_cache *c = d->cache, old = *c;

	c->cap = cap;
	c->names = rn_calloc(c->cap, sizeof(*c->names));
	for (uint32_t i = 0; i < old.cap; i++)
		if (old.names[i].text)
			c->names[place(c, old.names[i].key, old.names[i].kind)] = old.names[i];
	free(old.names);
}

static struct rn_value keep(struct rn_event_decoder *d, const uint64_t key[2], uint8_t kind,
			    const char *text, size_t len)
{
	struct name *n;

	if (2 * (d->cache->n + 1) > d->cache->cap)
		resize(d, d->cache->cap ? 2 * d->cache->cap : 512);
	n = &d->cache->names[place(d->cache, key, kind)];
	if (!n->text) {
		*n = (struct name){{key[0], key[1]}, kind,           false,
				   (uint32_t)len,    d->cache->turn, rn_strndup(text, len)};
		d->cache->n++;
	}
	return rn_strn(n->text, n->len);
}

static bool kept(const struct rn_event_decoder *d, const uint64_t key[2], uint8_t kind,
		 struct rn_value *v)
{
	struct name *n;

	if (!d->cache->cap)
		return false;
	n = &d->cache->names[place(d->cache, key, kind)];
	if (!n->text)
		return false;
	*v = rn_strn(n->text, n->len);
	n->met = d->cache->turn;
	n->forgotten = false; /* the kernel may have it again */
	return true;
}

/* True: drop the name. */
static bool give_up(const struct rn_event_decoder *d, struct name *n)
{
	uint32_t age = d->cache->turn - n->met;
	struct rn_file_key key;

	if (n->kind != RN_ENCODING_FILE || age < SWEEP_TURNS)
		return false;
	if (n->forgotten)
		return age >= 2 * SWEEP_TURNS;
	memcpy(&key, n->key, sizeof(key));
	if (d->intrinsics)
		rn_intrinsics_forget(d->intrinsics, &key);
	n->forgotten = true;
	return false;
}

void rn_decoder_turn(struct rn_event_decoder *decoder)
{
	struct rn_names_cache *c = decoder->cache;
	uint32_t gone = 0;

	if (++c->turn % SWEEP_TURNS || c->n < KEEP_NAMES)
		return;
	for (uint32_t i = 0; i < c->cap; i++)
		if (c->names[i].text && give_up(decoder, &c->names[i])) {
			free(c->names[i].text);
			c->names[i].text = NULL;
			gone++;
		}
	c->n -= gone;
	if (gone) /* hash again over the gaps; keep room for twice as many */
		resize(decoder, 4 * c->n < c->cap && c->cap > 512 ? c->cap / 2 : c->cap);
}

/* ---- one decoder for each encoding ---- */

static struct rn_value text_value(const char *s)
{
	return rn_strn(s, strlen(s));
}

static int64_t number(const unsigned char *p)
{
	int64_t v;

	memcpy(&v, p, 8);
	return v;
}

static struct rn_value decode_file(struct rn_event_decoder *decoder, const unsigned char *p)
{
	char text[RN_PATH_BYTES + 1];
	struct rn_file_key key;
	uint64_t words[2];
	struct rn_value value;
	bool cut = false;
	int n;

	memcpy(&key, p, sizeof(key));
	memcpy(words, p, sizeof(words));
	if (!words[0] && !words[1])
		return rn_strn("", 0);
	if (kept(decoder, words, RN_ENCODING_FILE, &value))
		return value;
	n = decoder->intrinsics ? rn_intrinsics_path(decoder->intrinsics, &key, text, &cut) : -1;
	decoder->cut += cut;
	if (n < 0) { /* its text found no room among the paths, which is counted */
		n = snprintf(text, sizeof(text), "?");
		return keep(decoder, words, RN_ENCODING_FILE, text, (size_t)n);
	}
	return keep(decoder, words, RN_ENCODING_FILE, text, (size_t)n);
}

static struct rn_value decode_user(struct rn_event_decoder *d, const unsigned char *p)
{
	uint64_t key[2] = {(uint64_t)number(p), 0};
	struct passwd pw, *found = NULL;
	char buf[4096], digits[24];
	struct rn_value v;

	if (kept(d, key, RN_ENCODING_USER, &v))
		return v;
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)key[0]);
	getpwuid_r((uid_t)key[0], &pw, buf, sizeof(buf), &found);
	return keep(d, key, RN_ENCODING_USER, found ? found->pw_name : digits,
		    strlen(found ? found->pw_name : digits));
}

/* Read the paths of cgroups, and their containers, by id: the inode of their directory. One walk
 * fills in all of them. */
static void walk_cgroups(struct rn_event_decoder *decoder, char *path, size_t root, int depth)
{
	struct dirent *e;
	struct stat st;
	DIR *dir = depth < 16 ? opendir(path) : NULL;
	size_t n = strlen(path);

	if (!dir)
		return;
	if (!fstat(dirfd(dir), &st)) {
		uint64_t key[2] = {st.st_ino, 0};
		char mount[32], id[RN_CONTAINER_BYTES];

		snprintf(mount, sizeof(mount), "%.*s", (int)root, path);
		rn_cgroup_container(mount, path + root, id);
		keep(decoder, key, RN_ENCODING_CONTAINER, id, strlen(id));
		keep(decoder, key, RN_ENCODING_CGROUP, n > root ? path + root : "/",
		     n > root ? n - root : 1);
	}
	while ((e = readdir(dir))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.' || n + strlen(e->d_name) + 2 > 4096)
			continue;
		snprintf(path + n, 4096 - n, "/%s", e->d_name);
		walk_cgroups(decoder, path, root, depth + 1);
		path[n] = 0;
	}
	closedir(dir);
}

static struct rn_value decode_cgroup(struct rn_event_decoder *decoder, const unsigned char *p)
{
	static const char *const roots[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
	uint64_t key[2] = {(uint64_t)number(p), 0};
	struct rn_value value;
	char path[4096];

	if (kept(decoder, key, RN_ENCODING_CGROUP, &value))
		return value;
	for (unsigned i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		snprintf(path, sizeof(path), "%s", roots[i]);
		walk_cgroups(decoder, path, strlen(path), 0);
		if (kept(decoder, key, RN_ENCODING_CGROUP, &value))
			return value;
	}
	if (key[0] == 1) /* the root, if no cgroup v2 is mounted */
		return keep(decoder, key, RN_ENCODING_CGROUP, "/", 1);
	snprintf(path, sizeof(path), "cgroup:[%llu]", (unsigned long long)key[0]);
	return keep(decoder, key, RN_ENCODING_CGROUP, path, strlen(path));
}

/* Known if the cgroup's path is. */
static struct rn_value decode_container(struct rn_event_decoder *d, const unsigned char *p)
{
	uint64_t key[2] = {(uint64_t)number(p), 0};
	struct rn_value v = decode_cgroup(d, p);

	return kept(d, key, RN_ENCODING_CONTAINER, &v) ? v : rn_strn("", 0);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Return the tags of a mask as a list; words beyond the mask's are 0. Small masks are kept. */
static struct rn_value decode_tags(struct rn_event_decoder *decoder, const unsigned char *p,
				   unsigned words, struct rn_arena *scratch)
{
	uint64_t mask[RN_TAG_WORDS] = {0}, key[2] = {0};
	const char **tags = RN_NEWN(scratch, const char *, decoder->ntags + 1);
	unsigned n = 0;
	struct rn_value value;
	char *text;
	size_t len = 0, at = 0;

	memcpy(mask, p, words * sizeof(*mask));
	key[0] = mask[0];
	if (words == 1 && kept(decoder, key, RN_ENCODING_TAGS, &value))
		return value;
	for (unsigned i = 0; i < decoder->ntags && i < words * 64; i++)
		if (mask[i / 64] >> i % 64 & 1) {
			tags[n] = rn_tag_text(scratch, decoder->tags[i]);
			len += strlen(tags[n++]) + 1;
		}
	qsort(tags, n, sizeof(*tags), by_text);
	text = rn_arena_alloc(scratch, len + 1);
	text[0] = 0;
	for (unsigned i = 0; i < n; i++)
		at += (size_t)sprintf(text + at, "%s%s", i ? "," : "", tags[i]);
	return words == 1 ? keep(decoder, key, RN_ENCODING_TAGS, text, at) : rn_strn(text, at);
}

struct hit {
	int64_t pos;
	const char *tag;
};

static int by_position(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return x->pos != y->pos ? (x->pos > y->pos) - (x->pos < y->pos) : strcmp(x->tag, y->tag);
}

static struct rn_value decode_hits(struct rn_event_decoder *d, const unsigned char *p,
				   struct rn_arena *scratch)
{
	struct hit hit[RN_MAX_HITS];
	struct rn_bpf_hits h;
	const char *text = "";
	unsigned n = 0;

	memcpy(&h, p, sizeof(h));
	for (unsigned i = 0; i < h.n && i < RN_MAX_HITS; i++)
		if (h.tag[i] < d->ntags)
			hit[n++] = (struct hit){(int64_t)h.pos[i],
						rn_tag_text(scratch, d->tags[h.tag[i]])};
	qsort(hit, n, sizeof(*hit), by_position);
	for (unsigned i = 0; i < n; i++)
		text = rn_arena_printf(scratch, "%s%s%s@%lld", text, i ? " " : "", hit[i].tag,
				       (long long)hit[i].pos);
	return rn_strn(text, strlen(text));
}

/* A side: how many bytes are known, then its steps. */
static void print_side(struct rn_strbuf *t, const struct rn_bpf_print *p, unsigned side)
{
	unsigned known =
		p->known[side] > 4 * RN_AROUND_STEPS ? 4 * RN_AROUND_STEPS : p->known[side];

	rn_strbuf_printf(t, "%02x", known);
	for (unsigned k = 0; 4 * k < known; k++)
		rn_strbuf_printf(t, "%04x", p->step[side][k]);
}

static struct rn_value decode_around(struct rn_event_decoder *d, const unsigned char *p,
				     struct rn_arena *scratch)
{
	struct rn_bpf_around a;
	struct rn_strbuf t;

	memcpy(&a, p, sizeof(a));
	rn_strbuf_init(&t, scratch);
	for (unsigned i = 0; i < a.n && i < RN_AROUND_HITS; i++) {
		if (a.at[i].tag >= d->ntags)
			continue;
		rn_strbuf_printf(&t, "%s%s@", t.len ? " " : "",
				 rn_tag_text(scratch, d->tags[a.at[i].tag]));
		print_side(&t, &a.at[i], 0);
		rn_strbuf_printf(&t, "-");
		print_side(&t, &a.at[i], 1);
	}
	return rn_strn(rn_strbuf_cstr(&t), t.len);
}

static struct rn_value decode_nr(const unsigned char *p, struct rn_arena *scratch)
{
	int64_t nr = number(p);
	const char *name = nr >= 0 && nr < RN_SYS_MAX ? rn_sys_name((unsigned)nr) : NULL;

	if (nr == -1)
		/* it has put back the registers of the interrupted code */
		return text_value("rt_sigreturn");
	return text_value(name ? name : rn_arena_printf(scratch, "syscall_%lld", (long long)nr));
}

size_t rn_cmdline_join(char *text, size_t n)
{
	while (n && !text[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	return n;
}

/* Arguments with a NUL behind each: the last may lack its NUL. A cut falls before the character
 * that has no room. rn_glob_args (probes/bpf/match.bpf.h) matches the same text. */
static struct rn_value decode_cmdline(const unsigned char *p, struct rn_arena *scratch)
{
	struct rn_bpf_data data;
	size_t n = RN_DATA_BYTES - 2;
	char *text;

	memcpy(&data, p, sizeof(data));
	text = rn_arena_alloc(scratch, RN_DATA_BYTES);
	memcpy(text, data.byte, RN_DATA_BYTES);
	if (data.len <= RN_DATA_BYTES + 1)
		return rn_strn(text, rn_cmdline_join(text, data.len > RN_DATA_BYTES ? RN_DATA_BYTES
										    : data.len));
	for (unsigned i = 0; i < 3 && (text[n] & 0xc0) == 0x80; i++)
		n--;
	text[n] = text[n + 1] = '.';
	return rn_strn(text, rn_cmdline_join(text, n + 2));
}

static struct rn_value decode_word(const struct rn_event_decoder *d,
				   const struct rn_packed_field *l, const unsigned char *p)
{
	const char *word = rn_field_word(d->cls, l->field, (unsigned)number(p));

	return text_value(word ? word : "");
}

static struct rn_value decode_numbered(const struct rn_field *field, const unsigned char *p,
				       struct rn_arena *scratch)
{
	return text_value(rn_numbering_text(scratch, field->numbering, number(p)));
}

/* The function of a cookie, or its file. `name` has the number of `func`, and is the function as
 * the file names it. */
static struct rn_value decode_func(const struct rn_event_decoder *decoder,
				   const struct rn_field *field, const unsigned char *p)
{
	uint64_t cookie = (uint64_t)number(p), func = (uint32_t)cookie,
		 file = (cookie & (RN_USER_SECOND - 1)) >> 32;
	const struct rn_user *u = decoder->functions[(cookie & RN_USER_SECOND) != 0];
	bool raw = !strcmp(field->name, "name") || !strcmp(field->name, "end_name");

	if (!u || file >= u->nfiles || func >= u->nnames)
		return text_value("");
	if (field->id == RN_F_MODULE)
		return text_value(u->file[file].path);
	return text_value(raw ? u->name[func] : rn_user_readable(u, (unsigned)func));
}

struct rn_value rn_decode(struct rn_event_decoder *decoder, const struct rn_packed_field *packed,
			  const unsigned char *p, struct rn_arena *scratch)
{
	uint32_t len;

	switch (packed->enc) {
	case RN_ENCODING_INT:
		if ((packed->expr ? packed->expr->ty.type : packed->field->ty.type) == RN_T_BOOL)
			return rn_bool(number(p) != 0);
		if (packed->field && packed->field->unsure && number(p) == RN_NOT_KNOWN)
			return rn_unknown();
		return rn_int(number(p));
	case RN_ENCODING_TIME: return rn_int(number(p) + decoder->clock_ns);
	case RN_ENCODING_COMM: return rn_strn((const char *)p, strnlen((const char *)p, 16));
	case RN_ENCODING_SYSCALL_NR: return decode_nr(p, scratch);
	case RN_ENCODING_FILE: return decode_file(decoder, p);
	case RN_ENCODING_IP: return rn_strn((const char *)p, RN_IP_BYTES);
	case RN_ENCODING_TAGS: return decode_tags(decoder, p, 1, scratch);
	case RN_ENCODING_TAGSET: return decode_tags(decoder, p, RN_TAG_WORDS, scratch);
	case RN_ENCODING_HITS: return decode_hits(decoder, p, scratch);
	case RN_ENCODING_AROUND: return decode_around(decoder, p, scratch);
	case RN_ENCODING_USER: return decode_user(decoder, p);
	case RN_ENCODING_CGROUP: return decode_cgroup(decoder, p);
	case RN_ENCODING_CONTAINER: return decode_container(decoder, p);
	case RN_ENCODING_SKETCH: return rn_strn((const char *)p, sizeof(struct rn_bpf_sketch));
	case RN_ENCODING_DATA:
		memcpy(&len, p, 4); /* the other half is 0 */
		return rn_strn((const char *)p + 8, len < RN_DATA_BYTES ? len : RN_DATA_BYTES);
	case RN_ENCODING_CMDLINE: return decode_cmdline(p, scratch);
	case RN_ENCODING_ENUM:
	case RN_ENCODING_TRACEPOINT_INDEX: return decode_word(decoder, packed, p);
	case RN_ENCODING_FUNC: return decode_func(decoder, packed->field, p);
	case RN_ENCODING_NUMBERED: return decode_numbered(packed->field, p, scratch);
	case RN_ENCODING_NODE: return text_value(decoder->node);
	case RN_ENCODING_EVENT: return text_value(decoder->event);
	case RN_ENCODING_STACK: return rn_stacks_kernel(decoder->stacks, number(p), scratch);
	case RN_ENCODING_USTACK:
		return rn_stacks_user(decoder->stacks, number(p), (uint64_t)number(p + 8), scratch);
	case RN_ENCODING_TEXT:
		if (packed->field && packed->field->unsure && number(p) == RN_NOT_KNOWN)
			return rn_unknown();
		memcpy(&len, p, 4);
		return rn_strn((const char *)p + 4, len < sizeof(struct rn_bpf_str) - 4
							    ? len
							    : sizeof(struct rn_bpf_str) - 4);
	default: return rn_null();
	}
}

void rn_decode_all(struct rn_event_decoder *decoder, const struct rn_layout *layout,
		   const unsigned char *base, struct rn_value *value, struct rn_arena *scratch)
{
	for (unsigned i = 0; i < layout->n; i++)
		value[i] = rn_decode(decoder, &layout->fields[i], base + layout->fields[i].off,
				     scratch);
}

void rn_decoder_init(struct rn_event_decoder *decoder)
{
	decoder->cache = rn_calloc(1, sizeof(*decoder->cache));
	rn_secret_make(&decoder->cache->secret);
}

void rn_decoder_free(struct rn_event_decoder *decoder)
{
	for (uint32_t i = 0; decoder->cache && i < decoder->cache->cap; i++)
		free(decoder->cache->names[i].text);
	if (decoder->cache)
		free(decoder->cache->names);
	free(decoder->cache);
	rn_stacks_free(decoder->stacks);
	decoder->stacks = NULL;
	decoder->cache = NULL;
}
