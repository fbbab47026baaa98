/* ip.c - addresses with an optional port, as text and as the RN_IP_BYTES bytes of a value. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include "lang/values/value.h"

static const unsigned char v4_prefix[12] = {[10] = 0xFF, [11] = 0xFF};

static bool parse_port(const char *s, size_t n, unsigned char out[2])
{
	unsigned port = 0;

	if (n < 1 || n > 5)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		port = port * 10 + (unsigned)(s[i] - '0');
	}
	if (port > 65535)
		return false;
	out[0] = (unsigned char)(port >> 8);
	out[1] = (unsigned char)port;
	return true;
}

static bool parse_address(const char *s, size_t n, unsigned char out[16])
{
	char buf[INET6_ADDRSTRLEN + 1];

	if (n == 0 || n >= sizeof(buf) || memchr(s, '\0', n))
		return false;
	memcpy(buf, s, n);
	buf[n] = '\0';
	memcpy(out, v4_prefix, sizeof(v4_prefix));
	if (inet_pton(AF_INET, buf, out + 12) == 1)
		return true;
	return inet_pton(AF_INET6, buf, out) == 1;
}

bool rn_ip_parse(const char *s, size_t n, unsigned char out[RN_IP_BYTES])
{
	const char *colon;

	memset(out, 0, RN_IP_BYTES);
	if (n && s[0] == '[') {
		const char *close = memchr(s, ']', n);
		size_t at;

		if (!close)
			return false;
		at = (size_t)(close - s);
		if (!parse_address(s + 1, at - 1, out))
			return false;
		if (at + 1 == n)
			return true;
		return s[at + 1] == ':' && parse_port(s + at + 2, n - at - 2, out + 16);
	}
	colon = n ? memchr(s, ':', n) : NULL;
	/* one colon: IPv4 and a port */
	if (colon && !memchr(colon + 1, ':', n - (size_t)(colon + 1 - s)))
		return parse_address(s, (size_t)(colon - s), out) &&
		       parse_port(colon + 1, n - (size_t)(colon + 1 - s), out + 16);
	return parse_address(s, n, out);
}

bool rn_ip_parse_net(const char *s, size_t n, unsigned char out[RN_IP_BYTES], unsigned *bits)
{
	const char *slash = n ? memchr(s, '/', n) : NULL;
	size_t address = slash ? (size_t)(slash - s) : 0, digits = slash ? n - address - 1 : 0;
	unsigned width = 0;
	const char *colon;

	if (digits < 1 || digits > 3 || !address || s[0] == '[' || !rn_ip_parse(s, address, out))
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (slash[1 + i] < '0' || slash[1 + i] > '9')
			return false;
		width = width * 10 + (unsigned)(slash[1 + i] - '0');
	}
	colon = memchr(s, ':', address);
	/* one colon: IPv4 and a port */
	if (colon && !memchr(colon + 1, ':', (size_t)(slash - colon - 1)))
		return false;
	*bits = colon ? width : width + 96;
	if (*bits > 128)
		return false;
	for (unsigned i = *bits; i < 128; i++)
		out[i / 8] &= (unsigned char)~(0x80 >> i % 8);
	return true;
}

size_t rn_ip_show(const unsigned char ip[RN_IP_BYTES], char *out, size_t cap)
{
	static const unsigned char zero[16];
	char addr[INET6_ADDRSTRLEN];
	unsigned port = (unsigned)ip[16] << 8 | ip[17];
	bool v4 = !memcmp(ip, v4_prefix, sizeof(v4_prefix));
	int n;

	if (!port && !memcmp(ip, zero, sizeof(zero))) { /* not a socket: nothing to show */
		if (cap)
			out[0] = '\0';
		return 0;
	}
	inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? ip + 12 : ip, addr, sizeof(addr));
	if (!port)
		n = snprintf(out, cap, "%s", addr);
	else
		n = snprintf(out, cap, v4 ? "%s:%u" : "[%s]:%u", addr, port);
	return n < 0 ? 0 : (size_t)n;
}
