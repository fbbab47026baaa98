/* nkey.c - the public key of a user's nkey seed: libnats signs with a seed but takes the public key
 * from its caller.
 *
 * A seed is base32 of: two bytes that mix the kind of the seed and of the key, 32 bytes of an
 * Ed25519 secret, CRC-16/XMODEM of these, low byte first. A public key is base32 of: a byte of its
 * kind, 32 bytes, CRC. */
#include <errno.h>
#include <string.h>
#include "exec/nats/nats_impl.h"

enum { SEED = 18 << 3, USER = 20 << 3, SECRET = 32, SEED_LETTERS = 58 };

static uint16_t crc16(const unsigned char *p, size_t n)
{
	uint16_t c = 0;

	while (n--) {
		c ^= (uint16_t)(*p++ << 8);
		for (int i = 0; i < 8; i++)
			c = (uint16_t)(c & 0x8000 ? c << 1 ^ 0x1021 : c << 1);
	}
	return c;
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/* Returns the number of bytes; 0: no base32, or more than max. */
static size_t from_base32(const char *s, unsigned char *to, size_t max)
{
	uint32_t v = 0;
	unsigned bits = 0;
	size_t n = 0;

	for (; *s; s++) {
		const char *d = strchr(digits, *s);

		if (!d)
			return 0;
		v = v << 5 | (uint32_t)(d - digits);
		bits += 5;
		if (bits < 8)
			continue;
		if (n == max)
			return 0;
		bits -= 8;
		to[n++] = (unsigned char)(v >> bits);
	}
	return n;
}

static void to_base32(const unsigned char *p, size_t n, char *to)
{
	uint32_t v = 0;
	unsigned bits = 0;

	for (size_t i = 0; i < n; i++) {
		v = v << 8 | p[i];
		for (bits += 8; bits >= 5; bits -= 5)
			*to++ = digits[v >> (bits - 5) & 31];
	}
	if (bits)
		*to++ = digits[v << (5 - bits) & 31];
	*to = 0;
}

int rn_nats_key_public(const char *seed, char out[64])
{
	unsigned char raw[2 + SECRET + 2], pub[1 + 32 + 2];
	size_t len = 32;
	EVP_PKEY *k;
	uint16_t crc;
	int r;

	if (rn_nats_lib_load(NULL) || strlen(seed) != SEED_LETTERS ||
	    from_base32(seed, raw, sizeof(raw)) != sizeof(raw) || (raw[0] & 0xf8) != SEED ||
	    ((raw[0] & 7) << 5 | raw[1] >> 3) != USER ||
	    crc16(raw, 2 + SECRET) != (raw[34] | raw[35] << 8))
		return -EINVAL;
	k = rn_nats_lib.EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, raw + 2, SECRET);
	r = k && rn_nats_lib.EVP_PKEY_get_raw_public_key(k, pub + 1, &len) == 1 && len == 32
		    ? 0
		    : -EINVAL;
	rn_nats_lib.EVP_PKEY_free(k);
	explicit_bzero(raw, sizeof(raw));
	if (r)
		return r;
	pub[0] = USER;
	crc = crc16(pub, 33);
	pub[33] = (unsigned char)crc;
	pub[34] = (unsigned char)(crc >> 8);
	to_base32(pub, sizeof(pub), out);
	return 0;
}
