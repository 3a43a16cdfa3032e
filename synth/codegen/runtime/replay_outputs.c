/* replay_outputs.c: the files that a replay leaves. */
#define _GNU_SOURCE
#include "replay_outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Make a directory with those above it. */
static bool make_directory(const char *path)
{
    char *part = strdup(path);
    bool is_good = part != NULL || host_fail("memory is short") == 0;
    size_t length = strlen(path);
    for (size_t i = 1; is_good && i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            is_good = host_fail("cannot make the directory %s: %s", part, strerror(errno)) == 0;
        part[i] = path[i];
    }
    free(part);
    return is_good;
}

static bool open_capture(struct output *output, const char *directory, const char *interface)
{
    if (asprintf(&output->path, "%s/%s.pcap", directory, interface) < 0)
        output->path = NULL;
    if (asprintf(&output->temporary, "%s/.%s.pcap.%ld", directory, interface, (long)getpid()) < 0)
        output->temporary = NULL;
    if (output->path == NULL || output->temporary == NULL)
        return host_fail("memory is short") == 0;
    output->writer = capture_create(output->temporary);
    return output->writer != NULL;
}

bool outputs_open(struct outputs *outputs, const char *directory)
{
    uint32_t interfaces = core_description.interface_count;
    outputs->captures = calloc(interfaces, sizeof *outputs->captures);
    if (outputs->captures == NULL)
        return host_fail("memory is short") == 0;
    if (!make_directory(directory))
        return false;
    for (uint32_t i = 0; i < interfaces; i++)
        if (!open_capture(&outputs->captures[i], directory, core_description.interfaces[i].name))
            return false;
    if (outputs->choices_path == NULL)
        return true;
    outputs->choices = fopen(outputs->choices_path, "w");
    return outputs->choices != NULL ||
           host_fail("cannot write %s: %s", outputs->choices_path, strerror(errno)) == 0;
}

static bool close_all(struct outputs *outputs)
{
    bool is_good = true;
    for (uint32_t i = 0; i < core_description.interface_count; i++)
        if (outputs->captures[i].writer != NULL)
            is_good = capture_finish(outputs->captures[i].writer) && is_good;
    if (outputs->choices != NULL && fclose(outputs->choices) != 0)
        is_good = host_fail("cannot write %s: %s", outputs->choices_path, strerror(errno)) == 0;
    return is_good;
}

static bool name_all(const struct outputs *outputs)
{
    for (uint32_t i = 0; i < core_description.interface_count; i++) {
        const struct output *output = &outputs->captures[i];
        if (rename(output->temporary, output->path) != 0)
            return host_fail("cannot write %s: %s", output->path, strerror(errno)) == 0;
    }
    return true;
}

static void remove_all(const struct outputs *outputs)
{
    for (uint32_t i = 0; i < core_description.interface_count; i++)
        if (outputs->captures[i].temporary != NULL)
            unlink(outputs->captures[i].temporary);
    if (outputs->choices != NULL)
        unlink(outputs->choices_path);
}

bool outputs_finish(struct outputs *outputs, bool is_good)
{
    if (outputs->captures == NULL)
        return is_good;
    is_good = close_all(outputs) && is_good;
    is_good = is_good && name_all(outputs);
    if (!is_good)
        remove_all(outputs);
    for (uint32_t i = 0; i < core_description.interface_count; i++) {
        free(outputs->captures[i].path);
        free(outputs->captures[i].temporary);
    }
    free(outputs->captures);
    outputs->captures = NULL;
    return is_good;
}
