/* blob.h: reading table data that may be wrong. Used inside static tables only. */
#ifndef BLOB_H
#define BLOB_H

#include <stdarg.h>
#include <stdio.h>

#include "bytes.h"
#include "core.h"

static inline uint16_t blob16(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint32_t blob32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t blob64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

struct blob_error {
    char *text;
    size_t size;
};

/* Say what is wrong, and return false. */
__attribute__((format(printf, 2, 3))) static inline bool blob_fail(struct blob_error error,
                                                                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.text, error.size, format, arguments);
    va_end(arguments);
    return false;
}

/* Whether a table is exactly a header and so many records. */
static inline bool blob_has_size(struct blob_error error, size_t size, size_t header,
                                 uint64_t records, uint64_t record_bytes)
{
    uint64_t room = size - header;
    if (record_bytes != 0 && records > room / record_bytes)
        return blob_fail(error, "the data ends within its %llu records of %llu bytes",
                         (unsigned long long)records, (unsigned long long)record_bytes);
    if (records * record_bytes != room)
        return blob_fail(error, "%llu bytes follow the last record",
                         (unsigned long long)(room - records * record_bytes));
    return true;
}

/* Whether the header of a table is there. */
static inline bool blob_has_header(struct blob_error error, size_t size, size_t header)
{
    return size >= header || blob_fail(error, "the data ends within its header");
}

/* Whether all scalars of so many rows are at most the `largest` of their columns. */
static inline bool blob_rows_fit(const uint64_t *scalars, uint32_t rows, uint32_t columns,
                                 const uint64_t *largest)
{
    for (size_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++)
            if (scalars[row * columns + column] > largest[column])
                return false;
    return true;
}

#endif
