/* fuzz_trace.c - libFuzzer target of recordings: files of strangers, made by SQL.
 *
 * The input is lines. `? N` asks question N of the table below; `! OFFSET HEX` puts bytes into the
 * file; any other line is a statement of SQL, which is run over a small recording that is as it
 * should be. Then the questions are asked through the public library. Whatever the file says: rows
 * are whole, and a query that fails says why. The mutator knows the tables, so that most of what it
 * makes is a statement that changes something. */
#include <sqlite3.h>
#include <stdbool.h>
#include "repl/api/runnel.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/gen_trace.h"

enum {
	EVENTS = 24,
	LINES_MAX = 32,
	QUESTIONS_MAX = 4,
	ROWS_MAX = 200,
	PAGES_MAX = 1024,
	STEPS_MAX = 2000000
};

static const char *const questions[] = {
	/* $: the recording; %: another, which is whole */
	"events of syscall from \"$\"",
	"count, sum(bytes), avg(latency), p99(latency), hist(bytes), distinct(proc), set(name), "
	"top(file, 3) of syscall by proc, error from \"$\" every 1s",
	"first(file), last(peer), min(time), max(latency), stddev(bytes), rate(bytes), "
	"lhist(bytes, 0, 64KiB, 4KiB) of read by peer, dev, user from \"$\"",
	"count, max(latency) of between openat and close on pid, fd by end_proc from \"$\"",
	"bytes, latency, start of between (events of read where bytes > 3) and (events of write "
	"where fd > 0 and proc ~ \"*\") on pid from \"$\"",
	"count of io where cidr(peer, \"10.0.0.0/8\") or port(local) = 80 or basename(file) =~ "
	"\"a+\" by bucket(latency, 1ms), lower(proc), substr(file, -3) from \"$\"",
	"count of tag fix283 by tags from \"$\"",
	"events of tag fix283, ulr821 from \"$\"",
	"flow of tag fix283 from \"$\"",
	"proc, bytes, latency, begin of syscall where bytes > 0 order by bytes desc limit 5 from "
	"\"$\"",
	"count of read where pid in (pid of syscall where error != 0 from \"$\") from \"$\"",
	"count of syscall where hash = 3 or similar(sketch, \"abcdefgh\") > 0 by data, stack from "
	"\"$\"",
	"let x := count as c of syscall by proc, file from \"$\"; events of x where c > 1",
	"assert count > 0 of syscall from \"$\"",
	"events of processes from \"$\"",
	"events of syscall from \"%\" into \"$\" append",
	"events of syscall from \"%\" into \"$\" replace",
	"sum(ret * ret), sum(ret + 1), max(ret / fd) of io by node every 10ms from \"$\"",
	"count of syscall by begin, container, tags, ret from \"$\" order by count limit 3",
	"count of tracepoint \"sched:sched_switch\" from \"$\"",
	"time, hits, around, source_dev of tag fix283 from \"$\"",
	"count of nosuch by x from \"$\"",
	"events of syscall from \"%\" into \"$\"",
	"events of syscall from \"%\" into \"$\" replace; time, proc of read from \"%\" into \"$\" "
	"append",
	"proc, end_file, latency, start, end, end_bytes, file, peer of between (events of read "
	"where proc ~ \"*\" and latency >= 0) and (events of write where bytes >= 0) on pid from "
	"\"$\"",
	"time, node, name, proc, bytes, pid, data, hash, sketch of syscall from \"$\"",
};
enum { NQUESTIONS = sizeof(questions) / sizeof(*questions) };

static char dir[64], path[80], whole[80];
static unsigned char *base; /* the recording as it should be */
static sqlite3_int64 base_bytes;

static void remove_files(void)
{
	unlink(path);
	unlink(whole);
	rmdir(dir);
}

static void make_base(void)
{
	struct rn_err err = {0};
	FILE *f;

	snprintf(dir, sizeof(dir), "%s/runnel-fuzz-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	MUST(mkdtemp(dir));
	atexit(remove_files);
	snprintf(path, sizeof(path), "%s/x.rnt", dir);
	snprintf(whole, sizeof(whole), "%s/y.rnt", dir);
	MUST(!rn_gen_trace(whole, EVENTS, 1, &err));
	MUST((f = fopen(whole, "re")) && !fseek(f, 0, SEEK_END) && (base_bytes = ftell(f)) > 0);
	rewind(f);
	MUST((base = malloc((size_t)base_bytes)) &&
	     fread(base, 1, (size_t)base_bytes, f) == (size_t)base_bytes);
	fclose(f);
}

/* ---- the file that an input makes ---- */

/* No statement reaches another file, or lasts. */
static int allow(void *self, int action, const char *a, const char *b, const char *c, const char *d)
{
	(void)self, (void)b, (void)c, (void)d;
	if (action == SQLITE_PRAGMA)
		return a && (!sqlite3_stricmp(a, "writable_schema") ||
			     !sqlite3_stricmp(a, "user_version") ||
			     !sqlite3_stricmp(a, "application_id"))
			       ? SQLITE_OK
			       : SQLITE_DENY;
	return action == SQLITE_ATTACH || action == SQLITE_DETACH ? SQLITE_DENY : SQLITE_OK;
}

static int too_long(void *self)
{
	(void)self;
	return 1;
}

static sqlite3 *open_base(void)
{
	unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)base_bytes);
	sqlite3 *db;

	MUST(copy && sqlite3_open(":memory:", &db) == SQLITE_OK);
	memcpy(copy, base, (size_t)base_bytes);
	MUST(sqlite3_deserialize(db, "main", copy, base_bytes, base_bytes,
				 SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) ==
	     SQLITE_OK);
	sqlite3_exec(db, "PRAGMA max_page_count = 1024; PRAGMA journal_mode = OFF", NULL, NULL,
		     NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_set_authorizer(db, allow, NULL);
	sqlite3_progress_handler(db, STEPS_MAX, too_long, NULL);
	return db;
}

/* `! OFFSET HEX` */
static void patch(const char *line, unsigned char *file, sqlite3_int64 n)
{
	char *p;
	unsigned long at = strtoul(line + 1, &p, 10);
	unsigned byte;

	p += strspn(p, " ");
	for (; sscanf(p, "%2x", &byte) == 1 && at < (unsigned long)n; p += p[1] ? 2 : 1)
		file[at++] = (unsigned char)byte;
}

static void write_file(const unsigned char *file, sqlite3_int64 n)
{
	FILE *f;

	unlink(path); /* an inode of its own: what is kept of a file is known by that */
	MUST((f = fopen(path, "wxe")) && fwrite(file, 1, (size_t)n, f) == (size_t)n && !fclose(f));
}

static void make_file(char *const *line, unsigned nlines)
{
	sqlite3 *db = open_base();
	sqlite3_int64 n;
	unsigned char *file;

	for (unsigned i = 0; i < nlines; i++)
		if (*line[i] != '?' && *line[i] != '!')
			sqlite3_exec(db, line[i], NULL, NULL, NULL);
	file = sqlite3_serialize(db, "main", &n, 0);
	MUST(file || !n);
	for (unsigned i = 0; i < nlines; i++)
		if (*line[i] == '!')
			patch(line[i], file, n);
	write_file(file, n);
	sqlite3_free(file);
	sqlite3_close(db);
}

/* ---- the questions ---- */

static void read_row(struct runnel_query *q)
{
	for (unsigned i = 0; i < runnel_column_count(q); i++) {
		size_t len, buckets;
		const char *text = runnel_get_text(q, i, &len);
		const struct runnel_bucket *b = runnel_get_hist(q, i, &buckets);

		MUST(text && !text[len] && runnel_get_shown(q, i));
		MUST(!runnel_is_null(q, i) || !len);
		for (size_t k = 0; b && k < buckets; k++)
			MUST(b[k].low < b[k].high);
		runnel_get_int64(q, i);
		runnel_get_double(q, i);
	}
	runnel_partial(q, NULL, NULL);
}

static void ask(const char *question)
{
	struct runnel *r = runnel_open(&(struct runnel_options){
		.size = sizeof(struct runnel_options), .catalog = "/nonexistent/catalog.db"});
	char text[1024] = "";
	struct runnel_query *q;
	int s, rows = 0;

	for (const char *p = question; *p; p++) {
		char one[2] = {*p};

		strcat(text, *p == '$' ? path : *p == '%' ? whole : one);
	}
	MUST(r && (q = runnel_query_new(r, text)));
	s = runnel_prepare(q);
	if (s == RUNNEL_OK)
		while ((s = runnel_step(q, -1)) == RUNNEL_ROW && rows++ < ROWS_MAX)
			read_row(q);
	MUST(s >= 0 || (runnel_error_count(q) && *runnel_error_text(q)));
	runnel_ledger_text(q);
	MUST(s != RUNNEL_DONE || *runnel_ledger_json(q));
	for (int i = -1; i < (int)runnel_ledger_nodes(q); i++)
		MUST(s != RUNNEL_DONE || !runnel_ledger_of(q, i) || runnel_ledger_of(q, i)->why);
	runnel_query_free(q);
	runnel_close(r);
}

static unsigned split(char *text, char **line)
{
	unsigned n = 0;

	for (char *save, *p = strtok_r(text, "\n", &save); p && n < LINES_MAX;
	     p = strtok_r(NULL, "\n", &save))
		line[n++] = p;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = fuzz_text(data, n), *line[LINES_MAX];
	unsigned nlines = split(text, line), asked = 0;

	if (!base)
		make_base();
	make_file(line, nlines);
	for (unsigned i = 0; i < nlines && asked < QUESTIONS_MAX; i++)
		if (*line[i] == '?' && ++asked)
			ask(questions[strtoul(line[i] + 1, NULL, 10) % NQUESTIONS]);
	free(text);
	return 0;
}

/* ---- the mutator ---- */

static const struct {
	const char *table, *column[32];
} tables[] = {
	{"events", {"time",  "node",   "proc",  "thread",  "pid",  "uid",  "user",
		    "name",  "ret",    "error", "latency", "fd",   "file", "dev",
		    "bytes", "offset", "local", "peer",    "tags", "begin"}},
	{"fields", {"position", "name", "type", "unit", "doc"}},
	{"nodes", {"node", "begin", "end", "answered", "why"}},
	{"coverage", {"node", "begin", "end"}},
	{"ledger", {"node", "item", "count"}},
	{"meta", {"key", "value"}},
	{"processes", {"node", "pid", "ppid", "proc", "exe", "start"}},
	{"sqlite_schema", {"type", "name", "tbl_name", "rootpage", "sql"}},
};
static const char *const values[] = {
	"NULL",
	"0",
	"1",
	"-1",
	"9223372036854775807",
	"-9223372036854775808",
	"4294967296",
	"1795168800000000000",
	"9e999",
	"-9e999",
	"0.5",
	"1e300",
	"''",
	"'int'",
	"'float'",
	"'string'",
	"'ip'",
	"'tags'",
	"'bytes'",
	"'stack'",
	"'hist'",
	"'list'",
	"'sketch'",
	"'bool'",
	"'ns'",
	"'byte'",
	"'epoch'",
	"'errno'",
	"'dev'",
	"'per_s'",
	"'hex'",
	"'syscall'",
	"'tag'",
	"'io'",
	"'read'",
	"'write'",
	"'openat'",
	"'tracepoint'",
	"'sched:sched_switch'",
	"'table'",
	"'event'",
	"'node1'",
	"'node1,node2'",
	"'fix283'",
	"'fix283,ulr821'",
	"'x\"00ff\"'",
	"'fix283@3 ulr821@-9'",
	"'10.0.0.1:80'",
	"'[::1]:1'",
	"'dev_t'",
	"'lost_ring'",
	"'seen'",
	"'unpaired'",
	"'coverage'",
	"x'00ff80'",
	"x'e280ae'",
	"x'c3'",
	"char(27, 91, 0, 10)",
	"zeroblob(3000)",
	"zeroblob(300000)",
	"printf('%.*c', 5000, 'a')",
	"'class'",
	"'class_arg'",
	"'complete'",
	"'ordered'",
	"'rows'",
	"'runs'",
	"'begin'",
	"'tag.0001'",
	"'hits'",
	"'around'",
	"'data'",
	"'hash'",
	"'(other)'",
	"rowid",
	"-rowid",
	"rowid % 3",
	"random()",
	"time",
	"value",
	"type",
	"node",
	"(SELECT group_concat(name) FROM fields)",
};
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

struct maker {
	unsigned seed;
	char *to;
	size_t room;
};

static unsigned pick(struct maker *m, size_t n)
{
	m->seed = m->seed * 1103515245 + 12345;
	return (unsigned)((m->seed >> 8) % n);
}

static const char *column(struct maker *m, unsigned t)
{
	unsigned n = 0;

	while (n < 32 && tables[t].column[n])
		n++;
	return tables[t].column[pick(m, n)];
}

static void statement(struct maker *m)
{
	unsigned t = pick(m, 3) ? pick(m, COUNT(tables)) : 0;
	const char *name = tables[t].table, *a = column(m, t), *b = column(m, t),
		   *v = values[pick(m, COUNT(values))], *w = values[pick(m, COUNT(values))];
	unsigned k = 1 + pick(m, 5), r = pick(m, k);

	switch (pick(m, 16)) {
	case 0:
	case 1:
	case 2:
	case 3:
		snprintf(m->to, m->room, "update %s set \"%s\" = %s where rowid %% %u = %u", name,
			 a, v, k, r);
		break;
	case 4:
	case 5: snprintf(m->to, m->room, "update %s set \"%s\" = %s", name, a, v); break;
	case 6:
	case 7: snprintf(m->to, m->room, "update meta set value = %s where key = %s", v, w); break;
	case 8:
		snprintf(m->to, m->room, "insert into %s (\"%s\", \"%s\") values (%s, %s)", name, a,
			 b, v, w);
		break;
	case 9:
		snprintf(m->to, m->room, "insert or replace into meta values (%s, %s)", w, v);
		break;
	case 10:
		snprintf(m->to, m->room, "delete from %s where rowid %% %u = %u", name, k, r);
		break;
	case 11:
		snprintf(m->to, m->room, "alter table %s %s \"%s\"", name,
			 pick(m, 2) ? "drop column" : "add column", a);
		break;
	case 12:
		snprintf(m->to, m->room, "alter table %s rename column \"%s\" to \"%s\"", name, a,
			 column(m, 0));
		break;
	case 13: snprintf(m->to, m->room, "insert into %s select * from %s", name, name); break;
	case 14:
		snprintf(m->to, m->room, "drop table %s; create %s %s as select * from fields",
			 name, pick(m, 2) ? "view" : "table", name);
		break;
	default:
		snprintf(m->to, m->room, "insert into fields values (%u, '%s', %s, %s, '')",
			 pick(m, 40), column(m, 0), v, w);
		break;
	}
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	char text[512] = "", *was, *line[LINES_MAX];
	struct maker m = {seed, text, sizeof(text)};
	unsigned nlines, at, what = pick(&m, 8);
	size_t used = 0;

	if (what == 7)
		return LLVMFuzzerMutate(data, n, max);
	was = fuzz_text(data, n);
	nlines = split(was, line);
	at = nlines ? pick(&m, nlines) : 0;
	if (what == 0)
		snprintf(text, sizeof(text), "? %u", pick(&m, NQUESTIONS));
	else if (what == 1)
		snprintf(text, sizeof(text), "! %u %02x", pick(&m, pick(&m, 2) ? 200 : 100000),
			 pick(&m, 256));
	else if (what < 6)
		statement(&m);
	/* the new line stands before or instead of one; or one goes */
	for (unsigned i = 0; i < nlines || (!i && *text); i++) {
		bool here = i == at, instead = here && (what == 6 || seed & 1);
		const char *piece[] = {here ? text : "", i < nlines && !instead ? line[i] : ""};

		for (unsigned k = 0; k < 2; k++)
			if (*piece[k] && used + strlen(piece[k]) + 1 <= max) {
				memcpy(data + used, piece[k], strlen(piece[k]));
				used += strlen(piece[k]);
				data[used++] = '\n';
			}
	}
	free(was);
	return used;
}
