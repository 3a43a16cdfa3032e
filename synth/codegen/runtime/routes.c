/* routes.c: routing tables with rte_lpm. */
#define _GNU_SOURCE /* rte_ring.h, which rte_lpm.h includes, uses ssize_t */
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_lpm.h>

#include "blob.h"
#include "hash.h"
#include "static_tables.h"

enum {
    ROUTES_HEADER_BYTES = 8,
    ROUTE_BYTES = 8, /* and its scalars */
    ROUTE_MOST_SCALARS = 256,
    ROUTE_ROWS_MOST = (1 << 24) - 1 /* rte_lpm keeps 24 bits with a prefix */
};

static size_t route_bytes(uint32_t scalars)
{
    return ROUTE_BYTES + (size_t)scalars * sizeof(uint64_t);
}

static bool check_route(const uint8_t *at, uint32_t number, struct blob_error error)
{
    if (at[4] > 32)
        return blob_fail(error, "route %u has a prefix longer than 32 bits", number);
    if (at[4] < 32 && (blob32(at) & (UINT32_MAX >> at[4])) != 0)
        return blob_fail(error, "route %u has bits behind its prefix", number);
    if (at[5] > 1)
        return blob_fail(error, "route %u has neither a result nor none", number);
    return true;
}

static bool check_routes(const uint8_t *data, size_t size, struct blob_error error)
{
    if (!blob_has_header(error, size, ROUTES_HEADER_BYTES))
        return false;
    uint32_t count = blob32(data), scalars = blob32(data + 4);
    if (scalars > ROUTE_MOST_SCALARS)
        return blob_fail(error, "%u scalars in a result are too many", scalars);
    if (!blob_has_size(error, size, ROUTES_HEADER_BYTES, count, route_bytes(scalars)))
        return false;
    if (count > ROUTE_ROWS_MOST)
        return blob_fail(error, "%u routes are more than rte_lpm can hold", count);
    for (uint32_t i = 0; i < count; i++)
        if (!check_route(data + ROUTES_HEADER_BYTES + i * route_bytes(scalars), i, error))
            return false;
    return true;
}

/* ---- results: many routes share few of them, and few rows stay in the cache */

struct row_index {
    uint32_t slots;
    uint32_t *row; /* numbers of rows, by hash of their scalars; 0 is free */
};

/* The number of a row with these scalars, an old or a new one. */
static uint32_t row_of(struct routes *routes, struct row_index *index, const uint8_t *scalars)
{
    size_t bytes = routes->scalars * sizeof(uint64_t);
    uint32_t slot = hash_bytes(HASH_START, scalars, bytes) % index->slots;
    while (index->row[slot] != 0) {
        if (memcmp(routes_result(routes, index->row[slot]), scalars, bytes) == 0)
            return index->row[slot];
        slot = slot + 1 == index->slots ? 0 : slot + 1;
    }
    index->row[slot] = ++routes->rows;
    memcpy(routes->row + (size_t)routes->rows * routes->scalars, scalars, bytes);
    return routes->rows;
}

/* ---- prefixes */

static bool add_route(struct routes *routes, const uint8_t *at, uint32_t row)
{
    if (at[4] > 0)
        return rte_lpm_add(routes->lpm, blob32(at), at[4], row) == 0;
    routes->otherwise = row;
    return true;
}

/* Add the routes of one prefix length. Shorter ones go first: rte_lpm then rewrites least. */
static bool add_routes_of_length(struct routes *routes, struct row_index *index,
                                 const uint8_t *data, uint8_t length)
{
    uint32_t count = blob32(data);
    const uint8_t *at = data + ROUTES_HEADER_BYTES;
    for (uint32_t i = 0; i < count; i++, at += route_bytes(routes->scalars)) {
        if (at[4] != length)
            continue;
        uint32_t row = at[5] ? row_of(routes, index, at + ROUTE_BYTES) : ROUTES_NO_ROW;
        if (!add_route(routes, at, row))
            return false;
    }
    return true;
}

static bool add_routes(struct routes *routes, const uint8_t *data)
{
    struct row_index index = {.slots = 2 * blob32(data) + 1};
    index.row = calloc(index.slots, sizeof *index.row);
    bool is_done = index.row != NULL;
    for (uint8_t length = 0; is_done && length <= 32; length++)
        is_done = add_routes_of_length(routes, &index, data, length);
    free(index.row);
    return is_done;
}

/* How many groups of 256 addresses have a prefix of their own: at most one a route beyond /24. */
static uint32_t long_prefixes(const uint8_t *data)
{
    uint32_t count = blob32(data), found = 0;
    size_t bytes = route_bytes(blob32(data + 4));
    for (uint32_t i = 0; i < count; i++)
        found += data[ROUTES_HEADER_BYTES + i * bytes + 4] > 24;
    return found;
}

static bool create_lpm(struct routes *routes, const uint8_t *data)
{
    uint32_t groups = long_prefixes(data);
    struct rte_lpm_config config = {.max_rules = blob32(data) + 1, .number_tbl8s = groups + 1};
    char name[RTE_LPM_NAMESIZE];
    snprintf(name, sizeof name, "%p", (void *)routes);
    routes->lpm = rte_lpm_create(name, SOCKET_ID_ANY, &config);
    return routes->lpm != NULL;
}

struct routes *routes_create(const uint8_t *data, size_t size, char *error, size_t error_size)
{
    struct blob_error reason = {error, error_size};
    if (!check_routes(data, size, reason))
        return NULL;
    uint32_t count = blob32(data);
    struct routes *routes = calloc(1, sizeof *routes);
    if (routes != NULL) {
        routes->scalars = blob32(data + 4);
        routes->row = calloc(((size_t)count + 1) * routes->scalars + 1, sizeof *routes->row);
    }
    if (routes == NULL || routes->row == NULL) {
        blob_fail(reason, "memory is short");
    } else if (!create_lpm(routes, data) || !add_routes(routes, data)) {
        blob_fail(reason, "rte_lpm cannot build %u routes: %s", count, rte_strerror(rte_errno));
    } else {
        return routes;
    }
    routes_destroy(routes);
    return NULL;
}

void routes_destroy(struct routes *routes)
{
    if (routes == NULL)
        return;
    rte_lpm_free(routes->lpm);
    free(routes->row);
    free(routes);
}

uint32_t routes_row(const struct routes *routes, uint32_t address)
{
    uint32_t row;
    return rte_lpm_lookup(routes->lpm, address, &row) == 0 ? row : routes->otherwise;
}

uint32_t routes_scalars(const struct routes *routes)
{
    return routes->scalars;
}

bool routes_fit(const struct routes *routes, const uint64_t *largest)
{
    return blob_rows_fit(routes->row + routes->scalars, routes->rows, routes->scalars, largest);
}
