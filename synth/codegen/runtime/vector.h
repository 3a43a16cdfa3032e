/* vector.h: a fixed number of cells that all start alike. Cells are read and written as an array.
 */
#ifndef VECTOR_H
#define VECTOR_H

#include <stdlib.h>
#include <string.h>

/* Make `size` cells that are copies of `initial`; NULL when memory is short. Free with free(). */
static inline void *vector_create(size_t size, size_t cell_bytes, const void *initial)
{
    char *cells = calloc(size, cell_bytes);
    for (size_t i = 0; cells != NULL && i < size; i++)
        memcpy(cells + i * cell_bytes, initial, cell_bytes);
    return cells;
}

#endif
