/* driver.c: a host for tests that feeds a core from text.
 *
 * Lines `interface time hexadecimal-frame` come in on standard input. `out interface frame` goes
 * out for each emission, at the end `count name value` for each counter that is not zero, and
 * `generated value`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/core.h"

enum { LONGEST_FRAME = 2048, MOST_CHOICES = 1 << 16 };

static struct choice choices[MOST_CHOICES];

static void print_frame(const struct emission *emission, const uint8_t *data, uint32_t length)
{
    printf("out %s ", core_description.interfaces[emission->interface].name);
    bool is_made = emission->made_length != 0;
    for (uint32_t i = 0; i < (is_made ? emission->made_length : length); i++)
        printf("%02x", i < emission->head_length ? emission->head[i]
                                                 : data[is_made ? i - emission->head_length + emission->rest_at : i]);
    printf("\n");
}

static uint32_t read_hexadecimal(const char *text, uint8_t *data)
{
    uint32_t length = 0;
    unsigned byte;
    while (sscanf(text + 2 * length, "%2x", &byte) == 1)
        data[length++] = (uint8_t)byte;
    return length;
}

static uint16_t interface_number(const char *name)
{
    for (uint16_t i = 0; i < core_description.interface_count; i++)
        if (strcmp(core_description.interfaces[i].name, name) == 0)
            return i;
    exit(1);
}

int main(void)
{
    char error[200] = "";
    struct core_tables *tables = core_tables_create(core_description.tables, 1, error, sizeof error);
    struct core_state *state = core_state_create(1, error, sizeof error);
    struct emissions out = {.capacity = core_description.emissions_per_frame};
    out.items = calloc(out.capacity, sizeof *out.items);
    static char name[64], text[2 * LONGEST_FRAME + 1];
    static uint8_t data[LONGEST_FRAME];
    uint64_t now;
    if (tables == NULL || state == NULL || out.items == NULL) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    struct choice_log log = {.capacity = MOST_CHOICES, .items = choices};
    core_log_choices(state, &log);
    while (scanf("%63s %" SCNu64 " %4096s", name, &now, text) == 3) {
        struct frame frame = {data, read_hexadecimal(text, data)};
        out.count = 0;
        core_process(tables, state, &frame, 1, interface_number(name), now, &out);
        for (uint32_t i = 0; i < out.count; i++)
            print_frame(&out.items[i], data, frame.length);
        core_tick(state, now);
    }
    for (uint32_t i = 0; i < core_description.counter_count; i++)
        if (core_counters(state)[i] != 0)
            printf("count %s %" PRIu64 "\n", core_description.counter_names[i], core_counters(state)[i]);
    for (uint64_t i = 0; i < log.count; i++)
        printf("choice %s %" PRIu64 "\n", core_description.choice_tables[choices[i].table], choices[i].value);
    printf("generated %" PRIu64 "\n", core_generated(state));
    free(out.items);
    core_state_destroy(state);
    core_tables_destroy(tables);
    return 0;
}
