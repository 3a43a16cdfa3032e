/* lists.c: static lists, and the rings of consistent hashing over them. */
#include <stdlib.h>

#include "blob.h"
#include "static_tables.h"

enum { LIST_HEADER_BYTES = 8, RING_HEADER_BYTES = 4, LIST_MOST_COLUMNS = 256 };

struct list *list_create(const uint8_t *data, size_t size, char *error, size_t error_size)
{
    struct blob_error reason = {error, error_size};
    if (!blob_has_header(reason, size, LIST_HEADER_BYTES))
        return NULL;
    uint32_t rows = blob32(data), columns = blob32(data + 4);
    if (columns > LIST_MOST_COLUMNS) {
        blob_fail(reason, "%u columns are too many", columns);
        return NULL;
    }
    if (!blob_has_size(reason, size, LIST_HEADER_BYTES, rows, columns * sizeof(uint64_t)))
        return NULL;
    struct list *list = malloc(sizeof *list + (size - LIST_HEADER_BYTES));
    if (list == NULL) {
        blob_fail(reason, "memory is short");
        return NULL;
    }
    list->rows = rows;
    list->columns = columns;
    memcpy(list->scalars, data + LIST_HEADER_BYTES, size - LIST_HEADER_BYTES);
    return list;
}

void list_destroy(struct list *list)
{
    free(list);
}

bool list_fits(const struct list *list, const uint64_t *largest)
{
    return blob_rows_fit(list->scalars, list->rows, list->columns, largest);
}

struct ring *ring_create(const uint8_t *data, size_t size, char *error, size_t error_size)
{
    struct blob_error reason = {error, error_size};
    if (!blob_has_header(reason, size, RING_HEADER_BYTES))
        return NULL;
    uint32_t slots = blob32(data);
    if (!blob_has_size(reason, size, RING_HEADER_BYTES, slots, sizeof(uint32_t)))
        return NULL;
    if (slots == 0) {
        blob_fail(reason, "a ring needs at least one slot");
        return NULL;
    }
    struct ring *ring = malloc(sizeof *ring + (size - RING_HEADER_BYTES));
    if (ring == NULL) {
        blob_fail(reason, "memory is short");
        return NULL;
    }
    ring->slots = slots;
    memcpy(ring->rows, data + RING_HEADER_BYTES, size - RING_HEADER_BYTES);
    return ring;
}

void ring_destroy(struct ring *ring)
{
    free(ring);
}

uint32_t ring_last_row(const struct ring *ring)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < ring->slots; i++)
        last = ring->rows[i] > last ? ring->rows[i] : last;
    return last;
}
