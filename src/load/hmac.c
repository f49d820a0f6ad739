#include "load/hmac.h"

#include <string.h>

#include "base/macros.h"

#define BLOCK 64u

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	uint8_t block[BLOCK];
};

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes: FIPS 180-4, 4.2.2. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
	0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
	0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
	0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static uint32_t read_word(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void spread(const uint8_t *block, uint32_t w[64])
{
	for (unsigned i = 0; i < 16; i++)
		w[i] = read_word(block + 4 * i);
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
}

/* FIPS 180-4, 6.2.2; v[0] … v[7] are its a … h. */
static void take_block(struct sha256 *s, const uint8_t *block)
{
	uint32_t w[64], v[8];

	spread(block, w);
	memcpy(v, s->h, sizeof(v));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t one = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
			constants[i] + w[i];
		uint32_t two = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += one;
		v[0] = one + two;
	}
	for (unsigned i = 0; i < 8; i++)
		s->h[i] += v[i];
}

static void begin(struct sha256 *s)
{
	*s = (struct sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

static void add(struct sha256 *s, const void *data, size_t len)
{
	const uint8_t *at = data;

	while (len) {
		size_t have = (size_t)(s->bytes % BLOCK), n = TA_MIN(BLOCK - have, len);

		memcpy(s->block + have, at, n);
		s->bytes += n;
		at += n;
		len -= n;
		if (have + n == BLOCK)
			take_block(s, s->block);
	}
}

static void finish(struct sha256 *s, uint8_t ret[TA_HMAC_BYTES])
{
	uint64_t bits = s->bytes * 8;
	uint8_t length[8], pad[BLOCK] = {0x80};
	size_t have = (size_t)(s->bytes % BLOCK);

	for (unsigned i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	add(s, pad, (have < 56 ? 56 : 56 + BLOCK) - have);
	add(s, length, sizeof(length));
	for (unsigned i = 0; i < TA_HMAC_BYTES; i++)
		ret[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void ta_sha256(const void *data, size_t len, uint8_t ret[TA_HMAC_BYTES])
{
	struct sha256 s;

	begin(&s);
	add(&s, data, len);
	finish(&s, ret);
}

void ta_hmac(const void *key, size_t key_len, const void *data, size_t len, uint8_t ret[TA_HMAC_BYTES])
{
	uint8_t block[BLOCK] = {0}, inner[TA_HMAC_BYTES];
	struct sha256 s;

	if (key_len > BLOCK)
		ta_sha256(key, key_len, block);
	else if (key_len)
		memcpy(block, key, key_len);
	for (unsigned i = 0; i < BLOCK; i++)
		block[i] ^= 0x36;
	begin(&s);
	add(&s, block, BLOCK);
	add(&s, data, len);
	finish(&s, inner);
	for (unsigned i = 0; i < BLOCK; i++)
		block[i] ^= 0x36 ^ 0x5c;
	begin(&s);
	add(&s, block, BLOCK);
	add(&s, inner, sizeof(inner));
	finish(&s, ret);
}

bool ta_bytes_equal(const void *a, const void *b, size_t len)
{
	const volatile uint8_t *x = a, *y = b;
	uint8_t differ = 0;

	for (size_t i = 0; i < len; i++)
		differ |= x[i] ^ y[i];
	return !differ;
}
