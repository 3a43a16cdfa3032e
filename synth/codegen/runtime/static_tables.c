/* static_tables.c: how much memory static tables take of the EAL. */
#include "static_tables.h"

#include "blob.h"

enum {
    MEGABYTE = 1 << 20,
    /* Measured on ClassBench sets: 27 kB a rule at the most, for firewall-like sets of 1,000. */
    BYTES_PER_RULE = 48 << 10,
    RULES_LEAST_BYTES = 8 * MEGABYTE,
    /* rte_lpm: one table of 2^24 entries of 4 bytes, 1 kB for a prefix beyond /24, its own list. */
    ROUTES_LEAST_BYTES = 66 * MEGABYTE,
    BYTES_PER_ROUTE = 1100
};

size_t static_table_memory(const struct table_blob *blob)
{
    size_t records = blob->size >= 4 ? blob32(blob->data) : 0;
    records = records < blob->size ? records : blob->size;
    switch (blob->kind) {
    case TABLE_RULES: return RULES_LEAST_BYTES + records * BYTES_PER_RULE;
    case TABLE_ROUTES: return ROUTES_LEAST_BYTES + records * BYTES_PER_ROUTE;
    default: return 0;
    }
}
