/* host_tables.c: static tables from the binary, or from files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "static_tables.h"

bool host_needs_eal(void)
{
    for (uint32_t i = 0; i < core_description.table_count; i++)
        if (static_table_memory(&core_description.tables[i]) > 0)
            return true;
    return false;
}

size_t host_table_memory(void)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < core_description.table_count; i++)
        bytes += static_table_memory(&core_description.tables[i]);
    return bytes;
}

/* Read a whole file. `*data` is NULL and errno set when that fails. */
static void read_file(const char *path, uint8_t **data, size_t *size)
{
    *data = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return;
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        *size = (size_t)end;
        *data = malloc(*size + 1);
        if (*data != NULL && fread(*data, 1, *size, file) != *size) {
            free(*data);
            *data = NULL;
        }
    }
    fclose(file);
}

/* Take a table's file where there is one. `*owned` is what must be freed later. */
static bool load_table(const char *directory, struct table_blob *blob, uint8_t **owned)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s.bin", directory, blob->name);
    if (length < 0 || (size_t)length >= sizeof path) {
        host_fail("the path of table `%s` is too long", blob->name);
        return false;
    }
    size_t size = 0;
    errno = 0;
    read_file(path, owned, &size);
    if (*owned == NULL && errno == ENOENT)
        return true;
    if (*owned == NULL) {
        host_fail("cannot read %s: %s", path, strerror(errno));
        return false;
    }
    blob->data = *owned;
    blob->size = size;
    return true;
}

static struct core_tables *build_tables(const struct table_blob *blobs, uint64_t epoch)
{
    char error[512] = "";
    struct core_tables *tables = core_tables_create(blobs, epoch, error, sizeof error);
    if (tables == NULL)
        host_fail("%s", error);
    return tables;
}

struct core_tables *host_load_tables(const char *directory, uint64_t epoch)
{
    uint32_t count = core_description.table_count;
    struct table_blob *blobs = calloc((size_t)count + 1, sizeof *blobs);
    uint8_t **owned = calloc((size_t)count + 1, sizeof *owned);
    bool is_loaded = blobs != NULL && owned != NULL;
    if (!is_loaded)
        host_fail("memory is short");
    for (uint32_t i = 0; is_loaded && i < count; i++) {
        blobs[i] = core_description.tables[i];
        is_loaded = directory == NULL || load_table(directory, &blobs[i], &owned[i]);
    }
    struct core_tables *tables = is_loaded ? build_tables(blobs, epoch) : NULL;
    for (uint32_t i = 0; owned != NULL && i < count; i++)
        free(owned[i]);
    free(owned);
    free(blobs);
    return tables;
}
