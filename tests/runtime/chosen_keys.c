/* chosen_keys.c: keys that a sender chose so that an unkeyed, linear hash (CRC-32C) puts all of them into
 * one slot. Prints the longest way from a key's home to its entry, then how many of the keys stand in the
 * same slot under another secret.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"

struct flow_key {
    uint32_t address;
    uint32_t ports;
} __attribute__((packed));

#define TABLE flows
#define TABLE_KEY struct flow_key
#define TABLE_TIMERS 0
#include "keyed_table.h"

enum { KEYS = 20000 };

/* A CRC's state and the bytes that follow are added, so bytes equal to the state lead to one state. */
static struct flow_key colliding_key(uint32_t number)
{
    return (struct flow_key){number, hash_bytes(HASH_START, &number, sizeof number)};
}

static struct flows *filled(uint64_t secret)
{
    struct flows *table = flows_create(KEYS, NULL, secret);
    struct flow_key first = colliding_key(0);
    for (uint32_t i = 0; table != NULL && i < KEYS; i++) {
        struct flow_key key = colliding_key(i);
        if (hash_bytes(HASH_START, &key, sizeof key) != hash_bytes(HASH_START, &first, sizeof first) ||
            flows_insert(table, &key, 0) == NULL)
            exit(1);
    }
    return table;
}

/* The place of a key in the index, and how far it is from where the key belongs. */
static uint32_t place_of(const struct flows *table, const struct flow_key *key, uint32_t *way)
{
    const struct flows_entry *entry = flows_find(table, key, 0);
    uint32_t place = keyed_home(entry->hash, table->places);
    for (*way = 0; table->by_key[place].entry != flows_slot(table, entry) + 1; ++*way)
        place = keyed_next(place, table->places);
    return place;
}

int main(void)
{
    struct flows *one = filled(0x0123456789ABCDEFu), *other = filled(0xFEDCBA9876543210u);
    uint32_t longest = 0, same = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        struct flow_key key = colliding_key(i);
        uint32_t way, other_way;
        uint32_t place = place_of(one, &key, &way);
        longest = way > longest ? way : longest;
        same += place == place_of(other, &key, &other_way);
    }
    printf("%u %u\n", longest, same);
    flows_destroy(one);
    flows_destroy(other);
    return 0;
}
