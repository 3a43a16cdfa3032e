/* host.c: messages, and interfaces by name. */
#include "host.h"

#include <stdarg.h>
#include <string.h>
#include <sys/random.h>

static void complain(const char *kind, const char *format, va_list arguments)
{
    fprintf(stderr, "%s: %s", core_description.chain, kind);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int host_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain("error: ", format, arguments);
    va_end(arguments);
    return EXIT_INPUT;
}

void host_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain("warning: ", format, arguments);
    va_end(arguments);
}

void host_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain("", format, arguments);
    va_end(arguments);
}

uint64_t host_secret(void)
{
    uint64_t secret = 0;
    /* Eight bytes are never interrupted or cut short once the system has started (getrandom(2)). */
    if (getrandom(&secret, sizeof secret, 0) != (ssize_t)sizeof secret)
        host_warn("no random numbers here: who sends packets could find keys that collide");
    return secret;
}

uint16_t host_cores(void)
{
    return core_description.plan != NULL ? core_description.plan->cores : 1;
}

struct core_state *host_state(uint64_t secret, uint16_t core, struct core_state *first)
{
    char error[512] = "";
    const struct core_plan *plan = core_description.plan;
    struct core_state *state = plan != NULL
                                   ? plan->create_state(secret, core, first, error, sizeof error)
                                   : core_state_create(secret, error, sizeof error);
    if (state == NULL)
        host_fail("%s", error);
    return state;
}

/* ---- interfaces */

static void list_interfaces(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < core_description.interface_count && used < size; i++) {
        int added = snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ", ",
                             core_description.interfaces[i].name);
        used += added > 0 ? (size_t)added : 0;
    }
}

int host_interface(const char *name, size_t length)
{
    for (uint32_t i = 0; i < core_description.interface_count; i++) {
        const char *known = core_description.interfaces[i].name;
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return (int)i;
    }
    char names[1024];
    list_interfaces(names, sizeof names);
    host_fail("the chain has no interface `%.*s`; it has %s", (int)length, name, names);
    return -1;
}

int host_interface_value(const char *argument, const char **value)
{
    const char *equals = strchr(argument, '=');
    if (equals == NULL || equals[1] == '\0') {
        host_fail("`%s` is not of the form INTERFACE=VALUE", argument);
        return -1;
    }
    *value = equals + 1;
    return host_interface(argument, (size_t)(equals - argument));
}
