/* test_demangle.c - names of C++ and Rust, and the shorter ones that people write for them; names
 * that are made to cost much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lang/base/memory.h"
#include "lang/values/glob.h"
#include "probes/process/demangle.h"

static const struct {
	const char *name;
	const char *forms[RN_DEMANGLED_FORMS]; /* none: it stays as it is */
} names[] = {
	{"_Z1fv", {"f()", "f"}},
	{"_ZNK2ns5Class6methodEi", {"ns::Class::method(int) const", "ns::Class::method"}},
	{"_ZN2ns5twiceIdEET_S1_", {"ns::twice<double>(double)", "ns::twice<double>", "ns::twice"}},
	{"_ZN1AIiE3fooEv", {"A<int>::foo()", "A<int>::foo"}},
	{"_ZNK1A4moreEv.cold", {"A::more() const [clone .cold]", "A::more"}},
	{"_ZN1AltERKS_", {"A::operator<(A const&)", "A::operator<"}},
	{"_ZN1AptEv", {"A::operator->()", "A::operator->"}},
	{"_ZN1AssEOS_", {"A::operator<=>(A&&)", "A::operator<=>"}},
	{"_ZN1AclEi", {"A::operator()(int)", "A::operator()"}},
	{"_ZN2nslsIiEERSoS1_T_",
	 {"ns::operator<< <int>(std::ostream&, int)", "ns::operator<< <int>", "ns::operator<<"}},
	{"_ZZN2ns1fEvENKUliE_clEi",
	 {"ns::f()::{lambda(int)#1}::operator()(int) const",
	  "ns::f()::{lambda(int)#1}::operator()"}},
	{"_Z1fPFvvE", {"f(void (*)())", "f"}},
	{"_RNvCs1234_7mycrate3foo", {"mycrate::foo"}},
	{"_RINvNtC3std3mem8align_ofdE", {"std::mem::align_of::<f64>", "std::mem::align_of"}},
	{"_RNvXC3fooNtB2_3BarNtB2_5Trait4call", {"<foo::Bar as foo::Trait>::call"}},
	{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", {"core::fmt::Formatter::pad"}},
	{"_Z", {0}},
	{"_R", {0}},
	{"_ZN", {0}},
	{"_Znonsense", {0}},
	{"malloc", {0}},
	{"", {0}},
	{"_", {0}},
	{"_Z1\n", {0}},
};

static void forms(void **state)
{
	struct rn_demangler *d = rn_demangler_create();

	(void)state;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *text = rn_demangle(d, names[i].name);
		size_t length[RN_DEMANGLED_FORMS];
		unsigned n = text ? rn_demangled_forms(text, length) : 0, k = 0;

		for (; k < n; k++) {
			assert_non_null(names[i].forms[k]);
			assert_int_equal(length[k], strlen(names[i].forms[k]));
			assert_memory_equal(text, names[i].forms[k], length[k]);
		}
		assert_true(k == RN_DEMANGLED_FORMS || !names[i].forms[k]);
	}
	assert_false(rn_demangler_cut(d));
	rn_demangler_destroy(d);
}

/* A<A<...>, A<...>>: each level is a parameter that doubles the one before. */
static void growing(char *to, size_t room, unsigned levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = (size_t)snprintf(to, room, "_Z1f1AIiiE");

	for (unsigned i = 0; i < levels; i++)
		n += (size_t)snprintf(to + n, room - n, "S_IS%c_S%c_E", digits[i], digits[i]);
}

static void texts_without_end(void **state)
{
	struct rn_demangler *d = rn_demangler_create();
	char name[1024];

	(void)state;

	growing(name, sizeof(name), 3);
	assert_non_null(rn_demangle(d, name));
	assert_false(rn_demangler_cut(d));
	growing(name, sizeof(name), 36); /* terabytes */
	assert_null(rn_demangle(d, name));
	assert_true(rn_demangler_cut(d));
	assert_string_equal(rn_demangle(d, "_Z1fv"), "f()"); /* the next one is none the worse */
	for (unsigned i = 0; i < 1000; i++)
		assert_null(rn_demangle(d, name));
	assert_null(rn_demangle(d, "_Z1fv")); /* it has given up */
	rn_demangler_destroy(d);
}

static void long_and_deep(void **state)
{
	static const struct {
		const char *begin, *again, *end;
	} of[] = {
		{"_Z1f", "P", "i"},        {"_ZN", "1A", "1fEv"},
		{"_Z1fI", "1AI", "iEEvv"}, {"_Z1f", "F", "vvE"},
		{"_Z1fIX", "ps", "1xEE"},  {"_RNvC1a1", "f", ""},
		{"_RINvC1a1f", "R", "mE"}, {"_RINvC1a1f", "T", "EE"},
		{"_RNv", "Nv", "C1a1f"},   {"_RNvC1au", "9zzzzzzzzz", ""},
	};
	enum { ROOM = 3 * RN_MANGLED_BYTES };
	char *name = rn_malloc(ROOM);

	(void)state;

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		for (size_t times = 1; times < 2 * RN_MANGLED_BYTES / 2; times *= 2) {
			struct rn_demangler *d = rn_demangler_create();
			size_t n = (size_t)snprintf(name, ROOM, "%s", of[i].begin);
			const char *text;

			for (size_t k = 0; k < times && n + 32 < ROOM; k++)
				n += (size_t)snprintf(name + n, ROOM - n, "%s", of[i].again);
			n += (size_t)snprintf(name + n, ROOM - n, "%s", of[i].end);
			text = rn_demangle(d, name);
			assert_true(!text || strlen(text) <= RN_DEMANGLED_BYTES);
			assert_true(n <= RN_MANGLED_BYTES || (!text && rn_demangler_cut(d)));
			rn_demangler_destroy(d);
		}
	}
	free(name);
}

/* Bytes of good names, changed, cut and joined. */
static void nonsense(void **state)
{
	uint64_t x = 88172645463325252ull;
	char name[512];

	(void)state;

	for (unsigned round = 0; round < 20000; round++) {
		struct rn_demangler *d = rn_demangler_create();
		size_t n = 0, length[RN_DEMANGLED_FORMS];
		const char *text;

		while (n < 128) {
			const char *from;
			size_t len;

			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			from = names[x % (sizeof(names) / sizeof(*names))].name;
			len = strlen(from);
			len = len ? (x >> 32) % len : 0;
			memcpy(name + n, from, len);
			n += len;
			name[n++] = (char)(1 + x % 127);
		}
		name[0] = '_';
		name[1] = x & 1 ? 'Z' : 'R';
		name[n] = 0;
		text = rn_demangle(d, name);
		if (text)
			assert_in_range(rn_demangled_forms(text, length), 1, RN_DEMANGLED_FORMS);
		rn_demangler_destroy(d);
	}
}

/* "A, B": the name of a function holds commas, too. */
static void lists(void **state)
{
	static const char *const first[] = {
		"a:f",
		"a:ns::f<int, char>(int, char)",
		"a:f(void (*)(int, int), int)",
		"a:A::operator<",
		"a:A::operator<<",
		"a:A::operator<=>",
		"a:A::operator->",
		"a:A::operator>",
		"a:<T<A, B> as C>::f",
		"a:f)",
		"",
	};
	char list[200];

	(void)state;

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++) {
		assert_int_equal(rn_glob_in_list(first[i]), strlen(first[i]));
		snprintf(list, sizeof(list), "%s, b:g(int, int)", first[i]);
		assert_int_equal(rn_glob_in_list(list), strlen(first[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),         cmocka_unit_test(texts_without_end),
		cmocka_unit_test(long_and_deep), cmocka_unit_test(nonsense),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
