/* ways_plan.c - which cells there are, which tag each one has, and what its payload looks like.
 *
 * A plan is a table, one cell a line, with tabs between. A cell has its id and batch (a query each;
 * -1: the way has no such cell), its way and operation. Then come the length of the tag, place,
 * offset, size, cuts, tags, and expected (a digit for each tag). Last come what the paper's calls
 * would see, where in its call the tag ends up, and why there is no such cell. Tags are capital
 * letters, noise has none. */
#include <fcntl.h>
#include "ways.h"

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* ---- tags ---- */
enum { GRAMS = 26 * 26 * 26 * 26, MAX_TAGS = 1000 };
static int gram(const unsigned char *p)
{
	int g = 0;

	for (int i = 0; i < 4; i++) {
		if (p[i] < 'A' || p[i] > 'Z')
			return -1;
		g = g * 26 + p[i] - 'A';
	}
	return g;
}

/* Marks what the program and its libraries contain: their pages are mapped while the way is
 * watched. */
static void mark_mapped(unsigned char *used)
{
	char line[4200], path[4096], last[4096] = "";
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps)) {
		FILE *f;
		unsigned char buf[65536 + 3];
		size_t keep, n;

		if (sscanf(line, "%*s %*s %*s %*s %*s %4095s", path) != 1 || path[0] != '/' ||
		    !strcmp(path, last))
			continue;
		strcpy(last, path);
		f = fopen(path, "rb");
		keep = 0;
		while (f && (n = fread(buf + keep, 1, 65536, f)) > 0) {
			n += keep;
			for (size_t i = 0; i + 4 <= n; i++)
				if (gram(buf + i) >= 0)
					used[gram(buf + i)] = 1;
			keep = n < 3 ? n : 3;
			memmove(buf, buf + n - keep, keep);
		}
		if (f)
			fclose(f);
	}
	if (maps)
		fclose(maps);
}

/* MAX_TAGS tags of that length, no two with the same beginning of four bytes. */
static void make_tags(unsigned char (*tags)[MAX_TAG + 1], unsigned len)
{
	unsigned char *used = calloc(1, GRAMS);
	unsigned n = 0;

	mark_mapped(used);
	for (uint64_t seed = 1; n < MAX_TAGS; seed++) {
		for (unsigned i = 0; i < len; i++)
			tags[n][i] = (unsigned char)('A' + mix(seed * 1000 + i + len * 77) % 26);
		tags[n][len] = 0;
		if (used[gram(tags[n])])
			continue;
		used[gram(tags[n++])] = 1;
	}
	free(used);
}

/* ---- payload ---- */
static unsigned char noise_byte(uint64_t x)
{
	unsigned char b = (unsigned char)x;

	return b >= 'A' && b <= 'Z' ? b ^ 0x80 : b;
}

void noise_fill(unsigned char *p, size_t n, const struct cell *cells, unsigned ncells)
{
	for (size_t i = 0; i < n; i++)
		p[i] = noise_byte(mix(i / 8) >> i % 8 * 8);
	for (size_t i = 97, k = 0; ncells && i + MAX_TAG + 1 < n; i += 701 + k % 13, k++) {
		const struct cell *c = &cells[k % ncells];

		memcpy(p + i, c->tag[0], c->len);
		p[i + (k % 3 == 0 ? 0 : k % 3 == 1 ? c->len - 1 : k % c->len)] = 'z';
	}
}

/* A byte of noise on either side, so that the tag does not run on into a near miss. */
void noise_plant(unsigned char *p, size_t size, size_t at, const void *tag, size_t len)
{
	memcpy(p + at, tag, len);
	if (at)
		p[at - 1] = '-';
	if (at + len < size)
		p[at + len] = '-';
}

/* ---- what a cell means ---- */
static bool inside(size_t at, size_t len, size_t from, size_t n)
{
	return at >= from && at + len <= from + n;
}

/* The bytes [*from, *from + *n) of the first call that reaches the tag's last byte. */
static void last_call(const struct cell *c, size_t *from, size_t *n)
{
	*from = 0;
	while (*n = call_bytes(c->way, c, *from), *from + *n < c->at + c->len)
		*from += *n;
}

/* The tag lies in one of the pieces that a call's bytes are divided into. */
static bool in_piece(const struct cell *c, size_t from, size_t n, unsigned pieces)
{
	for (unsigned i = 0; i < pieces; i++) {
		size_t k = share(n, pieces, i);

		if (inside(c->at, c->len, from, k))
			return true;
		from += k;
	}
	return false;
}

bool paper_sees(const struct cell *c)
{
	static const char *const set[] = {"read", "write", "sendmsg", "recvmsg"};
	size_t from, n;
	unsigned v = c->way->iovs ? c->way->iovs : 1;

	for (unsigned i = 0; i < sizeof(set) / sizeof(*set); i++)
		if (!strcmp(c->way->op, set[i])) {
			last_call(c, &from, &n);
			return in_piece(c, from, n, v < n ? v : (unsigned)n);
		}
	return false;
}

const char *cell_none(const struct cell *c)
{
	const struct way *w = c->way;
	bool dgram = is_dgram(w->in) || is_dgram(w->out);
	size_t from, n;

	if (w->flags & CASE)
		return NULL;
	if (w->none)
		return w->none;
	if (w->flags & ALIGNED && c->size % 512)
		return "smaller than a block";
	if (!strcmp(c->pos, "control"))
		return NULL;
	if (c->ncuts && (w->flags & ALONE || dgram))
		return "calls do not continue each other";
	if (c->ncuts && w->flags & PAGED && c->cut[0] % 4096)
		return "calls are cut at pages only";
	for (unsigned i = 0; i < c->ncuts; i++)
		if (w->flags & ALIGNED && c->cut[i] % 512)
			return "calls are cut at blocks only";
	last_call(c, &from, &n);
	if (dgram && !in_piece(c, from, n, messages(w, n)))
		return "the tag does not fit into a message";
	return NULL;
}

/* ---- plans ---- */
struct maker {
	FILE *f;
	unsigned max_tags, len, ntags;
	int id, batch;
	unsigned char (*tags)[MAX_TAG + 1];
};

static void print_cell(struct maker *m, struct cell *c, const char *expect)
{
	const char *none = cell_none(c);
	size_t from = 0, n;
	char want[24];

	c->id = m->id++;
	if (!none && m->ntags + c->nroles > m->max_tags) {
		m->batch++;
		m->ntags = 0;
	}
	fprintf(m->f, "%d\t%d\t%s\t%s\t%u\t%s\t%zu\t%zu\t", c->id, none ? -1 : m->batch,
		c->way->name, c->way->op, c->len, c->pos, c->at, c->size);
	for (unsigned i = 0; i < c->ncuts; i++)
		fprintf(m->f, "%s%zu", i ? "," : "", c->cut[i]);
	fprintf(m->f, "%s\t", c->ncuts ? "" : "-");
	for (unsigned i = 0; i < c->nroles; i++)
		fprintf(m->f, "%s%s", i ? "," : "",
			none ? (unsigned char *)"-" : m->tags[m->ntags++]);
	if (!(c->way->flags & CASE))
		last_call(c, &from, &n);
	if (c->way->flags & CASE) /* all are cut in the middle of the tag */
		snprintf(want, sizeof(want), "-%u", c->len / 2);
	else if (c->way->flags & NOPLACE)
		strcpy(want, "-");
	else
		snprintf(want, sizeof(want), "%zd", (ssize_t)c->at - (ssize_t)from);
	fprintf(m->f, "\t%s\t%d\t%s\t%s\t%s\n", expect, !none && expect[0] == '1' && paper_sees(c),
		want, none ? none : "-", c->way->flags & PAGED ? "paged" : "-");
}

static void begin_length(struct maker *m, unsigned len)
{
	m->len = len;
	make_tags(m->tags, len);
	m->batch++;
	m->ntags = 0;
}

static void print_matrix(struct maker *m, const size_t *sizes, unsigned nsizes)
{
	static const unsigned lengths[] = {4, 6, 16, 64};
	static const char *const places[] = {"start", "middle", "end", "straddle"};

	for (unsigned l = 0; l < 4; l++) {
		begin_length(m, lengths[l]);
		for (unsigned w = 0; way_all(w); w++) {
			struct cell c = {.way = way_all(w), .len = lengths[l], .nroles = 1};

			if (c.way->flags & CASE)
				continue;
			for (unsigned s = 0; s < nsizes; s++)
				for (unsigned p = 0; p < 4; p++) {
					strcpy(c.pos, places[p]);
					c.size = sizes[s];
					c.ncuts = p == 3;
					c.cut[0] = c.size / 2;
					c.at = p == 0   ? 0
					       : p == 1 ? (c.size - c.len) / 2
					       : p == 2 ? c.size - c.len
							: c.size / 2 - c.len / 2;
					print_cell(m, &c, "1");
				}
			strcpy(c.pos, "control");
			c.ncuts = 0;
			c.at = 0;
			c.size = sizes[nsizes - 1];
			print_cell(m, &c, "0");
		}
	}
}

/* Every way to cut a tag of 6 in two, in three tiny calls, in six; then the cases. */
static void print_straddle(struct maker *m)
{
	static const char *const cuts[] = {"1",   "2",   "3",   "4",   "5",
					   "1 2", "2 4", "1 5", "4 5", "1 2 3 4 5"};

	begin_length(m, 6);
	for (unsigned w = 0; way_all(w); w++) {
		struct cell c = {.way = way_all(w), .len = 6, .nroles = 1, .size = 8192};

		if (c.way->flags & CASE) {
			c.nroles = (unsigned)strlen(c.way->expect);
			strcpy(c.pos, "case");
			c.ncuts = 0;
			c.at = 0;
			print_cell(m, &c, c.way->expect);
			continue;
		}
		for (unsigned k = 0; k < sizeof(cuts) / sizeof(*cuts); k++) {
			char *at = (char *)cuts[k];
			unsigned first = (unsigned)strtoul(at, &at, 10);

			strcpy(c.pos, "straddle");
			c.at = c.size / 2 - first;
			c.ncuts = 0;
			c.cut[c.ncuts++] = c.at + first;
			while (*at)
				c.cut[c.ncuts++] = c.at + strtoul(at, &at, 10);
			if (!cell_none(&c))
				print_cell(m, &c, "1");
		}
	}
}

void plan_print(FILE *f, const char *set, unsigned max_tags)
{
	static const size_t all[] = {64, 4096, 65536, MAX_SIZE}, few[] = {64, 4096, 65536};
	static unsigned char tags[MAX_TAGS][MAX_TAG + 1];
	struct maker m = {.f = f,
			  .max_tags = max_tags < MAX_TAGS ? max_tags : MAX_TAGS,
			  .tags = tags,
			  .batch = -1};

	if (!strcmp(set, "matrix"))
		print_matrix(&m, all, 4);
	else if (!strcmp(set, "quick"))
		print_matrix(&m, few, 3);
	else if (!strcmp(set, "small"))
		print_matrix(&m, few, 2);
	else if (!strcmp(set, "straddle"))
		print_straddle(&m);
	else
		exit(2);
}

unsigned plan_read(const char *path, int batch, struct cell **cells)
{
	FILE *f = fopen(path, "r");
	char line[1024], way[40], cuts[128], tags[256];
	unsigned n = 0;

	*cells = NULL;
	if (!f)
		perror(path), exit(2);
	while (fgets(line, sizeof(line), f)) {
		struct cell c = {0};

		if (sscanf(line, "%d\t%d\t%39s\t%*s\t%u\t%11s\t%zu\t%zu\t%127s\t%255s", &c.id,
			   &c.batch, way, &c.len, c.pos, &c.at, &c.size, cuts, tags) != 9 ||
		    c.batch != batch)
			continue;
		c.way = way_find(way);
		for (char *p = cuts; *p >= '0' && *p <= '9'; p += *p == ',')
			c.cut[c.ncuts++] = strtoul(p, &p, 10);
		for (char *t = strtok(tags, ","); t && c.nroles < MAX_ROLES; t = strtok(NULL, ","))
			memcpy(c.tag[c.nroles++], t, c.len);
		*cells = realloc(*cells, (n + 1) * sizeof(c));
		(*cells)[n++] = c;
	}
	fclose(f);
	return n;
}
