/* scalars.c: hash.h, sketch.h and token_bucket.h, driven by lines of text.
 *
 *   hash BYTES                        prints the CRC-32C, found in three ways that must agree
 *   sketch ROWS COLUMNS               makes a new sketch
 *   add KEY AMOUNT / estimate KEY     KEY is a 32-bit number
 *   bucket RATE BURST                 makes a new token bucket, at time 0
 *   take BYTES TIME                   prints 1 or 0
 */
#include <inttypes.h>
#include <stdio.h>

#include "sketch.h"
#include "token_bucket.h"
#include "vector.h"

static struct sketch *sketch;
static struct token_bucket bucket;
static uint64_t rate, burst;

static uint32_t by_halves(const uint8_t *bytes, size_t size)
{
    uint32_t hash = HASH_START;
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
        uint64_t value = 0;
        for (size_t i = 0; i < 8; i++)
            value = value << 8 | bytes[at + i];
        hash = hash48(hash16(hash, (uint16_t)(value >> 48)), value);
    }
    for (; at < size; at++)
        hash = hash_scalar(hash, bytes[at], 1);
    return hash_end(hash);
}

static void show_hash(const char *text)
{
    uint8_t bytes[128];
    size_t size = 0;
    unsigned byte;
    uint32_t one_by_one = HASH_START;
    while (size < sizeof bytes && sscanf(text + 2 * size, "%2x", &byte) == 1)
        bytes[size++] = (uint8_t)byte;
    for (size_t i = 0; i < size; i++)
        one_by_one = hash8(one_by_one, bytes[i]);
    uint32_t whole = hash_end(hash_bytes(HASH_START, bytes, size));
    printf("%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", whole, hash_end(one_by_one),
           by_halves(bytes, size));
}

static void run_line(const char *line)
{
    char text[300];
    uint64_t a, b;
    if (sscanf(line, "hash %299s", text) == 1) {
        show_hash(text);
    } else if (sscanf(line, "sketch %" SCNu64 " %" SCNu64, &a, &b) == 2) {
        sketch_destroy(sketch);
        sketch = sketch_create((uint32_t)a, (uint32_t)b);
    } else if (sscanf(line, "add %" SCNu64 " %" SCNu64, &a, &b) == 2) {
        sketch_add(sketch, hash32(HASH_START, (uint32_t)a), b);
    } else if (sscanf(line, "estimate %" SCNu64, &a) == 1) {
        printf("%" PRIu32 "\n", sketch_estimate(sketch, hash32(HASH_START, (uint32_t)a)));
    } else if (sscanf(line, "bucket %" SCNu64 " %" SCNu64, &rate, &burst) == 2) {
        token_bucket_start(&bucket, burst, 0);
    } else if (sscanf(line, "take %" SCNu64 " %" SCNu64, &a, &b) == 2) {
        printf("%d\n", token_bucket_take(&bucket, rate, burst, a, b));
    }
}

int main(void)
{
    char line[400];
    while (fgets(line, sizeof line, stdin) != NULL)
        run_line(line);
    sketch_destroy(sketch);
    uint32_t initial[2] = {7, 9};
    uint32_t(*cells)[2] = vector_create(3, sizeof initial, initial);
    for (int i = 0; i < 3; i++)
        if (cells[i][0] != 7 || cells[i][1] != 9)
            return 1;
    free(cells);
    return 0;
}
