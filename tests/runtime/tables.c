/* tables.c: a static table from a file, asked what is on standard input.
 *
 * tables KIND FILE, and lines of numbers: for rules `kind selector src dst sport dport` (host
 * order), for routes an address, for a list an index, for a ring a hash. Prints the answers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "eal.h"
#include "static_tables.h"

static void ask_rules(const struct rules *rules)
{
    unsigned kind, selector;
    uint32_t src, dst;
    uint16_t sport, dport;
    while (scanf("%u %u %" SCNu32 " %" SCNu32 " %" SCNu16 " %" SCNu16, &kind, &selector, &src, &dst,
                 &sport, &dport) == 6) {
        struct rules_key key = {.selector = (uint8_t)selector};
        bool permits;
        uint32_t index;
        store32((uint8_t *)&key.src, src);
        store32((uint8_t *)&key.dst, dst);
        store16((uint8_t *)&key.sport, sport);
        store16((uint8_t *)&key.dport, dport);
        if (rules_match(rules, (enum rules_class)kind, &key, &permits, &index))
            printf("%" PRIu32 " %d\n", index, permits);
        else
            puts("none");
    }
}

static void print_row(const uint64_t *row, uint32_t columns)
{
    if (row == NULL) {
        puts("none");
        return;
    }
    for (uint32_t i = 0; i < columns; i++)
        printf("%s%" PRIu64, i == 0 ? "" : " ", row[i]);
    putchar('\n');
}

static bool run(enum table_kind kind, const uint8_t *data, size_t size, char *error, size_t room)
{
    uint64_t number;
    struct rules *rules;
    struct routes *routes;
    struct list *list;
    struct ring *ring;
    switch (kind) {
    case TABLE_RULES:
        if ((rules = rules_create(data, size, error, room)) == NULL)
            return false;
        ask_rules(rules);
        rules_destroy(rules);
        return true;
    case TABLE_ROUTES:
        if ((routes = routes_create(data, size, error, room)) == NULL)
            return false;
        while (scanf("%" SCNu64, &number) == 1)
            print_row(routes_lookup(routes, (uint32_t)number), routes_scalars(routes));
        routes_destroy(routes);
        return true;
    case TABLE_LIST:
        if ((list = list_create(data, size, error, room)) == NULL)
            return false;
        while (scanf("%" SCNu64, &number) == 1)
            print_row(list_row(list, number), list->columns);
        list_destroy(list);
        return true;
    default:
        if ((ring = ring_create(data, size, error, room)) == NULL)
            return false;
        while (scanf("%" SCNu64, &number) == 1)
            printf("%" PRIu32 " %" PRIu32 "\n", ring_pick(ring, (uint32_t)number),
                   ring_last_row(ring));
        ring_destroy(ring);
        return true;
    }
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    FILE *file = fopen(arguments[2], "rb");
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(size); /* of exactly that size, so that a read behind it shows */
    if (fread(data, 1, size, file) != size)
        return 2;
    fclose(file);
    enum table_kind kind = (enum table_kind)strtoul(arguments[1], NULL, 10);
    struct table_blob blob = {"table", kind, data, size};
    char error[300] = "";
    size_t memory = static_table_memory(&blob);
    if (memory > 0 && !eal_start_alone(memory))
        return 2;
    bool is_good = run(kind, data, size, error, sizeof error);
    if (!is_good)
        fprintf(stderr, "%s\n", error);
    free(data);
    if (memory > 0)
        eal_stop();
    return is_good ? 0 : 1;
}
