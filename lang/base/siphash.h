/* siphash.h - SipHash-2-4, for BPF and for user space: it keys a payload's hash with a node's
 * secret.
 *
 * Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012; its test
 * vector is in tests/unit/test_siphash.c. Without the key nobody can compute the hash. It reveals
 * nothing of the message except that equal messages have equal results. */
#ifndef RN_LANG_BASE_SIPHASH_H
#define RN_LANG_BASE_SIPHASH_H

typedef __UINT64_TYPE__ rn_sip_word;

#define RN_SIP_ROTL(x, n) (((x) << (n)) | ((x) >> (64 - (n))))
#define RN_SIP_ROUND(v) \
	do { \
		(v)[0] += (v)[1]; \
		(v)[1] = RN_SIP_ROTL((v)[1], 13) ^ (v)[0]; \
		(v)[0] = RN_SIP_ROTL((v)[0], 32); \
		(v)[2] += (v)[3]; \
		(v)[3] = RN_SIP_ROTL((v)[3], 16) ^ (v)[2]; \
		(v)[0] += (v)[3]; \
		(v)[3] = RN_SIP_ROTL((v)[3], 21) ^ (v)[0]; \
		(v)[2] += (v)[1]; \
		(v)[1] = RN_SIP_ROTL((v)[1], 17) ^ (v)[2]; \
		(v)[2] = RN_SIP_ROTL((v)[2], 32); \
	} while (0)

/* Hashes n words of 8 bytes, little-endian: the message, then its remaining bytes, with its length
 * (mod 256) in the top byte of the last word. */
static inline __attribute__((always_inline)) rn_sip_word rn_siphash(rn_sip_word k0, rn_sip_word k1,
								    const rn_sip_word *word,
								    unsigned n)
{
	rn_sip_word v[4] = {k0 ^ 0x736f6d6570736575ULL, k1 ^ 0x646f72616e646f6dULL,
			    k0 ^ 0x6c7967656e657261ULL, k1 ^ 0x7465646279746573ULL};

	for (unsigned i = 0; i < n; i++) {
		v[3] ^= word[i];
		RN_SIP_ROUND(v);
		RN_SIP_ROUND(v);
		v[0] ^= word[i];
	}
	v[2] ^= 0xff;
	RN_SIP_ROUND(v);
	RN_SIP_ROUND(v);
	RN_SIP_ROUND(v);
	RN_SIP_ROUND(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
#endif
