/* port_pool.c: a NAT's ports near and at exhaustion, in numbers that a search of the whole range
 * for each flow would not survive. Prints nothing when all is well.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct pool_key {
    uint32_t address;
    uint16_t port;
    uint8_t protocol;
} __attribute__((packed));

struct pool_unique {
    uint16_t port;
    uint8_t protocol;
} __attribute__((packed));

#define TABLE pool
#define TABLE_KEY struct pool_key
#define TABLE_UNIQUE struct pool_unique
#define TABLE_TIMERS 1
#include "keyed_table.h"

enum { LOW = 1024, HIGH = 65535, PORTS = HIGH - LOW + 1, REFUSED = 1000000, REPLACED = 20000 };

static const uint64_t lifetime = 1000;

static struct pool_entry *ask(struct pool *pool, uint32_t flow, uint8_t protocol, uint64_t now)
{
    struct pool_key key = {flow, 1, protocol};
    struct pool_unique unique = {0, protocol};
    return pool_insert_choosing(pool, &key, &unique, offsetof(struct pool_unique, port),
                                sizeof unique.port, LOW, HIGH, now);
}

static void check(bool is_good, const char *what)
{
    if (is_good)
        return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

int main(void)
{
    struct pool *pool = pool_create(2 * PORTS, &lifetime, 1);
    struct pool_entry *first = NULL;
    for (uint32_t flow = 0; flow < PORTS; flow++) {
        struct pool_entry *entry = ask(pool, flow, 17, flow / 100);
        check(entry != NULL, "a port was refused while some were free");
        first = first == NULL ? entry : first;
    }
    for (uint32_t flow = 0; flow < REFUSED; flow++)
        check(ask(pool, PORTS + flow, 17, 645) == NULL, "a port was given twice");
    check(ask(pool, 0, 6, 645) != NULL, "another protocol was refused");
    for (uint32_t i = 0; i < REPLACED; i++) {
        uint16_t port = first->unique.port;
        pool_remove(pool, first);
        first = ask(pool, 10 * PORTS + i, 17, 645);
        check(first != NULL && first->unique.port == port, "the one free port was not found");
    }
    check(ask(pool, 1, 17, 999) == NULL, "an unexpired port was given away");
    first = ask(pool, 20 * PORTS, 17, 1001);
    check(first != NULL, "an expired port was not given away");
    uint16_t port = first->unique.port;
    pool_sweep(pool, 1100, UINT32_MAX);
    pool_remove(pool, first);
    first = ask(pool, 20 * PORTS, 17, 1100);
    check(first != NULL && first->unique.port != port, "a port was used again at once");
    pool_destroy(pool);
    return 0;
}
