/* test_siphash.c - SipHash-2-4 against the vector of its paper, and against those of its authors'
 * program for 0 and 16 bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "lang/base/siphash.h"

/* bytes 0, 1, ... 15, as the messages are */
static const rn_sip_word key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

static void known_messages_have_their_hashes(void **state)
{
	static const rn_sip_word none[] = {0}, fifteen[] = {0x0706050403020100, 0x0f0e0d0c0b0a0908},
				 sixteen[] = {0x0706050403020100, 0x0f0e0d0c0b0a0908, 16ULL << 56};

	(void)state;
	assert_true(rn_siphash(key[0], key[1], fifteen, 2) == 0xa129ca6149be45e5);
	assert_true(rn_siphash(key[0], key[1], none, 1) == 0x726fdb47dd0e0e31);
	assert_true(rn_siphash(key[0], key[1], sixteen, 3) == 0x3f2acc7f57c29bdb);
}

/* Each bit of key and message counts. */
static void each_bit_of_key_and_message_counts(void **state)
{
	static const rn_sip_word word[] = {0x42d3b01e532fb931, 100, 16ULL << 56};
	const rn_sip_word h = rn_siphash(key[0], key[1], word, 3);

	(void)state;
	for (int i = 0; i < 256; i++) {
		rn_sip_word k[2] = {key[0], key[1]}, w[3] = {word[0], word[1], word[2]};

		(i < 128 ? k : w)[i / 64 % 2] ^= 1ULL << i % 64;
		assert_true(rn_siphash(k[0], k[1], w, 3) != h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(known_messages_have_their_hashes),
					   cmocka_unit_test(each_bit_of_key_and_message_counts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
