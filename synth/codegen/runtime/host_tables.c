/* host_tables.c: static tables from the binary, or from files. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- the directory */

static const char suffix[] = ".bin";

static bool ends_with_suffix(const char *name)
{
    size_t length = strlen(name), end = sizeof suffix - 1;
    return length > end && strcmp(name + length - end, suffix) == 0;
}

static bool is_table_file(const char *name)
{
    size_t length = strlen(name) - (sizeof suffix - 1);
    for (uint32_t i = 0; i < core_description.table_count; i++) {
        const char *table = core_description.tables[i].name;
        if (strlen(table) == length && memcmp(table, name, length) == 0)
            return true;
    }
    return false;
}

static void list_tables(char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "no static tables");
    for (uint32_t i = 0; i < core_description.table_count && used < size; i++) {
        int added = snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ", ",
                             core_description.tables[i].name);
        used += added > 0 ? (size_t)added : 0;
    }
}

/* Find a `*.bin` that is no table: the first by name, so that the message is the same each time. */
static bool find_stranger(DIR *files, char *name, size_t size)
{
    name[0] = '\0';
    for (const struct dirent *entry; (entry = readdir(files)) != NULL;)
        if (ends_with_suffix(entry->d_name) && !is_table_file(entry->d_name) &&
            (name[0] == '\0' || strcmp(entry->d_name, name) < 0))
            snprintf(name, size, "%s", entry->d_name);
    return name[0] != '\0';
}

bool host_check_tables(const char *directory)
{
    if (directory == NULL)
        return true;
    DIR *files = opendir(directory);
    if (files == NULL)
        return host_fail("--tables %s: %s", directory, strerror(errno)) == 0;
    char stranger[NAME_MAX + 1], names[4096];
    bool has_stranger = find_stranger(files, stranger, sizeof stranger);
    closedir(files);
    if (!has_stranger)
        return true;
    list_tables(names, sizeof names);
    return host_fail("%s/%s is no table of the chain; it has %s", directory, stranger, names) == 0;
}

/* ---- files */

/* Open a file, and tell its size. -1 and errno when that fails, or when it is a folder, a pipe or a device:
 * a table may be read while packets wait. */
static int open_file(const char *path, size_t *size)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    if (file < 0)
        return -1;
    int failed = fstat(file, &status) == 0 ? 0 : errno;
    if (failed == 0 && !S_ISREG(status.st_mode))
        failed = S_ISDIR(status.st_mode) ? EISDIR : ENOTSUP;
    if (failed != 0) {
        close(file);
        errno = failed;
        return -1;
    }
    *size = (size_t)status.st_size;
    return file;
}

/* Read a whole file. NULL and errno when that fails. */
static uint8_t *read_file(const char *path, size_t *size)
{
    int file = open_file(path, size);
    if (file < 0)
        return NULL;
    uint8_t *data = malloc(*size + 1);
    size_t done = 0;
    ssize_t got = data != NULL ? 1 : -1;
    while (got > 0 && done < *size) {
        got = read(file, data + done, *size - done);
        done += got > 0 ? (size_t)got : 0;
    }
    int failed = got < 0 ? errno : done < *size ? EIO : 0; /* EIO: it was cut meanwhile */
    close(file);
    if (failed == 0)
        return data;
    free(data);
    errno = failed;
    return NULL;
}

/* Take a table's file where there is one. `*owned` is what must be freed later. */
static bool load_table(const char *directory, struct table_blob *blob, uint8_t **owned)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s%s", directory, blob->name, suffix);
    if (length < 0 || (size_t)length >= sizeof path) {
        host_fail("the path of table `%s` is too long", blob->name);
        return false;
    }
    size_t size = 0;
    *owned = read_file(path, &size);
    if (*owned == NULL && errno == ENOENT) {
        host_say("table %s: built in", blob->name);
        return true;
    }
    if (*owned == NULL) {
        host_fail("cannot read %s: %s", path, strerror(errno));
        return false;
    }
    host_say("table %s: from %s", blob->name, path);
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
    is_loaded = is_loaded && host_check_tables(directory);
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
