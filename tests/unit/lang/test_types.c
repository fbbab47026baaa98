/* test_types.c - units, times, addresses, error names, the order of values, and values as a person
 * reads them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "lang/base/arena.h"
#include "lang/values/value.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void a_number_with_its_unit_is_exact(void **state)
{
	static const struct {
		const char *s;
		int64_t v;
		enum rn_unit u;
	} good[] = {
		{"1ns", 1, RN_U_NS},
		{"1.5ms", 1500000, RN_U_NS},
		{"10us", 10000, RN_U_NS},
		{"2h", 7200000000000, RN_U_NS},
		{"5m", 300000000000, RN_U_NS},
		{"1d", 86400000000000, RN_U_NS},
		{"0.1s", 100000000, RN_U_NS},
		{"106751d", 106751 * 86400000000000, RN_U_NS},
		{"4KiB", 4096, RN_U_BYTE},
		{"1MB", 1000000, RN_U_BYTE},
		{"1.5KiB", 1536, RN_U_BYTE},
		{"0B", 0, RN_U_BYTE},
		{"0.3GiB", 322122547, RN_U_BYTE},
	};
	static const char *const bad[] = {
		"",       "5",    "ms",         "1.ms",    ".5ms",
		"1..5ms", "5 ms", "5Ms",        "106752d", "9999999999999999999s",
		"-1s",    "1e3s", "8388608TiB", "5hz"};
	int64_t v;
	enum rn_unit u;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_true(rn_unit_parse(good[i].s, strlen(good[i].s), &v, &u));
		assert_int_equal(v, good[i].v);
		assert_int_equal(u, good[i].u);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(rn_unit_parse(bad[i], strlen(bad[i]), &v, &u));
}

static void a_time_is_read_with_its_zone(void **state)
{
	static const struct {
		const char *s;
		int64_t v;
	} good[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"2026-11-20 10:00:00Z", 1795168800000000000},
		{"2026-11-20T10:00Z", 1795168800000000000},
		{"2026-11-20 10:00:00.5Z", 1795168800500000000},
		{"2026-11-20 10:00:00.123456789Z", 1795168800123456789},
		{"2026-11-20 11:00:00+01:00", 1795168800000000000},
		{"2026-11-20 06:30:00-0330", 1795168800000000000},
		{"2024-02-29T00:00:00Z", 1709164800000000000},
	};
	static const char *const bad[] = {"",
					  "2026",
					  "2026-13-01",
					  "2026-02-29",
					  "2026-11-20 24:00:00",
					  "2026-11-20 10",
					  "20-11-2026",
					  "2026-11-20 10:00:00 ",
					  "2026-11-20 10:00:00.",
					  "2026-11-20x",
					  "2026-11-20 10:00:00+15:00",
					  "1969-12-31",
					  "2026-1-1"};
	int64_t v, local;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_true(rn_time_parse(good[i].s, strlen(good[i].s), &v));
		assert_int_equal(v, good[i].v);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(rn_time_parse(bad[i], strlen(bad[i]), &v));
	setenv("TZ", "UTC-2", 1); /* two hours east */
	tzset();
	assert_true(rn_time_parse("2026-11-20 12:00:00", 19, &local));
	assert_int_equal(local, 1795168800000000000);
	setenv("TZ", "UTC", 1);
	tzset();
	assert_true(rn_time_parse("2026-11-20", 10, &local));
	assert_int_equal(local, 1795132800000000000);
}

static void an_address_is_written_as_it_was_read(void **state)
{
	static const char *const same[] = {"10.0.0.1", "10.0.0.1:80", "::1",
					   "[::1]:80", "2001:db8::7", "[2001:db8::7]:65535",
					   "0.0.0.0",  "127.0.0.1:1"};
	static const char *const bad[] = {
		"",        "10.0.0", "10.0.0.256", "10.0.0.1:", "10.0.0.1:65536", "[::1",
		"[::1]80", "[::1]:", ":80",        "x",         "10.0.0.1:8x"};
	unsigned char ip[RN_IP_BYTES], other[RN_IP_BYTES];
	char out[64];

	(void)state;
	for (size_t i = 0; i < COUNT(same); i++) {
		assert_true(rn_ip_parse(same[i], strlen(same[i]), ip));
		assert_int_equal(rn_ip_show(ip, out, sizeof(out)), strlen(same[i]));
		assert_string_equal(out, same[i]);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(rn_ip_parse(bad[i], strlen(bad[i]), ip));
	assert_true(rn_ip_parse("[10.0.0.1]:80", 13, ip));
	assert_true(rn_ip_parse("::ffff:10.0.0.1", 15, other)); /* v4-mapped is the same address */
	assert_memory_equal(ip, other, 16);
	memset(ip, 0, sizeof(ip));
	assert_int_equal(rn_ip_show(ip, out, sizeof(out)), 0); /* no socket */
}

static void error_names(void **state)
{
	(void)state;
	assert_int_equal(rn_errno_parse("ENOENT", 6), 2);
	assert_int_equal(rn_errno_parse("EWOULDBLOCK", 11), 11);
	assert_int_equal(rn_errno_parse("ENOEN", 5), 0);
	assert_int_equal(rn_errno_parse("E", 1), 0);
	assert_string_equal(rn_errno_name(13), "EACCES");
	assert_null(rn_errno_name(0));
	assert_null(rn_errno_name(9999));
	for (int e = 1; e < 134; e++)
		if (rn_errno_name(e))
			assert_int_equal(rn_errno_parse(rn_errno_name(e), strlen(rn_errno_name(e))),
					 e);
}

static void order_is_total(void **state)
{
	struct rn_value v[] = {
		rn_null(),
		rn_float(-1e300),
		rn_int(INT64_MIN + 1),
		rn_int(-1),
		rn_float(-0.5),
		rn_bool(false),
		rn_bool(true),
		rn_float(1.5),
		rn_int(9007199254740992),
		rn_int(9007199254740993),
		rn_int(INT64_MAX),
		rn_strn("", 0),
		rn_strn("a", 1),
		rn_strn("a\0", 2),
		rn_strn("ab", 2),
		rn_strn("b", 1),
	};
	struct rn_value one = rn_int(1), also = rn_float(1.0), nan = rn_float(__builtin_nan(""));

	(void)state;
	for (size_t i = 0; i < COUNT(v); i++)
		for (size_t j = 0; j < COUNT(v); j++) {
			int c = rn_value_cmp(&v[i], &v[j]);

			assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
		}
	assert_int_equal(rn_value_cmp(&one, &also), 0);
	assert_int_equal(rn_value_cmp(&nan, &nan), 0);
	assert_true(rn_value_cmp(&nan, &v[1]) < 0 && rn_value_cmp(&v[1], &nan) > 0);
}

static void networks_are_read(void **state)
{
	static const struct {
		const char *text;
		unsigned bits;
		const char *net;
	} good[] = {
		{"10.0.0.0/8", 104, "10.0.0.0"},
		{"10.1.2.3/8", 104, "10.0.0.0"},
		{"10.1.2.3/15", 111, "10.0.0.0"},
		{"1.2.3.4/32", 128, "1.2.3.4"},
		{"1.2.3.4/0", 96, "0.0.0.0"},
		{"1.2.3.4/008", 104, "1.0.0.0"},
		{"fd00::1/8", 8, "fd00::"},
		{"::1/128", 128, "::1"},
		{"::ffff:10.1.0.0/104", 104, "10.0.0.0"},
	};
	static const char *const bad[] = {"",
					  "/",
					  "10.0.0.0",
					  "10.0.0.0/",
					  "/8",
					  "10.0.0.0/33",
					  "10.0.0.0/x",
					  "10.0.0.0/8 ",
					  "10.0.0.0/+8",
					  "10.0.0.0/-1",
					  "10.0.0.0/0008",
					  "::1/129",
					  "::1/999",
					  "10.0.0.0:80/8",
					  "10.0.0.0:0/8",
					  "[::1]/8",
					  "[::1]:80/8",
					  "10.0.0/8",
					  "10.0.0.0/8/8",
					  ":/8"};
	unsigned char net[RN_IP_BYTES], want[RN_IP_BYTES];
	unsigned bits;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_true(rn_ip_parse(good[i].net, strlen(good[i].net), want));
		assert_true(rn_ip_parse_net(good[i].text, strlen(good[i].text), net, &bits));
		assert_int_equal(bits, good[i].bits);
		assert_memory_equal(net, want, RN_IP_BYTES);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		if (rn_ip_parse_net(bad[i], strlen(bad[i]), net, &bits))
			fail_msg("\"%s\" is no network", bad[i]);
}

static void shown_for_people(void **state)
{
	static const unsigned char ip[RN_IP_BYTES] = {
		[10] = 0xFF, [11] = 0xFF, [12] = 10, [15] = 1, [17] = 80};
	struct {
		struct rn_ty t;
		struct rn_value v;
		const char *want;
	} c[] = {
		{{RN_T_INT, RN_U_NS}, rn_int(0), "0 ns"},
		{{RN_T_INT, RN_U_NS}, rn_int(999), "999 ns"},
		{{RN_T_INT, RN_U_NS}, rn_int(1234567), "1.23 ms"},
		{{RN_T_INT, RN_U_NS}, rn_int(999999600), "1.00 s"},
		{{RN_T_INT, RN_U_NS}, rn_int(-12345), "-12.3 us"},
		{{RN_T_INT, RN_U_NS}, rn_int(90000000000), "1.50 min"},
		{{RN_T_FLOAT, RN_U_NS}, rn_float(0.25), "0.25 ns"},
		{{RN_T_INT, RN_U_NS}, rn_int(172800000000000), "2.00 d"},
		{{RN_T_INT, RN_U_BYTE}, rn_int(0), "0 B"},
		{{RN_T_INT, RN_U_BYTE}, rn_int(1023), "1023 B"},
		{{RN_T_INT, RN_U_BYTE}, rn_int(4096), "4.00 KiB"},
		{{RN_T_INT, RN_U_BYTE}, rn_int(1073741824), "1.00 GiB"},
		{{RN_T_FLOAT, RN_U_BYTE_PER_S}, rn_float(12.34 * 1048576), "12.3 MiB/s"},
		{{RN_T_FLOAT, RN_U_PER_S}, rn_float(1234.5), "1234/s"},
		{{RN_T_FLOAT, RN_U_PER_S}, rn_float(0.5), "0.50/s"},
		{{RN_T_INT, RN_U_ERRNO}, rn_int(2), "ENOENT"},
		{{RN_T_INT, RN_U_ERRNO}, rn_int(0), "0"},
		{{RN_T_INT, RN_U_DEV}, rn_int(8 << 20 | 1), "8:1"},
		{{RN_T_INT, RN_U_NONE}, rn_int(-5), "-5"},
		{{RN_T_BOOL, 0}, rn_bool(true), "true"},
		{{RN_T_FLOAT, 0}, rn_float(1.5), "1.5"},
		{{RN_T_STR, 0}, rn_null(), "-"},
		{{RN_T_STR, 0}, rn_strn("a\033[1mé\n\xFF", 9), "a\\x1b[1mé\\n\\xff"},
		{{RN_T_IP, 0}, rn_strn((const char *)ip, RN_IP_BYTES), "10.0.0.1:80"},
		{{RN_T_INT, RN_U_EPOCH}, rn_int(1795168800123456789), "2026-11-20 10:00:00.123456"},
		{{RN_T_INT, RN_U_EPOCH}, rn_int(-1), "1969-12-31 23:59:59.999999"},
	};
	struct rn_arena *a = rn_arena_create(1 << 20);

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < COUNT(c); i++)
		assert_string_equal(rn_value_show(a, c[i].t, &c[i].v), c[i].want);
	rn_arena_destroy(a);
}

static void types_have_names(void **state)
{
	(void)state;
	assert_string_equal(rn_type_name((struct rn_ty){RN_T_INT, RN_U_NS}), "duration");
	assert_string_equal(rn_type_name((struct rn_ty){RN_T_FLOAT, RN_U_BYTE}), "size");
	assert_string_equal(rn_type_name((struct rn_ty){RN_T_INT, RN_U_NONE}), "integer");
	assert_string_equal(rn_type_name((struct rn_ty){RN_T_HIST, RN_U_NS}), "histogram");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_with_its_unit_is_exact),
		cmocka_unit_test(a_time_is_read_with_its_zone),
		cmocka_unit_test(an_address_is_written_as_it_was_read),
		cmocka_unit_test(error_names),
		cmocka_unit_test(order_is_total),
		cmocka_unit_test(networks_are_read),
		cmocka_unit_test(shown_for_people),
		cmocka_unit_test(types_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
